/* SPDX-License-Identifier: MIT */
/* Makes foreign text harmless: characters to escape, escapes, JSON strings. */
#include "common/base/text/showable.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/utf8.h"

/* --- characters that are escaped */

static const struct {
	uint32_t first, last;
} hidden[] = {
	{ 0x0000, 0x001f },   /* C0 */
	{ 0x007f, 0x009f },   /* DEL, C1 */
	{ 0x00ad, 0x00ad },   /* soft hyphen */
	{ 0x034f, 0x034f },   /* grapheme joiner */
	{ 0x061c, 0x061c },   /* Arabic letter mark: bidirectional */
	{ 0x115f, 0x1160 },   /* Hangul fillers */
	{ 0x17b4, 0x17b5 },   /* Khmer inherent vowels */
	{ 0x180b, 0x180f },   /* Mongolian selectors and separator */
	{ 0x200b, 0x200f },   /* zero width, marks of direction */
	{ 0x2028, 0x202e },   /* line and paragraph ends, embeddings, overrides */
	{ 0x2060, 0x206f },   /* joiners, isolates, deprecated controls */
	{ 0x3164, 0x3164 },   /* Hangul filler */
	{ 0xfeff, 0xfeff },   /* byte order mark */
	{ 0xffa0, 0xffa0 },   /* halfwidth Hangul filler */
	{ 0xfff0, 0xfffb },   /* unassigned, interlinear annotation */
	{ 0x1bca0, 0x1bca3 }, /* shorthand controls */
	{ 0x1d173, 0x1d17a }, /* musical controls */
	{ 0xe0000, 0xe0fff }, /* tags */
};

bool pv_showable_hides(uint32_t code)
{
	if (code >= ' ' && code < 0x7f)
		return false;
	for (size_t i = 0; i < sizeof hidden / sizeof hidden[0] && hidden[i].first <= code; i++)
		if (code <= hidden[i].last)
			return true;
	return false;
}

static size_t put_hex(char *to, char letter, unsigned digits, uint32_t v)
{
	static const char digit[] = "0123456789abcdef";
	to[0] = '\\';
	to[1] = letter;
	for (unsigned i = 0; i < digits; i++)
		to[2 + i] = digit[v >> 4 * (digits - 1 - i) & 15];
	return 2 + digits;
}

static size_t put_escape(char *to, uint32_t code)
{
	const char *letter = code == '\n'   ? "\\n"
			     : code == '\r' ? "\\r"
			     : code == '\t' ? "\\t"
					    : NULL;
	if (letter) {
		memcpy(to, letter, 2);
		return 2;
	}
	if (code < 0x80)
		return put_hex(to, 'x', 2, code);
	return code < 0x10000 ? put_hex(to, 'u', 4, code) : put_hex(to, 'U', 8, code);
}

/* U+FFFD stands for what is ill-formed, and can be in the text itself. */
static bool is_bad(uint32_t code, const char *at, size_t len)
{
	return code == PV_UTF8_BAD && (len != 3 || memcmp(at, "\xef\xbf\xbd", 3) != 0);
}

/* --- the walk */

struct pv_showable pv_showable_begin(const char *text, size_t len)
{
	return (struct pv_showable){ text, text + len, PV_SHOWN_MARKS };
}

static bool escaped(struct pv_showable *s, struct pv_shown *ret, size_t n, size_t used)
{
	s->at += used;
	ret->text[n] = 0;
	ret->n = ret->cells = (uint8_t)n;
	return ret->escaped = true;
}

static bool as_it_is(struct pv_showable *s, struct pv_shown *ret, size_t len, int cells)
{
	memcpy(ret->text, s->at, len);
	ret->text[len] = 0;
	ret->n = (uint8_t)len;
	ret->cells = (uint8_t)cells;
	ret->escaped = false;
	s->at += len;
	return true;
}

bool pv_showable_next(struct pv_showable *s, struct pv_shown *ret)
{
	size_t len;
	if (s->at >= s->end)
		return false;
	ret->from = s->at;
	uint32_t code = pv_utf8_next(s->at, s->end, &len);
	if (is_bad(code, s->at, len)) {
		s->marks = 0;
		return escaped(s, ret, put_hex(ret->text, 'x', 2, (unsigned char)*s->at), 1);
	}
	if (pv_showable_hides(code)) {
		s->marks = 0;
		return escaped(s, ret, put_escape(ret->text, code), len);
	}
	int cells = pv_utf8_width(code);
	if (cells == 0 && s->marks >= PV_SHOWN_MARKS)
		return escaped(s, ret, put_escape(ret->text, code), len);
	s->marks = cells == 0 ? s->marks + 1 : 0;
	return as_it_is(s, ret, len, cells);
}

