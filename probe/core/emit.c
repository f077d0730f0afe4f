/* SPDX-License-Identifier: MIT */
/* The slow way of events: rare kinds, a thread's first event, a full chunk, marks. */
#include "probe/core/emit.h"

#include <string.h>

#include "common/format/mlpd/mlpd.h"
#include "probe/core/scan.h"

enum { MARK_MAX = 1000, MARK_FAMILY = 2, MARK_KIND = 1 };

/* The first event in a chunk chooses the bases of the chunk. */
static uint64_t begin_event(struct pvp_thread *t, const uint8_t *p)
{
	uint64_t now = pvp_now(&t->clock);
	if (p != t->chunk->data)
		return now;
	if (now > t->time)
		t->time = now;
	t->chunk->time_base = t->time;
	t->chunk->method_base = t->method;
	return now;
}

void pvp_call_room(enum pvp_call_event event, uint64_t method)
{
	struct pvp_thread *t = atomic_load(&pvp_core.calls) ? pvp_room(PVP_HOT_MAX) : NULL;
	if (t) {
		uint8_t *p = atomic_load_explicit(&t->cursor, memory_order_relaxed);
		if (p == t->chunk->data)
			t->method = method;
		uint64_t now = begin_event(t, p);
		pvp_publish(t, pvp_put_call(t, p, event, method, now));
	}
}

void pvp_call_slow(enum pvp_call_event event, uint64_t method)
{
	pvp_call_room(event, method);
	pvp_guard_off();
}

void pvp_alloc_slow(uint64_t type, uint64_t object, uint64_t bytes)
{
	struct pvp_thread *t = atomic_load(&pvp_core.alloc) ? pvp_room(PVP_HOT_MAX) : NULL;
	if (t) {
		uint8_t *p = atomic_load_explicit(&t->cursor, memory_order_relaxed);
		uint64_t now = begin_event(t, p);
		pvp_publish(t, pvp_put_alloc(t, p, type, object, bytes, now));
	}
	pvp_guard_off();
}

void pvp_free_slow(uint64_t object)
{
	struct pvp_thread *t = atomic_load(&pvp_core.alloc) ? pvp_room(PVP_HOT_MAX) : NULL;
	if (t) {
		uint8_t *p = atomic_load_explicit(&t->cursor, memory_order_relaxed);
		uint64_t now = begin_event(t, p);
		pvp_publish(t, pvp_put_free(t, p, object, now));
	}
	pvp_guard_off();
}

/* At most MARK_MAX bytes, not ending inside a character. */
static size_t mark_length(const char *text)
{
	size_t n = strnlen(text, MARK_MAX + 1);
	if (n <= MARK_MAX)
		return n;
	for (n = MARK_MAX; n > MARK_MAX - 4 && ((unsigned char)text[n] & 0xc0) == 0x80;)
		n--;
	return n;
}

/* Encodes an event at `p`, at the time `now` (0: this moment). Its end; not published yet. */
static uint8_t *encode_event(struct pvp_thread *t, uint8_t *p, struct pv_event *ev,
	const struct pv_batch *pools, uint64_t object, uint64_t now)
{
	now = now ? now : begin_event(t, p);
	struct mlpd_format f = { MLPD_NEWEST, 3, 8, 0 };
	if (object && !t->obj_base) {
		t->obj_base = object >> 3 ? object >> 3 : 1;
		atomic_store_explicit(&t->chunk->obj_base, t->obj_base, memory_order_relaxed);
	}
	struct mlpd_bases b = { .time = t->time, .method = t->method, .obj = t->obj_base };
	if (now > t->time)
		t->time = now;
	ev->time = t->time;
	p += mlpd_encode(p, (size_t)(t->chunk->end - p), &b, &f, ev, pools);
	t->method = b.method;
	return p;
}

_Atomic unsigned pvp_groups_off;

bool pvp_events(struct pv_event *ev, unsigned n, const struct pv_batch *pools, uint64_t object)
{
	unsigned off = atomic_load_explicit(&pvp_groups_off, memory_order_relaxed);
	size_t need = 0;
	if (PVP_UNLIKELY(off) && off >> pvp_group_of(ev[n - 1].kind) & 1)
		return false;
	if (!pvp_guard_on()) {
		pvp_nested();
		return false;
	}
	for (unsigned i = 0; i < n; i++)
		need += mlpd_encode_max(&ev[i], pools);
	struct pvp_thread *t = pvp_room(need);
	uint8_t *p = t ? atomic_load_explicit(&t->cursor, memory_order_relaxed) : NULL;
	for (unsigned i = 0; t && i < n; i++)
		p = encode_event(t, p, &ev[i], pools, object, i ? t->time : 0);
	if (t) /* at once: no round comes between an event and earlier ones of the same object */
		pvp_publish(t, p);
	pvp_guard_off();
	return t;
}

bool pvp_event(struct pv_event *ev, const struct pv_batch *pools, uint64_t object)
{
	return pvp_events(ev, 1, pools, object);
}

void pvp_mark(const char *text)
{
	if (!text || !atomic_load(&pvp_core.marks))
		return;
	struct pv_event ev = { .kind = PV_KIND_EXT_MARK,
		.ext = { .family = MARK_FAMILY,
			.kind = MARK_KIND,
			.text = { text, mark_length(text) } } };
	pvp_event(&ev, NULL, 0);
}
