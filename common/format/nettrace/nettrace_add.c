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
