/* SPDX-License-Identifier: MIT */
/* Walking by tables: from here to main, over a signal's frame, bad registers, libraries that come
 * and go. */
#include "tests/kit/suite.h"

#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#include "probe/unwind/unwind_set.h"
#include "probe/unwind/unwind_walk.h"
#include "tests/kit/unwind_bytes.h"

enum { MOST = 64 };

/* A sanitizer by its start. */
static bool has(const char *function)
{
	return dlsym(RTLD_DEFAULT, function);
}

static struct pvp_registers at;
static uint64_t stack[MOST];
static unsigned depth;
static struct pvp_walk_stop stop;

static void walk_from(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *u = context;
	(void)signal, (void)info;
	at = (struct pvp_registers){ (uintptr_t)u->uc_mcontext.gregs[REG_RIP],
		(uintptr_t)u->uc_mcontext.gregs[REG_RSP], (uintptr_t)u->uc_mcontext.gregs[REG_RBP],
		false };
	depth = pvp_unwind_walk(&at, stack, MOST, &stop);
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction a = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	ck_assert_int_eq(sigaction(number, &a, NULL), 0);
}

static bool in(uint64_t address, const void *function)
{
	uint64_t start, size, f = (uint64_t)(uintptr_t)function;
	return pvp_unwind_function_at(f, &start, &size) && address - 1 >= start &&
	       address - 1 < start + size;
}

static unsigned met(const void *function)
{
	unsigned n = 0;
	for (unsigned i = 0; i < depth; i++)
		n += in(stack[i], function);
	return n;
}

__attribute__((noinline)) static int raise_here(volatile char *room, int number)
{
	room[0] = 1;
	return raise(number) + room[0];
}

__attribute__((noinline)) static int caller(int number)
{
	volatile char room[300] = { 0 };
	return raise_here(room, number) + room[1];
}

static void raise_again(int signal, siginfo_t *info, void *context)
{
	static volatile int sink = 0;
	(void)signal, (void)info, (void)context;
	sink = sink + caller(SIGUSR1);
}

START_TEST(to_the_end)
{
	handle(SIGUSR1, walk_from);
	pvp_unwind_refresh();
	caller(SIGUSR1);
	ck_assert_int_eq(stop.end, PVP_WALK_WHOLE);
	ck_assert_uint_eq(met((const void *)(uintptr_t)raise_here), 1);
	ck_assert_uint_eq(met((const void *)(uintptr_t)caller), 1);
	ck_assert_uint_lt(unwind_bytes(), 8 << 20);
}
END_TEST

START_TEST(over_a_signal)
{
	static char other[1 << 16];
	stack_t alternate = { .ss_sp = other, .ss_size = sizeof other };
	ck_assert_int_eq(sigaltstack(&alternate, NULL), 0);
	handle(SIGUSR1, walk_from);
	handle(SIGUSR2, raise_again);
	pvp_unwind_refresh();
	caller(SIGUSR2);
	ck_assert_int_eq(stop.end, PVP_WALK_WHOLE);
	ck_assert_uint_eq(met((const void *)(uintptr_t)raise_again), 1);
	ck_assert_uint_eq(met((const void *)(uintptr_t)raise_here), 2);
	alternate.ss_flags = SS_DISABLE;
	sigaltstack(&alternate, NULL);
}
END_TEST

/* Whatever the registers say: an end, and nothing else. */
START_TEST(any_registers)
{
	enum { ROUNDS = 200000 };
	uint64_t r = 88172645463325252;
	handle(SIGUSR1, walk_from);
	pvp_unwind_refresh();
	caller(SIGUSR1);
	const struct pvp_registers good = at;
	for (unsigned i = 0; i < ROUNDS; i++) {
		r ^= r << 13, r ^= r >> 7, r ^= r << 17;
		struct pvp_registers bad = { i & 1 ? good.pc + r % 4096 : stack[r % depth],
			i & 2 ? good.sp + r % 8192 / 8 * 8 : r, i & 4 ? good.fp + r % 4096 : r >> 7,
			(i & 24) == 24 };
		if (i % 64 == 0)
			bad.pc = r;
		ck_assert_uint_le(
			pvp_unwind_walk(&bad, stack + MOST / 2, MOST / 2, &stop), MOST / 2);
		ck_assert_int_lt(stop.end, PVP_WALK_ENDS);
	}
}
END_TEST

