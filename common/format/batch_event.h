/* SPDX-License-Identifier: MIT */
/*
 * Events of a batch that are neither calls nor allocations, by entry. One thread at a time uses a
 * batch.
 */
#ifndef PV_FORMAT_BATCH_EVENT_H
#define PV_FORMAT_BATCH_EVENT_H

#include "common/format/batch.h"

/*
 * The event of entry i, owned by the batch; NULL for a call, an allocation and a segment. Of a
 * plain kind only the kind's members may be read; a plain event may only be copied by
 * pv_batch_copy_event().
 */
static inline const struct pv_event *pv_batch_event(const struct pv_batch *b, size_t i)
{
	unsigned kind = b->kind[i];
	if (pv_kind_is_plain(kind))
		return (const void *)&b->plain_events.v[b->key[i]];
	return kind > PV_KIND_METHOD_EXC_LEAVE && kind < PV_KIND_COUNT
		       ? &b->other_events.v[b->key[i]]
		       : NULL;
}
/*
 * Copies the event of entry i, with zeros for members that a plain kind lacks; not for calls,
 * allocations and segments.
 */
void pv_batch_copy_event(const struct pv_batch *b, size_t i, struct pv_event *ret);

/*
 * Adds an entry with an event that is zero but for kind and time, for the caller to fill in until
 * the next one is added. Not for calls and allocations. NULL: out of memory.
 */
struct pv_event *pv_batch_add(struct pv_batch *b, uint8_t kind, uint64_t time_ns);
/* Adds a copy of the event at the given time. False: out of memory. */
bool pv_batch_put_event(struct pv_batch *b, const struct pv_event *e, uint64_t time_ns);

#endif
