/* SPDX-License-Identifier: MIT */
/*
 * Costs of the probe in a native program: ns an event, bytes an event. Prints, judges nothing,
 * except that a row with losses says so and is void.
 *
 * usage: probe_native [ROUNDS]     least of so many rounds (5), the rows taking turns
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/format/mlpd/framer.h"
#include "probe/profview_probe.h"
#include "tests/bench/probe_work.h"

enum { FIB = 29, CHAIN = 500000, ALLOCS = 1000000, MAX_ROUNDS = 99 };

static char path[] = "/tmp/profview-bench-XXXXXX";
static profview_class_id some_class;

static long run_allocs(int n)
{
	for (int i = 0; i < n; i++)
		profview_alloc(some_class, (void *)(uintptr_t)(4096 + 48 * (i % 1000)), 40);
	return n;
}

struct row {
	const char *name;
	long (*work)(int);
	int n;
	int base; /* index of the row that is subtracted, -1 for none */
	bool record;
	int threads;
	double least; /* seconds */
	uint64_t bytes, events, lost;
};

static struct row rows[] = {
	{ .name = "fib, not instrumented", .work = plain_fib, .n = FIB, .base = -1 },
	{ .name = "fib, hooks, not recording", .work = hooked_fib, .n = FIB, .base = 0 },
	{ .name = "fib, recorded", .work = hooked_fib, .n = FIB, .base = 0, .record = true },
	{ .name = "fib, recorded, 2 threads",
		.work = hooked_fib,
		.n = FIB,
		.base = 0,
		.record = true,
		.threads = 2 },
	{ .name = "chain, not instrumented", .work = plain_chain, .n = CHAIN, .base = -1 },
	{ .name = "chain, hooks, not recording", .work = hooked_chain, .n = CHAIN, .base = 4 },
	{ .name = "chain, recorded", .work = hooked_chain, .n = CHAIN, .base = 4, .record = true },
	{ .name = "chain, recorded, 2 threads",
		.work = hooked_chain,
		.n = CHAIN,
		.base = 4,
		.record = true,
		.threads = 2 },
	{ .name = "alloc, not recording", .work = run_allocs, .n = ALLOCS, .base = -1 },
	{ .name = "alloc, recorded", .work = run_allocs, .n = ALLOCS, .base = 8, .record = true },
};

/* ---- reading back: how many events, how many lost */

static void count_buffer(struct row *r, const struct mlpd_framer *f, struct pv_batch *b)
{
	struct mlpd_bases bases;
	size_t used;
	pv_batch_reset(b);
	if (!pv_reserve(&b->bytes, f->payload_len))
		return;
	memcpy(b->bytes.v, f->payload, f->payload_len);
	b->bytes.n = f->payload_len;
	mlpd_bases_init(&bases, &f->buffer);
	if (!mlpd_decode_batch(b, &bases, &f->header.format, false, &used))
		return;
	for (size_t i = 0; i < b->n; i++) {
		unsigned k = b->kind[i];
		r->events += k == PV_KIND_METHOD_ENTER || k == PV_KIND_METHOD_LEAVE ||
			     k == PV_KIND_METHOD_EXC_LEAVE || k == PV_KIND_ALLOC;
	}
	for (size_t i = 0; i < b->values.n; i++)
		r->lost += b->values.v[i].raw; /* there is no other counter here */
}

static void count(struct row *r)
{
	struct mlpd_framer f;
	struct pv_batch b = { 0 };
	int fd = open(path, O_RDONLY);
	r->bytes = r->events = r->lost = 0;
	if (fd < 0 || !mlpd_framer_init(&f))
		return;
	for (;;) {
		size_t room;
		uint8_t *to = mlpd_framer_room(&f, &room);
		ssize_t n = to ? read(fd, to, room) : 0;
		if (n <= 0)
			break;
		r->bytes += (uint64_t)n;
		mlpd_framer_filled(&f, (size_t)n);
		for (enum mlpd_piece p;
			(p = mlpd_framer_next(&f)) != MLPD_MORE && p != MLPD_FAILED;)
			if (p == MLPD_BUFFER)
				count_buffer(r, &f, &b);
	}
	pv_batch_finish(&b);
	mlpd_framer_finish(&f);
	close(fd);
}

/* ---- measuring */

/* The thread's own time: what else the machine does counts less. */
static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct lane {
	const struct row *row;
	double took;
};

static void *run(void *arg)
{
	struct lane *l = arg;
	double before = seconds();
	l->row->work(l->row->n);
	l->took = seconds() - before;
	return NULL;
}

/* The slower of its threads. */
static double measure(const struct row *r)
{
	struct lane lanes[2] = { { .row = r }, { .row = r } };
	pthread_t other;
	bool two = r->threads == 2 && pthread_create(&other, NULL, run, &lanes[1]) == 0;
	run(&lanes[0]);
	if (two)
		pthread_join(other, NULL);
	return lanes[1].took > lanes[0].took ? lanes[1].took : lanes[0].took;
}

static bool turn(struct row *r)
{
	char options[128];
	snprintf(options, sizeof options, "output=%s,buffer=512m", path);
	if (r->record && profview_start(options) != 0)
		return false;
	/* The counter is calibrated within the first tick; that is no part of the price. */
	if (r->record)
		nanosleep(&(struct timespec){ .tv_nsec = 30000000 }, NULL);
	double took = measure(r);
	if (r->record && profview_stop() != 0)
		return false;
	if (r->record)
		count(r);
	if (r->least <= 0 || took < r->least)
		r->least = took;
	return true;
}

static void print(const struct row *r, uint64_t events)
{
	double base = r->base < 0 ? 0 : rows[r->base].least;
	printf("%-28s %8.1f ms %7.2f ns/event", r->name, r->least * 1e3,
		(r->least - base) * 1e9 / (double)events);
	if (r->record)
		printf(" %6.2f B/event %10llu events%s", (double)r->bytes / (double)r->events,
			(unsigned long long)r->events, r->lost ? "  VOID: events were lost" : "");
	printf("\n");
}

/* Events of one thread: what the recorded row of the same work had. */
static uint64_t events_of(const struct row *r)
{
	for (size_t i = 0; i < PV_COUNT_OF(rows); i++)
		if (rows[i].record && !rows[i].threads && strcmp(rows[i].name, r->name) != 0 &&
			strncmp(rows[i].name, r->name, 3) == 0)
			return rows[i].events;
	return r->events ? r->events : 1;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 5;
	int fd = mkstemp(path);
	if (fd < 0 || rounds < 1 || rounds > MAX_ROUNDS)
		return 2;
	close(fd);
	some_class = profview_class("thing");
	bool ok = true;
	for (int i = 0; i < rounds; i++)
		for (size_t k = 0; ok && k < PV_COUNT_OF(rows); k++)
			ok = turn(&rows[k]);
	unlink(path);
	if (!ok) {
		fprintf(stderr, "probe_native: the probe does not record\n");
		return 1;
	}
	for (size_t k = 0; k < PV_COUNT_OF(rows); k++)
		print(&rows[k], events_of(&rows[k]));
	return 0;
}
