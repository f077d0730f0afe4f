#include "common/report/dump_filter.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

struct lines {
	FILE *out;
	struct pv_filter *f;
	PV_ARRAY(char) line; /* as far as it has come */
};

/* "1007 0x7fb6 0.012 method.jit method=...": the words after the offset. */
struct event {
	const char *thread, *kind, *rest;
	size_t thread_len, kind_len, rest_len;
};

static const char *word(const char **at, size_t *len)
{
	const char *start = *at + strspn(*at, " ");
	*len = strcspn(start, " ");
	*at = start + *len;
	return start;
}

static bool is_event(const char *line, struct event *ret)
{
	size_t len;
	word(&line, &len);
	ret->thread = word(&line, &ret->thread_len);
	word(&line, &len);
	ret->kind = word(&line, &ret->kind_len);
	ret->rest = line;
	ret->rest_len = strlen(line);
	return strncmp(ret->thread, "0x", 2) == 0 && ret->kind_len;
}

static bool holds(const void *of, const struct pv_filter_leaf *leaf)
{
	const struct event *e = of;
	bool any = leaf->field == PV_FILTER_ANY;
	if ((any || leaf->field == PV_FILTER_KIND) &&
		pv_filter_text_has(leaf, e->kind, e->kind_len))
		return true;
	if ((any || leaf->field == PV_FILTER_THREAD) &&
		pv_filter_text_has(leaf, e->thread, e->thread_len))
		return true;
	return leaf->field != PV_FILTER_KIND && leaf->field != PV_FILTER_THREAD &&
	       pv_filter_text_has(leaf, e->rest, e->rest_len);
}

static bool is_wanted(const struct lines *l)
{
	struct event e;
	const char *line = l->line.v, *at = line;
	size_t len;
	if (is_event(line, &e))
		return pv_filter_passes(l->f, holds, &e);
	word(&at, &len);
	const char *what = word(&at, &len);
	return strncmp(what, "buffer:", 7) != 0 && strncmp(what, "block:", 6) != 0;
}

/* The line has been made showable by the dump. */
static bool end_line(struct lines *l)
{
	size_t n = l->line.n;
	if (!pv_reserve(&l->line, 2))
		return false;
	l->line.v[n] = 0;
	bool wanted = is_wanted(l);
	l->line.v[n] = '\n';
	l->line.n = 0;
	return !wanted || fwrite(l->line.v, 1, n + 1, l->out) == n + 1;
}

static ssize_t take(void *cookie, const char *bytes, size_t n)
{
	struct lines *l = cookie;
	for (size_t at = 0; at < n;) {
		const char *end = memchr(bytes + at, '\n', n - at);
		size_t len = end ? (size_t)(end - bytes) - at : n - at;
		if (!pv_reserve(&l->line, len + 1))
			return 0;
		memcpy(l->line.v + l->line.n, bytes + at, len);
		l->line.n += len;
		at += len + (end != NULL);
		if (end && !end_line(l))
			return 0;
	}
	return fflush(l->out) == 0 ? (ssize_t)n : 0;
}

static int end(void *cookie)
{
	struct lines *l = cookie;
	bool ok = l->line.n == 0 || end_line(l);
	pv_filter_free(l->f);
	pv_array_finish(&l->line);
	free(l);
	return ok ? 0 : EOF;
}

FILE *pv_dump_filter(FILE *out, const char *text, struct pv_filter_error *reterr)
{
	struct lines *l = calloc(1, sizeof *l);
	struct pv_filter *f = pv_filter_make(text, PV_FILTER_CAPITALS, NULL, 0, reterr);
	const cookie_io_functions_t io = { .write = take, .close = end };
	FILE *stream = l && f ? fopencookie(l, "w", io) : NULL;
	if (stream) {
		*l = (struct lines){ .out = out, .f = f };
		return stream;
	}
	reterr->no_memory = reterr->no_memory || f;
	pv_filter_free(f);
	free(l);
	return NULL;
}
