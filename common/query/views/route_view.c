/* SPDX-License-Identifier: MIT */
/*
 * Requests by route: spans (span_routes.h), and the web server's own meter. The meter's histogram
 * http.server.request.duration has a series for each method, route and status, and for each
 * interval of a series a count and three quantiles. A route's quantiles are read from the mixture
 * of all intervals, with values spread evenly between two quantiles; so they lie between the least
 * and the greatest quantile in the log.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/saturate.h"
#include "common/base/status.h"
#include "common/base/text/span_source.h"
#include "common/model/model.h"
#include "common/query/counter_value.h"
#include "common/query/views/span_routes.h"
#include "common/query/groups/specs.h"

enum { PARTS = 256, STEPS = 40, QUANTILES = PV_ROUTE_QUANTILES, FAILED_FROM = 500, TAG = 256 };

static const double quantile[QUANTILES] = { 0.5, 0.95, 0.99 };

/* An interval of a series. */
struct part {
	double n, at[QUANTILES]; /* values; seconds */
};

struct route {
	double count, errors, sum;
	PV_ARRAY(struct part) part;
};

struct routes {
	struct pv_intern name;
	PV_ARRAY(struct route) route; /* by name; [0] unused */
	struct pv_intern figure;      /* names of the counters of all series */
	struct pv_map figure_at;      /* in pv_counters.counter, by name in `figure` */
	bool failed;
};

/* --- names */

static const char prefix[] = PV_ROUTES_METER "{";

/* The value of a tag; values may have commas, so a value ends before the next "name=". */
static size_t tag_of(const char *tags, const char *tag, char *to, size_t room)
{
	size_t n = strlen(tag);
	const char *at = tags;
	while (at && !(strncmp(at, tag, n) == 0 && at[n] == '='))
		if ((at = strchr(at, ',')))
			at++;
	*to = '\0';
	if (!at)
		return 0;
	at += n + 1;
	const char *end = at;
	for (; *end; end++) {
		size_t word = *end == ',' ? strspn(end + 1, "abcdefghijklmnopqrstuvwxyz._") : 0;
		if (word && end[1 + word] == '=')
			break;
	}
	n = (size_t)(end - at) < room ? (size_t)(end - at) : room - 1;
	memcpy(to, at, n);
	to[n] = '\0';
	return n;
}

enum { ROUTE_NAME = TAG + 40 };

static void series_route_name(const char *tags, char to[ROUTE_NAME])
{
	char method[32], path[TAG];
	tag_of(tags, "http.request.method", method, sizeof method);
	if (!tag_of(tags, "http.route", path, sizeof path))
		memcpy(path, "(no route)", sizeof "(no route)");
	snprintf(to, ROUTE_NAME, "%s %s", method, path);
}

static struct route *route_of(struct routes *r, const char *tags)
{
	char name[ROUTE_NAME];
	uint32_t id;
	series_route_name(tags, name);
	if (!pv_intern_add(&r->name, name, strlen(name), &id) ||
		!pv_reserve(&r->route, id + 1 - (id < r->route.n ? id : r->route.n)))
		return NULL;
	while (r->route.n <= id)
		r->route.v[r->route.n++] = (struct route){ 0 };
	return &r->route.v[id];
}

static bool failed(const char *tags)
{
	char status[16];
	return tag_of(tags, "http.response.status_code", status, sizeof status) &&
	       strtol(status, NULL, 10) >= FAILED_FROM;
}

/* --- intervals */

/* Merges pairs of neighbours when there are too many. */
static void halve(struct route *r)
{
	size_t to = 0;
	for (size_t i = 0; i + 1 < r->part.n; i += 2) {
		const struct part a = r->part.v[i], b = r->part.v[i + 1];
		struct part both = { .n = a.n + b.n };
		for (int q = 0; q < QUANTILES; q++)
			both.at[q] = (a.at[q] * a.n + b.at[q] * b.n) / both.n;
		r->part.v[to++] = both;
	}
	if (r->part.n % 2)
		r->part.v[to++] = r->part.v[r->part.n - 1];
	r->part.n = to;
}

