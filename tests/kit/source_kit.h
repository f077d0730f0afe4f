/* SPDX-License-Identifier: MIT */
/* Shared by the tests of sources: a folder, writers, and reading with a deadline. */
#ifndef PV_TESTS_SOURCE_KIT_H
#define PV_TESTS_SOURCE_KIT_H

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/io/source.h"

enum { DEADLINE_MS = 60000, KIT_PATH = 300 };

static char kit_dir[KIT_PATH / 2];

/* Each test has a folder of its own; the spool's cache folder is in it too. */
static inline void kit_setup(void)
{
	const char *tmp = getenv("TMPDIR");
	snprintf(kit_dir, sizeof kit_dir, "%s/profview-test-XXXXXX", tmp ? tmp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(kit_dir));
	setenv("XDG_CACHE_HOME", kit_dir, 1);
}

static inline void kit_teardown(void)
{
	char command[KIT_PATH];
	snprintf(command, sizeof command, "rm -rf '%s'", kit_dir);
	ck_assert_int_eq(system(command), 0);
}

static inline const char *in_dir(char path[KIT_PATH], const char *name)
{
	snprintf(path, KIT_PATH, "%s/%s", kit_dir, name);
	return path;
}

/* A child that holds the file open for writing until *ret_life is closed. */
static inline pid_t start_writer(const char *path, int *ret_life)
{
	int ends[2];
	char c;
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		close(ends[1]);
		_exit((int)read(ends[0], &c, 1));
	}
	close(fd);
	close(ends[0]);
	*ret_life = ends[1];
	return pid;
}

static inline int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The stream every writer writes: a byte that tells its position. */
static inline uint8_t pattern(uint64_t at)
{
	uint64_t x = (at + 1) * UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return (uint8_t)(x >> 56);
}

/* Check writes a line for every assertion, so bytes are compared first and asserted at once. */
static inline bool is_pattern(const uint8_t *b, uint64_t from, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (b[i] != pattern(from + i))
			return false;
	return true;
}

static inline uint8_t *pattern_bytes(uint64_t from, size_t n)
{
	uint8_t *b = malloc(n + 1);
	ck_assert_ptr_nonnull(b);
	for (size_t i = 0; i < n; i++)
		b[i] = pattern(from + i);
	return b;
}

/* Writes everything; the descriptor may be a blocking pipe. */
static inline bool write_all(int fd, const void *bytes, size_t n)
{
	const char *p = bytes;
	while (n > 0) {
		ssize_t put = write(fd, p, n);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		p += put;
		n -= (size_t)put;
	}
	return true;
}

static inline void append(const char *path, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert(write_all(fd, bytes, n));
	close(fd);
}

static inline void put_file(const char *path, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert(write_all(fd, bytes, n));
	close(fd);
}

static inline struct pv_source *open_ok(const char *path, const struct pv_source_options *o)
{
	struct pv_error e = { 0 };
	struct pv_source *s = pv_source_open(path, o, &e);
	ck_assert_msg(s != NULL, "%s", e.what);
	return s;
}

static inline struct pv_source *open_plain(const char *path, bool follow)
{
	return open_ok(path, &(struct pv_source_options){ .follow = follow });
}

/* Waits, as a viewer does, for something other than NOTHING; NOTHING when the time is over. */
static inline enum pv_read next_read(struct pv_source *s, void *to, size_t size, uint64_t *ret_n)
{
	int64_t end = now_ms() + DEADLINE_MS;
	for (;;) {
		struct pv_error e = { 0 };
		pv_source_wait_clear(s);
		enum pv_read what = pv_source_read(s, to, size, ret_n, &e);
		ck_assert_msg(what != PV_READ_ERROR, "%s", e.what);
		int64_t left = end - now_ms();
		if (what != PV_READ_NOTHING || left <= 0)
			return what;
		struct pollfd p = { .fd = pv_source_wait_fd(s), .events = POLLIN };
		ck_assert_int_ge(p.fd, 0);
		poll(&p, 1, (int)left);
	}
}

