/* SPDX-License-Identifier: MIT */
/* Lines of native addresses, remembered by address. */
#include "common/model/names/place_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/ground/model_parts.h"
#include "common/model/names/inline_frames.h"
#include "common/model/names/symbols.h"

_Static_assert((int)PV_LINES_AT_PLACE == (int)PV_INLINED_DEPTH + 1, "all of an address");

struct pv_place_lines {
	struct pv_map of; /* address -> index in line, of an entry with the count */
	PV_ARRAY(struct pv_line_at) line;
	uint64_t generation; /* of the files with the lines */
};

/* Index 0 is of addresses without lines. */
static bool place_lines_begin(struct pv_place_lines *l, uint64_t generation)
{
	l->generation = generation;
	pv_map_clear(&l->of);
	l->line.n = 0;
	if (!pv_reserve(&l->line, 1))
		return false;
	l->line.v[l->line.n++] = (struct pv_line_at){ 0 };
	return true;
}

/* "/a/b" and "../c/d" give "/a/c/d", as an absolute path is shown, mapped and opened. */
static void path_join(const char *folder, const char *file, char *ret, size_t size)
{
	size_t n = 0;
	const char *part[] = { file[0] == '/' ? "" : folder, file };
	ret[0] = 0;
	for (size_t i = 0; i < 2; i++) {
		for (const char *at = part[i]; *at;) {
			at += strspn(at, "/");
			size_t len = strcspn(at, "/");
			if (len == 2 && at[0] == '.' && at[1] == '.') {
				while (n > 0 && ret[--n] != '/')
					continue;
			} else if (len > 1 || (len == 1 && at[0] != '.')) {
				n += (size_t)snprintf(ret + n, size - n, "/%.*s", (int)len, at);
				n = n < size ? n : size - 1;
			}
			ret[n] = 0;
			at += len;
		}
	}
}

/* False: out of memory. */
static bool path_add(struct pv_model *m, const struct pv_source_line *at, uint32_t *ret_id)
{
	char path[PV_INTERN_MOST];
	const char *whole = at->file;
	if (at->file[0] == '/' || (at->folder && at->folder[0] == '/')) {
		path_join(at->folder, at->file, path, sizeof path);
		whole = path;
	}
	return pv_intern_add(&m->names.text, whole, strlen(whole), ret_id);
}

static uint32_t place_lines_look_up(struct pv_model *m, struct pv_place_lines *l, uint64_t address)
{
	struct pv_source_line at[PV_LINES_AT_PLACE];
	size_t inlined = 0, n = pv_symbols_lines(m->private->symbols, address, at);
	m->names.unlined += !pv_symbols_lines_all(m->private->symbols);
	if (n == 0)
		return pv_map_set(&l->of, address, 0) ? 0 : PV_MAP_NONE;
	const uint32_t *ids = n > 1 ? pv_inline_frames_at(m, address, &inlined) : NULL;
	uint32_t to = (uint32_t)l->line.n;
	if ((n > 1 && !ids) || !pv_reserve(&l->line, 1 + n))
		return PV_MAP_NONE;
	l->line.v[l->line.n++] = (struct pv_line_at){ .line = (uint32_t)n };
	for (size_t i = n; i-- > 0;) {
		struct pv_line_at *one = &l->line.v[l->line.n++];
		*one = (struct pv_line_at){ .line = at[i].file ? at[i].line : 0,
			.method = i > 0 && i <= inlined ? ids[i - 1] : 0,
			.start = at[i].start };
		if (one->line && !path_add(m, &at[i], &one->file))
			return PV_MAP_NONE;
	}
	return pv_map_set(&l->of, address, to) ? to : PV_MAP_NONE;
}

const struct pv_line_at *pv_place_lines_native(struct pv_model *m, uint64_t address, size_t *ret_n)
{
	struct pv_model_private *p = m->private;
	*ret_n = 0;
	if (!p->place_lines)
		p->place_lines = calloc(1, sizeof *p->place_lines);
	struct pv_place_lines *l = p->place_lines;
	uint64_t now = pv_symbols_generation(p->symbols);
	if (!l || ((!l->line.n || l->generation != now) && !place_lines_begin(l, now)))
		return NULL;
	if (!p->symbols)
		return l->line.v;
	uint32_t at = pv_map_get(&l->of, address);
	if (at == PV_MAP_NONE)
		at = place_lines_look_up(m, l, address);
	if (at == PV_MAP_NONE)
		return NULL;
	*ret_n = l->line.v[at].line;
	return &l->line.v[at + (*ret_n > 0)];
}

bool pv_place_code(struct pv_model *m, uint64_t address, struct pv_native_code *ret)
{
	struct pv_symbols *s = m->private->symbols;
	struct pv_symbol is;
	const char *path;
	if (!pv_symbols_find(s, address, &is) || !is.size ||
		!pv_symbols_file(s, is.start, &path, &ret->in_file) ||
		strlen(path) >= sizeof ret->path)
		return false;
	ret->start = is.start;
	ret->size = is.size;
	snprintf(ret->name, sizeof ret->name, "%s", is.name);
	snprintf(ret->path, sizeof ret->path, "%s", path);
	return true;
}

bool pv_place_lines_any(const struct pv_model *m)
{
	return m->private->symbols;
}

void pv_place_lines_free(struct pv_place_lines *l)
{
	if (!l)
		return;
	pv_map_finish(&l->of);
	pv_array_finish(&l->line);
	free(l);
}
