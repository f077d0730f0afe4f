/* SPDX-License-Identifier: MIT */
/* Exceptions by class, the clauses that ran, and the methods that caught. */
#include <math.h>
#include <stdlib.h>

#include "common/base/map.h"
#include "common/base/status.h"
#include "common/model/model.h"
#include "common/model/objects/exceptions.h"
#include "common/query/groups/groups.h"
#include "common/query/groups/specs.h"
#include "common/query/trends.h"

/* --- thrown, by class --- */

enum { X_COUNT, X_RATE, X_SHARE, X_CAUGHT, X_TREND, X_NAME, X_MESSAGE };

static const struct pv_column class_columns[] = {
	[X_COUNT] = { "thrown", "THROWN", PV_UNIT_COUNT, 8, 0, PV_COLUMN_ADDS, .json = 2 },
	[X_RATE] = { "per_second", "A SECOND", PV_UNIT_NUMBER, 8, 3, PV_COLUMN_ADDS, .json = 3,
		.help = "Exceptions a second, over the time that is looked at" },
	[X_SHARE] = { "thrown_percent", "THROWN%", PV_UNIT_PERCENT, 7, 1, .flags = PV_COLUMN_ADDS,
		.help = "Its part of all exceptions" },
	[X_CAUGHT] = { "caught", "CAUGHT", PV_UNIT_COUNT, 8, 4, PV_COLUMN_ADDS, .json = 4 },
	[X_TREND] = { PV_TREND_COLUMN, "TREND", PV_UNIT_LIST, PV_TREND_CELLS, 1,
		.flags = PV_COLUMN_NUMBERS },
	[X_NAME] = { "name", "CLASS", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_CLASS, .json = 1 },
	[X_MESSAGE] = { "message", "NEWEST MESSAGE", PV_UNIT_TEXT, 40, 2,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS, .json = 5,
		.help = "Message of the newest one" },
};

/* The newest message of each group; NULL when out of memory. */
static const struct pv_message **newest_messages(
	const struct pv_model *m, const struct pv_groups *g)
{
	const struct pv_messages *all = &m->throws.messages;
	const struct pv_message **ret = calloc(g->row.n, sizeof(void *));
	for (size_t i = 0; ret && i < all->one.n; i++) {
		uint32_t group = pv_group_of(g, all->one.v[i].class_use);
		if (!ret[group] || ret[group]->time_ns <= all->one.v[i].time_ns)
			ret[group] = &all->one.v[i];
	}
	return ret;
}

static const char *message_text(struct pv_build *b, const struct pv_message *m)
{
	return m ? pv_build_printf(b, "%s%s", m->text, m->cut ? "..." : "") : NULL;
}

/* Length of the recording's part in view, in seconds. */
static double seconds(const struct pv_model *m)
{
	double from = 0, to = (double)(int64_t)((uint64_t)m->last_ns - (uint64_t)m->zero_ns);
	if (m->only.ranged && (double)m->only.from_ns > from)
		from = (double)m->only.from_ns;
	if (m->only.ranged && (double)m->only.to_ns < to)
		to = (double)m->only.to_ns;
	return to > from ? (to - from) / 1e9 : 0;
}

/* Catches by group of classes; NULL when out of memory. */
static uint64_t *catches_of(const struct pv_model *m, const struct pv_groups *g)
{
	const struct pv_catches *c = &m->throws.catches;
	uint64_t *ret = calloc(g->row.n, sizeof *ret);
	for (size_t i = 0; ret && i < c->one.n; i++)
		ret[pv_group_of(g, c->one.v[i].class_use)] += c->one.v[i].count;
	return ret;
}

/* Whether the log says who catches. */
static bool says_catches(const struct pv_model *m)
{
	return m->kinds[PV_KIND_EXCEPTION_CLAUSE] > 0;
}

static void copy_exceptions(struct pv_build *b, struct pv_model *m)
{
	const struct pv_sites *sites = &m->throws.sites;
	struct pv_groups g;
	bool ok = pv_groups_classes(m, b, &g);
	uint64_t *sum = ok ? calloc(g.row.n, sizeof *sum) : NULL;
	const struct pv_message **newest = ok ? newest_messages(m, &g) : NULL;
	uint64_t *caught = ok ? catches_of(m, &g) : NULL;
	double length = seconds(m);
	for (size_t i = 1; sum && i < sites->site.n; i++)
		sum[pv_group_of(&g, sites->site.v[i].class_use)] += sites->site.v[i].count;
	for (size_t i = 0; sum && newest && caught && i < g.row.n; i++) {
		if (sum[i] == 0)
			continue;
		struct pv_cell *c = pv_build_row(b, g.row.v[i].id);
		pv_cell_u(&c[X_COUNT], sum[i]);
		pv_cell_d(&c[X_RATE], length > 0 ? (double)sum[i] / length : NAN);
		pv_cell_share(&c[X_SHARE], (double)sum[i], (double)m->throws.thrown);
		pv_cell_u_if(&c[X_CAUGHT], says_catches(m), caught[i]);
		pv_cell_null(&c[X_TREND]);
		pv_cell_s(&c[X_NAME], pv_group_name(b, &g, (uint32_t)i));
		pv_cell_s(&c[X_MESSAGE], message_text(b, newest[i]));
	}
	if (!sum || !newest || !caught)
		pv_build_fail(b);
	free(sum);
	free(caught);
	free(newest);
	pv_groups_finish(&g);
}

