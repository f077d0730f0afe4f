/* SPDX-License-Identifier: MIT */
/*
 * Mono's sampler sleeps by the clock of the process's time, checked by the kernel only at its
 * ticks: asked for 1000 samples a second it meets a thread 250 times, and each sample counts as
 * four, so there is a quarter of the evidence. Above the ticks each thread has its own timer, too.
 * The timer sends the signal of Mono's sampler, so the runtime's handler, which knows its threads,
 * asks for the sample as usual; the thread's clock counts the samples due, for either source of the
 * signal (mono_samples.c).
 */
#include "probe/mono/mono_timer.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <ucontext.h>

#include "probe/code/sample_rings.h"
#include "probe/ground/sample_rate.h"

static _Atomic int number; /* of the runtime's signal; 0: unknown, -1: not available */
static _Atomic unsigned hz, changes;
static struct sigaction theirs; /* set before ours is */

/* ---- in the signal's handler */

void pvp_mono_timer_learn(const void *context)
{
	const ucontext_t *u = context;
	sigset_t now;
	int found = 0, more = 0;
	if (atomic_load_explicit(&number, memory_order_relaxed) ||
		pthread_sigmask(SIG_BLOCK, NULL, &now) != 0)
		return;
	for (int n = 1; n <= SIGRTMAX; n++) {
		if (sigismember(&now, n) != 1 || sigismember(&u->uc_sigmask, n) == 1)
			continue;
		more += found != 0;
		found = n;
	}
	/* The signal blocked now, but not in the interrupted code, is the present signal. */
	atomic_store(&number, more == 0 && found >= SIGRTMIN ? found : -1);
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	struct pvp_ring *r =
		atomic_load_explicit(&hz, memory_order_relaxed) ? pvp_ring_of_signal(info) : NULL;
	int before = errno;
	if (r)
		pvp_sample_timer_due(&r->timer);
	errno = before;
	theirs.sa_sigaction(signal, info, context);
}

/* ---- any thread's */

void pvp_mono_timer_rate(unsigned rate)
{
	atomic_store(&hz, pvp_sample_by_ticks(rate) < rate ? rate : 0);
	atomic_fetch_add(&changes, 1);
}

void pvp_mono_timer_stop(void)
{
	atomic_store(&hz, 0);
	pvp_rings_stop();
}

void pvp_mono_timer_forget(void)
{
	atomic_store(&hz, 0);
	pvp_rings_forget();
}

/* ---- the writer's */

/* Puts on_signal() in front of the runtime's handler, which stays. */
static bool chain(int signal)
{
	static bool done;
	if (done)
		return true;
	if (sigaction(signal, NULL, &theirs) != 0 || !(theirs.sa_flags & SA_SIGINFO))
		return false;
	struct sigaction ours = theirs;
	ours.sa_sigaction = on_signal;
	done = sigaction(signal, &ours, NULL) == 0;
	return done;
}

void pvp_mono_timer_round(const struct pvp_writer *w)
{
	static unsigned seen;
	int signal = atomic_load(&number);
	unsigned rate = atomic_load(&hz);
	if (signal <= 0 || (!rate && !pvp_rings_first()))
		return;
	if (rate && (!pvp_sample_by_perf(rate) || !chain(signal)))
		rate = 0;
	bool changed = !pvp_rings_watch();
	unsigned now = atomic_load(&changes);
	if (now != seen)
		changed = pvp_rings_set(rate, signal) == 0;
	seen = now;
	for (struct pvp_ring *r = pvp_rings_first(); r; r = r->next)
		pvp_ring_update(r, changed);
	if (rate)
		pvp_rings_look((pid_t)w->tid, false);
}
