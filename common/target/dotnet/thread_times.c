/* SPDX-License-Identifier: MIT */
/*
 * Reads the processor time of each thread and writes it into the event stream as events of our own.
 */
#include "common/target/dotnet/thread_times.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/cursor.h"
#include "common/base/system/proc_file.h"
#include "common/target/dotnet/dotnet_ipc.h"
#include "common/target/dotnet/event_write.h"
#include "common/target/process/patience.h"

enum {
	KIND = 1000000,     /* of our events in the stream; the runtime's own count from 1 */
	WRITER = INT32_MAX, /* a thread of no process */
	ID = 28790,         /* "pv": the sampler has only 0 */
	DEAREST = 10,       /* a reading takes at most one part of so many of the time */
	MOST_KNOWN = 4096,
	ROW = 3 * 8,
	DESCRIPTION = 512
};

/* --- the kernel's figures */

/* Whether the process counts the monotonic clock from another moment, as in some containers. */
static bool same_clock(pid_t pid)
{
	char path[64], ours[64] = "", theirs[64] = "";
	snprintf(path, sizeof path, "/proc/%ld/ns/time", (long)pid);
	ssize_t n = readlink(path, theirs, sizeof theirs - 1);
	ssize_t m = readlink("/proc/self/ns/time", ours, sizeof ours - 1);
	return n < 0 || m < 0 || strcmp(ours, theirs) == 0;
}

bool pv_thread_times_open(struct pv_thread_times *ret, pid_t pid)
{
	char path[64];
	memset(ret, 0, sizeof *ret);
	if (!same_clock(pid))
		return false;
	snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
	ret->inner = pv_foreign_inner_pid(pid) != pid;
	ret->task = opendir(path);
	return ret->task != NULL;
}

void pv_thread_times_close(struct pv_thread_times *t)
{
	if (t->task)
		closedir(t->task);
	t->task = NULL;
	pv_map_finish(&t->inner_of);
}

