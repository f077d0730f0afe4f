#include "common/report/json_row.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/showable.h"
#include "common/base/units.h"
#include "common/report/lists.h"

/* --- values --- */

cJSON *pv_json_text(const char *text)
{
	char *json = pv_showable_json(text ? text : "", text ? strlen(text) : 0);
	cJSON *item = json ? cJSON_CreateRaw(json) : NULL;
	free(json);
	return item;
}

cJSON *pv_json_unsigned(uint64_t v)
{
	char text[24];
	snprintf(text, sizeof text, "%" PRIu64, v);
	return cJSON_CreateRaw(text);
}

static cJSON *signed_item(int64_t v)
{
	char text[24];
	snprintf(text, sizeof text, "%" PRId64, v);
	return cJSON_CreateRaw(text);
}

cJSON *pv_json_address(uint64_t v)
{
	char text[PV_UNIT_MAX];
	return cJSON_CreateString(pv_units_hex(text, v));
}

static cJSON *double_item(double v)
{
	char text[40];
	if (!isfinite(v))
		return cJSON_CreateNull();
	if (v == floor(v) && fabs(v) < 1e18)
		snprintf(text, sizeof text, "%.0f", v);
	else
		snprintf(text, sizeof text, "%.17g", v);
	return cJSON_CreateRaw(text);
}

/* Frames of a stack, one string each; or whole numbers. */
static cJSON *list_item(const char *list, bool numbers)
{
	cJSON *array = cJSON_CreateArray();
	char *copy = strdup(list ? list : "");
	bool ok = array && copy;
	for (char *at = copy; ok && *at;) {
		size_t len = strcspn(at, "\n");
		bool more = at[len] == '\n';
		at[len] = 0;
		cJSON *frame = numbers ? cJSON_CreateRaw(at) : pv_json_text(at);
		ok = frame && cJSON_AddItemToArray(array, frame);
		at += len + more;
	}
	free(copy);
	if (ok)
		return array;
	cJSON_Delete(array);
	return NULL;
}

cJSON *pv_json_cell(const struct pv_cell *c, const struct pv_column *column)
{
	if (c->state != PV_CELL_VALUE)
		return cJSON_CreateNull();
	if (column->flags & PV_COLUMN_NUMBERS)
		return list_item(c->s, true);
	switch (column->unit) {
	case PV_UNIT_TEXT:
		return pv_json_text(c->s);
	case PV_UNIT_LIST:
		return list_item(c->s, false);
	case PV_UNIT_ADDRESS:
	case PV_UNIT_THREAD:
		return pv_json_address(c->u);
	case PV_UNIT_BOOL:
		return cJSON_CreateBool(c->u != 0);
	case PV_UNIT_COUNT:
	case PV_UNIT_EXACT:
	case PV_UNIT_BYTES:
		return pv_json_unsigned(c->u);
	case PV_UNIT_PERCENT:
	case PV_UNIT_NUMBER:
		return double_item(c->d);
	default:
		return signed_item(c->i);
	}
}

/* --- rows --- */

void pv_json_rows_begin(struct pv_json_rows *r, const struct pv_table *t, const char *const *key)
{
	*r = (struct pv_json_rows){ .table = t, .key = key, .named = -1 };
	bool objects = false;
	for (size_t k = 0; k < PV_MAX_KEYS && key[k]; k++) {
		r->column[k] = pv_table_column(t, key[k]);
		const struct pv_column *c = &t->column[r->column[k]];
		objects = objects || (c->unit == PV_UNIT_ADDRESS && strcmp(c->id, "address") == 0);
		if (r->named < 0 && c->unit == PV_UNIT_TEXT && pv_column_has_names(c))
			r->named = (int)k;
	}
	if (objects)
		r->named = -1;
}

void pv_json_rows_finish(struct pv_json_rows *r)
{
	pv_array_finish(&r->text);
	pv_frames_finish(&r->frames);
	pv_intern_finish(&r->names);
	pv_array_finish(&r->forms);
	pv_arena_finish(&r->arena);
}

static bool put(struct pv_json_rows *r, const char *text, size_t len)
{
	if (!pv_reserve(&r->text, len))
		return false;
	memcpy(r->text.v + r->text.n, text, len);
	r->text.n += len;
	return true;
}

static bool put_word(struct pv_json_rows *r, const char *word)
{
	return put(r, word, strlen(word));
}

static bool put_unsigned(struct pv_json_rows *r, uint64_t v)
{
	char text[20], *at = text + sizeof text;
	do
		*--at = (char)('0' + v % 10);
	while ((v /= 10) > 0);
	return put(r, at, (size_t)(text + sizeof text - at));
}

static bool put_signed(struct pv_json_rows *r, int64_t v)
{
	if (v >= 0)
		return put_unsigned(r, (uint64_t)v);
	return put(r, "-", 1) && put_unsigned(r, 0 - (uint64_t)v);
}

/* As it is, if it may stand so between quotes. */
static bool is_plain(const char *text, size_t *ret_len)
{
	size_t n = 0;
	for (; text[n]; n++) {
		unsigned char c = (unsigned char)text[n];
		if (c < ' ' || c > '~' || c == '"' || c == '\\')
			return false;
	}
	*ret_len = n;
	return true;
}

