/* SPDX-License-Identifier: MIT */
/* Opens a perf event for each thread, and reads the newest kernel stacks in a handler. */
#include "probe/code/kernel_stack.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "probe/code/call_code.h"
#include "probe/unwind/native_walk.h"
#include "probe/ground/perf_clock.h"

enum {
	PAGES = 2,           /* one about the event, one with records, newest first */
	PERIOD_NS = 4000000, /* four times as often costs 1 to 2 % of what computes */
	RECORDS = 40,        /* looked at: as many as there can be */
	RECORD_MOST = 8 * (8 + PVP_KERNEL_FRAMES),
};

#if defined(__x86_64__)
enum { SP_BIT = 7, IP_BIT = 8 };
#else
enum { SP_BIT = 31, IP_BIT = 32 };
#endif

static _Atomic bool wanted;

/* ---- the event */

static int event_of(pid_t tid)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE,
		.size = sizeof a,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = PERIOD_NS,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER,
		.sample_regs_user = UINT64_C(1) << SP_BIT | UINT64_C(1) << IP_BIT,
		.sample_max_stack = PVP_KERNEL_FRAMES,
		.exclude_user = 1,
		.exclude_callchain_user = 1,
		.exclude_hv = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.write_backward = 1 };
	return (int)syscall(SYS_perf_event_open, &a, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Mapped read-only: the kernel then overwrites old records. */
static void *map_of(pid_t tid)
{
	int fd = event_of(tid);
	if (fd < 0)
		return NULL;
	void *at = mmap(NULL, PAGES * page_bytes(), PROT_READ, MAP_SHARED, fd, 0);
	close(fd); /* the mapping keeps the event */
	return at == MAP_FAILED ? NULL : at;
}

static void unmap(void *at)
{
	if (at)
		munmap(at, PAGES * page_bytes());
}

bool pvp_kernel_want(bool on)
{
	void *first = on && pvp_perf_unfiltered() ? map_of(0) : NULL;
	unmap(first);
	atomic_store(&wanted, first != NULL);
	return first != NULL;
}

const char *pvp_kernel_want_word(bool on)
{
	bool have = pvp_kernel_want(on);
	return !on ? "" : have ? "kernel" : "kernel=refused";
}

void pvp_kernel_open(struct pvp_kernel_stack *k, pid_t tid)
{
	unmap(k->left);
	k->left = NULL;
	k->last = 0;
	atomic_store(&k->page, atomic_load(&wanted) ? map_of(tid) : NULL);
}

void pvp_kernel_close(struct pvp_kernel_stack *k)
{
	void *at = atomic_exchange(&k->page, NULL);
	if (atomic_load(&k->busy))
		k->left = at;
	else
		unmap(at);
}

void pvp_kernel_forget(struct pvp_kernel_stack *k)
{
	atomic_store(&k->page, NULL);
	atomic_store(&k->busy, false);
	k->left = NULL;
}

/* ---- in the handler */

struct records {
	const uint8_t *at;
	size_t bytes; /* a power of two */
	uint64_t head;
};

static void copy_from_ring(const struct records *r, uint64_t from, void *to, size_t n)
{
	size_t at = (size_t)(from & (r->bytes - 1)), first = r->bytes - at;
	first = first < n ? first : n;
	memcpy(to, r->at + at, first);
	memcpy((uint8_t *)to + first, r->at, n - first);
}

/* A record: time, frames, and the place from which the kernel was entered. */
struct entered {
	uint64_t time, sp, pc;
	uint32_t n;
	uint64_t frame[PVP_KERNEL_FRAMES];
};

static bool parse(const uint64_t *word, size_t words, struct entered *ret)
{
	enum { TIME, COUNT, FIRST, AFTER = 3 /* abi, sp, pc */ };
	uint64_t n = words > FIRST ? word[COUNT] : words;
	if (n + FIRST + AFTER > words)
		return false;
	ret->time = word[TIME];
	ret->sp = word[FIRST + n + 1];
	ret->pc = word[FIRST + n + 2];
	ret->n = 0;
	for (uint64_t i = 0; i < n && ret->n < PVP_KERNEL_FRAMES; i++)
		if (word[FIRST + i] < (uint64_t)PERF_CONTEXT_MAX) /* else a mark of their kind */
			ret->frame[ret->n++] = word[FIRST + i];
	return true;
}

/* *at: where a record begins, then the next older. False: none, or of another kind. */
static bool next_record(const struct records *r, uint64_t *at, struct entered *ret)
{
	struct perf_event_header h;
	uint64_t word[RECORD_MOST / 8];
	copy_from_ring(r, *at, &h, sizeof h);
	if (h.size <= sizeof h || *at + h.size - r->head > r->bytes)
		return false;
	ret->n = 0;
	if (h.type == PERF_RECORD_SAMPLE && h.size - sizeof h <= sizeof word) {
		copy_from_ring(r, *at + sizeof h, word, h.size - sizeof h);
		if (!parse(word, (h.size - sizeof h) / 8, ret))
			ret->n = 0;
	}
	*at += h.size;
	return true;
}

/* Whether pc follows a system call, so the thread was in the kernel. */
__attribute__((no_sanitize("address", "thread"))) static bool after_call(uintptr_t pc)
{
	enum { PAGE = 4096, CALL = sizeof pvp_call_code };
	int before = errno;
	bool readable = pc % PAGE >= CALL && pvp_readable(pc - CALL);
	errno = before;
	return readable && memcmp((const void *)(pc - CALL), pvp_call_code, CALL) == 0;
}

/*
 * Finds the newest record of this place. A record from before the last sample counts, too, if the
 * thread was in the kernel for sure.
 */
static unsigned find_record(const struct records *r, uintptr_t pc, uintptr_t sp, uint64_t *last,
	uint64_t to[PVP_KERNEL_FRAMES])
{
	struct entered e;
	uint64_t newest = *last, at = r->head;
	unsigned n = 0;
	for (unsigned i = 0; i < RECORDS && !n && next_record(r, &at, &e); i++) {
		if (!e.n)
			continue;
		newest = e.time > newest ? e.time : newest;
		if (e.pc != pc || e.sp != sp)
			continue;
		if (e.time <= *last && !after_call(pc))
			break;
		memcpy(to, e.frame, e.n * sizeof *to);
		n = e.n;
	}
	*last = newest;
	return n;
}

unsigned pvp_kernel_take(
	struct pvp_kernel_stack *k, uintptr_t pc, uintptr_t sp, uint64_t to[PVP_KERNEL_FRAMES])
{
	unsigned n = 0;
	atomic_store(&k->busy, true);
	const struct perf_event_mmap_page *page = atomic_load(&k->page);
	if (page) {
		uint64_t head = page->data_head;
		atomic_thread_fence(memory_order_acquire);
		const struct records r = { (const uint8_t *)page + page->data_offset,
			(size_t)page->data_size, head };
		n = find_record(&r, pc, sp, &k->last, to);
		atomic_thread_fence(memory_order_acquire);
		/* Written meanwhile, in a fault of this code: what was read may be half of each. */
		if (((volatile const struct perf_event_mmap_page *)page)->data_head != head)
			n = 0;
	}
	atomic_store(&k->busy, false);
	return n;
}
