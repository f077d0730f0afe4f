/* SPDX-License-Identifier: MIT */
/* Names of native functions, from the files that the log names. */
#include "common/model/names/natives.h"

#include <stdio.h>
#include <string.h>

#include "common/base/build_id.h"
#include "common/model/ground/model_parts.h"
#include "common/model/names/names_parts.h"
#include "common/model/names/symbols.h"

enum { PATH = 4096 };

enum { PREFIX = sizeof PV_BUILD_ID - 1 };

bool pv_natives_is_build_id(const struct pv_text *name)
{
	return name->len > PREFIX && memcmp(name->at, PV_BUILD_ID, PREFIX) == 0;
}

static void take_build_id(struct pv_model *m, uint64_t from, const struct pv_text *name)
{
	char hex[2 * PV_BUILD_ID_MAX + 1];
	if (name->len - PREFIX >= sizeof hex)
		return;
	memcpy(hex, name->at + PREFIX, name->len - PREFIX);
	hex[name->len - PREFIX] = 0;
	pv_symbols_build_id(m->private->symbols, from, hex);
}

static bool take_module(
	struct pv_model *m, uint64_t from, uint64_t size, const struct pv_text *name)
{
	char path[PATH];
	if (name->len < 2 || name->len >= PATH || name->at[0] != '/')
		return true;
	memcpy(path, name->at, name->len);
	path[name->len] = 0;
	bool ok = pv_symbols_module(&m->private->symbols, from, size, path);
	pv_symbols_before(m->private->symbols, m->target.start_time_ms);
	return ok;
}

bool pv_natives_apply(struct pv_model *m, const struct pv_event *e)
{
	if (!pv_natives_is_build_id(&e->symbol.name))
		return take_module(m, e->symbol.address, e->symbol.size, &e->symbol.name);
	take_build_id(m, e->symbol.address + 1, &e->symbol.name);
	return true;
}

bool pv_natives_again(struct pv_model *m)
{
	for (size_t i = 0; i < m->notes.native.n; i++) {
		const struct pv_native *n = &m->notes.native.v[i];
		const char *text = pv_intern_text(&m->names.text, n->name);
		const struct pv_text name = { text, strlen(text) };
		if (!n->binary && pv_natives_is_build_id(&name))
			take_build_id(m, n->address + 1, &name);
		else if (!n->binary && !take_module(m, n->address, n->size, &name))
			return false;
	}
	return true;
}

/* "libc.so.6+0x29d90": length of the part in front; 0: the text is a name. */
static size_t file_part(const struct pv_text *name)
{
	size_t n = name->len;
	while (n > 0 && strchr("0123456789abcdef", name->at[n - 1]))
		n--;
	return n > 3 && n < name->len && memcmp(name->at + n - 3, "+0x", 3) == 0 ? n - 3 : 0;
}

size_t pv_natives_name(struct pv_model *m, const struct pv_event *jit, char room[PV_NATIVE_NAME])
{
	struct pv_symbol s;
	size_t file = jit->jit.code ? file_part(&jit->jit.name) : 0;
	if (!file || !m->private->symbols ||
		!pv_symbols_find(m->private->symbols, jit->jit.code, &s))
		return 0;
	int n = snprintf(room, PV_NATIVE_NAME, "%s [%.*s]", s.name, (int)file, jit->jit.name.at);
	return n > 0 && n < PV_NATIVE_NAME ? (size_t)n : 0;
}

/* All addresses of a file without a known function are one row. */
static bool name_unresolved(struct pv_model *m, uint32_t method, const char *file)
{
	char name[PV_NATIVE_NAME];
	int n = snprintf(name, sizeof name, "unresolved in %s", file);
	return n < PV_NATIVE_NAME &&
	       pv_intern_add(&m->names.text, name, (size_t)n, &m->names.method.v[method].name);
}

bool pv_natives_met(struct pv_model *m, uint32_t method)
{
	struct pv_symbol s;
	uint32_t text;
	char name[PV_NATIVE_NAME];
	uint64_t address = m->names.method.v[method].key;
	if (pv_ranges_find(&m->names.functions, address))
		return true;
	uint32_t known = pv_ranges_find(&m->names.symbols, address);
	const char *path = known ? pv_intern_text(&m->names.text, known) : "";
	const char *file = strrchr(path, '/');
	if (*path != '/')
		return true;
	if (!pv_symbols_find(m->private->symbols, address, &s))
		return name_unresolved(m, method, file + 1);
	int n = snprintf(name, sizeof name, "%s [%s]", s.name, file + 1);
	m->names.changes++;
	const struct pv_text better = { name, n > 0 && n < PV_NATIVE_NAME ? (size_t)n : 0 };
	/*
	 * Without a size, the function reaches at least this far; another may begin after the
	 * address.
	 */
	uint64_t size = s.size ? s.size : address - s.start + 1;
	return !better.len || (pv_names_intern(&m->names, &better, &text) &&
				      pv_ranges_add(&m->names.functions, s.start, size, text));
}
