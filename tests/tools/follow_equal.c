/* SPDX-License-Identifier: MIT */
/*
 * follow_equal LOG: the log's JSON report, byte for byte the same from a file read whole by one
 * worker and by several, from one that grows in pieces while it is followed, from a pipe in small
 * pieces, and from a range that covers everything. LOG is of data version 17.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/cursor.h"
#include "common/base/mem.h"
#include "common/ingest/again/range.h"
#include "common/report/report.h"
#include "tests/kit/range_kit.h"

enum { START_TIME_AT = 8, PID_AT = 32, DEADLINE_S = 120 };

struct log {
	PV_ARRAY(uint8_t) bytes;
};

static char dir[] = "/tmp/pv-equal-XXXXXX";
static unsigned dice = 7;

static _Noreturn void die(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	exit(1);
}

static unsigned roll(unsigned below)
{
	dice = dice * 1664525 + 1013904223;
	return (dice >> 8) % below;
}

static const char *in_dir(char to[64], const char *name)
{
	snprintf(to, 64, "%s/%s", dir, name);
	return to;
}

static void take_log(struct log *l, const char *path)
{
	struct pv_error e = { 0 };
	struct pv_source *s = pv_source_open(path, &(struct pv_source_options){ 0 }, &e);
	uint64_t n = 0;
	if (!s)
		die(path, e.what);
	do {
		if (!pv_reserve(&l->bytes, 1 << 16))
			die(path, "out of memory");
		l->bytes.n += n;
		n = 0;
	} while (pv_source_read(s, l->bytes.v + l->bytes.n, 1 << 15, &n, &e) == PV_READ_BYTES);
	pv_source_close(s);
	if (l->bytes.n < 1000 || l->bytes.v[6] != 17)
		die(path, "not the log that is wanted");
}

/* A followed file has ended when the process that holds it open for writing has. */
static pid_t take_process(struct log *l)
{
	pid_t pid = fork();
	if (pid < 0)
		die("fork", strerror(errno));
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	pv_put_u64(l->bytes.v + START_TIME_AT, ((uint64_t)time(NULL) + 10) * 1000);
	pv_put_u32(l->bytes.v + PID_AT, (uint32_t)pid);
	return pid;
}

static struct pv_ingest *start(const char *path, bool follow, unsigned jobs)
{
	struct pv_error e = { 0 };
	const struct pv_source_options so = { .follow = follow, .patient = true };
	const struct pv_ingest_options io = { .jobs = jobs, .follow = follow, .ranges = true };
	struct pv_source *s = pv_source_open(path, &so, &e);
	struct pv_ingest *in = s ? pv_ingest_start(s, &io, &e) : NULL;
	if (!in)
		die(path, e.what);
	return in;
}

/* Until so much was read, or (0) until the end. */
static void wait_for(struct pv_ingest *in, uint64_t bytes)
{
	struct pv_ingest_status s;
	time_t until = time(NULL) + DEADLINE_S;
	for (pv_ingest_status(in, &s); bytes ? s.stream_bytes < bytes : s.state != PV_INGEST_ENDED;
		pv_ingest_status(in, &s)) {
		struct pollfd p = { .fd = pv_ingest_fd(in), .events = POLLIN };
		poll(&p, 1, 50);
		pv_ingest_clear(in);
		if (s.state == PV_INGEST_FAILED)
			die("reading", s.error.what);
		if (time(NULL) > until)
			die("reading", "it does not come to its end");
	}
}

static char *report(struct pv_ingest *in, struct pv_model *m)
{
	char *text = range_kit_report(in, m);
	if (!text)
		die("report", "not written");
	return text;
}

static void compare(const char *what, char *got, const char *wanted)
{
	size_t at = 0;
	while (got[at] && got[at] == wanted[at])
		at++;
	size_t from = at > 100 ? at - 100 : 0;
	if (got[at] != wanted[at]) {
		fprintf(stderr, "%.200s\n instead of\n%.200s\n", got + from, wanted + from);
		die(what, "another report");
	}
	printf("%s: the same\n", what);
	free(got);
}

