/* SPDX-License-Identifier: MIT */
/*
 * Counts new pages that no sample stands for: the samples that a full ring could not take, and the
 * last faults of a thread, fewer than are between two samples.
 */
#include "probe/outside/pages.h"

#include "probe/ground/probe_clock.h"
#include "probe/outside/events.h"
#include "probe/outside/files.h"
#include "probe/outside/rings.h"

enum { EACH_NS = 1000000000 };

static struct {
	bool on;
	uint64_t sampled, noted; /* pages for which samples stand; pages noted as missed */
	uint64_t faults, at;     /* the kernel's count, and when it was taken */
	bool known;
} pages;

void pvo_pages_begin(bool on)
{
	pages.on = on;
	pvo_events_pages(on);
}

/* Close below or above the stack pointer is the stack, where a file is mapped the file. */
enum pvo_pages pvo_pages_kind(uint64_t address, uint64_t stack_pointer)
{
	enum { NEAR = 64 << 10 };
	if (address + NEAR > stack_pointer && address < stack_pointer + NEAR)
		return PVO_PAGES_STACK;
	return pvo_files_map(address) ? PVO_PAGES_FILE : PVO_PAGES_HEAP;
}

void pvo_pages_sampled(void)
{
	pages.sampled += PVO_PAGES;
}

static uint64_t missed_of(uint64_t count, uint64_t slack)
{
	uint64_t known = pages.sampled + pages.noted + slack;
	if (!pages.known || count <= known)
		return 0;
	pages.noted += count - known;
	return count - known;
}

/* Each event may have begun to count towards a next sample, and threads inherit theirs. */
uint64_t pvo_pages_missed(size_t threads)
{
	uint64_t now = pvp_monotonic(), before = pages.faults;
	if (!pages.on || now < pages.at + EACH_NS)
		return 0;
	size_t events;
	pages.at = now;
	pages.known = pvo_events_faults(&pages.faults, &events);
	events += threads * (size_t)pvo_rings_processors();
	return missed_of(before, (PVO_PAGES - 1) * (uint64_t)events);
}

void pvo_pages_count(void)
{
	size_t events;
	pages.known = pages.on && pvo_events_faults(&pages.faults, &events);
}

uint64_t pvo_pages_missed_in_all(void)
{
	return missed_of(pages.faults, 0);
}