/* The next `n` bytes are these, whatever pieces they come in. An END before them is passed. */
static inline void expect_bytes(struct pv_source *s, const void *bytes, size_t n)
{
	uint8_t got[4096];
	int64_t end = now_ms() + DEADLINE_MS;
	for (size_t at = 0; at < n;) {
		uint64_t k = 0;
		enum pv_read what =
			next_read(s, got, n - at < sizeof got ? n - at : sizeof got, &k);
		if (what == PV_READ_END && now_ms() < end) {
			struct pollfd p = { .fd = pv_source_wait_fd(s), .events = POLLIN };
			poll(&p, 1, 100);
			continue;
		}
		ck_assert_int_eq(what, PV_READ_BYTES);
		ck_assert_uint_gt(k, 0);
		ck_assert_mem_eq(got, (const uint8_t *)bytes + at, (size_t)k);
		at += (size_t)k;
	}
}

static inline void expect_pattern(struct pv_source *s, uint64_t from, size_t n)
{
	uint8_t *b = pattern_bytes(from, n);
	expect_bytes(s, b, n);
	free(b);
}

static inline void expect(struct pv_source *s, enum pv_read wanted)
{
	uint8_t byte;
	uint64_t n;
	ck_assert_int_eq(next_read(s, &byte, 1, &n), wanted);
}

/* One look, no waiting. */
static inline void expect_nothing_now(struct pv_source *s)
{
	uint8_t byte;
	uint64_t n;
	struct pv_error e;
	ck_assert_int_eq(pv_source_read(s, &byte, 1, &n, &e), PV_READ_NOTHING);
}

/* Runs `f` in a child; it must return 0 in time. */
typedef int (*child_fn)(void *arg);

static inline pid_t start_child(child_fn f, void *arg)
{
	pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		_exit(f(arg));
	return pid;
}

static inline void end_child(pid_t pid, int wanted)
{
	int status;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	if (wanted >= 0)
		ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == wanted,
			"child ended with status %#x", (unsigned)status);
}

/* The number after `key` in /proc/PID/`file`, or -1. */
static inline long long proc_number(pid_t pid, const char *file, const char *key)
{
	char path[64], line[256];
	long long v = -1;
	snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, file);
	FILE *f = fopen(path, "re");
	while (f && v < 0 && fgets(line, sizeof line, f))
		if (strncmp(line, key, strlen(key)) == 0)
			v = strtoll(line + strlen(key), NULL, 10);
	if (f)
		fclose(f);
	return v;
}

/* The drainer that `parent` has now; 0 when there is none. */
static inline pid_t find_drainer(pid_t parent)
{
	char path[300], name[64];
	pid_t found = 0;
	DIR *proc = opendir("/proc");
	for (struct dirent *e; proc && !found && (e = readdir(proc));) {
		pid_t pid = (pid_t)atoi(e->d_name);
		snprintf(path, sizeof path, "/proc/%.20s/comm", e->d_name);
		FILE *f = pid > 0 ? fopen(path, "re") : NULL;
		bool is = f && fgets(name, sizeof name, f) && !strcmp(name, "profview-drain\n");
		if (f)
			fclose(f);
		if (is && proc_number(pid, "status", "PPid:") == parent)
			found = pid;
	}
	if (proc)
		closedir(proc);
	return found;
}

/* The same, once it has got so far as to have its name. */
static inline pid_t drainer_of(pid_t parent)
{
	int64_t end = now_ms() + DEADLINE_MS;
	pid_t pid;
	while (!(pid = find_drainer(parent)) && now_ms() < end)
		sched_yield();
	ck_assert_int_gt(pid, 0);
	return pid;
}

static inline char state_of(pid_t pid)
{
	char path[64], state = 0;
	snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
	FILE *f = fopen(path, "re");
	if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	if (f)
		fclose(f);
	return state;
}

/*
 * This process's drainer, once it sleeps: then it has nothing more to do. Bytes or an end make it
 * runnable before the writer's call returns.
 */
static inline pid_t settled_drainer(void)
{
	pid_t drainer = drainer_of(getpid());
	int64_t end = now_ms() + DEADLINE_MS;
	while (state_of(drainer) != 'S' && now_ms() < end)
		sched_yield();
	return drainer;
}

#endif