/* The quantiles of an interval, logged at the time of the count; false: none. */
static bool quantiles_at(const struct pv_counter *const k[QUANTILES], size_t at[QUANTILES],
	int64_t time, struct part *p)
{
	for (int q = 0; q < QUANTILES; q++) {
		const struct pv_counter *x = k[q];
		while (at[q] < x->samples.n && x->samples.v[at[q]].time_ns < time)
			at[q]++;
		if (at[q] == x->samples.n || x->samples.v[at[q]].time_ns != time)
			return false;
		p->at[q] = x->samples.v[at[q]].d;
	}
	return true;
}

static void add_series(struct routes *r, struct route *to, const struct pv_counter *count,
	const struct pv_counter *const k[QUANTILES])
{
	size_t at[QUANTILES] = { 0 };
	double before;
	memcpy(&before, &count->base, sizeof before);
	for (size_t i = 0; i < count->samples.n; i++) {
		struct part p = { .n = count->samples.v[i].d - before };
		before = count->samples.v[i].d;
		if (!(p.n > 0) || !quantiles_at(k, at, count->samples.v[i].time_ns, &p))
			continue;
		if (to->part.n >= PARTS)
			halve(to);
		if (!pv_reserve(&to->part, 1)) {
			r->failed = true;
			return;
		}
		to->part.v[to->part.n++] = p;
	}
}

/* The share of an interval's values up to `value`. */
static double share(const struct part *p, double value)
{
	double low = 0, low_share = 0;
	for (int q = 0; q < QUANTILES; q++) {
		if (value < p->at[q])
			return low_share +
			       (quantile[q] - low_share) * (value - low) / (p->at[q] - low);
		low = p->at[q];
		low_share = quantile[q];
	}
	return 1;
}

static double quantile_of(const struct route *r, double wanted)
{
	double low = 0, high = 0, n = 0;
	for (size_t i = 0; i < r->part.n; i++) {
		n += r->part.v[i].n;
		for (int q = 0; q < QUANTILES; q++)
			high = r->part.v[i].at[q] > high ? r->part.v[i].at[q] : high;
	}
	for (int step = 0; step < STEPS; step++) {
		double middle = (low + high) / 2, sum = 0;
		for (size_t i = 0; i < r->part.n; i++)
			sum += r->part.v[i].n * share(&r->part.v[i], middle);
		if (sum >= wanted * n)
			high = middle;
		else
			low = middle;
	}
	return high;
}

/* --- rows */

static const char metered[] = "meter"; /* the kind of work of requests counted by the server */

enum {
	R_COUNT,
	R_ERRORS,
	R_MEAN,
	R_P50,
	R_P95,
	R_P99,
	R_CPU,
	R_WAIT,
	R_BYTES,
	R_QUERIES,
	R_QUERY,
	R_WHAT,
	R_NAME
};

