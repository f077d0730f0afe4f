/* SPDX-License-Identifier: MIT */
/*
 * Samples: the native host's timers, with the runtime's code named from the table of ranges.
 * Precompiled code is missing in the table until somebody asks the runtime, which the writer must
 * not: unknown addresses are noted for the agent.
 */
#include <pthread.h>

#include "common/base/map.h"
#include "probe/clr/clr_heap.h"
#include "probe/clr/clr_lines.h"
#include "probe/managed/code_ranges.h"
#include "probe/clr/host_clr.h"
#include "probe/code/kernel_stack.h"
#include "probe/code/modules.h"
#include "probe/code/native_samples.h"
#include "probe/unwind/unwind_compiled.h"
#include "probe/unwind/unwind_set.h"

enum { NOTED = 512, ASKED = 4096, MOST_MS = 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t noted[NOTED];
static size_t n;

static void note_unknown_ip(uint64_t ip)
{
	pthread_mutex_lock(&lock);
	bool there = n == NOTED;
	for (size_t i = 0; i < n && !there; i++)
		there = noted[i] == ip;
	if (!there)
		noted[n++] = ip;
	pthread_mutex_unlock(&lock);
}

static uint64_t sample_key(uint64_t ip)
{
	uint64_t method = pvp_ranges_find(ip);
	if (method)
		pvp_clr_lines_met(ip, method);
	if (method && pvp_unwind_asks(ip + 1)) /* as for a caller */
		pvp_unwind_learn(ip + 1, pvp_ranges_start(ip));
	if (method || pvp_modules_start(ip))
		return method;
	if (pvp_unwind_is_stub(ip))
		return pvp_region_of_writer(pvp_unwind_stub_name(ip));
	note_unknown_ip(ip);
	return PVP_CLR_UNKNOWN;
}

/* Notes precompiled code met for the first time. */
static void foresee(uint64_t ip)
{
	static uint64_t asked[ASKED]; /* addresses, whatever the outcome */
	uint64_t *seen = &asked[pv_hash(ip) % ASKED];
	if (*seen == ip || pvp_is_kernel(ip))
		return;
	*seen = ip;
	uint64_t method = pvp_ranges_find(ip);
	if (method)
		pvp_clr_lines_met(ip, method);
	else if (!pvp_modules_start(ip))
		note_unknown_ip(ip);
}

static bool some_noted(void)
{
	pthread_mutex_lock(&lock);
	bool some = n > 0;
	pthread_mutex_unlock(&lock);
	return some || pvp_clr_lines_waiting();
}

void pvp_clr_samples_resolve(void)
{
	uint64_t ip = 1;
	while (ip) {
		pthread_mutex_lock(&lock);
		ip = n ? noted[--n] : 0;
		pthread_mutex_unlock(&lock);
		if (ip && !pvp_clr_method_at(ip) && !pvp_ranges_near(ip))
			pvp_unwind_stub(ip);
		else if (ip && pvp_ranges_find(ip))
			pvp_clr_lines_note(ip, pvp_ranges_find(ip));
	}
	pvp_clr_lines_resolve();
}

void pvp_clr_samples_tell(struct pvp_writer *w, struct pvp_out_buffer *page)
{
	if (!(pvp_clr_groups() & PVP_MANAGED_SAMPLES)) {
		if (pvp_clr_lines_waiting()) /* of events' stacks */
			pvp_clr_agent_resolve(MOST_MS);
		return;
	}
	pvp_native_samples_each(foresee);
	if (some_noted())
		pvp_clr_agent_resolve(MOST_MS);
	pvp_native_samples_tell(w, page);
	if (some_noted())
		pvp_clr_agent_resolve(0);
}

/* R2R code comes into use. */
static pvp_hr found_compiled(void *self, uint64_t function, int32_t result)
{
	(void)self;
	if (result == 0)
		pvp_clr_compiled(function, 0);
	return 0;
}

void pvp_clr_samples_begin(void)
{
	const struct pvp_managed_options *o = &pvp_clr.options.m;
	if (!(o->groups & PVP_MANAGED_SAMPLES))
		return;
	pvp_native_samples_usage(o->groups & PVP_MANAGED_CPU);
	pvp_kernel_want(o->groups & PVP_MANAGED_KERNEL);
	pvp_native_samples_order((struct pvp_sample_order){ o->sample_hz, o->sample_real });
}

void pvp_clr_samples_init(struct pvp_clr_mask *mask)
{
	const struct pvp_managed_options *o = &pvp_clr.options.m;
	pvp_unwind_runtime((uintptr_t)pvp_clr.info->is->stack); /* for stacks of events, too */
	if (o->frames)
		pvp_unwind_refresh(); /* for the first event's stack */
	if (!(o->groups & PVP_MANAGED_SAMPLES))
		return;
	if (!pvp_clr.attached) {
		mask->low |= PVP_CLR_CACHED;
		pvp_clr.slots[PVP_CLR_JITCachedFunctionSearchFinished] =
			(pvp_clr_slot)found_compiled;
	}
	pvp_native_samples_ask(sample_key);
	pvp_native_samples_ask_place(pvp_clr_lines_place);
	pvp_clr_samples_begin();
}
