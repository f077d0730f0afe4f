#include "probe/code/sample_timer.h"

#include "probe/core/perf_clock.h"
#include "probe/core/probe_clock.h"
#include "probe/core/sample_rate.h"

enum { SECOND = 1000000000 };

/* The clock of another thread's processor time, by the kernel's own numbering. */
static clockid_t clock_of(pid_t tid)
{
	enum { THREAD = 4, SCHEDULER = 2 };
	return (clockid_t)(~(unsigned)tid << 3 | THREAD | SCHEDULER);
}

/* Evenly below `n`. */
static uint64_t below(uint64_t n)
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

static int64_t time_of(clockid_t clock)
{
	struct timespec t;
	return clock_gettime(clock, &t) == 0 ? t.tv_sec * (int64_t)SECOND + t.tv_nsec : 0;
}

/* The first may be due already. */
static bool arm_by_ticks(struct pvp_sample_timer *t, const struct pvp_sample_wish *w)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = w->signal,
		.sigev_value.sival_ptr = w->token };
	t->period = SECOND / pvp_sample_by_ticks(w->hz);
	int64_t now = time_of(clock_of(w->tid)), period = (int64_t)t->period;
	t->credit = (int64_t)below(t->period) + w->extra - (w->begins ? 0 : now);
	int64_t first = period - now - t->credit;
	const struct itimerspec every = { span(t->period), span(first > 0 ? (uint64_t)first : 1) };
	e._sigev_un._tid = w->tid;
	if (timer_create(clock_of(w->tid), &e, &t->timer) != 0)
		return false;
	timer_settime(t->timer, 0, &every, NULL);
	return true;
}

bool pvp_sample_timer_arm(struct pvp_sample_timer *t, const struct pvp_sample_wish *w)
{
	t->started = false;
	t->given = 0;
	t->period = SECOND / w->hz;
	int fd = -1;
	if (pvp_sample_by_perf(w->hz))
		fd = pvp_perf_open(w->tid, 1 + below(t->period), w->signal);
	atomic_store(&t->fd, fd); /* before the first signal */
	if (fd < 0)
		return arm_by_ticks(t, w);
	pvp_perf_next(fd);
	return true;
}

static int64_t counted(const struct pvp_sample_timer *t)
{
	return (int64_t)(t->given * t->period);
}

int64_t pvp_sample_timer_uncounted(const struct pvp_sample_timer *t)
{
	if (atomic_load_explicit(&t->fd, memory_order_relaxed) >= 0)
		return 0;
	return time_of(CLOCK_THREAD_CPUTIME_ID) + t->credit - counted(t);
}

/* By the clock: the signal comes at the next tick, and stands for all that ran out before. */
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
