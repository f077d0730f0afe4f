/* SPDX-License-Identifier: MIT */
/* Applies compiled methods, runtime helpers and code coverage. */
#include "common/model/names/jit.h"

#include "common/model/ground/model_parts.h"

enum { MAX_CODE = 64 << 20 };

/* Numbers up to data version 13 are higher by 1; 0 was "unknown" there. */
static enum pv_helper_type helper_type(const struct pv_model *m, uint64_t type)
{
	if (m->target.rules <= 13) {
		if (type == 0)
			return PV_HELPER_UNKNOWN;
		type--;
	}
	return type < PV_HELPER_UNKNOWN ? (enum pv_helper_type)type : PV_HELPER_OTHER;
}

static bool intern(struct pv_model *m, const struct pv_text *t, uint32_t *ret_id)
{
	return pv_intern_add(&m->names.text, t->at ? t->at : "", t->len, ret_id);
}

static bool covered_assembly(struct pv_model *m, const struct pv_event *e)
{
	struct pv_helpers *h = &m->helpers;
	struct pv_covered_assembly a = { .methods = e->coverage.methods,
		.full = e->coverage.full,
		.partial = e->coverage.partial };
	if (!pv_reserve(&h->assemblies, 1) || !intern(m, &e->coverage.assembly, &a.name) ||
		!intern(m, &e->coverage.guid, &a.guid) || !intern(m, &e->coverage.file, &a.file))
		return false;
	h->assemblies.v[h->assemblies.n++] = a;
	return true;
}

static bool covered_class(struct pv_model *m, const struct pv_event *e)
{
	struct pv_helpers *h = &m->helpers;
	struct pv_covered_class c = { .methods = e->coverage.methods,
		.full = e->coverage.full,
		.partial = e->coverage.partial };
	if (!pv_reserve(&h->classes, 1) || !intern(m, &e->coverage.assembly, &c.assembly) ||
		!intern(m, &e->coverage.class_name, &c.name))
		return false;
	h->classes.v[h->classes.n++] = c;
	return true;
}

static bool covered_method(struct pv_model *m, const struct pv_event *e)
{
	struct pv_helpers *h = &m->helpers;
	struct pv_covered_method c = { .token = e->coverage.token,
		.id = e->coverage.method_id,
		.statements = e->coverage.statements };
	if (!pv_reserve(&h->methods, 1) || !intern(m, &e->coverage.assembly, &c.assembly) ||
		!intern(m, &e->coverage.class_name, &c.class_name) ||
		!intern(m, &e->coverage.method, &c.name) ||
		!intern(m, &e->coverage.signature, &c.signature) ||
		!intern(m, &e->coverage.file, &c.file))
		return false;
	uint32_t at = (uint32_t)h->methods.n;
	h->methods.v[h->methods.n++] = c;
	return pv_map_set(&h->method_of, c.id, at);
}

static bool covered_statement(struct pv_model *m, const struct pv_event *e)
{
	struct pv_helpers *h = &m->helpers;
	uint32_t at = pv_map_get(&h->method_of, e->coverage.method_id);
	if (at == PV_MAP_NONE) {
		h->stray_statements++;
		return true;
	}
	struct pv_covered_method *c = &h->methods.v[at];
	c->il += e->coverage.il; /* a step from the statement before; wraps when negative */
	c->seen++;
	c->covered += e->coverage.hits > 0;
	if (h->statements.n >= PV_COVERAGE_LIST) {
		h->statements_dropped++;
		return true;
	}
	if (!pv_reserve(&h->statements, 1))
		return false;
	h->statements.v[h->statements.n++] = (struct pv_covered_statement){ at, c->il,
		e->coverage.hits, e->coverage.line, e->coverage.column };
	return true;
}

static void add_helper_bytes(struct pv_helper_sum *s, uint64_t bytes)
{
	s->count++;
	s->bytes += bytes;
}

static bool named_helper(struct pv_model *m, const struct pv_event *e, enum pv_helper_type type)
{
	struct pv_helpers *h = &m->helpers;
	struct pv_named_helper n = { .type = (uint8_t)type };
	if (!intern(m, &e->helper.name, &n.name))
		return false;
	uint64_t key = (uint64_t)type << 32 | n.name;
	uint32_t at = pv_map_get(&h->named_of, key);
	if (at == PV_MAP_NONE && h->named.n >= PV_HELPER_NAMES)
		return true;
	if (at == PV_MAP_NONE) {
		at = (uint32_t)h->named.n;
		if (!pv_reserve(&h->named, 1) || !pv_map_set(&h->named_of, key, at))
			return false;
		h->named.v[h->named.n++] = n;
	}
	add_helper_bytes(&h->named.v[at].sum, e->helper.size);
	return true;
}

static bool helper(struct pv_model *m, const struct pv_event *e)
{
	struct pv_helpers *h = &m->helpers;
	enum pv_helper_type type = helper_type(m, e->helper.type);
	add_helper_bytes(&h->helper[type], e->helper.size);
	h->count++;
	h->bytes += e->helper.size;
	return e->helper.name.len == 0 || named_helper(m, e, type);
}

bool pv_helpers_apply(struct pv_context *x, const struct pv_event *e)
{
	struct pv_helpers *h = &x->m->helpers;
	if (!x->counts)
		return true;
	switch (e->kind) {
	case PV_KIND_METHOD_JIT:
		h->jitted++;
		if (e->jit.size > MAX_CODE)
			h->bad_sizes++;
		else
			h->code_bytes += e->jit.size;
		return true;
	case PV_KIND_JIT_HELPER:
		return helper(x->m, e);
	case PV_KIND_COVERAGE_ASSEMBLY:
	case PV_KIND_EXT_COVERED_ASSEMBLY:
		return covered_assembly(x->m, e);
	case PV_KIND_COVERAGE_CLASS:
	case PV_KIND_EXT_COVERED_CLASS:
		return covered_class(x->m, e);
	case PV_KIND_COVERAGE_METHOD:
	case PV_KIND_EXT_COVERED_METHOD:
		return covered_method(x->m, e);
	default:
		return covered_statement(x->m, e);
	}
}

bool pv_covered_link(struct pv_helpers *h)
{
	if (!pv_reserve(&h->linked, h->statements.n - h->linked.n))
		return false;
	for (size_t i = h->linked.n; i < h->statements.n; i++) {
		uint32_t method = h->statements.v[i].method;
		uint32_t before = pv_map_get(&h->newest_of, method);
		if (!pv_map_set(&h->newest_of, method, (uint32_t)i + 1))
			return false;
		h->linked.v[h->linked.n++] = before == PV_MAP_NONE ? 0 : before;
	}
	return true;
}

void pv_helpers_finish(struct pv_helpers *h)
{
	pv_array_finish(&h->assemblies);
	pv_array_finish(&h->classes);
	pv_array_finish(&h->methods);
	pv_array_finish(&h->statements);
	pv_map_finish(&h->newest_of);
	pv_array_finish(&h->linked);
	pv_map_finish(&h->method_of);
	pv_array_finish(&h->named);
	pv_map_finish(&h->named_of);
}
