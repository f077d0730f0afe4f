/* SPDX-License-Identifier: MIT */
/*
 * Number, at least, of child processes that the program started and that this log lacks. Children
 * of fork() count themselves, exactly; others (posix_spawn, system, vfork, clone) are found by
 * regular checks, unless a child starts and ends between two checks while others run.
 */
#ifndef PV_PROBE_CHILDREN_H
#define PV_PROBE_CHILDREN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct pvp_host;
struct pvp_writer;

enum { PVP_CHILDREN = 1024 }; /* alive at the same time; further children are not distinguished */

struct pvp_child {
	pid_t pid;
	bool there; /* met in this look */
	bool fresh; /* not counted yet: may still be inside fork() */
};

/* Private to children.c; the writer's. Zeros to begin with. */
struct pvp_children {
	struct pvp_child known[PVP_CHILDREN];
	uint32_t n;
	bool blind, crowded;          /* blind: the system lists no children */
	bool gone, gone_before;       /* a known child was reaped: in this look, in the last */
	uint64_t forks, forks_before; /* as of the last look, of the look before */
	uint64_t others;              /* counted, and not of fork() */
	uint64_t usage;               /* changes when a child is reaped */
	uint64_t cpu_before, cpu;     /* us: of children reaped before the session, of all */
	uint64_t next_ns;             /* no look before */
	bool described;
	uint64_t written[3];
};

/* --- under the session's lock --- */

/* Begins to count children of fork(); ends. */
void pvp_children_begin(void);
void pvp_children_end(void);
/* In a child of fork: counts the child; then counts the child's own log. */
void pvp_children_forked(void);
void pvp_children_records(void);

/* --- the writer's --- */

/* At the start of a session: children waited for before do not count for this log. */
void pvp_children_look_first(struct pvp_children *c, const struct pvp_host *host);
/* Checks, if due, and reports new children. */
void pvp_children_tell(struct pvp_writer *w);
/* Writes all counters again, for a new reader. */
void pvp_children_again(struct pvp_children *c);

#endif