/* ---- stacks that are damaged or used up */

static sigjmp_buf back;

static void walk_and_return(int signal, siginfo_t *info, void *context)
{
	walk_from(signal, info, context);
	siglongjmp(back, 1);
}

__attribute__((noinline)) static int too_deep(volatile int *n)
{
	volatile int room[200];
	room[n[0] % 200] = n[0];
	n[0]++;
	return n[0] < 0 ? 0 : too_deep(n) + room[n[0] % 200];
}

/* The handler has a stack of its own; the one that is walked goes on beyond what is kept of it. */
static void *use_up(void *unused)
{
	static char other[1 << 16];
	stack_t alternate = { .ss_sp = other, .ss_size = sizeof other };
	volatile int n = 0;
	sigaltstack(&alternate, NULL);
	if (sigsetjmp(back, 1) == 0)
		too_deep(&n);
	alternate.ss_flags = SS_DISABLE;
	sigaltstack(&alternate, NULL);
	return unused;
}

START_TEST(stack_overflow)
{
	enum { STACK = 1 << 18 };
	pthread_t thread;
	pthread_attr_t attr;
	handle(SIGSEGV, walk_and_return);
	pvp_unwind_refresh();
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	ck_assert_int_eq(pthread_create(&thread, &attr, use_up, NULL), 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	signal(SIGSEGV, SIG_DFL);
	ck_assert_int_eq(stop.end, PVP_WALK_DEEP);
	ck_assert_uint_eq(depth, MOST);
	ck_assert_uint_eq(met((const void *)(uintptr_t)too_deep), MOST);
}
END_TEST

/* Contents of damaged frames: return addresses, pointers into the stack, small and any numbers. */
static uintptr_t any_word(uint64_t r, const uintptr_t *words, size_t n)
{
	switch (r % 8) {
	case 0:
	case 1:
	case 2:
		return (uintptr_t)stack[(r >> 8) % depth];
	case 3:
	case 4:
		return (uintptr_t)(words + (r >> 8) % n);
	case 5:
		return (uintptr_t)(words + (r >> 8) % n) + (r >> 32) % 8;
	case 6:
		return (r >> 8) % 4096;
	default:
		return r;
	}
}

/* ---- the walk that remembers the one before */

static struct pvp_walk_memory memory;
static unsigned compared, differ;

/* From the caller's frame, as an allocation is: as the plain walk, in every frame. */
static __attribute__((noinline)) void compare(void)
{
	uint64_t plain[MOST], again[MOST];
	struct pvp_walk_stop why, also;
	const uintptr_t *saved = __builtin_frame_address(0);
	const struct pvp_registers from = { saved[1], (uintptr_t)(saved + 2), saved[0], true };
	unsigned most = compared % 7 == 0 ? 5 : MOST;
	unsigned n = pvp_unwind_walk(&from, plain, most, &why);
	unsigned m = pvp_unwind_walk_again(&from, &memory, again, most, &also);
	bool same = n == m && why.end == also.end && why.pc == also.pc &&
		    memcmp(plain, again, n * sizeof *plain) == 0;
	compared++;
	differ += !same;
}

static __attribute__((noinline)) void wander(unsigned levels, uint64_t *r);

static __attribute__((noinline)) void with_room(unsigned levels, uint64_t *r)
{
	volatile char *room = alloca(16 + *r % 512);
	room[0] = 1;
	wander(levels, r);
	compare();
	room[1] = 2;
}

static __attribute__((noinline)) int by_callback(const void *a, const void *b)
{
	compare();
	return *(const int *)a - *(const int *)b;
}

/* Here and there, by the stack's own growth, by alloca, by a library's function. */
static __attribute__((noinline)) void wander(unsigned levels, uint64_t *r)
{
	int few[] = { 3, 1, 2 };
	*r ^= *r << 13, *r ^= *r >> 7, *r ^= *r << 17;
	compare();
	if (levels == 0)
		return;
	switch (*r % 4) {
	case 0:
		with_room(levels - 1, r);
		break;
	case 1:
		qsort(few, 3, sizeof few[0], by_callback);
		wander(levels - 1, r);
		break;
	case 2:
		wander(levels - 1, r);
		wander(levels / 2, r);
		break;
	default:
		wander(levels - 1, r);
	}
	compare();
}

START_TEST(what_is_remembered_changes_nothing)
{
	uint64_t r = 88172645463325252;
	pvp_unwind_refresh();
	memory = (struct pvp_walk_memory){ 0 };
	compared = differ = 0;
	while (compared < 200000)
		wander(24, &r);
	ck_assert_uint_eq(differ, 0);
}
END_TEST

static void *wanders(void *ignored)
{
	uint64_t r = 424242;
	memory = (struct pvp_walk_memory){ 0 };
	wander(20, &r);
	return ignored;
}

/* On stacks that the system made and took away, of sizes of their own. */
START_TEST(threads_that_come_and_go)
{
	pthread_t t;
	pthread_attr_t attr;
	pvp_unwind_refresh();
	compared = differ = 0;
	for (size_t i = 0; i < 200; i++) {
		pthread_attr_init(&attr);
		pthread_attr_setstacksize(&attr, (128 + 16 * (i % 16)) << 10);
		ck_assert_int_eq(pthread_create(&t, &attr, wanders, NULL), 0);
		pthread_join(t, NULL);
		pthread_attr_destroy(&attr);
	}
	ck_assert_uint_eq(differ, 0);
	ck_assert_uint_gt(compared, 1000);
}
END_TEST

/* In the middle of the stack are pages that cannot be read. */
START_TEST(corrupt_stacks)
{
	enum { ROUNDS = 20000, PAGE = 4096, PAGES = 4, WORDS = PAGE / 8, FEW = 64 };
	uint64_t r = 88172645463325252, to[MOST];
	uintptr_t *words = mmap(
		NULL, 3 * PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(words, MAP_FAILED);
	ck_assert_int_eq(mprotect(words + PAGES * WORDS, PAGES * PAGE, PROT_NONE), 0);
	handle(SIGUSR1, walk_from);
	pvp_unwind_refresh();
	caller(SIGUSR1);
	ck_assert_uint_gt(depth, 2);
	unsigned ends[PVP_WALK_ENDS] = { 0 };
	for (unsigned i = 0; i < ROUNDS; i++) {
		for (unsigned k = 0; k < FEW; k++) {
			r ^= r << 13, r ^= r >> 7, r ^= r << 17;
			size_t w = (r >> 20) % (2 * PAGES * WORDS);
			words[w < PAGES * WORDS ? w : w + PAGES * WORDS] =
				any_word(r, words, 3 * PAGES * WORDS);
		}
		struct pvp_registers from = { stack[r % depth],
			(uintptr_t)(words + (r >> 10) % (3 * PAGES * WORDS)),
			any_word(r >> 3, words, 3 * PAGES * WORDS), r >> 63 };
		ck_assert_uint_le(pvp_unwind_walk(&from, to, MOST, &stop), MOST);
		ck_assert_int_lt(stop.end, PVP_WALK_ENDS);
		ends[stop.end]++;
	}
	ck_assert_uint_gt(ends[PVP_WALK_UNREADABLE], 0);
	ck_assert_uint_gt(ends[PVP_WALK_BROKEN], 0);
	munmap(words, 3 * PAGES * PAGE);
}
END_TEST

/* ---- libraries that come and go, and tables with them */

#ifdef DLFO_STRUCT_HAS_EH_DBASE
static bool overlaps(const void *function, const void *base, size_t size)
{
	return (uintptr_t)function - (uintptr_t)base < size;
}

/* Mappings come from the top down: the next library would lie in a gap above, if there is one. */
static void fill_gaps_above(const char *end)
{
	enum { GAP = 64 << 10, MOST_GAPS = 4000 };
	for (unsigned i = 0; i < MOST_GAPS; i++) {
		char *gap = mmap(NULL, GAP, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (gap == MAP_FAILED || gap < end) {
			if (gap != MAP_FAILED)
				munmap(gap, GAP);
			return;
		}
	}
}

/*
 * Another library lies where one was that the tables still have: no walk goes by rows of the one
 * that is gone.
 */
START_TEST(an_address_used_again)
{
	enum { TURNS = 32 };
	/* None that needs libz itself, and stays: libcrypto.so.3 does in Debian 13. */
	static const char *const first[] = { "liblzma.so.5", "libzstd.so.1", "libexpat.so.1" };
	unsigned again = 0, turns = 0;
	for (unsigned i = 0; i < TURNS; i++) {
		struct dl_find_object o = { .dlfo_map_start = NULL };
		void *l = dlopen(first[i % 3], RTLD_NOW | RTLD_LOCAL), *z;
		if (!l)
			continue;
		ck_assert_int_eq(_dl_find_object(dlsym(l, i % 3 == 0   ? "lzma_crc32"
							  : i % 3 == 1 ? "ZSTD_compress"
								       : "XML_Parse"),
					 &o),
			0);
		const char *from = o.dlfo_map_start;
		size_t size = (size_t)((char *)o.dlfo_map_end - from);
		pvp_unwind_refresh();
		dlclose(l);
		fill_gaps_above(from + size);
		ck_assert_ptr_nonnull(z = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL));
		const void *function = dlsym(z, "inflate");
		uintptr_t words[8] = { 0 };
		struct pvp_registers here = { (uintptr_t)function + 1, (uintptr_t)words, 0, false };
		turns++;
		again += overlaps(function, from, size);
		ck_assert_uint_eq(pvp_unwind_walk(&here, stack, MOST, &stop), 0);
		ck_assert_int_eq(
			stop.end, PVP_WALK_WHOLE); /* by what lies there, not by the table */
		pvp_unwind_refresh();
		ck_assert_uint_eq(pvp_unwind_walk(&here, stack, MOST, &stop), 0);
		ck_assert_int_eq(stop.end, PVP_WALK_WHOLE);
		ck_assert(in((uint64_t)(uintptr_t)function + 2, function));
		dlclose(z);
	}
	printf("libz where another library was: %u times of %u\n", again, turns);
	fflush(stdout);
	if (!has("__asan_init") && !has("__tsan_init")) /* they keep addresses apart */
		ck_assert_uint_gt(again, 0);
}
END_TEST
#endif

static _Atomic bool done;
static _Atomic unsigned walks, whole;
static sem_t walked;

static void walk_and_count(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *u = context;
	uint64_t to[MOST];
	struct pvp_walk_stop why;
	(void)signal, (void)info;
	struct pvp_registers from = { (uintptr_t)u->uc_mcontext.gregs[REG_RIP],
		(uintptr_t)u->uc_mcontext.gregs[REG_RSP], (uintptr_t)u->uc_mcontext.gregs[REG_RBP],
		false };
	pvp_unwind_walk(&from, to, MOST, &why);
	atomic_fetch_add(&walks, 1);
	atomic_fetch_add(&whole, why.end == PVP_WALK_WHOLE);
	sem_post(&walked);
}

static void *come_and_go(void *arg)
{
	static const char *const files[] = { "libz.so.1", "libexpat.so.1", "liblzma.so.5",
		"libzstd.so.1" };
	(void)arg;
	for (unsigned i = 0; !atomic_load(&done); i++) {
		void *l = dlopen(files[i % 4], RTLD_NOW | RTLD_LOCAL);
		if (l)
			dlclose(l);
	}
	return NULL;
}

START_TEST(come_and_gone)
{
	enum { WALKS = 500 };
	pthread_t thread;
	handle(SIGUSR1, walk_and_count);
	pvp_unwind_refresh();
	ck_assert_int_eq(sem_init(&walked, 0, 0), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, come_and_go, NULL), 0);
	while (atomic_load(&walks) < WALKS) {
		pthread_kill(thread, SIGUSR1);
		pvp_unwind_refresh();
		while (sem_wait(&walked) != 0)
			ck_assert_int_eq(errno, EINTR);
	}
	atomic_store(&done, true);
	pthread_join(thread, NULL);
	printf("%u walks, %u to their end, %zu bytes of tables\n", atomic_load(&walks),
		atomic_load(&whole), unwind_bytes());
	fflush(stdout);
	ck_assert_uint_lt(unwind_bytes(), 16 << 20);
	pvp_unwind_finish();
	ck_assert_uint_eq(unwind_bytes(), 0);
}
END_TEST

static void *finishes(void *arg)
{
	(void)arg;
	while (!atomic_load(&done))
		pvp_unwind_finish();
	return NULL;
}

/* A host ends its samples while another asks for tables. */
START_TEST(finished_while_made)
{
	enum { TURNS = 100 };
	pthread_t thread;
	atomic_store(&done, false);
	ck_assert_int_eq(pthread_create(&thread, NULL, finishes, NULL), 0);
	for (unsigned i = 0; i < TURNS; i++)
		pvp_unwind_refresh();
	atomic_store(&done, true);
	pthread_join(thread, NULL);
	pvp_unwind_finish();
	ck_assert_uint_eq(unwind_bytes(), 0);
}
END_TEST

/* Costs of a walk, and the tables: figures for tests/bench/README.md, no test. */
static double ns_between(const struct timespec *a, const struct timespec *b)
{
	return (double)(b->tv_sec - a->tv_sec) * 1e9 + (double)(b->tv_nsec - a->tv_nsec);
}

static double ns_a_frame;

static void walk_often(int signal, siginfo_t *info, void *context)
{
	enum { TURNS = 20000 };
	struct timespec a, b;
	unsigned frames = 0;
	walk_from(signal, info, context);
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (unsigned i = 0; i < TURNS; i++)
		frames += pvp_unwind_walk(&at, stack, MOST, &stop);
	clock_gettime(CLOCK_MONOTONIC, &b);
	ns_a_frame = ns_between(&a, &b) / frames;
}

START_TEST(figures)
{
	struct timespec a, b;
	handle(SIGUSR1, walk_often);
	clock_gettime(CLOCK_MONOTONIC, &a);
	pvp_unwind_refresh();
	clock_gettime(CLOCK_MONOTONIC, &b);
	caller(SIGUSR1);
	printf("tables: %zu bytes in %.2f ms; %.0f ns a frame, %u frames\n", unwind_bytes(),
		ns_between(&a, &b) / 1e6, ns_a_frame, depth);
	fflush(stdout);
}
END_TEST

/* The file's stamp is looked at where it was: the same, another, or nothing at all any more. */
START_TEST(a_file_that_is_gone)
{
	enum { PAGE = 4096, AT = 64 };
	uint8_t *page =
		mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(page, MAP_FAILED);
	pvp_unwind_refresh(); /* the loader can be asked from here on */
	struct pvp_unwind_module m = { .stamp_at = (uint64_t)(uintptr_t)page + AT };
	for (size_t i = 0; i < PVP_UNWIND_STAMP; i++)
		page[AT + i] = m.stamp[i] = (uint8_t)(i * 7 + 1);
	ck_assert(pvp_unwind_is_there(&m, false));
	ck_assert(pvp_unwind_is_there(&m, true));
	page[AT + PVP_UNWIND_STAMP - 1]++;
	ck_assert(!pvp_unwind_is_there(&m, false));
	ck_assert(!pvp_unwind_is_there(&m, true));
	ck_assert_int_eq(munmap(page, PAGE), 0);
	ck_assert(!pvp_unwind_is_there(&m, false));
	m.stamp_at = 0;
	ck_assert(pvp_unwind_is_there(&m, false));
	pvp_unwind_finish();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("unwind walk");
	TCase *c = tcase_create("unwind walk");
	tcase_set_timeout(c, 240); /* processors may be busy otherwise */
	tcase_add_test(c, to_the_end);
	if (!has("__tsan_init")) { /* it calls handlers from its own code, later */
		tcase_add_test(c, over_a_signal);
		tcase_add_test(c, stack_overflow);
	}
	tcase_add_test(c, any_registers);
	tcase_add_test(c, corrupt_stacks);
	tcase_add_test(c, what_is_remembered_changes_nothing);
	tcase_add_test(c, threads_that_come_and_go);
#ifdef DLFO_STRUCT_HAS_EH_DBASE
	tcase_add_test(c, an_address_used_again);
#endif
	tcase_add_test(c, come_and_gone);
	tcase_add_test(c, finished_while_made);
	tcase_add_test(c, a_file_that_is_gone);
	tcase_add_test(c, figures);
	suite_add_tcase(s, c);
	return run_suite(s);
}
