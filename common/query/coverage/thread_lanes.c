/* SPDX-License-Identifier: MIT */
/* Answers with the timeline of threads: states by cell, stops and spans. */
#include "common/query/coverage/thread_lanes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/saturate.h"
#include "common/base/status.h"
#include "common/base/text/units.h"
#include "common/model/model.h"
#include "common/query/coverage/coverage.h"
#include "common/query/groups/specs.h"

/* --- from the store */

struct asking {
	struct pv_lanes_answer *a;
	const struct pv_lanes *l;
	struct pv_lanes_row **of_lane; /* by lane; NULL: left out, or empty */
	int64_t origin;                /* since zero */
	bool failed;
};

static int64_t lanes_since_zero(const struct pv_model *m, int64_t log_ns)
{
	return (int64_t)((uint64_t)log_ns - (uint64_t)m->zero_ns);
}

static void add_lane_samples(struct pv_lanes_row *row, size_t cell, unsigned state, uint32_t n)
{
	uint32_t *at = &row->cell[cell].samples[state];
	*at = *at > UINT32_MAX - n ? UINT32_MAX : *at + n;
}

/* Cells of the answer for a cell of the store: by its middle, or all covered where wider. */
static bool find_cells(const struct asking *k, uint32_t cell, size_t *ret_first, size_t *ret_last)
{
	const struct pv_lanes_answer *a = k->a;
	double each = pv_lanes_cell_ns(a), w = (double)k->l->width_ns;
	double from = (double)k->origin + (double)cell * w - (double)a->from_ns;
	double middle = from + w / 2, most = (double)a->cells;
	if (from + w <= 0 || from >= most * each)
		return false;
	double first = w > each ? from / each : middle / each;
	double last = w > each ? (from + w) / each - 1e-9 : middle / each;
	first = first < 0 ? 0 : first > most - 1 ? most - 1 : first;
	last = last < first ? first : last > most - 1 ? most - 1 : last;
	*ret_first = (size_t)first;
	*ret_last = (size_t)last;
	return true;
}

static void put_lane_samples(
	struct asking *k, uint32_t lane, uint32_t cell, unsigned state, uint32_t n)
{
	struct pv_lanes_row *row = k->of_lane[lane];
	size_t first, last;
	if (!row || !n || !find_cells(k, cell, &first, &last))
		return;
	row->samples[state] += n;
	row->all += n;
	for (size_t i = first; i <= last; i++)
		add_lane_samples(row, i, state, n);
}

static void put_lane(struct asking *k, uint32_t lane)
{
	const struct pv_lane *from = &k->l->lane.v[lane];
	for (uint32_t page = 0; page < PV_COUNT_OF(from->page); page++)
		for (uint32_t c = 0; from->page[page] && c < PV_LANE_PAGE; c++)
			for (unsigned s = 0; s < PV_STATES; s++)
				put_lane_samples(k, lane, page * PV_LANE_PAGE + c, s,
					from->page[page]->samples[c][s]);
}

static bool put_unnamed(struct asking *k, struct pv_model *m)
{
	if (!k->l->unnamed.n)
		return true;
	const struct pv_lane_state *of = pv_lane_states(m);
	for (size_t i = 0; of && i < k->l->unnamed.n; i++) {
		const struct pv_lane_unnamed *u = &k->l->unnamed.v[i];
		put_lane_samples(k, u->lane, u->cell, of[u->node].state, u->samples);
	}
	return of != NULL;
}

/* --- rows */

/* A thread continued under another number shares the row. */
static uint32_t row_of_thread(const struct pv_model *m, uint32_t index)
{
	const struct pv_thread *t = m->threads.thread.v[index];
	while (pv_thread_is_continued(m, t))
		t = m->threads.thread.v[t->before];
	return t->index;
}

