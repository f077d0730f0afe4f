/* SPDX-License-Identifier: MIT */
/* Blocks of the 2007 family with names and settings: mappings, loads and unloads, directives. */
#include "common/format/block07/block07_parts.h"

enum { KIND_MODULE = 1, KIND_ASSEMBLY = 2, KIND_DOMAIN = 4, KIND_FAILURE = 16 };

enum b07_step b07_end_block(struct b07 *d)
{
	struct pv_cursor *c = &d->block.c;
	b07_var(c);
	b07_pair(c);
	return b07_ok(d, B07_DONE);
}

/* --- mapping: phase 1 classes, 2 methods, 3 the clock after them */

static enum b07_step class_name(struct b07 *d, uint64_t id)
{
	struct b07_block *b = &d->block;
	struct pv_event e = { .kind = PV_KIND_CLASS_NAME };
	uint32_t name;
	e.meta.key = id;
	e.meta.owner = d->directives & B07_ASSEMBLY_ID ? b07_var(&b->c) : 0;
	e.meta.name = b07_text(&b->c);
	if (!pv_cursor_ok(&b->c))
		return B07_BAD;
	bool ok = pv_intern_add(&d->text, e.meta.name.at, e.meta.name.len, &name) &&
		  pv_map_set(&d->classes, id, name) &&
		  (e.meta.owner == 0 || e.meta.owner >= PV_MAP_NONE ||
			  pv_map_set(&d->assemblies, id, (uint32_t)e.meta.owner)) &&
		  b07_push(d, &e, b07_clock_ns(&d->clock, b->counter));
	return ok ? B07_AGAIN : B07_NOMEM;
}

/* Puts the class in front of the log's "name (signature)", as in other logs. */
static bool full_name(struct b07 *d, uint64_t class, struct pv_text *name)
{
	uint32_t id = pv_map_get(&d->classes, class);
	if (class == 0 || id == PV_MAP_NONE)
		return true;
	size_t len = name->len;
	const char *of = pv_intern_text(&d->text, id);
	name->at = pv_arena_printf(&d->texts, "%s:%s", of, name->at);
	name->len = len + strlen(of) + 1;
	return name->at != NULL;
}

static enum b07_step method_name(struct b07 *d, uint64_t id)
{
	struct b07_block *b = &d->block;
	struct pv_event e = { .kind = PV_KIND_METHOD_NAME };
	e.meta.key = id;
	e.meta.owner = b07_var(&b->c);
	e.meta.flags = d->directives & B07_WRAPPER ? b07_var(&b->c) : 0;
	e.meta.name = b07_text(&b->c);
	if (!pv_cursor_ok(&b->c))
		return B07_BAD;
	uint32_t name;
	bool ok = full_name(d, e.meta.owner, &e.meta.name) &&
		  pv_intern_add(&d->text, e.meta.name.at, e.meta.name.len, &name) &&
		  pv_map_set(&d->methods, id, name) &&
		  b07_push(d, &e, b07_clock_ns(&d->clock, b->counter));
	return ok ? B07_AGAIN : B07_NOMEM;
}

enum b07_step b07_mapping(struct b07 *d)
{
	struct b07_block *b = &d->block;
	if (b->phase == 0) {
		b->counter = b07_pair(&b->c).counter;
		b->thread = b07_var(&b->c);
		b->phase = 1;
		return b07_ok(d, B07_AGAIN);
	}
	if (b->phase == 3) {
		b07_pair(&b->c);
		return b07_ok(d, B07_DONE);
	}
	uint64_t id = b07_var(&b->c);
	if (!pv_cursor_ok(&b->c))
		return B07_BAD;
	if (id == 0) {
		b->phase++;
		return B07_AGAIN;
	}
	return b->phase == 1 ? class_name(d, id) : method_name(d, id);
}

/* --- loads */

