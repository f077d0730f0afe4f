/* SPDX-License-Identifier: MIT */
/* Records allocations and frees: classes by size or by place, sampling, and living blocks. */
#include "probe/native/native_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/format/batch.h"
#include "probe/core/alloc_period.h"
#include "probe/core/emit.h"
#include "probe/code/modules.h"
#include "probe/native/native_early.h"
#include "probe/native/native_held.h"
#include "probe/native/native_stack.h"
#include "probe/core/registry.h"
#include "probe/core/writer.h"

enum {
	SMALL = 128,
	STEP = 16, /* classes of sizes: each 16 bytes, then four to each doubling */
	SMALL_CLASSES = SMALL / STEP + 1,
	SIZE_CLASSES = SMALL_CLASSES + 4 * 57,
	SITES = 8192,    /* kept; further sites are looked up each time */
	SITE_NAME = '@', /* in front of the address, in the registry */
};

_Atomic unsigned pvp_recording = PVP_RECORD_LOOK | PVP_RECORD_EARLY;

static _Atomic bool by_site, held, shots;
static _Thread_local void *newest __attribute__((tls_model("initial-exec"))); /* block got last */
static _Atomic unsigned frames;
static _Atomic uint64_t period;
static _Atomic uint32_t class_of_size[SIZE_CLASSES];
static struct {
	_Atomic uint64_t site; /* written last */
	_Atomic uint32_t id;
} class_of_site[SITES];

static void hold_early(uint64_t object, size_t bytes, uintptr_t site);

void pvp_native_malloc_set(const struct pvp_native_options *o)
{
	unsigned what = 0;
	if (!o)
		atomic_store(&period, 0);
	if (o) {
		atomic_store(&by_site, o->by_site);
		atomic_store(&held, o->held);
		atomic_store(&shots, o->blocks);
		atomic_store(&frames, o->frames);
		atomic_store(&period, o->period);
		pvp_alloc_every(o->period);
		if (o->held)
			pvp_early_take(hold_early);
		what = (o->malloc ? PVP_RECORD_NEW : 0u) | (o->frees ? PVP_RECORD_FREE : 0u) |
		       (o->blocks || o->held ? PVP_RECORD_ALIVE : 0u);
	}
	unsigned before = atomic_load(&pvp_recording);
	while (!atomic_compare_exchange_weak(
		&pvp_recording, &before, what | (before & (PVP_RECORD_LOOK | PVP_RECORD_TRY))))
		;
}

/* ---- classes */

static unsigned size_class(uint64_t bytes)
{
	if (bytes <= SMALL)
		return (unsigned)((bytes + STEP - 1) / STEP);
	unsigned top = 63 - (unsigned)__builtin_clzll(bytes - 1); /* 7: above 128 */
	return SMALL_CLASSES + 4 * (top - 7) + (unsigned)((bytes - 1) >> (top - 2) & 3);
}

/* The largest size in a class. */
static uint64_t most_of(unsigned class)
{
	if (class < SMALL_CLASSES)
		return (uint64_t)class * STEP;
	unsigned top = (class - SMALL_CLASSES) / 4 + 7, quarter = (class - SMALL_CLASSES) % 4;
	return (UINT64_C(1) << top) + ((uint64_t)quarter + 1) * (UINT64_C(1) << (top - 2));
}

static __attribute__((noinline)) uint32_t make_size_class(unsigned class)
{
	char name[64];
	uint64_t least = class ? most_of(class - 1) + 1 : 0, most = most_of(class);
	if (least == most)
		snprintf(name, sizeof name, "malloc %" PRIu64, most);
	else
		snprintf(name, sizeof name, "malloc %" PRIu64 "..%" PRIu64, least, most);
	uint32_t id = pvp_class(name);
	atomic_store_explicit(&class_of_size[class], id, memory_order_relaxed);
	return id;
}

static __attribute__((noinline)) uint32_t make_site_class(uint64_t site, size_t slot)
{
	char name[32];
	uint64_t none = 0;
	snprintf(name, sizeof name, "%c%" PRIx64, SITE_NAME, site);
	uint32_t id = pvp_class(name);
	/* A slot is taken once and for all. */
	if (id && atomic_compare_exchange_strong(&class_of_site[slot].site, &none, 1)) {
		atomic_store_explicit(&class_of_site[slot].id, id, memory_order_relaxed);
		atomic_store_explicit(&class_of_site[slot].site, site, memory_order_release);
	}
	return id;
}

static uint32_t block_class(uint64_t bytes, uint64_t site)
{
	uint32_t id;
	if (!atomic_load_explicit(&by_site, memory_order_relaxed)) {
		unsigned class = size_class(bytes);
		id = atomic_load_explicit(&class_of_size[class], memory_order_relaxed);
		return id ? id : make_size_class(class);
	}
	size_t slot = (size_t)(site ^ site >> 13) % SITES;
	if (atomic_load_explicit(&class_of_site[slot].site, memory_order_acquire) == site)
		return atomic_load_explicit(&class_of_site[slot].id, memory_order_relaxed);
	return make_site_class(site, slot);
}

