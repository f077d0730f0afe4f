#include "common/query/site_rows.h"

#include <stdlib.h>
#include <string.h>

#include "common/model/model.h"
#include "common/query/site_order.h"

#define STACK_OTHER UINT64_MAX

/*
 * Innermost frames that a row shows, fewer once texts are long together. There may be a site in each
 * call of a recursion, which would show all before it: more memory than there is, of a megabyte.
 */
enum { FRAMES_SHOWN = 256, FRAMES_LESS = 16, MUCH_TEXT = 64 << 20 };

/* Hash of a row: rows without a name differ from all with one. */
static uint64_t hash_of(const struct pv_group_row *r)
{
	return pv_hash(r->name ? r->id : pv_hash(r->key) + 1);
}

/* Parents have smaller numbers, so one pass knows every stack's hash. */
static bool hash_stacks(struct pv_site_rows *r)
{
	const struct pv_stacks *stacks = &r->m->stacks;
	r->stack_hash = calloc(stacks->node.n + 1, sizeof *r->stack_hash);
	if (!r->stack_hash)
		return false;
	for (size_t i = 1; i < stacks->node.n; i++) {
		const struct pv_stack_node *n = &stacks->node.v[i];
		uint32_t group = pv_group_of(&r->methods, n->method);
		r->stack_hash[i] =
			pv_hash(r->stack_hash[n->parent] * 31 + hash_of(&r->methods.row.v[group]));
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
	       pv_groups_methods_by_name(m, b, &r->methods) && hash_stacks(r) &&
	       (r->class_rank = pv_group_ranks(&r->classes)) != NULL &&
	       (r->stack_rank = pv_stack_ranks(&m->stacks, &r->methods)) != NULL;
}

void pv_site_rows_finish(struct pv_site_rows *r)
{
	free(r->stack_hash);
	free(r->class_rank);
	free(r->stack_rank);
	pv_map_finish(&r->row_of);
	pv_groups_finish(&r->classes);
	pv_groups_finish(&r->methods);
}

static uint64_t row_id(const struct pv_site_rows *r, struct pv_site_key key, uint32_t class)
{
	uint64_t stack = key.other                         ? STACK_OTHER
			 : key.stack < r->m->stacks.node.n ? r->stack_hash[key.stack]
							   : 0;
	uint64_t id = pv_hash(hash_of(&r->classes.row.v[class]) * 31 + pv_hash(stack));
	if (key.kind)
		/* rows that are equal otherwise are ordered by kind */
		id = key.kind << 60 | id >> 4;
	return id ? id : 1;
}

/* By class, then the stack's text; several stacks come last. */
static uint64_t rank_of(const struct pv_site_rows *r, struct pv_site_key key, uint32_t class)
{
	uint32_t stack = key.other                         ? UINT32_MAX
			 : key.stack < r->m->stacks.node.n ? r->stack_rank[key.stack]
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

/* --- texts of the stacks that are shown */

struct text {
	PV_ARRAY(const char *) frame; /* innermost first */
};

/* A name may hold anything, and a line is a frame: the end of one becomes \n, as it is shown. */
static size_t frame_length(const char *name)
{
	size_t n = 0;
	for (; *name; name++)
		n += *name == '\n' ? 2 : 1;
	return n;
}

static char *put_frame(char *to, const char *name)
{
	for (; *name; name++) {
		if (*name == '\n')
			*to++ = '\\';
		*to++ = *name == '\n' ? 'n' : *name;
	}
	return to;
}

static const char *join(struct pv_table *t, const struct text *x)
{
	size_t len = 1;
	for (size_t i = 0; i < x->frame.n; i++)
		len += frame_length(x->frame.v[i]) + 1;
	char *text = pv_arena_alloc(&t->arena, len), *to = text;
	if (!text)
		return NULL;
	for (size_t i = x->frame.n; i-- > 0;) {
		to = put_frame(to, x->frame.v[i]);
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

static const char *stack_text(
	struct pv_table *t, const struct pv_model *m, uint64_t stack, struct text *x)
{
	if (stack == STACK_OTHER)
		return "(other)";
	const size_t most = t->arena.bytes > MUCH_TEXT ? FRAMES_LESS : FRAMES_SHOWN;
	x->frame.n = 0;
	for (uint64_t i = stack; i && i < m->stacks.node.n; i = m->stacks.node.v[i].parent) {
		bool all = x->frame.n == most;
		const char *text =
			all ? "(further callers)" : frame_text(t, m, m->stacks.node.v[i].method);
		if (!text || !pv_reserve(&x->frame, 1))
			return NULL;
		x->frame.v[x->frame.n++] = text;
		if (all)
			break;
	}
	return join(t, x);
}

static bool fill_stack(
	struct pv_table *t, const struct pv_model *m, struct pv_cell *c, struct text *x)
{
	if (c->state != PV_CELL_PENDING)
		return true;
	const char *text = stack_text(t, m, c->u, x);
	if (text)
		*c = (struct pv_cell){ .s = text, .state = PV_CELL_VALUE };
	return text != NULL;
}

bool pv_site_rows_text(struct pv_table *t, const struct pv_model *m)
{
	struct text x = { 0 };
	bool ok = true;
	for (size_t i = 0; ok && i < t->rows; i++)
		for (size_t k = 0; ok && k < t->columns; k++)
			if (t->column[k].unit == PV_UNIT_LIST)
				ok = fill_stack(t, m, &t->row[i].cell[k], &x);
	pv_array_finish(&x.frame);
	return ok;
}
