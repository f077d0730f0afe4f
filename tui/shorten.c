#include "tui/shorten.h"

#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"

enum { NAME_MAX_BYTES = 1024 };

static const char hole[] = "…", wrapper[] = "(wrapper ";

/* Where the argument list of "Type:Method (int,string)" begins; NULL when there is none. */
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

/* The end of the part that takes at most `cells` columns from the front. */
static const char *head_of(const char *text, const char *end, int cells)
{
	while (text < end) {
		size_t len;
		cells -= pv_utf8_width(pv_utf8_next(text, end, &len));
		if (cells < 0)
			break;
		text += len;
	}
	return text;
}

/* The beginning of the part that takes at most `cells` columns at the end. */
static const char *tail_of(const char *text, const char *end, int cells)
{
	int all = 0;
	size_t len;
	for (const char *at = text; at < end; at += len)
		all += pv_utf8_width(pv_utf8_next(at, end, &len));
	while (text < end && all > cells) {
		all -= pv_utf8_width(pv_utf8_next(text, end, &len));
		text += len;
	}
	return text;
}

const char *ui_shorten(const char *name, int cells, char *buf, size_t size)
{
	if (pv_utf8_cells(name) <= cells || cells < 8)
		return name;
	char brief[NAME_MAX_BYTES];
	if (strncmp(name, wrapper, sizeof wrapper - 1) == 0 && strchr(name, ')')) {
		/* Which kind of wrapper it is says least of all. */
		snprintf(brief, sizeof brief, "(w)%s", strchr(name, ')') + 1);
		name = brief;
	}
	const char *args = arguments_of(name), *end = name + strlen(name);
	snprintf(buf, size, "%s", name);
	if (pv_utf8_cells(buf) <= cells)
		return buf;
	int n = snprintf(buf, size, "%.*s(%s)", args ? (int)(args - name) : 0, name, hole);
	if (args && (size_t)n < size && pv_utf8_cells(buf) <= cells)
		return buf;
	if (args) {
		end = args;
		while (end > name && end[-1] == ' ')
			end--;
	}
	int front = (cells - 1) * 2 / 5;
	const char *head = head_of(name, end, front), *tail = tail_of(name, end, cells - 1 - front);
	if (tail <= head)
		snprintf(buf, size, "%.*s", (int)(end - name), name);
	else
		snprintf(buf, size, "%.*s%s%.*s", (int)(head - name), name, hole, (int)(end - tail),
			tail);
	return buf;
}