const struct pv_view_spec pv_spec_exceptions = { .column = class_columns,
	.columns = PV_COUNT_OF(class_columns),
	.name = "name",
	.sort = "thrown",
	.copy = copy_exceptions };

/* --- clauses entered --- */

static const struct pv_column clause_columns[] = {
	{ "count", "ENTERED", PV_UNIT_COUNT, 8, 0, PV_COLUMN_ADDS, .json = 2,
		.help = "How often clauses of this kind ran" },
	{ "name", "CLAUSE", PV_UNIT_TEXT, 10, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS, .json = 1 },
};

/*
 * .NET's event stream, when recorded by profview, has catches only: other clauses cost the program
 * much.
 */
static bool catches_only(const struct pv_model *m)
{
	const uint64_t *n = m->throws.clauses;
	return pv_target_is_event_stream(&m->target) && !n[PV_CLAUSE_FILTER] &&
	       !n[PV_CLAUSE_FINALLY];
}

static void copy_clauses(struct pv_build *b, struct pv_model *m)
{
	static const char *const name[PV_CLAUSES] = { [PV_CLAUSE_CATCH] = "catch",
		[PV_CLAUSE_FILTER] = "filter",
		[PV_CLAUSE_FINALLY] = "finally",
		[PV_CLAUSE_FAULT] = "fault",
		[PV_CLAUSE_OTHER] = "other" };
	for (size_t i = 0; i < PV_CLAUSES && !m->target.logging2007; i++) {
		if (i == PV_CLAUSE_OTHER && m->throws.clauses[i] == 0)
			continue;
		struct pv_cell *c = pv_build_row(b, i + 1);
		pv_cell_u_if(&c[0], i == PV_CLAUSE_CATCH || !catches_only(m), m->throws.clauses[i]);
		pv_cell_s(&c[1], name[i]);
	}
}

const struct pv_view_spec pv_spec_clauses = { .column = clause_columns,
	.columns = PV_COUNT_OF(clause_columns),
	.name = "name",
	.copy = copy_clauses };

/* --- clauses by method --- */

enum { C_ALL, C_CATCH, C_FILTER, C_FINALLY, C_FAULT, C_OTHER, C_METHOD };

static const struct pv_column clause_method_columns[] = {
	[C_ALL] = { "count", "ENTERED", PV_UNIT_COUNT, 8, 0, PV_COLUMN_ADDS, .json = 2 },
	[C_CATCH] = { "catch", "CATCH", PV_UNIT_COUNT, 8, 1, PV_COLUMN_ADDS, .json = 3 },
	[C_FILTER] = { "filter", "FILTER", PV_UNIT_COUNT, 8, 4, PV_COLUMN_ADDS, .json = 4 },
	[C_FINALLY] = { "finally", "FINALLY", PV_UNIT_COUNT, 8, 2, PV_COLUMN_ADDS, .json = 5 },
	[C_FAULT] = { "fault", "FAULT", PV_UNIT_COUNT, 8, 3, PV_COLUMN_ADDS, .json = 6 },
	[C_OTHER] = { "other", "OTHER", PV_UNIT_COUNT, 8, 5, PV_COLUMN_ADDS, .json = 7 },
	[C_METHOD] = { "method", "METHOD", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_METHOD, .json = 1 },
};

_Static_assert(C_OTHER - C_CATCH + 1 == PV_CLAUSES, "a column a kind of clause");

static void put_clause_methods(struct pv_build *b, const struct pv_groups *g,
	const struct pv_clause_method *sum, bool only)
{
	for (uint32_t i = 0; i < g->row.n; i++) {
		uint64_t all = 0;
		for (size_t k = 0; k < PV_CLAUSES; k++)
			all += sum[i].clauses[k];
		if (all == 0)
			continue;
		struct pv_cell *c = pv_build_row(b, g->row.v[i].id);
		pv_cell_u(&c[C_ALL], all);
		for (size_t k = 0; k < PV_CLAUSES; k++)
			pv_cell_u_if(
				&c[C_CATCH + k], k == PV_CLAUSE_CATCH || !only, sum[i].clauses[k]);
		pv_cell_s(&c[C_METHOD], pv_group_name(b, g, i));
	}
}