static void write_all(int fd, const uint8_t *bytes, size_t n)
{
	for (ssize_t wrote; n > 0; bytes += wrote, n -= (size_t)wrote) {
		wrote = write(fd, bytes, n);
		if (wrote < 0)
			die("writing", strerror(errno));
	}
}

static char *read_whole(const char *path, unsigned jobs)
{
	struct pv_ingest *in = start(path, false, jobs);
	wait_for(in, 0);
	char *text = report(in, pv_ingest_adopt(in));
	pv_ingest_destroy(in);
	return text;
}

/* Pieces of all sizes; now and then what was written is waited for. */
static char *read_growing(const struct log *l, const char *path, pid_t process)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
	struct pv_ingest *in = start(path, true, 2);
	for (size_t at = 0, n; at < l->bytes.n; at += n) {
		n = roll(4) ? 1 + roll(300) : 1 + roll(20000);
		n = n < l->bytes.n - at ? n : l->bytes.n - at;
		write_all(fd, l->bytes.v + at, n);
		if (roll(8) == 0)
			wait_for(in, at + n);
	}
	close(fd);
	wait_for(in, l->bytes.n);
	kill(process, SIGKILL);
	waitpid(process, NULL, 0);
	wait_for(in, 0);
	char *text = report(in, pv_ingest_adopt(in));
	pv_ingest_destroy(in);
	return text;
}

static char *read_pipe(const struct log *l, const char *path)
{
	if (mkfifo(path, 0600) < 0)
		die(path, strerror(errno));
	struct pv_ingest *in = start(path, true, 2);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	for (size_t at = 0, n; at < l->bytes.n; at += n) {
		n = at < 20000 ? 1 : 1 + roll(3000);
		n = n < l->bytes.n - at ? n : l->bytes.n - at;
		write_all(fd, l->bytes.v + at, n);
	}
	close(fd);
	wait_for(in, 0);
	char *text = report(in, pv_ingest_adopt(in));
	pv_ingest_destroy(in);
	return text;
}

static char *read_range(const char *path)
{
	struct pv_error e = { 0 };
	struct pv_background_status s;
	struct pv_ingest *in = start(path, false, 2);
	wait_for(in, 0);
	pv_ingest_adopt(in);
	struct pv_range_read *r = pv_range_start(
		in, &(struct pv_range_wish){ .from_ns = INT64_MIN, .to_ns = INT64_MAX }, &e);
	if (!r)
		die("range", e.what);
	pv_background_wait(pv_range_job(r));
	pv_background_status(pv_range_job(r), &s);
	if (!s.done)
		die("range", s.error.what);
	char *text = report(in, pv_range_model(r));
	pv_background_destroy(pv_range_job(r));
	pv_ingest_destroy(in);
	return text;
}

int main(int argc, char **argv)
{
	struct log l = { 0 };
	char whole[64], growing[64], pipe[64];
	if (argc != 2 || !mkdtemp(dir))
		die("usage", "follow_equal LOG");
	setenv("XDG_CACHE_HOME", dir, 1);
	take_log(&l, argv[1]);
	int fd = open(in_dir(growing, "growing"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	pid_t process = take_process(&l);
	close(fd);
	fd = open(in_dir(whole, "whole"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	write_all(fd, l.bytes.v, l.bytes.n);
	close(fd);
	char *wanted = read_whole(whole, 1);
	compare("eight workers", read_whole(whole, 8), wanted);
	compare("growing", read_growing(&l, growing, process), wanted);
	compare("a pipe", read_pipe(&l, in_dir(pipe, "pipe")), wanted);
	compare("all of it as a range", read_range(whole), wanted);
	unlink(whole);
	unlink(growing);
	unlink(pipe);
	char cache[64];
	rmdir(in_dir(cache, "profview"));
	rmdir(dir);
	free(wanted);
	pv_array_finish(&l.bytes);
	return 0;
}
