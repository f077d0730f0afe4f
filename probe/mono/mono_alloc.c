/* SPDX-License-Identifier: MIT */
/*
 * Allocations. What a type's objects measure is remembered by vtable, the first word of every
 * object: only strings and arrays are asked for their size.
 */
#include <mono/metadata/class.h>
#include <mono/metadata/object.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "probe/core/alloc_period.h"
#include "probe/core/emit.h"
#include "probe/mono/host_mono.h"
#include "probe/managed/managed_names.h"

enum { REMEMBERED = 256, SEEN = 256 }; /* types, methods a thread */
enum { COMPILING = 32 };               /* methods at once: one may first need another */

struct memory {
	uint32_t deaths;
	struct pvp_mono_type type[REMEMBERED];
	uint64_t seen[SEEN];
	struct {
		const MonoMethod *method;
		uint64_t begin_ns;
		uint64_t calling; /* key of the method whose code calls us, 0: none */
		bool asked;
	} compiling[COMPILING];
	size_t open; /* of these, the innermost last */
};

static _Thread_local struct memory *memory __attribute__((tls_model("initial-exec")));
static _Atomic uint32_t deaths;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pv_map ids; /* vtable -> number; 0: the vtable at this address is dead */
static PV_ARRAY(struct pvp_mono_type) types; /* by number; [0] unused */
static PV_ARRAY(MonoDomain *) homes;         /* likewise: the vtable's domain */

static void define_type(const struct pvp_mono_type *t)
{
	struct pv_event ev = { .kind = PV_KIND_VTABLE_LOAD,
		.meta = { .key = t->id,
			.domain = pvp_managed_key(mono_vtable_domain(t->vtable)),
			.owner = pvp_managed_key(mono_vtable_class(t->vtable)),
			.name = { "", 0 },
			.mvid = { "", 0 } } };
	pvp_names_define(&ev);
}

static uint32_t fixed_size(MonoVTable *vtable)
{
	MonoClass *klass = mono_vtable_class(vtable);
	if (mono_class_get_rank(klass) > 0 || klass == mono_get_string_class())
		return 0;
	int32_t n = mono_class_instance_size(klass);
	return n > 0 ? (uint32_t)n : 0;
}

/* Under the lock. Gives this vtable a new number, whatever was at its address before. */
static bool number_type(MonoVTable *vtable, struct pvp_mono_type *ret)
{
	if (!pv_reserve(&types, 2) || !pv_reserve(&homes, 2))
		return false;
	if (types.n == 0) {
		types.v[types.n++] = (struct pvp_mono_type){ 0 };
		homes.v[homes.n++] = NULL;
	}
	*ret = (struct pvp_mono_type){ vtable, (uint32_t)types.n, fixed_size(vtable) };
	if (!pv_map_set(&ids, (uint64_t)(uintptr_t)vtable, ret->id))
		return false;
	types.v[types.n++] = *ret;
	homes.v[homes.n++] = mono_vtable_domain(vtable);
	return true;
}

static bool find_or_number(MonoVTable *vtable, struct pvp_mono_type *ret)
{
	bool fresh = false, ok = true;
	pthread_mutex_lock(&lock);
	uint32_t id = pv_map_get(&ids, (uint64_t)(uintptr_t)vtable);
	if (id != PV_MAP_NONE && id != 0)
		*ret = types.v[id];
	else
		ok = fresh = number_type(vtable, ret);
	pthread_mutex_unlock(&lock);
	if (fresh)
		define_type(ret);
	return ok;
}

uint32_t pvp_mono_type_loaded(MonoVTable *vtable)
{
	struct pvp_mono_type t; /* objects or statics may have come before */
	return find_or_number(vtable, &t) ? t.id : 0;
}

void pvp_mono_types_died(const MonoDomain *home)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 1; i < types.n; i++) {
		if (homes.v[i] != home)
			continue;
		pv_map_set(&ids, (uint64_t)(uintptr_t)types.v[i].vtable, 0);
		homes.v[i] = NULL;
	}
	pthread_mutex_unlock(&lock);
	atomic_fetch_add_explicit(&deaths, 1, memory_order_relaxed);
}

void pvp_mono_types_wait(void)
{
	pthread_mutex_lock(&lock);
}

