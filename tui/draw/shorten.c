/* SPDX-License-Identifier: MIT */
/* Shortens names: arguments, labels, namespace and at last the middle are left out. */
#include "tui/draw/shorten.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text/showable.h"

enum { NAME_MAX_BYTES = 1024 };

static const char hole[] = "…", wrapper[] = "(wrapper ";

/* Start of the argument list of "Type:Method (int,string)"; NULL when there is none. */
static const char *arguments_of(const char *name)
{
	size_t len = strlen(name);
	int depth = 0;
	if (len == 0 || name[len - 1] != ')')
		return NULL;
	for (const char *at = name + len; at > name; at--) {
		depth += at[-1] == ')';
		depth -= at[-1] == '(';
		if (depth == 0)
			return at - 1 > name ? at - 1 : NULL;
	}
	return NULL;
}

/* The end of the longest front part of at most `cells` columns. */
static const char *head_of(const char *text, const char *end, int cells)
{
	struct pv_showable s = pv_showable_begin(text, (size_t)(end - text));
	struct pv_shown c;
	while (pv_showable_next(&s, &c)) {
		cells -= c.cells;
		if (cells < 0)
			return c.from;
	}
	return end;
}

/* The beginning of the longest end part of at most `cells` columns. */
static const char *tail_of(const char *text, const char *end, int cells)
{
	struct pv_showable s = pv_showable_begin(text, (size_t)(end - text)), again = s;
	struct pv_shown c;
	int all = 0;
	while (pv_showable_next(&s, &c))
		all += c.cells;
	while (all > cells && pv_showable_next(&again, &c))
		all -= c.cells;
	return again.at;
}

/* --- namespaces --- */

static bool is_plain(char c)
{
	return isalnum((unsigned char)c) || c & 0x80 || (c && strchr("_$`<>()[]{}", c));
}

/* After the next "." or "::" outside of brackets; NULL: none, or no identifier in front. */
static const char *next_part(const char *at, const char *end)
{
	int depth = 0;
	for (; at < end; at++) {
		depth += strchr("<([{", *at) != NULL;
		depth -= depth && strchr(">)]}", *at);
		if (depth)
			continue;
		if (*at == '.' || (*at == ':' && at + 1 < end && at[1] == ':'))
			return at + (*at == '.' ? 1 : 2);
		if (!is_plain(*at))
			return NULL;
	}
	return NULL;
}

/* After the words before a name with a namespace, as "(w) " or "static ". */
static const char *first_part(const char *name, const char *end)
{
	const char *at = name;
	for (const char *c = name; c < end && *c != '.'; c++)
		at = *c == ' ' ? c + 1 : at;
	return at;
}

static int parts(const char *at, const char *end)
{
	int n = 0;
	for (; at; at = next_part(at, end))
		n++;
	return n;
}

/* Number of parts to keep together: class and method; or class, property and accessor. */
static int least_parts(const char *name, const char *end, bool method)
{
	bool accessor = end - name > 4 &&
			(memcmp(end - 4, ".get", 4) == 0 || memcmp(end - 4, ".set", 4) == 0);
	bool raw = memchr(name, ':', (size_t)(end - name)) && !strstr(name, "::");
	return accessor ? 3 : method && !raw ? 2 : 1;
}

/*
 * "…List<Item>" for "System.Collections.Generic.List<Item>": drops as much of the namespace as
 * needed. False: no fit, or so little left that both ends say more; `buf` then starts at the
 * outermost part to keep.
 */
static bool leave_namespace(const char *name, const char *end, const char *after, bool method,
	int cells, char *buf, size_t size)
{
	const char *from = first_part(name, end), *least = from;
	const int keep = least_parts(name, end, method);
	int left = parts(from, end);
	for (const char *at = next_part(from, end); at; at = next_part(at, end)) {
		left--;
		if (!isalnum((unsigned char)*at) || left < keep)
			break;
		snprintf(buf, size, "%.*s%s%.*s%s", (int)(from - name), name, hole, (int)(end - at),
			at, after);
		int n = pv_showable_cells(buf);
		if (n <= cells && (left > 1 || 2 * n > cells))
			return true;
		least = n > cells ? at : least;
	}
	snprintf(buf, size, "%.*s%.*s", (int)(from - name), name, (int)(end - least), least);
	return false;
}

/* --- labels --- */

