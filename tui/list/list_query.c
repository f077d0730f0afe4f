/* SPDX-License-Identifier: MIT */
/* The query of a list, from its own state and the state shared by all panes. */
#include "tui/list/list_query.h"
#include "common/query/trends.h"
#include "tui/chart/time_axis.h"

#include "common/query/heap/identity_choose.h"

bool ui_list_of_identity(const struct ui_list *l)
{
	return pv_view_is(l->view, PV_SECTION_IDENTITY);
}

bool ui_list_follows(const struct ui_list *l, const struct ui_shared *s)
{
	const struct pv_identity *is = s->identity.identity;
	bool lives = pv_view_is(l->view, PV_TRAIT_FATES);
	bool better = lives && s->model == s->whole && !s->range.on && !s->against;
	return ui_list_of_identity(l) || (better && is && pv_identity_tells_fates(is));
}

bool ui_list_of_whole(const struct ui_list *l)
{
	return pv_view_is(l->view, PV_TRAIT_CAUSE);
}

struct pv_model *ui_list_model(const struct ui_list *l, const struct ui_shared *s)
{
	if (ui_list_follows(l, s))
		return s->identity.model;
	return ui_list_of_whole(l) ? s->whole : s->model;
}

enum pv_counted ui_list_counted(const struct ui_list *l, const struct ui_shared *s)
{
	const unsigned both = PV_GROUP_CALLS | PV_GROUP_SAMPLES;
	if (!l->splits || s->against || (s->summary.recorded & both) != both)
		return PV_COUNTED_ALL;
	return s->by_samples ? PV_COUNTED_SAMPLES : PV_COUNTED_CALLS;
}

bool ui_list_turns(const struct ui_list *l)
{
	return pv_view_rows[l->view].by_calls && pv_view_is(l->view, PV_SECTION_TREE);
}

static bool goes_up(const struct ui_list *l, const struct ui_shared *s)
{
	return ui_list_turns(l) && s->callers && !s->against;
}

static unsigned least_of(const struct ui_list *l, const struct ui_shared *s)
{
	return l->splits && !s->against ? s->least : 0;
}

bool ui_same_figures(const struct pv_query *a, const struct pv_query *b)
{
	return a->window_ns == b->window_ns && a->group == b->group && a->net == b->net &&
	       a->waits == b->waits && a->readable == b->readable && a->my_code == b->my_code &&
	       a->physical == b->physical && a->counted == b->counted && a->callers == b->callers &&
	       !(a->least < b->least || b->least < a->least);
}

struct pv_query ui_list_query(const struct ui_list *l, const struct ui_shared *s)
{
	bool own = l->filter[0] || !l->about, folder = pv_view_is(l->view, PV_SECTION_FOLDER);
	const char *filter = own ? l->filter : l->about;
	bool bucketed = s->range.on && s->model == s->whole && !ui_list_of_identity(l) &&
			!ui_list_of_whole(l);
	return (struct pv_query){ .groups = s->groups,
		.sort = l->sort,
		.invert = l->invert,
		.filter = filter,
		.filter_way = own ? PV_FILTER_CAPITALS : PV_FILTER_AS_IT_IS,
		.limit = l->whole ? 0 : l->limit,
		.source = s->lines_of,
		.window_ns = s->range.on ? 0 : s->window_ns,
		.group = l->group,
		.net = s->net,
		.waits = s->waits,
		.readable = !s->raw_names,
		.my_code = s->my_code,
		.physical = s->physical,
		.counted = ui_list_counted(l, s),
		.least = least_of(l, s) / 100.0,
		.callers = goes_up(l, s),
		.bucketed = bucketed,
		.from_ns = s->range.from_ns,
		.to_ns = s->range.to_ns,
		.select = folder ? s->process : l->select,
		.processes = s->processes,
		.together = folder && l->tree,
		.open_all = folder && !l->tree,
		.pools = l->pools && !l->filter[0] && !s->range.named,
		.base = l->base,
		.heap = pv_view_is(l->view, PV_TRAIT_JUDGES) ? ui_newest_heap(s) : s->heap.heap,
		.set = l->set,
		.page = s->events.page,
		.only = l->tagged.v,
		.onlys = l->only_tagged ? l->tagged.n : 0,
		.open = l->open.v,
		.opens = l->open.n,
		.hide_internal = true,
		.identity = ui_list_follows(l, s) ? s->identity.identity : NULL,
		.matched_by_class = s->identity.by == UI_BY_CLASS };
}

/* Runs a job of its own at once, without the worker's cache. */
struct pv_table *ui_list_whole(const struct ui_list *l, const struct ui_shared *s)
{
	struct pv_query query = ui_list_query(l, s);
	struct pv_model *m = ui_list_model(l, s);
	query.groups = NULL;
	query.limit = 0;
	query.only = l->tagged.v;
	query.onlys = l->tagged.n;
	struct ui_question *q = m ? ui_question_new(m, l->view, &query, l->about) : NULL;
	if (!q)
		return NULL;
	q->against = s->against;
	q->figure = l->figure;
	q->job.run(&q->job);
	struct pv_table *t = q->table;
	q->table = NULL;
	ui_question_drop(q);
	return t;
}

/* One thread has no trends, nor has a comparison with a base. */
void ui_list_hand_trends(struct ui_list *l, const struct ui_shared *s, struct ui_question *q)
{
	bool one_thread = s->range.on && (s->range.threaded || s->range.requests[0]);
	q->whole = one_thread || s->against ? NULL : s->whole;
	if (s->range.on) {
		q->trend_from_ns = s->range.from_ns;
		q->trend_to_ns = s->range.to_ns;
	} else if (s->window_ns) {
		q->trend_to_ns = s->duration_ns;
		q->trend_from_ns = s->duration_ns - (int64_t)s->window_ns;
	} else if (!ui_has_ended(s)) {
		q->trend_to_ns = ui_time_end(s, PV_TREND_CELLS);
		q->trend_beyond = true;
	}
	q->trends = l->trends;
	l->trends = NULL;
}

void ui_list_begin_at_course(struct ui_list *l)
{
	const int least = pv_table_column(l->table, "min"), most = pv_table_column(l->table, "max");
	const bool counters =
		pv_view_rows[l->view].course == PV_COURSE_COUNTERS && least >= 0 && most >= 0;
	for (size_t i = 0; counters && i < l->table->rows && !l->pinned; i++) {
		const struct pv_cell *c = l->table->row[i].cell;
		l->pinned = c[least].state == PV_CELL_VALUE && c[least].d < c[most].d;
		l->selected = l->table->row[i].id;
	}
}