bool pvp_mono_types_hold(void)
{
	return pthread_mutex_trylock(&lock) == 0;
}

uint32_t pvp_mono_type_met(MonoVTable *vtable)
{
	uint32_t id = pv_map_get(&ids, (uint64_t)(uintptr_t)vtable);
	return id == PV_MAP_NONE ? 0 : id;
}

void pvp_mono_types_release(void)
{
	pthread_mutex_unlock(&lock);
}

void pvp_mono_thread_done(void)
{
	free(memory);
	memory = NULL;
}

static struct memory *memory_here(void)
{
	struct memory *m = memory;
	uint32_t now = atomic_load_explicit(&deaths, memory_order_relaxed);
	if (PVP_UNLIKELY(!m)) {
		m = memory = calloc(1, sizeof *m);
		if (m)
			m->deaths = now;
	} else if (PVP_UNLIKELY(m->deaths != now)) {
		memset(m->type, 0, sizeof m->type);
		m->deaths = now;
	}
	return m;
}

bool pvp_mono_seen(uint64_t key)
{
	struct memory *m = memory_here();
	uint64_t *place = m ? &m->seen[(key ^ key >> 8) % SEEN] : NULL;
	bool seen = place && *place == key;
	if (place)
		*place = key;
	return seen;
}

void pvp_mono_compile_begin(const MonoMethod *method, uint64_t now)
{
	struct memory *m = memory_here();
	if (!m || m->open == COMPILING)
		return;
	m->compiling[m->open].method = method;
	m->compiling[m->open].begin_ns = now;
	m->compiling[m->open].asked = false;
	m->compiling[m->open++].calling = 0;
}

void pvp_mono_compile_asked(uint64_t calling)
{
	struct memory *m = memory;
	if (!m || !m->open || m->compiling[m->open - 1].asked)
		return;
	m->compiling[m->open - 1].asked = true;
	m->compiling[m->open - 1].calling = calling;
}

uint64_t pvp_mono_compile_end(const MonoMethod *method, uint64_t *ret_calling)
{
	struct memory *m = memory;
	*ret_calling = 0;
	for (size_t i = m ? m->open : 0; i > 0; i--) {
		if (m->compiling[i - 1].method != method)
			continue;
		*ret_calling = m->compiling[i - 1].calling;
		m->open = i - 1;
		return m->compiling[i - 1].begin_ns;
	}
	return 0;
}

bool pvp_mono_type(MonoVTable *vtable, struct pvp_mono_type *ret)
{
	struct memory *m = memory_here();
	struct pvp_mono_type *t =
		m ? &m->type[((uintptr_t)vtable >> 4 ^ (uintptr_t)vtable >> 12) % REMEMBERED] : ret;
	if (!m || t->vtable != vtable) {
		if (!find_or_number(vtable, t))
			return false;
	}
	*ret = *t;
	return true;
}

static void allocated_with_stack(uint32_t type, uint64_t object, uint64_t size)
{
	uint64_t keys[PVP_MANAGED_FRAMES];
	size_t n = pvp_mono_stack(keys, false);
	const struct pv_batch pools = { .pool = { keys, n, n } };
	struct pv_event ev = { .kind = PV_KIND_ALLOC,
		.alloc = { type, object, size, { 0, (uint32_t)n } } };
	pvp_event(&ev, &pools, object);
}

static void object_allocated(MonoProfiler *p, MonoObject *object)
{
	struct pvp_mono_type t;
	if (!pvp_mono_type(object->vtable, &t))
		return;
	uint64_t size = t.size ? t.size : mono_object_get_size(object);
	size = (size + 7) & ~(uint64_t)7;
	if (p->options.alloc_period && !pvp_alloc_taken(size))
		return;
	if (p->options.frames)
		allocated_with_stack(t.id, (uint64_t)(uintptr_t)object, size);
	else
		pvp_alloc(t.id, (uint64_t)(uintptr_t)object, size);
}

void pvp_mono_alloc_init(struct _MonoProfiler *p)
{
	pvp_alloc_every(p->options.alloc_period);
	if (mono_profiler_enable_allocations())
		mono_profiler_set_gc_allocation_callback(p->handle, object_allocated);
}