static bool is_wanted(
	const struct pv_model *m, const struct pv_lanes_wish *w, const struct pv_thread *t)
{
	const char *given = pv_intern_text(&m->names.text, t->name);
	return !(pv_restricts_threads(&m->only) && !t->selected) && !pv_thread_is_none(m, t) &&
	       !(w->hide_internal && pv_thread_is_internal(given));
}

static const char *lane_thread_name(
	struct pv_lanes_answer *a, const struct pv_model *m, uint32_t index)
{
	const struct pv_thread *t = index ? m->threads.thread.v[index] : NULL;
	if (t && t->name)
		return pv_arena_printf(&a->arena, "%s", pv_intern_text(&m->names.text, t->name));
	return t ? pv_arena_printf(&a->arena, "0x%" PRIx64, t->id) : "(other threads)";
}

static struct pv_lanes_row *row_for(
	struct asking *k, const struct pv_model *m, const struct pv_lanes_wish *w, uint32_t index)
{
	struct pv_lanes_answer *a = k->a;
	uint32_t id = index ? row_of_thread(m, index) : 0;
	for (size_t i = 0; i < a->rows && id != index; i++)
		if (a->row[i].id == id)
			return &a->row[i];
	struct pv_lanes_row *row = &a->row[a->rows];
	*row = (struct pv_lanes_row){ .id = id, .name = lane_thread_name(a, m, id) };
	k->failed |= !row->name;
	if (!row->name || (id && !is_wanted(m, w, m->threads.thread.v[id])))
		return NULL;
	row->native = id ? m->threads.thread.v[id]->id : 0;
	row->cell = calloc(a->cells, sizeof *row->cell);
	a->rows += row->cell != NULL;
	k->failed |= !row->cell;
	return row->cell ? row : NULL;
}

/* --- waits with times in the log */

/* The row of a thread that waited: its lane's, else one without samples. NULL: not wanted, or full. */
static struct pv_lanes_row *row_of_waiting(
	struct asking *k, const struct pv_model *m, const struct pv_lanes_wish *w, uint32_t thread)
{
	const uint32_t lane = thread < k->l->of.n ? k->l->of.v[thread] : 0;
	const uint32_t id = row_of_thread(m, thread);
	struct pv_lanes_answer *a = k->a;
	if (lane)
		return k->of_lane[lane];
	for (size_t i = 0; i < a->rows; i++)
		if (a->row[i].id == id)
			return &a->row[i];
	/* Once threads share a lane, one without its own need not have waited only. */
	if (k->l->shared || a->rows >= PV_LANES_CAP || !is_wanted(m, w, m->threads.thread.v[id]))
		return NULL;
	return row_for(k, m, w, id);
}

static void put_wait(struct asking *k, const struct pv_model *m, const struct pv_lanes_wish *w,
	const struct pv_waited *one)
{
	const struct pv_lanes_answer *a = k->a;
	const int64_t from = lanes_since_zero(m, one->start_ns),
		      to = lanes_since_zero(m, one->end_ns);
	const double each = pv_lanes_cell_ns(a), most = (double)a->cells;
	double first = ((double)from - (double)a->from_ns) / each,
	       last = ((double)to - (double)a->from_ns) / each;
	first = first < 0 ? 0 : first;
	last = last > most ? most : last;
	struct pv_lanes_row *row = first < last ? row_of_waiting(k, m, w, one->thread) : NULL;
	for (size_t i = (size_t)first; row && (double)i < last; i++) {
		double lo = first > (double)i ? first : (double)i;
		double hi = last < (double)i + 1 ? last : (double)i + 1;
		row->cell[i].locked += (float)(hi - lo);
	}
	if (row)
		row->locked += last - first;
}

