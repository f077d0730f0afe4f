/* SPDX-License-Identifier: MIT */
/* Maps from code to IL: kept from the runtime's events, and given out for code met by a sample. */
#include "common/format/nettrace/nettrace_il.h"

#include <stdio.h>

#include "common/format/nettrace/nettrace_parts.h"

enum { GUID = 16, ROOM = 4096, PDB_TEXT = 48 };

void nt_il_finish(struct nt_il *il)
{
	pv_array_finish(&il->module);
	pv_map_finish(&il->module_of);
	pv_array_finish(&il->body);
	pv_map_finish(&il->body_of);
	pv_ranges_finish(&il->code);
	pv_array_finish(&il->step);
	pv_map_finish(&il->place_of);
}

/* --- from the runtime */

static uint32_t pdb_of(struct nettrace *d, const uint8_t *g)
{
	char text[PDB_TEXT];
	int n = snprintf(text, sizeof text,
		"pdb %02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", g[3],
		g[2], g[1], g[0], g[5], g[4], g[7], g[6], g[8], g[9], g[10], g[11], g[12], g[13],
		g[14], g[15]);
	return nt_intern(d, text, (size_t)n);
}

void nt_il_module(struct pv_stream *s, struct pv_cursor *c)
{
	struct nettrace *d = nt_of(s);
	struct nt_il *il = &d->il;
	char path[ROOM];
	uint64_t id = pv_get_u64(c);
	(void)pv_get_bytes(c, 8 + 4 + 4); /* assembly, flags */
	size_t n = nt_text_into(c, path, sizeof path);
	nt_skip_text(c); /* path of its native image */
	(void)pv_get_bytes(c, 2);
	if (!pv_cursor_ok(c) || !n || il->module.n >= NT_IL_MODULES)
		return;
	const uint8_t *guid = pv_cursor_left(c) >= GUID ? pv_get_bytes(c, GUID) : NULL;
	struct nt_module m = { nt_intern(d, path, n), guid ? pdb_of(d, guid) : 0, false };
	if (pv_reserve(&il->module, 1) && pv_map_set(&il->module_of, id, (uint32_t)il->module.n))
		il->module.v[il->module.n++] = m;
	else
		d->nomem = true;
}

/* False: too many bodies, or no memory. */
static bool add_body(struct nettrace *d, const struct nt_body *b)
{
	struct nt_il *il = &d->il;
	if (il->body.n >= NT_IL_BODIES)
		return false;
	if (!pv_reserve(&il->body, 2)) {
		d->nomem = true;
		return false;
	}
	if (il->body.n == 0)
		il->body.v[il->body.n++] = (struct nt_body){ 0 };
	d->nomem |= !pv_map_set(&il->body_of, b->method, (uint32_t)il->body.n);
	il->body.v[il->body.n++] = *b;
	return true;
}

static struct nt_body *newest_of(struct nt_il *il, uint64_t method)
{
	uint32_t at = pv_map_get(&il->body_of, method);
	return at == PV_MAP_NONE ? NULL : &il->body.v[at];
}

static void enter_body(struct nettrace *d, const struct nt_body *b)
{
	struct nt_il *il = &d->il;
	d->nomem |= !pv_ranges_add(&il->code, b->start, b->size, (uint32_t)(b - il->body.v));
}

/* In the rundown the map comes before the method, otherwise after. */
void nt_il_loaded(struct pv_stream *s, const struct nt_body *b)
{
	struct nettrace *d = nt_of(s);
	struct nt_body *last = newest_of(&d->il, b->method);
	if (!b->start || !b->size || (last && last->start == b->start))
		return;
	if (!last || last->start) {
		add_body(d, b);
		return;
	}
	last->module = b->module;
	last->start = b->start;
	last->size = b->size;
	last->token = b->token;
	enter_body(d, last);
}

static bool take_steps(struct nt_il *il, struct pv_cursor *c, struct nt_body *b, uint32_t n)
{
	if (!pv_reserve(&il->step, n))
		return false;
	b->first = (uint32_t)il->step.n;
	for (uint32_t i = 0; i < n; i++)
		il->step.v[b->first + i].il = pv_get_u32(c);
	for (uint32_t i = 0; i < n; i++)
		il->step.v[b->first + i].native = pv_get_u32(c);
	il->step.n += n;
	b->n = n;
	return true;
}

