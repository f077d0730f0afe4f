/* SPDX-License-Identifier: MIT */
/*
 * Settings of the allocator. The first touch of a page costs a fault, two to six microseconds for
 * each 4 KiB in a virtual machine. So memory that may be needed again is not given back to the
 * system, and threads share one arena.
 *
 * Large pages spare most faults and most of the cost of looking up addresses: the report of a 770
 * MB log takes a quarter to a third less time. But a virtual machine gives unused large pages back
 * to its host, and hosts differ in the cost of getting them again: 3 ms each have been seen (the
 * cost of the 512 small pages in place of a large one), and 10. So each large page is timed against
 * small ones, and if large pages are slow the rest of the heap has small pages.
 */
#include "tui/feed/memory.h"

#ifdef PV_MIMALLOC /* of the one file */
#include <mimalloc.h>
#else
#include <malloc.h>
#endif
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/*
 * Factor by which a large page may be slower than small pages in its place: its gain comes later.
 */
#ifndef UI_MEMORY_SLOWER /* in a test */
#define UI_MEMORY_SLOWER 2
#endif

enum {
	LARGE = 2 << 20,
	SMALL = 4 << 10,
	TRIED = 32,              /* small pages timed */
	HEAP = 128 << 20,        /* bytes: addresses from the beginning on, memory later */
	AHEAD = 2 * LARGE,       /* of what is in use */
	NEAR = 256 << 10,        /* a block as large is put at the end of what is in use */
	SHORT = 8 << 20,         /* bytes: logs below this size do without large pages */
	MAPPED_FROM = 512 << 10, /* bytes: blocks from this size on are mapped by themselves, and
				    grow without a copy */
	KEPT = 2 * HEAP,         /* at the heap's end, when they are free */
	FURTHER = 1 << 20,       /* bytes by which the heap grows after HEAP */
};

/* Rest of the heap's first bytes, from the next large page on. */
static struct {
	uintptr_t next, end;
	int64_t most_ns; /* longest time for a large page */
} heap;

#if defined(__GLIBC__) && defined(MADV_HUGEPAGE) && defined(MADV_POPULATE_WRITE)

static void give_up_ahead(void)
{
	if (heap.next < heap.end)
		madvise((void *)heap.next, heap.end - heap.next, MADV_NOHUGEPAGE);
	heap.next = heap.end = 0;
}

/* The thread's own time: others may have the processor meanwhile. */
static int64_t now_ns(void)
{
	struct timespec t = { 0 };
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Time, in ns, for as many small pages as fit into a large page; 0: cannot be measured. */
static int64_t time_small(void)
{
	size_t size = (size_t)TRIED * SMALL;
	volatile char *v =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (v == MAP_FAILED)
		return 0;
	madvise((void *)v, size, MADV_NOHUGEPAGE);
	int64_t from = now_ns();
	for (size_t i = 0; i < size; i += SMALL)
		v[i] = 1;
	int64_t took = now_ns() - from;
	munmap((void *)v, size);
	return took * (LARGE / SMALL / TRIED);
}

/* Gives the next large page its memory. False: too slow, or impossible. */
static bool take_large(void)
{
	int64_t from = now_ns();
	bool ok = madvise((void *)heap.next, LARGE, MADV_POPULATE_WRITE) == 0 &&
		  now_ns() - from <= heap.most_ns;
	heap.next += LARGE;
	return ok;
}

/* Up to a margin above the memory in use. */
static void fill_ahead(uintptr_t used)
{
	while (heap.next < heap.end && heap.next < used + AHEAD)
		if (!take_large())
			give_up_ahead();
}

/* The heap grows by HEAP, and large pages are asked for there. */
static void begin_large(void)
{
	mallopt(M_TOP_PAD, HEAP);
	char *first = malloc(NEAR); /* more than the heap's end has left */
	mallopt(M_TOP_PAD, FURTHER);
	uintptr_t end = (uintptr_t)sbrk(0), from = (uintptr_t)first;
	free(first);
	if (!first || from > end || end - from > 2 * (uintptr_t)HEAP)
		return; /* the block came from elsewhere */
	heap.next = (from + LARGE - 1) & ~(uintptr_t)(LARGE - 1);
	heap.end = end & ~(uintptr_t)(LARGE - 1);
	heap.most_ns = UI_MEMORY_SLOWER * time_small();
	if (madvise((void *)heap.next, heap.end - heap.next, MADV_HUGEPAGE) != 0)
		give_up_ahead();
	fill_ahead(from);
}

#else

static void begin_large(void)
{
}

static void fill_ahead(uintptr_t used)
{
	(void)used;
}

#endif

void ui_memory_for_once(uint64_t bytes)
{
#ifdef __GLIBC__
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, MAPPED_FROM);
	mallopt(M_TRIM_THRESHOLD, KEPT);
	mallopt(M_TOP_PAD, FURTHER);
#endif
#ifdef PV_MIMALLOC
	if (bytes >= SHORT) {
		mi_option_enable(mi_option_large_os_pages);
		mi_option_disable(mi_option_allow_decommit);
	}
#endif
	if (bytes >= SHORT)
		begin_large();
}

void ui_memory_ahead(void)
{
	if (heap.next >= heap.end)
		return;
	char *last = malloc(NEAR);
	uintptr_t used = (uintptr_t)last + NEAR;
	free(last);
	if (last && used <= heap.end)
		fill_ahead(used);
}
