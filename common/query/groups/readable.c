/* SPDX-License-Identifier: MIT */
/* Readable texts of methods, classes and stacks for the cells of a table. */
#include "common/query/groups/readable.h"

#include <string.h>

#include "common/query/groups/logical.h"

/*
 * "Space.Class:Method () [image]": the length without the image, in rows by image. 0: no such name.
 */
static size_t length_before_place(const char *raw, size_t len)
{
	const char *open = len && raw[len - 1] == ']' ? strrchr(raw, '[') : NULL;
	return open && open > raw && open[-1] == ' ' ? (size_t)(open - raw) - 1 : 0;
}

static bool mark_begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Percents of usual awaiters differ from one recording to the next. */
static const char *canonical_place(const char *place)
{
	if (mark_begins(place, " [usual"))
		return "";
	return mark_begins(place, " [awaits") ? PV_AWAITS_MARK : place;
}

/* The runtime's names where no better name exists: "(other)", "0x...", native functions. */
void pv_readable_texts(const struct pv_column *column, const char *raw,
	char *const room[PV_NAME_FORMS], const char *ret[PV_NAME_FORMS])
{
	size_t len = strlen(raw), name = length_before_place(raw, len),
	       rest = name ? len - name : 0;
	size_t n[PV_NAME_FORMS] = { 0 };
	if (raw[0] != '0')
		pv_readable_forms(
			column->flags & PV_COLUMN_CLASS, raw, len - rest, room, PV_READABLE_MAX, n);
	for (int form = 0; form < PV_NAME_FORMS; form++) {
		ret[form] = raw;
		const char *place = form == PV_NAME_CANONICAL ? canonical_place(raw + len - rest)
							      : raw + len - rest;
		if (!n[form] || n[form] + strlen(place) >= PV_READABLE_MAX)
			continue;
		memcpy(room[form] + n[form], place, strlen(place) + 1);
		ret[form] = room[form];
	}
}

bool pv_column_has_names(const struct pv_column *column)
{
	if (column->unit == PV_UNIT_LIST)
		return !(column->flags & PV_COLUMN_NUMBERS);
	return column->flags & (PV_COLUMN_METHOD | PV_COLUMN_CLASS);
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

bool pv_text_has(const char *text, const char *part)
{
	for (;; text++) {
		size_t i = 0;
		while (part[i] && text[i] && lower(text[i]) == lower(part[i]))
			i++;
		if (!part[i])
			return true;
		if (!*text)
			return false;
	}
}

/* --- frames */

const char *pv_frames_text(
	struct pv_frames *f, const struct pv_column *column, const char *raw, size_t len)
{
	char room[PV_READABLE_MAX];
	uint32_t id;
	if (!pv_intern_add(&f->raw, raw, len, &id))
		return NULL;
	while (f->text.n <= id) {
		if (!pv_reserve(&f->text, 1))
			return NULL;
		f->text.v[f->text.n++] = NULL;
	}
	if (f->text.v[id])
		return f->text.v[id];
	const char *kept = pv_intern_text(&f->raw, id);
	const char *text = pv_readable_text(column, kept, PV_NAME_READABLE, room);
	f->text.v[id] = text == kept ? kept : pv_arena_copy(&f->arena, text, strlen(text));
	return f->text.v[id];
}

void pv_frames_finish(struct pv_frames *f)
{
	pv_intern_finish(&f->raw);
	pv_array_finish(&f->text);
	pv_arena_finish(&f->arena);
}

/* --- tables */

struct naming {
	struct pv_table *t;
	const struct pv_column *column;
	struct pv_map of; /* address of a text -> index in t->shown, + 1 */
	struct pv_frames frames;
	PV_ARRAY(char) line;
	bool ok;
};

static bool add_shown_text(struct naming *x, const char *text, size_t len, uint32_t *ret)
{
	const char *kept = pv_arena_copy(&x->t->arena, text, len);
	if (!kept || !pv_reserve(&x->t->shown, 1))
		return false;
	x->t->shown.v[x->t->shown.n++] = kept;
	*ret = (uint32_t)x->t->shown.n;
	return true;
}

static bool add_frame(struct naming *x, const char *text)
{
	size_t len = strlen(text);
	if (!pv_reserve(&x->line, len + 1))
		return false;
	memcpy(x->line.v + x->line.n, text, len);
	x->line.n += len;
	x->line.v[x->line.n++] = '\n';
	return true;
}

/* A stack, line by line. */
static bool name_stack(struct naming *x, const char *raw, uint32_t *ret)
{
	bool better = false;
	x->line.n = 0;
	for (const char *at = raw; *at;) {
		size_t len = strcspn(at, "\n");
		const char *text = pv_frames_text(&x->frames, x->column, at, len);
		if (!text || !add_frame(x, text))
			return false;
		better = better || strlen(text) != len || memcmp(text, at, len) != 0;
		at += len + (at[len] == '\n');
	}
	*ret = 0;
	return !better || add_shown_text(x, x->line.v, x->line.n - 1, ret);
}

static bool name_one(struct naming *x, const char *raw, uint32_t *ret)
{
	char room[PV_READABLE_MAX];
	const char *text = pv_readable_text(x->column, raw, PV_NAME_READABLE, room);
	*ret = 0;
	return text == raw || add_shown_text(x, text, strlen(text), ret);
}

/* Rows often share a name: the text is made once. */
static void name_cell(struct naming *x, struct pv_cell *c)
{
	if (c->state != PV_CELL_VALUE || c->shown || !c->s)
		return;
	uint32_t at = pv_map_get(&x->of, (uintptr_t)c->s);
	if (at == PV_MAP_NONE) {
		x->ok = (x->column->unit == PV_UNIT_LIST ? name_stack : name_one)(x, c->s, &at) &&
			pv_map_set(&x->of, (uintptr_t)c->s, at);
	}
	c->shown = x->ok ? at : 0;
}

bool pv_table_readable(struct pv_table *t, int one)
{
	struct naming x = { .t = t, .ok = true };
	for (size_t k = 0; x.ok && k < t->columns; k++) {
		x.column = &t->column[k];
		if (!pv_column_has_names(x.column) || (one >= 0 && (int)k != one))
			continue;
		for (size_t i = 0; x.ok && i < t->rows; i++)
			name_cell(&x, &t->row[i].cell[k]);
		pv_map_finish(&x.of); /* a class and a method may share a name */
		x.of = (struct pv_map){ 0 };
	}
	pv_frames_finish(&x.frames);
	pv_array_finish(&x.line);
	return x.ok;
}

struct pv_cell pv_cell_shown(const struct pv_table *t, const struct pv_cell *c)
{
	struct pv_cell shown = *c;
	if (c->shown)
		shown.s = t->shown.v[c->shown - 1];
	return shown;
}
