/* SPDX-License-Identifier: MIT */
/* Makes rows of (class, stack), and the texts of the stacks shown. */
#include "common/query/groups/site_rows.h"

#include <stdlib.h>
#include <string.h>

#include "common/model/model.h"
#include "common/query/groups/site_order.h"

#define STACK_OTHER UINT64_MAX

/*
 * Innermost frames shown in a row; fewer once all texts are long. A recursion may have a site in
 * each call, each showing all calls before: a log of a megabyte would fill the memory.
 */
enum { FRAMES_SHOWN = 256, FRAMES_LESS = 16, MUCH_TEXT = 64 << 20 };

/* Hash of a row: rows without a name differ from rows with a name. */
static uint64_t group_row_hash(const struct pv_group_row *r)
{
	return pv_hash(r->name ? r->id : pv_hash(r->key) + 1);
}

/* Parents have smaller numbers, so one pass hashes every stack. */
static bool hash_stacks(struct pv_site_rows *r)
{
	const struct pv_stacks *stacks = &r->m->stacks;
	const struct pv_logical *l = &r->logical;
	const size_t n = stacks->node.n + l->awaiting;
	r->stack_hash = calloc(n + 1, sizeof *r->stack_hash);
	if (!r->stack_hash)
		return false;
	for (uint32_t i = 1; i < n; i++) {
		uint32_t group = pv_group_of(&r->methods, pv_logical_method(l, stacks, i));
		uint64_t awaits = pv_logical_part(l, i) == PV_PART_AWAITS;
		r->stack_hash[i] = pv_hash(r->stack_hash[pv_logical_above(l, stacks, i)] * 31 +
					   group_row_hash(&r->methods.row.v[group]) + awaits);
	}
	return true;
}

bool pv_site_rows_init(struct pv_site_rows *r, struct pv_build *b, struct pv_model *m,
	size_t class_column, size_t stack_column)
{
	*r = (struct pv_site_rows){
		.b = b, .m = m, .class_column = class_column, .stack_column = stack_column
	};
	return pv_groups_classes(m, b, &r->classes) &&
	       pv_groups_methods_by_name(m, b, &r->methods) &&
	       pv_logical_stacks(m, b->query, &r->methods, &r->logical) && hash_stacks(r) &&
	       (r->class_rank = pv_group_ranks(&r->classes)) != NULL &&
	       (r->stack_rank = pv_stack_ranks(m, &r->logical, &r->methods)) != NULL;
}

void pv_site_rows_finish(struct pv_site_rows *r)
{
	pv_logical_finish(&r->logical);
	free(r->stack_hash);
	free(r->class_rank);
	free(r->stack_rank);
	pv_map_finish(&r->row_of);
	pv_groups_finish(&r->classes);
	pv_groups_finish(&r->methods);
}

static uint64_t row_id(const struct pv_site_rows *r, struct pv_site_key key, uint32_t class)
{
	const uint32_t place = pv_logical_at(&r->logical, key.stack);
	uint64_t stack = key.other                         ? STACK_OTHER
			 : key.stack < r->m->stacks.node.n ? r->stack_hash[place]
							   : 0;
	uint64_t id = pv_hash(group_row_hash(&r->classes.row.v[class]) * 31 + pv_hash(stack));
	if (key.kind)
		/* otherwise equal rows are ordered by kind */
		id = key.kind << 60 | id >> 4;
	return id ? id : 1;
}

/* By class, then the stack's text; several stacks come last. */
static uint64_t rank_of(const struct pv_site_rows *r, struct pv_site_key key, uint32_t class)
{
	const uint32_t place = pv_logical_at(&r->logical, key.stack);
	uint32_t stack = key.other                         ? UINT32_MAX
			 : key.stack < r->m->stacks.node.n ? r->stack_rank[place]
							   : 0;
	return (uint64_t)r->class_rank[class] << 32 | stack;
}

struct pv_cell *pv_site_row(struct pv_site_rows *r, struct pv_site_key key)
{
	uint32_t class = pv_group_of(&r->classes, key.class_use);
	uint64_t id = row_id(r, key, class);
	if (r->classes.row.v[class].id == PV_ROW_OUTSIDE)
		return r->b->scratch;
	uint32_t at = pv_map_get(&r->row_of, id);
	if (!r->b->table)
		return NULL;
	if (at != PV_MAP_NONE)
		return r->b->table->row[at].cell;
	if (!pv_map_set(&r->row_of, id, (uint32_t)r->b->table->rows))
		return NULL;
	struct pv_cell *c = pv_build_row(r->b, id);
	if (!r->b->table)
		return NULL;
	r->b->table->row[r->b->table->rows - 1].rank = rank_of(r, key, class);
	if (r->class_column != r->stack_column)
		pv_cell_s(&c[r->class_column], pv_group_name(r->b, &r->classes, class));
	c[r->stack_column].u = key.other ? STACK_OTHER : key.stack;
	c[r->stack_column].state = PV_CELL_PENDING;
	return c;
}

