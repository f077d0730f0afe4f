/* SPDX-License-Identifier: MIT */
/* Compiled methods, and code that the runtime makes for its own use. */
#include <stdlib.h>
#include <string.h>

#include "common/base/status.h"
#include "common/model/names/jit.h"
#include "common/model/model.h"
#include "common/query/groups/groups.h"
#include "common/query/groups/specs.h"

/* --- methods described to the log, at compilation or first use --- */

enum { J_TIME, J_BYTES, J_COUNT, J_CODE, J_NS, J_MAX, J_FAILED, J_NAME };

static const struct pv_column method_columns[] = {
	[J_TIME] = { "time_ns", "TIME", PV_UNIT_TIME, 12, 2, PV_COLUMN_ASCENDING, .json = 5 },
	[J_BYTES] = { "code_bytes", "CODE", PV_UNIT_BYTES, 9, 1, PV_COLUMN_ADDS, .json = 3,
		.help = "Size of its code" },
	[J_COUNT] = { "count", "TIMES", PV_UNIT_COUNT, 5, 3, PV_COLUMN_ADDS, .json = 2,
		.help = "How often it was compiled" },
	[J_CODE] = { "code", "ADDRESS", PV_UNIT_ADDRESS, 14, 4, PV_COLUMN_ASCENDING, .json = 4 },
	[J_NS] = { "jit_ns", "COMPILING", PV_UNIT_NS, 9, 1, PV_COLUMN_ADDS, .json = 6,
		.help = "Time that compiling it took, all together" },
	[J_MAX] = { "max_ns", "LONGEST", PV_UNIT_NS, 9, 2, .json = 7 },
	[J_FAILED] = { "failed", "FAILED", PV_UNIT_COUNT, 6, 5, PV_COLUMN_ADDS, .json = 8,
		.help = "How often that failed" },
	[J_NAME] = { "name", "METHOD", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_METHOD, .json = 1 },
};

struct sum {
	uint64_t count, bytes, code;
	int64_t first_ns;
	int64_t jit_ns, max_ns;
	uint64_t timed, failed;
	bool sized;
};

static void add_time(struct sum *s, const struct pv_compile *c)
{
	s->jit_ns += c->total_ns;
	s->max_ns = c->max_ns > s->max_ns ? c->max_ns : s->max_ns;
	s->timed += c->times;
	s->failed += c->failed;
}

static void add_compiled(struct sum *s, const struct pv_method *m)
{
	if (s->count == 0 || m->jit_ns < s->first_ns)
		s->first_ns = m->jit_ns;
	if (m->code)
		s->code = m->code;
	s->count += m->jits;
	s->bytes += m->code_size;
	s->sized |= m->code_size > 0;
}

/* Methods that came while other threads had the lock are in no group yet. */
static void sum_methods(struct pv_model *m, const struct pv_groups *g, struct sum *sum)
{
	for (size_t i = 1; i < g->of_n; i++) {
		if (pv_names_compiled(&m->names, (uint32_t)i, true))
			add_compiled(&sum[g->of[i]], &m->names.method.v[i]);
		pv_query_lock_yield(m, i);
	}
	for (size_t i = 0; i < m->loads.compile.n; i++)
		if (m->loads.compile.v[i].method < g->of_n)
			add_time(&sum[g->of[m->loads.compile.v[i].method]], &m->loads.compile.v[i]);
}

static void put_methods(
	struct pv_build *b, const struct pv_groups *g, const struct sum *sum, int64_t zero_ns)
{
	for (size_t i = 0; i < g->row.n; i++) {
		const struct sum *s = &sum[i];
		if (s->count + s->timed == 0)
			continue;
		struct pv_cell *c = pv_build_row(b, g->row.v[i].id);
		pv_cell_i_if(&c[J_TIME], s->count && s->first_ns != PV_NEVER,
			(int64_t)((uint64_t)s->first_ns - (uint64_t)zero_ns));
		pv_cell_u_if(&c[J_BYTES], s->sized, s->bytes);
		pv_cell_u(&c[J_COUNT], s->count);
		pv_cell_u_if(&c[J_CODE], s->code, s->code);
		pv_cell_i_if(&c[J_NS], s->timed, s->jit_ns);
		pv_cell_i_if(&c[J_MAX], s->timed, s->max_ns);
		pv_cell_u_if(&c[J_FAILED], s->timed, s->failed);
		pv_cell_s(&c[J_NAME], pv_group_name(b, g, (uint32_t)i));
	}
}

