/* SPDX-License-Identifier: MIT */
/* Takes the figures of one log. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/estimate.h"
#include "common/base/utf8.h"
#include "common/base/sample_period.h"
#include "common/compare/diff_parts.h"
#include "common/compare/match_key.h"
#include "common/query/facts.h"
#include "common/query/groups/method_sums.h"

/* Values in pv_diff_sources' row of methods. */
enum { SAMPLES_TOTAL = 1, TOTAL_NS = 3 };

struct taking {
	struct pv_diff *d;
	enum pv_diff_side side;
	struct pv_model *m;
	struct pv_diff_log *log;
	uint32_t number; /* of the log on its side */
	uint64_t shot;   /* row of the last shot; 0: none */
	struct pv_error *err;
};

static bool taking_no_memory(struct taking *t)
{
	return pv_fail(t->err, PV_ENOMEM, 0, "out of memory");
}

static struct pv_table *ask_view(struct taking *t, enum pv_view view, uint64_t select)
{
	const struct pv_query *like = t->d->query[t->side];
	struct pv_query q = like ? *like
				 : (struct pv_query){ .waits = t->d->options->waits,
					   .physical = t->d->options->physical };
	q.select = select;
	q.open_all = true;
	struct pv_table *table = pv_view_table(t->m, view, &q);
	if (!table)
		taking_no_memory(t);
	return table;
}

static double figure_in_cell(const struct pv_table *t, size_t row, int column)
{
	const struct pv_cell *c = column < 0 ? NULL : &t->row[row].cell[column];
	if (!c || c->state != PV_CELL_VALUE)
		return 0;
	switch (t->column[column].unit) {
	case PV_UNIT_NS:
		return (double)c->i;
	case PV_UNIT_NUMBER:
		return c->d;
	default:
		return (double)c->u;
	}
}

static const char *words_in_cell(const struct pv_table *t, size_t row, int column)
{
	const struct pv_cell *c = column < 0 ? NULL : &t->row[row].cell[column];
	return c && c->state == PV_CELL_VALUE && c->s ? c->s : "";
}

/* --- rows --- */

static bool name_row(struct taking *t, struct pv_diff_name *n, const char *name, const char *stack)
{
	uint32_t raw, frames = 0;
	if (!pv_intern_add(&t->d->text, name, strlen(name), &raw) ||
		!pv_intern_add(&t->d->text, stack, strlen(stack), &frames))
		return false;
	n->group = n->group || (n->raw[t->side] && n->raw[t->side] != raw);
	n->raw[t->side] = raw;
	n->stack[t->side] = frames;
	return true;
}

static bool take_row(struct taking *t, enum pv_diff_list list, const struct pv_table *table,
	size_t i, const int column[PV_DIFF_VALUES + 3])
{
	struct pv_diff_rows *rows = &t->d->rows[list];
	struct pv_diff_entry e = {
		.id = table->row[i].id, .log = t->number, .side = (uint8_t)t->side
	};
	const char *name = words_in_cell(table, i, column[PV_DIFF_VALUES]),
		   *stack = words_in_cell(table, i, column[PV_DIFF_VALUES + 1]);
	bool any = false;
	for (size_t k = 0; k < PV_DIFF_VALUES; k++) {
		e.value[k] = figure_in_cell(table, i, column[k]);
		any = any || e.value[k] > 0;
	}
	e.error = figure_in_cell(table, i, column[PV_DIFF_VALUES + 2]);
	if (list == PV_DIFF_SITES &&
		t->log->alloc_period) /* a sample stands for a period's bytes */
		e.error = 1.96 * sqrt(e.value[0] * (double)t->log->alloc_period);
	if (!any)
		return true;
	const char *known = *name ? name : "(not recorded)";
	bool ok = pv_diff_row(t->d, list, known, stack, &e.row) &&
		  name_row(t, &rows->name.v[e.row], known, stack) && pv_reserve(&rows->entry, 1);
	if (ok)
		rows->entry.v[rows->entry.n++] = e;
	return ok || taking_no_memory(t);
}

/* --- totals of rows with several methods */

static uint32_t row_called(void *ctx, const char *name)
{
	struct taking *t = ctx;
	uint32_t row = UINT32_MAX;
	return pv_diff_row(t->d, PV_DIFF_METHODS, *name ? name : "(not recorded)", "", &row)
		       ? row
		       : UINT32_MAX;
}

