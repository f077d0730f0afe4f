/* SPDX-License-Identifier: MIT */
/* Rows of version 6 with descriptions of events. */
#include "common/format/nettrace/nettrace_parts.h"
#include "common/format/nettrace/nettrace_six.h"

enum { OBJECT = 1, ARRAY = 19, FIXED = 22, RELATIVE = 24, ABSOLUTE = 25, DEPTH = 8 };
/* Parts that may follow the fields. */
enum { OPCODE = 1, KEYWORDS = 3, TEMPLATE, DESCRIPTION, KEY, PROVIDER_GUID, LEVEL, VERSION };

static void fields(struct nettrace *d, struct pv_cursor *c, uint8_t depth);

static struct nt_field *add_row_field(
	struct nettrace *d, struct pv_cursor *c, uint32_t name, uint8_t depth)
{
	if (d->field.n >= NT_FIELDS || depth > DEPTH) {
		c->malformed = true;
		return NULL;
	}
	if (!pv_reserve(&d->field, 1)) {
		d->nomem = true;
		c->malformed = true;
		return NULL;
	}
	d->field.v[d->field.n] = (struct nt_field){ .name = name, .depth = depth };
	return &d->field.v[d->field.n++];
}

static void type(struct nettrace *d, struct pv_cursor *c, uint32_t name, uint8_t depth)
{
	size_t at = d->field.n;
	struct nt_field *f = add_row_field(d, c, name, depth);
	uint8_t code = pv_get_u8(c);
	if (!f)
		return;
	f->type = code;
	if (code == ARRAY || code == FIXED || code == RELATIVE || code == ABSOLUTE)
		type(d, c, 0, (uint8_t)(depth + 1));
	if (code == FIXED)
		d->field.v[at].count = pv_get_u16(c);
	if (code == OBJECT)
		fields(d, c, (uint8_t)(depth + 1));
}

static void fields(struct nettrace *d, struct pv_cursor *c, uint8_t depth)
{
	for (unsigned left = pv_get_u16(c); left && pv_cursor_ok(c); left--) {
		uint16_t size = pv_get_u16(c);
		const uint8_t *at = pv_get_bytes(c, size);
		if (!at)
			return;
		struct pv_cursor one = { .at = at, .end = at + size };
		struct pv_text name = nt_utf8(&one);
		type(d, &one, nt_intern(d, name.at, name.len), depth);
		c->malformed |= !pv_cursor_ok(&one);
	}
}

static void option(struct pv_cursor *c, struct nt_kind *k)
{
	switch (pv_get_u8(c)) {
	case OPCODE:
	case LEVEL:
		pv_get_u8(c);
		break;
	case KEYWORDS:
		pv_get_u64(c);
		break;
	case KEY:
		nt_utf8(c);
		nt_utf8(c);
		break;
	case TEMPLATE:
	case DESCRIPTION:
		nt_utf8(c);
		break;
	case PROVIDER_GUID:
		pv_get_bytes(c, 16);
		break;
	case VERSION:
		k->version = pv_get_u8(c);
		break;
	default: /* of a later version, with unknown length */
		c->at = c->end;
	}
}

/* Takes one row; its fields are kept only if sound. */
static void row(struct nettrace *d, struct pv_cursor *c)
{
	struct nt_kind k = { .field = (uint32_t)d->field.n };
	uint32_t id = (uint32_t)pv_get_uleb(c);
	struct pv_text provider = nt_utf8(c);
	k.id = (uint32_t)pv_get_uleb(c);
	struct pv_text name = nt_utf8(c);
	if (!pv_cursor_ok(c))
		return;
	k.provider = nt_intern(d, provider.at, provider.len);
	k.name = nt_intern(d, name.at, name.len);
	fields(d, c, 0);
	if (!pv_cursor_ok(c))
		d->field.n = k.field;
	k.fields = (uint32_t)d->field.n - k.field;
	uint16_t size = pv_get_u16(c);
	const uint8_t *at = pv_get_bytes(c, size);
	struct pv_cursor options = { .at = at, .end = at ? at + size : at };
	while (at && options.at < options.end && pv_cursor_ok(&options))
		option(&options, &k);
	nt_keep_kind(d, id, &k);
}

const char *nt_rows(struct nettrace *d, const uint8_t *bytes, size_t n)
{
	struct pv_cursor c = { .at = bytes, .end = bytes + n };
	(void)pv_get_bytes(&c, pv_get_u16(&c));
	if (!pv_cursor_ok(&c))
		return "a block of descriptions without its header";
	while (pv_cursor_left(&c)) {
		uint16_t size = pv_get_u16(&c);
		const uint8_t *at = pv_get_bytes(&c, size);
		if (!at)
			return "a description that goes beyond its block";
		struct pv_cursor one = { .at = at, .end = at + size };
		row(d, &one);
	}
	return NULL;
}
