/* SPDX-License-Identifier: MIT */
/* STATISTICAL blocks: samples of the program's position, with callers in later logs. */
#include "common/format/block07/block07_parts.h"

/* --- a hit and its callers */

bool b07_flush_hit(struct b07 *d)
{
	struct pv_event e = { .kind = PV_KIND_SAMPLE_HIT };
	if (!d->hit)
		return true;
	d->hit = false;
	d->callers = 0;
	/* Native code without a name goes by its address. */
	size_t bare = d->hit_address && d->frames.v[0] == B07_NATIVE;
	bool ok = (!bare || b07_pool(d, &d->hit_address, 1, &e.hit.ips)) &&
		  b07_pool(d, d->frames.v + bare, d->frames.n - bare, &e.hit.frames);
	d->frames.n = 0;
	e.hit.address = d->hit_address;
	uint64_t item = d->item;
	d->item = d->hit_item;
	ok = ok && b07_push(d, &e, d->hit_time);
	d->item = item;
	return ok;
}

/* Names unknown code, so that its hits have a row. */
static bool name_unknown(struct b07 *d, uint64_t key)
{
	bool *named = key == 0 ? &d->unknown_named : &d->native_named;
	static const struct pv_text managed = { "(method not recorded)", 21 };
	static const struct pv_text native = { "(unmanaged code)", 16 };
	if (*named)
		return true;
	*named = true;
	return b07_push_name(d, key, 0, key == 0 ? managed : native, d->hit_time);
}

/* Adds a caller to the previous hit while callers are expected, else a new hit. */
enum b07_step b07_add_hit(struct b07 *d, uint64_t key, uint64_t address)
{
	bool caller = d->hit && d->callers > 0;
	if (!caller && !b07_flush_hit(d))
		return B07_NOMEM;
	bool unknown = key == 0 || (key == B07_NATIVE && (caller || address == 0));
	if ((unknown && !name_unknown(d, key)) || !pv_reserve(&d->frames, 1))
		return B07_NOMEM;
	if (caller) {
		d->callers--;
	} else {
		d->hit_address = address;
		d->hit_item = d->item;
	}
	d->frames.v[d->frames.n++] = key;
	d->hit = true;
	return B07_AGAIN;
}

static enum b07_step chain(struct b07 *d, uint64_t n)
{
	if (!d->hit || d->callers || d->frames.n > 1)
		return b07_bad(d, "a call chain that belongs to no hit");
	if (n > pv_cursor_left(&d->block.c) || n > B07_DEEPEST)
		return b07_bad(d, "a call chain longer than its block");
	d->callers = n;
	return B07_AGAIN;
}

/* --- regions: files mapped as code */

static struct b07_region *region(struct b07 *d, uint64_t id)
{
	uint32_t at = pv_map_get(&d->regions, id);
	return at == PV_MAP_NONE ? NULL : &d->region.v[at];
}

static bool add_region(struct b07 *d, uint64_t id, const struct pv_event *e)
{
	struct b07_region *r = region(d, id);
	if (!r) {
		if (!pv_reserve(&d->region, 1) ||
			!pv_map_set(&d->regions, id, (uint32_t)d->region.n))
			return false;
		r = &d->region.v[d->region.n++];
	}
	*r = (struct b07_region){ e->symbol.address, e->symbol.size };
	char *name = pv_arena_printf(&d->texts, "[%s]", e->symbol.name.at);
	struct pv_text text = { name, e->symbol.name.len + 2 };
	return name && b07_push_name(d, B07_REGION | id, 0, text, e->time);
}

enum { MAX_REGIONS = 1 << 16 };

static enum b07_step region_table(struct b07 *d)
{
	struct pv_cursor *c = &d->block.c;
	uint64_t id;
	unsigned n = 0;
	while (pv_cursor_ok(c) && (id = b07_var(c)) != 0) {
		struct b07_region *gone = region(d, id);
		if (gone)
			*gone = (struct b07_region){ 0, 0 };
	}
	while (pv_cursor_ok(c) && (id = b07_var(c)) != 0) {
		struct pv_event e = { .kind = PV_KIND_SAMPLE_BINARY };
		e.symbol.address = b07_var(c);
		e.symbol.size = b07_var(c);
		e.symbol.file_offset = b07_var(c);
		e.symbol.name = b07_text(c);
		if (!pv_cursor_ok(c))
			break;
		e.time = d->hit_time;
		if (++n > MAX_REGIONS)
			return b07_bad(d, "more regions than a process has");
		if (!b07_push(d, &e, d->hit_time) || !add_region(d, id, &e))
			return B07_NOMEM;
	}
	return b07_ok(d, B07_AGAIN);
}

