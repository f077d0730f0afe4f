/* SPDX-License-Identifier: MIT */
/*
 * A profile.proto, gzipped, for Go's pprof and readers of pprof's files. The wire format of
 * protocol buffers is varints and length-delimited fields; field numbers are as in
 * https://github.com/google/pprof/blob/main/proto/profile.proto.
 *
 * Field order is free, so samples come first and the strings used last. A function's system name
 * differs from its name: pprof simplifies equal names as C++ names, and overloads would become one.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/export/export.h"

enum { ROOM = 1 << 16 };

struct message {
	PV_ARRAY(uint8_t) byte;
};

struct pprof {
	const struct pv_profile *p;
	const struct pv_export_options *o;
	FILE *out;
	z_stream z;
	uint8_t *packed;
	struct pv_intern text; /* id 0 is "", as the format demands */
	uint32_t *number;      /* by frame: number of the location, from 1; 0: none yet */
	PV_ARRAY(uint32_t) frame;
	struct pv_map function; /* name << 32 | file -> number, from 1 */
	const struct pv_measure *measure[PV_MEASURES];
	size_t measures;
	struct message message, inner;
	bool ok;
};

/* --- messages */

static void put_byte(struct pprof *w, struct message *m, uint8_t byte)
{
	w->ok = w->ok && pv_reserve(&m->byte, 1);
	if (w->ok)
		m->byte.v[m->byte.n++] = byte;
}

static void put_varint(struct pprof *w, struct message *m, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		put_byte(w, m, (uint8_t)(v | 0x80));
	put_byte(w, m, (uint8_t)v);
}

/* Leaves out a 0: readers take missing numbers for 0. */
static void put_number(struct pprof *w, struct message *m, unsigned field, uint64_t v)
{
	if (!v)
		return;
	put_varint(w, m, field << 3);
	put_varint(w, m, v);
}

static void put_inner(struct pprof *w, struct message *m, unsigned field, struct message *inner)
{
	put_varint(w, m, field << 3 | 2);
	put_varint(w, m, inner->byte.n);
	for (size_t i = 0; i < inner->byte.n; i++)
		put_byte(w, m, inner->byte.v[i]);
	inner->byte.n = 0;
}

static uint64_t text_id(struct pprof *w, const char *text)
{
	uint32_t id = 0;
	w->ok = w->ok && pv_intern_add(&w->text, text, strlen(text), &id);
	return id;
}

/* --- the compressed stream */

static void deflate_all(struct pprof *w, int flush)
{
	do {
		w->z.next_out = w->packed;
		w->z.avail_out = ROOM;
		deflate(&w->z, flush);
		fwrite(w->packed, 1, ROOM - w->z.avail_out, w->out);
	} while (w->z.avail_out == 0);
}

static void put_bytes(struct pprof *w, const uint8_t *byte, size_t n)
{
	while (w->ok && n) {
		uInt part = n < ROOM ? (uInt)n : ROOM;
		w->z.next_in = (Bytef *)(uintptr_t)byte;
		w->z.avail_in = part;
		deflate_all(w, Z_NO_FLUSH);
		byte += part;
		n -= part;
	}
}

/* A length-delimited field of the profile itself. */
static void put_field(struct pprof *w, unsigned field, const void *byte, size_t n)
{
	struct message head = { 0 };
	put_varint(w, &head, field << 3 | 2);
	put_varint(w, &head, n);
	put_bytes(w, head.byte.v, head.byte.n);
	put_bytes(w, byte, n);
	pv_array_finish(&head.byte);
}

static void put_message(struct pprof *w, unsigned field)
{
	put_field(w, field, w->message.byte.v, w->message.byte.n);
	w->message.byte.n = 0;
}

static void put_own_number(struct pprof *w, unsigned field, uint64_t v)
{
	put_number(w, &w->message, field, v);
	put_bytes(w, w->message.byte.v, w->message.byte.n);
	w->message.byte.n = 0;
}

/* --- measures */

