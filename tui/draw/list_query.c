#include "tui/draw/list_query.h"

#include "common/query/heap/identity_choose.h"

bool ui_list_of_identity(const struct ui_list *l)
{
	return l->view >= PV_VIEW_HEAP_DIFF && l->view <= PV_VIEW_HEAP_COHORT_SITES;
}

bool ui_list_follows(const struct ui_list *l, const struct ui_shared *s)
{
	const struct pv_identity *is = s->identity.identity;
	bool lives = l->view == PV_VIEW_SURVIVAL || l->view == PV_VIEW_ALLOCATION_SIZES;
	bool better = lives && s->model == s->whole && !s->range.on && !s->against;
	return ui_list_of_identity(l) || (better && is && pv_identity_tells_fates(is));
}

bool ui_list_of_whole(const struct ui_list *l)
{
	return l->view == PV_VIEW_GC_CAUSE;
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

static bool goes_up(const struct ui_list *l, const struct ui_shared *s)
{
	return l->view == PV_VIEW_CALL_TREE && s->callers && !s->against;
}

static unsigned least_of(const struct ui_list *l, const struct ui_shared *s)
{
	return l->splits && !s->against ? s->least : 0;
}

uint64_t ui_list_part(const struct ui_list *l, const struct ui_shared *s)
{
	return (uint64_t)ui_list_counted(l, s) | (uint64_t)goes_up(l, s) << 2 |
	       (uint64_t)least_of(l, s) << 3;
}

struct pv_query ui_list_query(const struct ui_list *l, const struct ui_shared *s)
{
	bool own = l->filter[0] || !l->about;
	const char *filter = own ? l->filter : l->about;
	bool bucketed = s->range.on && s->model == s->whole && !ui_list_of_identity(l) &&
			!ui_list_of_whole(l);
	return (struct pv_query){ .groups = s->groups,
		.sort = l->sort,
		.invert = l->invert,
		.filter = filter,
		.filter_way = own ? PV_FILTER_CAPITALS : PV_FILTER_AS_IT_IS,
		.limit = l->limit,
		.window_ns = s->range.on ? 0 : s->window_ns,
		.group = l->group,
		.net = s->net,
		.waits = s->waits,
		.readable = !s->raw_names,
		.my_code = s->my_code,
		.counted = ui_list_counted(l, s),
		.least = least_of(l, s) / 100.0,
		.callers = goes_up(l, s),
		.bucketed = bucketed,
		.from_ns = s->range.from_ns,
		.to_ns = s->range.to_ns,
		.select = l->view == PV_VIEW_PROCESSES ? s->process : l->select,
		.processes = s->processes,
		.together = l->view == PV_VIEW_PROCESSES && l->tree,
		.open_all = l->view == PV_VIEW_PROCESSES && !l->tree,
		.pools = l->pools && !l->filter[0] && !s->range.named,
		.base = l->base,
		.heap = l->view == PV_VIEW_FINDINGS ? ui_newest_heap(s) : s->heap.heap,
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

/* A job of its own, done at once: what the worker keeps between its jobs is not touched. */
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

/* Of one thread there are none. */
void ui_list_hand_trends(struct ui_list *l, const struct ui_shared *s, struct ui_question *q)
{
	bool one_thread = s->range.on && s->range.threaded;
	q->whole = one_thread || s->against ? NULL : s->whole;
	if (s->range.on) {
		q->trend_from_ns = s->range.from_ns;
		q->trend_to_ns = s->range.to_ns;
	} else if (s->window_ns) {
		q->trend_to_ns = s->duration_ns;
		q->trend_from_ns = s->duration_ns - (int64_t)s->window_ns;
	}
	q->trends = l->trends;
	l->trends = NULL;
}
