/* SPDX-License-Identifier: MIT */
/*
 * The runtime's own events, delivered on the thread of the event: sampled allocations, lock
 * contention. Layouts grow at the end with versions; a payload too short is ignored.
 */
#include <string.h>

#include "probe/clr/clr_payload.h"
#include "probe/clr/clr_runtime.h"
#include "probe/core/emit.h"
#include "probe/clr/host_clr.h"

enum {
	/* Events of Microsoft-Windows-DotNETRuntime. */
	TICK = 10,
	CONTENTION_START = 81,
	CONTENTION_STOP = 91,
	METHOD_LOADED = 141,
	METHOD_LOADED_VERBOSE = 143,
	ASSEMBLY_LOOKED_FOR = 291,
	ALLOCATION_SAMPLED = 303,
	INFORMATIONAL = 4,
	VERBOSE = 5,
	PROVIDER = 64, /* UTF-16 units of the name */
	NAME = 3 * PVP_PAYLOAD_TEXT,
};

#define KEY_GC         UINT64_C(0x1)
#define KEY_LOADER     UINT64_C(0x4)
#define KEY_JIT        UINT64_C(0x10)
#define KEY_CONTENTION UINT64_C(0x4000)
#define KEY_SAMPLED    UINT64_C(0x80000000000)

static void allocation(uint64_t class, uint64_t object, uint64_t size)
{
	struct pv_event ev = { .kind = PV_KIND_ALLOC,
		.alloc = { pvp_clr_class(class), object, (size + 7) & ~(uint64_t)7, { 0, 0 } } };
	pvp_clr_with_stack(&ev, &ev.alloc.stack, object);
}

/* kind, instance, class, class name, address, size, offset of the sample */
static void sampled(struct pvp_payload p)
{
	pvp_payload_number(&p, 4 + 2);
	uint64_t class = pvp_payload_number(&p, 8);
	pvp_payload_skip_text(&p);
	uint64_t object = pvp_payload_number(&p, 8), size = pvp_payload_number(&p, 8);
	if (p.ok)
		allocation(class, object, size);
}

/* amount, kind, instance, amount again, class, class name, heap, address, size (from version 4) */
static void ticked(struct pvp_payload p)
{
	pvp_payload_number(&p, 8);
	pvp_payload_number(&p, 2);
	pvp_payload_number(&p, 8);
	uint64_t class = pvp_payload_number(&p, 8);
	pvp_payload_skip_text(&p);
	pvp_payload_number(&p, 4);
	uint64_t object = pvp_payload_number(&p, 8), size = pvp_payload_number(&p, 8);
	if (p.ok)
		allocation(class, object, size);
}

/* The object awaited by this thread. */
static _Thread_local uint64_t contended __attribute__((tls_model("initial-exec")));

static void acquired(uint64_t object)
{
	struct pv_event ev = { .kind = PV_KIND_MONITOR_DONE, .monitor = { object, { 0, 0 }, 0 } };
	pvp_clr_with_stack(&ev, &ev.monitor.stack, object);
}

/* flags, instance, and from version 2 on: lock, object, the owner's thread */
static void contention(struct pvp_payload p)
{
	pvp_payload_number(&p, 1 + 2);
	uint64_t lock = pvp_payload_number(&p, 8), object = pvp_payload_number(&p, 8);
	bool lock_known = p.ok, named = p.ok && object;
	uint64_t holder = pvp_payload_number(&p, 8);
	contended = named ? object : lock_known ? lock : 0;
	struct pv_event ev = { .kind = PV_KIND_MONITOR_CONTENTION,
		.monitor = { contended, { 0, 0 }, 0 } };
	pvp_clr_said_contended(&ev, &(struct pvp_clr_contended){ contended, named ? lock : 0,
					    p.ok ? holder : 0, named });
}

enum { JITTED = 8, TIER_SHIFT = 7, TIER_MASK = 7 };

/* method, module, code, code size, token, flags; names; instance, version of the source */
static void body(struct pvp_payload p, bool verbose)
{
	uint64_t function = pvp_payload_number(&p, 8);
	pvp_payload_number(&p, 8);
	struct pv_event ev = { .kind = PV_KIND_EXT_BODY };
	ev.body.code = pvp_payload_number(&p, 8);
	ev.body.size = pvp_payload_number(&p, 4);
	pvp_payload_number(&p, 4);
	uint64_t flags = pvp_payload_number(&p, 4);
	if (!p.ok)
		return;
	for (int i = 0; verbose && i < 3; i++)
		pvp_payload_skip_text(&p);
	pvp_payload_number(&p, 2);
	uint64_t version = pvp_payload_number(&p, 8);
	ev.body.version = p.ok ? version : 0;
	ev.body.tier = flags & JITTED ? flags >> TIER_SHIFT & TIER_MASK : PV_TIER_PRECOMPILED;
	ev.body.method = pvp_clr_method(function);
	pvp_event(&ev, NULL, 0);
}

/* instance; name, path, requester, context, requester's context; success; name and path found;
 * cached */