static const struct pv_column route_columns[] = {
	[R_COUNT] = { "count", "REQUESTS", PV_UNIT_COUNT, 9, 0, PV_COLUMN_ADDS, .json = 3,
		.help = "Requests that were answered, or spans that ended" },
	[R_ERRORS] = { "errors", "ERRORS", PV_UNIT_COUNT, 8, 2, PV_COLUMN_ADDS, .json = 4,
		.help = "Of these with status 500 and above, or failed; -: no status is recorded" },
	[R_MEAN] = { "mean_ns", "MEAN", PV_UNIT_NS, 9, 4, .json = 5,
		.help = "How long one took on average" },
	[R_P50] = { "p50_ns", "P50", PV_UNIT_NS, 9, 4, .json = 6,
		.help = "Half of them took at most so long" },
	[R_P95] = { "p95_ns", "P95", PV_UNIT_NS, 9, 1, .json = 7,
		.help = "95 of 100 took at most so long" },
	[R_P99] = { "p99_ns", "P99", PV_UNIT_NS, 9, 1, .json = 8,
		.help = "99 of 100 took at most so long" },
	[R_CPU] = { "cpu_each_ns", "CPU EACH", PV_UNIT_NS, 9, 2, PV_COLUMN_SPARSE, .json = 9,
		.help = "Processor time of one on average, while threads surely worked for it" },
	[R_WAIT] = { "wait_each_ns", "LOCKS EACH", PV_UNIT_NS, 10, 3, PV_COLUMN_SPARSE, .json = 10,
		.help = "How long one waited for locks on average" },
	[R_BYTES] = { "bytes_each", "BYTES EACH", PV_UNIT_BYTES, 10, 5, PV_COLUMN_SPARSE,
		.json = 11, .help = "What was allocated for one on average" },
	[R_QUERIES] = { "queries_each", "SQL EACH", PV_UNIT_NUMBER, 8, 3, PV_COLUMN_SPARSE,
		.json = 12, .help = "Queries to data bases within one on average" },
	[R_QUERY] = { "query_each_ns", "IN SQL", PV_UNIT_NS, 9, 4, PV_COLUMN_SPARSE, .json = 13,
		.help = "How long these took in one on average" },
	[R_WHAT] = { "what", "WHAT", PV_UNIT_TEXT, 6, 2, PV_COLUMN_ASCENDING, .json = 2,
		.help = "Kind of the spans; meter: counted by the web server itself" },
	[R_NAME] = { "name", "ROUTE", PV_UNIT_TEXT, 30, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS,
		.json = 1, .help = "Numbers and ids in paths are *, literals in SQL ?" },
};

static const char *counter_name(const struct pv_model *m, const struct pv_counter *k)
{
	return pv_intern_text(&m->names.text, k->name);
}

static bool is_route(const struct pv_model *m, const struct pv_counter *k)
{
	return k->type == PV_COUNTER_DOUBLE &&
	       strncmp(counter_name(m, k), prefix, sizeof prefix - 1) == 0;
}

/* Another figure of the series: names differ in their last word. */
static const struct pv_counter *figure(
	const struct pv_model *m, struct routes *r, const char *series, size_t n, const char *word)
{
	char name[PV_INTERN_MOST + 16];
	uint32_t id = 0;
	int len = snprintf(name, sizeof name, "%.*s %s", (int)n, series, word);
	if (len < 0 || !pv_intern_add(&r->figure, name, (size_t)len, &id))
		return NULL;
	uint32_t at = pv_map_get(&r->figure_at, id);
	return at == PV_MAP_NONE ? NULL : &m->counters.counter.v[at];
}

static void find_figures(const struct pv_model *m, struct routes *r)
{
	for (size_t i = 1; i < m->counters.counter.n && !r->failed; i++) {
		const char *name = counter_name(m, &m->counters.counter.v[i]);
		uint32_t id = 0;
		if (is_route(m, &m->counters.counter.v[i]))
			r->failed = !pv_intern_add(&r->figure, name, strlen(name), &id) ||
				    !pv_map_set(&r->figure_at, id, (uint32_t)i);
	}
}

static double grown(const struct pv_counter *k)
{
	double base;
	memcpy(&base, &k->base, sizeof base);
	return k->samples.n ? k->samples.v[k->samples.n - 1].d - base : 0;
}

/* The tags in the name of a series' counter of requests. */
static void tags_of(const char *name, char to[PV_INTERN_MOST])
{
	const size_t n = strlen(name) - strlen(" count");
	snprintf(to, PV_INTERN_MOST, "%.*s", (int)(n - sizeof prefix), name + sizeof prefix - 1);
}

static void take_series(const struct pv_model *m, struct routes *r, const struct pv_counter *count)
{
	const char *name = counter_name(m, count);
	size_t n = strlen(name) - strlen(" count");
	const struct pv_counter *sum = figure(m, r, name, n, "sum");
	const struct pv_counter *const k[QUANTILES] = { figure(m, r, name, n, "p50"),
		figure(m, r, name, n, "p95"), figure(m, r, name, n, "p99") };
	char tags[PV_INTERN_MOST];
	tags_of(name, tags);
	struct route *to = route_of(r, tags);
	if (!to) {
		r->failed = true;
		return;
	}
	double more = grown(count);
	to->count += more;
	to->errors += failed(tags) ? more : 0;
	to->sum += sum ? grown(sum) : 0;
	if (k[0] && k[1] && k[2])
		add_series(r, to, count, k);
}

