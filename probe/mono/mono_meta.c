/* SPDX-License-Identifier: MIT */
/* Definitions and unloads: methods, classes, images, assemblies, domains, contexts, threads. */
#include <mono/metadata/appdomain.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/attrdefs.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "probe/core/emit.h"
#include "probe/managed/thread_names.h"
#include "probe/mono/host_mono.h"
#include "probe/mono/mono_holder.h"
#include "probe/mono/mono_methods.h"
#include "probe/managed/code_ranges.h"
#include "probe/managed/managed_names.h"
#include "probe/managed/managed_walk.h"

/* Frees memory given by Mono. */
extern void mono_free(void *);

static struct pv_text mono_text(const char *t)
{
	return (struct pv_text){ t ? t : "", t ? strlen(t) : 0 };
}

static struct pv_event meta(uint8_t kind, const void *key)
{
	return (struct pv_event){ .kind = kind,
		.meta = { .key = pvp_managed_key(key), .name = { "", 0 }, .mvid = { "", 0 } } };
}

/* --- methods */

static void jit_begins(MonoProfiler *p, MonoMethod *method)
{
	(void)p;
	pvp_mono_compile_begin(method, pvp_monotonic());
}

static void jit_failed(MonoProfiler *p, MonoMethod *method)
{
	uint64_t calling, now = pvp_monotonic();
	uint64_t begin = pvp_mono_compile_end(method, &calling);
	if (!(p->options.groups & PVP_MANAGED_RUNTIME))
		return;
	char *name = mono_method_full_name(method, 1);
	struct pv_event ev = { .kind = PV_KIND_EXT_JIT_FAILED,
		.jit = { .method = pvp_mono_method(method),
			.started = begin ? now - begin : 0,
			.name = mono_text(name) } };
	pvp_names_say(&ev);
	mono_free(name);
}

static void name_method(uint64_t key)
{
	char *name = mono_method_full_name(pvp_mono_method_of(key), 1);
	struct pv_event ev = { .kind = PV_KIND_METHOD_JIT,
		.jit = { .method = key, .name = mono_text(name) } };
	pvp_names_define(&ev);
	mono_free(name);
}

/* Names methods that were only seen on stacks; where the runtime may be asked. */
static void name_missing(void)
{
	uint64_t key;
	while (pvp_names_take_unnamed(&key))
		if (!pvp_names_knows(key))
			name_method(key);
}

static void jitted(MonoProfiler *p, MonoMethod *method, MonoJitInfo *info)
{
	uint64_t calling, now = pvp_monotonic();
	uint64_t begin = pvp_mono_compile_end(method, &calling);
	bool timed = begin && p->options.groups & PVP_MANAGED_RUNTIME;
	char *name = mono_method_full_name(method, 1);
	struct pv_event ev = { .kind = PV_KIND_METHOD_JIT,
		.jit = { .method = pvp_mono_method(method),
			.code = (uint64_t)(uintptr_t)mono_jit_info_get_code_start(info),
			.size = (uint64_t)mono_jit_info_get_code_size(info),
			.started = timed ? now - begin : 0, /* duration */
			.name = mono_text(name) } };
	pvp_names_define(&ev);
	if (p->options.sample_real)
		pvp_ranges_add(ev.jit.code, ev.jit.size, ev.jit.method);
	if (calling)
		pvp_names_set_calling(calling);
	if (p->options.groups & PVP_MANAGED_LINES)
		pvp_mono_lines(method);
	mono_free(name);
	name_missing();
}

void pvp_mono_name_method(uint64_t key)
{
	if (!pvp_tls.hurried && !pvp_names_knows(key))
		name_method(key);
}

static void shutdown_begins(MonoProfiler *p)
{
	if (p->options.shot_at_end)
		pvp_mono_heap_collect();
	if (p->options.groups & PVP_MANAGED_COVERAGE)
		pvp_mono_coverage_tell();
	pvp_mono_counters_end();
	pvp_mono_last_samples();
	pvp_mono_counters_close();
	name_missing();
	pvp_mono_samples_named();
}

static void method_freed(MonoProfiler *p, MonoMethod *method)
{
	(void)p;
	pvp_names_free_method(pvp_mono_method(method));
	pvp_mono_coverage_freed(method);
}

