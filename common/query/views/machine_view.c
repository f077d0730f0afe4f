/* SPDX-License-Identifier: MIT */
/* One native function, instruction by instruction, with what was met at each, and its source between. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/status.h"
#include "common/base/text/demangle.h"
#include "common/model/names/place_lines.h"
#include "common/query/groups/groups.h"
#include "common/query/groups/specs.h"
#include "common/query/machine_code.h"
#include "common/query/source_text.h"
#include "common/query/views/source_columns.h"

enum { TRIES = 16, FILES = 8 };

/* Sums of each place, by index in places.place. */
struct place_sums {
	uint64_t *self, *total, *seen; /* by the measure that leads */
	enum pv_line_measure lead;
	uint64_t all, turn;
};

struct row {
	uint64_t self[PV_LINE_MEASURES], total[PV_LINE_MEASURES];
	uint32_t file, line; /* interned; line 0: not known */
	const char *path, *method;
};

struct machine {
	const struct pv_source_wish *wish;
	struct place_sums sums;
	struct pv_native_code code;
	bool found, missed; /* missed: nothing of the wish */
	struct pv_machine_code is;
	struct row *row; /* of each instruction */
	uint64_t self, most_self, most_total;
	struct pv_source_text text[FILES];
	const char *text_of[FILES];
	size_t texts;
};

/* --- the function */

static void stack_count(struct place_sums *s, const struct pv_places *p, uint32_t node, uint64_t n)
{
	s->turn++;
	s->self[p->node.v[node].place] += n;
	for (uint32_t at = node; at; at = p->node.v[at].parent) {
		const uint32_t place = p->node.v[at].place;
		s->total[place] += s->seen[place] != s->turn ? n : 0;
		s->seen[place] = s->turn;
	}
}

static uint64_t figure_of(const struct pv_place_sum *s, enum pv_line_measure what)
{
	return what == PV_LINE_BYTES ? s->bytes : what == PV_LINE_WAIT_NS ? s->wait_ns : s->throws;
}

/* False: out of memory. */
static bool count_places(struct pv_model *m, struct place_sums *s)
{
	const struct pv_places *p = &m->places;
	const size_t n = p->place.n ? p->place.n : 1;
	s->self = calloc(3 * n, sizeof *s->self);
	if (!s->self)
		return false;
	s->total = s->self + n;
	s->seen = s->total + n;
	s->lead = m->calls.samples   ? PV_LINE_SAMPLES
		  : m->allocs.bytes  ? PV_LINE_BYTES
		  : m->locks.wait_ns ? PV_LINE_WAIT_NS
				     : PV_LINE_THROWS;
	s->all = s->lead == PV_LINE_SAMPLES   ? m->calls.samples
		 : s->lead == PV_LINE_BYTES   ? m->allocs.bytes
		 : s->lead == PV_LINE_WAIT_NS ? (uint64_t)m->locks.wait_ns
					      : m->throws.thrown;
	for (uint32_t i = 1; s->lead == PV_LINE_SAMPLES && i < p->node.n; i++)
		if (p->node.v[i].samples)
			stack_count(s, p, i, p->node.v[i].samples);
	for (size_t i = 0; s->lead != PV_LINE_SAMPLES && i < p->sum.n; i++)
		stack_count(s, p, p->sum.v[i].node, figure_of(&p->sum.v[i], s->lead));
	return true;
}

/* Whether the wish is for a place; with `exact` the line counts, too. False as well: out of memory. */
static bool is_wished(struct machine *x, struct pv_build *b, struct pv_model *m,
	const struct pv_groups *g, uint32_t place, bool exact)
{
	const struct pv_source_wish *w = x->wish;
	size_t n;
	const struct pv_line_at *at = pv_lines_of_place(m, place, &n);
	for (size_t i = 0; at && i < n; i++) {
		const uint32_t method =
			at[i].method ? at[i].method : m->places.place.v[place].method;
		const bool here = w->file && at[i].line && (!exact || at[i].line == w->line) &&
				  strcmp(pv_intern_text(&m->names.text, at[i].file), w->file) == 0;
		if (here || (!w->file && w->method &&
				    strcmp(pv_group_name(b, g, pv_group_of(g, method)),
					    w->method) == 0))
			return true;
	}
	return !w->file && w->method && at &&
	       strcmp(pv_group_name(b, g, pv_group_of(g, m->places.place.v[place].method)),
		       w->method) == 0;
}

/* Chooses the function of the hottest place of the wish; each place is tried once. */
static void choose_function(struct machine *x, struct pv_build *b, struct pv_model *m,
	const struct pv_groups *g, bool any, bool exact)
{
	const struct place_sums *s = &x->sums;
	bool *out = calloc(m->places.place.n + 1, sizeof *out);
	for (size_t tries = 0; out && tries < TRIES && !x->found; tries++) {
		uint32_t best = 0;
		for (uint32_t i = 1; i < m->places.place.n; i++) {
			const bool hotter =
				s->self[i] > s->self[best] ||
				(s->self[i] == s->self[best] && s->total[i] > s->total[best]);
			if (!out[i] && hotter && (any || is_wished(x, b, m, g, i, exact)))
				best = i;
		}
		if (!best)
			break;
		out[best] = true;
		x->found = pv_place_code(m, m->places.place.v[best].address, &x->code);
	}
	free(out);
}

