/* SPDX-License-Identifier: MIT */
/* Values of an event's fields, by their description. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "common/format/nettrace/nettrace_parts.h"
#include "common/format/nettrace/nettrace_value.h"

enum {
	VALUES = 4096,   /* of one event: elements without bytes could be any number */
	TEXT_UNITS = 200 /* of a text, in one event's text */
};

bool nt_scalar(struct pv_cursor *c, uint8_t type, struct nt_scalar *ret)
{
	uint32_t half;
	*ret = (struct nt_scalar){ .is = NT_SIGNED };
	switch (type) {
	case NT_BOOLEAN:
	case NT_U32:
		ret->is = NT_UNSIGNED;
		ret->u = pv_get_u32(c);
		break;
	case NT_I32:
		ret->i = (int32_t)pv_get_u32(c);
		break;
	case NT_BOOLEAN8:
	case NT_U8:
		ret->is = NT_UNSIGNED;
		ret->u = pv_get_u8(c);
		break;
	case NT_I8:
		/* Of a sign: NOLINTNEXTLINE(bugprone-signed-char-misuse) */
		ret->i = (int8_t)pv_get_u8(c);
		break;
	case NT_UTF16_UNIT:
	case NT_U16:
		ret->is = NT_UNSIGNED;
		ret->u = pv_get_u16(c);
		break;
	case NT_I16:
		ret->i = (int16_t)pv_get_u16(c);
		break;
	case NT_UTF8_UNIT:
		ret->is = NT_UNSIGNED;
		ret->u = pv_get_u8(c);
		break;
	case NT_I64:
	case NT_DATE:
		ret->i = (int64_t)pv_get_u64(c);
		break;
	case NT_U64:
		ret->is = NT_UNSIGNED;
		ret->u = pv_get_u64(c);
		break;
	case NT_VAR_UNSIGNED:
		ret->is = NT_UNSIGNED;
		ret->u = pv_get_uleb(c);
		break;
	case NT_VAR_SIGNED:
		ret->u = pv_get_uleb(c);
		ret->i = (int64_t)(ret->u >> 1) ^ -(int64_t)(ret->u & 1);
		break;
	case NT_F32: {
		float f;
		half = pv_get_u32(c);
		memcpy(&f, &half, sizeof f);
		ret->is = NT_REAL;
		ret->f = (double)f;
		break;
	}
	case NT_F64: {
		uint64_t bits = pv_get_u64(c);
		ret->is = NT_REAL;
		memcpy(&ret->f, &bits, sizeof ret->f);
		break;
	}
	case NT_DECIMAL:
	case NT_GUID:
		ret->is = NT_RAW;
		ret->raw = pv_get_bytes(c, 16);
		break;
	default:
		return false;
	}
	return pv_cursor_ok(c);
}

double nt_double(const struct nt_scalar *v)
{
	return v->is == NT_REAL ? v->f : v->is == NT_SIGNED ? (double)v->i : (double)v->u;
}

/* --- an event's fields as text */

struct walk {
	struct nettrace *d;
	struct pv_cursor c;
	const uint8_t *payload;
	size_t len;
	const struct nt_kind *k;
	uint32_t values;
	char *to; /* of `room` bytes; NULL: write nothing */
	size_t n, room;
};

