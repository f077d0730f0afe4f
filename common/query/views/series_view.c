/* SPDX-License-Identifier: MIT */
/* Figures over time: from the timeline, lanes, levels, counters, throws and routes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/status.h"
#include "common/model/time/counters.h"
#include "common/model/objects/gc.h"
#include "common/model/model.h"
#include "common/model/names/names_find.h"
#include "common/model/time/buckets.h"
#include "common/model/time/timeline.h"
#include "common/query/counter_value.h"
#include "common/query/views/span_routes.h"
#include "common/query/groups/specs.h"

void pv_series_destroy(struct pv_series *s)
{
	if (!s)
		return;
	free(s->value);
	free(s);
}

struct kind {
	const char *name;
	enum pv_unit unit;
	unsigned group;      /* must be recorded for anything to be known; 0: always */
	enum pv_track track; /* of kinds taken from the timeline */
	bool rate;           /* per second, else the amount within the cell */
};

static const struct kind kinds[] = {
	[PV_SERIES_HEAP] = { "heap", PV_UNIT_BYTES, PV_GROUP_GC, PV_TRACK_HEAP, false },
	[PV_SERIES_ALLOC_RATE] = { "allocated", PV_UNIT_BYTES, PV_GROUP_ALLOC, PV_TRACK_ALLOC_BYTES,
		true },
	[PV_SERIES_EVENT_RATE] = { "events", PV_UNIT_COUNT, 0, PV_TRACK_EVENTS, true },
	[PV_SERIES_CALL_RATE] = { "calls", PV_UNIT_COUNT, PV_GROUP_CALLS, PV_TRACK_CALLS, true },
	[PV_SERIES_SAMPLE_RATE] = { "samples", PV_UNIT_COUNT, PV_GROUP_SAMPLES, PV_TRACK_SAMPLES,
		true },
	[PV_SERIES_THROW_RATE] = { "exceptions", PV_UNIT_COUNT, PV_GROUP_EXCEPTIONS,
		PV_TRACK_THROWS, true },
	[PV_SERIES_PAUSE] = { "pause", PV_UNIT_NS, PV_GROUP_GC, PV_TRACK_PAUSE_NS, false },
	[PV_SERIES_MINOR] = { "minor", PV_UNIT_COUNT, PV_GROUP_GC, PV_TRACK_MINOR, false },
	[PV_SERIES_MAJOR] = { "major", PV_UNIT_COUNT, PV_GROUP_GC, PV_TRACK_MAJOR, false },
	[PV_SERIES_COUNTER] = { "counter", PV_UNIT_NUMBER, PV_GROUP_COUNTERS, PV_TRACKS, false },
	[PV_SERIES_WAIT] = { "waited", PV_UNIT_NS, PV_GROUP_LOCKS, PV_TRACK_WAIT_NS, false },
	[PV_SERIES_RAN] = { "running", PV_UNIT_COUNT, PV_GROUP_SAMPLES, PV_TRACKS, true },
	[PV_SERIES_QUEUED] = { "runnable", PV_UNIT_COUNT, PV_GROUP_SAMPLES, PV_TRACKS, true },
	[PV_SERIES_LOCKED] = { "lock", PV_UNIT_COUNT, PV_GROUP_SAMPLES, PV_TRACKS, true },
	[PV_SERIES_IDLE] = { "waiting", PV_UNIT_COUNT, PV_GROUP_SAMPLES, PV_TRACKS, true },
	[PV_SERIES_YOUNG] = { "young", PV_UNIT_BYTES, PV_GROUP_COUNTERS, PV_TRACKS, false },
	[PV_SERIES_OLD] = { "old", PV_UNIT_BYTES, PV_GROUP_COUNTERS, PV_TRACKS, false },
	[PV_SERIES_THROWN] = { "thrown", PV_UNIT_COUNT, PV_GROUP_EXCEPTIONS, PV_TRACK_THROWS,
		true },
	[PV_SERIES_LARGE] = { "large", PV_UNIT_BYTES, PV_GROUP_COUNTERS, PV_TRACKS, false },
	[PV_SERIES_SERVED] = { "served", PV_UNIT_COUNT, PV_GROUP_SPANS, PV_TRACKS, true },
	[PV_SERIES_SLOWEST] = { "slowest", PV_UNIT_NS, PV_GROUP_SPANS, PV_TRACKS, false },
	[PV_SERIES_TOOK_50] = { "p50", PV_UNIT_NS, PV_GROUP_SPANS, PV_TRACKS, false },
	[PV_SERIES_TOOK_95] = { "p95", PV_UNIT_NS, PV_GROUP_SPANS, PV_TRACKS, false },
	[PV_SERIES_TOOK_99] = { "p99", PV_UNIT_NS, PV_GROUP_SPANS, PV_TRACKS, false },
};

