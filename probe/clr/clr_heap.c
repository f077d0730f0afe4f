/* SPDX-License-Identifier: MIT */
/* Takes heap shots: stops the runtime, walks objects and roots, and hands pages to the writer. */
#include "probe/clr/clr_heap.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/format/mlpd/mlpd.h"
#include "probe/clr/clr_resolve.h"
#include "probe/clr/clr_statics.h"
#include "probe/core/emit.h"
#include "probe/clr/host_clr.h"
#include "probe/managed/managed_names.h"
#include "probe/managed/shot_pages.h"
#include "probe/control/session.h"

enum {
	REFERENCES = PVP_SHOT_REFERENCES,
	RANGES = 4096,     /* of generations */
	PATH = 1024,       /* UTF-16 units */
	THREADS = 1 << 14, /* asked for what they hold */
	ROOTS = 1 << 20,
	KINDS = 4,        /* of roots */
	WEAK = 2,         /* a root's flag: keeps nothing alive */
	OLDEST = 2,       /* generation, as logs number them */
	WRITE_TRIES = 10, /* rounds until a shot is out */
	BUSY_TRIES = 50,
	BUSY_MS = 2, /* the runtime refuses during its own stops */
};

#define ROOT_AREA(kind) ((uint64_t)((kind) + 1) << 40)

struct shot {
	struct pvp_shot_pages pages;
	uint64_t object, n; /* of the present object: references so far */
	struct pv_event ev;
	uint64_t pairs[2 * REFERENCES];
	struct pvp_clr_range ranges[RANGES];
	uint32_t range_n;
	uint64_t threads[THREADS];
};

struct root {
	uint64_t object;
	uint32_t kind;
};

static struct pvp_shot_page *_Atomic ready; /* for the writer; NULL: none */
static struct pvp_shot_page *seen;          /* the writer's: `ready` at the begin of a round */
static _Atomic uint64_t discarded;
static _Atomic bool forcing; /* a collection for a shot */

static pthread_mutex_t roots_lock = PTHREAD_MUTEX_INITIALIZER;
static PV_ARRAY(struct root) roots; /* of the last collection */

/* --- roots, of the collection before the shot */

static pvp_hr rooted(void *self, uint32_t n, const uint64_t *objects, const uint32_t *kinds,
	const uint32_t *flags, const uint64_t *ids)
{
	(void)self, (void)ids;
	pthread_mutex_lock(&roots_lock);
	for (uint32_t i = 0; i < n && roots.n < ROOTS && pv_reserve(&roots, 1); i++)
		if (objects[i] && !(flags[i] & WEAK))
			roots.v[roots.n++] =
				(struct root){ objects[i], kinds[i] < KINDS ? kinds[i] : 0 };
	pthread_mutex_unlock(&roots_lock);
	return 0;
}

/* `n` pairs of a slot and an object. */
static void put_pairs(struct shot *s, size_t n)
{
	const struct pv_batch pools = { .pool = { s->pairs, 2 * n, 2 * n } };
	struct pv_event ev = { .kind = PV_KIND_HEAP_ROOTS,
		.roots = { 0, 2, { 0, (uint32_t)(2 * n) } } };
	if (n)
		pvp_shot_put(&s->pages, &ev, &pools, s->pairs[1]);
}

static void put_roots(struct shot *s)
{
	uint64_t count[KINDS] = { 0 };
	pthread_mutex_lock(&roots_lock);
	for (size_t at = 0; at < roots.n;) {
		size_t n = 0;
		for (; at < roots.n && n < REFERENCES; n++, at++) {
			struct root *r = &roots.v[at];
			s->pairs[2 * n] = ROOT_AREA(r->kind) + 8 * count[r->kind]++;
			s->pairs[2 * n + 1] = r->object;
		}
		put_pairs(s, n);
	}
	pthread_mutex_unlock(&roots_lock);
}

static void flush_statics(struct shot *s)
{
	put_pairs(s, s->n);
	s->n = 0;
}

static void put_static(void *ctx, uint64_t slot, uint64_t object)
{
	struct shot *s = ctx;
	s->pairs[2 * s->n] = slot;
	s->pairs[2 * s->n++ + 1] = object;
	if (s->n == REFERENCES)
		flush_statics(s);
}

static void put_statics(struct shot *s)
{
	s->n = 0;
	pvp_clr_unloads_hold();
	for (size_t i = 0; i < pvp_clr_statics_count(); i++) {
		uint64_t slot, object = pvp_clr_static_object(i, &slot);
		if (object)
			put_static(s, slot, object);
	}
	pvp_clr_thread_statics(
		s->threads, pvp_clr_threads_list(s->threads, THREADS), put_static, s);
	flush_statics(s);
	pvp_clr_unloads_release();
}

