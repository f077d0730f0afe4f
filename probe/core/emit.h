/* SPDX-License-Identifier: MIT */
/*
 * Events, encoded as they happen. The hot events are written out by hand here; a test compares them
 * with the rows of the format. While the chunk has room there is no lock, no atomic
 * read-modify-write and no call.
 */
#ifndef PV_PROBE_EMIT_H
#define PV_PROBE_EMIT_H

#include "common/base/cursor.h"
#include "common/format/batch.h"
#include "probe/core/thread_buf.h"

/* Bytes of the rows LEAVE, ENTER, EXC_LEAVE. */
enum pvp_call_event { PVP_LEAVE = 0x13, PVP_ENTER = 0x23, PVP_EXC_LEAVE = 0x33, PVP_ALLOC = 0x00 };
enum { PVP_FREE = 0x5f, PVP_FREE_KIND = 1 }; /* the extension event of native frees */

#define PVP_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Time goes never back within a thread, whatever the counter says. */
static inline uint8_t *pvp_put_time(struct pvp_thread *t, uint8_t *p, uint64_t now)
{
	uint64_t delta = now - t->time;
	if (PVP_UNLIKELY((int64_t)delta < 0))
		delta = 0;
	t->time += delta;
	return pv_put_uleb(p, delta);
}

/* Each writes an event at `p` and returns the byte after it, never NULL: there is room. */
static inline uint8_t *pvp_put_call(
	struct pvp_thread *t, uint8_t *p, enum pvp_call_event event, uint64_t method, uint64_t now)
{
	*p = (uint8_t)event;
	p = pvp_put_time(t, p + 1, now);
	p = pv_put_sleb(p, (int64_t)(method - t->method));
	t->method = method;
	return p;
}

/* Object addresses count in units of 8, from the first object in the chunk. */
static inline void pvp_base_object(struct pvp_thread *t, uint64_t object)
{
	if (PVP_UNLIKELY(!t->obj_base)) {
		t->obj_base = object >> 3 ? object >> 3 : 1;
		atomic_store_explicit(&t->chunk->obj_base, t->obj_base, memory_order_relaxed);
	}
}

/* As pvp_put_call(). */
static inline uint8_t *pvp_put_alloc(struct pvp_thread *t, uint8_t *p, uint64_t type,
	uint64_t object, uint64_t bytes, uint64_t now)
{
	pvp_base_object(t, object);
	*p = PVP_ALLOC;
	p = pvp_put_time(t, p + 1, now);
	p = pv_put_sleb(p, (int64_t)type); /* the pointer base is 0 */
	p = pv_put_sleb(p, (int64_t)((object >> 3) - t->obj_base));
	return pv_put_uleb(p, bytes);
}
static inline uint8_t *pvp_put_free(struct pvp_thread *t, uint8_t *p, uint64_t object, uint64_t now)
{
	pvp_base_object(t, object);
	*p = PVP_FREE;
	uint8_t *length = pvp_put_time(t, p + 1, now);
	length[1] = PVP_FREE_KIND;
	p = pv_put_sleb(length + 2, (int64_t)((object >> 3) - t->obj_base));
	*length = (uint8_t)(p - length - 1);
	return p;
}

/* The events up to `end` may be read by the writer. */
static inline void pvp_publish(struct pvp_thread *t, uint8_t *end)
{
	atomic_store_explicit(&t->cursor, end, memory_order_release);
}

/* As pvp_call(), for a thread without a chunk or with a full chunk; with the guard held. */
void pvp_call_room(enum pvp_call_event event, uint64_t method);

/* As pvp_call_room(), and releases the guard. */
void pvp_call_slow(enum pvp_call_event event, uint64_t method);
void pvp_alloc_slow(uint64_t type, uint64_t object, uint64_t bytes);
void pvp_free_slow(uint64_t object);

/* An enter or leave, an allocation, on the calling thread. */
static inline void pvp_call(enum pvp_call_event event, uint64_t method)
{
	if (PVP_UNLIKELY(!pvp_guard_on())) {
		pvp_nested();
		return;
	}
	struct pvp_thread *t = pvp_tls.thread;
	uint8_t *p = atomic_load_explicit(&t->cursor, memory_order_relaxed);
	if (PVP_UNLIKELY(p >= atomic_load_explicit(&t->call_limit, memory_order_relaxed))) {
		pvp_call_slow(event, method);
		return;
	}
	pvp_publish(t, pvp_put_call(t, p, event, method, pvp_tsc_ns(&t->clock)));
	pvp_guard_off();
}
static inline void pvp_alloc(uint64_t type, uint64_t object, uint64_t bytes)
{
	if (PVP_UNLIKELY(!pvp_guard_on())) {
		pvp_nested();
		return;
	}
	struct pvp_thread *t = pvp_tls.thread;
	uint8_t *p = atomic_load_explicit(&t->cursor, memory_order_relaxed);
	if (PVP_UNLIKELY(p >= atomic_load_explicit(&t->alloc_limit, memory_order_relaxed))) {
		pvp_alloc_slow(type, object, bytes);
		return;
	}
	pvp_publish(t, pvp_put_alloc(t, p, type, object, bytes, pvp_tsc_ns(&t->clock)));
	pvp_guard_off();
}

/* A native block is freed; only if the options ask for frees. */
static inline void pvp_free(uint64_t object)
{
	if (PVP_UNLIKELY(!pvp_guard_on())) {
		pvp_nested();
		return;
	}
	struct pvp_thread *t = pvp_tls.thread;
	uint8_t *p = atomic_load_explicit(&t->cursor, memory_order_relaxed);
	if (PVP_UNLIKELY(p >= atomic_load_explicit(&t->alloc_limit, memory_order_relaxed))) {
		pvp_free_slow(object);
		return;
	}
	pvp_publish(t, pvp_put_free(t, p, object, pvp_tsc_ns(&t->clock)));
	pvp_guard_off();
}

/*
 * Any other event, at this moment: sets ev->time; spans index pools->pool (NULL: none). `object` is
 * the first address in the event, 0: none: a chunk's first object chooses the base for all. At most
 * PVP_ROOM_MAX bytes. False: not recorded (and counted, when a session runs).
 */
bool pvp_event(struct pv_event *ev, const struct pv_batch *pools, uint64_t object);

/* Several events at the same moment, directly one after another: all are recorded; false: none. */
bool pvp_events(struct pv_event *ev, unsigned n, const struct pv_batch *pools, uint64_t object);

/* Bits of enum pvp_group: groups left out by pvp_event() for now, and off in stats. */
extern _Atomic unsigned pvp_groups_off;

/* A text at this moment, as the extension event of marks; NULL and marks=off do nothing. */
void pvp_mark(const char *text);

#endif
