/* SPDX-License-Identifier: MIT */
/* Walks a call tree and the tree of places in step, to give the frames of samples their lines. */
#include "common/export/profile_lines.h"

#include "common/model/model.h"
#include "common/query/groups/call_copy.h"
#include "common/query/coverage/lines.h"

struct line_walk {
	const struct pv_profile_by_lines *b;
	PV_ARRAY(struct pv_line_at) expected; /* frames, innermost first, each with its method */
	PV_ARRAY(uint32_t) path;              /* nodes of the copy, likewise */
};

/* Lists the frames at a node of the places and at the callers, innermost first. */
static bool expect(struct line_walk *w, uint32_t node)
{
	struct pv_model *m = w->b->m;
	w->expected.n = 0;
	for (; node; node = m->places.node.v[node].parent) {
		size_t n;
		const uint32_t place = m->places.node.v[node].place;
		const struct pv_line_at *at = pv_lines_of_place(m, place, &n);
		if (!at || !pv_reserve(&w->expected, n + 1))
			return false;
		for (size_t i = 0; i < (n ? n : 1); i++) {
			struct pv_line_at one = n ? at[i] : (struct pv_line_at){ 0 };
			if (!one.method)
				one.method = m->places.place.v[place].method;
			w->expected.v[w->expected.n++] = one;
		}
	}
	return true;
}

static bool take_path(struct line_walk *w, uint32_t node)
{
	w->path.n = 0;
	for (; node; node = w->b->copy->parent[node]) {
		if (!pv_reserve(&w->path, 1))
			return false;
		w->path.v[w->path.n++] = node;
	}
	return true;
}

/* 0: the frame awaits. */
static uint32_t method_of(const struct line_walk *w, uint32_t node)
{
	const uint32_t awaiting = w->b->copy->awaiting;
	return node > awaiting ? w->b->m->calls.node.v[node - awaiting].method : 0;
}

/*
 * A frame without a place stays without a line. Places before the place of the innermost frame are
 * skipped: a sample in unknown code counts for the caller.
 */
static bool put_lines(struct line_walk *w, uint32_t *ret)
{
	const struct pv_profile_by_lines *b = w->b;
	size_t at = 0;
	while (at < w->expected.n && w->expected.v[at].method != method_of(w, w->path.v[0]))
		at++;
	for (size_t i = 0; i < w->path.n; i++) {
		uint32_t *node = &w->path.v[i], frame = b->frame[*node];
		const struct pv_line_at *is = at < w->expected.n ? &w->expected.v[at] : NULL;
		const bool has = is && is->method == method_of(w, *node);
		at += has;
		if (has && is->line &&
			!pv_profile_frame_at(b->p, frame,
				pv_intern_text(&b->m->names.text, is->file), is->line, is->start,
				&frame))
			return false;
		*node = frame;
	}
	*ret = b->p->under;
	for (size_t i = w->path.n; i-- > 0;)
		if (!pv_profile_child(b->p, *ret, w->path.v[i], ret))
			return false;
	return true;
}

static bool add_place_node(struct line_walk *w, const struct pv_place_node *n, uint32_t id)
{
	const struct pv_profile_by_lines *b = w->b;
	if (!n->samples || n->call >= b->m->calls.node.n || !pv_call_copy_counts(b->copy, n->call))
		return true;
	const uint32_t at = pv_call_copy_at(b->copy, pv_call_counted_at(b->m, n->call));
	const uint64_t samples = n->samples < b->left[at] ? n->samples : b->left[at];
	uint32_t node;
	if (!at || !samples)
		return true;
	if (!expect(w, id) || !take_path(w, at) || !put_lines(w, &node))
		return false;
	b->left[at] -= samples;
	b->node_of[id] = node;
	return b->count(b->ctx, node, samples);
}

bool pv_profile_by_lines(const struct pv_profile_by_lines *b)
{
	struct line_walk w = { .b = b };
	const struct pv_places *places = &b->m->places;
	bool ok = true;
	for (uint32_t i = 1; ok && i < places->node.n; i++)
		ok = add_place_node(&w, &places->node.v[i], i);
	pv_array_finish(&w.expected);
	pv_array_finish(&w.path);
	return ok;
}
