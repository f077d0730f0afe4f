/* SPDX-License-Identifier: MIT */
/*
 * Heap shots: taken in a major collection, with the world stopped. A stopped thread may hold any
 * lock, so nothing may wait or allocate there: roots and objects are encoded into separate pages,
 * mapped as needed, and given to the writer when complete. A shot that outgrows its bounds is given
 * up as a whole, and counted.
 */
#include <stdatomic.h>
#include <stdio.h>

#include "common/format/mlpd/mlpd.h"
#include "probe/core/emit.h"
#include "probe/managed/shot_pages.h"
#include "probe/mono/host_mono.h"

/* Wakes the finalizer's thread; exported by the runtime, declared in no header. */
extern void mono_gc_finalize_notify(void);

enum {
	WAITING = 16, /* shots not yet taken by the writer */
};

/* A shot not yet taken by the writer. */
struct ready {
	struct pvp_shot_page *pages;
	uint64_t stopped_ns; /* when the world had come to a stop */
};

static struct {
	struct pvp_shot_pages pages;
	bool open;
	uint64_t pairs[2 * PVP_SHOT_REFERENCES];
} shot; /* of the collecting thread: a single one at a time */

static struct ready ready[WAITING]; /* for the writer: from shot `taken` on */
static _Atomic uint64_t finished, taken;
static _Atomic size_t held; /* bytes of the shots */
static _Atomic uint64_t discarded;
static _Atomic bool wanted;  /* by the next major collection */
static _Atomic bool collect; /* asked for from outside: a thread of the runtime is to collect */
static uint64_t collections, last_ns;

/* --- the collecting thread's side */

/* A big object comes in several calls, and only the first has a size. */
static int object_met(MonoObject *object, MonoClass *klass, uintptr_t size, uintptr_t n,
	MonoObject **refs, uintptr_t *offsets, void *ctx)
{
	(void)klass, (void)ctx;
	uint64_t at = (uint64_t)(uintptr_t)object;
	struct pv_event ev = { .kind = PV_KIND_HEAP_OBJECT,
		.heap_object = { .object = at,
			.type = pvp_mono_type_met(object->vtable),
			.size = (size + 7) & ~(uint64_t)7,
			.generation = (uint64_t)mono_gc_get_generation(object) } };
	uintptr_t done = 0;
	do {
		uintptr_t some = n - done < PVP_SHOT_REFERENCES ? n - done : PVP_SHOT_REFERENCES;
		for (uintptr_t i = 0; i < some; i++) {
			shot.pairs[2 * i] = offsets[done + i];
			shot.pairs[2 * i + 1] = (uint64_t)(uintptr_t)refs[done + i];
		}
		const struct pv_batch pools = { .pool = { shot.pairs, 2 * some, 2 * some } };
		ev.heap_object.refs = (struct pv_span){ 0, (uint32_t)(2 * some) };
		if (!pvp_shot_put(&shot.pages, &ev, &pools, at))
			return 1;
		ev.heap_object.size = 0;
		done += some;
	} while (done < n);
	return 0;
}

static bool due(uint64_t now)
{
	const struct pvp_managed_options *o = &pvp_mono.options;
	bool every = o->shot_collections && ++collections % o->shot_collections == 0;
	bool time = o->shot_ms && now - last_ns >= (uint64_t)o->shot_ms * 1000000;
	return atomic_exchange_explicit(&wanted, false, memory_order_relaxed) || every || time;
}

static void give_up_shot(void)
{
	pvp_shot_release(shot.pages.first);
	shot.pages.first = NULL;
	atomic_fetch_add_explicit(&discarded, 1, memory_order_relaxed);
}

bool pvp_mono_heap_begins(uint32_t generation)
{
	uint64_t now = pvp_monotonic();
	if (generation != (uint32_t)mono_gc_max_generation() || !pvp_tls.thread || shot.open ||
		!due(now))
		return false;
	last_ns = now;
	if (atomic_load_explicit(&finished, memory_order_relaxed) -
			atomic_load_explicit(&taken, memory_order_acquire) >=
		WAITING) {
		atomic_fetch_add_explicit(&discarded, 1, memory_order_relaxed);
		return false;
	}
	size_t others = atomic_load_explicit(&held, memory_order_relaxed),
	       most = pvp_mono.options.shot_bytes;
	pvp_shot_pages_begin(&shot.pages, pvp_tls.thread->tid, most > others ? most - others : 0);
	shot.pages.time = now;
	shot.open = true;
	pvp_shot_put_kind(&shot.pages, PV_KIND_HEAP_START);
	return true;
}

bool pvp_mono_heap_root(struct pv_event *ev, const struct pv_batch *pools, uint64_t object)
{
	if (shot.open)
		pvp_shot_put(&shot.pages, ev, pools, object);
	return shot.open;
}

void pvp_mono_heap_ends(void)
{
	pvp_mono_join_stopped();
	if (!shot.open)
		return;
	shot.open = false;
	shot.pages.time = pvp_monotonic();
	if (!pvp_mono_types_hold()) {
		give_up_shot();
		return;
	}
	mono_gc_walk_heap(0, object_met, NULL);
	pvp_mono_types_release();
	shot.pages.time = pvp_monotonic();
	if (!pvp_shot_put_kind(&shot.pages, PV_KIND_HEAP_END)) {
		give_up_shot();
		return;
	}
	uint64_t n = atomic_load_explicit(&finished, memory_order_relaxed);
	atomic_fetch_add_explicit(&held, shot.pages.bytes, memory_order_relaxed);
	ready[n % WAITING] = (struct ready){ shot.pages.first, last_ns };
	atomic_store_explicit(&finished, n + 1, memory_order_release);
}

void pvp_mono_heap_collect(void)
{
	atomic_store_explicit(&wanted, true, memory_order_relaxed);
	mono_gc_collect(mono_gc_max_generation());
}

void pvp_mono_heap_asked(void)
{
	if (atomic_load_explicit(&collect, memory_order_relaxed) &&
		atomic_exchange_explicit(&collect, false, memory_order_relaxed))
		pvp_mono_heap_collect();
}

/* --- any thread's, also unknown to the runtime */

enum pvp_reply pvp_mono_heap_ask(char *say, size_t size)
{
	uint64_t n = atomic_load_explicit(&finished, memory_order_relaxed);
	atomic_store_explicit(&collect, true, memory_order_relaxed);
	mono_gc_finalize_notify();
	snprintf(say, size, "shot=%llu", (unsigned long long)n);
	return PVP_REPLY_OK;
}

/* --- the writer's side */

void pvp_mono_heap_flushed(struct pvp_writer *w, uint64_t until)
{
	uint64_t n = atomic_load_explicit(&taken, memory_order_relaxed);
	for (; n < atomic_load_explicit(&finished, memory_order_acquire); n++) {
		const struct ready *next = &ready[n % WAITING];
		if (next->stopped_ns > until)
			return;
		if (!pvp_shot_send(w, next->pages))
			atomic_fetch_add_explicit(&discarded, 1, memory_order_relaxed);
		size_t bytes = pvp_shot_release(next->pages);
		atomic_fetch_sub_explicit(&held, bytes, memory_order_relaxed);
		atomic_store_explicit(&taken, n + 1, memory_order_release);
	}
}

uint64_t pvp_mono_heap_discarded(void)
{
	return atomic_load_explicit(&discarded, memory_order_relaxed);
}
