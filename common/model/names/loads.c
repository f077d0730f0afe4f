/* SPDX-License-Identifier: MIT */
/* Applies loads, unloads and compilations with their durations and failures. */
#include "common/model/names/loads.h"

#include "common/model/ground/model_parts.h"
#include "common/model/names/early_definitions.h"

static enum pv_entity_kind entity_of(unsigned kind)
{
	switch (kind) {
	case PV_KIND_IMAGE_LOAD:
	case PV_KIND_IMAGE_UNLOAD:
		return PV_ENTITY_IMAGE;
	case PV_KIND_ASSEMBLY_LOAD:
	case PV_KIND_ASSEMBLY_UNLOAD:
		return PV_ENTITY_ASSEMBLY;
	case PV_KIND_DOMAIN_LOAD:
	case PV_KIND_DOMAIN_UNLOAD:
		return PV_ENTITY_DOMAIN;
	default:
		return PV_ENTITY_CLASS;
	}
}

static int64_t duration(const struct pv_event *e, uint64_t started)
{
	return started && started <= e->time ? (int64_t)(e->time - started) : PV_NEVER;
}

static bool note_load(struct pv_context *x, const struct pv_event *e, bool unload)
{
	struct pv_loads *s = &x->m->loads;
	struct pv_load one = { .end_ns = x->time,
		.took_ns = duration(e, e->meta.started),
		.key = e->meta.key,
		.what = (uint8_t)entity_of(e->kind),
		.unload = unload,
		.failed = e->meta.failed || e->kind == PV_KIND_CLASS_LOAD_FAIL };
	if (one.took_ns == PV_NEVER && !one.failed)
		return true; /* the lists of loaded things have as much */
	s->loads++;
	s->failed += one.failed;
	if (s->load.n >= PV_LOADS_LIST)
		return true;
	if (!pv_reserve(&s->load, 1) ||
		(e->meta.name.at && !pv_intern_add(&x->m->names.text, e->meta.name.at,
					    e->meta.name.len, &one.name)))
		return false;
	s->load.v[s->load.n++] = one;
	return true;
}

static bool compile(struct pv_context *x, const struct pv_event *e)
{
	struct pv_loads *s = &x->m->loads;
	int64_t took = duration(e, e->jit.started);
	s->compiles_failed += e->kind == PV_KIND_METHOD_JIT_FAIL;
	if (took == PV_NEVER)
		return true;
	uint32_t method = pv_model_method(x->m, e->jit.method);
	uint32_t at = pv_map_get(&s->compile_of, method);
	s->compiles++;
	s->compile_ns += took;
	s->compile_max_ns = took > s->compile_max_ns ? took : s->compile_max_ns;
	if (at == PV_MAP_NONE) {
		at = (uint32_t)s->compile.n;
		if (!method || !pv_reserve(&s->compile, 1) ||
			!pv_map_set(&s->compile_of, method, at))
			return false;
		s->compile.v[s->compile.n++] = (struct pv_compile){ .method = method };
	}
	struct pv_compile *c = &s->compile.v[at];
	c->times++;
	c->failed += e->kind == PV_KIND_METHOD_JIT_FAIL;
	c->total_ns += took;
	c->max_ns = took > c->max_ns ? took : c->max_ns;
	return true;
}

bool pv_loads_apply(struct pv_context *x, const struct pv_event *e)
{
	if (!x->counts)
		return true;
	switch (e->kind) {
	case PV_KIND_METHOD_JIT:
	case PV_KIND_METHOD_JIT_FAIL:
		return compile(x, e);
	case PV_KIND_CLASS_LOAD:
	case PV_KIND_CLASS_LOAD_FAIL:
	case PV_KIND_IMAGE_LOAD:
	case PV_KIND_ASSEMBLY_LOAD:
	case PV_KIND_DOMAIN_LOAD:
		return note_load(x, e, false);
	case PV_KIND_CLASS_UNLOAD:
	case PV_KIND_IMAGE_UNLOAD:
	case PV_KIND_ASSEMBLY_UNLOAD:
	case PV_KIND_DOMAIN_UNLOAD:
		return note_load(x, e, true);
	default:
		return true;
	}
}

bool pv_loads_apply_extension(struct pv_context *x, const struct pv_event *e)
{
	struct pv_event plain = *e;
	if (e->kind == PV_KIND_EXT_LOAD_FAILED) {
		plain.kind = e->meta.flags == 2   ? PV_KIND_IMAGE_LOAD
			     : e->meta.flags == 3 ? PV_KIND_ASSEMBLY_LOAD
						  : PV_KIND_CLASS_LOAD_FAIL;
		plain.meta.failed = 1;
		return pv_loads_apply(x, &plain);
	}
	if (e->kind == PV_KIND_EXT_JIT_FAILED) {
		plain.kind = PV_KIND_METHOD_NAME;
		if (!pv_names_take(x->m, &plain))
			return false;
	}
	plain.kind = e->kind == PV_KIND_EXT_JIT_TIME ? PV_KIND_METHOD_JIT : PV_KIND_METHOD_JIT_FAIL;
	plain.jit.started = e->time - e->jit.started;
	x->m->private->use_ns = x->time;
	return pv_loads_apply(x, &plain);
}

void pv_loads_finish(struct pv_loads *s)
{
	pv_array_finish(&s->load);
	pv_array_finish(&s->compile);
	pv_map_finish(&s->compile_of);
}