/* Moves the largest totals of each row to the row's first entry; *ret_any: a row has several. */
static void take_largest(struct pv_diff_rows *r, size_t from, size_t *first, bool *ret_any)
{
	*ret_any = false;
	for (size_t i = from; i < r->entry.n; i++) {
		struct pv_diff_entry *other = &r->entry.v[i];
		if (!first[other->row]) {
			first[other->row] = i + 1;
			continue;
		}
		struct pv_diff_entry *e = &r->entry.v[first[other->row] - 1];
		e->value[SAMPLES_TOTAL] =
			fmax(e->value[SAMPLES_TOTAL], other->value[SAMPLES_TOTAL]);
		e->value[TOTAL_NS] = fmax(e->value[TOTAL_NS], other->value[TOTAL_NS]);
		other->value[SAMPLES_TOTAL] = other->value[TOTAL_NS] = 0;
		*ret_any = true;
	}
}

/*
 * Methods that match as one, such as a function and its parts, may be on one stack, which counts
 * once. For figures of a part of the log only the largest total is known, a lower bound.
 */
static bool count_once(struct taking *t, size_t from)
{
	struct pv_diff_rows *r = &t->d->rows[PV_DIFF_METHODS];
	size_t rows = r->name.n;
	size_t *first = calloc(rows + 1, sizeof *first);
	struct pv_method_sum *sum = NULL;
	bool any = false, ok = first != NULL;
	if (ok)
		take_largest(r, from, first, &any);
	if (ok && any && !t->d->query[t->side]) {
		sum = calloc(rows + 1, sizeof *sum);
		ok = sum &&
		     pv_method_totals(t->m, t->d->options->physical, row_called, t, rows, sum);
	}
	for (size_t row = 0; ok && sum && row < rows; row++) {
		if (!first[row])
			continue;
		r->entry.v[first[row] - 1].value[SAMPLES_TOTAL] = (double)sum[row].samples_total;
		r->entry.v[first[row] - 1].value[TOTAL_NS] = (double)sum[row].total_ns;
	}
	free(sum);
	free(first);
	return ok || taking_no_memory(t);
}

static bool take_list(struct taking *t, enum pv_diff_list list)
{
	const struct pv_diff_source *s = &pv_diff_sources[list];
	int column[PV_DIFF_VALUES + 3];
	if (list == PV_DIFF_HEAP && !t->shot)
		return true;
	struct pv_table *table = ask_view(t, s->view, list == PV_DIFF_HEAP ? t->shot : 0);
	if (!table)
		return false;
	for (size_t k = 0; k < PV_DIFF_VALUES; k++)
		column[k] = s->value[k] ? pv_table_column(table, s->value[k]) : -1;
	column[PV_DIFF_VALUES] = pv_table_column(table, s->name);
	column[PV_DIFF_VALUES + 1] = s->stack ? pv_table_column(table, s->stack) : -1;
	column[PV_DIFF_VALUES + 2] = s->error ? pv_table_column(table, s->error) : -1;
	bool ok = true;
	size_t from = t->d->rows[list].entry.n;
	for (size_t i = 0; ok && i < table->rows; i++)
		ok = take_row(t, list, table, i, column);
	pv_table_destroy(table);
	return ok && (list != PV_DIFF_METHODS || count_once(t, from));
}

/* --- facts --- */

static bool take_facts(struct taking *t, const char *path)
{
	struct pv_summary sum;
	struct pv_facts facts;
	pv_view_summary(t->m, &sum);
	pv_view_facts(t->m, &facts);
	*t->log = (struct pv_diff_log){
		.path = pv_arena_copy(&t->d->arena, path, strlen(path)),
		.args = pv_arena_copy(&t->d->arena, facts.args, strlen(facts.args)),
		.duration_ns = facts.counted_ns,
		.samples = sum.samples,
		.sample_weight = sum.sample_weight,
		.events = sum.events,
		.lost = sum.lost_events,
		.damaged = sum.damaged,
		.alloc_period = facts.alloc_period,
		.pair_ns = sum.pair_ns,
	};
	t->log->period_ns = pv_sample_period(facts.args, &t->log->wall);
	return (t->log->path && t->log->args) || taking_no_memory(t);
}

/* Marks the measures missing from the log. */
static bool take_coverage(struct taking *t)
{
	struct pv_table *c = ask_view(t, PV_VIEW_COVERAGE, 0);
	if (!c)
		return false;
	int what = pv_table_column(c, "what"), state = pv_table_column(c, "state");
	for (size_t k = 0; k < pv_diff_measure_count; k++)
		for (size_t i = 0; i < c->rows; i++)
			if (strcmp(words_in_cell(c, i, what), pv_diff_measures[k].what) == 0 &&
				(strcmp(words_in_cell(c, i, state), "not recorded") == 0 ||
					strcmp(words_in_cell(c, i, state), "bypassed") == 0))
				t->log->absent |= 1u << k;
	pv_table_destroy(c);
	return true;
}

