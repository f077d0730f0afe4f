/* SPDX-License-Identifier: MIT */
/* Makes methods of inlined functions, and remembers them by address. */
#include "common/model/names/inline_frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/ground/model_parts.h"
#include "common/model/names/names_parts.h"
#include "common/model/names/natives.h"
#include "common/model/names/symbols.h"

/*
 * Key of an inlined function. No address of any machine begins so. Then come the file's and the
 * function's names as interned: a function inlined in two files is code of each.
 */
static uint64_t inline_key(uint32_t file, uint32_t name)
{
	return UINT64_C(0x7fff) << 48 | (uint64_t)(file & UINT16_MAX) << 32 | name;
}

/* 0: out of memory. */
static uint32_t method_of(
	struct pv_model *m, const char *symbol, const char *path, uint64_t address)
{
	char name[PV_NATIVE_NAME];
	uint32_t file, text;
	int n = snprintf(name, sizeof name, "%.4000s%s", symbol, PV_INLINED);
	const struct pv_text whole = { name, n > 0 ? (size_t)n : 0 };
	if (!pv_intern_add(&m->names.text, path, strlen(path), &file) ||
		!pv_names_intern(&m->names, &whole, &text))
		return 0;
	uint64_t key = inline_key(file, text);
	uint32_t id = pv_model_method(m, key);
	if (!id || m->names.method.v[id].name)
		return id;
	if (!pv_names_name_method(&m->names, key, &whole, m->private->use_ns))
		return 0;
	m->names.method.v[id].code = address; /* for the file's name */
	return id;
}

/*
 * Remembers the functions at an address, and returns the index in ids; PV_MAP_NONE: out of memory.
 */
static uint32_t look_up_inlined(struct pv_model *m, struct pv_inline_frames *f, uint64_t address)
{
	const char *names[PV_INLINED_DEPTH], *path;
	size_t n = pv_symbols_inlined(m->private->symbols, address, names, &path);
	m->names.uninlined += !pv_symbols_inlined_all(m->private->symbols);
	uint32_t at = (uint32_t)f->ids.n;
	if (!pv_reserve(&f->ids, 1 + n))
		return PV_MAP_NONE;
	if (n == 0)
		return pv_map_set(&f->of, address, 0) ? 0 : PV_MAP_NONE;
	for (size_t i = 0; i < n; i++) {
		uint32_t id = method_of(m, names[i], path, address);
		if (!id)
			return PV_MAP_NONE;
		f->ids.v[at + 1 + i] = id;
	}
	f->ids.v[at] = (uint32_t)n;
	f->ids.n += 1 + n;
	return pv_map_set(&f->of, address, at) ? at : PV_MAP_NONE;
}

/* Index 0 is for addresses without inlined functions. */
static bool begin_generation(struct pv_inline_frames *f, uint64_t generation)
{
	f->generation = generation;
	pv_map_clear(&f->of);
	f->ids.n = 0;
	if (!pv_reserve(&f->ids, 1))
		return false;
	f->ids.v[f->ids.n++] = 0;
	return true;
}

const uint32_t *pv_inline_frames_at(struct pv_model *m, uint64_t address, size_t *ret_n)
{
	struct pv_model_private *p = m->private;
	if (!p->inlined)
		p->inlined = calloc(1, sizeof *p->inlined);
	struct pv_inline_frames *f = p->inlined;
	if (!f)
		return NULL;
	uint64_t now = pv_symbols_generation(m->private->symbols);
	if ((!f->ids.n || f->generation != now) && !begin_generation(f, now))
		return NULL;
	uint32_t at = pv_map_get(&f->of, address);
	if (at == PV_MAP_NONE && f->of.n >= PV_INLINE_ADDRESSES) {
		m->names.uninlined++;
		at = 0;
	}
	if (at == PV_MAP_NONE)
		at = look_up_inlined(m, f, address);
	if (at == PV_MAP_NONE)
		return NULL;
	*ret_n = f->ids.v[at];
	return &f->ids.v[at + 1];
}

void pv_inline_frames_free(struct pv_inline_frames *f)
{
	if (!f)
		return;
	pv_map_finish(&f->of);
	pv_array_finish(&f->ids);
	free(f);
}