/* --- texts of the shown stacks */

struct text {
	PV_ARRAY(const char *) frame; /* innermost first */
};

/* A line is a frame, but names may hold anything: a line end in a name is shown as \n. */
static size_t frame_length(const char *name)
{
	size_t n = 0;
	for (; *name; name++)
		n += *name == '\n' ? 2 : 1;
	return n;
}

static char *put_escaped_frame(char *to, const char *name)
{
	for (; *name; name++) {
		if (*name == '\n')
			*to++ = '\\';
		*to++ = *name == '\n' ? 'n' : *name;
	}
	return to;
}

static const char *join_frames(struct pv_table *t, const struct text *x)
{
	size_t len = 1;
	for (size_t i = 0; i < x->frame.n; i++)
		len += frame_length(x->frame.v[i]) + 1;
	char *text = pv_arena_alloc(&t->arena, len), *to = text;
	if (!text)
		return NULL;
	for (size_t i = x->frame.n; i-- > 0;) {
		to = put_escaped_frame(to, x->frame.v[i]);
		if (i)
			*to++ = '\n';
	}
	*to = 0;
	return text;
}

static const char *frame_text(struct pv_table *t, const struct pv_model *m, uint32_t method)
{
	uint32_t name = method ? pv_names_method_name(&m->names, method) : 0;
	if (name)
		return pv_intern_text(&m->names.text, name);
	if (method == 0)
		return "(other)";
	char buf[24];
	const char *hex = pv_names_method_text(&m->names, method, buf);
	return pv_arena_copy(&t->arena, hex, strlen(hex));
}

/* A frame's name with the mark of its part. */
static const char *part_text(
	struct pv_table *t, const struct pv_model *m, const struct pv_logical *l, uint32_t at)
{
	const char *name = frame_text(t, m, pv_logical_method(l, &m->stacks, at));
	char mark[PV_PART_TEXT];
	const enum pv_logical_part part = pv_logical_part(l, at);
	if (part == PV_PART_CALLED || !name)
		return name;
	return pv_arena_printf(
		&t->arena, "%s%s", name, pv_logical_mark(part, pv_logical_percent(l, at), mark));
}

static const char *stack_text(struct pv_table *t, const struct pv_model *m,
	const struct pv_logical *l, uint64_t stack, struct text *x)
{
	if (stack == STACK_OTHER)
		return "(other)";
	const size_t most = t->arena.bytes > MUCH_TEXT ? FRAMES_LESS : FRAMES_SHOWN;
	x->frame.n = 0;
	uint32_t i = stack < m->stacks.node.n ? pv_logical_at(l, (uint32_t)stack) : 0;
	for (; i; i = pv_logical_above(l, &m->stacks, i)) {
		bool all = x->frame.n == most;
		const char *text = all ? "(further callers)" : part_text(t, m, l, i);
		if (!text || !pv_reserve(&x->frame, 1))
			return NULL;
		x->frame.v[x->frame.n++] = text;
		if (all)
			break;
	}
	return join_frames(t, x);
}

static bool fill_stack(struct pv_table *t, const struct pv_model *m, const struct pv_logical *l,
	struct pv_cell *c, struct text *x)
{
	if (c->state != PV_CELL_PENDING)
		return true;
	const char *text = stack_text(t, m, l, c->u, x);
	if (text)
		*c = (struct pv_cell){ .s = text, .state = PV_CELL_VALUE };
	return text != NULL;
}

bool pv_site_rows_text(struct pv_table *t, struct pv_model *m, const struct pv_query *q)
{
	struct text x = { 0 };
	struct pv_logical l = { 0 };
	bool ok = !t->rows || pv_logical_stacks(m, q, NULL, &l);
	for (size_t i = 0; ok && i < t->rows; i++)
		for (size_t k = 0; ok && k < t->columns; k++)
			if (t->column[k].unit == PV_UNIT_LIST)
				ok = fill_stack(t, m, &l, &t->row[i].cell[k], &x);
	pv_array_finish(&x.frame);
	pv_logical_finish(&l);
	return ok;
}