/* Slots have no addresses here: each kind has its own area of numbers. */
static void define_areas(void)
{
	static const struct {
		const char *name;
		uint64_t source;
	} areas[KINDS] = { { "Other", 0 }, { "Stack", 1 }, { "Finalizer Queue", 2 },
		{ "GC Handle", 6 } };
	for (uint64_t i = 0; i < KINDS; i++) {
		struct pv_event ev = { .kind = PV_KIND_HEAP_ROOT_REGISTER,
			.root_area = { ROOT_AREA(i), 8 * ROOTS, areas[i].source, 0,
				{ areas[i].name, __builtin_strlen(areas[i].name) } } };
		pvp_names_define(&ev);
	}
}

/* --- objects */

static int by_range_start(const void *a, const void *b)
{
	const struct pvp_clr_range *x = a, *y = b;
	return (x->start > y->start) - (x->start < y->start);
}

static uint64_t generation(const struct shot *s, uint64_t object)
{
	uint32_t lo = 0, hi = s->range_n;
	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		if (s->ranges[mid].start <= object)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || object - s->ranges[lo - 1].start >= s->ranges[lo - 1].reserved)
		return OLDEST;
	uint32_t g = s->ranges[lo - 1].generation;
	return g < OLDEST ? g : OLDEST;
}

static bool put_shot_object(struct shot *s)
{
	const struct pv_batch pools = { .pool = { s->pairs, 2 * s->n, 2 * s->n } };
	s->ev.heap_object.refs = (struct pv_span){ 0, (uint32_t)(2 * s->n) };
	bool ok = pvp_shot_put(&s->pages, &s->ev, &pools, s->object);
	s->ev.heap_object.size = 0; /* the next entry is of the same object */
	s->n = 0;
	return ok;
}

static int32_t referenced(uint64_t object, uint64_t *slot, void *ctx)
{
	struct shot *s = ctx;
	uint64_t offset = (uint64_t)(uintptr_t)slot - object;
	if (!slot || !*slot)
		return 1;
	if (s->n == REFERENCES && !put_shot_object(s))
		return 0;
	s->pairs[2 * s->n] = offset < (uint64_t)1 << 40 ? offset : 0; /* else not in the object */
	s->pairs[2 * s->n++ + 1] = *slot;
	return 1;
}

/* --- how strings begin */

/* The class of strings, and the place of their text. */
static struct {
	uint64_t class;
	uint32_t length, text;    /* offsets */
	struct pvp_clr_type type; /* definition */
	uint64_t newest;          /* newest class before the walk: later ones may be strings' */
} strings;

/* Before the runtime stands. */
static void find_strings(void)
{
	struct pvp_clr_info *info = pvp_clr.info;
	if (!pvp_clr.options.strings || strings.class ||
		info->is->string_layout(info, &strings.length, &strings.text) < 0 ||
		!pvp_clr_core_type("System.String", &strings.type))
		return;
	strings.class = pvp_clr_class_find(&strings.type);
	strings.newest = pvp_clr_classes_newest();
}

/* Whether the class is the strings'; the walk may meet the first string of all. */
static bool is_string(uint64_t class, uint64_t key)
{
	struct pvp_clr_info *info = pvp_clr.info;
	uint64_t module = 0, parent;
	uint32_t token = 0, n;
	if (strings.class || !strings.type.token || key <= strings.newest)
		return class && class == strings.class;
	strings.newest = key;
	if (info->is->class_info(info, class, &module, &token, &parent, 0, &n, NULL) >= 0 &&
		module == strings.type.module && token == strings.type.token)
		strings.class = class;
	return class && class == strings.class;
}

static bool put_string_text(struct shot *s, uint64_t object)
{
	const uint8_t *at = (const uint8_t *)(uintptr_t)object;
	char text[4 * PVP_CLR_STRING + 8];
	int32_t length;
	memcpy(&length, at + strings.length, sizeof length);
	uint32_t n = length < 0 ? 0 : (uint32_t)length;
	uint32_t shown = n < pvp_clr.options.strings ? n : pvp_clr.options.strings;
	size_t len = pvp_clr_utf8((const void *)(at + strings.text), shown, text, sizeof text);
	struct pv_event ev = { .kind = PV_KIND_EXT_STRING, .string = { object, n, { text, len } } };
	return pvp_shot_put(&s->pages, &ev, NULL, object);
}

