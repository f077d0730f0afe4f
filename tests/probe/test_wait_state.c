/* SPDX-License-Identifier: MIT */
/* Waits of other threads as /proc has them, and their stacks. */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/status.h"
#include "probe/unwind/stack_copy.h"
#include "probe/unwind/unwind_set.h"
#include "probe/code/wait_state.h"
#include "tests/kit/suite.h"

static const struct {
	const char *line;
	bool waits;
	enum pv_wait_state state;
	uintptr_t sp, pc;
} lines[] = {
	{ "running\n", false, PV_WAIT_UNKNOWN, 0, 0 },
	{ "", false, PV_WAIT_UNKNOWN, 0, 0 },
	{ "-1 0x7ffe10 0x4010\n", true, PV_WAIT_IO, 0x7ffe10, 0x4010 }, /* a page is read */
	{ "-1", true, PV_WAIT_UNKNOWN, 0, 0 },
	{ "nonsense", true, PV_WAIT_UNKNOWN, 0, 0 },
	{ "0 0x1 0x2 0x3", true, PV_WAIT_UNKNOWN, 0x2, 0x3 },
#if defined(__x86_64__)
	{ "202 0x1 0x80 0x0 0x0 0x0 0x0 0x7ffe10 0x4010\n", true, PV_WAIT_LOCK, 0x7ffe10, 0x4010 },
	{ "0 0x3 0x7ff 0x1 0x0 0x0 0x0 0x7ffe10 0x4010\n", true, PV_WAIT_IO, 0x7ffe10, 0x4010 },
	{ "7 0x7ff 0x1 0x64 0x0 0x0 0x0 0x10 0x20\n", true, PV_WAIT_POLL, 0x10, 0x20 },
	{ "7 0x0 0x0 0x64 0x0 0x0 0x0 0x10 0x20\n", true, PV_WAIT_SLEEP, 0x10, 0x20 },
	{ "230 0x1 0x0 0x7f 0x0 0x0 0x0 0x10 0x20\n", true, PV_WAIT_SLEEP, 0x10, 0x20 },
	{ "72 0x3 0x7 0x7f 0x0 0x0 0x0 0x10 0x20\n", true, PV_WAIT_LOCK, 0x10, 0x20 },
	{ "18446744073709551615999 0x3\n", true, PV_WAIT_UNKNOWN, 0, 0 },
#endif
};

START_TEST(lines_of_the_system)
{
	struct pvp_waiting w = pvp_waiting_of_line(lines[_i].line);
	ck_assert_int_eq(w.waits, lines[_i].waits);
	ck_assert_int_eq(w.state, lines[_i].state);
	ck_assert_uint_eq(w.sp, lines[_i].sp);
	ck_assert_uint_eq(w.pc, lines[_i].pc);
}
END_TEST

/* ---- a thread that waits */

static int tunnel[2];
static sem_t ready, never;
static pid_t tid;

static void in_read(void)
{
	char c;
	ck_assert_int_eq(read(tunnel[0], &c, 1), 1);
}

static void in_poll(void)
{
	struct pollfd p = { tunnel[0], POLLIN, 0 };
	poll(&p, 1, -1);
}

static void in_select(void)
{
	fd_set set;
	FD_ZERO(&set);
	FD_SET(tunnel[0], &set);
	select(tunnel[0] + 1, &set, NULL, NULL, NULL);
}

static void in_epoll(void)
{
	struct epoll_event e = { .events = EPOLLIN };
	int fd = epoll_create1(EPOLL_CLOEXEC);
	epoll_ctl(fd, EPOLL_CTL_ADD, tunnel[0], &e);
	epoll_wait(fd, &e, 1, -1);
	close(fd);
}

static void in_sem(void)
{
	while (sem_wait(&never) != 0)
		;
}

static const struct {
	void (*wait)(void);
	enum pv_wait_state state;
} waits[] = { { in_read, PV_WAIT_IO }, { in_poll, PV_WAIT_POLL }, { in_select, PV_WAIT_POLL },
	{ in_epoll, PV_WAIT_POLL }, { in_sem, PV_WAIT_LOCK } };

static __attribute__((noinline)) void begins(void (*wait)(void))
{
	wait();
	__asm__ volatile("" ::: "memory"); /* no jump: it is to have a frame */
}

static void *waiting(void *which)
{
	tid = (pid_t)syscall(SYS_gettid);
	sem_post(&ready);
	begins(waits[*(int *)which].wait);
	return NULL;
}

static bool is_in(const uint64_t *frames, unsigned n, void (*function)(void))
{
	uint64_t start, size;
	for (unsigned i = 0; i < n; i++)
		if (pvp_unwind_function_at(frames[i] - 1, &start, &size) &&
			start == (uint64_t)(uintptr_t)function)
			return true;
	return false;
}

START_TEST(a_wait_is_seen_with_its_stack)
{
	pthread_t thread;
	struct pvp_waiting w = { .waits = false };
	uint64_t frames[64], before, after;
	struct pvp_walk_stop stop = { .end = PVP_WALK_ENDS };
	ck_assert_int_eq(pipe(tunnel), 0);
	sem_init(&ready, 0, 0);
	sem_init(&never, 0, 0);
	ck_assert(pvp_stack_copy_init());
	pvp_unwind_refresh();
	pthread_create(&thread, NULL, waiting, &_i);
	sem_wait(&ready);
	while (!w.waits || w.state != waits[_i].state) /* it is on its way */
		w = pvp_waiting_look(tid);
	ck_assert(pvp_thread_time(tid, &before));
	unsigned n = pvp_stack_copy_walk(w.pc, w.sp, frames, 64, &stop);
	ck_assert(pvp_thread_time(tid, &after));
	ck_assert_uint_eq(before, after);
	ck_assert_uint_gt(n, 0);
#ifndef __SANITIZE_ADDRESS__ /* its own calls stand between, and not all can be walked */
	ck_assert_int_eq(stop.end, PVP_WALK_WHOLE);
	ck_assert(is_in(frames, n, waits[_i].wait));
	ck_assert(is_in(frames, n, (void (*)(void))(uintptr_t)begins));
#endif
	ck_assert_int_eq(write(tunnel[1], "x", 1), 1);
	sem_post(&never);
	pthread_join(thread, NULL);
	while (pvp_thread_time(tid, &after)) /* joined a moment before the kernel lets go of it */
		sched_yield();
	ck_assert(!pvp_waiting_look(tid).waits);
	pvp_unwind_finish();
}
END_TEST

START_TEST(bad_stack_pointers)
{
	static const uintptr_t bad[] = { 0, 8, 1, UINTPTR_MAX, UINTPTR_MAX - 7,
		0xffff800000000000 };
	uint64_t frames[8];
	struct pvp_walk_stop stop;
	ck_assert(pvp_stack_copy_init());
	for (size_t i = 0; i < PV_COUNT_OF(bad); i++) {
		ck_assert_uint_eq(pvp_stack_copy_walk(0x4010, bad[i], frames, 8, &stop), 0);
		ck_assert_int_eq(stop.end, PVP_WALK_UNREADABLE);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("waits");
	TCase *c = tcase_create("waits");
	tcase_add_loop_test(c, lines_of_the_system, 0, (int)PV_COUNT_OF(lines));
	tcase_add_loop_test(c, a_wait_is_seen_with_its_stack, 0, (int)PV_COUNT_OF(waits));
	tcase_add_test(c, bad_stack_pointers);
	suite_add_tcase(s, c);
	return run_suite(s);
}