static void put_route(struct pv_build *b, const struct routes *r, uint32_t id)
{
	const struct route *x = &r->route.v[id];
	if (!(x->count > 0))
		return;
	const char *name = pv_intern_text(&r->name, id);
	struct pv_cell *c = pv_build_row(b, pv_route_row(metered, name));
	pv_cell_u(&c[R_COUNT], (uint64_t)x->count);
	pv_cell_u(&c[R_ERRORS], (uint64_t)x->errors);
	pv_cell_i(&c[R_MEAN], (int64_t)(x->sum / x->count * 1e9));
	for (int q = 0; q < QUANTILES; q++) {
		if (x->part.n)
			pv_cell_i(&c[R_P50 + q], (int64_t)(quantile_of(x, quantile[q]) * 1e9));
		else
			pv_cell_null(&c[R_P50 + q]);
	}
	for (int i = R_CPU; i <= R_QUERY; i++)
		pv_cell_null(&c[i]);
	pv_cell_s(&c[R_WHAT], metered);
	pv_cell_s(&c[R_NAME], pv_build_text(b, name));
}

/* Whether the counter counts the requests of a series. */
static bool is_count(const struct pv_model *m, const struct pv_counter *k)
{
	static const char last[] = " count";
	const char *name = counter_name(m, k);
	const size_t n = strlen(name);
	return is_route(m, k) && n > sizeof last && strcmp(name + n - sizeof last + 1, last) == 0;
}

/* The least duration that the wanted share of the spans does not exceed. */
static int64_t took_at(const struct pv_span_route *r, double wanted)
{
	const size_t at = (size_t)ceil(wanted * (double)r->took.n);
	return r->took.v[at ? at - 1 : 0];
}

static void put_each(struct pv_cell *c, bool known, double sum, uint64_t n)
{
	if (known && n)
		pv_cell_i(c, (int64_t)(sum / (double)n + 0.5));
	else
		pv_cell_null(c);
}

/* Average costs of a span of the route. */
static void put_costs(
	struct pv_cell *c, const struct pv_span_costs *all, const struct pv_span_route *x)
{
	const struct pv_span_cost *k = &x->cost;
	const bool sql = all->has_queries && x->known && !x->query;
	put_each(&c[R_CPU], all->period_ns, (double)k->ran * (double)all->period_ns, x->known);
	put_each(&c[R_WAIT], all->has_waits, (double)k->wait_ns, x->known);
	put_each(&c[R_BYTES], all->has_bytes, (double)k->bytes, x->known);
	put_each(&c[R_QUERY], sql, (double)k->query_ns, x->known);
	if (sql)
		pv_cell_d(&c[R_QUERIES], (double)k->queries / (double)x->known);
	else
		pv_cell_null(&c[R_QUERIES]);
}

/* A row for spans beyond the list, whose routes are not kept. */
static void put_rest(struct pv_build *b, const struct pv_spans_rest *rest)
{
	static const char other[] = "(other)";
	if (!rest->count)
		return;
	struct pv_cell *c = pv_build_row(b, pv_route_row("", other));
	for (int i = R_P50; i <= R_QUERY; i++)
		pv_cell_null(&c[i]);
	pv_cell_u(&c[R_COUNT], rest->count);
	pv_cell_u_if(&c[R_ERRORS], rest->failed, rest->failed);
	pv_cell_i(&c[R_MEAN], rest->sum_ns / (int64_t)rest->count);
	pv_cell_s(&c[R_WHAT], "other");
	pv_cell_s(&c[R_NAME], other);
}

