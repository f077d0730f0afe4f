/*
 * Child processes that the program started and that this log therefore does not hold: how many, at
 * least. Children of fork() are counted by themselves, exactly; others (posix_spawn, system, vfork,
 * clone) are seen by looking: one that comes and goes between two checks, among others, is not.
 */
#ifndef PV_PROBE_CHILDREN_H
#define PV_PROBE_CHILDREN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct pvp_writer;

enum { PVP_CHILDREN = 1024 }; /* alive at one time; further ones are not distinguished */

struct pvp_child {
	pid_t pid;
	bool there; /* met in this look */
	bool fresh; /* not counted yet: it may be on its way out of fork() */
};

/* Private to children.c; the writer's. Zeros to begin with. */
struct pvp_children {
	struct pvp_child known[PVP_CHILDREN];
	uint32_t n;
	bool blind, crowded;          /* blind: the system lists no children */
	bool gone, gone_before;       /* a known one is reaped: in this look, in the last */
	uint64_t forks, forks_before; /* as of the last look, of the one before */
	uint64_t others;              /* counted, and not of fork() */
	uint64_t usage;               /* changes when a child is reaped */
	uint64_t cpu_before, cpu;     /* us: of those reaped before the session, of all */
	uint64_t next_ns;             /* no look before */
	bool described;
	uint64_t written[3];
};

/* --- the session's, under its lock --- */

/* Begins to count what fork() makes; ends. */
void pvp_children_begin(void);
void pvp_children_end(void);
/* In a child of fork: counts it; and once it records into a log of its own. */
void pvp_children_forked(void);
void pvp_children_records(void);

/* --- the writer's --- */

/* When the session begins: children that were waited for before are none of this log's. */
void pvp_children_look_first(struct pvp_children *c);
/* Checks, if it is time, and reports new ones. */
void pvp_children_tell(struct pvp_writer *w);
/* A new reader has nothing yet. */
void pvp_children_again(struct pvp_children *c);

#endif
