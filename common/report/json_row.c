/* SPDX-License-Identifier: MIT */
/* Values and rows of a report as JSON text. */
#include "common/report/json_row.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/showable.h"
#include "common/base/text/units.h"
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

/* Makes each key's text between two members. */
static bool put_heads(struct pv_json_rows *r)
{
	for (size_t k = 0; k < PV_MAX_KEYS && r->key[k]; k++) {
		const size_t len = strlen(r->key[k]);
		if (!pv_reserve(&r->heads, len + 4))
			return false;
		char *to = r->heads.v + r->heads.n;
		memcpy(to, ",\"", 2);
		memcpy(to + 2, r->key[k], len);
		memcpy(to + 2 + len, "\":", 2);
		r->heads.n += len + 4;
		r->head_end[k] = r->heads.n;
	}
	return true;
}

bool pv_json_rows_begin(struct pv_json_rows *r, const struct pv_table *t, const char *const *key,
	struct pv_json_names *names)
{
	*r = (struct pv_json_rows){ .table = t, .names = names, .key = key, .named = -1 };
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
	return put_heads(r);
}

void pv_json_rows_finish(struct pv_json_rows *r)
{
	pv_array_finish(&r->text);
	pv_array_finish(&r->heads);
	pv_map_finish(&r->met);
}

static void finish_forms(struct pv_json_forms *f)
{
	pv_intern_finish(&f->names);
	pv_array_finish(&f->made);
	pv_frames_finish(&f->frames);
}

void pv_json_names_finish(struct pv_json_names *n)
{
	finish_forms(&n->method);
	finish_forms(&n->class);
	pv_arena_finish(&n->arena);
}

/* A class and a method may share a name. */
static struct pv_json_forms *forms_of(struct pv_json_rows *r, const struct pv_column *column)
{
	return column->flags & PV_COLUMN_CLASS ? &r->names->class : &r->names->method;
}

static bool put_raw(struct pv_json_rows *r, const char *text, size_t len)
{
	if (!pv_reserve(&r->text, len))
		return false;
	memcpy(r->text.v + r->text.n, text, len);
	r->text.n += len;
	return true;
}

bool pv_json_put(struct pv_json_rows *r, const char *text)
{
	return put_raw(r, text, strlen(text));
}

static size_t digits_of(uint64_t v)
{
	size_t n = 1;
	for (; v >= 10000; v /= 10000)
		n += 4;
	return n + (v >= 10) + (v >= 100) + (v >= 1000);
}

bool pv_json_put_unsigned(struct pv_json_rows *r, uint64_t v)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";
	const size_t len = digits_of(v);
	if (!pv_reserve(&r->text, len))
		return false;
	char *at = r->text.v + r->text.n + len;
	for (; v >= 10; v /= 100)
		memcpy(at -= 2, pairs + v % 100 * 2, 2);
	if (len % 2)
		*--at = (char)('0' + v);
	r->text.n += len;
	return true;
}

static bool put_signed(struct pv_json_rows *r, int64_t v)
{
	if (v >= 0)
		return pv_json_put_unsigned(r, (uint64_t)v);
	return put_raw(r, "-", 1) && pv_json_put_unsigned(r, 0 - (uint64_t)v);
}

/*
 * Whether the text can stand between quotes unchanged. Has no early exit: the loop takes many
 * characters at a time.
 */
static bool is_plain(const char *text, size_t len)
{
	uint8_t other = 0; /* as narrow as a character */
	for (size_t i = 0; i < len; i++) {
		uint8_t c = (uint8_t)text[i];
		other = (uint8_t)(other | (c < ' ') | (c > '~') | (c == '"') | (c == '\\'));
	}
	return other == 0;
}

static bool put_quoted(struct pv_json_rows *r, const char *text, size_t len)
{
	if (!pv_reserve(&r->text, len + 2))
		return false;
	char *to = r->text.v + r->text.n;
	to[0] = '"';
	memcpy(to + 1, text, len);
	to[len + 1] = '"';
	r->text.n += len + 2;
	return true;
}

static bool put_json_value(struct pv_json_rows *r, const char *text)
{
	const size_t len = strlen(text);
	if (is_plain(text, len))
		return put_quoted(r, text, len);
	char *json = pv_showable_json(text, len);
	bool ok = json && pv_json_put(r, json);
	free(json);
	return ok;
}

/* Rows share the address of a text with few different values. */
static bool put_word(struct pv_json_rows *r, struct pv_json_word *last, const char *text)
{
	if (text == last->text)
		return put_quoted(r, text, last->len);
	const size_t len = strlen(text);
	if (len <= PV_JSON_WORD && is_plain(text, len))
		*last = (struct pv_json_word){ text, len };
	return put_json_value(r, text);
}

static bool put_made(
	struct pv_json_rows *r, const struct pv_cell *c, const struct pv_column *column)
{
	cJSON *item = pv_json_cell(c, column);
	char *text = item ? cJSON_PrintUnformatted(item) : NULL;
	bool ok = text && pv_json_put(r, text);
	cJSON_free(text);
	cJSON_Delete(item);
	return ok;
}