/* Buffer types in Mono's numbering, equal to the log's from data version 14 on. */
static void code_buffer(MonoProfiler *p, const mono_byte *buffer, uint64_t size,
	MonoProfilerCodeBufferType type, const void *data)
{
	if (type == MONO_PROFILER_CODE_BUFFER_EXCEPTION_HANDLING)
		pvp_mono_code_throws(buffer, size);
	if (type == MONO_PROFILER_CODE_BUFFER_METHOD || !(p->options.groups & PVP_MANAGED_JIT))
		return; /* the method's own definition has the code */
	bool named = type == MONO_PROFILER_CODE_BUFFER_SPECIFIC_TRAMPOLINE;
	struct pv_event ev = { .kind = PV_KIND_JIT_HELPER,
		.helper = { (uint64_t)type, (uint64_t)(uintptr_t)buffer, size,
			mono_text(named ? data : NULL) } };
	pvp_names_define(&ev);
}

/* --- classes */

static _Atomic bool initialized;

static void runtime_initialized(MonoProfiler *p)
{
	(void)p;
	atomic_store(&initialized, true);
	pvp_mono_holder_met();
	pvp_mono_samples_began();
}

static void define_class(MonoClass *klass, const char *name)
{
	struct pv_event ev = meta(PV_KIND_CLASS_LOAD, klass);
	ev.meta.image = pvp_managed_key(mono_class_get_image(klass));
	ev.meta.name = mono_text(name);
	pvp_names_define(&ev);
}

/* Until the runtime is initialized, full names of types are not available: uses plain names. */
static void early_class(MonoClass *klass)
{
	char name[512];
	const char *space = mono_class_get_namespace(klass);
	snprintf(name, sizeof name, "%.250s%s%.250s", space, *space ? "." : "",
		mono_class_get_name(klass));
	define_class(klass, name);
}

static void class_loaded(MonoProfiler *p, MonoClass *klass)
{
	(void)p;
	if (!atomic_load_explicit(&initialized, memory_order_relaxed)) {
		early_class(klass);
		return;
	}
	char *name = mono_type_get_name(mono_class_get_type(klass));
	define_class(klass, name);
	mono_free(name);
}

/* --- written on request only: failed loads, names of fields */

static void load_failed(uint64_t what, const void *key, const char *name)
{
	struct pv_event ev = meta(PV_KIND_EXT_LOAD_FAILED, key);
	ev.meta.flags = what;
	ev.meta.name = mono_text(name);
	pvp_names_say(&ev);
}

static void image_failed(MonoProfiler *p, MonoImage *image)
{
	(void)p;
	load_failed(2, image, mono_image_get_filename(image));
}

static void class_failed(MonoProfiler *p, MonoClass *klass)
{
	(void)p;
	load_failed(1, klass, mono_class_get_name(klass));
}

static void vtable_failed(MonoProfiler *p, MonoVTable *vtable)
{
	(void)p;
	load_failed(7, vtable, mono_class_get_name(mono_vtable_class(vtable)));
}

/* Place of a structure's fields in the class that has the structure. */
struct inside {
	MonoClass *owner;
	uint32_t offset; /* of the structure */
	bool is_static;
	int depth;
	const char *path; /* "entry." */
};

static void define_fields(MonoClass *klass, const struct inside *in);

/* Fields of structures are reported as fields of the class: "entry.key". */
static void define_inner(MonoType *type, const struct inside *in, uint32_t offset, const char *name)
{
	enum { DEEPEST = 4 };
	char path[200];
	MonoClass *inner = type && in->depth < DEEPEST ? mono_class_from_mono_type(type) : NULL;
	bool fits = snprintf(path, sizeof path, "%s%s.", in->path, name) < (int)sizeof path;
	int kind = inner ? mono_type_get_type(type) : MONO_TYPE_END;
	if (!fits || (kind != MONO_TYPE_VALUETYPE && kind != MONO_TYPE_GENERICINST) ||
		!mono_class_is_valuetype(inner) || mono_class_is_enum(inner))
		return;
	const uint32_t head = 2 * sizeof(void *); /* of a boxed structure, included in offsets */
	const struct inside next = { .owner = in->owner,
		.offset = offset - head,
		.is_static = in->is_static,
		.depth = in->depth + 1,
		.path = path };
	define_fields(inner, &next);
}

static void define_field(MonoClassField *f, const struct inside *in)
{
	MonoType *type = mono_field_get_type(f);
	char *type_name = type ? mono_type_get_name(type) : NULL;
	char name[256];
	snprintf(name, sizeof name, "%s%s", in->path, mono_field_get_name(f));
	struct pv_event ev = { .kind = PV_KIND_EXT_FIELD,
		.field = { .owner = pvp_managed_key(in->owner),
			.offset = mono_field_get_offset(f) + in->offset,
			.is_static = in->is_static,
			.type = mono_text(type_name),
			.name = mono_text(name) } };
	pvp_names_define(&ev);
	mono_free(type_name);
	define_inner(type, in, (uint32_t)ev.field.offset, mono_field_get_name(f));
}

