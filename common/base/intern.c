/* SPDX-License-Identifier: MIT */
/* Interned strings: adding, finding, and the short form of texts too long. */
#include "common/base/intern.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t hash_text(const char *text, size_t len)
{
	enum { PART = 7 }; /* bytes */
	uint64_t h = len, part = 0;
	for (; len > PART; text += PART, len -= PART) {
		memcpy(&part, text, PART);
		h = pv_hash_part(h, part);
	}
	part = 0;
	memcpy(&part, text, len);
	return pv_hash_part(h, part);
}

static bool is_same_text(const char *known, const char *text, size_t len)
{
	return strncmp(known, text, len) == 0 && known[len] == 0;
}

/* A hash equal in every process, for people and for matching two logs. */
static uint64_t stable_hash(const char *text, size_t len)
{
	uint64_t h = len;
	for (size_t i = 0; i < len; i++)
		h = (h ^ (uint8_t)text[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ h >> 29;
	return h ^ h >> 32;
}

static bool inside_character(char c)
{
	return ((uint8_t)c & 0xc0) == 0x80;
}

/*
 * Writes the kept form of a text longer than `most` to `to`, with room for `most`; returns the
 * length.
 */
static size_t cut_long(char *to, size_t most, const char *text, size_t len)
{
	enum { MARK = 64 }; /* bytes of what stands between beginning and end, at most */
	size_t end = (most - MARK) / 4, begin = most - MARK - end;
	const char *tail = text + len - end;
	while (begin > 0 && inside_character(text[begin]))
		begin--;
	while (end > 0 && inside_character(*tail))
		tail++, end--;
	memcpy(to, text, begin);
	int mark = snprintf(
		to + begin, MARK, "…(%zu bytes, %016" PRIx64 ")…", len, stable_hash(text, len));
	memcpy(to + begin + mark, tail, end);
	return begin + (size_t)mark + end;
}

static size_t known_length(const char *text, size_t len)
{
	const char *nul = len ? memchr(text, 0, len) : NULL;
	return nul ? (size_t)(nul - text) : len;
}

bool pv_intern_is(const struct pv_intern *in, uint32_t id, const char *text, size_t len)
{
	char kept[PV_INTERN_MOST];
	const char *known = pv_intern_text(in, id);
	len = known_length(text, len);
	if (is_same_text(known, text, len))
		return true;
	if (len > PV_INTERN_MOST &&
		is_same_text(known, kept, cut_long(kept, sizeof kept, text, len)))
		return true;
	return len > PV_INTERN_LESS &&
	       is_same_text(known, kept, cut_long(kept, PV_INTERN_LESS, text, len));
}

/* 0: not known. */
static uint32_t find_interned(const struct pv_intern *in, uint64_t h, const char *text, size_t len)
{
	uint32_t id = pv_map_get(&in->heads, h);
	for (id = id == PV_MAP_NONE ? 0 : id; id; id = in->next.v[id])
		if (is_same_text(in->text.v[id], text, len))
			break;
	return id;
}

static bool add_empty(struct pv_intern *in)
{
	if (!pv_reserve(&in->text, 1) || !pv_reserve(&in->next, 1))
		return false;
	in->text.v[in->text.n++] = "";
	in->next.v[in->next.n++] = 0;
	return true;
}

/* Whether a text is in kept form already, as decoders store their own texts. */
static bool is_kept_form(const char *text, size_t len)
{
	enum { ROUND = 16 }; /* bytes that characters and numbers may save */
	return len > PV_INTERN_MOST - 64 - ROUND && strstr(text, " bytes, ") && strstr(text, ")…");
}

/* The id of a text that is short enough. */
static bool add_short(
	struct pv_intern *in, const char *text, size_t len, bool is_cut, uint32_t *ret_id)
{
	uint64_t h = hash_text(text, len);
	*ret_id = find_interned(in, h, text, len);
	if (*ret_id)
		return true;
	if (in->arena.bytes >= PV_INTERN_MUCH && len > PV_INTERN_LESS) {
		char kept[PV_INTERN_LESS];
		return add_short(in, kept, cut_long(kept, sizeof kept, text, len), true, ret_id);
	}
	if (!pv_reserve(&in->text, 1) || !pv_reserve(&in->next, 1))
		return false;
	char *copy = pv_arena_copy(&in->arena, text, len);
	uint32_t id = (uint32_t)in->text.n, head = pv_map_get(&in->heads, h);
	if (!copy || id == PV_MAP_NONE || !pv_map_set(&in->heads, h, id))
		return false;
	in->text.v[in->text.n++] = copy;
	in->next.v[in->next.n++] = head == PV_MAP_NONE ? 0 : head;
	in->cut += is_cut || is_kept_form(copy, len);
	*ret_id = id;
	return true;
}

static bool add_long(struct pv_intern *in, const char *text, size_t len, uint32_t *ret_id)
{
	char kept[PV_INTERN_MOST];
	return add_short(in, kept, cut_long(kept, sizeof kept, text, len), true, ret_id);
}

bool pv_intern_add(struct pv_intern *in, const char *text, size_t len, uint32_t *ret_id)
{
	*ret_id = 0;
	len = known_length(text, len);
	if (len == 0)
		return true;
	if (in->text.n == 0 && !add_empty(in))
		return false;
	return len > PV_INTERN_MOST ? add_long(in, text, len, ret_id)
				    : add_short(in, text, len, false, ret_id);
}

bool pv_intern_link(struct pv_intern *in)
{
	in->next.n = 0;
	if (!pv_map_make(&in->heads, in->text.n) || !pv_reserve(&in->next, in->text.n))
		return false;
	for (uint32_t id = 0; id < in->text.n; id++) {
		uint64_t h = hash_text(in->text.v[id], strlen(in->text.v[id]));
		uint32_t head = id ? pv_map_get(&in->heads, h) : 0;
		in->next.v[in->next.n++] = head == PV_MAP_NONE ? 0 : head;
		if (id && !pv_map_set(&in->heads, h, id))
			return false;
	}
	return true;
}

const char *pv_intern_text(const struct pv_intern *in, uint32_t id)
{
	return id < in->text.n ? in->text.v[id] : "";
}

void pv_intern_finish(struct pv_intern *in)
{
	pv_arena_finish(&in->arena);
	pv_array_finish(&in->text);
	pv_array_finish(&in->next);
	pv_map_finish(&in->heads);
}