const char *pv_series_name(enum pv_series_kind kind)
{
	return kinds[kind].name;
}

/* The cells of the answer on the log's clock. */
struct grid {
	struct pv_series *s;
	double from, width; /* ns since zero */
	/* Range of known values: from zero or an earlier event to the latest event. */
	double first, end;
};

static double cell_start(const struct grid *g, size_t i)
{
	return g->from + (double)i * g->width;
}

/* Cells wholly outside of the recording stay unknown; other cells start at 0. */
static void mark_known(struct grid *g, double start)
{
	for (size_t i = 0; i < g->s->n; i++)
		if (cell_start(g, i) <= g->end && cell_start(g, i + 1) > g->first)
			g->s->value[i] = start;
}

static long cell_of(const struct grid *g, double at)
{
	double i = floor((at - g->from) / g->width);
	return i < 0 ? -1 : i >= (double)g->s->n ? (long)g->s->n : (long)i;
}

/* Adds an amount spread evenly over a span of time; a span of no length is a point. */
static void spread_amount(struct grid *g, double at, double length, double amount)
{
	long first = cell_of(g, at), last = length > 0 ? cell_of(g, at + length) : first;
	for (long i = first < 0 ? 0 : first; i <= last && i < (long)g->s->n; i++) {
		double from = cell_start(g, (size_t)i), to = from + g->width, share = 1;
		if (length > 0) {
			from = from > at ? from : at;
			to = to < at + length ? to : at + length;
			share = to > from ? (to - from) / length : 0;
		}
		if (!isnan(g->s->value[i]))
			g->s->value[i] += amount * share;
	}
}

static double series_since_zero(const struct pv_model *m, int64_t log_ns)
{
	return (double)(int64_t)((uint64_t)log_ns - (uint64_t)m->zero_ns);
}

static void from_timeline(const struct pv_model *m, const struct kind *k, struct grid *g)
{
	const struct pv_timeline *t = &m->timeline;
	mark_known(g, 0);
	g->s->grain_ns = t->width_ns;
	double width = (double)t->width_ns, origin = series_since_zero(m, t->origin_ns);
	for (size_t i = 0; i < t->used; i++) {
		/* The newest cell has not lasted its whole width yet. */
		double at = origin + (double)i * width, length = width;
		if (t->cell[k->track][i] == 0)
			continue;
		if (at + length > g->end && g->end > at)
			length = g->end - at;
		spread_amount(g, at, length, (double)t->cell[k->track][i]);
	}
	for (size_t i = 0; k->rate && i < g->s->n; i++)
		g->s->value[i] *= 1e9 / g->width;
}

/* --- samples by thread state --- */

static bool is_of(enum pv_series_kind kind, unsigned state)
{
	switch (state) {
	case PV_STATE_RUNNING:
		return kind == PV_SERIES_RAN;
	case PV_STATE_QUEUED:
	case PV_STATE_STOPPED:
		return kind == PV_SERIES_QUEUED;
	case PV_STATE_LOCK:
		return kind == PV_SERIES_LOCKED;
	case PV_STATE_UNSURE:
		return false;
	default:
		return kind == PV_SERIES_IDLE;
	}
}