static void begin_object(struct shot *s, uint64_t object, uint64_t class, uint64_t size)
{
	s->object = object;
	s->n = 0;
	s->ev = (struct pv_event){ .kind = PV_KIND_HEAP_OBJECT,
		.heap_object = { .object = object,
			.type = pvp_clr_class_reserve(class),
			.size = (size + 7) & ~(uint64_t)7,
			.generation = generation(s, object) } };
}

static int32_t object_met(uint64_t object, void *ctx)
{
	struct pvp_clr_info *info = pvp_clr.info;
	struct shot *s = ctx;
	uint64_t class = 0, size = 0;
	if (info->is->class_of_object(info, object, &class) < 0 ||
		info->is->object_size_2(info, object, &size) < 0)
		return 1;
	begin_object(s, object, class, size);
	info->is->references(info, object, referenced, s);
	bool ok = put_shot_object(s);
	return ok && (!is_string(class, s->ev.heap_object.type) || put_string_text(s, object));
}

/* --- taking a shot */

static bool stop_runtime(void)
{
	struct pvp_clr_info *info = pvp_clr.info;
	for (int i = 0; i < BUSY_TRIES; i++) {
		if (info->is->suspend(info) >= 0)
			return true;
		usleep(BUSY_MS * 1000);
	}
	return false;
}

/* While everything stands still. */
static void begin_shot(struct shot *s)
{
	struct pvp_clr_info *info = pvp_clr.info;
	s->pages.time = pvp_monotonic();
	if (info->is->generation_bounds(info, RANGES, &s->range_n, s->ranges) < 0 ||
		s->range_n > RANGES)
		s->range_n = 0;
	qsort(s->ranges, s->range_n, sizeof s->ranges[0], by_range_start);
	pvp_shot_put_kind(&s->pages, PV_KIND_HEAP_START);
	put_roots(s);
	put_statics(s);
}

static void end_shot(struct shot *s)
{
	s->pages.time = pvp_monotonic();
	pvp_shot_put_kind(&s->pages, PV_KIND_HEAP_END);
}

static bool walk_heap(struct shot *s)
{
	struct pvp_clr_info *info = pvp_clr.info;
	find_strings();
	if (!stop_runtime())
		return false;
	begin_shot(s);
	bool ok = info->is->heap_objects(info, object_met, s) >= 0 && !s->pages.failed;
	end_shot(s);
	info->is->resume(info);
	return ok && !s->pages.failed;
}

/*
 * Up to .NET 8 a heap can be walked only at the end of a collection, with roots reported before.
 * The runtime gives the references of an object without their places: references are numbered.
 */
static struct shot *_Atomic collecting;

/* The next slot from `at` on with this reference; the object's size: none. */
static uint64_t next_slot(uint64_t object, uint64_t size, uint64_t at, uint64_t to)
{
	for (; at + sizeof to <= size; at += sizeof to) {
		uint64_t there;
		memcpy(&there, (const void *)(uintptr_t)(object + at), sizeof there);
		if (there == to)
			return at;
	}
	return size;
}

/* The collector reports an object's references, mostly in the order of memory, without places. */
static bool have_slots(uint64_t object, uint64_t size, const uint64_t *refs, uint32_t n)
{
	uint64_t at = 0;
	for (uint32_t i = 0; i < n && at < size; i++)
		at = next_slot(object, size, at + sizeof at, refs[i]);
	return at < size;
}

/* Returns an error when no more of this collection is wanted. */
static pvp_hr met_by_collector(
	void *self, uint64_t object, uint64_t class, uint32_t n, const uint64_t *refs)
{
	struct pvp_clr_info *info = pvp_clr.info;
	struct shot *s = atomic_load_explicit(&collecting, memory_order_acquire);
	uint64_t size = 0;
	(void)self;
	if (!s || s->pages.failed)
		return PVP_HR_CANCEL;
	if (!s->pages.time)
		begin_shot(s);
	if (info->is->object_size_2(info, object, &size) < 0)
		return 0;
	begin_object(s, object, class, size);
	size -= size < sizeof size ? size : sizeof size; /* the first word lies before the object */
	bool slots = have_slots(object, size, refs, n);
	for (uint64_t i = 0, at = 0; i < n && !s->pages.failed; i++) {
		if (s->n == REFERENCES)
			put_shot_object(s);
		at = slots ? next_slot(object, size, at + sizeof at, refs[i]) : 0;
		s->pairs[2 * s->n] = at; /* 0: not known */
		s->pairs[2 * s->n++ + 1] = refs[i];
	}
	if (put_shot_object(s) && is_string(class, s->ev.heap_object.type))
		put_string_text(s, object);
	return 0;
}

