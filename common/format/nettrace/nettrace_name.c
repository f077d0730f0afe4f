/* SPDX-License-Identifier: MIT */
/* Texts of the stream, and names of methods and classes in the notation of the probe for .NET. */
#include "common/base/utf8.h"
#include "common/format/clr_name.h"
#include "common/format/nettrace/nettrace_parts.h"

enum { ROOM = 4096 /* bytes of a name's parts; the rest is cut */ };

/* --- UTF-16 */

static uint16_t unit(struct pv_cursor *c)
{
	return pv_cursor_left(c) >= 2 ? pv_get_u16(c) : 0;
}

void nt_skip_text(struct pv_cursor *c)
{
	while (unit(c))
		;
}

size_t nt_text_into(struct pv_cursor *c, char *to, size_t room)
{
	size_t used = 0;
	uint32_t code;
	while ((code = unit(c))) {
		if (code >= 0xd800 && code < 0xdc00 && pv_cursor_left(c) >= 2) {
			uint32_t low = (uint32_t)(c->at[0] | c->at[1] << 8);
			if (low >= 0xdc00 && low < 0xe000) {
				code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
				c->at += 2;
			}
		}
		char utf8[4];
		size_t n = pv_utf8_put(utf8, code >= 0xd800 && code < 0xe000 ? PV_UTF8_BAD : code);
		if (n > room - used) {
			room = used; /* cut here: no character may follow a gap */
			continue;
		}
		memcpy(to + used, utf8, n);
		used += n;
	}
	return used;
}

uint32_t nt_intern(struct nettrace *d, const char *text, size_t len)
{
	uint32_t id = 0;
	if (d->text.text.n >= NT_NAMES || d->text.arena.bytes >= NT_NAME_BYTES)
		return 0;
	d->nomem |= !pv_intern_add(&d->text, text, len, &id);
	return id;
}

uint32_t nt_text(struct nettrace *d, struct pv_cursor *c)
{
	char text[ROOM];
	return nt_intern(d, text, nt_text_into(c, text, sizeof text));
}

/* --- names */

uint32_t nt_class_name(struct nettrace *d, struct pv_cursor *c)
{
	char raw[ROOM], name[ROOM];
	struct pv_text type = { raw, nt_text_into(c, raw, sizeof raw) };
	return nt_intern(d, name, pv_clr_type_name(type, name, sizeof name));
}

uint32_t nt_method_name(struct nettrace *d, struct pv_cursor *c)
{
	char class[ROOM], method[ROOM], how[ROOM], name[2 * ROOM];
	struct pv_text of = { class, nt_text_into(c, class, sizeof class) };
	struct pv_text called = { method, nt_text_into(c, method, sizeof method) };
	struct pv_text signature = { how, nt_text_into(c, how, sizeof how) };
	return nt_intern(d, name, pv_clr_method_name(of, called, signature, name, sizeof name));
}
