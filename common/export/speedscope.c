/* SPDX-License-Identifier: MIT */
/*
 * A file for speedscope: https://www.speedscope.app/file-format-schema.json. Each measure has a
 * profile of all threads, then a profile a thread; stacks have the outermost frame first.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/showable.h"
#include "common/export/export.h"
#include "common/export/json_text.h"

struct scope {
	const struct pv_profile *p;
	FILE *out;
	uint32_t *number; /* by frame, also as a class: place in the list, from 1 */
	uint32_t frames;
	bool first, ok;
};

static uint32_t *shared_frame_slot(struct scope *s, uint32_t frame)
{
	return &s->number[frame == PV_FRAME_CUT ? 0 : frame & ~PV_FRAME_CLASS];
}

/* The place of the function: speedscope takes frames at two lines for two functions. */
static void put_place(struct scope *s, uint32_t frame)
{
	const struct pv_profile_frame *f = pv_profile_frame_of(s->p, frame);
	char *file = f->file ? pv_profile_file(s->p, frame) : NULL;
	if (file) {
		fputs(",\"file\":", s->out);
		s->ok = s->ok && pv_export_json(s->out, file);
	}
	if (file && f->start)
		fprintf(s->out, ",\"line\":%" PRIu32, f->start);
	s->ok = s->ok && (file || !f->file);
	free(file);
}

static void put_shared_frame(struct scope *s, uint32_t frame)
{
	uint32_t *number = shared_frame_slot(s, frame);
	if (*number || !s->ok)
		return;
	char *text = pv_profile_text(s->p, frame);
	fputs(s->frames ? ",\n{\"name\":" : "\n{\"name\":", s->out);
	s->ok = text && pv_export_json(s->out, text);
	put_place(s, frame);
	putc('}', s->out);
	*number = ++s->frames;
	free(text);
}

static void put_shared_frames(struct scope *s)
{
	uint32_t frame[PV_STACK_FRAMES], class;
	fputs("\"shared\":{\"frames\":[", s->out);
	for (size_t i = 0; s->ok && i < s->p->row.n; i++) {
		size_t n = pv_profile_stack(s->p, s->p->row.v[i].node, frame, &class);
		for (size_t k = 0; k < n; k++)
			put_shared_frame(s, frame[k]);
		if (class)
			put_shared_frame(s, class);
	}
	fputs("]},\n", s->out);
}

static void put_sample(struct scope *s, const struct pv_profile_row *r, bool first)
{
	uint32_t frame[PV_STACK_FRAMES], class;
	size_t n = pv_profile_stack(s->p, r->node, frame, &class);
	fputs(first ? "[" : ",\n[", s->out);
	for (size_t i = 0; i < n; i++)
		fprintf(s->out, "%s%" PRIu32, i ? "," : "", *shared_frame_slot(s, frame[i]) - 1);
	if (class)
		fprintf(s->out, "%s%" PRIu32, n ? "," : "", *shared_frame_slot(s, class) - 1);
	putc(']', s->out);
}

static void put_rows(struct scope *s, const struct pv_measure *m, int thread, bool weights)
{
	bool first = true;
	for (unsigned t = 0; t < s->p->thread.n; t++) {
		size_t at, n = pv_profile_rows(s->p, m->group, t, &at);
		for (size_t i = at; (thread < 0 || (unsigned)thread == t) && i < at + n; i++) {
			const struct pv_profile_row *r = &s->p->row.v[i];
			if (!r->value[m->value])
				continue;
			if (weights)
				fprintf(s->out, "%s%" PRIu64, first ? "" : ",", r->value[m->value]);
			else
				put_sample(s, r, first);
			first = false;
		}
	}
}

/* "self time of calls, main 0x7f0012345678"; thread -1: all threads. */
static bool put_profile_name(struct scope *s, const struct pv_measure *m, int thread)
{
	char *name = NULL;
	int n = 0;
	if (thread < 0)
		n = asprintf(&name, "%s", m->title);
	else if (thread == 0)
		n = asprintf(&name, "%s, other threads", m->title);
	else
		n = asprintf(&name, "%s, thread %s 0x%" PRIx64, m->title,
			s->p->thread.v[thread].name, s->p->thread.v[thread].id);
	if (n < 0)
		return false;
	bool ok = pv_export_json(s->out, name);
	free(name);
	return ok;
}

static void put_profile(struct scope *s, const struct pv_measure *m, int thread)
{
	uint64_t sum =
		thread < 0 ? pv_profile_sum(s->p, m) : pv_profile_sum_of(s->p, m, (unsigned)thread);
	const char *unit = strcmp(m->unit, "count") == 0 ? "none" : m->unit;
	if (!s->ok || (thread >= 0 && sum == 0))
		return;
	fputs(s->first ? "{\"type\":\"sampled\",\"name\":" : ",\n{\"type\":\"sampled\",\"name\":",
		s->out);
	s->first = false;
	s->ok = put_profile_name(s, m, thread);
	fprintf(s->out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64 ",\"samples\":[",
		unit, sum);
	put_rows(s, m, thread, false);
	fputs("],\"weights\":[", s->out);
	put_rows(s, m, thread, true);
	fputs("]}", s->out);
}

static void put_profiles(struct scope *s)
{
	fputs("\"profiles\":[", s->out);
	for (size_t i = 0; i < PV_MEASURES; i++) {
		const struct pv_measure *m = &pv_measures[i];
		if (!pv_profile_has(s->p, m))
			continue;
		put_profile(s, m, -1);
		for (size_t t = 0; s->p->thread.n > 1 && t < s->p->thread.n; t++)
			put_profile(s, m, (int)t);
	}
	fputs("],\n", s->out);
}

bool pv_export_speedscope(const struct pv_profile *p, const struct pv_export_options *o, FILE *out)
{
	struct scope s = { .p = p, .out = out, .first = true, .ok = true };
	s.number = calloc(p->frame.v.n + 1, sizeof *s.number);
	if (!s.number)
		return false;
	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n", out);
	put_shared_frames(&s);
	put_profiles(&s);
	fputs("\"activeProfileIndex\":0,\"exporter\":\"profview@" PV_VERSION "\",\"name\":", out);
	s.ok = s.ok && pv_export_json_about(out, o->about);
	fputs("}\n", out);
	free(s.number);
	return s.ok;
}