static void spread_samples(const struct pv_model *m, struct grid *g, uint32_t cell, uint32_t n)
{
	double width = (double)m->lanes.width_ns;
	double at = series_since_zero(m, m->lanes.origin_ns) + (double)cell * width;
	if (n && at + width > g->end && g->end > at)
		width = g->end - at;
	if (n)
		spread_amount(g, at, width, n);
}

/* Lanes of the profiler's own threads, by number. */
struct left_out {
	bool lane[PV_LANES_CAP + 1];
};

static void find_internal(const struct pv_model *m, struct left_out *ret)
{
	const struct pv_lanes *l = &m->lanes;
	*ret = (struct left_out){ .lane = { false } };
	for (uint32_t i = 0; i < l->lane.n && i <= PV_LANES_CAP; i++) {
		uint32_t index = l->lane.v[i].thread;
		ret->lane[i] = index && pv_thread_is_internal(pv_intern_text(
						&m->names.text, m->threads.thread.v[index]->name));
	}
}

static uint32_t samples_of(enum pv_series_kind kind, const uint32_t *samples)
{
	uint32_t n = 0;
	for (unsigned s = 0; s < PV_STATES; s++)
		n += is_of(kind, s) ? samples[s] : 0;
	return n;
}

static void from_lane(
	const struct pv_model *m, const struct pv_lane *l, enum pv_series_kind kind, struct grid *g)
{
	for (uint32_t page = 0; page < PV_COUNT_OF(l->page); page++)
		for (uint32_t c = 0; l->page[page] && c < PV_LANE_PAGE; c++)
			spread_samples(m, g, page * PV_LANE_PAGE + c,
				samples_of(kind, l->page[page]->samples[c]));
}

static void from_lanes(struct pv_model *m, enum pv_series_kind kind, struct grid *g)
{
	const struct pv_lanes *l = &m->lanes;
	const struct pv_lane_state *of = l->unnamed.n ? pv_lane_states(m) : NULL;
	struct left_out out;
	find_internal(m, &out);
	mark_known(g, 0);
	g->s->grain_ns = l->width_ns;
	for (uint32_t lane = 0; lane < l->lane.n && lane <= PV_LANES_CAP; lane++)
		if (!out.lane[lane])
			from_lane(m, &l->lane.v[lane], kind, g);
	for (size_t i = 0; of && i < l->unnamed.n; i++) {
		const struct pv_lane_unnamed *u = &l->unnamed.v[i];
		if (is_of(kind, of[u->node].state) && !out.lane[u->lane])
			spread_samples(m, g, u->cell, u->samples);
	}
	for (size_t i = 0; i < g->s->n; i++)
		g->s->value[i] *= 1e9 / g->width;
}

static void from_pauses(const struct pv_model *m, struct grid *g)
{
	mark_known(g, 0);
	for (size_t i = 0; i < m->gc.pauses.n; i++) {
		const struct pv_pause *p = &m->gc.pauses.v[i];
		spread_amount(g, series_since_zero(m, p->start_ns), (double)p->duration_ns,
			(double)p->duration_ns);
	}
}

static void from_collections(const struct pv_model *m, bool major, struct grid *g)
{
	mark_known(g, 0);
	for (size_t i = 0; i < m->gc.collections.n; i++) {
		const struct pv_collection *c = &m->gc.collections.v[i];
		if ((c->generation > 0) == major)
			spread_amount(g, series_since_zero(m, c->start_ns), 0, c->merged);
	}
}

/* A level holds until the next; a cell shows its greatest level. */
struct level {
	struct grid *g;
	double value; /* NAN: none yet */
	long cell;    /* filled up to here, exclusive */
};

static void fill_to(struct level *l, long cell)
{
	for (; l->cell < cell && l->cell < (long)l->g->s->n; l->cell++)
		if (l->cell >= 0 && cell_start(l->g, (size_t)l->cell) <= l->g->end)
			l->g->s->value[l->cell] = l->value;
}

