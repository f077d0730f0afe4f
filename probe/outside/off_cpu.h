/* SPDX-License-Identifier: MIT */
/*
 * How long each thread of the target was off its processor, by the kernel's records of switches,
 * and in what, by visits: /proc/PID/task/TID/syscall and the stack are read once a wait, since a
 * blocked thread does not move. A wait that ends before a visit has an exact time, too; its state
 * is taken from the short waits of the thread that visits met. Visits take at most
 * PVO_VISITS_PERCENT of one processor: the more threads, the rarer are the visits to each.
 *
 * One thread makes all calls. Times are ns of CLOCK_MONOTONIC.
 */
#ifndef PV_PROBE_OUTSIDE_OFF_CPU_H
#define PV_PROBE_OUTSIDE_OFF_CPU_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/format/event.h"
#include "probe/unwind/native_walk.h"

enum { PVO_VISITS_PERCENT = 1, PVO_VISIT_MS = 10 };

struct pvo_wait {
	pid_t tid;
	uint64_t time; /* end of the time waited */
	enum pv_wait_state state;
	uint32_t times, n;  /* samples, frames; no frames: the stack is not known */
	const uint64_t *at; /* innermost first: the pc, then return addresses */
	struct pvp_walk_stop stop;
};

/* A wait for a mutex, met by a visit: handed out for the begin, then for the end, if seen. */
struct pvo_lock {
	pid_t tid, holder;
	uint64_t time;    /* of the begin, or of the end */
	uint64_t address; /* of the mutex */
	bool ends;
	uint32_t n; /* as in struct pvo_wait */
	const uint64_t *at;
};

struct pvo_hearer {
	void (*waited)(const struct pvo_wait *w);
	void (*locked)(const struct pvo_lock *l);
};

/* Counts waits from `time` on, in samples at rate `hz`. False: no memory. */
bool pvo_off_cpu_begin(unsigned hz, uint64_t time, struct pvo_hearer hearer);
void pvo_off_cpu_rate(unsigned hz);

/*
 * Records are missing: nothing is known of any thread until its next record. `exact`: switches are
 * recorded; else only visits meet waits.
 */
void pvo_off_cpu_anew(uint64_t time, bool exact);

/* Records, in the order of their times. */
void pvo_off_cpu_thread_begins(pid_t tid, uint64_t time);
void pvo_off_cpu_thread_ends(pid_t tid, uint64_t time);
void pvo_off_cpu_switch(pid_t tid, uint64_t time, bool out, bool preempted);

/*
 * Visits some threads, if due, and hands out the past part of long waits. `until`: all records
 * before this time were given. Called about every PVO_VISIT_MS.
 */
void pvo_off_cpu_visit(uint64_t until);

/* Hands out the rest, and frees all. */
void pvo_off_cpu_finish(uint64_t time);

#endif
