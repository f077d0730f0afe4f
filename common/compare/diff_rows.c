/* SPDX-License-Identifier: MIT */
/* Finds rows by the key common to both sides. */
#include <string.h>

#include "common/compare/diff_parts.h"
#include "common/compare/match_key.h"

struct text {
	PV_ARRAY(char) v;
};

static bool put_key_text(struct text *to, const char *text)
{
	size_t len = strlen(text);
	if (!pv_reserve(&to->v, len + 1))
		return false;
	memcpy(to->v.v + to->v.n, text, len + 1);
	to->v.n += len;
	return true;
}

/* "Class\nframe\nframe", with canonical names. */
static bool put_key(struct text *key, const char *name, unsigned flags, const char *stack, bool raw)
{
	char room[PV_READABLE_MAX];
	const struct pv_column named = { .unit = PV_UNIT_TEXT, .flags = flags },
			       frame = { .unit = PV_UNIT_TEXT, .flags = PV_COLUMN_METHOD };
	if (raw)
		return put_key_text(key, name) && put_key_text(key, "\n") &&
		       put_key_text(key, stack);
	if (!put_key_text(key, pv_match_key(&named, name, strlen(name), room)))
		return false;
	for (const char *at = stack; *at;) {
		size_t len = strcspn(at, "\n");
		if (!put_key_text(key, "\n") ||
			!put_key_text(key, pv_match_key(&frame, at, len, room)))
			return false;
		at += len + (at[len] == '\n');
	}
	return true;
}

static bool row_of_key(struct pv_diff_rows *r, const struct text *key, uint32_t *ret)
{
	uint32_t id;
	if (!pv_intern_add(&r->key, key->v.v, key->v.n, &id))
		return false;
	while (r->row_of.n <= id) {
		if (!pv_reserve(&r->row_of, 1))
			return false;
		r->row_of.v[r->row_of.n++] = UINT32_MAX;
	}
	if (r->row_of.v[id] == UINT32_MAX) {
		if (!pv_reserve(&r->name, 1))
			return false;
		r->row_of.v[id] = (uint32_t)r->name.n;
		r->name.v[r->name.n++] = (struct pv_diff_name){ .key = id };
	}
	*ret = r->row_of.v[id];
	return true;
}

bool pv_diff_row(struct pv_diff *d, enum pv_diff_list list, const char *name, const char *stack,
	uint32_t *ret)
{
	struct text key = { 0 };
	bool ok = put_key(&key, name, pv_diff_sources[list].flags, stack, d->options->raw_names) &&
		  row_of_key(&d->rows[list], &key, ret);
	pv_array_finish(&key.v);
	return ok;
}