static enum pv_kind loaded_kind(unsigned kind, bool unloaded)
{
	if (kind & KIND_MODULE)
		return unloaded ? PV_KIND_IMAGE_UNLOAD : PV_KIND_IMAGE_LOAD;
	if (kind & KIND_ASSEMBLY)
		return unloaded ? PV_KIND_ASSEMBLY_UNLOAD : PV_KIND_ASSEMBLY_LOAD;
	return unloaded ? PV_KIND_DOMAIN_UNLOAD : PV_KIND_DOMAIN_LOAD;
}

/* base name, version of four, culture, token, retargetable: the name has all of this already */
static void skip_assembly_name(struct pv_cursor *c)
{
	b07_text(c);
	for (unsigned i = 0; i < 4; i++)
		b07_var(c);
	b07_text(c);
	b07_text(c);
	b07_var(c);
}

/* Without an id the name is the key. */
static bool take_key(struct b07 *d, struct pv_event *e)
{
	uint32_t id;
	if (d->directives & B07_LOADED_ID)
		return true;
	if (!pv_intern_add(&d->text, e->meta.name.at, e->meta.name.len, &id))
		return false;
	e->meta.key = id;
	return true;
}

enum b07_step b07_loaded(struct b07 *d)
{
	struct b07_block *b = &d->block;
	struct pv_cursor *c = &b->c;
	struct pv_event e = { 0 };
	unsigned kind = pv_get_u8(c);
	bool unloaded = b->code == (d->draft ? DRAFT_UNLOADED : B07_UNLOADED);
	uint64_t start = b07_var(c), end = b07_var(c);
	b->thread = b07_var(c);
	if (d->directives & B07_LOADED_ID)
		e.meta.key = b07_var(c);
	e.meta.name = b07_text(c);
	if (!unloaded && (kind & KIND_ASSEMBLY) && (d->directives & B07_ASSEMBLY_ID))
		skip_assembly_name(c);
	if (!pv_cursor_ok(c))
		return B07_BAD;
	if (!(kind & (KIND_MODULE | KIND_ASSEMBLY | KIND_DOMAIN)))
		return b07_bad(d, "neither a module nor an assembly nor a domain");
	e.kind = (uint8_t)loaded_kind(kind, unloaded);
	e.meta.failed = (kind & KIND_FAILURE) != 0;
	e.meta.started = b07_clock_ns(&d->clock, start);
	if (!take_key(d, &e) || !b07_push(d, &e, b07_clock_ns(&d->clock, end)))
		return B07_NOMEM;
	return B07_DONE;
}

/* --- directives */

static void set_stage(struct b07 *d)
{
	enum b07_stage stage = B07_B;
	if (d->directives & B07_OBJECT_ID)
		stage = B07_C;
	if (d->directives & (B07_LOADED_ID | B07_ASSEMBLY_ID | B07_WRAPPER))
		stage = B07_D;
	if (stage <= d->stage)
		return;
	d->stage = stage;
	d->out->stage = b07_stage_name(stage);
}

/* The codes replace the current directives: no code means that all are off. */
enum b07_step b07_directives(struct b07 *d)
{
	struct b07_block *b = &d->block;
	struct pv_event e = { .kind = PV_KIND_DIRECTIVES };
	unsigned directives = 0;
	uint64_t code, counter = b07_pair(&b->c).counter;
	size_t at = d->out->batch.pool.n;
	while (pv_cursor_ok(&b->c) && (code = b07_var(&b->c)) != 0) {
		struct pv_span one;
		if (code < 32)
			directives |= 1u << code;
		if (d->out->batch.pool.n - at < 64 && !b07_pool(d, &code, 1, &one))
			return B07_NOMEM;
	}
	b07_pair(&b->c);
	if (!pv_cursor_ok(&b->c))
		return B07_BAD;
	d->directives = directives;
	set_stage(d);
	e.directives.codes =
		(struct pv_span){ (uint32_t)at, (uint32_t)(d->out->batch.pool.n - at) };
	return b07_push(d, &e, b07_clock_ns(&d->clock, counter)) ? B07_DONE : B07_NOMEM;
}
