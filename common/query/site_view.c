#include <stdlib.h>
#include <string.h>

#include "common/base/map.h"
#include "common/model/allocs.h"
#include "common/model/locks.h"
#include "common/model/model.h"
#include "common/model/throws.h"
#include "common/model/window.h"
#include "common/query/groups.h"
#include "common/query/specs.h"

/*
 * Figures per (class, stack). Sites that read the same are one row. A row keeps the number of a
 * stack until sorting and cutting are done; only then is its text made.
 */
enum { S_COUNT, S_CLASS, S_STACK }; /* one further to the right behind an amount */
#define STACK_OTHER UINT64_MAX /* several stacks, folded when there were too many */

static const struct pv_column alloc_columns[] = {
	{ "allocated_bytes", "BYTES", PV_UNIT_BYTES, 9, 1, 0 },
	{ "allocations", "ALLOCATIONS", PV_UNIT_COUNT, 11, 2, 0 },
	{ "class", "CLASS", PV_UNIT_TEXT, 24, 0, PV_COLUMN_ASCENDING },
	{ "stack", "STACK", PV_UNIT_LIST, 40, 0, PV_COLUMN_GROWS },
};
static const struct pv_column throw_columns[] = {
	{ "thrown", "THROWN", PV_UNIT_COUNT, 8, 1, 0 },
	{ "class", "CLASS", PV_UNIT_TEXT, 24, 0, PV_COLUMN_ASCENDING },
	{ "stack", "STACK", PV_UNIT_LIST, 40, 0, PV_COLUMN_GROWS },
};
static const struct pv_column wait_columns[] = {
	{ "wait_ns", "WAITED", PV_UNIT_NS, 9, 1, 0 },
	{ "contentions", "CONTENDED", PV_UNIT_COUNT, 9, 2, 0 },
	{ "class", "CLASS", PV_UNIT_TEXT, 24, 0, PV_COLUMN_ASCENDING },
	{ "stack", "STACK", PV_UNIT_LIST, 40, 0, PV_COLUMN_GROWS },
};

struct sites {
	struct pv_build *b;
	const struct pv_model *m;
	const struct pv_sites *from;
	bool amounts;
	struct pv_groups classes, methods;
	uint64_t *stack_hash; /* by stack id: equal for stacks that read the same */
	struct pv_map row_of; /* row id -> row */
};

/* Parents have smaller numbers, so one pass knows every stack's hash. */
static bool hash_stacks(struct sites *s)
{
	const struct pv_stacks *stacks = &s->m->stacks;
	s->stack_hash = calloc(stacks->node.n + 1, sizeof *s->stack_hash);
	if (!s->stack_hash)
		return false;
	for (size_t i = 1; i < stacks->node.n; i++) {
		const struct pv_stack_node *n = &stacks->node.v[i];
		uint32_t group = pv_group_of(&s->methods, n->method);
		s->stack_hash[i] = pv_hash(s->stack_hash[n->parent] * 31 +
			pv_hash(s->methods.row.v[group].id));
	}
	return true;
}

static uint64_t site_id(const struct sites *s, const struct pv_site *site, uint32_t class)
{
	uint64_t stack = site->other ? STACK_OTHER :
		site->stack < s->m->stacks.node.n ? s->stack_hash[site->stack] : 0;
	uint64_t id = pv_hash(s->classes.row.v[class].id * 31 + pv_hash(stack));
	return id ? id : 1;
}

static bool add_site(struct sites *s, const struct pv_site *site, uint64_t count, int64_t sum)
{
	uint32_t class = pv_group_of(&s->classes, site->class_use);
	uint64_t id = site_id(s, site, class);
	uint32_t at = pv_map_get(&s->row_of, id);
	struct pv_cell *c, *amount;
	if (at != PV_MAP_NONE && s->b->table) {
		amount = s->b->table->row[at].cell;
		c = amount + s->amounts;
	} else {
		if (!s->b->table || !pv_map_set(&s->row_of, id, (uint32_t)s->b->table->rows))
			return false;
		amount = pv_build_row(s->b, id);
		c = amount + s->amounts;
		pv_cell_s(&c[S_CLASS], pv_group_name(s->b, &s->classes, class));
		c[S_STACK].u = site->other ? STACK_OTHER : site->stack;
		c[S_STACK].state = PV_CELL_PENDING;
	}
	c[S_COUNT].u += count;
	if (s->amounts)
		amount->i += sum; /* bytes are never negative */
	return true;
}