/* Constants have no place. */
static void define_fields(MonoClass *klass, const struct inside *in)
{
	void *at = NULL;
	for (MonoClassField *f; (f = mono_class_get_fields(klass, &at));) {
		uint32_t flags = mono_field_get_flags(f);
		struct inside own = *in;
		if (flags & MONO_FIELD_ATTR_LITERAL ||
			(in->depth && flags & MONO_FIELD_ATTR_STATIC))
			continue;
		own.is_static |= (flags & MONO_FIELD_ATTR_STATIC) != 0;
		define_field(f, &own);
	}
}

/* Fields of structures in an array are reported as fields of the array, in the first element. */
static void define_elements(MonoClass *array)
{
	MonoClass *element = mono_class_get_element_class(array);
	const uint32_t first = 4 * sizeof(void *); /* after table, lock, bounds and length */
	struct pv_event ev = { .kind = PV_KIND_EXT_ELEMENTS,
		.elements = {
			pvp_managed_key(array), first, (uint64_t)mono_array_element_size(array) } };
	pvp_names_define(&ev);
	const struct inside in = { .owner = array,
		.offset = first - 2 * (uint32_t)sizeof(void *), /* of boxed structures */
		.depth = 1,
		.path = "" };
	if (element && mono_class_is_valuetype(element) && !mono_class_is_enum(element))
		define_fields(element, &in);
}

static void define_layout(MonoClass *klass)
{
	MonoClass *parent = mono_class_get_parent(klass);
	const struct inside whole = { .owner = klass, .path = "" };
	struct pv_event ev = { .kind = PV_KIND_EXT_PARENT,
		.class_parent = { pvp_managed_key(klass), pvp_managed_key(parent) } };
	if (parent)
		pvp_names_define(&ev);
	if (mono_class_get_rank(klass) == 1)
		define_elements(klass);
	else
		define_fields(klass, &whole);
}

/* A class, with its ancestors, has a layout once there is a vtable. */
static void fields_known(MonoVTable *vtable)
{
	if (!atomic_load_explicit(&initialized, memory_order_relaxed))
		return;
	for (MonoClass *k = mono_vtable_class(vtable); k; k = mono_class_get_parent(k))
		if (pvp_names_fields_new(pvp_managed_key(k)))
			define_layout(k);
}

static void vtable_loaded(MonoProfiler *p, MonoVTable *vtable)
{
	pvp_mono_type_loaded(vtable);
	if (p->options.groups & PVP_MANAGED_FIELDS)
		fields_known(vtable);
}

/* --- images and assemblies */

static struct pv_event image_event(uint8_t kind, MonoImage *image)
{
	struct pv_event ev = meta(kind, image);
	ev.meta.name = mono_text(mono_image_get_filename(image));
	if (kind == PV_KIND_IMAGE_LOAD)
		ev.meta.mvid = mono_text(mono_image_get_guid(image));
	return ev;
}

static void image_loaded(MonoProfiler *p, MonoImage *image)
{
	(void)p;
	struct pv_event ev = image_event(PV_KIND_IMAGE_LOAD, image);
	pvp_names_define(&ev);
}

static void image_unloading(MonoProfiler *p, MonoImage *image)
{
	(void)p;
	struct pv_event ev = image_event(PV_KIND_IMAGE_UNLOAD, image);
	pvp_names_fields_again();
	pvp_names_end(&ev);
}

static void assembly(uint8_t kind, MonoAssembly *a)
{
	char *name = mono_stringify_assembly_name(mono_assembly_get_name(a));
	struct pv_event ev = meta(kind, a);
	ev.meta.image = pvp_managed_key(mono_assembly_get_image(a));
	ev.meta.name = mono_text(name);
	if (kind == PV_KIND_ASSEMBLY_LOAD)
		pvp_names_define(&ev);
	else
		pvp_names_end(&ev);
	mono_free(name);
}

static void assembly_loaded(MonoProfiler *p, MonoAssembly *a)
{
	(void)p;
	assembly(PV_KIND_ASSEMBLY_LOAD, a);
}

static void assembly_unloading(MonoProfiler *p, MonoAssembly *a)
{
	(void)p;
	assembly(PV_KIND_ASSEMBLY_UNLOAD, a);
}

/* --- domains and contexts */

static void domain_loaded(MonoProfiler *p, MonoDomain *domain)
{
	(void)p;
	struct pv_event ev = meta(PV_KIND_DOMAIN_LOAD, domain);
	pvp_names_define(&ev);
}

/* Until here the domain's code runs, and names in the domain are valid. */
static void domain_unloaded(MonoProfiler *p, MonoDomain *domain)
{
	(void)p;
	struct pv_event ev = meta(PV_KIND_DOMAIN_UNLOAD, domain);
	pvp_names_end(&ev);
	pvp_mono_types_died(domain);
	pvp_managed_walk_forget();
}

