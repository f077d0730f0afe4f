/* SPDX-License-Identifier: MIT */
/*
 * A runtime older than the module: domains, assemblies and types were not reported. The runtime
 * lists domains and assemblies; types show on objects only, so a collection is made, and the heap
 * is searched for unknown types. With the world stopped types are only noted.
 */
#include <mono/metadata/appdomain.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/object.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/base/map.h"
#include "probe/mono/host_mono.h"

enum { TYPES = 1 << 16 }; /* places; further types stay without a name */

static MonoVTable **met; /* by hash; NULL: free */
static size_t met_n;
static _Atomic bool looking;

static int meet_type(MonoObject *object, MonoClass *klass, uintptr_t size, uintptr_t n,
	MonoObject **refs, uintptr_t *offsets, void *ctx)
{
	(void)klass, (void)n, (void)refs, (void)offsets, (void)ctx;
	MonoVTable *vtable = object->vtable;
	size_t at = (size_t)pv_hash((uint64_t)(uintptr_t)vtable) % TYPES;
	if (!size || pvp_mono_type_met(vtable))
		return 0;
	while (met[at] && met[at] != vtable)
		at = (at + 1) % TYPES;
	if (met[at] || met_n >= TYPES / 2)
		return 0;
	met[at] = vtable;
	met_n++;
	return 0;
}

void pvp_mono_join_stopped(void)
{
	if (!atomic_load_explicit(&looking, memory_order_relaxed) || !pvp_mono_types_hold())
		return;
	mono_gc_walk_heap(0, meet_type, NULL);
	pvp_mono_types_release();
}

static void tell_domain(MonoDomain *domain, void *ctx)
{
	(void)ctx;
	pvp_mono_domain_there(domain);
}

static void tell_assembly(void *assembly, void *ctx)
{
	(void)ctx;
	pvp_mono_assembly_there(assembly);
}

bool pvp_mono_is_joined(void)
{
	return mono_get_root_domain() != NULL;
}

void pvp_mono_join(void)
{
	mono_domain_foreach(tell_domain, NULL);
	mono_assembly_foreach(tell_assembly, NULL);
	met = calloc(TYPES, sizeof *met);
	if (!met)
		return;
	atomic_store(&looking, true);
	mono_gc_collect(mono_gc_max_generation());
	atomic_store(&looking, false);
	for (size_t i = 0; i < TYPES; i++)
		if (met[i])
			pvp_mono_vtable_there(met[i]);
	free(met);
	met = NULL;
}