static void set_level(struct level *l, double at, double value)
{
	long cell = cell_of(l->g, at);
	fill_to(l, cell);
	if (cell >= 0 && cell < (long)l->g->s->n) {
		double *v = &l->g->s->value[cell];
		double before = l->cell > cell ? *v : l->value;
		*v = isnan(before) || value > before ? value : before;
		l->cell = cell + 1;
	}
	l->value = value;
}

static void from_heap(const struct pv_model *m, struct grid *g)
{
	struct level l = { .g = g, .value = NAN };
	for (size_t i = 0; i < m->gc.sizes.n; i++)
		set_level(&l, series_since_zero(m, m->gc.sizes.v[i].time_ns),
			(double)m->gc.sizes.v[i].bytes);
	fill_to(&l, (long)g->s->n);
}

static void from_samples(const struct pv_model *m, const struct pv_counter *k, struct grid *g)
{
	struct level l = { .g = g, .value = NAN };
	for (size_t i = 0; i < k->samples.n; i++) {
		double v = pv_scaled(pv_counter_scale(m, k), pv_counter_number(k, &k->samples.v[i]),
			&g->s->unit);
		if (isfinite(v))
			set_level(&l, series_since_zero(m, k->samples.v[i].time_ns), v);
	}
	fill_to(&l, (long)g->s->n);
}

static void from_counter(const struct pv_model *m, uint64_t id, struct grid *g)
{
	if (id == 0 || id >= m->counters.counter.n)
		return;
	const struct pv_counter *k = &m->counters.counter.v[id];
	from_samples(m, k, g);
	if (k->name)
		g->s->name = pv_intern_text(&m->names.text, k->name);
}

/* The sum of the counters with these names, as far as known. */
static void from_counters(const struct pv_model *m, const char *const name[2], struct grid *g)
{
	struct pv_series one = *g->s, *all = g->s;
	one.value = calloc(one.n, sizeof *one.value);
	for (size_t k = 1; one.value && k < m->counters.counter.n; k++) {
		const struct pv_counter *of = &m->counters.counter.v[k];
		const char *text = of->name ? pv_intern_text(&m->names.text, of->name) : "";
		if (strcmp(text, name[0]) != 0 && (!name[1] || strcmp(text, name[1]) != 0))
			continue;
		for (size_t i = 0; i < one.n; i++)
			one.value[i] = NAN;
		g->s = &one;
		from_samples(m, of, g);
		g->s = all;
		for (size_t i = 0; i < one.n; i++)
			all->value[i] = isnan(all->value[i])  ? one.value[i]
					: isnan(one.value[i]) ? all->value[i]
							      : all->value[i] + one.value[i];
	}
	free(one.value);
	all->unit = PV_UNIT_BYTES;
}

static const char *const generations[][2] = {
	[PV_SERIES_YOUNG - PV_SERIES_YOUNG] = { "Generation 0", "Generation 1" },
	[PV_SERIES_OLD - PV_SERIES_YOUNG] = { "Generation 2", NULL },
	[PV_SERIES_LARGE - PV_SERIES_YOUNG] = { "Large objects", "Pinned objects" },
};

/* --- exceptions of a class --- */

struct throws {
	const struct pv_model *m;
	struct grid *g;
	uint64_t row;
};

static void spread_throws(void *ctx, int64_t from_ns, const struct pv_bucket_entry *e)
{
	struct throws *t = ctx;
	double at = series_since_zero(t->m, from_ns), length = (double)pv_buckets_width(t->m);
	if (e->what != PV_BUCKET_THROWS)
		return;
	if (pv_names_class_said(&t->m->names, e->id).row != t->row)
		return;
	if (at + length > t->g->end && t->g->end > at)
		length = t->g->end - at;
	spread_amount(t->g, at, length, (double)e->count);
}