static bool read_text(const struct pv_thread_times *t, const char *thread, const char *what,
	char *to, size_t room)
{
	char path[64];
	if ((size_t)snprintf(path, sizeof path, "%s/%s", thread, what) >= sizeof path)
		return false;
	int fd = openat(dirfd(t->task), path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, to, room - 1);
	if (fd >= 0)
		close(fd);
	to[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* Of field 14 and 15 of stat, in ticks. */
static bool read_ticks(const struct pv_thread_times *t, const char *thread, uint64_t *ret_ran)
{
	char text[1024];
	if (!read_text(t, thread, "stat", text, sizeof text) || !pv_stat_find(text, PV_STAT_SYSTEM))
		return false;
	uint64_t ticks = pv_stat_number(text, PV_STAT_USER) + pv_stat_number(text, PV_STAT_SYSTEM);
	*ret_ran = ticks * 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	return true;
}

static bool read_ran(const struct pv_thread_times *t, const char *thread, struct pv_thread_time *to)
{
	char text[128], *end;
	struct timespec now;
	bool has = read_text(t, thread, "schedstat", text, sizeof text);
	if (has) {
		to->ran = strtoull(text, &end, 10);
		to->queued = strtoull(end, NULL, 10);
	}
	if (!has && !read_ticks(t, thread, &to->ran))
		return false;
	clock_gettime(CLOCK_MONOTONIC, &now);
	to->time = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	return true;
}

/* The thread's number in its own namespace, the last of NSpid. */
static uint32_t inner_number(struct pv_thread_times *t, const char *thread, uint32_t outer)
{
	char text[4096];
	uint32_t known = pv_map_get(&t->inner_of, outer);
	if (known != PV_MAP_NONE)
		return known;
	long said =
		read_text(t, thread, "status", text, sizeof text) ? pv_status_innermost(text) : 0;
	uint32_t inner = said ? (uint32_t)said : outer;
	if (t->inner_of.n >= MOST_KNOWN) /* most of them have ended */
		pv_map_clear(&t->inner_of);
	(void)pv_map_set(&t->inner_of, outer, inner);
	return inner;
}

static void read_all_times(struct pv_thread_times *t)
{
	t->n = 0;
	rewinddir(t->task);
	for (const struct dirent *e; t->n < PV_THREAD_TIMES_MOST && (e = readdir(t->task));) {
		struct pv_thread_time *row = &t->row[t->n];
		*row = (struct pv_thread_time){ .thread = (uint32_t)strtoul(e->d_name, NULL, 10) };
		if (!row->thread || !read_ran(t, e->d_name, row))
			continue;
		if (t->inner)
			row->thread = inner_number(t, e->d_name, row->thread);
		t->n++;
	}
}

void pv_thread_times_read(struct pv_thread_times *t)
{
	int64_t from = pv_patience_now_ms();
	if (!t->task || from < t->next_ms)
		return;
	read_all_times(t);
	int64_t to = pv_patience_now_ms(), gap = DEAREST * (to - from);
	t->next_ms = from + (gap > PV_THREAD_TIMES_MS ? gap : PV_THREAD_TIMES_MS);
	t->pending = t->n > 0;
}

void pv_thread_times_begin(struct pv_thread_times *t)
{
	t->described = false;
	t->written = 0;
	t->next_ms = 0;
	pv_thread_times_read(t);
}

/* --- and the stream's */

/* An object around the body, padded in its head so that the whole can be put into the stream. */
static uint8_t *put_block(uint8_t *to, const char *name, uint64_t time, const uint8_t *events,
	size_t n, uint64_t offset)
{
	unsigned more = (unsigned)(offset - 1 - PV_EVENT_HEAD - n) % 4;
	to = pv_event_put_object(to, name, 2, PV_EVENT_HEAD + more + n, offset);
	to = pv_event_put_head(to, time, more);
	memcpy(to, events, n);
	to += n;
	*to++ = PV_EVENT_OBJECT_END;
	return to;
}

/*
 * Described as an event of the sampler's, without a name and fields: tools that sum up the time of
 * threads pass over unknown events of known providers, while other providers' events become rows
 * among the methods.
 */
static uint8_t *put_description(uint8_t *to, uint64_t time, uint64_t offset)
{
	static const char provider[] = "Microsoft-DotNETCore-SampleProfiler";
	uint8_t payload[DESCRIPTION], event[DESCRIPTION + 16], *at = pv_put_u32(payload, KIND);
	at = pv_event_put_wide(at, provider, sizeof provider - 1);
	at = pv_put_u32(at, ID);
	at = pv_event_put_wide(at, "", 0);
	at = pv_put_u64(at, 0); /* keywords */
	at = pv_put_u32(at, 0); /* version */
	at = pv_put_u32(at, 4); /* level */
	at = pv_put_u32(at, 0); /* fields: thread, ns running, ns waiting for a processor */
	size_t n = (size_t)(at - payload);
	at = event;
	*at++ = 0x80; /* with its length */
	*at++ = 0;    /* time */
	at = pv_put_uleb(at, n);
	memcpy(at, payload, n);
	return put_block(to, "MetadataBlock", time, event, (size_t)(at - event) + n, offset);
}

static uint8_t *put_thread_time(
	struct pv_thread_times *t, uint8_t *to, const struct pv_thread_time *row, uint64_t before)
{
	bool first = before == 0;
	*to++ = first ? 0x87 : 0x04; /* kind, writer, thread, length; or the thread */
	if (first) {
		to = pv_put_uleb(to, KIND);
		to = pv_put_uleb(to, t->written);
		to = pv_put_uleb(to, WRITER);
		*to++ = 0; /* processor */
	}
	to = pv_put_uleb(to, row->thread);
	to = pv_put_uleb(to, row->time - before);
	if (first)
		to = pv_put_uleb(to, ROW);
	to = pv_put_u64(to, row->thread);
	to = pv_put_u64(to, row->ran);
	t->written++;
	return pv_put_u64(to, row->queued);
}

size_t pv_thread_times_put(struct pv_thread_times *t, uint8_t *to, uint64_t offset)
{
	static uint8_t events[PV_THREAD_TIMES_MOST * (ROW + 20)];
	uint8_t *at = to, *row = events;
	uint64_t before = 0;
	if (!t->pending)
		return 0;
	t->pending = false;
	if (!t->described)
		at = put_description(at, t->row[0].time, offset);
	t->described = true;
	for (size_t i = 0; i < t->n; i++) {
		row = put_thread_time(t, row, &t->row[i], before);
		before = t->row[i].time;
	}
	at = put_block(at, "EventBlock", t->row[0].time, events, (size_t)(row - events),
		offset + (uint64_t)(at - to));
	return (size_t)(at - to);
}