static void hold_early(uint64_t object, size_t bytes, uintptr_t site)
{
	const uint64_t at = site;
	uint32_t type = atomic_load(&shots) ? block_class(bytes, site) : 0;
	pvp_blocks_add(object, (struct pvp_held_block){ bytes, type, pvp_held_got(&at, 1, bytes) });
}

void pvp_native_malloc_begins(void)
{
	atomic_fetch_and(&pvp_recording, ~(unsigned)PVP_RECORD_EARLY);
}

const char *pvp_native_class_name(const char *name)
{
	static char text[512];
	struct pvp_method m;
	if (*name != SITE_NAME)
		return name;
	/* The place is after the call. */
	uint64_t site = strtoull(name + 1, NULL, 16);
	if (pvp_modules_method(site - 1, &m))
		snprintf(text, sizeof text, "malloc in %.*s+0x%" PRIx64,
			(int)(m.name_len > 400 ? 400 : m.name_len), m.name, site - m.code);
	else
		snprintf(text, sizeof text, "malloc in 0x%" PRIx64, site);
	return text;
}

/* ---- events */

/* `at` is reversed to outermost first; addresses move into the call, which may end a function. */
static __attribute__((noinline)) void record(
	uint32_t type, uint64_t object, size_t bytes, uint64_t *at, unsigned n)
{
	if (!n) {
		pvp_alloc(type, object, bytes);
		return;
	}
	for (unsigned i = 0; i < (n + 1) / 2; i++) {
		uint64_t inner = at[i];
		at[i] = at[n - 1 - i] - 1;
		at[n - 1 - i] = i == n - 1 - i ? at[i] : inner - 1;
	}
	const struct pv_batch pools = { .pool = { at, n, n } };
	struct pv_event ev = { .kind = PV_KIND_ALLOC, .alloc = { type, object, bytes, { 0, n } } };
	pvp_event(&ev, &pools, object);
}

bool pvp_native_taken(size_t bytes)
{
	return !atomic_load_explicit(&period, memory_order_relaxed) || pvp_alloc_taken(bytes);
}

/* The block is known from here on; at: the stack, if wanted. */
static void keep_block(void *block, struct pvp_held_block b, const uint64_t *at, unsigned n)
{
	if (n)
		b.stack = pvp_held_got(at, n, b.bytes);
	newest = block;
	if (!pvp_blocks_add((uint64_t)(uintptr_t)block, b) && n)
		pvp_held_gone(b.stack, b.bytes, false);
}

void pvp_block_new(void *block, size_t bytes, uintptr_t site, uintptr_t frame)
{
	unsigned what = atomic_load_explicit(&pvp_recording, memory_order_relaxed);
	uint64_t object = (uint64_t)(uintptr_t)block, at[PVP_NATIVE_FRAMES];
	if (what & PVP_RECORD_EARLY)
		pvp_early_add(object, bytes, site);
	bool taken = what & PVP_RECORD_NEW && pvp_native_taken(bytes);
	bool sums = what & PVP_RECORD_ALIVE && atomic_load_explicit(&held, memory_order_relaxed);
	bool shot = what & PVP_RECORD_ALIVE && atomic_load_explicit(&shots, memory_order_relaxed);
	unsigned most = taken || sums ? atomic_load_explicit(&frames, memory_order_relaxed) : 0;
	unsigned n = most ? pvp_native_stack(at, most, site, frame) : 0;
	uint32_t type = taken || shot ? block_class(bytes, site) : 0;
	if (what & PVP_RECORD_ALIVE)
		keep_block(block, (struct pvp_held_block){ bytes, type, 0 }, at, sums ? n : 0);
	if (taken && type)
		record(type, object, bytes, at, n);
}

struct pvp_held_block pvp_block_gone(void *block)
{
	unsigned what = atomic_load_explicit(&pvp_recording, memory_order_relaxed);
	uint64_t object = (uint64_t)(uintptr_t)block;
	struct pvp_held_block before = { 0, 0, 0 };
	if (what & PVP_RECORD_EARLY)
		pvp_early_remove(object);
	if (what & PVP_RECORD_ALIVE)
		before = pvp_blocks_remove(object);
	pvp_held_gone(before.stack, before.bytes, block == newest);
	if (what & PVP_RECORD_FREE)
		pvp_free(object);
	return before;
}

void pvp_block_stays(void *block, struct pvp_held_block before, size_t bytes)
{
	unsigned what = atomic_load_explicit(&pvp_recording, memory_order_relaxed);
	uint64_t object = (uint64_t)(uintptr_t)block;
	uint32_t type = before.type ? before.type : block_class(bytes, 0);
	if (what & PVP_RECORD_ALIVE && (before.type || before.stack)) {
		pvp_blocks_add(object, before);
		pvp_held_stays(before.stack, before.bytes);
	}
	if (what & PVP_RECORD_FREE)
		pvp_alloc(type, object, before.type ? before.bytes : bytes);
}