static void find_function(
	struct machine *x, struct pv_build *b, struct pv_model *m, const struct pv_groups *g)
{
	const bool wished = x->wish->file || x->wish->method;
	if (x->wish->file && x->wish->line)
		choose_function(x, b, m, g, false, true);
	if (!x->found && wished)
		choose_function(x, b, m, g, false, false);
	x->missed = wished && !x->found;
	if (!x->found)
		choose_function(x, b, m, g, true, false);
}

/* --- figures of its instructions */

/* The instruction with an address of the process; SIZE_MAX: none. */
static size_t instruction_at(const struct machine *x, uint64_t address)
{
	const uint64_t at = address - x->code.start + x->code.in_file;
	size_t low = 0, high = x->is.one.n;
	if (address - x->code.start >= x->code.size)
		return SIZE_MAX;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (x->is.one.v[middle].address <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : SIZE_MAX;
}

static void take_figures(struct machine *x, const struct pv_model *m)
{
	const struct place_sums *s = &x->sums;
	for (uint32_t i = 1; i < m->places.place.n; i++) {
		const size_t at =
			s->total[i] ? instruction_at(x, m->places.place.v[i].address) : SIZE_MAX;
		if (at == SIZE_MAX)
			continue;
		x->row[at].self[s->lead] += s->self[i];
		x->row[at].total[s->lead] += s->total[i];
		x->self += s->self[i];
	}
	for (size_t i = 0; i < x->is.one.n; i++) {
		const uint64_t self = x->row[i].self[s->lead], total = x->row[i].total[s->lead];
		x->most_self = self > x->most_self ? self : x->most_self;
		x->most_total = total > x->most_total ? total : x->most_total;
	}
}

/* False: out of memory. */
static bool take_lines(struct machine *x, struct pv_model *m)
{
	const uint32_t whole = pv_names_method_name(
		&m->names, pv_names_resolved(&m->names, pv_names_ip(&m->names, x->code.start)));
	for (size_t i = 0; i < x->is.one.n; i++) {
		size_t n;
		const struct pv_line_at *at = pv_place_lines_native(
			m, x->is.one.v[i].address - x->code.in_file + x->code.start, &n);
		if (!at)
			return false;
		if (!n || !at[0].line)
			continue;
		x->row[i].file = at[0].file;
		x->row[i].line = at[0].line;
		x->row[i].path = pv_intern_text(&m->names.text, at[0].file);
		const uint32_t name =
			at[0].method ? pv_names_method_name(&m->names, at[0].method) : whole;
		x->row[i].method = name ? pv_intern_text(&m->names.text, name) : NULL;
	}
	return true;
}

/* --- rows */

/* The text of a line, NULL: not known. */
static const char *source_of(struct machine *x, const struct row *r)
{
	size_t i = 0;
	while (i < x->texts && x->text_of[i] != r->path)
		i++;
	if (i == x->texts) {
		if (i == FILES)
			return NULL;
		x->text_of[i] = r->path;
		if (!pv_source_text_read(r->path, x->wish->maps, PV_CHECKSUM_NONE, &x->text[i]))
			x->text[i].why = "out of memory";
		x->texts++;
	}
	const struct pv_source_text *t = &x->text[i];
	return !t->why && r->line <= t->lines ? t->line[r->line - 1] : NULL;
}

static struct pv_cell *put_any(
	struct pv_build *b, uint64_t number, unsigned flags, const struct row *r)
{
	struct pv_cell *c = pv_build_child(b, number, 0, flags);
	for (size_t i = 0; i < PV_SOURCE_COLUMNS; i++)
		pv_cell_null(&c[i]);
	pv_cell_u(&c[PV_SOURCE_ROW], number);
	pv_cell_u_if(&c[PV_SOURCE_LINE], r->line, r->line);
	pv_cell_s(&c[PV_SOURCE_FILE], r->line ? r->path : NULL);
	return c;
}

/* The line of source that the next instructions are of. */
static void put_source(struct machine *x, struct pv_build *b, uint64_t number, const struct row *r)
{
	const char *text = source_of(x, r), *slash = strrchr(r->path, '/');
	struct pv_cell *c = put_any(b, number, 0, r);
	pv_cell_s(&c[PV_SOURCE_TEXT],
		text ? pv_build_text(b, text)
		     : pv_build_printf(b, "%s:%u", slash ? slash + 1 : r->path, r->line));
}

static bool is_hot_instruction(const struct machine *x, const struct row *r)
{
	const enum pv_line_measure by = x->sums.lead;
	return x->most_self ? r->self[by] * 8 >= x->most_self
			    : x->most_total && r->total[by] * 8 >= x->most_total;
}

/* The instruction that the cursor goes to: the hottest of the wished line, else of all. */
static size_t instruction_wished(const struct machine *x)
{
	const enum pv_line_measure by = x->sums.lead;
	size_t best = 0;
	bool at_line = false;
	for (size_t i = 0; i < x->is.one.n; i++) {
		const struct row *r = &x->row[i], *was = &x->row[best];
		const bool here = x->wish->file && x->wish->line && r->line == x->wish->line &&
				  strcmp(r->path, x->wish->file) == 0;
		const bool hotter = r->self[by] > was->self[by] ||
				    (r->self[by] == was->self[by] && r->total[by] > was->total[by]);
		if ((here && !at_line) || (here == at_line && hotter))
			best = i;
		at_line |= here;
	}
	return best;
}

static void put_machine(struct machine *x, struct pv_build *b)
{
	const size_t wished = instruction_wished(x);
	uint64_t number = 1;
	for (size_t i = 0; i < x->is.one.n; i++) {
		const struct row *r = &x->row[i];
		if (r->line && (i == 0 || r->line != r[-1].line || r->file != r[-1].file))
			put_source(x, b, number++, r);
		struct pv_cell *c = put_any(b, number++,
			(is_hot_instruction(x, r) ? PV_ROW_HOT : 0u) |
				(i == wished ? PV_ROW_MARKED : 0u),
			r);
		pv_source_put_figures(
			c, x->sums.lead == PV_LINE_SAMPLES ? x->sums.all : 0, r->self, r->total);
		pv_cell_s(&c[PV_SOURCE_METHOD], r->method);
		pv_cell_s(&c[PV_SOURCE_TEXT],
			pv_build_printf(b, "    %6llx  %s",
				(unsigned long long)x->is.one.v[i].address, x->is.one.v[i].text));
	}
}

static const char *about(struct pv_build *b, const struct machine *x)
{
	char of[PV_SOURCE_SAID], lead[120] = "", plain[1024];
	const size_t len = pv_demangle(x->code.name, strlen(x->code.name), plain, sizeof plain - 1);
	const char *name = len ? plain : x->code.name;
	plain[len] = 0;
	if (!x->found)
		return x->sums.all ? "machine code is of native functions whose file is here: none "
				     "of these was met"
				   : "no sample yet";
	if (x->missed)
		snprintf(lead, sizeof lead, "no machine code of what was asked for; the hottest: ");
	if (x->is.why)
		return pv_build_printf(b, "%s%s is not shown: %s", lead, name, x->is.why);
	return pv_build_printf(b, "%s%s in %s, %zu instructions, %.3g %% of %s", lead, name,
		x->code.path, x->is.one.n,
		x->sums.all ? 100 * (double)x->self / (double)x->sums.all : 0,
		pv_source_said(x->sums.lead, x->sums.all, of));
}

static bool read_machine(struct machine *x, struct pv_model *m)
{
	if (!x->found)
		return true;
	/* Without the model's lock: another program runs meanwhile. */
	pv_model_unlock(m);
	bool ok = pv_machine_code_read(x->code.path, x->code.in_file, x->code.size, &x->is);
	x->row = calloc(x->is.one.n + 1, sizeof *x->row);
	pv_model_lock(m);
	/* Samples may have come meanwhile, and places. */
	free(x->sums.self);
	x->sums = (struct place_sums){ 0 };
	ok = ok && x->row && count_places(m, &x->sums) && take_lines(x, m);
	if (ok)
		take_figures(x, m);
	return ok;
}

void pv_machine_run(struct pv_build *b, struct pv_model *m)
{
	struct machine x = { .wish = b->query->source };
	struct pv_groups g = { 0 };
	uint64_t all[PV_LINE_MEASURES] = { 0 };
	pv_model_lock(m);
	pv_build_stamp(b, m);
	bool ok = pv_groups_methods_by_name(m, b, &g) && count_places(m, &x.sums);
	if (ok)
		find_function(&x, b, m, &g);
	ok = ok && read_machine(&x, m);
	pv_model_unlock(m);
	if (ok) {
		all[x.sums.lead] = x.sums.all;
		all[PV_LINE_WAITS] = all[PV_LINE_WAIT_NS];
		pv_source_hide(b, all);
		b->sort = "row";
		put_machine(&x, b);
		const char *said = about(b, &x);
		if (b->table)
			b->table->about = said;
	} else {
		pv_build_fail(b);
	}
	for (size_t i = 0; i < x.texts; i++)
		pv_source_text_finish(&x.text[i]);
	pv_machine_code_finish(&x.is);
	free(x.row);
	free(x.sums.self);
	pv_groups_finish(&g);
}
