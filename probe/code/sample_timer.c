/* SPDX-License-Identifier: MIT */
/* A thread's timer for samples: a POSIX timer or a perf event, and the samples due. */
#include "probe/code/sample_timer.h"

#include "probe/ground/perf_clock.h"
#include "probe/ground/probe_clock.h"
#include "probe/ground/sample_rate.h"

#ifndef sigev_notify_thread_id /* as in timer_create(2); glibc only has the field */
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { SECOND = 1000000000 };

/* The clock of another thread's processor time, by the kernel's own numbering. */
static clockid_t clock_of(pid_t tid)
{
	enum { THREAD = 4, SCHEDULER = 2 };
	return (clockid_t)(~(unsigned)tid << 3 | THREAD | SCHEDULER);
}

/* Evenly below `n`. */
static uint64_t random_below(uint64_t n)
{
	static uint64_t state;
	if (!state)
		state = pvp_monotonic() | 1;
	uint64_t x = state += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint64_t)((unsigned __int128)(x ^ x >> 31) * n >> 64);
}

static struct timespec span(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / SECOND), (long)(ns % SECOND) };
}

static int64_t clock_time(clockid_t clock)
{
	struct timespec t;
	return clock_gettime(clock, &t) == 0 ? t.tv_sec * (int64_t)SECOND + t.tv_nsec : 0;
}

/* Makes the timer, stopped. */
static bool make_by_ticks(struct pvp_sample_timer *t, const struct pvp_sample_wish *w)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = w->signal,
		.sigev_value.sival_ptr = w->token };
	t->period = SECOND / pvp_sample_by_ticks(w->hz);
	t->credit = (int64_t)random_below(t->period) + w->extra;
	if (!w->begins)
		t->credit -= clock_time(clock_of(w->tid));
	e.sigev_notify_thread_id = w->tid;
	return timer_create(clock_of(w->tid), &e, &t->timer) == 0;
}

/* The first sample may be due already. */
static void run_by_ticks(struct pvp_sample_timer *t, pid_t tid)
{
	int64_t first = (int64_t)t->period - clock_time(clock_of(tid)) - t->credit;
	const struct itimerspec every = { span(t->period), span(first > 0 ? (uint64_t)first : 1) };
	timer_settime(t->timer, 0, &every, NULL);
}

bool pvp_sample_timer_make(struct pvp_sample_timer *t, const struct pvp_sample_wish *w)
{
	t->started = false;
	t->given = 0;
	t->period = SECOND / w->hz;
	int fd = -1;
	if (pvp_sample_by_perf(w->hz))
		fd = pvp_perf_open(w->tid, 1 + random_below(t->period), w->signal);
	atomic_store(&t->fd, fd);
	return fd >= 0 || make_by_ticks(t, w);
}

void pvp_sample_timer_run(struct pvp_sample_timer *t, pid_t tid)
{
	int fd = atomic_load_explicit(&t->fd, memory_order_relaxed);
	if (fd < 0)
		run_by_ticks(t, tid);
	else
		pvp_perf_next(fd);
}

static int64_t counted(const struct pvp_sample_timer *t)
{
	return (int64_t)(t->given * t->period);
}

int64_t pvp_sample_timer_uncounted(const struct pvp_sample_timer *t)
{
	if (atomic_load_explicit(&t->fd, memory_order_relaxed) >= 0)
		return 0;
	return clock_time(CLOCK_THREAD_CPUTIME_ID) + t->credit - counted(t);
}

/* By the clock: the signal comes at the next tick, and counts for all periods ended before. */
static uint32_t due_by_clock(struct pvp_sample_timer *t)
{
	int64_t have = pvp_sample_timer_uncounted(t);
	uint64_t due = have > 0 ? (uint64_t)have / t->period : 0;
	t->given += due;
	return (uint32_t)(due < PVP_SAMPLE_TIMES ? due : PVP_SAMPLE_TIMES);
}

uint32_t pvp_sample_timer_due(struct pvp_sample_timer *t)
{
	int fd = atomic_load_explicit(&t->fd, memory_order_relaxed);
	if (fd < 0)
		return due_by_clock(t);
	if (!t->started)
		pvp_perf_period(fd, t->period);
	t->started = true;
	pvp_perf_next(fd);
	return 1;
}

bool pvp_sample_timer_lives(struct pvp_sample_timer *t, pid_t tid, int signal)
{
	int fd = atomic_load_explicit(&t->fd, memory_order_relaxed);
	return fd < 0 || pvp_perf_is_open(fd, tid, signal);
}

void pvp_sample_timer_disarm(struct pvp_sample_timer *t, pid_t tid, int signal)
{
	int fd = atomic_exchange(&t->fd, -1);
	if (fd >= 0)
		pvp_perf_close(fd, tid, signal);
	else
		timer_delete(t->timer);
}

void pvp_sample_timer_forget(struct pvp_sample_timer *t)
{
	int fd = atomic_exchange(&t->fd, -1);
	if (fd >= 0)
		pvp_perf_forget(fd);
}
