#include "common/model/names/lines.h"

#include "common/model/ground/model_parts.h"
#include "common/model/names/natives.h"

void pv_lines_finish(struct pv_lines *l)
{
	pv_array_finish(&l->table);
	pv_array_finish(&l->line);
	pv_array_finish(&l->hits);
	pv_map_finish(&l->table_of);
	pv_map_finish(&l->hits_of);
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

static bool count(struct pv_lines *l, const struct pv_line_hits *one)
{
	uint64_t key = (uint64_t)one->method << 32 | one->line;
	uint32_t at = pv_map_get(&l->hits_of, key);
	if (at == PV_MAP_NONE && l->hits.n >= PV_LINE_HITS_CAP) {
		l->dropped++;
		return true;
	}
	if (at == PV_MAP_NONE) {
		at = (uint32_t)l->hits.n;
		if (!pv_reserve(&l->hits, 1) || !pv_map_set(&l->hits_of, key, at))
			return false;
		l->hits.v[l->hits.n++] = *one;
	}
	l->hits.v[at].samples++;
	l->samples++;
	return true;
}

bool pv_lines_sampled(struct pv_context *x, uint32_t method, uint64_t address)
{
	struct pv_lines *l = &x->m->lines;
	uint32_t at = l->table.n ? pv_map_get(&l->table_of, method) : PV_MAP_NONE;
	if (at == PV_MAP_NONE && x->m->private->symbols) {
		if (!pv_natives_lines(x->m, method))
			return false;
		at = pv_map_get(&l->table_of, method);
	}
	const struct pv_method *m = &x->m->names.method.v[method];
	if (at == PV_MAP_NONE || address < m->code || address - m->code >= m->code_size)
		return true;
	const struct pv_line_table *t = &l->table.v[at];
	const struct pv_line_hits one = {
		.method = method, .file = t->file, .line = line_at(l, t, address - m->code)
	};
	return one.line == 0 || count(l, &one);
}
