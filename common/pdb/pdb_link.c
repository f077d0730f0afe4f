/* SPDX-License-Identifier: MIT */
/* SourceLink: JSON with a map from paths of sources, or prefixes that end in '*', to addresses. */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "common/pdb/pdb.h"

enum { MOST_JSON = 1 << 20 };

/* cc110556-a091-4d38-9fec-25ab9a351a6a */
static const uint8_t link_kind[PV_PDB_GUID] = { 0x56, 0x05, 0x11, 0xcc, 0x91, 0xa0, 0x38, 0x4d,
	0x9f, 0xec, 0x25, 0xab, 0x9a, 0x35, 0x1a, 0x6a };

struct address {
	char *text;
	size_t n, room;
	bool full;
};

static void put_in_address(struct address *to, const char *text, size_t n)
{
	to->full |= n >= to->room - to->n;
	if (to->full)
		return;
	memcpy(to->text + to->n, text, n);
	to->n += n;
	to->text[to->n] = 0;
}

/* Appends the rest of a path to an address, escaped. */
static void put_path(struct address *to, const char *path)
{
	static const char digits[] = "0123456789ABCDEF";
	for (; *path; path++) {
		const uint8_t b = (uint8_t)*path;
		const char escaped[] = { '%', digits[b >> 4], digits[b & 15] };
		if (b == '\\')
			put_in_address(to, "/", 1);
		else if (b < 0x80 && (isalnum(b) || strchr("-._~/!$&'()*+,;=:@", b)))
			put_in_address(to, path, 1);
		else
			put_in_address(to, escaped, sizeof escaped);
	}
}

/* How well a row of the map fits the path, more is better; 0: not at all. */
static size_t pattern_fits(const char *pattern, const char *path)
{
	const size_t n = strlen(pattern);
	if (n > 0 && pattern[n - 1] == '*')
		return strncasecmp(pattern, path, n - 1) == 0 ? n : 0;
	return strcasecmp(pattern, path) == 0 ? SIZE_MAX : 0;
}

static bool of_the_web(const char *address)
{
	return strncmp(address, "https://", 8) == 0 || strncmp(address, "http://", 7) == 0;
}

static const cJSON *best(const cJSON *map, const char *path)
{
	const cJSON *row, *found = NULL;
	size_t most = 0;
	cJSON_ArrayForEach(row, map)
	{
		const size_t n = row->string ? pattern_fits(row->string, path) : 0;
		if (n > most && cJSON_IsString(row)) {
			most = n;
			found = row;
		}
	}
	return found;
}

static bool write_address(const cJSON *row, const char *path, struct address *to)
{
	const char *text = row->valuestring, *star = strchr(text, '*');
	const size_t before = pattern_fits(row->string, path);
	if (!of_the_web(text))
		return false;
	if (before == SIZE_MAX || !star) {
		put_in_address(to, text, strlen(text));
		return !to->full;
	}
	put_in_address(to, text, (size_t)(star - text));
	put_path(to, path + before - 1);
	put_in_address(to, star + 1, strlen(star + 1));
	return !to->full;
}

bool pv_pdb_source_address(const struct pv_pdb *p, const char *name, char *ret, size_t room)
{
	const struct pv_pdb_bytes b =
		pv_pdb_custom(pv_pdb_tables(p), PV_PDB_OF_MODULE, 1, link_kind);
	struct address to = { .text = ret, .room = room };
	if (b.n == 0 || b.n > MOST_JSON || room == 0)
		return false;
	cJSON *json = cJSON_ParseWithLength((const char *)b.at, b.n);
	const cJSON *row = best(cJSON_GetObjectItem(json, "documents"), name);
	const bool found = row && write_address(row, name, &to);
	cJSON_Delete(json);
	return found;
}