static bool put_json_cell(
	struct pv_json_rows *r, size_t key, const struct pv_cell *c, const struct pv_column *column)
{
	if (c->state != PV_CELL_VALUE)
		return put_raw(r, "null", 4);
	if (column->flags & PV_COLUMN_NUMBERS)
		return put_made(r, c, column);
	switch (column->unit) {
	case PV_UNIT_TEXT:
		return put_word(r, &r->last[key], c->s ? c->s : "");
	case PV_UNIT_COUNT:
	case PV_UNIT_EXACT:
	case PV_UNIT_BYTES:
		return pv_json_put_unsigned(r, c->u);
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

/* --- names in all their forms */

static bool put_forms(struct pv_json_rows *r, const char *name, const struct pv_column *column)
{
	char readable[PV_READABLE_MAX], canonical[PV_READABLE_MAX];
	char *const room[PV_NAME_FORMS] = { readable, canonical };
	const char *text[PV_NAME_FORMS];
	pv_readable_texts(column, name, room, text);
	return put_json_value(r, name) && pv_json_put(r, ",\"readable\":") &&
	       put_json_value(r, text[PV_NAME_READABLE]) && pv_json_put(r, ",\"canonical\":") &&
	       put_json_value(r, text[PV_NAME_CANONICAL]);
}

/* The number of a name's JSON forms, made at the name's first use in the report. */
static bool make_forms(
	struct pv_json_rows *r, const char *name, const struct pv_column *column, uint32_t *ret_id)
{
	struct pv_json_forms *f = forms_of(r, column);
	if (!pv_intern_add(&f->names, name, strlen(name), ret_id))
		return false;
	size_t more = *ret_id < f->made.n ? 0 : *ret_id + 1 - f->made.n;
	if (!pv_reserve(&f->made, more))
		return false;
	while (f->made.n <= *ret_id)
		f->made.v[f->made.n++] = (struct pv_json_made){ 0 };
	struct pv_json_made *made = &f->made.v[*ret_id];
	if (made->text)
		return true;
	const size_t before = r->text.n;
	if (!put_forms(r, name, column))
		return false;
	made->len = r->text.n - before;
	made->text = pv_arena_copy(&r->names->arena, r->text.v + before, made->len);
	r->text.n = before;
	return made->text != NULL;
}

/* Rows share names: a name at an address met before needs no look-up by text. */
static bool put_name_forms(
	struct pv_json_rows *r, const struct pv_cell *c, const struct pv_column *column)
{
	static const char none[] = "null,\"readable\":null,\"canonical\":null";
	if (c->state != PV_CELL_VALUE)
		return put_raw(r, none, sizeof none - 1);
	const char *name = c->s ? c->s : "";
	uint32_t id = pv_map_get(&r->met, (uintptr_t)name);
	if (id == PV_MAP_NONE &&
		(!make_forms(r, name, column, &id) || !pv_map_set(&r->met, (uintptr_t)name, id)))
		return false;
	const struct pv_json_made *made = &forms_of(r, column)->made.v[id];
	return put_raw(r, made->text, made->len);
}

static bool put_readable_frames(struct pv_json_rows *r, const char *key, const struct pv_cell *c,
	const struct pv_column *column)
{
	bool ok = pv_json_put(r, ",\"readable_") && pv_json_put(r, key) && put_raw(r, "\":", 2);
	if (c->state != PV_CELL_VALUE)
		return ok && put_raw(r, "null", 4);
	const char *lead = "[";
	for (const char *at = c->s; ok && *at; lead = ",") {
		size_t len = strcspn(at, "\n");
		const char *text = pv_frames_text(&forms_of(r, column)->frames, column, at, len);
		ok = text && put_raw(r, lead, 1) && put_json_value(r, text);
		at += len + (at[len] == '\n');
	}
	return ok && pv_json_put(r, *c->s ? "]" : "[]");
}

static bool put_value(struct pv_json_rows *r, size_t key, const struct pv_cell *c)
{
	const struct pv_column *column = &r->table->column[r->column[key]];
	if ((int)key == r->named)
		return put_name_forms(r, c, column);
	return put_json_cell(r, key, c, column) &&
	       (column->unit != PV_UNIT_LIST || !pv_column_has_names(column) ||
		       put_readable_frames(r, r->key[key], c, column));
}

bool pv_json_row(struct pv_json_rows *r, size_t i)
{
	const struct pv_cell *cell = r->table->row[i].cell;
	size_t at = r->text.n && r->text.v[r->text.n - 1] == '{'; /* no comma after '{' */
	bool ok = true;
	for (size_t k = 0; ok && k < PV_MAX_KEYS && r->key[k]; k++) {
		ok = put_raw(r, r->heads.v + at, r->head_end[k] - at) &&
		     put_value(r, k, &cell[r->column[k]]);
		at = r->head_end[k];
	}
	return ok;
}

void pv_json_flush(struct pv_json_rows *r, size_t most, FILE *out)
{
	if (r->text.n <= most)
		return;
	fwrite(r->text.v, 1, r->text.n, out);
	r->text.n = 0;
}

bool pv_list_json(FILE *out, const struct pv_table *t, const char *const *key)
{
	struct pv_json_names names = { 0 };
	struct pv_json_rows rows;
	bool ok = pv_json_rows_begin(&rows, t, key, &names);
	for (size_t i = 0; ok && i < t->rows; i++) {
		ok = pv_json_put(&rows, i ? ",\n    {" : "[\n    {") && pv_json_row(&rows, i) &&
		     pv_json_put(&rows, "}");
		pv_json_flush(&rows, PV_JSON_MUCH, out);
	}
	pv_json_flush(&rows, 0, out);
	fputs(t->rows ? "\n  ]" : "[]", out);
	pv_json_rows_finish(&rows);
	pv_json_names_finish(&names);
	return ok;
}
