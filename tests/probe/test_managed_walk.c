/* SPDX-License-Identifier: MIT */
/* When the runtime is asked for a stack, and whether it is believed: methods made here, in memory of no file. */
#include "tests/kit/suite.h"

#include <string.h>
#include <sys/mman.h>

#include "probe/unwind/unwind_set.h"
#include "probe/managed/managed_walk.h"

enum { PAGE = 4096, METHODS = 3, APART = 64, MOST = 8 };

static uint8_t *code; /* method k, at k * APART, is called by k + 1; its key is k + 1 */
static uint64_t given[MOST], got[MOST], where[MOST];
static size_t given_n, got_n, most;
static unsigned asked; /* the runtime */

static size_t runtime(uint64_t *keys, uint64_t *places, size_t n)
{
	asked++;
	n = given_n < n ? given_n : n;
	memcpy(keys, given, n * sizeof *keys);
	memset(places, 0, n * sizeof *places);
	return n;
}

static bool code_at(uintptr_t pc, struct pvp_managed_code *ret)
{
	uintptr_t k = (pc - (uintptr_t)code) / APART;
	if (k >= METHODS)
		return false;
	*ret = (struct pvp_managed_code){
		.start = (uintptr_t)code + k * APART, .key = k + 1, .leaves = true
	};
	return true;
}

static struct pvp_managed_walker walker = { runtime, code_at, false };

__attribute__((noinline)) static int ask(volatile int *room)
{
	got_n = pvp_managed_stack(&walker, got, where, most);
	return *room;
}

/* Native code that methods call. */
__attribute__((noinline)) static int one(void)
{
	volatile int room = 0;
	return ask(&room) + room;
}

__attribute__((noinline)) static int other(void)
{
	volatile int room = 1;
	return ask(&room) + room;
}

/* push rbp; mov rbp, rsp; mov rax, to; call rax; pop rbp; ret */
static void make(uint8_t *at, uintptr_t to)
{
	memcpy(at, "\x55\x48\x89\xe5\x48\xb8", 6);
	memcpy(at + 6, &to, sizeof to);
	memcpy(at + 14, "\xff\xd0\x5d\xc3", 4);
}

/* Through all methods; the runtime gives `n` of these keys, innermost first. */
static void stack_of(int (*native)(void), size_t asks, size_t n, const uint64_t *keys)
{
	memcpy(given, keys, n * sizeof *keys);
	given_n = n;
	most = asks;
	make(code, (uintptr_t)native);
	((int (*)(void))(uintptr_t)(code + (METHODS - 1) * APART))();
}

static void begin(void)
{
	code = mmap(
		NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(code, MAP_FAILED);
	for (unsigned k = 1; k < METHODS; k++)
		make(code + k * APART, (uintptr_t)code + (k - 1) * APART);
	pvp_unwind_refresh();
	asked = 0;
	walker.thrown = false;
}

static void end(void)
{
	pvp_managed_walk_forget();
	pvp_unwind_finish();
	munmap(code, PAGE);
}

static const uint64_t all[] = { 1, 2, 3 }, unlike[] = { 1, 2, 9 };

/* It is asked once; another caller of the same methods needs it no more. */
START_TEST(believed_once_it_agrees)
{
	stack_of(one, MOST, 3, all);
	stack_of(other, MOST, 3, unlike);
	ck_assert_uint_eq(asked, 1);
	ck_assert_uint_eq(got_n, 3);
	ck_assert(got[0] == 3 && got[1] == 2 && got[2] == 1);
	for (size_t i = 0; i < 3; i++) /* each within its method, after a call */
		ck_assert(where[i] - (uintptr_t)code - (2 - i) * APART - 1 < APART);
}
END_TEST

/* As many as were asked for, but the runtime has fewer. */
START_TEST(fewer_are_not_the_same)
{
	stack_of(one, 3, 2, all);
	ck_assert_uint_eq(got_n, 2);
	ck_assert(got[0] == 2 && got[1] == 1);
}
END_TEST

/* The walk has fewer than were asked for, the runtime as many. */
START_TEST(more_are_not_the_same)
{
	static const uint64_t more[] = { 1, 2, 3, 4 };
	stack_of(one, 4, 4, more);
	ck_assert_uint_eq(got_n, 4);
	ck_assert(got[0] == 4 && got[3] == 1);
}
END_TEST

/* Beyond the frames that were asked for nothing was compared. */
START_TEST(what_was_not_compared_is_not_believed)
{
	stack_of(one, 2, 2, all);
	ck_assert_uint_eq(got_n, 2);
	ck_assert(got[0] == 2 && got[1] == 1);
	stack_of(other, 3, 3, unlike);
	ck_assert_uint_eq(got_n, 3);
	ck_assert(got[0] == 9 && got[1] == 2);
}
END_TEST

/* The runtime is not asked where the last one leads. */
START_TEST(the_last_one_need_not_lead_on)
{
	for (size_t n = 1; n <= 2; n++) {
		asked = 0;
		stack_of(one, n, n, all);
		stack_of(other, n, n, unlike);
		ck_assert_uint_eq(asked, 1);
		ck_assert_uint_eq(got_n, n);
		pvp_managed_walk_forget();
	}
}
END_TEST

/* A throw may have left any stack: each native caller of it is compared by itself. */
START_TEST(throwing_agrees_by_its_caller)
{
	walker.thrown = true;
	stack_of(one, MOST, 3, all);
	stack_of(other, MOST, 3, unlike);
	ck_assert(got_n == 3 && got[0] == 9);
}
END_TEST

/* Other code came to its place. */
START_TEST(forgotten)
{
	stack_of(one, MOST, 3, all);
	pvp_managed_walk_forget();
	stack_of(one, MOST, 3, unlike);
	ck_assert(got_n == 3 && got[0] == 9);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("managed walk");
	TCase *c = tcase_create("managed walk");
	tcase_add_checked_fixture(c, begin, end);
	tcase_add_test(c, believed_once_it_agrees);
	tcase_add_test(c, fewer_are_not_the_same);
	tcase_add_test(c, more_are_not_the_same);
	tcase_add_test(c, what_was_not_compared_is_not_believed);
	tcase_add_test(c, the_last_one_need_not_lead_on);
	tcase_add_test(c, throwing_agrees_by_its_caller);
	tcase_add_test(c, forgotten);
	suite_add_tcase(s, c);
	return run_suite(s);
}