static void run_jit_methods(struct pv_build *b, struct pv_model *m)
{
	struct pv_groups g;
	pv_model_lock(m);
	pv_build_stamp(b, m);
	bool ok = pv_groups_methods(m, b, &g);
	struct sum *sum = ok ? calloc(g.row.n, sizeof *sum) : NULL;
	if (sum)
		sum_methods(m, &g, sum);
	int64_t zero_ns = m->zero_ns;
	pv_model_unlock(m);
	if (sum)
		put_methods(b, &g, sum, zero_ns);
	else
		pv_build_fail(b);
	free(sum);
	pv_groups_finish(&g);
}

const struct pv_view_spec pv_spec_jit_methods = { .column = method_columns,
	.columns = PV_COUNT_OF(method_columns),
	.name = "name",
	.sort = "code_bytes",
	.then = "jit_ns",
	.streaming = true,
	.run = run_jit_methods };

/* --- the runtime's own code --- */

static const struct pv_column helper_columns[] = {
	{ "count", "COUNT", PV_UNIT_COUNT, 8, 1, PV_COLUMN_ADDS, .json = 3,
		.help = "Pieces of such code" },
	{ "bytes", "BYTES", PV_UNIT_BYTES, 9, 0, PV_COLUMN_ADDS, .json = 4, .help = "Their size" },
	{ "name", "TYPE", PV_UNIT_TEXT, 24, 0, PV_COLUMN_ASCENDING, .json = 1 },
	{ "of", "NAME", PV_UNIT_TEXT, 24, 2, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS, .json = 2,
		.help = "What the piece is for" },
};

static const char *const helper_text[PV_HELPER_TYPES] = { [PV_HELPER_METHOD] = "method",
	[PV_HELPER_TRAMPOLINE] = "method trampoline",
	[PV_HELPER_UNBOX] = "unbox trampoline",
	[PV_HELPER_IMT] = "interface trampoline",
	[PV_HELPER_GENERICS] = "generics trampoline",
	[PV_HELPER_SPECIFIC] = "specific trampoline",
	[PV_HELPER_HELPER] = "helper",
	[PV_HELPER_MONITOR] = "monitor",
	[PV_HELPER_DELEGATE] = "delegate invoke",
	[PV_HELPER_EXCEPTION] = "exception handling",
	[PV_HELPER_UNKNOWN] = "unknown",
	[PV_HELPER_OTHER] = "other" };

static void put_helper(
	struct pv_build *b, uint64_t id, struct pv_helper_sum sum, size_t type, const char *name)
{
	struct pv_cell *c = pv_build_row(b, id);
	pv_cell_u(&c[0], sum.count);
	pv_cell_u(&c[1], sum.bytes);
	pv_cell_s(&c[2], helper_text[type]);
	pv_cell_s(&c[3], name);
}

/* Helpers with names, and for each type the rest without. */
static void copy_jit_helpers(struct pv_build *b, struct pv_model *m)
{
	struct pv_helper_sum rest[PV_HELPER_TYPES];
	memcpy(rest, m->helpers.helper, sizeof rest);
	for (size_t i = 0; i < m->helpers.named.n; i++) {
		const struct pv_named_helper *n = &m->helpers.named.v[i];
		put_helper(b, PV_HELPER_TYPES + 1 + i, n->sum, n->type,
			pv_intern_text(&m->names.text, n->name));
		rest[n->type].count -= n->sum.count;
		rest[n->type].bytes -= n->sum.bytes;
	}
	for (size_t i = 0; i < PV_HELPER_TYPES; i++)
		if (rest[i].count)
			put_helper(b, i + 1, rest[i], i, NULL);
}

const struct pv_view_spec pv_spec_jit_helpers = { .column = helper_columns,
	.columns = PV_COUNT_OF(helper_columns),
	.name = "name",
	.sort = "bytes",
	.copy = copy_jit_helpers };
