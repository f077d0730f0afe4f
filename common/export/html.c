/* SPDX-License-Identifier: MIT */
/*
 * A page to show stacks, complete without network and other files. The data is JSON:
 *
 *	nodes: depth, frame of each node, callers first; frames: names; classes: frames for classes
 *	places: where the function of each frame begins, " (file:line)", or ""
 *	values: [measure, thread, [node, value, ...]]; thread 0: figures of no named thread
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/export/export.h"
#include "common/export/json_text.h"
#include "common/export/page.h"

struct page {
	const struct pv_profile *p;
	const struct pv_export_options *o;
	FILE *out;
	bool *used;       /* by node: figures in the node or below */
	uint32_t *place;  /* by node: number in the page */
	uint32_t *number; /* by frame, also as a class: number in the page, from 1 */
	uint32_t frames;
	bool ok;
};

static void mark_used(struct page *w)
{
	for (size_t i = 0; i < w->p->row.n; i++)
		w->used[w->p->row.v[i].node] = true;
	for (size_t i = w->p->node.n; i-- > 1;)
		if (w->used[i])
			w->used[w->p->node.v[i].parent] = true;
}

static uint32_t *frame_slot(struct page *w, uint32_t frame)
{
	size_t class = frame & PV_FRAME_CLASS ? w->p->frame.v.n : 0;
	return &w->number[(frame & ~PV_FRAME_CLASS) + class];
}

static void put_led_json(struct page *w, const char *lead, const char *text)
{
	fputs(lead, w->out);
	w->ok = w->ok && text && pv_export_json(w->out, text);
}

static void put_page_frames(struct page *w)
{
	fputs(",\n\"frames\":[", w->out);
	for (size_t i = 1; w->ok && i < w->p->order.n; i++) {
		uint32_t node = w->p->order.v[i], frame = w->p->node.v[node].frame;
		if (!w->used[node] || *frame_slot(w, frame))
			continue;
		char *text = pv_profile_text(w->p, frame);
		put_led_json(w, w->frames ? ",\n" : "\n", text);
		free(text);
		*frame_slot(w, frame) = ++w->frames;
	}
	fputs("],\n\"classes\":[", w->out);
	size_t frames = w->p->frame.v.n;
	for (size_t i = 0, n = 0; i < frames; i++)
		if (w->number[frames + i])
			fprintf(w->out, "%s%" PRIu32, n++ ? "," : "", w->number[frames + i] - 1);
	putc(']', w->out);
}

/* " (file:line)"; NULL: out of memory. */
static char *place_text(const struct page *w, uint32_t frame)
{
	char *text = NULL, *file = pv_profile_file(w->p, frame);
	const uint32_t line = pv_profile_frame_of(w->p, frame)->start;
	int n = -1;
	if (file && !*file)
		return file;
	if (file && line)
		n = asprintf(&text, " (%s:%" PRIu32 ")", file, line);
	else if (file)
		n = asprintf(&text, " (%s)", file);
	free(file);
	return n < 0 ? NULL : text;
}

/* In the order of put_page_frames(). */
static void put_places(struct page *w)
{
	uint32_t places = 0;
	fputs(",\n\"places\":[", w->out);
	for (size_t i = 1; w->ok && i < w->p->order.n; i++) {
		uint32_t node = w->p->order.v[i], frame = w->p->node.v[node].frame;
		if (!w->used[node] || *frame_slot(w, frame) != places + 1)
			continue;
		char *text = place_text(w, frame);
		put_led_json(w, places++ ? "," : "", text);
		free(text);
	}
	putc(']', w->out);
}

static void put_nodes(struct page *w)
{
	uint32_t places = 0;
	fputs(",\n\"nodes\":[", w->out);
	for (size_t i = 1; i < w->p->order.n; i++) {
		uint32_t node = w->p->order.v[i];
		const struct pv_profile_node *n = &w->p->node.v[node];
		if (!w->used[node])
			continue;
		fprintf(w->out, "%s%" PRIu32 ",%" PRIu32, places ? "," : "", n->depth - 1,
			*frame_slot(w, n->frame) - 1);
		w->place[node] = places++;
	}
	putc(']', w->out);
}

static void put_values(struct page *w, const struct pv_measure *m, unsigned measure, bool *first)
{
	for (unsigned t = 0; t < w->p->thread.n; t++) {
		size_t from, n = pv_profile_rows(w->p, m->group, t, &from);
		bool begun = false;
		for (size_t i = from; i < from + n; i++) {
			const struct pv_profile_row *r = &w->p->row.v[i];
			if (!r->value[m->value])
				continue;
			if (!begun)
				fprintf(w->out, "%s[%u,%u,[", *first ? "\n" : ",\n", measure, t);
			fprintf(w->out, "%s%" PRIu32 ",%" PRIu64, begun ? "," : "",
				w->place[r->node], r->value[m->value]);
			begun = true;
			*first = false;
		}
		if (begun)
			fputs("]]", w->out);
	}
}

static void put_measures(struct page *w)
{
	unsigned n = 0;
	bool first = true;
	fputs(",\n\"measures\":[", w->out);
	for (size_t i = 0; i < PV_MEASURES; i++)
		if (pv_profile_has(w->p, &pv_measures[i]))
			fprintf(w->out, "%s{\"name\":\"%s\",\"unit\":\"%s\",\"title\":\"%s\"}",
				n++ ? "," : "", pv_measures[i].name, pv_measures[i].unit,
				pv_measures[i].title);
	fputs("],\n\"values\":[", w->out);
	n = 0;
	for (size_t i = 0; i < PV_MEASURES; i++)
		if (pv_profile_has(w->p, &pv_measures[i]))
			put_values(w, &pv_measures[i], n++, &first);
	putc(']', w->out);
}

static void put_threads(struct page *w)
{
	fputs(",\n\"threads\":[", w->out);
	put_led_json(w, "", w->p->thread.n > 1 ? "other threads" : "");
	for (size_t t = 1; w->ok && t < w->p->thread.n; t++) {
		char *text = NULL;
		const struct pv_profile_thread *thread = &w->p->thread.v[t];
		if (asprintf(&text, "%s%s0x%" PRIx64, thread->name, *thread->name ? " " : "",
			    thread->id) < 0)
			text = NULL;
		put_led_json(w, ",", text);
		free(text);
	}
	putc(']', w->out);
}

static void put_data(struct page *w)
{
	const struct pv_export_about *a = w->o->about;
	put_led_json(w, "{\"title\":", a->title);
	fputs(",\n\"about\":[", w->out);
	for (size_t i = 0; w->ok && i < a->line.n; i++)
		put_led_json(w, i ? "," : "", a->line.v[i]);
	putc(']', w->out);
	put_page_frames(w);
	put_places(w);
	put_nodes(w);
	put_measures(w);
	put_threads(w);
	putc('}', w->out);
}

bool pv_export_html(const struct pv_profile *p, const struct pv_export_options *o, FILE *out)
{
	struct page w = { .p = p, .o = o, .out = out };
	w.used = calloc(p->node.n, sizeof *w.used);
	w.place = calloc(p->node.n, sizeof *w.place);
	w.number = calloc(2 * p->frame.v.n + 2, sizeof *w.number);
	w.ok = w.used && w.place && w.number;
	if (w.ok) {
		mark_used(&w);
		fputs(pv_page_before, out);
		put_data(&w);
		fputs(pv_page_after, out);
	}
	free(w.used);
	free(w.place);
	free(w.number);
	return w.ok;
}
