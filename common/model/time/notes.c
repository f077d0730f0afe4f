/* SPDX-License-Identifier: MIT */
/* Applies marks, native symbols, sync points and events that no view shows. */
#include "common/model/time/notes.h"

#include "common/model/objects/gc_parts.h"
#include "common/model/ground/model_parts.h"

static bool mark(struct pv_context *x, const struct pv_event *e)
{
	struct pv_notes *n = &x->m->notes;
	if (!x->counts)
		return true;
	n->marks++;
	if (n->mark.n >= PV_MARKS_CAP)
		return true;
	struct pv_mark m = { .time_ns = x->time, .thread = x->thread->id };
	if (!pv_intern_add(&x->m->names.text, e->ext.text.at, e->ext.text.len, &m.text) ||
		!pv_reserve(&n->mark, 1))
		return false;
	n->mark.v[n->mark.n++] = m;
	return true;
}

static bool native(struct pv_context *x, const struct pv_event *e)
{
	struct pv_notes *n = &x->m->notes;
	struct pv_native s = { .address = e->symbol.address,
		.size = e->symbol.size,
		.file_offset = e->symbol.file_offset,
		.time_ns = x->time,
		.binary = e->kind == PV_KIND_SAMPLE_BINARY };
	(*(s.binary ? &n->binaries : &n->symbols))++;
	if (n->native.n >= PV_NATIVES_CAP)
		return true;
	if (!pv_intern_add(&x->m->names.text, e->symbol.name.at, e->symbol.name.len, &s.name) ||
		!pv_reserve(&n->native, 1))
		return false;
	n->native.v[n->native.n++] = s;
	return true;
}

/* A log has few names, which come in turns: the list is short. */
static bool unread(struct pv_context *x, const struct pv_event *e)
{
	struct pv_notes *n = &x->m->notes;
	struct pv_intern *text = &x->m->names.text;
	struct pv_unread u = { .events = 1, .known = e->ext.family != 0 };
	size_t i = 0;
	if (!x->counts || !e->ext.text.at)
		return true;
	while (i < n->unread.n &&
		!pv_intern_is(text, n->unread.v[i].name, e->ext.text.at, e->ext.text.len))
		i++;
	if (i == PV_UNREAD_CAP)
		i--;
	if (i < n->unread.n) {
		n->unread.v[i].events++;
		return true;
	}
	const struct pv_text name =
		i + 1 < PV_UNREAD_CAP ? e->ext.text : (struct pv_text){ "(other)", 7 };
	if (!pv_intern_add(text, name.at, name.len, &u.name) || !pv_reserve(&n->unread, 1))
		return false;
	n->unread.v[n->unread.n++] = u;
	return true;
}

bool pv_notes_apply(struct pv_context *x, const struct pv_event *e)
{
	struct pv_notes *n = &x->m->notes;
	switch (e->kind) {
	case PV_KIND_SYNC_POINT:
		x->m->sync_points++;
		n->sync[e->sync.type < PV_SYNC_TYPES ? e->sync.type : PV_SYNC_TYPES - 1]++;
		return true;
	case PV_KIND_SAMPLE_HIT:
		n->hits[e->hit.type < PV_HIT_TYPES ? e->hit.type : PV_HIT_TYPES - 1] += x->counts;
		return true;
	case PV_KIND_EXT_MARK:
		return mark(x, e);
	case PV_KIND_EXT_UNKNOWN:
		return unread(x, e);
	default:
		return native(x, e);
	}
}

void pv_notes_finish(struct pv_notes *n)
{
	pv_array_finish(&n->mark);
	pv_array_finish(&n->native);
	pv_array_finish(&n->unread);
}