static const char *sample_type_of(const struct pprof *w, const struct pv_measure *m)
{
	return strcmp(m->name, "cpu") == 0 && w->p->wall ? "wall" : m->type;
}

static void fill_type(struct pprof *w, const char *type, const char *unit)
{
	put_number(w, &w->message, 1, text_id(w, type));
	put_number(w, &w->message, 2, text_id(w, unit));
}

static void put_types(struct pprof *w)
{
	for (size_t i = 0; i < PV_MEASURES; i++) {
		const struct pv_measure *m = &pv_measures[i];
		if (!pv_profile_has(w->p, m))
			continue;
		w->measure[w->measures++] = m;
		fill_type(w, sample_type_of(w, m), m->unit);
		put_message(w, 1);
	}
}

/* The type shown first: time or bytes rather than counts, of the log's first group. */
static const char *default_type(const struct pprof *w)
{
	const struct pv_measure *m = w->measure[0];
	if (w->measures > 1 && w->measure[1]->group == m->group)
		m = w->measure[1];
	return sample_type_of(w, m);
}

/* --- samples */

static uint32_t function_number(struct pprof *w, uint32_t frame)
{
	uint32_t *number = &w->number[frame == PV_FRAME_CUT ? 0 : frame];
	if (!*number && pv_reserve(&w->frame, 1)) {
		w->frame.v[w->frame.n++] = frame;
		*number = (uint32_t)w->frame.n;
	}
	w->ok = w->ok && *number;
	return *number;
}

static void put_label(struct pprof *w, const char *key, const char *text)
{
	put_number(w, &w->inner, 1, text_id(w, key));
	put_number(w, &w->inner, 2, text_id(w, text));
	put_inner(w, &w->message, 3, &w->inner);
}

static void put_labels(struct pprof *w, const struct pv_profile_row *r, uint32_t class)
{
	const struct pv_profile_thread *t = &w->p->thread.v[r->thread];
	char id[24];
	if (r->thread) {
		snprintf(id, sizeof id, "0x%" PRIx64, t->id);
		put_label(w, "thread", *t->name ? t->name : id);
		put_label(w, "tid", id);
	}
	char *name = class ? pv_profile_text(w->p, class) : NULL;
	w->ok = w->ok && (name || !class);
	if (name)
		put_label(w, "class", name);
	free(name);
}

static void put_sample(struct pprof *w, const struct pv_profile_row *r)
{
	uint32_t frame[PV_STACK_FRAMES], class;
	size_t n = pv_profile_stack(w->p, r->node, frame, &class);
	while (n-- > 0)
		put_varint(w, &w->inner, function_number(w, frame[n]));
	put_inner(w, &w->message, 1, &w->inner);
	for (size_t i = 0; i < w->measures; i++) {
		const struct pv_measure *m = w->measure[i];
		uint64_t v = m->group == r->group ? r->value[m->value] : 0;
		put_varint(w, &w->inner, v < INT64_MAX ? v : INT64_MAX);
	}
	put_inner(w, &w->message, 2, &w->inner);
	put_labels(w, r, class);
	put_message(w, 2);
}

/* --- tables */

/* One mapping for all: its marks keep a reader from searching a file for symbols. */
static void put_mapping(struct pprof *w)
{
	put_number(w, &w->message, 1, 1);
	put_number(w, &w->message, 5, text_id(w, w->o->about->title));
	for (unsigned field = 7; field <= 10; field++)
		put_number(w, &w->message, field, 1);
	put_message(w, 3);
}

static void put_function(struct pprof *w, uint32_t number, uint32_t frame)
{
	char system[24], *name = pv_profile_text(w->p, frame), *file = pv_profile_file(w->p, frame);
	snprintf(system, sizeof system, "#%" PRIu32, number);
	w->ok = w->ok && name && file;
	if (w->ok) {
		put_number(w, &w->message, 1, number);
		put_number(w, &w->message, 2, text_id(w, name));
		put_number(w, &w->message, 3, text_id(w, system));
		put_number(w, &w->message, 4, text_id(w, file));
		put_number(w, &w->message, 5, pv_profile_frame_of(w->p, frame)->start);
		put_message(w, 5);
	}
	free(name);
	free(file);
}