static void from_throws(const struct pv_model *m, uint64_t row, struct grid *g)
{
	struct throws t = { m, g, row };
	mark_known(g, 0);
	g->s->grain_ns = pv_buckets_width(m);
	pv_buckets_each(m, m->zero_ns, m->last_ns, spread_throws, &t);
	for (size_t i = 0; i < g->s->n; i++)
		g->s->value[i] *= 1e9 / g->width;
}

/* --- requests of a route --- */

/* How long a request took that began in a cell. */
struct took {
	long cell;
	double ns;
};

struct served {
	const struct pv_model *m;
	struct grid *g;
	int quantile;  /* of those a route's figures have */
	double wanted; /* the quantile as a share */
	PV_ARRAY(struct took) took;
	bool failed;
};

static void add_served(void *ctx, int64_t start_ns, int64_t length_ns, double count,
	const double took_ns[PV_ROUTE_QUANTILES])
{
	const struct served *s = ctx;
	(void)took_ns;
	spread_amount(s->g, series_since_zero(s->m, start_ns), (double)length_ns, count);
}

/* The greatest of the cell. */
static void add_greatest(void *ctx, int64_t start_ns, int64_t length_ns, double count,
	const double took_ns[PV_ROUTE_QUANTILES])
{
	const struct served *s = ctx;
	const double at = series_since_zero(s->m, start_ns), length = (double)length_ns;
	(void)count;
	for (long i = cell_of(s->g, at), last = cell_of(s->g, at + length); i <= last; i++)
		if (i >= 0 && i < (long)s->g->s->n)
			s->g->s->value[i] = fmax(s->g->s->value[i], took_ns[s->quantile]);
}

static void add_took(void *ctx, int64_t start_ns, int64_t length_ns, double count,
	const double took_ns[PV_ROUTE_QUANTILES])
{
	struct served *s = ctx;
	const long cell = cell_of(s->g, series_since_zero(s->m, start_ns));
	(void)length_ns;
	(void)count;
	if (cell < 0 || cell >= (long)s->g->s->n || s->failed)
		return;
	s->failed = !pv_reserve(&s->took, 1);
	if (!s->failed)
		s->took.v[s->took.n++] = (struct took){ cell, took_ns[0] };
}

static int by_cell(const void *a, const void *b)
{
	const struct took *x = a, *y = b;
	const int order = (x->cell > y->cell) - (x->cell < y->cell);
	return order ? order : (x->ns > y->ns) - (x->ns < y->ns);
}

/* The least duration that the wanted share of the cell's requests does not exceed. */
static void put_quantiles(struct served *s)
{
	if (s->took.n)
		qsort(s->took.v, s->took.n, sizeof *s->took.v, by_cell);
	for (size_t i = 0, n; i < s->took.n; i += n) {
		for (n = 1; i + n < s->took.n && s->took.v[i + n].cell == s->took.v[i].cell;)
			n++;
		const size_t rank = (size_t)ceil(s->wanted * (double)n);
		s->g->s->value[s->took.v[i].cell] = s->took.v[i + (rank ? rank - 1 : 0)].ns;
	}
}

static void from_routes(struct pv_model *m, uint64_t row, enum pv_series_kind kind, struct grid *g)
{
	static const double share[PV_ROUTE_QUANTILES] = { 0.5, 0.95, 0.99 };
	const bool quantile = kind != PV_SERIES_SERVED && kind != PV_SERIES_SLOWEST;
	const int at = quantile ? (int)(kind - PV_SERIES_TOOK_50) : PV_ROUTE_QUANTILES - 1;
	struct served s = { .m = m, .g = g, .quantile = at, .wanted = share[at] };
	mark_known(g, 0);
	pv_route_each_span(m, row,
		kind == PV_SERIES_SERVED ? add_served
		: quantile               ? add_took
					 : add_greatest,
		&s);
	put_quantiles(&s);
	pv_array_finish(&s.took);
	pv_route_each_metered(m, row, kind == PV_SERIES_SERVED ? add_served : add_greatest, &s);
	for (size_t i = 0; kind == PV_SERIES_SERVED && i < g->s->n; i++)
		g->s->value[i] *= 1e9 / g->width;
}

