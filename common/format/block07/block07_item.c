/* SPDX-License-Identifier: MIT */
/* Reading primitives of the 2007 decoders, and adding events to the batch. */
#include <string.h>

#include "common/format/batch_event.h"
#include "common/format/block07/block07_parts.h"

uint64_t b07_var(struct pv_cursor *c)
{
	uint64_t v = 0;
	if (!pv_cursor_ok(c))
		return 0;
	for (unsigned shift = 0; shift < 7 * PV_LEB_MAX; shift += 7) {
		if (c->at == c->end) {
			c->short_read = true;
			return 0;
		}
		uint8_t byte = *c->at++;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (shift == 63 && (byte & 0x7e))
			break;
		if (byte & 0x80)
			return v;
	}
	c->malformed = true;
	return 0;
}

struct pv_text b07_text(struct pv_cursor *c)
{
	struct pv_text t;
	t.at = pv_get_cstr(c, &t.len);
	return t;
}

struct b07_pair b07_pair(struct pv_cursor *c)
{
	struct b07_pair p;
	p.counter = b07_var(c);
	p.us = b07_var(c);
	return p;
}

enum b07_step b07_ok(const struct b07 *d, enum b07_step step)
{
	return pv_cursor_ok(&d->block.c) ? step : B07_BAD;
}

enum b07_step b07_bad(struct b07 *d, const char *why)
{
	d->why = why;
	return B07_BAD;
}

static bool note_item(struct b07 *d)
{
	if (!d->out->want_offsets)
		return true;
	if (!pv_reserve(&d->out->offsets, 1))
		return false;
	d->out->offsets.v[d->out->offsets.n++] = d->item;
	return true;
}

static bool push(struct b07 *d, uint8_t kind, uint64_t key, uint64_t time)
{
	struct pv_batch *b = &d->out->batch;
	if (!pv_batch_reserve(b, 1) || !note_item(d))
		return false;
	b->time[b->n] = time;
	b->kind[b->n] = kind;
	b->key[b->n] = key;
	b->n++;
	return true;
}

bool b07_push_call(struct b07 *d, enum pv_kind kind, uint64_t method, uint64_t time)
{
	return push(d, (uint8_t)kind, method, time);
}

bool b07_push_alloc(struct b07 *d, const struct pv_alloc *a, uint64_t time)
{
	struct pv_batch *b = &d->out->batch;
	if (!pv_reserve(&b->allocs, 1))
		return false;
	b->allocs.v[b->allocs.n++] = *a;
	return push(d, PV_KIND_ALLOC, b->allocs.n - 1, time);
}

bool b07_push(struct b07 *d, struct pv_event *e, uint64_t time)
{
	e->time = time;
	e->offset = (uint32_t)(d->item - d->block.payload_offset);
	return note_item(d) && pv_batch_put_event(&d->out->batch, e, time);
}

bool b07_push_name(struct b07 *d, uint64_t key, uint64_t owner, struct pv_text name, uint64_t time)
{
	struct pv_event e = { .kind = PV_KIND_METHOD_NAME };
	e.meta.key = key;
	e.meta.owner = owner;
	e.meta.name = name;
	return b07_push(d, &e, time);
}

bool b07_pool(struct b07 *d, const uint64_t *v, size_t n, struct pv_span *ret)
{
	struct pv_batch *b = &d->out->batch;
	if (b->pool.n > UINT32_MAX - n || !pv_reserve(&b->pool, n))
		return false;
	*ret = (struct pv_span){ (uint32_t)b->pool.n, (uint32_t)n };
	if (n)
		memcpy(b->pool.v + b->pool.n, v, n * sizeof *v);
	b->pool.n += n;
	return true;
}

const char *b07_stage_name(enum b07_stage stage)
{
	static const char *const name[] = { "draft", "A", "B", "C", "D" };
	return name[stage];
}
