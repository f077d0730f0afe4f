#include "common/query/readable.h"

#include <string.h>

/* The runtime's names without one that is better: "(other)", "0x...", functions of native code. */
static const char *text_of(const struct pv_column *column, const char *raw, size_t len,
	enum pv_name_form form, char room[PV_READABLE_MAX])
{
	bool class = column->flags & PV_COLUMN_CLASS;
	size_t n = class ? pv_readable_class(raw, len, form, room, PV_READABLE_MAX)
			 : pv_readable_method(raw, len, form, room, PV_READABLE_MAX);
	return n ? room : NULL;
}

/* "Space.Class:Method () [image]": rows of one name, by image. 0: it is another. */
static size_t length_before_place(const char *raw, size_t len)
{
	const char *open = len && raw[len - 1] == ']' ? strrchr(raw, '[') : NULL;
	return open && open > raw && open[-1] == ' ' ? (size_t)(open - raw) - 1 : 0;
}

const char *pv_readable_text(const struct pv_column *column, const char *raw,
	enum pv_name_form form, char room[PV_READABLE_MAX])
{
	size_t len = strlen(raw), name = length_before_place(raw, len);
	const char *text =
		raw[0] == '0' ? NULL : text_of(column, raw, name ? name : len, form, room);
	if (!text)
		return raw;
	size_t n = strlen(text), rest = name ? len - name : 0;
	if (n + rest >= PV_READABLE_MAX)
		return raw;
	memcpy(room + n, raw + len - rest, rest + 1);
	return room;
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
	struct pv_map of; /* text that was met, by its address -> index in t->shown, + 1 */
	struct pv_frames frames;
	PV_ARRAY(char) line;
	bool ok;
};

static bool add_text(struct naming *x, const char *text, size_t len, uint32_t *ret)
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
	return !better || add_text(x, x->line.v, x->line.n - 1, ret);
}

static bool name_one(struct naming *x, const char *raw, uint32_t *ret)
{
	char room[PV_READABLE_MAX];
	const char *text = pv_readable_text(x->column, raw, PV_NAME_READABLE, room);
	*ret = 0;
	return text == raw || add_text(x, text, strlen(text), ret);
}

/* Rows often share a name: its text is made once. */
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
		pv_map_finish(&x.of); /* a class and a method may have one name */
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