static void fill_series(struct pv_model *m, enum pv_series_kind kind, uint64_t id, struct grid *g)
{
	const struct kind *k = &kinds[kind];
	if (k->group && !(pv_groups_known(m) & k->group))
		return;
	switch (kind) {
	case PV_SERIES_HEAP:
		from_heap(m, g);
		break;
	case PV_SERIES_PAUSE:
		from_pauses(m, g);
		break;
	case PV_SERIES_MINOR:
	case PV_SERIES_MAJOR:
		from_collections(m, kind == PV_SERIES_MAJOR, g);
		break;
	case PV_SERIES_COUNTER:
		from_counter(m, id, g);
		break;
	case PV_SERIES_THROWN:
		if (id)
			from_throws(m, id, g);
		else
			from_timeline(m, k, g);
		break;
	case PV_SERIES_SERVED:
	case PV_SERIES_SLOWEST:
	case PV_SERIES_TOOK_50:
	case PV_SERIES_TOOK_95:
	case PV_SERIES_TOOK_99:
		from_routes(m, id, kind, g);
		break;
	case PV_SERIES_RAN:
	case PV_SERIES_QUEUED:
	case PV_SERIES_LOCKED:
	case PV_SERIES_IDLE:
		from_lanes(m, kind, g);
		break;
	case PV_SERIES_YOUNG:
	case PV_SERIES_OLD:
	case PV_SERIES_LARGE:
		from_counters(m, generations[kind - PV_SERIES_YOUNG], g);
		break;
	default:
		from_timeline(m, k, g);
	}
}

static void find_extremes(struct pv_series *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (isnan(s->value[i]))
			continue;
		s->last = s->value[i];
		if (s->value[i] > s->max)
			s->max = s->value[i];
	}
}

uint64_t pv_view_thrown(struct pv_model *m, const char *name)
{
	uint64_t row = 0;
	pv_model_lock(m);
	for (uint32_t use = 1; use < m->names.class_use.n && !row; use++) {
		struct pv_class_said said = pv_names_class_said(&m->names, use);
		if (strcmp(pv_intern_text(&m->names.text, said.name), name) == 0)
			row = said.row;
	}
	pv_model_unlock(m);
	return row;
}

struct pv_series *pv_view_series(struct pv_model *m, enum pv_series_kind kind, uint64_t id,
	int64_t from_ns, int64_t to_ns, size_t cells)
{
	struct pv_series *s = calloc(1, sizeof *s);
	double *value = calloc(cells ? cells : 1, sizeof *value);
	if (!s || !value) {
		free(s);
		free(value);
		return NULL;
	}
	*s = (struct pv_series){
		.name = kinds[kind].name, .unit = kinds[kind].unit, .n = cells, .value = value
	};
	for (size_t i = 0; i < cells; i++)
		value[i] = NAN;
	pv_model_lock(m);
	pv_gc_sort(&m->gc);
	struct grid g = { .s = s,
		.first = m->events ? fmin(series_since_zero(m, m->first_ns), 0) : 0,
		.end = m->events ? series_since_zero(m, m->last_ns) : -1 };
	if (from_ns >= to_ns) {
		from_ns = 0;
		to_ns = g.end > 0 ? (int64_t)g.end + 1 : 1;
	}
	s->from_ns = from_ns;
	s->to_ns = to_ns;
	g.from = (double)from_ns;
	g.width = ((double)to_ns - (double)from_ns) / (double)(cells ? cells : 1);
	if (cells && m->events)
		fill_series(m, kind, id, &g);
	while (s->unread < cells && cell_start(&g, cells - 1 - s->unread) > g.end)
		s->unread++;
	pv_model_unlock(m);
	find_extremes(s);
	return s;
}