/* Skips bytes at the front that are shown unchanged, mostly the whole text. */
static size_t skip_plain(struct pv_showable *s, bool quoted)
{
	const char *from = s->at;
	while (s->at < s->end && *s->at >= ' ' && *s->at < 0x7f &&
		!(quoted && (*s->at == '"' || *s->at == '\\')))
		s->at++;
	if (s->at > from)
		s->marks = 0;
	return (size_t)(s->at - from);
}

int pv_showable_cells(const char *text)
{
	struct pv_showable s = pv_showable_begin(text, strlen(text));
	struct pv_shown c;
	int cells = (int)skip_plain(&s, false);
	while (pv_showable_next(&s, &c))
		cells += c.cells + (int)skip_plain(&s, false);
	return cells;
}

/* --- whole texts */

char *pv_showable_text(const char *text)
{
	size_t len = strlen(text), n = 0;
	struct pv_showable s = pv_showable_begin(text, len);
	struct pv_shown c;
	if (len > SIZE_MAX / 4 - 1)
		return NULL;
	char *shown = malloc(len * 4 + 1); /* one byte becomes four at most */
	while (shown && pv_showable_next(&s, &c)) {
		memcpy(shown + n, c.text, c.n);
		n += c.n;
	}
	if (shown)
		shown[n] = 0;
	return shown;
}

static void put_plain(FILE *out, struct pv_showable *s, bool quoted)
{
	size_t n = skip_plain(s, quoted);
	fwrite(s->at - n, 1, n, out);
}

void pv_showable_put(FILE *out, const char *text)
{
	struct pv_showable s = pv_showable_begin(text, strlen(text));
	struct pv_shown c;
	put_plain(out, &s, false);
	while (pv_showable_next(&s, &c)) {
		fwrite(c.text, 1, c.n, out);
		put_plain(out, &s, false);
	}
}

void pv_showable_quoted(FILE *out, const char *text, size_t len)
{
	struct pv_showable s = pv_showable_begin(text, len);
	struct pv_shown c;
	putc('"', out);
	put_plain(out, &s, true);
	while (pv_showable_next(&s, &c)) {
		if (!c.escaped && (*c.text == '"' || *c.text == '\\'))
			putc('\\', out);
		fwrite(c.text, 1, c.n, out);
		put_plain(out, &s, true);
	}
	putc('"', out);
}

/* --- JSON */

static size_t put_json_escape(char *to, uint32_t code)
{
	if (code == '\n' || code == '\r' || code == '\t')
		return put_escape(to, code);
	if (code < 0x10000)
		return put_hex(to, 'u', 4, code);
	size_t n = put_hex(to, 'u', 4, 0xd800 + ((code - 0x10000) >> 10));
	return n + put_hex(to + n, 'u', 4, 0xdc00 + ((code - 0x10000) & 0x3ff));
}

static size_t put_json_character(char *to, uint32_t code, unsigned *marks)
{
	bool mark = pv_utf8_width(code) == 0;
	if (pv_showable_hides(code) || (mark && *marks >= PV_SHOWN_MARKS))
		return put_json_escape(to, code);
	*marks = mark ? *marks + 1 : 0;
	if (code != '"' && code != '\\')
		return pv_utf8_put(to, code);
	to[0] = '\\';
	to[1] = (char)code;
	return 2;
}

char *pv_showable_json(const char *text, size_t len)
{
	if (len > SIZE_MAX / 6 - 3)
		return NULL;
	char *json = malloc(len * 6 + 3); /* "\u0001" for one byte */
	size_t n = 0, used;
	unsigned marks = PV_SHOWN_MARKS;
	if (!json)
		return NULL;
	json[n++] = '"';
	for (const char *at = text, *end = text + len; at < end; at += used)
		n += put_json_character(json + n, pv_utf8_next(at, end, &used), &marks);
	json[n++] = '"';
	json[n] = 0;
	return json;
}
