/* SPDX-License-Identifier: MIT */
/* Stops of all threads and those that they hold, as runtimes tell of them. */
#include <pthread.h>
#include <unistd.h>

#include "probe/unwind/own_memory.h"
#include "probe/code/call_code.h"
#include "probe/code/wait_held.h"
#include "probe/code/world_stop.h"
#include "probe/ground/probe_clock.h"
#include "tests/kit/suite.h"

enum { ONE = 4711, OTHER = 4712, STOPPER = 99 };

START_TEST(steps_of_a_stop)
{
	uint64_t first, second;
	ck_assert_uint_eq(pvp_world_stop(), 0);
	pvp_world_is(PVP_WORLD_STOPS, STOPPER);
	first = pvp_world_stop();
	ck_assert_uint_ne(first, 0);
	ck_assert(!pvp_world_is_still(first));
	pvp_world_is(PVP_WORLD_STOPPED, STOPPER);
	second = pvp_world_stop();
	ck_assert_uint_ne(second, first);
	ck_assert(pvp_world_is_still(second));
	pvp_world_is(PVP_WORLD_STARTS, STOPPER);
	ck_assert(!pvp_world_is_still(pvp_world_stop()));
	pvp_world_is(PVP_WORLD_RUNS, STOPPER);
	ck_assert_uint_eq(pvp_world_stop(), 0);
	pvp_world_is(PVP_WORLD_STOPPED, STOPPER); /* a step is left out */
	ck_assert(pvp_world_is_still(pvp_world_stop()));
	ck_assert_uint_ne(pvp_world_stop(), second);
	pvp_world_forget();
}
END_TEST

START_TEST(who_stops)
{
	pvp_world_is(PVP_WORLD_STOPPED, STOPPER);
	ck_assert(!pvp_world_has(ONE));
	pvp_world_joins(ONE);
	pvp_world_joins(STOPPER);
	ck_assert(pvp_world_has(ONE));
	ck_assert(!pvp_world_has(STOPPER));
	pvp_world_leaves(ONE);
	ck_assert(!pvp_world_has(ONE));
	pvp_world_forget();
	ck_assert(!pvp_world_has(STOPPER));
}
END_TEST

START_TEST(how_long_it_is_held)
{
	bool held;
	ck_assert(!pvp_world_is_exact());
	ck_assert_uint_eq(pvp_world_held(ONE, pvp_monotonic(), &held), 0);
	ck_assert(!held);
	uint64_t before = pvp_monotonic();
	pvp_world_holds(ONE);
	uint64_t in = pvp_monotonic();
	ck_assert(pvp_world_is_exact());
	while (pvp_monotonic() - in < 1000)
		;
	uint64_t now = pvp_monotonic(), so_far = pvp_world_held(ONE, now, &held);
	ck_assert(held);
	ck_assert_uint_ge(so_far, now - in);
	ck_assert_uint_le(so_far, now - before);
	uint64_t out = pvp_monotonic();
	pvp_world_lets_go(ONE);
	uint64_t all = pvp_world_held(ONE, pvp_monotonic() + 1000000, &held);
	ck_assert(!held);
	ck_assert_uint_ge(all, out - in);
	ck_assert_uint_le(all, pvp_monotonic() - before);
	ck_assert_uint_eq(pvp_world_held(OTHER, out, &held), 0);
	pvp_world_lets_go(OTHER); /* never held */
	pvp_world_leaves(ONE);
	ck_assert_uint_eq(pvp_world_held(ONE, out, &held), 0);
	pvp_world_forget();
}
END_TEST

START_TEST(more_threads_than_places)
{
	enum { MANY = 3000 };
	bool held;
	for (pid_t tid = 1; tid <= MANY; tid++)
		pvp_world_holds(tid);
	unsigned known = 0;
	for (pid_t tid = 1; tid <= MANY; tid++) {
		pvp_world_held(tid, UINT64_MAX, &held);
		known += held;
	}
	ck_assert_uint_eq(known, 1024);
	pvp_world_forget();
}
END_TEST