/* A map is of the method's last loaded body; in the rundown, of the body announced next. */
void nt_il_map(struct pv_stream *s, struct pv_cursor *c, bool here)
{
	struct nettrace *d = nt_of(s);
	struct nt_il *il = &d->il;
	uint64_t method = pv_get_u64(c);
	pv_get_u64(c); /* version of the IL */
	pv_get_u8(c);
	uint32_t n = pv_get_u16(c);
	if (!pv_cursor_ok(c) || !n || pv_cursor_left(c) < 8 * (size_t)n ||
		il->step.n + n > NT_IL_STEPS)
		return;
	struct nt_body *b = newest_of(il, method);
	if (here && (!b || b->n) && add_body(d, &(struct nt_body){ .method = method }))
		b = newest_of(il, method);
	if (!b || b->n)
		return;
	d->nomem |= !take_steps(il, c, b, n);
	if (b->start)
		enter_body(d, b);
}

/* --- given out */

static bool say_module(struct pv_stream *s, uint64_t id, uint64_t offset)
{
	struct nettrace *d = nt_of(s);
	uint32_t at = pv_map_get(&d->il.module_of, id);
	if (at == PV_MAP_NONE)
		return false;
	struct nt_module *m = &d->il.module.v[at];
	struct pv_event *e = m->said ? NULL : nt_add(s, PV_KIND_IMAGE_LOAD, offset);
	if (e) {
		e->meta.key = id;
		e->meta.name = nt_text_of(d, m->path);
		e->meta.mvid = nt_text_of(d, m->pdb);
	}
	m->said = true;
	return true;
}

static void say_map(struct pv_stream *s, struct nt_body *b, uint64_t offset)
{
	struct nettrace *d = nt_of(s);
	struct pv_batch *to = &s->batch;
	const struct nt_step *v = d->il.step.v + b->first;
	if (b->said || !say_module(s, b->module, offset))
		return;
	b->said = true;
	struct pv_event *e = nt_add(s, PV_KIND_EXT_IL_MAP, offset);
	if (!e || !pv_reserve(&to->pool, 2 * (size_t)b->n)) {
		d->nomem = true;
		return;
	}
	e->il_map.code = b->start;
	e->il_map.size = b->size;
	e->il_map.method = b->method;
	e->il_map.image = b->module;
	e->il_map.token = b->token;
	e->il_map.pairs = (struct pv_span){ (uint32_t)to->pool.n, 2 * b->n };
	for (uint32_t i = 0; i < b->n; i++) {
		to->pool.v[to->pool.n++] = v[i].native;
		to->pool.v[to->pool.n++] = (uint64_t)(int64_t)(int32_t)v[i].il;
	}
}

static bool say_place(struct pv_stream *s, uint64_t address, uint32_t body, uint64_t offset)
{
	struct nettrace *d = nt_of(s);
	struct nt_il *il = &d->il;
	if (pv_map_get(&il->place_of, address) == body)
		return true;
	if (il->place_of.n >= NT_ADDRESSES)
		return false;
	struct pv_event *e = nt_add(s, PV_KIND_EXT_PLACE, offset);
	d->nomem |= !e || !pv_map_set(&il->place_of, address, body);
	if (e) {
		e->code_place.address = address;
		e->code_place.method = il->body.v[body].method;
	}
	return e;
}

void nt_il_known(struct pv_stream *s, uint64_t address, uint64_t offset)
{
	struct nt_il *il = &nt_of(s)->il;
	uint32_t body = pv_ranges_find(&il->code, address);
	if (body)
		say_map(s, &il->body.v[body], offset);
}

void nt_il_places(struct pv_stream *s, const struct nt_blob *b, uint64_t *key, size_t n)
{
	struct nettrace *d = nt_of(s);
	uint32_t at = b->stack ? pv_map_get(&d->stack_of, b->stack) : PV_MAP_NONE;
	if (at == PV_MAP_NONE)
		return;
	const struct nt_stack *k = &d->stack.v[at];
	for (uint32_t i = 0; i < k->n && i < n; i++) {
		const uint64_t ip = d->frame.v[k->at + i], address = i && ip ? ip - 1 : ip;
		uint32_t body = pv_ranges_find(&d->il.code, address);
		if (!body || key[i] != d->il.body.v[body].method)
			continue;
		say_map(s, &d->il.body.v[body], b->offset);
		if (say_place(s, address, body, b->offset))
			key[i] = address;
	}
}
