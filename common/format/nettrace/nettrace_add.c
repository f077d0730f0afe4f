/* SPDX-License-Identifier: MIT */
/* Helpers of the other parts: reading pointers, adding events to the batch. */
#include "common/format/batch_event.h"
#include "common/format/nettrace/nettrace_parts.h"

uint64_t nt_pointer(const struct nettrace *d, struct pv_cursor *c)
{
	return d->pointer == 4 ? pv_get_u32(c) : pv_get_u64(c);
}

struct pv_event *nt_add(struct pv_stream *s, uint8_t kind, uint64_t offset)
{
	struct nettrace *d = nt_of(s);
	struct pv_event *e = NULL;
	if (!s->want_offsets || pv_reserve(&s->offsets, 1))
		e = pv_batch_add(&s->batch, kind, d->now);
	d->nomem |= !e;
	if (e && s->want_offsets)
		s->offsets.v[s->offsets.n++] = offset;
	return e;
}

struct pv_text nt_text_of(const struct nettrace *d, uint32_t id)
{
	const char *at = pv_intern_text(&d->text, id);
	return (struct pv_text){ at, strlen(at) };
}

void nt_say_class(struct pv_stream *s, uint64_t key, uint32_t name, uint64_t offset)
{
	struct pv_event *e = nt_add(s, PV_KIND_CLASS_LOAD, offset);
	if (e) {
		e->meta.key = key;
		e->meta.name = nt_text_of(nt_of(s), name);
	}
	e = nt_add(s, PV_KIND_VTABLE_LOAD, offset);
	if (e) {
		e->meta.key = key;
		e->meta.owner = key;
	}
}

uint64_t nt_class_key(struct pv_stream *s, uint32_t name, uint64_t offset)
{
	struct nettrace *d = nt_of(s);
	uint64_t key = NT_CLASS | name;
	if (pv_map_get(&d->class_of, name) != PV_MAP_NONE)
		return key;
	d->nomem |= !pv_map_set(&d->class_of, name, 1);
	nt_say_class(s, key, name, offset);
	return key;
}

void nt_say_thread(struct pv_stream *s, uint64_t thread, uint64_t offset)
{
	struct nettrace *d = nt_of(s);
	uint32_t at = pv_map_get(&d->thread_of, thread);
	struct nt_thread *t = at == PV_MAP_NONE ? NULL : &d->thread.v[at];
	if (!t || t->named || !t->name)
		return;
	struct pv_event *e = nt_add(s, PV_KIND_THREAD_NAME, offset);
	t->named = true;
	if (!e)
		return;
	e->meta.key = thread;
	e->meta.name = nt_text_of(d, t->name);
}

struct nt_thread *nt_thread_of(struct nettrace *d, uint64_t id)
{
	uint32_t at = pv_map_get(&d->thread_of, id);
	if (at != PV_MAP_NONE)
		return &d->thread.v[at];
	at = (uint32_t)d->thread.n;
	if (at >= NT_THREADS)
		return NULL;
	if (!pv_reserve(&d->thread, 1) || !pv_map_set(&d->thread_of, id, at)) {
		d->nomem = true;
		return NULL;
	}
	d->thread.v[d->thread.n++] = (struct nt_thread){ .id = id };
	return &d->thread.v[at];
}

void nt_mark(struct pv_stream *s, const char *text, size_t n, uint64_t offset)
{
	struct nettrace *d = nt_of(s);
	uint32_t id = nt_intern(d, text, n);
	struct pv_event *e = nt_add(s, PV_KIND_EXT_MARK, offset);
	if (e)
		e->ext.text = nt_text_of(d, id);
}
