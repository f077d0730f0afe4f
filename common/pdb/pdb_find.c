/* SPDX-License-Identifier: MIT */
/* Finds the PDB of a module in all usual places. */
#include "common/pdb/pdb_find.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/system/small_file.h"
#include "common/base/utf8.h"
#include "common/pdb/pdb_image.h"

enum { PATH = 4096 };

struct search {
	const struct pv_pdb_image *image;
	struct pv_pdb *found;
	struct pv_error why; /* of the first unusable PDB found */
};

/* The last part of a path, of Windows or this system. */
static const char *last_part(const char *path)
{
	const char *name = path;
	for (; *path; path++)
		if (*path == '/' || *path == '\\')
			name = path + 1;
	return name;
}

static struct pv_pdb *of_this_build(
	uint8_t *bytes, size_t n, const struct pv_pdb_image *image, struct pv_error *reterr)
{
	struct pv_pdb *p = pv_pdb_open(bytes, n, reterr);
	if (!p || memcmp(pv_pdb_tables(p)->id, image->id, PV_PDB_ID) == 0)
		return p;
	pv_fail(reterr, PV_EBUSY, 0, "it is of another build");
	pv_pdb_close(p);
	return NULL;
}

static void explain(struct search *s, const char *path, const struct pv_error *e)
{
	if (s->why.code == PV_OK)
		pv_fail(&s->why, e->code, 0, "%s: %s", path, e->what);
}

static void try(struct search *s, const char *path)
{
	struct pv_error e = { .code = PV_OK };
	size_t n;
	if (s->found || access(path, F_OK) != 0)
		return;
	uint8_t *bytes = (uint8_t *)pv_small_file(path, PV_PDB_MOST, &n, &e);
	if (bytes)
		s->found = of_this_build(bytes, n, s->image, &e);
	if (!s->found)
		explain(s, path, &e);
}

static void try_in(struct search *s, const char *folder, size_t len, const char *name)
{
	char path[PATH];
	const int n = snprintf(path, sizeof path, "%.*s%s", (int)len, folder, name);
	if (n > 0 && (size_t)n < sizeof path)
		try(s, path);
}

static void try_next_to(struct search *s, const char *module, const char *name)
{
	const char *slash = strrchr(module, '/'), *own = slash ? slash + 1 : module;
	const char *dot = strrchr(own, '.');
	const size_t folder = (size_t)(own - module);
	try_in(s, module, folder, name);
	try_in(s, module, dot ? (size_t)(dot - module) : strlen(module), ".pdb");
}

/* The GUID in its written form: the first three parts are little-endian. */
static void write_guid(const uint8_t *g, char to[33])
{
	static const uint8_t order[PV_PDB_GUID] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13,
		14, 15 };
	for (size_t i = 0; i < PV_PDB_GUID; i++)
		snprintf(to + 2 * i, 3, "%02X", g[order[i]]);
}

static void try_symbols(struct search *s, const char *folder, const char *name)
{
	char guid[33], rest[2 * PATH + sizeof guid + 16];
	write_guid(s->image->id, guid);
	snprintf(rest, sizeof rest, "/%s", name);
	try_in(s, folder, strlen(folder), rest);
	const int n = snprintf(rest, sizeof rest, "/%s/%sffffffff/%s", name, guid, name);
	if (n > 0 && (size_t)n < sizeof rest)
		try_in(s, folder, strlen(folder), rest);
}

static void try_within(struct search *s, const char *module)
{
	struct pv_error e = { .code = PV_OK };
	size_t n;
	if (s->image->packed == 0)
		return;
	uint8_t *bytes = pv_pdb_embedded(module, s->image, &n, &e);
	if (bytes)
		s->found = of_this_build(bytes, n, s->image, &e);
	if (!s->found)
		explain(s, module, &e);
}

struct pv_pdb *pv_pdb_find(const char *module, const char *symbols, struct pv_error *reterr)
{
	struct pv_pdb_image image;
	struct search s = { .image = &image };
	if (!pv_pdb_image(module, &image, reterr))
		return NULL;
	const char *name = last_part(image.path);
	if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
		pv_fail(reterr, PV_EIO, 0, "%s names no PDB", last_part(module));
		return NULL;
	}
	try_within(&s, module);
	try_next_to(&s, module, name);
	if (image.path[0] == '/')
		try(&s, image.path);
	if (symbols)
		try_symbols(&s, symbols, name);
	if (!s.found && s.why.code == PV_OK)
		pv_fail(&s.why, PV_EIO, 0, "%s has no PDB here (%s)", last_part(module), name);
	if (!s.found && reterr)
		*reterr = s.why;
	return s.found;
}
