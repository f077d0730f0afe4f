/* SPDX-License-Identifier: MIT */
/* Reads source files, and maps paths of the build machine to paths on this machine. */
#include "common/query/source_text.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/system/small_file.h"

/* --- maps */

static bool split_map(const char *text, struct pv_source_map *ret)
{
	const char *equals = strchr(text, '=');
	size_t from = equals ? (size_t)(equals - text) : 0, to = equals ? strlen(equals + 1) : 0;
	if (from == 0 || to == 0 || from >= sizeof ret->from || to >= sizeof ret->to)
		return false;
	while (from > 1 && text[from - 1] == '/')
		from--;
	memcpy(ret->from, text, from);
	ret->from[from] = 0;
	memcpy(ret->to, equals + 1, to + 1);
	while (to > 1 && ret->to[to - 1] == '/')
		ret->to[--to] = 0;
	return true;
}

bool pv_source_map_is(const char *text)
{
	struct pv_source_map map;
	return split_map(text, &map);
}

bool pv_source_maps_add(struct pv_source_maps *maps, const char *text)
{
	if (maps->n == PV_SOURCE_MAPS || !split_map(text, &maps->map[maps->n]))
		return false;
	maps->n++;
	return true;
}

/* The rest of a path below a folder, with a slash in front or empty; NULL: not below. */
static const char *path_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);
	if (strncmp(path, folder, n) != 0)
		return NULL;
	if (n == 1 && folder[0] == '/')
		return path;
	return path[n] == 0 || path[n] == '/' ? path + n : NULL;
}

bool pv_source_place(const char *path, const struct pv_source_maps *maps, char *ret, size_t size)
{
	int n = -1;
	for (size_t i = 0; maps && i < maps->n && n < 0; i++) {
		const char *rest = path_below(path, maps->map[i].from);
		if (rest)
			n = snprintf(ret, size, "%s%s%s", maps->map[i].to,
				*rest && *rest != '/' ? "/" : "", rest);
	}
	if (n < 0)
		n = snprintf(ret, size, "%s", path);
	return n >= 0 && (size_t)n < size;
}

/* --- text */

enum { TAB = 4 };

/* Bytes with tabs as blanks, and a 0 after all *ret_len. NULL: out of memory. */
static char *without_tabs(const char *text, size_t len, size_t *ret_len)
{
	size_t tabs = 0, column = 0;
	for (size_t i = 0; i < len; i++)
		tabs += text[i] == '\t';
	char *to = malloc(len + tabs * (TAB - 1) + 1), *at = to;
	for (size_t i = 0; to && i < len; i++) {
		const size_t blanks = text[i] == '\t' ? TAB - column % TAB : 0;
		memset(at, ' ', blanks);
		at += blanks;
		if (!blanks)
			*at++ = text[i];
		column = text[i] == '\n' ? 0 : column + (blanks ? blanks : 1);
	}
	if (to)
		*at = 0;
	*ret_len = (size_t)(at - to);
	return to;
}

/* Finds the lines of t->text; a line with a byte 0 ends there. False: out of memory. */
static bool cut_lines(struct pv_source_text *t, size_t len)
{
	PV_ARRAY(const char *) line = { 0 };
	char *at = t->text, *end = t->text + len;
	bool ok = true;
	while (ok && at < end && line.n < PV_SOURCE_LINES) {
		char *stop = memchr(at, '\n', (size_t)(end - at));
		stop = stop ? stop : end;
		ok = pv_reserve(&line, 1);
		if (ok)
			line.v[line.n++] = at;
		*stop = 0;
		if (stop > at && stop[-1] == '\r')
			stop[-1] = 0;
		at = stop + 1;
	}
	t->cut = at < end;
	t->line = line.v;
	t->lines = line.n;
	return ok;
}

bool pv_source_text_read(const char *path, const struct pv_source_maps *maps,
	enum pv_checksum algorithm, struct pv_source_text *ret)
{
	struct pv_error e = { 0 };
	size_t len;
	*ret = (struct pv_source_text){ .algorithm = algorithm };
	if (!pv_source_place(path, maps, ret->path, sizeof ret->path)) {
		ret->why = "its path is too long";
		return true;
	}
	char *text = pv_small_file_dated(ret->path, PV_SOURCE_MOST, &len, &ret->changed_s, &e);
	if (!text) {
		snprintf(ret->said, sizeof ret->said, "%s", e.what);
		ret->why = ret->said;
		return e.code != PV_ENOMEM;
	}
	bool ok = pv_source_text_set(ret, text, len);
	free(text);
	return ok;
}

static void take_hash(struct pv_source_text *t, const char *text, size_t len)
{
	switch (t->algorithm) {
	case PV_CHECKSUM_MD5:
		pv_md5(text, len, t->hash);
		return;
	case PV_CHECKSUM_SHA1:
		pv_sha1(text, len, t->hash);
		return;
	case PV_CHECKSUM_SHA256:
		crypto_hash_sha256(t->hash, (const unsigned char *)text, len);
		return;
	case PV_CHECKSUM_NONE:
		return;
	}
}

/* Skips the byte order mark of UTF-8. */
bool pv_source_text_set(struct pv_source_text *t, const char *text, size_t len)
{
	size_t mark = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	take_hash(t, text, len);
	free(t->text);
	free(t->line);
	t->line = NULL;
	t->lines = 0;
	t->why = NULL;
	t->text = without_tabs(text + mark, len - mark, &len);
	return t->text && cut_lines(t, len);
}

void pv_source_text_finish(struct pv_source_text *t)
{
	free(t->text);
	free(t->line);
	*t = (struct pv_source_text){ 0 };
}
