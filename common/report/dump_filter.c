/* SPDX-License-Identifier: MIT */
/* Filters the lines of a dump, and turns lines into JSON or CSV. */
#include "common/report/dump_filter.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text/showable.h"

struct lines {
	FILE *out;
	const struct pv_dump_wish *wish;
	struct pv_filter *f; /* NULL: everything passes */
	bool begun;
	PV_ARRAY(char) line; /* the line so far */
};

/* "1007 0x7fb6 0.012 method.jit method=...": the words after the offset. */
struct event {
	const char *thread, *time, *kind, *rest;
	size_t thread_len, time_len, kind_len, rest_len;
	uint64_t offset;
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
	ret->offset = strtoull(word(&line, &len), NULL, 10);
	ret->thread = word(&line, &ret->thread_len);
	ret->time = word(&line, &ret->time_len);
	ret->kind = word(&line, &ret->kind_len);
	ret->rest = line + strspn(line, " ");
	ret->rest_len = strlen(ret->rest);
	return strncmp(ret->thread, "0x", 2) == 0 && ret->kind_len;
}

static bool event_holds(const void *of, const struct pv_filter_leaf *leaf)
{
	const struct event *e = of;
	bool any = leaf->field == PV_FILTER_ANY;
	if ((any || leaf->field == PV_FILTER_KIND) &&
		pv_filter_text_has(leaf, e->kind, e->kind_len))
		return true;
	if ((any || leaf->field == PV_FILTER_THREAD) &&
		pv_filter_line_has(leaf, e->thread, e->thread_len))
		return true;
	return leaf->field != PV_FILTER_KIND && leaf->field != PV_FILTER_THREAD &&
	       pv_filter_line_has(leaf, e->rest, e->rest_len);
}

/* "-1.000000002" -> ns. */
static int64_t event_time(const struct event *e)
{
	bool minus = e->time[0] == '-';
	char *end;
	uint64_t seconds = strtoull(e->time + minus, &end, 10), ns = 0;
	if (*end == '.')
		ns = strtoull(end + 1, NULL, 10);
	uint64_t all = seconds < INT64_MAX / 1000000000 ? seconds * 1000000000 + ns : INT64_MAX;
	return minus ? -(int64_t)all : (int64_t)all;
}

/* "gc" includes "gc.event", "gc.move" and so on. */
static bool is_of_kind(const struct event *e, const char *kinds)
{
	for (const char *at = kinds; *at;) {
		size_t len = strcspn(at, ",");
		if (len && len <= e->kind_len && strncmp(e->kind, at, len) == 0 &&
			(len == e->kind_len || e->kind[len] == '.'))
			return true;
		at += len + (at[len] == ',');
	}
	return false;
}

static bool event_passes(const struct lines *l, const struct event *e)
{
	const struct pv_dump_wish *w = l->wish;
	int64_t ns = w->ranged ? event_time(e) : 0;
	if (w->ranged && (ns < w->from_ns || ns >= w->to_ns))
		return false;
	if (w->thread && (strlen(w->thread) != e->thread_len ||
				 strncmp(w->thread, e->thread, e->thread_len) != 0))
		return false;
	if (w->kind && !is_of_kind(e, w->kind))
		return false;
	return !l->f || pv_filter_passes(l->f, event_holds, e);
}

static bool leaves_out(const struct pv_dump_wish *w)
{
	return (w->filter && *w->filter) || w->kind || w->thread || w->ranged;
}

bool pv_dump_wishes(const struct pv_dump_wish *w)
{
	return leaves_out(w) || w->form != PV_DUMP_TEXT;
}

/* --- other forms --- */

static bool put_json_text(FILE *out, const char *text, size_t len)
{
	char *json = pv_showable_json(text, len);
	if (json)
		fputs(json, out);
	free(json);
	return json != NULL;
}