/* A hit in a region, or anywhere (region 0): the next number is the position. */
static enum b07_step unmanaged(struct b07 *d, uint64_t id)
{
	uint64_t at = b07_var(&d->block.c);
	if (!pv_cursor_ok(&d->block.c))
		return B07_BAD;
	const struct b07_region *r = id ? region(d, id) : NULL;
	uint64_t start = r ? r->start : 0;
	if (id && !r &&
		!b07_push_name(d, B07_REGION | id, 0,
			(struct pv_text){ "[region not recorded]", 21 }, d->hit_time))
		return B07_NOMEM;
	return b07_add_hit(d, id ? B07_REGION | id : B07_NATIVE, id && !start ? 0 : start + at);
}

static enum b07_step new_function(struct b07 *d, uint64_t region_id)
{
	struct pv_cursor *c = &d->block.c;
	uint64_t id = b07_var(c);
	struct pv_text name = b07_text(c);
	if (!pv_cursor_ok(c))
		return B07_BAD;
	uint64_t owner = region_id ? B07_REGION | region_id : 0;
	if (!b07_push_name(d, B07_FUNCTION | id, owner, name, d->hit_time))
		return B07_NOMEM;
	return b07_add_hit(d, B07_FUNCTION | id, 0);
}

/* --- the block */

enum { A_METHOD = 1, A_UNMANAGED, A_REGIONS };
enum { METHOD = 1, FUNCTION, NEW_FUNCTION, REGION, CHAIN, REGIONS = 7 };

static enum b07_step item_a(struct b07 *d, unsigned code, uint64_t arg)
{
	switch (code) {
	case A_METHOD:
		return b07_add_hit(d, arg, 0);
	case A_UNMANAGED:
		return unmanaged(d, arg);
	default:
		return region_table(d);
	}
}

static enum b07_step item_b(struct b07 *d, unsigned code, uint64_t arg)
{
	switch (code) {
	case METHOD:
		return b07_add_hit(d, arg, 0);
	case FUNCTION:
		return b07_add_hit(d, B07_FUNCTION | arg, 0);
	case NEW_FUNCTION:
		return new_function(d, arg);
	case REGION:
		return unmanaged(d, arg);
	case CHAIN:
		return chain(d, arg);
	case REGIONS:
		return region_table(d);
	default:
		return b07_bad(d, "a statistical code that no profiler has written");
	}
}

/* Hits carry no time: the share of the block read so far is taken as the share of its time. */
static void place_hit(struct b07 *d)
{
	struct b07_block *b = &d->block;
	uint64_t gone = (uint64_t)(b->c.at - b->payload), span = 0;
	if (b->have_to)
		span = b->to.counter - b->from.counter;
	unsigned __int128 share = (unsigned __int128)span * gone / (b->size ? b->size : 1);
	b->counter = b->from.counter + (uint64_t)share;
	d->hit_time = b07_clock_ns(&d->clock, b->counter);
}

enum b07_step b07_hits(struct b07 *d)
{
	struct b07_block *b = &d->block;
	if (b->phase == 0) {
		b07_pair(&b->c);
		b->phase = 1;
		return b07_ok(d, B07_AGAIN);
	}
	unsigned bits = d->stage == B07_A ? 2 : 3;
	if (d->callers == 0 && !d->hit)
		place_hit(d);
	uint64_t v = b07_var(&b->c);
	if (!pv_cursor_ok(&b->c))
		return B07_BAD;
	unsigned code = (unsigned)v & ((1u << bits) - 1);
	if (code != 0) {
		if (d->hit && d->callers == 0 &&
			!(bits == 3 && (code == CHAIN || code == REGIONS))) {
			if (!b07_flush_hit(d))
				return B07_NOMEM;
			place_hit(d);
		}
		return bits == 2 ? item_a(d, code, v >> 2) : item_b(d, code, v >> 3);
	}
	if (v != 0 || d->callers)
		return b07_bad(d, "the end of the hits where more of them should be");
	if (!b07_flush_hit(d))
		return B07_NOMEM;
	b07_pair(&b->c);
	return b07_ok(d, B07_DONE);
}
