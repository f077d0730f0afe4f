/* SPDX-License-Identifier: MIT */
/* Reads the map written by another runtime for perf, and finds names of addresses. */
#include "probe/code/perf_map.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/system/proc_file.h"
#include "probe/unwind/target.h"
#include "probe/ground/probe_clock.h"

enum {
	SECOND = 1000000000,
	EACH_NS = 200000000, /* between two readings */
	MOST_ENTRIES = 1 << 18,
	MOST_TEXT = 32 << 20, /* bytes of names */
	MOST_CODE = 1 << 30,
	PART = 1 << 16, /* bytes read at a time; longer lines are left out */
	NAME = 1024,
	BACK = 16, /* entries before an address, of which one may reach to it */
};

struct entry {
	uint64_t start;
	uint32_t size, name; /* the latter: offset into `text` */
	uint32_t order;
};

static PV_ARRAY(struct entry) map; /* by start, then by order once sorted */
static PV_ARRAY(char) text;
static uint64_t read_at;
static off_t taken; /* bytes of the file */
static pid_t of;    /* the process of this file */

/* ---- the file */

/* When the process began, in seconds of the system's clock. */
static time_t began(void)
{
	struct timespec now = { 0 };
	int64_t age = pv_process_age_ms(pvp_target ? pvp_target->pid : 0);
	clock_gettime(CLOCK_REALTIME, &now);
	return age < 0 ? now.tv_sec : now.tv_sec - (time_t)(age / 1000);
}

static pid_t process(void)
{
	return pvp_target ? pvp_target->pid : getpid();
}

/* The name has the pid of the process's own namespace; the folder is the process's /tmp. */
static int open_of_target(void)
{
	char name[64], status[4096];
	long inner = pv_proc_read(pvp_target->pid, "status", status, sizeof status) > 0
			     ? pv_status_innermost(status)
			     : 0;
	snprintf(name, sizeof name, "/tmp/perf-%ld.map", inner ? inner : (long)pvp_target->pid);
	return pvp_target->open(name);
}

static uid_t owner(void)
{
	char path[32];
	struct stat s;
	snprintf(path, sizeof path, "/proc/%ld", (long)process());
	return pvp_target && stat(path, &s) == 0 ? s.st_uid : geteuid();
}

static int open_map(void)
{
	char path[64];
	struct stat s;
	snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
	int fd = pvp_target ? open_of_target()
			    : open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == owner() &&
		!(s.st_mode & (S_IWGRP | S_IWOTH)) && s.st_mtime + 1 >= began())
		return fd;
	close(fd);
	return -1;
}

static void add_entry(char *line, size_t n)
{
	char *end;
	uint64_t start = strtoull(line, &end, 16);
	uint64_t size = strtoull(end, &end, 16);
	while (*end == ' ')
		end++;
	size_t len = strnlen(end, n - (size_t)(end - line));
	if (!start || !size || size > MOST_CODE || !len || len > NAME - sizeof " [jit]" ||
		map.n >= MOST_ENTRIES || text.n + len >= MOST_TEXT || !pv_reserve(&map, 1) ||
		!pv_reserve(&text, len + 1))
		return;
	map.v[map.n] = (struct entry){ .start = start,
		.size = (uint32_t)size,
		.name = (uint32_t)text.n,
		.order = (uint32_t)map.n };
	map.n++;
	for (size_t i = 0; i < len; i++)
		text.v[text.n++] = (unsigned char)end[i] < ' ' || end[i] == 0x7f ? '?' : end[i];
	text.v[text.n++] = 0;
}

/* Whole lines; what is after the last is read again when there is more. */
static size_t add_lines(char *part, size_t n)
{
	size_t done = 0;
	char *end;
	while ((end = memchr(part + done, '\n', n - done))) {
		*end = 0;
		add_entry(part + done, (size_t)(end - part) - done);
		done = (size_t)(end - part) + 1;
	}
	return done;
}

static int by_entry_start(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void read_more(void)
{
	static char part[PART + 1];
	uint64_t now = pvp_monotonic();
	if (read_at && now - read_at < EACH_NS)
		return;
	read_at = now;
	if (of != process())
		taken = 0; /* a child of fork has the parent's code, and its own file */
	of = process();
	int fd = open_map();
	size_t before = map.n;
	for (ssize_t n; fd >= 0 && (n = pread(fd, part, PART, taken)) > 0;) {
		part[n] = 0;
		size_t done = add_lines(part, (size_t)n);
		if (!done && n < PART)
			break;
		taken += done ? (off_t)done : (off_t)n;
	}
	if (fd >= 0)
		close(fd);
	if (map.n > before)
		qsort(map.v, map.n, sizeof *map.v, by_entry_start);
}

/* ---- names */

static const struct entry *find_entry(uint64_t address)
{
	size_t low = 0, high = map.n;
	const struct entry *found = NULL;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (map.v[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	for (size_t i = low; i > 0 && low - i < BACK; i--) {
		const struct entry *e = &map.v[i - 1];
		if (address - e->start < e->size && (!found || e->order > found->order))
			found = e;
	}
	return found;
}

const char *pvp_perf_map_name(uint64_t address)
{
	static char name[NAME];
	read_more();
	const struct entry *e = find_entry(address);
	if (!e)
		return NULL;
	snprintf(name, sizeof name, "%s [jit]", text.v + e->name);
	return name;
}
