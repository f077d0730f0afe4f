/* SPDX-License-Identifier: MIT */
/* Filters single events, and rules out kinds beforehand. */
#include "common/model/event_filter.h"

#include <string.h>

#include "common/model/event_number.h"

struct event {
	const struct pv_batch *b;
	size_t i;
	const char *kind, *thread, *line;
};

static bool leaf_has(const struct pv_filter_leaf *leaf, const char *text)
{
	return pv_filter_text_has(leaf, text, strlen(text));
}

static bool line_has(const struct pv_filter_leaf *leaf, const char *text)
{
	return pv_filter_line_has(leaf, text, strlen(text));
}

static bool event_holds(const void *of, const struct pv_filter_leaf *leaf)
{
	const struct event *e = of;
	bool any = leaf->field == PV_FILTER_ANY;
	uint64_t number;
	if (leaf->what == PV_FILTER_COMPARES)
		return pv_event_number(e->b, e->i, (enum pv_event_number)leaf->place, &number) &&
		       pv_filter_number_is(leaf, number);
	if (leaf->field == PV_FILTER_KIND)
		return leaf_has(leaf, e->kind);
	if (leaf->field == PV_FILTER_THREAD)
		return line_has(leaf, e->thread);
	return line_has(leaf, e->line) ||
	       (any && (leaf_has(leaf, e->kind) || leaf_has(leaf, e->thread)));
}

bool pv_event_filter_has(const struct pv_event_filter *f, const struct pv_batch *b, size_t i,
	const char *thread, const char *line)
{
	const struct event e = { b, i, pv_kind_name(b->kind[i]), thread, line };
	return pv_filter_passes(f->f, event_holds, &e);
}

/* True if events of a kind may pass: thread and text are not known yet. */
static bool may_pass(const struct pv_filter *f, unsigned of)
{
	const char *kind = pv_kind_name(of);
	uint64_t known = 0, hold = 0;
	for (size_t i = 0; i < pv_filter_leaves(f); i++) {
		const struct pv_filter_leaf *leaf = pv_filter_leaf(f, i);
		if (leaf->what == PV_FILTER_COMPARES) {
			bool has_none = !pv_event_kind_has(of, (enum pv_event_number)leaf->place);
			known |= (uint64_t)has_none << i;
			continue;
		}
		bool about = leaf->field == PV_FILTER_KIND, any = leaf->field == PV_FILTER_ANY;
		bool is = (about || any) && leaf_has(leaf, kind);
		hold |= (uint64_t)is << i;
		known |= (uint64_t)(about || is) << i;
	}
	return pv_filter_may_pass(f, known, hold);
}

bool pv_event_filter_make(struct pv_event_filter *ret, const char *text, enum pv_filter_way way,
	struct pv_filter_error *reterr)
{
	*ret = (struct pv_event_filter){ .f = pv_filter_make(text, way, pv_event_columns,
						 PV_EVENT_NUMBERS, reterr) };
	for (unsigned kind = 0; ret->f && kind < PV_KIND_COUNT; kind++)
		ret->kind[kind] = may_pass(ret->f, kind);
	return ret->f != NULL;
}

void pv_event_filter_finish(struct pv_event_filter *f)
{
	pv_filter_free(f->f);
	f->f = NULL;
}
