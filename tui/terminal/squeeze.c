/* SPDX-License-Identifier: MIT */
/* Shortens a terminal's output: adjacent sequences for attributes and colours become one. */
#include "tui/terminal/squeeze.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ISO 2022: US ASCII as G0, never replaced here; ECMA-48: the start of a CSI. */
static const char charset[] = "\033(B", csi[] = "\033[";

enum { PARAMETERS = 12, COLOUR = 20 };

/* Everything that a run of sequences sets. */
struct pen {
	bool any, reset;
	int attr[PARAMETERS], attrs;
	char fg[COLOUR], bg[COLOUR]; /* as parameters; "": not set */
};

static bool begins_with(const char *text, size_t n, const char *with)
{
	const size_t len = strlen(with);
	return n >= len && memcmp(text, with, len) == 0;
}

/* The length of a CSI with numbers that ends in `m`; 0: no such sequence. */
static size_t sgr_length(const char *text, size_t n)
{
	size_t i = sizeof csi - 1;
	if (!begins_with(text, n, csi))
		return 0;
	while (i < n && ((text[i] >= '0' && text[i] <= '9') || text[i] == ';'))
		i++;
	return i < n && text[i] == 'm' ? i + 1 : 0;
}

static size_t numbers_in(const char *text, size_t n, int *ret, size_t most)
{
	size_t count = 0;
	const char *end = text + n - 1;
	for (const char *at = text + sizeof csi - 1; at <= end && count < most; at++) {
		ret[count++] = atoi(at); /* stops at the next sign; no digits give 0 */
		while (at < end && *at != ';')
			at++;
		if (at == end)
			break;
	}
	return count;
}

/* Number of parameters of a colour, as in "38;5;248"; 0: no colour. */
static size_t colour_length(const int *p, size_t n)
{
	if (p[0] != 38 && p[0] != 48)
		return 0;
	const size_t len = n > 1 && p[1] == 5 ? 3 : n > 1 && p[1] == 2 ? 5 : 0;
	return len <= n ? len : 0;
}

static bool is_fg(int p)
{
	return (p >= 30 && p <= 39) || (p >= 90 && p <= 97);
}

static bool is_bg(int p)
{
	return (p >= 40 && p <= 49) || (p >= 100 && p <= 107);
}

/* False: no room for all parameters, or an unknown colour. */
static bool set_pen(struct pen *pen, const int *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const size_t len = colour_length(p + i, n - i);
		char *to = is_fg(p[i]) ? pen->fg : pen->bg;
		if (p[i] == 0) {
			*pen = (struct pen){ .reset = true };
		} else if (len == 3) {
			snprintf(to, COLOUR, "%d;5;%d", p[i], p[i + 2]);
			i += 2;
		} else if (len == 5) {
			snprintf(to, COLOUR, "%d;2;%d;%d;%d", p[i], p[i + 2] & 255, p[i + 3] & 255,
				p[i + 4] & 255);
			i += 4;
		} else if (p[i] == 38 || p[i] == 48) {
			return false;
		} else if (is_fg(p[i]) || is_bg(p[i])) {
			snprintf(to, COLOUR, "%d", p[i]);
		} else if (pen->attrs == PARAMETERS) {
			return false;
		} else {
			pen->attr[pen->attrs++] = p[i];
		}
	}
	pen->any = true;
	return true;
}

static void add_parameter(char *to, size_t size, const char *parameter)
{
	const size_t n = strlen(to);
	snprintf(to + n, size - n, "%s%s", n ? ";" : "", parameter);
}

/* Writes the one sequence; returns the length. */
static size_t write_pen(const struct pen *pen, char *to, size_t size)
{
	char all[200] = "";
	const char *fg = pen->reset && strcmp(pen->fg, "39") == 0 ? "" : pen->fg;
	const char *bg = pen->reset && strcmp(pen->bg, "49") == 0 ? "" : pen->bg;
	if (!pen->any)
		return 0;
	if (pen->reset && (pen->attrs || fg[0] || bg[0]))
		add_parameter(all, sizeof all, "0");
	for (int i = 0; i < pen->attrs; i++) {
		char text[16];
		snprintf(text, sizeof text, "%d", pen->attr[i]);
		add_parameter(all, sizeof all, text);
	}
	if (fg[0])
		add_parameter(all, sizeof all, fg);
	if (bg[0])
		add_parameter(all, sizeof all, bg);
	return (size_t)snprintf(to, size, "%s%sm", csi, all);
}

/* Reads the run of sequences at `text`: returns its length, and collects in `pen` what is set. */
static size_t read_run(const char *text, size_t n, struct pen *pen)
{
	enum { MOST = 32 };
	size_t at = 0;
	for (;;) {
		int p[MOST];
		const size_t len = sgr_length(text + at, n - at);
		if (len > 0) {
			struct pen more = *pen;
			const size_t count = numbers_in(text + at, len, p, MOST);
			if (count == MOST || !set_pen(&more, p, count))
				return at;
			*pen = more;
			at += len;
		} else if (begins_with(text + at, n - at, charset)) {
			at += sizeof charset - 1;
		} else {
			return at;
		}
	}
}

/* Whether another character set is chosen anywhere. */
static bool has_other_charset(const char *text, size_t n)
{
	for (size_t i = 0; i + 2 < n; i++)
		if (text[i] == '\033' && text[i + 1] == '(' && text[i + 2] != 'B')
			return true;
	return false;
}

size_t ui_squeeze(char *text, size_t n)
{
	size_t from = 0, to = 0;
	if (has_other_charset(text, n))
		return n;
	while (from < n) {
		struct pen pen = { .any = false };
		char sequence[240];
		const size_t run = text[from] == '\033' ? read_run(text + from, n - from, &pen) : 0;
		const size_t size = run ? write_pen(&pen, sequence, sizeof sequence) : 0;
		if (run == 0 || size > run) {
			const size_t same = run ? run : 1;
			memmove(text + to, text + from, same);
			to += same;
			from += same;
			continue;
		}
		memcpy(text + to, sequence, size);
		to += size;
		from += run;
	}
	return to;
}
