/* Parts of raw names, and text that is being written. */
#include "common/base/readable_parts.h"

void pv_name_put(struct pv_name_out *o, const char *at, size_t len)
{
	o->full = o->full || len >= o->room - o->n;
	if (o->full)
		return;
	memcpy(o->to + o->n, at, len);
	o->n += len;
}

void pv_name_text(struct pv_name_out *o, const char *text)
{
	pv_name_put(o, text, strlen(text));
}

/* --- parts */

bool pv_part_is(struct pv_part p, const char *text)
{
	return p.len == strlen(text) && memcmp(p.at, text, p.len) == 0;
}

bool pv_part_begins(struct pv_part p, const char *text)
{
	size_t n = strlen(text);
	return p.len >= n && memcmp(p.at, text, n) == 0;
}

struct pv_part pv_part_from(struct pv_part p, size_t at)
{
	at = at < p.len ? at : p.len;
	return (struct pv_part){ p.at + at, p.len - at };
}

struct pv_part pv_part_until(struct pv_part p, size_t end)
{
	return (struct pv_part){ p.at, end < p.len ? end : p.len };
}

static bool opens(char c)
{
	return c == '<' || c == '(' || c == '[';
}

static bool closes(char c)
{
	return c == '>' || c == ')' || c == ']';
}

size_t pv_part_find(struct pv_part p, const char *of)
{
	const char one = of[0], other = of[1] ? of[1] : of[0];
	size_t depth = 0;
	for (size_t i = 0; i < p.len; i++) {
		const char c = p.at[i];
		if (depth == 0 && (c == one || c == other))
			return i;
		if (c > ']') /* most are letters */
			continue;
		depth += opens(c);
		depth -= closes(c) && depth > 0;
	}
	return p.len;
}

size_t pv_part_close(struct pv_part p)
{
	size_t depth = 0;
	for (size_t i = 0; i < p.len; i++) {
		depth += opens(p.at[i]);
		if (closes(p.at[i]) && --depth == 0)
			return i;
	}
	return p.len;
}

bool pv_part_inside(struct pv_part p, struct pv_part *ret)
{
	if (p.len < 2 || !opens(p.at[0]) || pv_part_close(p) != p.len - 1)
		return false;
	*ret = pv_part_until(pv_part_from(p, 1), p.len - 2);
	return true;
}

void pv_name_plain(struct pv_name_out *o, struct pv_part name)
{
	const char *tick = memchr(name.at, '`', name.len);
	pv_name_put(o, name.at, tick ? (size_t)(tick - name.at) : name.len);
}

struct pv_part pv_name_without_space(struct pv_part name)
{
	size_t at;
	while ((at = pv_part_find(name, ".")) < name.len)
		name = pv_part_from(name, at + 1);
	return name;
}
