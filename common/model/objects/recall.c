#include "common/model/objects/recall.h"

#include "common/model/objects/recall_parts.h"

enum { FAR = 1 << 16 }; /* entries that may have to make room for one that comes late */

void pv_recall_finish(struct pv_recall *r)
{
	pv_array_finish(&r->classes);
	pv_array_finish(&r->moves);
	r->full = false;
}

/* The first entry of this place, or of one behind it. */
static size_t find(const struct pv_recall *r, uint64_t place)
{
	size_t low = 0, high = r->classes.n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (r->classes.v[mid].place < place)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static uint64_t recalled(const struct pv_recall *r, uint64_t place)
{
	size_t at = find(r, place);
	return at < r->classes.n && r->classes.v[at].place == place ? r->classes.v[at].class_use
								    : 0;
}

static void record(struct pv_recall *r, uint64_t place, uint32_t class_use)
{
	if (r->classes.n >= PV_RECALL_MOST || !pv_reserve(&r->classes, 1))
		r->full = true;
	else
		r->classes.v[r->classes.n++] = (struct pv_recall_class){ place, class_use };
}

uint32_t pv_class_at(struct pv_context *x, uint64_t object)
{
	struct pv_model *m = x->m;
	uint64_t said = pv_said_type(x, object);
	if (said)
		return pv_names_class(&m->names, said, x->time);
	if (m->only.recall) {
		uint64_t key = recalled(m->only.recall, x->place);
		return key ? pv_names_class(&m->names, key, x->time) : 0;
	}
	uint32_t class_use = pv_addresses_class(&m->private->addresses, object, x->time);
	if (m->recall && class_use)
		record(m->recall, x->place, class_use);
	return class_use;
}

void pv_recall_late(struct pv_model *m, uint64_t place, uint32_t class_use)
{
	struct pv_recall *r = m->recall;
	if (!r)
		return;
	size_t at = find(r, place), had = r->classes.n;
	if (at < had && r->classes.v[at].place == place) {
		r->classes.v[at].class_use = class_use;
		return;
	}
	if (had - at > FAR) {
		r->full = true; /* thousands may come so late: ranges read the whole log again */
		return;
	}
	record(r, place, class_use);
	for (size_t i = had; r->classes.n > had && i > at; i--) {
		struct pv_recall_class last = r->classes.v[i];
		r->classes.v[i] = r->classes.v[i - 1];
		r->classes.v[i - 1] = last;
	}
}

void pv_recall_move(struct pv_recall *r, struct pv_recall_move move)
{
	if (r && (r->moves.n >= PV_RECALL_MOST || !pv_reserve(&r->moves, 1)))
		r->full = true;
	else if (r)
		r->moves.v[r->moves.n++] = move;
}