static bool put_event_json(FILE *out, const struct event *e)
{
	fprintf(out, "{\"offset\":%" PRIu64 ",\"thread\":", e->offset);
	bool ok = put_json_text(out, e->thread, e->thread_len);
	fprintf(out, ",\"time_ns\":%" PRId64 ",\"kind\":", event_time(e));
	ok = ok && put_json_text(out, e->kind, e->kind_len);
	fputs(",\"fields\":", out);
	ok = ok && put_json_text(out, e->rest, e->rest_len);
	fputs("}\n", out);
	return ok;
}

/* "  12 damage: 4 bytes" -> {"offset":12,"damage":"4 bytes"} */
static bool put_json_note(FILE *out, const char *line)
{
	size_t len;
	uint64_t offset = strtoull(word(&line, &len), NULL, 10);
	const char *what = word(&line, &len);
	len -= len > 0 && what[len - 1] == ':';
	line += strspn(line, " ");
	fprintf(out, "{\"offset\":%" PRIu64 ",", offset);
	bool ok = put_json_text(out, what, len);
	fputs(":", out);
	ok = ok && put_json_text(out, line, strlen(line));
	fputs("}\n", out);
	return ok;
}

static void put_csv_text(FILE *out, const char *text, size_t len)
{
	putc('"', out);
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"')
			putc('"', out);
		putc(text[i], out);
	}
	putc('"', out);
}

static void put_csv(FILE *out, const struct event *e)
{
	fprintf(out, "%" PRIu64 ",", e->offset);
	fwrite(e->thread, 1, e->thread_len, out);
	fprintf(out, ",%" PRId64 ",", event_time(e));
	fwrite(e->kind, 1, e->kind_len, out);
	putc(',', out);
	put_csv_text(out, e->rest, e->rest_len);
	putc('\n', out);
}

static bool is_buffer(const char *line)
{
	size_t len;
	word(&line, &len);
	const char *what = word(&line, &len);
	return strncmp(what, "buffer:", 7) == 0 || strncmp(what, "block:", 6) == 0;
}

/* The dump has made the line showable. */
static bool put_line(struct lines *l, const char *line)
{
	struct event e;
	bool event = is_event(line, &e);
	if (event ? !event_passes(l, &e) : is_buffer(line) && leaves_out(l->wish))
		return true;
	if (l->wish->form == PV_DUMP_CSV && !l->begun)
		fputs("offset,thread,time_ns,kind,fields\n", l->out);
	l->begun = true;
	if (l->wish->form == PV_DUMP_JSON &&
		!(event ? put_event_json(l->out, &e) : put_json_note(l->out, line)))
		return false;
	if (l->wish->form == PV_DUMP_CSV && event)
		put_csv(l->out, &e);
	if (l->wish->form == PV_DUMP_TEXT)
		fprintf(l->out, "%s\n", line);
	return !ferror(l->out);
}

static bool end_line(struct lines *l)
{
	if (!pv_reserve(&l->line, 1))
		return false;
	l->line.v[l->line.n] = 0;
	l->line.n = 0;
	return put_line(l, l->line.v);
}

static ssize_t take_dump(void *cookie, const char *bytes, size_t n)
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

FILE *pv_dump_filter(FILE *out, const struct pv_dump_wish *w, struct pv_filter_error *reterr)
{
	bool asks = w->filter && *w->filter;
	struct lines *l = calloc(1, sizeof *l);
	struct pv_filter *f =
		asks ? pv_filter_make(w->filter, PV_FILTER_CAPITALS, NULL, 0, reterr) : NULL;
	const cookie_io_functions_t io = { .write = take_dump, .close = end };
	FILE *stream = l && (f || !asks) ? fopencookie(l, "w", io) : NULL;
	if (stream) {
		*l = (struct lines){ .out = out, .wish = w, .f = f };
		return stream;
	}
	reterr->no_memory = reterr->no_memory || f || !asks;
	pv_filter_free(f);
	free(l);
	return NULL;
}