static void put_spans(struct pv_build *b, struct pv_model *m)
{
	struct pv_span_routes r;
	if (!pv_span_routes_make(&r, m))
		pv_build_fail(b);
	for (size_t i = 0; b->table && i < r.route.n; i++) {
		const struct pv_span_route *x = &r.route.v[i];
		const char *what = pv_intern_text(&m->names.text, x->what);
		struct pv_cell *c = pv_build_row(b, x->row);
		pv_cell_u(&c[R_COUNT], x->took.n);
		pv_cell_u_if(&c[R_ERRORS], x->failed || pv_span_says_failure(what), x->failed);
		pv_cell_i(&c[R_MEAN], x->sum_ns / (int64_t)x->took.n);
		for (int q = 0; q < QUANTILES; q++)
			pv_cell_i(&c[R_P50 + q], took_at(x, quantile[q]));
		put_costs(c, &r.costs, x);
		pv_cell_s(&c[R_WHAT], what);
		pv_cell_s(&c[R_NAME], pv_build_text(b, pv_intern_text(&r.name, x->name)));
	}
	put_rest(b, &m->runtime.rest);
	pv_span_routes_finish(&r);
}

static void copy_routes(struct pv_build *b, struct pv_model *m)
{
	struct routes r = { 0 };
	put_spans(b, m);
	if (!m->counters.routes)
		return;
	find_figures(m, &r);
	for (size_t i = 1; i < m->counters.counter.n && !r.failed; i++)
		if (is_count(m, &m->counters.counter.v[i]))
			take_series(m, &r, &m->counters.counter.v[i]);
	for (uint32_t id = 1; id < r.route.n && !r.failed; id++)
		put_route(b, &r, id);
	if (r.failed)
		pv_build_fail(b);
	for (size_t i = 0; i < r.route.n; i++)
		pv_array_finish(&r.route.v[i].part);
	pv_array_finish(&r.route);
	pv_intern_finish(&r.figure);
	pv_map_finish(&r.figure_at);
	pv_intern_finish(&r.name);
}

/* --- over time */

static void each_interval(const struct pv_model *m, struct routes *r,
	const struct pv_counter *count, pv_route_fn *each, void *ctx)
{
	const char *name = counter_name(m, count);
	const size_t n = strlen(name) - strlen(" count");
	const struct pv_counter *const k[QUANTILES] = { figure(m, r, name, n, "p50"),
		figure(m, r, name, n, "p95"), figure(m, r, name, n, "p99") };
	const bool all = k[0] && k[1] && k[2];
	size_t at[QUANTILES] = { 0 };
	double before;
	memcpy(&before, &count->base, sizeof before);
	int64_t from = count->samples.n ? count->samples.v[0].time_ns : 0;
	for (size_t i = 0; i < count->samples.n; i++) {
		const struct pv_counter_sample *x = &count->samples.v[i];
		double took[QUANTILES] = { 0 };
		struct part p;
		if (all && quantiles_at(k, at, x->time_ns, &p))
			for (int q = 0; q < QUANTILES; q++)
				took[q] = p.at[q] * 1e9;
		each(ctx, from, pv_sat_span(from, x->time_ns), x->d - before, took);
		before = x->d;
		from = x->time_ns;
	}
}

void pv_route_each_metered(struct pv_model *m, uint64_t row, pv_route_fn *each, void *ctx)
{
	struct routes r = { 0 };
	if (m->counters.routes)
		find_figures(m, &r);
	for (size_t i = 1; m->counters.routes && i < m->counters.counter.n; i++) {
		const struct pv_counter *k = &m->counters.counter.v[i];
		char tags[PV_INTERN_MOST], name[ROUTE_NAME];
		if (!is_count(m, k))
			continue;
		tags_of(counter_name(m, k), tags);
		series_route_name(tags, name);
		if (pv_route_row(metered, name) == row)
			each_interval(m, &r, k, each, ctx);
	}
	pv_intern_finish(&r.figure);
	pv_map_finish(&r.figure_at);
}

const struct pv_view_spec pv_spec_routes = { .column = route_columns,
	.columns = PV_COUNT_OF(route_columns),
	.name = "name",
	.sort = "count",
	.copy = copy_routes };