static bool walk_by_collector(struct shot *s)
{
	struct pvp_clr_info *info = pvp_clr.info;
	find_strings();
	atomic_store_explicit(&collecting, s, memory_order_release);
	bool ok = info->is->force_gc(info) >= 0;
	atomic_store_explicit(&collecting, NULL, memory_order_release);
	ok &= s->pages.time != 0;
	end_shot(s);
	return ok && !s->pages.failed;
}

static bool by_collector(void)
{
	return pvp_clr.version < 15;
}

/* There is no room for two shots. */
static bool one_before_is_written(void)
{
	for (int i = 0; i < WRITE_TRIES; i++) {
		if (!atomic_load_explicit(&ready, memory_order_acquire))
			return true;
		pvp_session_flush();
	}
	return false;
}

static bool live(void)
{
	return pvp_clr_more() & PVP_CLR_LIVE;
}

/*
 * Makes the runtime collect everything, and takes the shot inside the collection if required. This
 * thread is unmuted only for this: with some collectors it reports the collection.
 */
static bool collect_for_shot(struct shot *within)
{
	struct pvp_clr_info *info = pvp_clr.info;
	atomic_store_explicit(&forcing, true, memory_order_relaxed);
	pvp_tls.muted = false;
	bool ok = within ? walk_by_collector(within) : info->is->force_gc(info) >= 0;
	pvp_tls.muted = true;
	atomic_store_explicit(&forcing, false, memory_order_relaxed);
	return ok;
}

void pvp_clr_heap_take(void)
{
	struct shot *s = calloc(1, sizeof *s);
	bool ok = s && one_before_is_written();
	if (ok) {
		pvp_clr_classes_name();
		pvp_clr_statics_find();
		pvp_shot_pages_begin(
			&s->pages, (uint64_t)syscall(SYS_gettid), pvp_clr.options.m.shot_bytes);
		ok = by_collector() ? collect_for_shot(s)
				    : (!live() || collect_for_shot(NULL)) && walk_heap(s);
		pvp_clr_classes_name();
	}
	if (ok)
		atomic_store_explicit(&ready, s->pages.first, memory_order_release);
	else
		atomic_fetch_add_explicit(&discarded, 1, memory_order_relaxed);
	if (s && !ok)
		pvp_shot_release(s->pages.first);
	free(s);
}

bool pvp_clr_heap_forces(void)
{
	return atomic_load_explicit(&forcing, memory_order_relaxed);
}

bool pvp_clr_heap_possible(void)
{
	return pvp_clr.info && (!by_collector() || pvp_clr_groups() & PVP_MANAGED_HEAPSHOTS);
}

static pvp_hr forget_roots(void)
{
	pthread_mutex_lock(&roots_lock);
	roots.n = 0;
	pthread_mutex_unlock(&roots_lock);
	return 0;
}

void pvp_clr_heap_begin(void)
{
	if (pvp_clr_more() & PVP_CLR_ROOTS)
		forget_roots();
}

void pvp_clr_heap_init(struct pvp_clr_mask *mask)
{
	if (by_collector() && pvp_clr_groups() & PVP_MANAGED_HEAPSHOTS) {
		mask->low |= PVP_CLR_GC;
		pvp_clr.slots[PVP_CLR_ObjectReferences] = (pvp_clr_slot)met_by_collector;
	}
	if (!(pvp_clr_more() & PVP_CLR_ROOTS))
		return;
	mask->low |= PVP_CLR_GC;
	pvp_clr.slots[PVP_CLR_RootReferences2] = (pvp_clr_slot)rooted;
	define_areas();
}

/* --- the writer's side */

void pvp_clr_heap_seen(void)
{
	seen = atomic_load_explicit(&ready, memory_order_acquire);
}

void pvp_clr_heap_flushed(struct pvp_writer *w)
{
	if (!seen)
		return;
	if (!pvp_shot_send(w, seen))
		atomic_fetch_add_explicit(&discarded, 1, memory_order_relaxed);
	pvp_shot_release(seen);
	seen = NULL;
	atomic_store_explicit(&ready, NULL, memory_order_release);
}

void pvp_clr_heap_forget(void)
{
	pvp_shot_release(atomic_exchange(&ready, NULL));
	seen = NULL;
	atomic_store(&discarded, 0);
	pvp_clr_shots_forget();
	forget_roots();
	pvp_clr_statics_forget();
}

uint64_t pvp_clr_heap_discarded(void)
{
	return atomic_load_explicit(&discarded, memory_order_relaxed);
}
