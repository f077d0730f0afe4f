/* SPDX-License-Identifier: MIT */
/*
 * From a trickle to more than can be written: what is lost, and what the writer's thread takes.
 *
 * usage: bench_probe_rates [FOLDER [SECONDS]]
 * The fake host's threads record marks of 1,000 bytes at each rate, then calls as fast as they can,
 * into a file in FOLDER (/tmp), which is removed after each row, for so many seconds (2). The
 * buffer has its usual size. Prints a row for each; this measures, it is no test.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "probe/core/emit.h"
#include "tests/kit/host_fake.h"
#include "probe/ground/probe_clock.h"
#include "probe/control/session.h"
#include "probe/core/writer.h"

enum { MARK = 1000, PAIRS = 1000, MOST_THREADS = 2 };

struct row {
	unsigned mb, threads; /* a second, of marks; 0: calls, as many as there can be */
};

struct work {
	uint64_t until, rate; /* bytes a second, 0: calls */
	uint64_t events;      /* made */
};

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 500000 }, NULL);
}

static void make_marks(struct work *w)
{
	char text[MARK];
	uint64_t begun = pvp_monotonic();
	memset(text, 'm', sizeof text - 1);
	text[sizeof text - 1] = 0;
	for (uint64_t now = begun; now < w->until; now = pvp_monotonic()) {
		uint64_t due = (uint64_t)((double)(now - begun) * 1e-9 * (double)w->rate / MARK);
		if (w->events >= due)
			nap();
		for (; w->events < due && pvp_monotonic() < w->until; w->events++)
			pvp_mark(text);
	}
}

static void *make(void *arg)
{
	struct work *w = arg;
	if (w->rate) {
		make_marks(w);
		return NULL;
	}
	for (; pvp_monotonic() < w->until; w->events += (uint64_t)2 * PAIRS)
		for (unsigned i = 0; i < PAIRS; i++) {
			pvp_call(PVP_ENTER, pvp_fake_key(i % 30));
			pvp_call(PVP_LEAVE, pvp_fake_key(i % 30));
		}
	return NULL;
}

static bool run(const struct row *r, const char *path, unsigned seconds)
{
	char options[600];
	struct pvp_stats stats;
	pthread_t thread[MOST_THREADS];
	struct work work[MOST_THREADS];
	snprintf(options, sizeof options, "output=%s,marks,control=off,linger=60000", path);
	if (pvp_session_start(options, &pvp_host_fake) != 0)
		return false;
	uint64_t begun = pvp_monotonic(), events = 0;
	for (unsigned i = 0; i < r->threads; i++) {
		work[i] = (struct work){ .until = begun + seconds * UINT64_C(1000000000),
			.rate = (uint64_t)r->mb * 1000000 / r->threads };
		if (pthread_create(&thread[i], NULL, make, &work[i]) != 0)
			return false;
	}
	for (unsigned i = 0; i < r->threads; i++) {
		pthread_join(thread[i], NULL);
		events += work[i].events;
	}
	double took = (double)(pvp_monotonic() - begun) * 1e-9;
	if (pvp_writer_flush() != 0 || pvp_writer_stats(&stats) != 0)
		return false;
	pvp_session_stop();
	char what[32];
	snprintf(what, sizeof what, r->mb ? "%u MB/s" : "calls", r->mb);
	double bytes = r->mb ? MARK : 3;
	printf("%-10s %7u %12.3f %10.1f %9.3f %12.1f\n", what, r->threads,
		(double)events / took / 1e6, (double)events * bytes / took / 1e6,
		100 * (double)stats.lost / (double)events,
		100 * (double)stats.cpu_ns * 1e-9 / took);
	fflush(stdout);
	return unlink(path) == 0;
}

int main(int argc, char **argv)
{
	static const struct row rows[] = { { 1, 1 }, { 3, 1 }, { 10, 1 }, { 30, 1 }, { 100, 1 },
		{ 300, 1 }, { 1000, 1 }, { 1000, 2 }, { 0, 1 }, { 0, 2 } };
	char path[512];
	unsigned seconds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 2;
	snprintf(path, sizeof path, "%s/profview-rates-%d.mlpd", argc > 1 ? argv[1] : "/tmp",
		(int)getpid());
	printf("%-10s %7s %12s %10s %9s %12s\n", "asked for", "threads", "M events/s", "MB/s",
		"lost %", "writer CPU %");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!run(&rows[i], path, seconds ? seconds : 1))
			return 1;
	return 0;
}