static void looked_for(struct pvp_payload p)
{
	char name[NAME], context[NAME], found[NAME];
	pvp_payload_number(&p, 2);
	pvp_payload_text(&p, name, sizeof name);
	pvp_payload_skip_text(&p);
	pvp_payload_skip_text(&p);
	pvp_payload_text(&p, context, sizeof context);
	pvp_payload_skip_text(&p);
	bool success = pvp_payload_number(&p, 4) != 0;
	pvp_payload_text(&p, found, sizeof found);
	if (p.ok && success && pvp_clr_more() & PVP_CLR_CONTEXTS)
		pvp_clr_contexts_found(found, context);
	if (p.ok && !success)
		pvp_clr_not_found(name);
}

static pvp_hr delivered(void *self, uint64_t provider, uint32_t id, uint32_t version,
	uint32_t meta_n, const uint8_t *meta, uint32_t n, const uint8_t *data,
	const struct pvp_guid *activity, const struct pvp_guid *related, uint64_t thread,
	uint32_t frames, const uint64_t *ips)
{
	unsigned groups = pvp_clr_groups();
	const struct pvp_payload p = { data, data + (data ? n : 0), true };
	(void)self, (void)meta_n, (void)meta;
	(void)thread, (void)frames, (void)ips; /* no frames are given here */
	if (pvp_clr_more() & PVP_CLR_SPANS &&
		pvp_clr_spans_take(provider, id, p, activity, related))
		return 0;
	if (id == ALLOCATION_SAMPLED || id == TICK || id == CONTENTION_START ||
		id == CONTENTION_STOP)
		pvp_clr_spans_goes_on(activity);
	if (id == ALLOCATION_SAMPLED && groups & PVP_MANAGED_ALLOC)
		sampled(p);
	else if (id == TICK && version >= 4 && groups & PVP_MANAGED_ALLOC)
		ticked(p);
	else if (id == CONTENTION_START && groups & PVP_MANAGED_MONITORS)
		contention(p);
	else if (id == CONTENTION_STOP && groups & PVP_MANAGED_MONITORS)
		acquired(contended);
	else if ((id == METHOD_LOADED || id == METHOD_LOADED_VERBOSE) &&
		 groups & PVP_MANAGED_RUNTIME)
		body(p, id == METHOD_LOADED_VERBOSE);
	else if (id == ASSEMBLY_LOOKED_FOR)
		looked_for(p);
	return 0;
}

static bool newer_than_9(void)
{
	struct pvp_clr_info *info = pvp_clr.info;
	uint16_t instance, major = 0, minor, build, qfe;
	uint32_t type;
	return info->is->runtime_information(
		       info, &instance, &type, &major, &minor, &build, &qfe, 0, NULL, NULL) >= 0 &&
	       major >= 10;
}

static uint64_t keywords(uint32_t *ret_level)
{
	const struct pvp_managed_options *o = &pvp_clr.options.m;
	uint64_t keys = 0;
	*ret_level = INFORMATIONAL;
	if (pvp_clr.version < 12)
		return 0;
	if (o->groups & PVP_MANAGED_MONITORS)
		keys |= KEY_CONTENTION;
	if (o->groups & PVP_MANAGED_RUNTIME) {
		keys |= KEY_JIT | KEY_LOADER;
		*ret_level = VERBOSE; /* else bodies are not reported */
	}
	if (pvp_clr_more() & PVP_CLR_CONTEXTS)
		keys |= KEY_LOADER;
	if (o->groups & PVP_MANAGED_ALLOC && o->alloc_period) {
		bool sampling = newer_than_9();
		keys |= sampling ? KEY_SAMPLED : KEY_GC;
		if (!sampling)
			*ret_level = VERBOSE;
	}
	return keys;
}

static _Atomic uint64_t session;

void pvp_clr_pipe_init(struct pvp_clr_mask *mask)
{
	uint32_t level;
	bool spans = pvp_clr.version >= 12 && pvp_clr_more() & PVP_CLR_SPANS;
	if (!keywords(&level) && !spans)
		return;
	mask->high |= PVP_CLR_EVENT_PIPE;
	pvp_clr.slots[PVP_CLR_EventPipeEventDelivered] = (pvp_clr_slot)delivered;
}

void pvp_clr_pipe_open(void)
{
	static const char name[] = "Microsoft-Windows-DotNETRuntime";
	pvp_char wide[1 + PVP_CLR_SPAN_SOURCES][PROVIDER];
	struct pvp_clr_info *info = pvp_clr.info;
	struct pvp_clr_provider p[1 + PVP_CLR_SPAN_SOURCES] = { { .name = wide[0] } };
	uint64_t ours = 0;
	uint32_t n = 0;
	for (size_t i = 0; i < sizeof name; i++)
		wide[0][i] = (pvp_char)name[i];
	p[0].keywords = keywords(&p[0].level);
	n += p[0].keywords != 0;
	for (size_t i = 0; pvp_clr.version >= 12 && i < PVP_CLR_SPAN_SOURCES; i++) {
		p[n] = (struct pvp_clr_provider){ .name = wide[1 + i], .level = INFORMATIONAL };
		n += pvp_clr_spans_provider(i, wide[1 + i], PROVIDER, &p[n].keywords);
	}
	if (n && info->is->start_events(info, n, p, 0, &ours) >= 0)
		atomic_store(&session, ours);
}

void pvp_clr_pipe_close(void)
{
	struct pvp_clr_info *info = pvp_clr.info;
	uint64_t ours = atomic_exchange(&session, 0);
	if (ours)
		info->is->stop_events(info, ours);
}
