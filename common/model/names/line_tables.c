/* SPDX-License-Identifier: MIT */
/* Applies the line tables that a probe wrote, and finds the line at an offset. */
#include "common/model/names/line_tables.h"

#include "common/model/ground/model_parts.h"

void pv_lines_finish(struct pv_lines *l)
{
	pv_array_finish(&l->table);
	pv_array_finish(&l->line);
	pv_map_finish(&l->table_of);
	pv_il_maps_finish(&l->il);
}

bool pv_lines_apply(struct pv_context *x, const struct pv_event *e)
{
	struct pv_lines *l = &x->m->lines;
	const uint64_t *pair = x->batch->pool.v + e->lines.pairs.at;
	uint32_t n = e->lines.pairs.n / 2;
	if (l->line.n + n > PV_LINES_CAP) {
		l->dropped++;
		return true;
	}
	x->m->private->use_ns = x->time;
	struct pv_line_table t = { .method = pv_model_method(x->m, e->lines.method),
		.first = (uint32_t)l->line.n,
		.n = n };
	if (!t.method || !pv_reserve(&l->table, 1) || !pv_reserve(&l->line, n) ||
		!pv_intern_add(&x->m->names.text, e->lines.file.at, e->lines.file.len, &t.file) ||
		!pv_map_set(&l->table_of, t.method, (uint32_t)l->table.n))
		return false;
	for (uint32_t i = 0; i < n; i++)
		l->line.v[l->line.n++] =
			(struct pv_line){ (uint32_t)pair[2 * i], (uint32_t)pair[2 * i + 1] };
	l->table.v[l->table.n++] = t;
	return true;
}

/* Tables are short and need not be in order: the nearest entry at or before the offset. */
static uint32_t line_at(const struct pv_lines *l, const struct pv_line_table *t, uint64_t offset)
{
	const struct pv_line *best = NULL;
	for (uint32_t i = t->first; i < t->first + t->n; i++) {
		const struct pv_line *at = &l->line.v[i];
		if (at->offset <= offset && (!best || at->offset > best->offset))
			best = at;
	}
	return best ? best->line : 0;
}

uint32_t pv_lines_at(const struct pv_lines *l, uint32_t method, uint64_t offset, uint32_t *ret_file)
{
	uint32_t at = pv_map_get(&l->table_of, method);
	if (at == PV_MAP_NONE)
		return 0;
	*ret_file = l->table.v[at].file;
	return line_at(l, &l->table.v[at], offset);
}

uint32_t pv_lines_start(const struct pv_lines *l, uint32_t method)
{
	uint32_t at = pv_map_get(&l->table_of, method), least = 0;
	const struct pv_line_table *t = at == PV_MAP_NONE ? NULL : &l->table.v[at];
	for (uint32_t i = t ? t->first : 0; t && i < t->first + t->n; i++)
		if (l->line.v[i].line && (!least || l->line.v[i].line < least))
			least = l->line.v[i].line;
	return least;
}
