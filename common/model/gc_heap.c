/* What collections do to the heap: its size, moved objects. */
#include "common/model/gc_parts.h"
#include "common/model/recall_parts.h"
#include "common/model/window_parts.h"

enum { AHEAD = 8 }; /* moves */

bool pv_gc_resize(struct pv_context *x, const struct pv_event *e)
{
	struct pv_gc *gc = &x->m->gc;
	if (gc->sizes.n >= PV_GC_LIST) {
		size_t to = 0;
		for (size_t i = 1; i < gc->sizes.n; i += 2)
			gc->sizes.v[to++] = gc->sizes.v[i];
		gc->folded += gc->sizes.n - to;
		gc->sizes.n = to;
	}
	if (!pv_reserve(&gc->sizes, 1))
		return false;
	struct pv_heap_size *v = gc->sizes.v;
	size_t at = gc->sizes.n++;
	for (; at > 0 && v[at - 1].time_ns > x->time; at--)
		v[at] = v[at - 1];
	v[at] = (struct pv_heap_size){ x->time, e->resize.bytes };
	if (gc->heap_ns == PV_NEVER || x->time >= gc->heap_ns) {
		gc->heap_ns = x->time;
		gc->heap_bytes = e->resize.bytes;
	}
	if (!x->counts)
		return true;
	gc->resizes++;
	if (e->resize.bytes > gc->max_heap_bytes)
		gc->max_heap_bytes = e->resize.bytes;
	pv_timeline_set(&x->m->timeline, PV_TRACK_HEAP, x->time, e->resize.bytes);
	return true;
}

uint64_t pv_gc_heap_at(const struct pv_gc *gc, int64_t time_ns)
{
	size_t low = 0, high = gc->sizes.n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (gc->sizes.v[mid].time_ns <= time_ns)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? gc->sizes.v[low - 1].bytes : 0;
}

void pv_gc_heap_around(const struct pv_gc *gc, size_t i, uint64_t *ret_before, uint64_t *ret_after)
{
	const struct pv_collection *c = &gc->collections.v[i];
	*ret_before = pv_gc_heap_at(gc, c->start_ns);
	*ret_after = c->settled_ns == PV_NEVER ? 0 : pv_gc_heap_at(gc, c->settled_ns);
}

/* Their slots lie anywhere, so they are fetched while others are dealt with. */
static void fetch(struct pv_model *m, const uint64_t *pair)
{
	__builtin_prefetch(pv_addresses_slot(&m->private->addresses, pair[0]), 0);
	__builtin_prefetch(pv_addresses_slot(&m->private->addresses, pair[1]), 1);
}

/* Old addresses are all read before new ones are written: they speak of one moment. */
bool pv_gc_moves(struct pv_context *x, const struct pv_event *e)
{
	const uint64_t *pair = x->batch->pool.v + e->moves.pairs.at;
	size_t n = e->moves.pairs.n / 2;
	struct pv_model *m = x->m;
	struct pv_address at[512];
	if (x->counts)
		m->gc.moved += n;
	if (m->only.recall)
		return true;
	for (size_t done = 0; done < n;) {
		size_t part = n - done < PV_COUNT_OF(at) ? n - done : PV_COUNT_OF(at);
		for (size_t i = 0; i < part; i++) {
			if (done + i + AHEAD < n)
				fetch(m, &pair[2 * (done + i + AHEAD)]);
			const struct pv_address *s =
				pv_addresses_slot(&m->private->addresses, pair[2 * (done + i)]);
			if (!s)
				return false;
			bool known = s->object == pair[2 * (done + i)];
			at[i] = known ? *s : (struct pv_address){ 0 };
		}
		for (size_t i = 0; i < part; i++) {
			uint64_t to = pair[2 * (done + i) + 1];
			if (!at[i].class_use)
				continue;
			*pv_addresses_slot(&m->private->addresses, to) =
				(struct pv_address){ to, at[i].class_use, at[i].lock };
			if (at[i].lock && !pv_object_moved(x, at[i].object, to))
				return false;
		}
		done += part;
	}
	return true;
}