static void domain_named(MonoProfiler *p, MonoDomain *domain, const char *name)
{
	(void)p;
	struct pv_event ev = meta(PV_KIND_DOMAIN_NAME, domain);
	ev.meta.name = mono_text(name);
	pvp_names_define(&ev);
}

static void context(uint8_t kind, MonoAppContext *c)
{
	struct pv_event ev = meta(kind, NULL);
	ev.meta.key = (uint32_t)mono_context_get_id(c);
	ev.meta.domain = (uint32_t)mono_context_get_domain_id(c);
	if (kind == PV_KIND_CONTEXT_LOAD)
		pvp_names_define(&ev);
	else
		pvp_names_end(&ev);
}

static void context_loaded(MonoProfiler *p, MonoAppContext *c)
{
	(void)p;
	context(PV_KIND_CONTEXT_LOAD, c);
}

static void context_unloaded(MonoProfiler *p, MonoAppContext *c)
{
	(void)p;
	context(PV_KIND_CONTEXT_UNLOAD, c);
}

/* --- threads */

static void thread_started(MonoProfiler *p, uintptr_t id)
{
	(void)p;
	uint64_t tid = 0;
	pvp_mono_holder_met();
	pvp_thread_began(); /* also threads without any recorded event are written */
	if (pvp_lock()) {
		struct pvp_thread *here = pvp_thread_here();
		tid = here ? here->tid : 0;
		pvp_unlock();
	}
	pvp_thread_names_began(id, tid);
}

static void thread_named(MonoProfiler *p, uintptr_t id, const char *name)
{
	(void)p;
	if (name)
		pvp_thread_names_set(id, name);
}

static void thread_stopped(MonoProfiler *p, uintptr_t id)
{
	(void)p;
	pvp_thread_names_ended(id);
	pvp_mono_thread_done();
}

/* --- things loaded before the probe */

void pvp_mono_domain_there(MonoDomain *domain)
{
	const char *name = mono_domain_get_friendly_name(domain);
	domain_loaded(&pvp_mono, domain);
	if (name)
		domain_named(&pvp_mono, domain, name);
}

void pvp_mono_assembly_there(MonoAssembly *assembly)
{
	image_loaded(&pvp_mono, mono_assembly_get_image(assembly));
	assembly_loaded(&pvp_mono, assembly);
}

void pvp_mono_vtable_there(MonoVTable *vtable)
{
	class_loaded(&pvp_mono, mono_vtable_class(vtable));
	vtable_loaded(&pvp_mono, vtable);
}

void pvp_mono_meta_init(struct _MonoProfiler *p)
{
	MonoProfilerHandle h = p->handle;
	atomic_store(&initialized, pvp_mono_is_joined());
	mono_profiler_set_runtime_initialized_callback(h, runtime_initialized);
	mono_profiler_set_runtime_shutdown_begin_callback(h, shutdown_begins);
	mono_profiler_set_jit_begin_callback(h, jit_begins);
	mono_profiler_set_jit_failed_callback(h, jit_failed);
	mono_profiler_set_jit_done_callback(h, jitted);
	mono_profiler_set_method_free_callback(h, method_freed);
	if (p->options.groups & (PVP_MANAGED_JIT | PVP_MANAGED_EXCEPTIONS))
		mono_profiler_set_jit_code_buffer_callback(h, code_buffer);
	if (p->options.groups & PVP_MANAGED_RUNTIME) {
		mono_profiler_set_image_failed_callback(h, image_failed);
		mono_profiler_set_class_failed_callback(h, class_failed);
		mono_profiler_set_vtable_failed_callback(h, vtable_failed);
	}
	mono_profiler_set_class_loaded_callback(h, class_loaded);
	mono_profiler_set_vtable_loaded_callback(h, vtable_loaded);
	mono_profiler_set_image_loaded_callback(h, image_loaded);
	mono_profiler_set_image_unloading_callback(h, image_unloading);
	mono_profiler_set_assembly_loaded_callback(h, assembly_loaded);
	mono_profiler_set_assembly_unloading_callback(h, assembly_unloading);
	mono_profiler_set_domain_loaded_callback(h, domain_loaded);
	mono_profiler_set_domain_unloaded_callback(h, domain_unloaded);
	mono_profiler_set_domain_name_callback(h, domain_named);
	mono_profiler_set_context_loaded_callback(h, context_loaded);
	mono_profiler_set_context_unloaded_callback(h, context_unloaded);
	mono_profiler_set_thread_started_callback(h, thread_started);
	mono_profiler_set_thread_name_callback(h, thread_named);
	mono_profiler_set_thread_stopped_callback(h, thread_stopped);
}