static bool take_shot(struct taking *t)
{
	if (t->side == PV_DIFF_NEW && t->d->shot) {
		t->shot = t->d->shot;
		return true;
	}
	struct pv_table *shots = ask_view(t, PV_VIEW_SHOTS, 0);
	for (size_t i = 0; shots && i < shots->rows; i++)
		if (shots->row[i].id > t->shot)
			t->shot = shots->row[i].id;
	pv_table_destroy(shots);
	return shots != NULL;
}

/* --- divisors --- */

static bool is_called(const char *raw, const char *name)
{
	char room[PV_READABLE_MAX];
	static const struct pv_column method = { .unit = PV_UNIT_TEXT, .flags = PV_COLUMN_METHOD };
	if (strcmp(raw, name) == 0 ||
		strcmp(pv_readable_text(&method, raw, PV_NAME_READABLE, room), name) == 0 ||
		strcmp(pv_match_key(&method, raw, strlen(raw), room), name) == 0)
		return true;
	size_t stem = pv_match_stem(raw);
	while (stem && raw[stem - 1] == ' ')
		stem--;
	return stem && strlen(name) == stem && strncmp(raw, name, stem) == 0;
}

static bool take_calls(struct taking *t, const char *name)
{
	struct pv_table *methods = ask_view(t, PV_VIEW_METHODS, 0);
	if (!methods)
		return false;
	int calls = pv_table_column(methods, "calls"), column = pv_table_column(methods, "name");
	for (size_t i = 0; i < methods->rows; i++)
		if (is_called(words_in_cell(methods, i, column), name))
			t->log->units += figure_in_cell(methods, i, calls);
	pv_table_destroy(methods);
	return t->log->units > 0 ||
	       pv_fail(t->err, PV_EUSAGE, 0, "--per call:%s: no call of it is recorded",
		       PV_FIT(name, 60));
}

static bool take_counter(struct taking *t, const char *name)
{
	struct pv_table *counters = ask_view(t, PV_VIEW_COUNTERS, 0);
	if (!counters)
		return false;
	int last = pv_table_column(counters, "last"), min = pv_table_column(counters, "min"),
	    column = pv_table_column(counters, "name"),
	    section = pv_table_column(counters, "section");
	for (size_t i = 0; i < counters->rows; i++) {
		const char *slash = strchr(name, '/'), *own = words_in_cell(counters, i, column),
			   *of = words_in_cell(counters, i, section);
		bool full = slash && strlen(of) == (size_t)(slash - name) &&
			    strncmp(of, name, strlen(of)) == 0 && strcmp(own, slash + 1) == 0;
		if (counters->row[i].depth && (full || strcmp(own, name) == 0))
			t->log->units = figure_in_cell(counters, i, last) -
					figure_in_cell(counters, i, min);
	}
	pv_table_destroy(counters);
	return t->log->units > 0 ||
	       pv_fail(t->err, PV_EUSAGE, 0, "--per counter:%s: no counter of that name rose",
		       PV_FIT(name, 60));
}

static bool take_units(struct taking *t)
{
	const struct pv_diff_options *o = t->d->options;
	if (o->per == PV_PER_CALL)
		return take_calls(t, o->unit);
	if (o->per == PV_PER_COUNTER)
		return take_counter(t, o->unit);
	if (o->per == PV_PER_SECOND)
		return t->log->duration_ns > 0 ||
		       pv_fail(t->err, PV_EUSAGE, 0, "--per second: it lasted no time");
	return o->per != PV_PER_SAMPLE || t->log->samples ||
	       pv_fail(t->err, PV_EUSAGE, 0, "--per sample: there are no samples");
}

bool pv_diff_add(struct pv_diff *d, enum pv_diff_side side, const char *path, struct pv_model *m,
	struct pv_error *reterr)
{
	struct taking t = {
		.d = d, .side = side, .m = m, .err = reterr, .number = (uint32_t)d->log[side].n
	};
	if (!pv_reserve(&d->log[side], 1))
		return taking_no_memory(&t);
	t.log = &d->log[side].v[d->log[side].n++];
	bool ok = take_facts(&t, path) && take_coverage(&t) && take_shot(&t) && take_units(&t);
	for (size_t i = 0; ok && i < PV_DIFF_LISTS; i++)
		ok = !pv_diff_wants_list(d->options, (enum pv_diff_list)i) ||
		     take_list(&t, (enum pv_diff_list)i);
	if (ok && pv_diff_wants_list(d->options, PV_DIFF_METHODS) && t.log->samples)
		ok = pv_diff_take_blocks(d, side, m) || taking_no_memory(&t);
	return ok;
}
