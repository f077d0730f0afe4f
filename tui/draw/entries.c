/* SPDX-License-Identifier: MIT */
/* Entries of a line: as many as fit are drawn, whole or shortened by parts. */
#include "tui/draw/entries.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"
#include "tui/draw/figure.h"

void ui_entries_add(struct ui_entries *e, enum ui_style style, int drop, const char *format, ...)
{
	if (e->n == UI_ENTRIES)
		return;
	struct ui_entry *at = &e->at[e->n];
	at->style = style;
	at->drop = drop;
	at->at_right = e->at_right;
	va_list args;
	va_start(args, format);
	const int n = vsnprintf(at->text, sizeof at->text, format, args);
	va_end(args);
	if (n >= (int)sizeof at->text)
		pv_utf8_trim(at->text);
	e->n += n > 0;
}

static int width_from(const struct ui_entries *e, int from, int gap)
{
	int w = 0;
	for (int i = from; i < e->n; i++)
		w += pv_showable_cells(e->at[i].text) + (w ? gap : 0);
	return w;
}

int ui_entries_width(const struct ui_entries *e, int gap)
{
	return width_from(e, 0, gap);
}

void ui_entries_fit(struct ui_entries *e, int gap, int w)
{
	while (ui_entries_width(e, gap) > w) {
		int worst = 0;
		for (int i = 1; i < e->n; i++)
			if (e->at[i].drop >= e->at[worst].drop)
				worst = i;
		if (e->at[worst].drop == 0)
			return;
		memmove(&e->at[worst], &e->at[worst + 1],
			(size_t)(e->n - worst - 1) * sizeof e->at[0]);
		e->n--;
	}
}

int ui_entries_draw(const struct ui_entries *e, struct ui_canvas *c, struct ui_rect r, int gap)
{
	int x = 0, left = 0;
	for (int i = 0; i < e->n; i++) {
		const bool first = i == 0 || e->at[i - 1].at_right != e->at[i].at_right;
		if (e->at[i].at_right && first)
			x = ui_max(x, r.w - width_from(e, i, gap));
		x += ui_put(c, ui_cols(r, x, r.w), e->at[i].style, e->at[i].text);
		left = e->at[i].at_right ? left : x;
		x += gap;
	}
	return left;
}

/* --- entries of a text --- */

/* The end of the part that begins at `text`: before `apart`, outside of parentheses. */
static const char *end_of_part(const char *text, const char *end, const char *apart)
{
	const size_t n = strlen(apart);
	int depth = 0;
	for (const char *at = text; at < end; at++) {
		depth += *at == '(';
		depth -= *at == ')' && depth > 0;
		if (depth == 0 && (size_t)(end - at) >= n && strncmp(at, apart, n) == 0)
			return at;
	}
	return end;
}

static int cells_of(const char *text, const char *end)
{
	char part[UI_ENTRY];
	snprintf(part, sizeof part, "%.*s", (int)(end - text), text);
	return pv_showable_cells(part);
}

/* The end of as much of an entry as fits: all, or whole parts; `text`: nothing fits. */
static const char *fitting(const char *text, const char *end, int w)
{
	if (end - text < UI_ENTRY && cells_of(text, end) <= w)
		return end;
	const char *fits = text;
	for (const char *at = text; at < end;) {
		const char *part = end_of_part(at, end, ", ");
		if (part - text >= UI_ENTRY || cells_of(text, part) > w)
			break;
		fits = part;
		at = part + 2;
	}
	return fits;
}

const char *ui_entries_of(const char *text, int w, char *buf, size_t size)
{
	const char *end = text + strlen(text);
	size_t n = 0;
	buf[0] = 0;
	for (const char *at = text; at < end;) {
		const char *next = end_of_part(at, end, "; ");
		const char *to = fitting(at, next, w - (n ? 2 : 0));
		if (to > at && n + (size_t)(to - at) + 3 < size) {
			w -= cells_of(at, to) + (n ? 2 : 0);
			n += (size_t)snprintf(
				buf + n, size - n, "%s%.*s", n ? "; " : "", (int)(to - at), at);
		}
		at = next + 2;
	}
	return buf;
}

/* Digits in groups of three, with blanks between: the number and its end. False: no such number. */
static bool grouped(const char *text, uint64_t *ret, const char **ret_end)
{
	const char *at = text;
	uint64_t n = 0;
	size_t len = strspn(at, "0123456789");
	if (len == 0 || len > 3)
		return false;
	for (size_t i = 0; i < len; i++)
		n = n * 10 + (uint64_t)(*at++ - '0');
	int groups = 0;
	for (; *at == ' ' && strspn(at + 1, "0123456789") == 3 && groups < 5; groups++) {
		for (int i = 1; i <= 3; i++)
			n = n * 10 + (uint64_t)(at[i] - '0');
		at += 4;
	}
	*ret = n;
	*ret_end = at;
	return groups > 0;
}

const char *ui_entries_round(const char *text, char *buf, size_t size)
{
	size_t n = 0;
	buf[0] = 0;
	for (const char *at = text; *at && n + UI_FIGURE + 1 < size;) {
		const bool begins = at == text || !strchr("0123456789.:,x", at[-1]);
		uint64_t number;
		const char *end;
		if (begins && grouped(at, &number, &end)) {
			const struct ui_figure f = ui_figure_count(number);
			n += (size_t)snprintf(buf + n, size - n, "%s %s", f.digits, f.unit);
			at = end;
		} else {
			buf[n++] = *at++;
			buf[n] = 0;
		}
	}
	return buf;
}
