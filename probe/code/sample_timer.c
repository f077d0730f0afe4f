#include "probe/code/sample_timer.h"

#include "probe/core/perf_clock.h"
#include "probe/core/sample_rate.h"

enum { SECOND = 1000000000 };

/* The clock of another thread's processor time, by the kernel's own numbering. */
static clockid_t clock_of(pid_t tid)
{
	enum { THREAD = 4, SCHEDULER = 2 };
	return (clockid_t)(~(unsigned)tid << 3 | THREAD | SCHEDULER);
}

static bool arm_by_ticks(
	struct pvp_sample_timer *t, pid_t tid, unsigned hz, int signal, void *token)
{
	unsigned rate = pvp_sample_by_ticks(hz);
	struct sigevent e = { .sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = signal,
		.sigev_value.sival_ptr = token };
	struct itimerspec every = { .it_interval.tv_sec = rate == 1,
		.it_interval.tv_nsec = rate == 1 ? 0 : SECOND / (long)rate };
	every.it_value = every.it_interval;
	e._sigev_un._tid = tid;
	if (timer_create(clock_of(tid), &e, &t->timer) != 0)
		return false;
	timer_settime(t->timer, 0, &every, NULL);
	return true;
}

bool pvp_sample_timer_arm(
	struct pvp_sample_timer *t, pid_t tid, unsigned hz, int signal, void *token)
{
	int fd = pvp_sample_by_perf(hz) ? pvp_perf_open(tid, SECOND / hz, signal) : -1;
	atomic_store(&t->fd, fd); /* before the first signal */
	if (fd < 0)
		return arm_by_ticks(t, tid, hz, signal, token);
	pvp_perf_next(fd);
	return true;
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

void pvp_sample_timer_next(struct pvp_sample_timer *t)
{
	int fd = atomic_load_explicit(&t->fd, memory_order_relaxed);
	if (fd >= 0)
		pvp_perf_next(fd);
}
