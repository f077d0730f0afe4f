/*
 * One thread's timer for samples: a POSIX timer of the thread's processor time, which the kernel
 * looks at on its ticks only; above their rate a perf event of the thread's own code, where the
 * system allows it (sample_rate.h). Neither cuts a wait short.
 */
#ifndef PV_PROBE_SAMPLE_TIMER_H
#define PV_PROBE_SAMPLE_TIMER_H

#include <signal.h>
#include <stdbool.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <time.h>

struct pvp_sample_timer {
	_Atomic int fd; /* of the perf event; -1: `timer` it is */
	timer_t timer;
};

/*
 * `signal` comes to thread `tid` of this process `hz` times a second of its processor time; `token`
 * is in siginfo.si_value of POSIX timers. Writer's thread only. False: refused.
 */
bool pvp_sample_timer_arm(
	struct pvp_sample_timer *t, pid_t tid, unsigned hz, int signal, void *token);
/* False: the program has closed its descriptor. Writer's thread only. */
bool pvp_sample_timer_lives(struct pvp_sample_timer *t, pid_t tid, int signal);
void pvp_sample_timer_disarm(struct pvp_sample_timer *t, pid_t tid, int signal);
/* In a child of fork, which has no timers. */
void pvp_sample_timer_forget(struct pvp_sample_timer *t);

/* In the handler: whether the signal is from this timer, and asking for the next. */
static inline bool pvp_sample_timer_rang(const struct pvp_sample_timer *t, const siginfo_t *info)
{
	return (info->si_code == POLL_HUP || info->si_code == POLL_IN) &&
	       info->si_fd == atomic_load_explicit(&t->fd, memory_order_relaxed);
}
void pvp_sample_timer_next(struct pvp_sample_timer *t);

#endif