static bool add_window(struct sites *s)
{
	struct pv_window_sums sums = { 0 };
	bool ok = pv_window_sum(s->m, s->b->query->window_ns, &sums);
	for (size_t i = 0; ok && i < sums.sites.n; i++) {
		const struct pv_window_site *w = &sums.sites.v[i];
		ok = add_site(s, &s->from->site.v[w->site], w->count, (int64_t)w->bytes);
	}
	pv_window_sums_finish(&sums);
	return ok;
}

static void copy_sites(struct pv_build *b, const struct pv_model *m, const struct pv_sites *from,
	bool amounts, bool window)
{
	struct sites s = { .b = b, .m = m, .from = from, .amounts = amounts };
	bool ok = pv_groups_classes(m, &s.classes) && pv_groups_methods(m, &s.methods) &&
		hash_stacks(&s);
	if (ok && window)
		ok = add_window(&s);
	for (size_t i = 1; ok && !window && i < from->site.n; i++) {
		const struct pv_site *site = &from->site.v[i];
		if (site->count)
			ok = add_site(&s, site, site->count, (int64_t)site->amount);
	}
	if (!ok)
		pv_build_fail(b);
	free(s.stack_hash);
	pv_map_finish(&s.row_of);
	pv_groups_finish(&s.classes);
	pv_groups_finish(&s.methods);
}

static void copy_alloc_sites(struct pv_build *b, struct pv_model *m)
{
	copy_sites(b, m, &m->allocs.sites, true, b->query->window_ns != 0);
}

static void copy_throw_sites(struct pv_build *b, struct pv_model *m)
{
	copy_sites(b, m, &m->throws.sites, false, false);
}

static void copy_wait_sites(struct pv_build *b, struct pv_model *m)
{
	copy_sites(b, m, &m->locks.sites, true, false);
}

/* --- texts of the stacks that are shown --- */

struct text {
	PV_ARRAY(const char *) frame; /* innermost first */
};

static const char *join(struct pv_table *t, const struct text *x)
{
	size_t len = 1;
	for (size_t i = 0; i < x->frame.n; i++)
		len += strlen(x->frame.v[i]) + 1;
	char *text = pv_arena_alloc(&t->arena, len), *to = text;
	if (!text)
		return NULL;
	for (size_t i = x->frame.n; i-- > 0;) {
		size_t n = strlen(x->frame.v[i]);
		for (size_t k = 0; k < n; k++) /* a name may hold anything; a line is a frame */
			*to++ = x->frame.v[i][k] == '\n' ? ' ' : x->frame.v[i][k];
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

static const char *stack_text(struct pv_table *t, const struct pv_model *m, uint64_t stack,
	struct text *x)
{
	if (stack == STACK_OTHER)
		return "(other)";
	x->frame.n = 0;
	for (uint64_t i = stack; i && i < m->stacks.node.n; i = m->stacks.node.v[i].parent) {
		const char *text = frame_text(t, m, m->stacks.node.v[i].method);
		if (!text || !pv_reserve(&x->frame, 1))
			return NULL;
		x->frame.v[x->frame.n++] = text;
	}
	return join(t, x);
}

static bool write_stacks(struct pv_table *t, const struct pv_model *m)
{
	struct text x = { 0 };
	int stack = pv_table_column(t, "stack");
	bool ok = true;
	for (size_t i = 0; ok && i < t->rows; i++) {
		struct pv_cell *c = &t->row[i].cell[stack];
		const char *text = stack_text(t, m, c->u, &x);
		ok = text != NULL;
		if (ok)
			*c = (struct pv_cell){ .s = text, .state = PV_CELL_VALUE };
	}
	pv_array_finish(&x.frame);
	return ok;
}

const struct pv_view_spec pv_spec_allocation_sites = { .column = alloc_columns,
	.columns = PV_COUNT_OF(alloc_columns), .name = "class", .sort = "allocated_bytes",
	.copy = copy_alloc_sites, .late = write_stacks };
const struct pv_view_spec pv_spec_throw_sites = { .column = throw_columns,
	.columns = PV_COUNT_OF(throw_columns), .name = "class", .sort = "thrown",
	.copy = copy_throw_sites, .late = write_stacks };
const struct pv_view_spec pv_spec_wait_sites = { .column = wait_columns,
	.columns = PV_COUNT_OF(wait_columns), .name = "class", .sort = "wait_ns",
	.copy = copy_wait_sites, .late = write_stacks };
