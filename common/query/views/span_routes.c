/* Spans of work by route; see span_routes.h. */
#include "common/query/span_routes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/map.h"
#include "common/base/saturate.h"
#include "common/base/status.h"
#include "common/base/utf8.h"
#include "common/model/model.h"

struct text {
	char *to;
	size_t n, size;
};

static void route_put(struct text *t, const char *from, size_t n)
{
	for (size_t i = 0; i < n && t->n + 1 < t->size; i++)
		t->to[t->n++] = from[i];
}

/* --- SQL: strings and numbers are left out, lists of them are one */

static bool is_sql(const char *name)
{
	static const char *const verbs[] = { "SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "EXEC",
		"MERGE", "CREATE", "PRAGMA", "BEGIN" };
	for (size_t i = 0; i < PV_COUNT_OF(verbs); i++) {
		const size_t n = strlen(verbs[i]);
		if (strncasecmp(name, verbs[i], n) == 0 && isspace((unsigned char)name[n]))
			return true;
	}
	return false;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '@' || c == '$' || (c & 0x80);
}

/* The end of the literal that begins here; `at` where none does. */
static const char *literal_end(const char *at, char before)
{
	const char *end = at;
	if (*at == '\'') {
		for (end++; *end && (*end != '\'' || end[1] == '\''); end++)
			end += *end == '\'';
		return *end ? end + 1 : end;
	}
	if (!isdigit((unsigned char)*at) || is_word(before))
		return at;
	while (isalnum((unsigned char)*end) || *end == '.')
		end++;
	return end;
}

/* Whether the text ends in "?," or "?, ": one more literal of a list adds nothing. */
static bool ends_in_list(const struct text *t)
{
	size_t n = t->n;
	while (n && t->to[n - 1] == ' ')
		n--;
	return n >= 2 && memcmp(t->to + n - 2, "?,", 2) == 0;
}

static void put_sql(struct text *t, const char *name)
{
	for (const char *at = name; *at;) {
		const char *end = literal_end(at, at > name ? at[-1] : ' ');
		if (end > at && ends_in_list(t))
			while (t->to[t->n - 1] != '?')
				t->n--;
		else if (end > at)
			route_put(t, "?", 1);
		else if (!isspace((unsigned char)*at))
			route_put(t, at, 1);
		else if (t->n && t->to[t->n - 1] != ' ')
			route_put(t, " ", 1);
		at = end > at ? end : at + 1;
	}
}

/* --- all else: parts between blanks and slashes */

/* A number, or hexadecimal digits and dashes as ids have them. */
static bool is_id(const char *part, size_t n)
{
	enum { ID_LEAST = 8 };
	size_t digits = 0, hex = 0, dashes = 0;
	for (size_t i = 0; i < n; i++) {
		digits += isdigit((unsigned char)part[i]) != 0;
		hex += isxdigit((unsigned char)part[i]) != 0;
		dashes += part[i] == '-';
	}
	return n && (digits == n || (n >= ID_LEAST && digits && hex && hex + dashes == n));
}

static void put_path(struct text *t, const char *name)
{
	size_t length = strlen(name);
	if (strchr(name, '/'))
		length = strcspn(name, "?#");
	for (size_t at = 0; at < length;) {
		size_t n = strcspn(name + at, "/ ");
		n = n < length - at ? n : length - at;
		if (is_id(name + at, n))
			route_put(t, "*", 1);
		else
			route_put(t, name + at, n);
		at += n;
		if (at < length)
			route_put(t, name + at++, 1);
	}
}

void pv_route_text(const char *name, char *to, size_t size)
{
	struct text t = { .to = to, .size = size };
	if (is_sql(name))
		put_sql(&t, name);
	else
		put_path(&t, name);
	to[t.n] = '\0';
	if (t.n + 1 == size)
		pv_utf8_cut(to, size);
}

static uint64_t add_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

uint64_t pv_route_row(const char *what, const char *route)
{
	uint64_t row = add_text(add_text(UINT64_C(0xcbf29ce484222325), what), route);
	return row && row != PV_ROW_OUTSIDE ? row : 1;
}

/* --- all spans of a log */

uint64_t pv_span_row(const struct pv_model *m, const struct pv_work *w)
{
	char route[PV_ROUTE_TEXT];
	pv_route_text(pv_intern_text(&m->names.text, w->name), route, sizeof route);
	return pv_route_row(pv_intern_text(&m->names.text, w->what), route);
}

void pv_route_each_span(const struct pv_model *m, uint64_t row, pv_route_fn *each, void *ctx)
{
	for (size_t i = 0; i < m->runtime.work.n; i++) {
		const struct pv_work *w = &m->runtime.work.v[i];
		if (pv_span_row(m, w) == row)
			each(ctx, w->start_ns, 0, 1, (double)w->took_ns);
	}
}

static struct pv_span_route *route_of(
	struct pv_span_routes *r, const struct pv_model *m, const struct pv_work *w)
{
	char text[PV_ROUTE_TEXT];
	pv_route_text(pv_intern_text(&m->names.text, w->name), text, sizeof text);
	const uint64_t row = pv_route_row(pv_intern_text(&m->names.text, w->what), text);
	const uint32_t at = pv_map_get(&r->at, row);
	struct pv_span_route new = { .what = w->what, .row = row };
	if (at != PV_MAP_NONE)
		return &r->route.v[at];
	if (!pv_reserve(&r->route, 1) || !pv_map_set(&r->at, row, (uint32_t)r->route.n) ||
		!pv_intern_add(&r->name, text, strlen(text), &new.name))
		return NULL;
	r->route.v[r->route.n++] = new;
	return &r->route.v[r->route.n - 1];
}

static int by_size(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

bool pv_span_routes_make(struct pv_span_routes *r, const struct pv_model *m)
{
	*r = (struct pv_span_routes){ .at = { 0 } };
	for (size_t i = 0; i < m->runtime.work.n; i++) {
		const struct pv_work *w = &m->runtime.work.v[i];
		struct pv_span_route *to = route_of(r, m, w);
		if (!to || !pv_reserve(&to->took, 1))
			return false;
		to->took.v[to->took.n++] = w->took_ns;
		to->sum_ns = pv_sat_add(to->sum_ns, w->took_ns);
		to->failed += w->failed;
	}
	for (size_t i = 0; i < r->route.n; i++)
		qsort(r->route.v[i].took.v, r->route.v[i].took.n, sizeof(int64_t), by_size);
	return true;
}

void pv_span_routes_finish(struct pv_span_routes *r)
{
	for (size_t i = 0; i < r->route.n; i++)
		pv_array_finish(&r->route.v[i].took);
	pv_array_finish(&r->route);
	pv_map_finish(&r->at);
	pv_intern_finish(&r->name);
}
