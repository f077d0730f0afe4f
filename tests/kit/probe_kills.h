/* SPDX-License-Identifier: MIT */
/*
 * How far a log ended after the program that was killed: the program says in memory that outlives
 * it what it has done and when; who kills it watches how long its writer was kept from a processor.
 */
#ifndef PV_TESTS_PROBE_KILLS_H
#define PV_TESTS_PROBE_KILLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { KILL_SAID = 1 << 14, KILL_CHECKS = 1 << 12 };

/* Shared; zeroed before each program. */
struct kill_said {
	_Atomic uint64_t writer; /* its thread */
	_Atomic uint64_t n;
	struct {
		uint64_t events, ns; /* so many had happened then, CLOCK_MONOTONIC */
	} at[KILL_SAID];             /* the n-th stands at n % KILL_SAID */
};

/* The program's: so many events have happened by now. */
void kill_say(struct kill_said *s, uint64_t events);

struct kill_watch {
	pid_t pid;
	size_t n;
	struct {
		uint64_t ns, delay; /* how long the writer had waited for a processor, in all */
	} look[KILL_CHECKS];
	uint64_t ran, ran_at; /* its processor time, and when that had last changed */
	bool ready;           /* it would run */
};

/* Examines the writer; to be called every few ms, and once just before the program is killed. */
void kill_look(struct kill_watch *w, const struct kill_said *s);

struct kill_result {
	uint64_t after_ns; /* the oldest event that the log misses happened so long before the end
			     */
	uint64_t kept_ns;  /* of that, how long the writer was kept from a processor */
};

/* The log has the first `events` of what the program did. */
struct kill_result kill_judge(
	const struct kill_watch *w, const struct kill_said *s, uint64_t killed_ns, uint64_t events);

/* Prints the distribution of results. */
void kill_print(struct kill_result *results, size_t n);

#endif