/* The way into the kernel is learnt when all are stopped, and known before and after. */
START_TEST(places_are_learnt_in_stops)
{
	enum { FRAMES = 5 };
	const uint64_t held[FRAMES] = { 0x10010, 0x10020, 0x10030, 0x10040, 0x10050 };
	const uint64_t lock[FRAMES] = { 0x10010, 0x10020, 0x20030, 0x20040, 0x10050 };
	const struct pvp_waiting w = { .waits = true, .state = PV_WAIT_LOCK, .in_futex = true };
	const struct pvp_waiting io = { .waits = true, .state = PV_WAIT_IO };
	pvp_world_joins(ONE);
	ck_assert_int_eq(
		pvp_wait_state_in_stop(ONE, &w, held, FRAMES, PV_WAIT_LOCK, 0), PV_WAIT_LOCK);
	pvp_world_is(PVP_WORLD_STOPS, STOPPER);
	uint64_t at = pvp_world_stop();
	ck_assert_int_eq(
		pvp_wait_state_in_stop(ONE, &w, held, FRAMES, PV_WAIT_LOCK, at), PV_WAIT_LOCK);
	pvp_world_is(PVP_WORLD_STOPPED, STOPPER); /* looked at when it was not yet */
	ck_assert_int_eq(
		pvp_wait_state_in_stop(ONE, &w, held, FRAMES, PV_WAIT_LOCK, at), PV_WAIT_LOCK);
	at = pvp_world_stop();
	ck_assert_int_eq(
		pvp_wait_state_in_stop(OTHER, &w, held, FRAMES, PV_WAIT_LOCK, at), PV_WAIT_LOCK);
	ck_assert_int_eq(
		pvp_wait_state_in_stop(ONE, &io, held, FRAMES, PV_WAIT_LOCK, at), PV_WAIT_IO);
	ck_assert_int_eq(pvp_wait_state_in_stop(ONE, &w, held, 1, PV_WAIT_LOCK, at), PV_WAIT_LOCK);
	ck_assert_int_eq(
		pvp_wait_state_in_stop(ONE, &w, held, FRAMES, PV_WAIT_LOCK, at), PV_WAIT_GC);
	pvp_world_is(PVP_WORLD_STARTS, STOPPER);
	at = pvp_world_stop();
	ck_assert_int_eq(
		pvp_wait_state_in_stop(ONE, &w, held, FRAMES, PV_WAIT_LOCK, at), PV_WAIT_GC);
	ck_assert_int_eq(
		pvp_wait_state_in_stop(ONE, &w, lock, FRAMES, PV_WAIT_LOCK, at), PV_WAIT_LOCK);
	pvp_world_is(PVP_WORLD_RUNS, STOPPER);
	ck_assert_int_eq(
		pvp_wait_state_in_stop(ONE, &w, held, FRAMES, PV_WAIT_LOCK, at), PV_WAIT_LOCK);
	pvp_world_forget();
}
END_TEST

/* In the handler of the runtime's signal: it was in a system call, or in code. */
START_TEST(handlers_in_stops)
{
	/* Instructions that do nothing, a system call in their midst. */
#if defined(__aarch64__)
	static const uint8_t code[] = { 0x1f, 0x20, 0x03, 0xd5, 0x1f, 0x20, 0x03, 0xd5, 0x01, 0x00,
		0x00, 0xd4, 0x1f, 0x20, 0x03, 0xd5, 0x1f, 0x20, 0x03, 0xd5 };
	enum { CALL = 8, BYTES = 4, FRAMES = 5, MET = 3 };
#else
	static const uint8_t code[] = { 0x90, 0x90, 0x90, 0x90, 0x0f, 0x05, 0x90, 0x90, 0x90,
		0x90 };
	enum { CALL = 4, BYTES = 2, FRAMES = 5, MET = 3 };
#endif
	const struct pvp_waiting w = { .waits = true, .state = PV_WAIT_LOCK, .in_handler = true };
	const uint64_t start = (uint64_t)(uintptr_t)code;
	uint8_t byte;
	if (pvp_memory_some(&byte, start, sizeof byte) < 0)
		pvp_memory_by_file(true); /* qemu-user has no process_vm_readv() */
	pvp_world_joins(ONE);
	pvp_world_is(PVP_WORLD_STOPPED, STOPPER);
	uint64_t stop = pvp_world_stop();
	/* The handler, what it returns to, the place that the signal met, and a caller. */
	uint64_t frames[FRAMES] = { 0x10010, 0x10020, (uintptr_t)pvp_sigreturn_code, 0, 0x10030 };
	for (unsigned after = 0; after <= BYTES;
		after += BYTES) { /* it begins again, or has ended */
		frames[MET] = start + CALL + after + 1;
		ck_assert_int_eq(pvp_wait_state_in_stop(ONE, &w, frames, FRAMES, PV_WAIT_IO, stop),
			PV_WAIT_IO);
	}
	frames[MET] = start + CALL - BYTES + 1;
	frames[FRAMES - 1] = start + CALL + 1; /* of a caller it says nothing */
	ck_assert_int_eq(
		pvp_wait_state_in_stop(ONE, &w, frames, FRAMES, PV_WAIT_IO, stop), PV_WAIT_GC);
	pvp_world_forget();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("stops");
	TCase *c = tcase_create("stops");
	tcase_add_test(c, steps_of_a_stop);
	tcase_add_test(c, who_stops);
	tcase_add_test(c, how_long_it_is_held);
	tcase_add_test(c, more_threads_than_places);
	tcase_add_test(c, places_are_learnt_in_stops);
	tcase_add_test(c, handlers_in_stops);
	suite_add_tcase(s, c);
	return run_suite(s);
}
