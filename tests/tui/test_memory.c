/* SPDX-License-Identifier: MIT */
/*
 * A report's heap. Built twice: where large pages are always quick enough (SLOWER is much), and
 * where they never are (0).
 */
#include "tests/kit/suite.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tui/feed/memory.h"

enum { LARGE_LOG = 1 << 30, BLOCK = 100000, BLOCKS = 800, EACH = 40, MEGA = 1 << 20 };

/* Whether a page can be asked for in advance, and large ones at all. */
static bool system_can(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *v = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool can = v != MAP_FAILED && madvise(v, page, MADV_POPULATE_WRITE) == 0;
	if (v != MAP_FAILED)
		munmap(v, page);
	return can && access("/sys/kernel/mm/transparent_hugepage/enabled", F_OK) == 0;
}

/* Bytes of the heap where large pages are wanted. */
static size_t wanted_large(void)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	char line[512];
	size_t from, to, size = 0, all = 0;
	bool heap = false;
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof line, f)) {
		if (sscanf(line, "%zx-%zx ", &from, &to) == 2) {
			heap = strstr(line, "[heap]") != NULL;
			size = to - from;
		} else if (heap && strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " hg")) {
			all += size;
		}
	}
	fclose(f);
	return all;
}

static size_t resident(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	size_t all, pages;
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fscanf(f, "%zu %zu", &all, &pages), 2);
	fclose(f);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Whether the page at `at` has its memory. */
static bool is_there(const char *at)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)at & ~(page - 1);
	unsigned char in = 0;
	return mincore((void *)from, page, &in) == 0 && in & 1;
}

/* Used memory is not touched, and not much more is taken than that: `ahead`, what follows it. */
static void use(bool ahead)
{
	static char *block[BLOCKS];
	size_t before = resident();
	for (int i = 0; i < BLOCKS; i++) {
		block[i] = malloc(BLOCK);
		ck_assert_ptr_nonnull(block[i]);
		memset(block[i], i % 251 + 1, BLOCK);
		if (i % EACH == 0)
			ui_memory_ahead();
	}
	ui_memory_ahead();
	if (ahead) /* else it may be: a system can give large pages unasked */
		ck_assert(is_there(block[BLOCKS - 1] + BLOCK + 3 * MEGA));
	ck_assert_uint_le(resident(), before + (size_t)BLOCKS * BLOCK + ((size_t)10 << 20));
	for (int i = 0; i < BLOCKS; i++) {
		for (int k = 0; k < BLOCK; k++)
			if (block[i][k] != (char)(i % 251 + 1))
				ck_abort_msg("byte %d of block %d is not what was written", k, i);
		free(block[i]);
	}
}

START_TEST(a_large_log_has_large_pages_where_they_are_quick)
{
	size_t before = resident();
	ui_memory_for_once(LARGE_LOG);
	ck_assert_uint_le(resident(), before + ((size_t)8 << 20));
	size_t wanted = wanted_large();
	bool quick = UI_MEMORY_SLOWER > 0 && system_can();
	if (quick)
		ck_assert_uint_ge(wanted, (size_t)100 << 20);
	else
		ck_assert_uint_le(wanted, (size_t)2 << 20); /* the one that was tried */
	use(quick);
	ck_assert_uint_eq(wanted_large(), wanted);
}
END_TEST

START_TEST(a_small_log_has_none)
{
	ui_memory_for_once(1000);
	ui_memory_ahead();
	ck_assert_uint_eq(wanted_large(), 0);
	use(false);
	ck_assert_uint_eq(wanted_large(), 0);
}
END_TEST

START_TEST(one_that_never_asked_is_left_as_is)
{
	use(false);
	ck_assert_uint_eq(wanted_large(), 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("memory");
	TCase *t = tcase_create("memory");
	tcase_add_test(t, a_large_log_has_large_pages_where_they_are_quick);
	tcase_add_test(t, a_small_log_has_none);
	tcase_add_test(t, one_that_never_asked_is_left_as_is);
	suite_add_tcase(s, t);
	return run_suite(s);
}