static void copy_clause_methods(struct pv_build *b, struct pv_model *m)
{
	const struct pv_exceptions *t = &m->throws;
	struct pv_groups g;
	bool ok = pv_groups_methods(m, b, &g);
	struct pv_clause_method *sum = ok ? calloc(g.row.n, sizeof *sum) : NULL;
	for (size_t i = 0; sum && i < t->by_method.n; i++) {
		const struct pv_clause_method *from = &t->by_method.v[i];
		for (size_t k = 0; k < PV_CLAUSES; k++)
			sum[pv_group_of(&g, from->method)].clauses[k] += from->clauses[k];
	}
	if (sum)
		put_clause_methods(b, &g, sum, catches_only(m));
	else
		pv_build_fail(b);
	free(sum);
	pv_groups_finish(&g);
}

const struct pv_view_spec pv_spec_clause_methods = { .column = clause_method_columns,
	.columns = PV_COUNT_OF(clause_method_columns),
	.name = "method",
	.sort = "count",
	.streaming = true,
	.copy = copy_clause_methods };

/* --- by class and the method that caught --- */

enum { A_COUNT, A_SHARE, A_CLASS, A_METHOD };

static const struct pv_column catch_columns[] = {
	[A_COUNT] = { "caught", "CAUGHT", PV_UNIT_COUNT, 8, 0, PV_COLUMN_ADDS, .json = 3 },
	[A_SHARE] = { "caught_percent", "CAUGHT%", PV_UNIT_PERCENT, 7, 1, .flags = PV_COLUMN_ADDS,
		.help = "Its part of what was caught of this class" },
	[A_CLASS] = { "class", "CLASS", PV_UNIT_TEXT, 24, 2, PV_COLUMN_ASCENDING | PV_COLUMN_CLASS,
		.json = 1 },
	[A_METHOD] = { "method", "CAUGHT BY", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_METHOD, .json = 2 },
};

struct catching {
	struct pv_build *b;
	struct pv_groups classes, methods;
	struct pv_map row_of;
	double all;
};

static bool is_meant(const struct catching *x, const struct pv_catch *c)
{
	uint64_t row = x->classes.row.v[pv_group_of(&x->classes, c->class_use)].id;
	return c->count && (!x->b->query->select || x->b->query->select == row);
}

static bool add_catch(struct catching *x, const struct pv_catch *c)
{
	uint32_t class = pv_group_of(&x->classes, c->class_use);
	uint32_t method = pv_group_of(&x->methods, c->method);
	uint64_t key = (uint64_t)class << 32 | method;
	uint32_t at = pv_map_get(&x->row_of, key);
	if (!x->b->table)
		return false;
	if (at == PV_MAP_NONE) {
		uint64_t id =
			pv_hash(x->classes.row.v[class].id * 31 + x->methods.row.v[method].id);
		at = (uint32_t)x->b->table->rows;
		if (!pv_map_set(&x->row_of, key, at))
			return false;
		struct pv_cell *cell = pv_build_row(x->b, id && id != PV_ROW_OUTSIDE ? id : 1);
		if (!x->b->table)
			return false;
		pv_cell_s(&cell[A_CLASS], pv_group_name(x->b, &x->classes, class));
		pv_cell_s(&cell[A_METHOD], pv_group_name(x->b, &x->methods, method));
	}
	struct pv_cell *cell = x->b->table->row[at].cell;
	cell[A_COUNT].u += c->count;
	pv_cell_share(&cell[A_SHARE], (double)cell[A_COUNT].u, x->all);
	return true;
}

static void copy_catches(struct pv_build *b, struct pv_model *m)
{
	const struct pv_catches *c = &m->throws.catches;
	struct catching x = { .b = b };
	bool ok =
		pv_groups_classes(m, b, &x.classes) && pv_groups_methods_by_name(m, b, &x.methods);
	for (size_t i = 0; ok && i < c->one.n; i++)
		x.all += is_meant(&x, &c->one.v[i]) ? (double)c->one.v[i].count : 0;
	for (size_t i = 0; ok && i < c->one.n; i++)
		if (is_meant(&x, &c->one.v[i]))
			ok = add_catch(&x, &c->one.v[i]);
	if (!ok)
		pv_build_fail(b);
	pv_map_finish(&x.row_of);
	pv_groups_finish(&x.classes);
	pv_groups_finish(&x.methods);
}

const struct pv_view_spec pv_spec_catches = { .column = catch_columns,
	.columns = PV_COUNT_OF(catch_columns),
	.name = "method",
	.sort = "caught",
	.copy = copy_catches };