/* After "key=", or `at` itself where no key is. */
static const char *value_of(const char *at)
{
	size_t n = strcspn(at, "=,{}");
	return at[n] == '=' ? at + n + 1 : at;
}

/* "duration{GET,/cart} p95" for "server.duration{method=GET,path=/cart} p95": the values of labels. */
static const char *leave_keys(const char *name, char *to, size_t size)
{
	const char *open = strchr(name, '{'), *close = strrchr(name, '}');
	if (!open || !close || value_of(open + 1) == open + 1 || strlen(name) >= size)
		return name;
	size_t n = (size_t)(open + 1 - name);
	memcpy(to, name, n);
	for (const char *at = value_of(open + 1); *at; at++) {
		to[n++] = *at;
		if (*at == ',' && at < close)
			at = value_of(at + 1) - 1;
	}
	to[n] = 0;
	return to;
}

/* Drops the shortest values, among equals the last: a route says more than a version. */
static bool leave_labels(const char *name, int cells, char *buf, size_t size)
{
	char text[NAME_MAX_BYTES];
	const char *close = strchr(name, '{') ? strrchr(name, '}') : NULL;
	int most = snprintf(text, sizeof text, "%.*s,%s%s", close ? (int)(close - name) : 0, name,
		hole, close ? close : "");
	while (close && most < (int)sizeof text) {
		char *end = strrchr(text, '}'), *shortest = NULL;
		size_t least = sizeof text, n = 0;
		for (char *at = strchr(text, '{') + 1; at < end && strncmp(at, hole, 3) != 0; n++) {
			size_t len = strcspn(at, ",");
			shortest = len <= least ? at : shortest;
			least = len <= least ? len : least;
			at += len + 1;
		}
		if (n < 2)
			return false;
		memmove(shortest, shortest + least + 1, strlen(shortest + least + 1) + 1);
		if (pv_showable_cells(text) <= cells) {
			snprintf(buf, size, "%s", text);
			return true;
		}
		if (leave_namespace(text, text + strlen(text), "", false, cells, buf, size))
			return true;
	}
	return false;
}

/* Digits right before `tail` that are of the number it begins with: half of one is another. */
static int digits_before(const char *from, const char *tail)
{
	int n = 0;
	while (isdigit((unsigned char)*tail) && tail - n > from &&
		isdigit((unsigned char)tail[-n - 1]))
		n++;
	return n;
}

const char *ui_shorten(const char *name, int cells, char *buf, size_t size)
{
	if (pv_showable_cells(name) <= cells || cells < 8)
		return name;
	char brief[NAME_MAX_BYTES], plain[NAME_MAX_BYTES];
	if (strncmp(name, wrapper, sizeof wrapper - 1) == 0 && strchr(name, ')')) {
		/* The kind of wrapper says least of all. */
		snprintf(brief, sizeof brief, "(w)%s", strchr(name, ')') + 1);
		name = brief;
	}
	name = leave_keys(name, plain, sizeof plain);
	const char *args = arguments_of(name), *end = name + strlen(name);
	snprintf(buf, size, "%s", name);
	if (pv_showable_cells(buf) <= cells)
		return buf;
	int n = snprintf(buf, size, "%.*s(%s)", args ? (int)(args - name) : 0, name, hole);
	if (args && (size_t)n < size && pv_showable_cells(buf) <= cells)
		return buf;
	if (args) {
		end = args;
		while (end > name && end[-1] == ' ')
			end--;
	}
	if (leave_namespace(name, end, args ? "(…)" : "", args, cells, buf, size) ||
		leave_labels(name, cells, buf, size) ||
		leave_namespace(name, end, "", args, cells, buf, size))
		return buf;
	char rest[NAME_MAX_BYTES];
	snprintf(rest, sizeof rest, "%s", buf);
	name = rest;
	end = rest + strlen(rest);
	int front = (cells - 1) * 2 / 5;
	const char *tail = tail_of(name, end, cells - 1 - front);
	const int more = digits_before(name, tail);
	if (more < front) {
		front -= more;
		tail -= more;
	}
	const char *head = head_of(name, end, front);
	if (tail <= head)
		snprintf(buf, size, "%.*s", (int)(end - name), name);
	else
		snprintf(buf, size, "%.*s%s%.*s", (int)(head - name), name, hole, (int)(end - tail),
			tail);
	return buf;
}
