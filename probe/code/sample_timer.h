/* SPDX-License-Identifier: MIT */
/*
 * A thread's timer for samples: a POSIX timer of the thread's processor time, checked by the kernel
 * only at its ticks; for higher rates a perf event of the thread's own code, if the system allows
 * it (sample_rate.h). Neither cuts a wait short.
 *
 * Periods begin at a random point, so that a thread shorter than a period has its share of samples:
 * on average as many as its time has periods.
 */
#ifndef PV_PROBE_SAMPLE_TIMER_H
#define PV_PROBE_SAMPLE_TIMER_H

#include <signal.h>
#include <stdbool.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

enum { PVP_SAMPLE_TIMES = 100 }; /* samples for a signal, at most */

struct pvp_sample_timer {
	_Atomic int fd; /* of the perf event; -1: by `timer` */
	timer_t timer;
	uint64_t period; /* ns */
	/* the handler's once the timer runs */
	bool started;   /* of a perf event: the first signal has come */
	uint64_t given; /* samples, by the clock */
	int64_t credit; /* ns added to the thread's clock; a sample is due each period of the sum */
};

struct pvp_sample_wish {
	pid_t tid;   /* thread of this process */
	unsigned hz; /* signals a second of the thread's processor time */
	int signal;
	void *token;   /* in siginfo.si_value of POSIX timers */
	bool begins;   /* the calling thread, just now: all its time counts */
	int64_t extra; /* ns of others' time to be counted in this thread, may be negative */
};

/*
 * For one thread at a time: makes, runs, disarms. No signal comes before pvp_sample_timer_run(), so
 * the caller can publish the timer for the handler in between. False: refused.
 */
bool pvp_sample_timer_make(struct pvp_sample_timer *t, const struct pvp_sample_wish *wish);
void pvp_sample_timer_run(struct pvp_sample_timer *t, pid_t tid);
/* Time of the calling thread, the timer's owner, not covered by samples, ns; 0 for a perf event. */
int64_t pvp_sample_timer_uncounted(const struct pvp_sample_timer *t);
/* False: the program has closed the timer's descriptor. */
bool pvp_sample_timer_lives(struct pvp_sample_timer *t, pid_t tid, int signal);
void pvp_sample_timer_disarm(struct pvp_sample_timer *t, pid_t tid, int signal);
/* In a child of fork, without timers. */
void pvp_sample_timer_forget(struct pvp_sample_timer *t);

/* In the handler: whether the signal is from this timer's perf event. */
static inline bool pvp_sample_timer_rang(const struct pvp_sample_timer *t, const siginfo_t *info)
{
	return (info->si_code == POLL_HUP || info->si_code == POLL_IN) &&
	       info->si_fd == atomic_load_explicit(&t->fd, memory_order_relaxed);
}
/* In the handler, for each signal: how many samples are due, and asking for the next. */
uint32_t pvp_sample_timer_due(struct pvp_sample_timer *t);

#endif