static void put_waits(struct asking *k, const struct pv_model *m, const struct pv_lanes_wish *w)
{
	const struct pv_waits *waits = &m->locks.waits;
	for (size_t i = 0; i < waits->one.n; i++)
		put_wait(k, m, w, &waits->one.v[i]);
	for (uint32_t i = 1; i < m->threads.thread.n; i++)
		for (size_t n = 0; n < m->threads.thread.v[i]->wait.n; n++)
			put_wait(k, m, w,
				&(struct pv_waited){
					.start_ns = m->threads.thread.v[i]->wait.v[n].start_ns,
					.end_ns = m->last_ns,
					.thread = i });
}

static bool fill_rows(struct asking *k, struct pv_model *m, const struct pv_lanes_wish *w)
{
	size_t n = k->l->lane.n;
	k->of_lane = calloc(n + 1, sizeof *k->of_lane);
	k->a->row = calloc((n > PV_LANES_CAP ? n : PV_LANES_CAP) + 1, sizeof *k->a->row);
	if (!k->of_lane || !k->a->row)
		return false;
	for (uint32_t i = 0; i < n; i++)
		k->of_lane[i] = row_for(k, m, w, k->l->lane.v[i].thread);
	for (uint32_t i = 0; i < n; i++)
		if (k->of_lane[i])
			put_lane(k, i);
	put_waits(k, m, w);
	return put_unnamed(k, m) && !k->failed;
}

