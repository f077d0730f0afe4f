/* SPDX-License-Identifier: MIT */
/* Judges rules by the figures of one log. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/units.h"
#include "common/base/utf8.h"
#include "common/check/kinds.h"
#include "common/compare/match_key.h"
#include "common/compare/options_differ.h"
#include "common/query/facts.h"

struct judging {
	struct pv_model *m;
	struct pv_check *c;
	const struct pv_check_set *set;
	const struct pv_check_baseline *baseline;
	struct pv_table *coverage;
	struct pv_facts facts;
	struct pv_summary sum;
	uint64_t shot;              /* row of the last shot */
	const struct pv_heap *heap; /* of this shot, opened for the first rule in need */
	bool heap_asked, heap_least, no_status; /* least: retained sizes are lower bounds */
	struct pv_error heap_error;
	unsigned known; /* enum pv_group bits */
};

const char *pv_check_verdict_text(enum pv_check_verdict v)
{
	static const char *const text[] = { "pass", "fail", "unsure", "refused", "skipped" };
	return text[v];
}

static void set_verdict(struct pv_check_result *r, enum pv_check_verdict v, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void set_verdict(struct pv_check_result *r, enum pv_check_verdict v, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(r->why, sizeof r->why, format, args);
	va_end(args);
	r->verdict = v;
}

/* --- cells --- */

static const char *cell_words(const struct pv_table *t, size_t row, int column)
{
	const struct pv_cell *c = column < 0 ? NULL : &t->row[row].cell[column];
	return c && c->state == PV_CELL_VALUE && c->s ? c->s : "";
}

static bool cell_number(const struct pv_table *t, size_t row, int column, double *ret)
{
	const struct pv_cell *c = column < 0 ? NULL : &t->row[row].cell[column];
	*ret = 0;
	if (!c || c->state != PV_CELL_VALUE)
		return false;
	enum pv_unit unit = t->column[column].unit;
	*ret = unit == PV_UNIT_NUMBER || unit == PV_UNIT_PERCENT ? c->d
	       : unit == PV_UNIT_NS                              ? (double)c->i
								 : (double)c->u;
	return true;
}

static struct pv_table *ask_table(
	struct judging *j, enum pv_view view, const struct pv_check_kind *k, const char *filter)
{
	struct pv_query q = { .open_all = true,
		.hide_internal = true,
		.waits = j->set->waits,
		.physical = j->set->physical,
		.filter = filter,
		.filter_way = PV_FILTER_CAPITALS };
	if (k && k->flags & PV_CHECK_LAST_SHOT && !(k->flags & PV_CHECK_RETAINED))
		q.select = j->shot;
	if (k && k->flags & (PV_CHECK_RETAINED | PV_CHECK_FINDING))
		q.heap = j->heap;
	if (k && k->flags & PV_CHECK_BY_NAMESPACE)
		q.group = PV_BY_NAMESPACE;
	return pv_view_table(j->m, view, &q);
}

/* "finding.leak" and "leak" name the same finding: "leak". */
static const char *finding_of(const struct pv_check_rule *rule)
{
	const char *dot = strchr(rule->kind, '.');
	return dot ? dot + 1 : rule->kind;
}

static const char *innermost(const char *stack)
{
	const char *line = strrchr(stack, '\n');
	return line ? line + 1 : stack;
}

static bool name_fits(const struct pv_check_kind *k, const char *pattern, const char *name)
{
	char room[PV_READABLE_MAX];
	const struct pv_column column = { .unit = PV_UNIT_TEXT,
		.flags = k->flags & PV_CHECK_METHOD ? PV_COLUMN_METHOD : PV_COLUMN_CLASS };
	if (pv_check_matches(pattern, name))
		return true;
	if (!(k->flags & (PV_CHECK_METHOD | PV_CHECK_CLASS)))
		return false;
	return pv_check_matches(pattern, pv_readable_text(&column, name, PV_NAME_READABLE, room)) ||
	       pv_check_matches(pattern, pv_match_key(&column, name, strlen(name), room));
}

static bool row_fits(const struct pv_check_kind *k, const struct pv_check_rule *rule,
	const struct pv_table *t, size_t i, int name, char room[PV_CHECK_PLACE],
	const char **ret_name)
{
	const char *text = cell_words(t, i, name);
	char digits[24];
	if (name >= 0 && t->column[name].unit != PV_UNIT_TEXT &&
		t->column[name].unit != PV_UNIT_LIST) {
		snprintf(digits, sizeof digits, "%llu", (unsigned long long)t->row[i].cell[name].u);
		*ret_name = "";
		return !rule->match || pv_check_matches(rule->match, digits);
	}
	if (k->flags & PV_CHECK_INNERMOST)
		text = innermost(text);
	*ret_name = text;
	if (k->flags & PV_CHECK_LINE) {
		*ret_name = room;
		int line = pv_table_column(t, "line");
		double at;
		return line >= 0 && cell_number(t, i, line, &at) &&
		       pv_check_matches_line(rule->match, text, (uint64_t)at, room);
	}
	if (k->flags & PV_CHECK_DEPTH && t->row[i].depth == 0)
		return false;
	if (k->flags & PV_CHECK_FINDING)
		return strcmp(text, finding_of(rule)) == 0;
	return !rule->match || name_fits(k, rule->match, text);
}

/* --- figures --- */

static int descending(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;
	return (a < b) - (a > b);
}

static bool keep_row(struct judging *j, struct pv_check_result *r, const char *name, double v)
{
	size_t at = r->rows;
	while (at > 0 && r->row[at - 1].value < v)
		at--;
	if (at == PV_CHECK_ROWS || !*name)
		return true;
	const char *kept = pv_arena_copy(&j->c->arena, name, strlen(name));
	if (!kept)
		return false;
	if (r->rows < PV_CHECK_ROWS)
		r->rows++;
	memmove(&r->row[at + 1], &r->row[at], (r->rows - at - 1) * sizeof r->row[0]);
	r->row[at] = (struct pv_check_row){ .name = kept, .value = v };
	return true;
}

struct sums {
	double sum, most, variance;
	size_t rows, fitting, known;
	PV_ARRAY(double) value;
	const char *unjudged; /* of a finding */
};

static bool add_up(struct judging *j, const struct pv_check_kind *k, struct pv_check_result *r,
	const struct pv_table *t, struct sums *s)
{
	int name = k->name ? pv_table_column(t, k->name) : -1, value = pv_table_column(t, k->value),
	    error = k->error ? pv_table_column(t, k->error) : -1, text = pv_table_column(t, "text");
	s->rows = t->rows;
	for (size_t i = 0; i < t->rows; i++) {
		char room[PV_CHECK_PLACE];
		const char *called = "";
		double v, e;
		if (!row_fits(k, r->rule, t, i, name, room, &called))
			continue;
		bool known = cell_number(t, i, value, &v);
		if (!known && k->flags & PV_CHECK_FINDING)
			s->unjudged = pv_arena_copy(&j->c->arena, cell_words(t, i, text),
				strlen(cell_words(t, i, text)));
		s->fitting++;
		s->known += known;
		s->sum += v;
		s->most = fmax(s->most, v);
		if (error >= 0 && cell_number(t, i, error, &e))
			s->variance += e * e;
		if (!pv_reserve(&s->value, 1) || (known && !keep_row(j, r, called, v)))
			return false;
		s->value.v[s->value.n++] = v;
	}
	return true;
}

static double figure_of(const struct judging *j, const struct pv_check_kind *k, struct sums *s)
{
	switch (k->how) {
	case PV_CHECK_MOST:
		return s->most;
	case PV_CHECK_P99:
		qsort(s->value.v, s->value.n, sizeof *s->value.v, descending);
		return s->value.n ? s->value.v[s->value.n / 100] : 0;
	case PV_CHECK_PART:
		return j->facts.duration_ns > 0 ? s->sum / (double)j->facts.duration_ns * 100 : 0;
	case PV_CHECK_ROWS_OF:
		return (double)s->fitting;
	default:
		return s->sum;
	}
}

/* A class without objects in the shot may be known from allocations. */
static bool is_known(
	struct judging *j, const struct pv_check_kind *k, const struct pv_check_rule *rule)
{
	bool found = false;
	if (!(k->flags & PV_CHECK_LAST_SHOT))
		return false;
	struct pv_table *t = ask_table(j, PV_VIEW_CLASSES, NULL, NULL);
	int name = t ? pv_table_column(t, "name") : -1;
	for (size_t i = 0; t && i < t->rows && !found; i++)
		found = name_fits(k, rule->match ? rule->match : "*", cell_words(t, i, name));
	pv_table_destroy(t);
	return found;
}

static bool by(struct pv_check_result *r, double n)
{
	r->value /= n;
	r->error /= n;
	return true;
}

/* Divides by the rise of a counter ("NAME" or "SECTION/NAME"). */
static bool divide_by_counter(struct judging *j, struct pv_check_result *r, const char *name)
{
	struct pv_table *t = ask_table(j, PV_VIEW_COUNTERS, NULL, NULL);
	double rose = 0, last, min;
	if (!t)
		return false;
	int column = pv_table_column(t, "name"), section = pv_table_column(t, "section"),
	    ends = pv_table_column(t, "last"), least = pv_table_column(t, "min");
	for (size_t i = 0; i < t->rows; i++) {
		const char *own = cell_words(t, i, column), *of = cell_words(t, i, section);
		size_t n = strlen(of);
		bool full = strncmp(name, of, n) == 0 && name[n] == '/' &&
			    strcmp(name + n + 1, own) == 0;
		if (t->row[i].depth && (full || strcmp(name, own) == 0) &&
			cell_number(t, i, ends, &last) && cell_number(t, i, least, &min))
			rose = last - min;
	}
	pv_table_destroy(t);
	if (rose > 0)
		return by(r, rose);
	set_verdict(r, PV_CHECK_REFUSED, "no counter %s rose", PV_FIT(name, 100));
	return true;
}

/* Divides by calls of a method, or by a counter. */
static bool divide(struct judging *j, struct pv_check_result *r)
{
	static const struct pv_check_kind calls = { .flags = PV_CHECK_METHOD };
	double n = 0, v;
	if (!r->rule->per)
		return true;
	if (strncmp(r->rule->per, "counter:", 8) == 0)
		return divide_by_counter(j, r, r->rule->per + 8);
	struct pv_table *t = ask_table(j, PV_VIEW_METHODS, NULL, NULL);
	if (!t)
		return false;
	int name = pv_table_column(t, "name"), column = pv_table_column(t, "calls");
	for (size_t i = 0; i < t->rows; i++)
		if (name_fits(&calls, r->rule->per + 5, cell_words(t, i, name)) &&
			cell_number(t, i, column, &v))
			n += v;
	pv_table_destroy(t);
	if (!(n > 0)) {
		set_verdict(r, PV_CHECK_REFUSED, "no call of %s is recorded",
			PV_FIT(r->rule->per + 5, 100));
		return true;
	}
	return by(r, n);
}

/* Logs of 2007 have collections, but no stops in the first stages. */
static bool may_know(const struct judging *j, const struct pv_check_kind *k)
{
	const unsigned needs = pv_view_rows[k->view].needs;
	return !(needs & PV_GROUP_PAUSES) || j->known & PV_GROUP_PAUSES;
}

/* None of n samples: 95 % of such methods have less than 3/n. */
static void judge_share(const struct judging *j, struct pv_check_result *r)
{
	r->samples = j->sum.samples;
	if (!r->samples)
		set_verdict(r, PV_CHECK_REFUSED, "there are no samples");
	else if (!(r->value > 0))
		r->error = 300 * j->sum.sample_weight / (double)r->samples;
}

/* Opens the last shot's objects. False: refused. */
static bool open_heap(struct judging *j, struct pv_check_result *r)
{
	const struct pv_check_heaps *h = j->set->heaps;
	if (!j->heap_asked && h)
		j->heap = h->open(h->ctx, (uint32_t)j->shot - 1, &j->heap_least, &j->heap_error);
	j->heap_asked = true;
	if (j->heap)
		return true;
	set_verdict(r, PV_CHECK_REFUSED, "the objects of heap shot %llu cannot be read%s%s",
		(unsigned long long)j->shot - 1, j->heap_error.what[0] ? ": " : "",
		PV_FIT(j->heap_error.what, 200));
	return false;
}

/* Without any shot the rule refuses later. */
static bool needs_objects(
	const struct judging *j, const struct pv_check_kind *k, const struct pv_check_rule *rule)
{
	return k->flags & PV_CHECK_RETAINED || (k->flags & PV_CHECK_FINDING && j->shot &&
						       pv_finding_needs_objects(finding_of(rule)));
}

static bool measure(struct judging *j, const struct pv_check_kind *k, struct pv_check_result *r)
{
	struct sums s = { 0 };
	j->no_status = false;
	if (k->flags & PV_CHECK_DURATION || k->flags & PV_CHECK_LOSS) {
		r->value = k->flags & PV_CHECK_LOSS
				   ? (double)j->sum.lost_events + (double)j->sum.damaged
				   : (double)j->facts.duration_ns;
		r->measured = true;
		return true;
	}
	if (needs_objects(j, k, r->rule) && !open_heap(j, r))
		return true;
	struct pv_table *t = ask_table(j, k->view, k, r->rule->filter);
	bool ok = t && add_up(j, k, r, t, &s);
	j->no_status = t && pv_check_lacks_status(k, r->rule->match, t);
	pv_table_destroy(t);
	if (ok && s.unjudged)
		set_verdict(r, PV_CHECK_REFUSED, "%s", s.unjudged);
	else if (ok && !s.rows && r->rule->filter && !(k->flags & PV_CHECK_ABSENT_IS_ZERO) &&
		 !r->rule->allow_missing)
		set_verdict(r, PV_CHECK_REFUSED,
			"nothing passes the filter %s; allow-missing = yes takes that for 0",
			PV_FIT(r->rule->filter, 200));
	else if (ok && !s.fitting && r->rule->match && !(k->flags & PV_CHECK_ABSENT_IS_ZERO) &&
		 !r->rule->allow_missing && !is_known(j, k, r->rule))
		set_verdict(r, PV_CHECK_REFUSED,
			"nothing is called %s; allow-missing = yes takes that for 0",
			PV_FIT(r->rule->match, 200));
	else if (ok && ((s.fitting && !s.known) || !may_know(j, k)))
		set_verdict(r, PV_CHECK_REFUSED, "the log does not tell this of %s%s", k->what,
			j->no_status ? ": " PV_CHECK_NO_STATUS : "");
	else if (ok && !s.fitting && k->flags & PV_CHECK_FINDING)
		set_verdict(r, PV_CHECK_REFUSED, "there is no such finding");
	else if (ok) {
		r->measured = true;
		r->value = figure_of(j, k, &s);
		r->error = sqrt(s.variance);
		if (k->unit == PV_CHECK_PERCENT && !strcmp(k->what, "samples"))
			judge_share(j, r);
		ok = divide(j, r);
	}
	pv_array_finish(&s.value);
	return ok;
}

/* --- answerable or not --- */

static bool is_recorded(struct judging *j, const struct pv_check_kind *k, struct pv_check_result *r)
{
	int what = pv_table_column(j->coverage, "what"),
	    state = pv_table_column(j->coverage, "state"),
	    detail = pv_table_column(j->coverage, "detail");
	r->what = k->what;
	for (size_t i = 0; i < j->coverage->rows; i++) {
		if (strcmp(cell_words(j->coverage, i, what), k->what) != 0)
			continue;
		snprintf(r->state, sizeof r->state, "%s", cell_words(j->coverage, i, state));
		snprintf(r->detail, sizeof r->detail, "%s", cell_words(j->coverage, i, detail));
	}
	if (k->flags & PV_CHECK_LAST_SHOT && strcmp(r->state, "not recorded") != 0 && !j->shot) {
		set_verdict(r, PV_CHECK_REFUSED, "there is no heap shot");
		return false;
	}
	if (strcmp(r->state, "not recorded") != 0 && strcmp(r->state, "bypassed") != 0)
		return true;
	const char *option = pv_check_records(k->what);
	bool known = r->detail[0] || !option;
	set_verdict(r, PV_CHECK_REFUSED, "%s %s%s%s%s", k->what, r->state, r->detail[0] ? ": " : "",
		known ? PV_FIT(r->detail, 150) : "; recorded by run ", known ? "" : option);
	return false;
}

/* A reason why the figure may be too low; NULL: none. */
static const char *incomplete(const struct judging *j)
{
	return j->sum.damaged                 ? "the log is damaged"
	       : j->sum.lost_events           ? "events were lost"
	       : j->facts.joined              ? "the beginning of the recording is missing"
	       : j->sum.end == PV_LOG_CUT_OFF ? "the log is cut off"
	       : j->sum.written               ? "the log is still being written"
					      : NULL;
}

static void hold_against(const struct judging *j, struct pv_check_result *r, double max, bool below,
	const char *limit)
{
	bool loss = strcmp(r->rule->kind, "loss") == 0,
	     least = j->heap_least && strcmp(r->rule->kind, "heap.retained") == 0;
	const char *why = least          ? "retained sizes of this shot are lower bounds"
			  : j->no_status ? PV_CHECK_NO_STATUS
					 : incomplete(j);
	double low = r->value - r->error, high = r->value + r->error;
	bool fails = below ? high < max : low > max, passes = below ? low >= max : high <= max;
	if (r->verdict != PV_CHECK_PASS)
		return; /* another limit is broken already */
	if (fails && !(below && why && !loss))
		set_verdict(r, PV_CHECK_FAIL, "%s %s", below ? "less than" : "more than",
			PV_FIT(limit, 60));
	else if (why && !loss && !(below && passes))
		set_verdict(r, PV_CHECK_REFUSED, "%s: the figure is at least this", why);
	else if (!passes)
		set_verdict(
			r, PV_CHECK_UNSURE, "%s lies within the figure's error", PV_FIT(limit, 60));
}

static void hold_increase(const struct judging *j, struct pv_check_result *r)
{
	const struct pv_check_limit *l = &r->rule->increase;
	const struct pv_check_figure *f = NULL;
	for (size_t i = 0; j->baseline && i < j->baseline->figure.n; i++)
		if (strcmp(j->baseline->figure.v[i].id, r->rule->id) == 0)
			f = &j->baseline->figure.v[i];
	if (!l->given || r->verdict != PV_CHECK_PASS)
		return;
	if (!j->baseline) {
		if (!r->rule->max.given && !r->rule->min.given)
			set_verdict(r, PV_CHECK_SKIPPED, "there is no baseline");
		return;
	}
	if (pv_options_differ(j->baseline->args, j->facts.args)) {
		set_verdict(r, PV_CHECK_REFUSED, "the baseline was recorded with other options");
		return;
	}
	if (!f || !f->measured || f->unit != r->unit) {
		set_verdict(r, PV_CHECK_REFUSED, "the baseline does not say it");
		return;
	}
	r->has_baseline = true;
	r->baseline = f->value;
	double most = l->unit == PV_CHECK_PERCENT && r->unit != PV_CHECK_PERCENT
			      ? f->value * (1 + l->value / 100)
			      : f->value + l->value;
	char limit[80];
	snprintf(limit, sizeof limit, "the baseline and %s", PV_FIT(l->text, 40));
	r->error = sqrt(r->error * r->error + f->error * f->error);
	hold_against(j, r, most, false, limit);
}

/* For views with sites: the heaviest stack of each class. */
static bool find_stacks(struct judging *j, const struct pv_check_kind *k, struct pv_check_result *r)
{
	static const struct {
		enum pv_view of, sites;
		const char *value;
	} by_class[] = {
		{ PV_VIEW_CLASSES, PV_VIEW_ALLOCATION_SITES, "allocated_bytes" },
		{ PV_VIEW_EXCEPTIONS, PV_VIEW_THROW_SITES, "thrown" },
		{ PV_VIEW_LOCKS, PV_VIEW_WAIT_SITES, "wait_ns" },
	};
	size_t at = 0;
	while (at < PV_COUNT_OF(by_class) && by_class[at].of != k->view)
		at++;
	if (at == PV_COUNT_OF(by_class) || !r->rows || k->flags & PV_CHECK_BY_NAMESPACE)
		return true;
	struct pv_table *t = ask_table(j, by_class[at].sites, NULL, NULL);
	int class = t ? pv_table_column(t, "class") : -1,
	    stack = t ? pv_table_column(t, "stack") : -1,
	    value = t ? pv_table_column(t, by_class[at].value) : -1;
	bool ok = t != NULL;
	for (size_t n = 0; ok && n < r->rows; n++) {
		double most = 0, v;
		const char *best = NULL;
		for (size_t i = 0; i < t->rows; i++) {
			if (strcmp(cell_words(t, i, class), r->row[n].name) != 0 ||
				!cell_number(t, i, value, &v) || v <= most ||
				!*cell_words(t, i, stack))
				continue;
			most = v;
			best = cell_words(t, i, stack);
		}
		if (best && !(r->row[n].stack = pv_arena_copy(&j->c->arena, best, strlen(best))))
			ok = false;
	}
	pv_table_destroy(t);
	return ok;
}

static bool judge_rule(
	struct judging *j, const struct pv_check_rule *rule, struct pv_check_result *r)
{
	const char *why;
	const struct pv_check_kind *k = pv_check_kind_of(rule, &why);
	*r = (struct pv_check_result){ .rule = rule, .what = "", .section = k ? k->section : "" };
	if (!k) { /* found by the reader of rules before */
		set_verdict(r, PV_CHECK_REFUSED, "%s", why);
		return true;
	}
	r->unit = k->unit;
	if (*k->what && !is_recorded(j, k, r))
		return true;
	if (!measure(j, k, r) || !find_stacks(j, k, r))
		return false;
	if (r->verdict != PV_CHECK_PASS)
		return true;
	if (rule->max.given)
		hold_against(j, r, rule->max.value, false, rule->max.text);
	if (rule->min.given)
		hold_against(j, r, rule->min.value, true, rule->min.text);
	hold_increase(j, r);
	return true;
}

/* Judges losses when no rule does. */
static bool judge_losses(struct judging *j, struct pv_check_result *r)
{
	static const struct pv_check_rule losses = {
		.id = "loss", .kind = "loss", .max = { true, 0, PV_CHECK_COUNT, "0" }
	};
	if (!judge_rule(j, &losses, r))
		return false;
	if (incomplete(j))
		set_verdict(r, PV_CHECK_REFUSED, "%s", incomplete(j));
	return true;
}

static bool judge_all(struct judging *j)
{
	bool losses = false;
	for (size_t i = 0; i < j->set->rule.n; i++) {
		const struct pv_check_rule *rule = &j->set->rule.v[i];
		losses = losses || strcmp(rule->kind, "loss") == 0;
		if (!pv_reserve(&j->c->result, 2) ||
			!judge_rule(j, rule, &j->c->result.v[j->c->result.n++]))
			return false;
	}
	return losses ||
	       (pv_reserve(&j->c->result, 1) && judge_losses(j, &j->c->result.v[j->c->result.n++]));
}

bool pv_check_judge(struct pv_model *m, const char *path, const struct pv_check_set *set,
	const struct pv_check_baseline *baseline, struct pv_check *ret, struct pv_error *reterr)
{
	struct judging j = { .m = m, .c = ret, .set = set, .baseline = baseline };
	*ret = (struct pv_check){ .path = path };
	pv_view_facts(m, &j.facts);
	struct pv_totals totals;
	pv_view_summary(m, &j.sum);
	pv_view_totals(m, &totals);
	j.known = totals.known;
	ret->duration_ns = j.facts.duration_ns;
	ret->base_duration_ns = baseline ? baseline->duration_ns : 0;
	ret->args = pv_arena_copy(&ret->arena, j.facts.args, strlen(j.facts.args));
	j.coverage = ask_table(&j, PV_VIEW_COVERAGE, NULL, NULL);
	struct pv_table *shots = ask_table(&j, PV_VIEW_SHOTS, NULL, NULL);
	for (size_t i = 0; shots && i < shots->rows; i++)
		j.shot = shots->row[i].id > j.shot ? shots->row[i].id : j.shot;
	bool ok = ret->args && j.coverage && shots && judge_all(&j);
	pv_table_destroy(shots);
	pv_table_destroy(j.coverage);
	for (size_t i = 0; ok && i < ret->result.n; i++)
		ret->verdicts[ret->result.v[i].verdict]++;
	return ok || pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
}

void pv_check_clear(struct pv_check *c)
{
	pv_array_finish(&c->result);
	pv_arena_finish(&c->arena);
}

int pv_check_exit(const struct pv_check *c, const struct pv_check_set *set)
{
	enum { BROKEN = 1, REFUSED = 5 };
	if (c->verdicts[PV_CHECK_FAIL] || (set->unsure_fails && c->verdicts[PV_CHECK_UNSURE]))
		return BROKEN;
	return c->verdicts[PV_CHECK_REFUSED] ? REFUSED : 0;
}
