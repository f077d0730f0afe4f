#include "tui/draw/shorten.h"

#include <stdio.h>
#include <string.h>

#include "common/base/showable.h"

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

/* The end of the part that takes at most `cells` columns from the front. */
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

/* The beginning of the part that takes at most `cells` columns at the end. */
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

const char *ui_shorten(const char *name, int cells, char *buf, size_t size)
{
	if (pv_showable_cells(name) <= cells || cells < 8)
		return name;
	char brief[NAME_MAX_BYTES];
	if (strncmp(name, wrapper, sizeof wrapper - 1) == 0 && strchr(name, ')')) {
		/* Which kind of wrapper it is says least of all. */
		snprintf(brief, sizeof brief, "(w)%s", strchr(name, ')') + 1);
		name = brief;
	}
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
	int front = (cells - 1) * 2 / 5;
	const char *head = head_of(name, end, front), *tail = tail_of(name, end, cells - 1 - front);
	if (tail <= head)
		snprintf(buf, size, "%.*s", (int)(end - name), name);
	else
		snprintf(buf, size, "%.*s%s%.*s", (int)(head - name), name, hole, (int)(end - tail),
			tail);
	return buf;
}
