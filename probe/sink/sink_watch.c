/* SPDX-License-Identifier: MIT */
/*
 * A pipe with a reader replaced between two checks never seems to lack a reader. The system reports
 * each open and close of the pipe: after the last close the next opener is new.
 */
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "probe/sink/sink.h"

enum { NAME = 64, ROOM = 4096 };

/* Programs close descriptors they do not know, and get their numbers for others. */
static bool still_ours(const struct pvp_sink *s)
{
	static const char is[] = "anon_inode:inotify";
	char path[NAME], name[NAME];
	snprintf(path, sizeof path, "/proc/self/fd/%d", s->watch);
	ssize_t n = s->watch < 0 ? -1 : readlink(path, name, sizeof name);
	return n == (ssize_t)sizeof is - 1 && memcmp(name, is, sizeof is - 1) == 0;
}

void pvp_sink_unwatch(struct pvp_sink *s)
{
	if (still_ours(s))
		close(s->watch);
	s->watch = -1;
}

void pvp_sink_watch(struct pvp_sink *s)
{
	char path[NAME];
	pvp_sink_unwatch(s);
	s->readers = 1;
	s->watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (s->watch < 0)
		return;
	s->watch = pvp_sink_move_up(s->watch);
	snprintf(path, sizeof path, "/proc/self/fd/%d", s->fd);
	if (inotify_add_watch(s->watch, path, IN_OPEN | IN_CLOSE) < 0)
		pvp_sink_unwatch(s);
}

/* A process that opens the pipe for writing, and finds the lock taken, closes the pipe again. */
static bool note_reader(struct pvp_sink *s, uint32_t mask)
{
	if (mask & IN_CLOSE) {
		s->readers -= s->readers > 0;
		return false;
	}
	return mask & IN_OPEN && s->readers++ == 0;
}

bool pvp_sink_replaced(struct pvp_sink *s)
{
	_Alignas(struct inotify_event) char bytes[ROOM];
	bool replaced = false;
	ssize_t n = 0;
	while (still_ours(s) && (n = read(s->watch, bytes, sizeof bytes)) > 0) {
		for (ssize_t at = 0; at < n;) {
			struct inotify_event e;
			memcpy(&e, bytes + at, sizeof e);
			at += (ssize_t)(sizeof e + e.len);
			replaced |= note_reader(s, e.mask);
		}
	}
	return replaced;
}
