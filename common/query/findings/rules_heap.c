/* SPDX-License-Identifier: MIT */
/* Rules about one heap shot with its objects at hand: static fields, equal strings. */
#include <stdio.h>
#include <string.h>

#include "common/base/text/units.h"
#include "common/heap/heap.h"
#include "common/query/findings/rule.h"
#include "common/query/heap/heap_rows.h"

/* Programs begin with a small heap. */
enum { LEAST_BYTES = 1 << 20 };

/* The shot; NULL: no judgement. */
static const struct pv_heap *heap_of(const struct pv_judge *j, struct pv_finding *f)
{
	const struct pv_heap *h = j->query->heap;
	if (!h)
		pv_finding_skip(f, "no heap shot is open whose objects could be judged");
	else if (h->graph.torn)
		pv_finding_skip(f, "the end of the heap shot is missing");
	return h && !h->graph.torn ? h : NULL;
}

static double share_of(const struct pv_heap *h, uint64_t bytes)
{
	const uint64_t whole = h->graph.bytes - h->unreachable_bytes;
	return whole ? (double)bytes / (double)whole : 0;
}

/*
 * The class of the static field that keeps objects, or the field's name where its class is not in
 * the log. NULL: a field of the runtime or a library, or no such field.
 */
static const char *static_owner(const struct pv_heap *h, const struct pv_keeper *k)
{
	const struct pv_graph *g = &h->graph;
	const struct pv_graph_root *r = k->root == SIZE_MAX ? NULL : &g->root.v[k->root];
	const struct pv_graph_area *a = r && r->area ? &g->area.v[r->area - 1] : NULL;
	const char *owner = a ? a->owner : NULL;
	if (a && !owner && pv_graph_area_is_field(a) && a->name[0])
		owner = a->name;
	return k->klass == PV_GRAPH_NONE && owner && pv_is_program_class(owner) ? owner : NULL;
}

/*
 * A part that only grows is a leak, named by the rule for leaks. Objects kept without growth may be
 * intended: a note at most.
 */
void pv_judge_static_holder(const struct pv_judge *j, struct pv_finding *f)
{
	enum { MOST_SCORE = 49, SMALL_SCORE = 24 };
	const struct pv_heap *h = heap_of(j, f);
	const struct pv_keeper *k = NULL;
	char name[PV_KEEPER_TEXT], bytes[PV_UNIT_MAX], n[PV_UNIT_MAX], most[PV_FINDING_TEXT];
	for (size_t i = 0; h && !k && i < h->keepers.keeper.n; i++)
		if (static_owner(h, &h->keepers.keeper.v[i]))
			k = &h->keepers.keeper.v[i];
	if (!h)
		return;
	if (!k) {
		pv_finding_say(f, 0, "no static field of the program's keeps much alive");
		return;
	}
	const double share = share_of(h, k->bytes);
	const double score = pv_scale_score(share, 0.1, 0.4, 0.8);
	pv_finding_say(f,
		k->bytes < LEAST_BYTES && score > SMALL_SCORE ? SMALL_SCORE
		: score > MOST_SCORE                          ? MOST_SCORE
							      : score,
		"%.0f %% of the heap, %s, is kept by %s: %s of %s", 100 * share,
		pv_units_bytes(bytes, sizeof bytes, k->bytes),
		pv_keeper_text(h, k, name, sizeof name),
		pv_units_count(n, sizeof n, k->most_objects),
		k->most == PV_GRAPH_NONE
			? "one class"
			: pv_judge_class(j, h->graph.klass.v[k->most].name, most, sizeof most));
	snprintf(f->subject, sizeof f->subject, "%s", name);
}

void pv_judge_duplicate_strings(const struct pv_judge *j, struct pv_finding *f)
{
	enum { SMALL_SCORE = 24 };
	const struct pv_heap *h = heap_of(j, f);
	char wasted[PV_UNIT_MAX], n[PV_UNIT_MAX], preview[PV_PREVIEW_TEXT], words[PV_FINDING_TEXT];
	if (!h)
		return;
	const struct pv_duplicates *d = &h->duplicates;
	if (d->strings == 0) {
		pv_finding_skip(f, "texts of strings are not recorded; %s",
			pv_judge_how(j, "duplicate-strings", words, sizeof words));
		return;
	}
	if (d->group.n == 0) {
		pv_finding_say(f, 0, "no two strings of the heap say the same");
		return;
	}
	const struct pv_duplicate *most = &d->group.v[0];
	const double share = share_of(h, d->wasted);
	const double score = pv_scale_score(share, 0.05, 0.1, 0.3);
	pv_heap_preview(h, most->node, preview, sizeof preview);
	pv_finding_say(f, d->wasted < LEAST_BYTES && score > SMALL_SCORE ? SMALL_SCORE : score,
		"%.0f %% of the heap are strings that say the same%s, %s; most of it %s times %s",
		100 * share, most->whole ? "" : " as far as they were recorded",
		pv_units_bytes(wasted, sizeof wasted, d->wasted),
		pv_units_count(n, sizeof n, most->count), preview);
	snprintf(f->subject, sizeof f->subject, "%s", pv_graph_string(&h->graph, most->node)->text);
}