/* The number of the frame's function; writes a new function. */
static uint32_t function_of(struct pprof *w, uint32_t frame)
{
	const struct pv_profile_frame *f = pv_profile_frame_of(w->p, frame);
	const uint64_t key = frame == PV_FRAME_CUT ? UINT64_MAX : (uint64_t)f->text << 32 | f->file;
	uint32_t number = pv_map_get(&w->function, key);
	if (number != PV_MAP_NONE)
		return number;
	number = (uint32_t)w->function.n + 1;
	w->ok = w->ok && pv_map_set(&w->function, key, number);
	put_function(w, number, frame);
	return number;
}

static void put_location(struct pprof *w, uint32_t number, uint32_t frame)
{
	const uint32_t function = function_of(w, frame);
	put_number(w, &w->message, 1, number);
	put_number(w, &w->message, 2, 1);
	put_number(w, &w->inner, 1, function);
	put_number(w, &w->inner, 2, pv_profile_frame_of(w->p, frame)->line);
	put_inner(w, &w->message, 4, &w->inner);
	put_message(w, 4);
}

static void put_comments(struct pprof *w)
{
	const struct pv_export_about *a = w->o->about;
	for (size_t i = 0; i < a->line.n; i++)
		put_own_number(w, 13, text_id(w, a->line.v[i]));
	if (w->p->groups & 1u << PV_GROUP_OF_CALLS)
		put_own_number(w, 13,
			text_id(w, "calls: what a function has together with those below it is no "
				   "number of its calls"));
}

static void put_times(struct pprof *w)
{
	const struct pv_export_about *a = w->o->about;
	uint64_t start = a->start_time_ms < INT64_MAX / 1000000 ? a->start_time_ms * 1000000 : 0;
	put_own_number(w, 9, start);
	put_own_number(w, 10, a->duration_ns > 0 ? (uint64_t)a->duration_ns : 0);
	if (w->p->period_ns && w->p->groups & 1u << PV_GROUP_OF_SAMPLES) {
		fill_type(w, w->p->wall ? "wall" : "cpu", "nanoseconds");
		put_message(w, 11);
		put_own_number(w, 12, w->p->period_ns);
	}
	put_own_number(w, 14, text_id(w, default_type(w)));
}

static void put_profile(struct pprof *w)
{
	put_types(w);
	for (size_t i = 0; w->ok && i < w->p->row.n; i++)
		put_sample(w, &w->p->row.v[i]);
	put_mapping(w);
	for (size_t i = 0; w->ok && i < w->frame.n; i++)
		put_location(w, (uint32_t)i + 1, w->frame.v[i]);
	put_times(w);
	put_comments(w);
	for (uint32_t i = 0; w->ok && i < w->text.text.n; i++) {
		const char *text = pv_intern_text(&w->text, i);
		put_field(w, 6, text, strlen(text));
	}
}

bool pv_export_pprof(const struct pv_profile *p, const struct pv_export_options *o, FILE *out)
{
	enum { GZIP = 16 + MAX_WBITS };
	struct pprof w = { .p = p, .o = o, .out = out };
	w.packed = malloc(ROOM);
	w.number = calloc(p->frame.v.n + 1, sizeof *w.number);
	w.ok = w.packed && w.number &&
	       deflateInit2(&w.z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, 8, Z_DEFAULT_STRATEGY) ==
		       Z_OK;
	if (w.ok) {
		(void)text_id(&w, "");
		put_profile(&w);
		w.z.avail_in = 0;
		deflate_all(&w, Z_FINISH);
		deflateEnd(&w.z);
	}
	free(w.packed);
	free(w.number);
	pv_intern_finish(&w.text);
	pv_array_finish(&w.frame);
	pv_map_finish(&w.function);
	pv_array_finish(&w.message.byte);
	pv_array_finish(&w.inner.byte);
	return w.ok;
}