static bool put_text(struct pv_json_rows *r, const char *text)
{
	size_t len;
	if (is_plain(text, &len))
		return put(r, "\"", 1) && put(r, text, len) && put(r, "\"", 1);
	char *json = pv_showable_json(text, strlen(text));
	bool ok = json && put_word(r, json);
	free(json);
	return ok;
}

static bool put_made(
	struct pv_json_rows *r, const struct pv_cell *c, const struct pv_column *column)
{
	cJSON *item = pv_json_cell(c, column);
	char *text = item ? cJSON_PrintUnformatted(item) : NULL;
	bool ok = text && put_word(r, text);
	cJSON_free(text);
	cJSON_Delete(item);
	return ok;
}

static bool put_cell(
	struct pv_json_rows *r, const struct pv_cell *c, const struct pv_column *column)
{
	if (c->state != PV_CELL_VALUE)
		return put_word(r, "null");
	if (column->flags & PV_COLUMN_NUMBERS)
		return put_made(r, c, column);
	switch (column->unit) {
	case PV_UNIT_TEXT:
		return put_text(r, c->s ? c->s : "");
	case PV_UNIT_COUNT:
	case PV_UNIT_EXACT:
	case PV_UNIT_BYTES:
		return put_unsigned(r, c->u);
	case PV_UNIT_NS:
	case PV_UNIT_TIME:
	case PV_UNIT_DELTA_COUNT:
	case PV_UNIT_DELTA_BYTES:
		return put_signed(r, c->i);
	default:
		break;
	}
	return put_made(r, c, column);
}

static bool make_forms(struct pv_json_rows *r, const char *name, const struct pv_column *column)
{
	char room[PV_READABLE_MAX];
	return put_word(r, ",\"readable\":") &&
	       put_text(r, pv_readable_text(column, name, PV_NAME_READABLE, room)) &&
	       put_word(r, ",\"canonical\":") &&
	       put_text(r, pv_readable_text(column, name, PV_NAME_CANONICAL, room));
}

/* The name's other two forms; a call tree has a name in many rows, so they are made once. */
static bool put_forms(
	struct pv_json_rows *r, const struct pv_cell *c, const struct pv_column *column)
{
	uint32_t id;
	if (c->state != PV_CELL_VALUE)
		return put_word(r, ",\"readable\":null,\"canonical\":null");
	if (!pv_intern_add(&r->names, c->s, strlen(c->s), &id))
		return false;
	if (id < r->forms.n && r->forms.v[id])
		return put_word(r, r->forms.v[id]);
	size_t before = r->text.n, more = id < r->forms.n ? 0 : id + 1 - r->forms.n;
	if (!make_forms(r, c->s, column) || !pv_reserve(&r->forms, more))
		return false;
	while (r->forms.n <= id)
		r->forms.v[r->forms.n++] = NULL;
	r->forms.v[id] = pv_arena_copy(&r->arena, r->text.v + before, r->text.n - before);
	return r->forms.v[id] != NULL;
}

static bool put_frames(
	struct pv_json_rows *r, const struct pv_cell *c, const struct pv_column *column)
{
	bool ok = put_word(r, ",\"readable_stack\":");
	if (c->state != PV_CELL_VALUE)
		return ok && put_word(r, "null");
	const char *lead = "[";
	for (const char *at = c->s; ok && *at; lead = ",") {
		size_t len = strcspn(at, "\n");
		const char *text = pv_frames_text(&r->frames, column, at, len);
		ok = text && put_word(r, lead) && put_text(r, text);
		at += len + (at[len] == '\n');
	}
	return ok && put_word(r, *c->s ? "]" : "[]");
}

static bool put_names(struct pv_json_rows *r, int key, const struct pv_cell *c)
{
	const struct pv_column *column = &r->table->column[r->column[key]];
	if (key == r->named)
		return put_forms(r, c, column);
	return column->unit != PV_UNIT_LIST || !pv_column_has_names(column) ||
	       put_frames(r, c, column);
}

bool pv_json_row(struct pv_json_rows *r, const char *lead, size_t i, FILE *out)
{
	const struct pv_table *t = r->table;
	r->text.n = 0;
	bool ok = put_word(r, lead);
	for (size_t k = 0; ok && k < PV_MAX_KEYS && r->key[k]; k++) {
		const struct pv_cell *c = &t->row[i].cell[r->column[k]];
		bool first = r->text.v[r->text.n - 1] == '{';
		ok = put_word(r, first ? "\"" : ",\"") && put_word(r, r->key[k]) &&
		     put(r, "\":", 2) && put_cell(r, c, &t->column[r->column[k]]) &&
		     put_names(r, (int)k, c);
	}
	if (ok)
		fwrite(r->text.v, 1, r->text.n, out);
	return ok;
}

bool pv_list_json(FILE *out, const struct pv_table *t, const char *const *key)
{
	struct pv_json_rows rows;
	pv_json_rows_begin(&rows, t, key);
	bool ok = true;
	for (size_t i = 0; ok && i < t->rows; i++) {
		fputs(i ? ",\n    " : "[\n    ", out);
		ok = pv_json_row(&rows, "{", i, out);
		fputs("}", out);
	}
	fputs(t->rows ? "\n  ]" : "[]", out);
	pv_json_rows_finish(&rows);
	return ok;
}