static int by_activity(const void *x, const void *y)
{
	const struct pv_lanes_row *a = x, *b = y;
	if (!a->id != !b->id)
		return a->id ? -1 : 1;
	if (a->samples[PV_STATE_RUNNING] != b->samples[PV_STATE_RUNNING])
		return a->samples[PV_STATE_RUNNING] > b->samples[PV_STATE_RUNNING] ? -1 : 1;
	if (a->all != b->all)
		return a->all > b->all ? -1 : 1;
	if (!a->all && (a->locked > b->locked || a->locked < b->locked))
		return a->locked > b->locked ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* Drops rows without a sample and with waits too short for a cell, then sorts by activity. */
static void order_rows(struct pv_lanes_answer *a)
{
	const double least = 0.5;
	size_t kept = 0;
	for (size_t i = 0; i < a->rows; i++) {
		if (a->row[i].all || a->row[i].locked >= least)
			a->row[kept++] = a->row[i];
		else
			free(a->row[i].cell);
	}
	a->rows = kept;
	if (kept)
		qsort(a->row, kept, sizeof *a->row, by_activity);
}

static void count_quiet(
	struct pv_lanes_answer *a, const struct pv_model *m, const struct pv_lanes_wish *w)
{
	for (uint32_t i = 1; i < m->threads.thread.n; i++) {
		const struct pv_thread *t = m->threads.thread.v[i];
		a->quiet += pv_thread_is_meant(m, t) && is_wanted(m, w, t);
	}
	for (size_t i = 0; i < a->rows; i++)
		a->quiet -= a->row[i].id && a->quiet;
}

/* --- across */

/* Adds to each cell the part that [from, from + length) covers, ns since zero. */
static void spread_across(struct pv_lanes_answer *a, int64_t from, int64_t length, bool span)
{
	double each = pv_lanes_cell_ns(a), most = (double)a->cells;
	double first = ((double)from - (double)a->from_ns) / each;
	double last = first + (double)length / each;
	if (last < 0 || first >= most)
		return;
	double end = last > most ? most : last;
	size_t begin = (size_t)(first < 0 ? 0 : first);
	for (size_t i = begin; i < a->cells && (i == begin || (double)i < end); i++) {
		double lo = first > (double)i ? first : (double)i;
		double hi = last < (double)i + 1 ? last : (double)i + 1;
		if (span)
			a->spans[i]++;
		else if (hi > lo)
			a->stopped[i] += hi - lo;
	}
}

static void fill_across(struct pv_lanes_answer *a, struct pv_model *m)
{
	pv_gc_sort(&m->gc);
	for (size_t i = 0; i < m->gc.pauses.n; i++)
		spread_across(a, lanes_since_zero(m, m->gc.pauses.v[i].start_ns),
			m->gc.pauses.v[i].duration_ns, false);
	for (size_t i = 0; i < m->runtime.work.n; i++)
		spread_across(a, lanes_since_zero(m, m->runtime.work.v[i].start_ns),
			m->runtime.work.v[i].took_ns, true);
}

/* --- limits of the answer */

static void say_more(struct pv_lanes_answer *a, const struct pv_model *m)
{
	char text[120], n[PV_UNIT_MAX];
	const struct pv_lanes *l = &m->lanes;
	size_t at = strlen(a->coverage);
	const struct {
		uint64_t n;
		const char *what;
	} facts[] = { { l->shared, "samples of threads beyond the number that have lanes" },
		{ l->nowhere, "samples of no thread" },
		{ l->guessed, "samples judged before names came" } };
	for (size_t i = 0; i < PV_COUNT_OF(facts) && at < sizeof a->coverage; i++) {
		if (!facts[i].n)
			continue;
		snprintf(text, sizeof text, "; %s %s", pv_units_exact(n, sizeof n, facts[i].n),
			facts[i].what);
		snprintf(a->coverage + at, sizeof a->coverage - at, "%s", text);
		at = strlen(a->coverage);
	}
	if (!a->sampled && a->called && at < sizeof a->coverage)
		snprintf(a->coverage + at, sizeof a->coverage - at, "; calls: not drawn by thread");
}

static void whole_time(struct pv_lanes_answer *a, const struct pv_model *m)
{
	int64_t last = m->events ? lanes_since_zero(m, m->last_ns) : 0;
	a->from_ns = m->only.ranged && m->only.from_ns > 0 ? m->only.from_ns : 0;
	a->to_ns = pv_sat_add(last > 0 ? last : 0, 1);
	if (m->only.ranged && m->only.to_ns < a->to_ns)
		a->to_ns = m->only.to_ns;
	if (a->to_ns <= a->from_ns)
		a->to_ns = a->from_ns + 1;
}

static bool fill_answer(
	struct pv_lanes_answer *a, struct pv_model *m, const struct pv_lanes_wish *w)
{
	struct asking k = { .a = a, .l = &m->lanes };
	unsigned groups = pv_groups_recorded(m);
	if (a->from_ns >= a->to_ns)
		whole_time(a, m);
	k.origin = lanes_since_zero(m, m->lanes.origin_ns);
	a->generation = pv_model_generation(m);
	a->sampled = groups & PV_GROUP_SAMPLES;
	a->called = groups & PV_GROUP_CALLS;
	a->width_ns = m->lanes.width_ns;
	a->other = m->lanes.shared;
	a->nowhere = m->lanes.nowhere;
	bool ok = fill_rows(&k, m, w);
	free(k.of_lane);
	order_rows(a);
	count_quiet(a, m, w);
	pv_coverage_line(m, NULL, PV_VIEW_TIMELINE, a->coverage, sizeof a->coverage);
	say_more(a, m);
	return ok;
}

struct pv_lanes_answer *pv_lanes_ask(struct pv_model *m, const struct pv_lanes_wish *w)
{
	struct pv_lanes_answer *a = calloc(1, sizeof *a);
	if (!a)
		return NULL;
	a->from_ns = w->from_ns;
	a->to_ns = w->to_ns;
	a->cells = w->cells ? w->cells : 1;
	a->stopped = calloc(a->cells, sizeof *a->stopped);
	a->spans = calloc(a->cells, sizeof *a->spans);
	bool ok = a->stopped && a->spans;
	if (ok) {
		pv_model_lock(m);
		ok = fill_answer(a, m, w);
		pv_model_unlock(m);
		struct pv_model *across = w->across ? w->across : m;
		pv_model_lock(across);
		fill_across(a, across);
		pv_model_unlock(across);
	}
	if (ok)
		return a;
	pv_lanes_answer_destroy(a);
	return NULL;
}
