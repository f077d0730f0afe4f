/* The ground of the other parts: fields of pointers, and events of the batch. */
#include "common/format/nettrace/nettrace_parts.h"

uint64_t nt_pointer(const struct nettrace *d, struct pv_cursor *c)
{
	return d->pointer == 4 ? pv_get_u32(c) : pv_get_u64(c);
}

struct pv_event *nt_add(struct b07_stream *s, uint8_t kind, uint64_t offset)
{
	struct nettrace *d = nt_of(s);
	struct pv_batch *b = &s->batch;
	if (!pv_batch_reserve(b, 1) || !pv_reserve(&b->other_events, 1) ||
		(s->want_offsets && !pv_reserve(&s->offsets, 1))) {
		d->nomem = true;
		return NULL;
	}
	b->time[b->n] = d->now;
	b->kind[b->n] = kind;
	b->key[b->n++] = b->other_events.n;
	if (s->want_offsets)
		s->offsets.v[s->offsets.n++] = offset;
	b->other_events.v[b->other_events.n] = (struct pv_event){ .time = d->now, .kind = kind };
	return &b->other_events.v[b->other_events.n++];
}

struct pv_text nt_text_of(const struct nettrace *d, uint32_t id)
{
	const char *at = pv_intern_text(&d->text, id);
	return (struct pv_text){ at, strlen(at) };
}

void nt_say_class(struct b07_stream *s, uint64_t key, uint32_t name, uint64_t offset)
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