static void put_formatted(struct walk *w, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void put_formatted(struct walk *w, const char *format, ...)
{
	va_list args;
	if (!w->to || w->n + 1 >= w->room)
		return;
	va_start(args, format);
	int n = vsnprintf(w->to + w->n, w->room - w->n, format, args);
	va_end(args);
	w->n += n < 0 ? 0 : (size_t)n;
	w->n = w->n < w->room ? w->n : w->room - 1;
}

static const struct nt_field *field_of(const struct walk *w, uint32_t at)
{
	return &w->d->field.v[w->k->field + at];
}

static uint32_t after(const struct walk *w, uint32_t at)
{
	uint8_t depth = field_of(w, at)->depth;
	do
		at++;
	while (at < w->k->fields && field_of(w, at)->depth > depth);
	return at;
}

static void put_scalar(struct walk *w, uint8_t type)
{
	struct nt_scalar v;
	if (!nt_scalar(&w->c, type, &v)) {
		w->c.malformed = true;
		return;
	}
	if (v.is == NT_RAW)
		for (int i = 0; i < 16; i++)
			put_formatted(w, "%02x", v.raw[i]);
	else if (v.is == NT_REAL)
		put_formatted(w, "%.10g", v.f);
	else if (type == NT_BOOLEAN || type == NT_BOOLEAN8)
		put_formatted(w, "%s", v.u ? "true" : "false");
	else if (v.is == NT_SIGNED)
		put_formatted(w, "%" PRIi64, v.i);
	else
		put_formatted(w, "%" PRIu64, v.u);
}

static void put_utf16(struct walk *w, struct pv_cursor *c)
{
	char text[TEXT_UNITS];
	size_t n = nt_text_into(c, text, sizeof text);
	put_formatted(w, "\"%.*s\"", (int)n, text);
}

/* Writes units of characters as one text. */
static void put_units(struct walk *w, uint8_t type, size_t n)
{
	const uint8_t *at = pv_get_bytes(&w->c, type == NT_UTF8_UNIT ? n : 2 * n);
	struct pv_cursor c = { .at = at, .end = at ? at + 2 * n : at };
	if (!at)
		return;
	if (type == NT_UTF8_UNIT)
		put_formatted(
			w, "\"%.*s\"", (int)(n < TEXT_UNITS ? n : TEXT_UNITS), (const char *)at);
	else
		put_utf16(w, &c);
}

static void put_value(struct walk *w, uint32_t at);

/* Writes `n` elements; SIZE_MAX: as many as there are bytes for. */
static void put_elements(struct walk *w, uint32_t at, size_t n)
{
	uint8_t type = at < w->k->fields ? field_of(w, at)->type : NT_END_OF_TYPES;
	if (type == NT_UTF8_UNIT || type == NT_UTF16_UNIT) {
		size_t all = pv_cursor_left(&w->c) / (type == NT_UTF8_UNIT ? 1 : 2);
		put_units(w, type, n == SIZE_MAX ? all : n);
		return;
	}
	put_formatted(w, "[");
	for (size_t i = 0; i < n && pv_cursor_ok(&w->c); i++) {
		if (n == SIZE_MAX && !pv_cursor_left(&w->c))
			break;
		if (i)
			put_formatted(w, ",");
		put_value(w, at);
	}
	put_formatted(w, "]");
}

/* An array elsewhere in the payload. */
static void put_located(struct walk *w, uint32_t at, bool relative)
{
	uint32_t says = pv_get_u32(&w->c);
	size_t size = says >> 16, from = says & 0xffff;
	from += relative ? (size_t)(w->c.at - w->payload) : 0;
	if (!pv_cursor_ok(&w->c) || from > w->len || size > w->len - from) {
		w->c.malformed = true;
		return;
	}
	const struct pv_cursor here = w->c;
	w->c = (struct pv_cursor){ .at = w->payload + from, .end = w->payload + from + size };
	put_elements(w, at + 1, SIZE_MAX);
	bool sound = pv_cursor_ok(&w->c);
	w->c = here;
	w->c.malformed |= !sound;
}

static void put_fields(struct walk *w, uint32_t from, uint32_t to, const char *between)
{
	for (uint32_t i = from; i < to && pv_cursor_ok(&w->c); i = after(w, i)) {
		const char *name = pv_intern_text(&w->d->text, field_of(w, i)->name);
		put_formatted(w, "%s%.64s=", i > from || *between == ' ' ? between : "", name);
		put_value(w, i);
	}
}

static void put_value(struct walk *w, uint32_t at)
{
	if (at >= w->k->fields || ++w->values > VALUES) {
		w->c.malformed = true;
		return;
	}
	const struct nt_field *f = field_of(w, at);
	switch (f->type) {
	case NT_OBJECT_TYPE:
		put_formatted(w, "{");
		put_fields(w, at + 1, after(w, at), ",");
		put_formatted(w, "}");
		break;
	case NT_STRING:
		put_utf16(w, &w->c);
		break;
	case NT_ARRAY:
		put_elements(w, at + 1, pv_get_u16(&w->c));
		break;
	case NT_FIXED_ARRAY:
		put_elements(w, at + 1, f->count);
		break;
	case NT_RELATIVE:
	case NT_ABSOLUTE:
		put_located(w, at, f->type == NT_RELATIVE);
		break;
	default:
		put_scalar(w, f->type);
	}
}

size_t nt_fields_text(struct nettrace *d, const struct nt_blob *b, char *to, size_t room)
{
	struct walk w = { .d = d,
		.c = { .at = b->payload, .end = b->payload + b->len },
		.payload = b->payload,
		.len = b->len,
		.k = &d->kind.v[b->kind],
		.to = to,
		.room = room };
	put_fields(&w, 0, w.k->fields, " ");
	if (!pv_cursor_ok(&w.c))
		put_formatted(&w, " (its fields do not fit)");
	return w.n;
}

bool nt_skip_value(struct nettrace *d, const struct nt_blob *b, struct pv_cursor *c, uint32_t *at)
{
	struct walk w = {
		.d = d, .c = *c, .payload = b->payload, .len = b->len, .k = &d->kind.v[b->kind]
	};
	put_value(&w, *at);
	*c = w.c;
	*at = after(&w, *at);
	return pv_cursor_ok(c);
}
