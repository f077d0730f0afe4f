/* SPDX-License-Identifier: MIT */
#include "tests/kit/nt_kit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/format/batch_event.h"

/* --- numbers */

void nt_kit_u8(struct nt_kit *k, unsigned v)
{
	if (k->n >= sizeof k->bytes)
		abort();
	k->bytes[k->n++] = (uint8_t)v;
}

static void little(struct nt_kit *k, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		nt_kit_u8(k, (unsigned)(v >> 8 * i & 0xff));
}

void nt_kit_u16(struct nt_kit *k, unsigned v)
{
	little(k, v, 2);
}

void nt_kit_u32(struct nt_kit *k, uint64_t v)
{
	little(k, v, 4);
}

void nt_kit_u64(struct nt_kit *k, uint64_t v)
{
	little(k, v, 8);
}

void nt_kit_var(struct nt_kit *k, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		nt_kit_u8(k, (unsigned)(v & 0x7f) | 0x80);
	nt_kit_u8(k, (unsigned)v);
}

static void raw(struct nt_kit *k, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		nt_kit_u8(k, (unsigned char)bytes[i]);
}

void nt_kit_text(struct nt_kit *k, const char *text)
{
	nt_kit_var(k, strlen(text));
	raw(k, text, strlen(text));
}

/* --- blocks */

void nt_kit_start(struct nt_kit *k)
{
	raw(k, "Nettrace", 8);
	nt_kit_u32(k, 0);
	nt_kit_u32(k, 6);
	nt_kit_u32(k, 99); /* a minor version is no reason to refuse it */
	nt_kit_open(k, NT_KIT_TRACE);
	static const unsigned date[] = { 2026, 3, 2, 17, 12, 30, 1, 250 };
	for (size_t i = 0; i < PV_COUNT_OF(date); i++)
		nt_kit_u16(k, date[i]);
	nt_kit_u64(k, 1000000);
	nt_kit_u64(k, 1000000000);
	nt_kit_u32(k, 8);
	nt_kit_u32(k, 2);
	nt_kit_text(k, "HardwareThreadCount");
	nt_kit_text(k, "4");
	nt_kit_text(k, "ProcessId");
	nt_kit_text(k, "77");
	nt_kit_close(k);
}

void nt_kit_open(struct nt_kit *k, enum nt_kit_block kind)
{
	k->kind = kind;
	nt_kit_u32(k, 0);
	k->body = k->n;
	k->seq = k->time = 0;
	if (kind == NT_KIT_METADATA)
		nt_kit_u16(k, 0);
	if (kind != NT_KIT_EVENTS)
		return;
	nt_kit_u16(k, 24); /* longer than it has to be */
	nt_kit_u16(k, 1);
	nt_kit_u64(k, 0);
	nt_kit_u64(k, 0);
	nt_kit_u32(k, 0xdeadbeef);
}

void nt_kit_close(struct nt_kit *k)
{
	size_t n = k->n - k->body;
	for (int i = 0; i < 3; i++)
		k->bytes[k->body - 4 + (size_t)i] = (uint8_t)(n >> 8 * i);
	k->bytes[k->body - 1] = (uint8_t)k->kind;
}

void nt_kit_row(struct nt_kit *k)
{
	nt_kit_u16(k, 0);
	k->row = k->n;
}

void nt_kit_row_end(struct nt_kit *k)
{
	size_t n = k->n - k->row;
	k->bytes[k->row - 2] = (uint8_t)n;
	k->bytes[k->row - 1] = (uint8_t)(n >> 8);
}

void nt_kit_describe(struct nt_kit *k, uint32_t id, const char *provider, uint32_t event,
	const char *name, const char *fields, size_t n)
{
	nt_kit_open(k, NT_KIT_METADATA);
	nt_kit_row(k);
	nt_kit_var(k, id);
	nt_kit_text(k, provider);
	nt_kit_var(k, event);
	nt_kit_text(k, name);
	raw(k, fields, n);
	nt_kit_u16(k,
		9 + 2 + 1 + 3 + 3); /* keywords, level, a text, key and value; then what is new */
	nt_kit_u8(k, 3);
	nt_kit_u64(k, 0x10);
	nt_kit_u8(k, 8);
	nt_kit_u8(k, 4);
	nt_kit_u8(k, 5);
	nt_kit_text(k, "");
	nt_kit_u8(k, 6);
	nt_kit_text(k, "a");
	nt_kit_text(k, "");
	nt_kit_u8(k, 200);
	raw(k, "more", 4); /* of the row, and not read */
	nt_kit_row_end(k);
	nt_kit_close(k);
}

void nt_kit_thread(struct nt_kit *k, uint64_t index, uint32_t pid, uint64_t tid, const char *name)
{
	nt_kit_open(k, NT_KIT_THREADS);
	nt_kit_row(k);
	nt_kit_var(k, index);
	nt_kit_u8(k, 4);
	nt_kit_text(k, "pool");
	nt_kit_text(k, "yes");
	nt_kit_u8(k, 2);
	nt_kit_var(k, pid);
	nt_kit_u8(k, 3);
	nt_kit_var(k, tid);
	nt_kit_u8(k, 1);
	nt_kit_text(k, name);
	nt_kit_row_end(k);
	nt_kit_close(k);
}

void nt_kit_point(struct nt_kit *k, uint32_t flags, uint64_t index, uint32_t seq)
{
	nt_kit_open(k, NT_KIT_POINT);
	nt_kit_u64(k, 5000000);
	nt_kit_u32(k, flags);
	nt_kit_u32(k, 1);
	nt_kit_var(k, index);
	nt_kit_var(k, seq);
	nt_kit_close(k);
}

void nt_kit_event(struct nt_kit *k, uint32_t kind, uint64_t index, uint32_t seq, uint32_t labels,
	const char *payload, size_t n)
{
	nt_kit_u8(k, 1 | 2 | 4 | (k->stack ? 8 : 0) | 0x10 | 0x80);
	nt_kit_var(k, kind);
	nt_kit_var(k, (uint32_t)(seq - k->seq - 1));
	nt_kit_var(k, index);
	nt_kit_var(k, 3); /* processor */
	nt_kit_var(k, index);
	if (k->stack)
		nt_kit_var(k, k->stack);
	nt_kit_var(k, k->time ? 1000 : 2000000);
	nt_kit_var(k, labels);
	nt_kit_var(k, n);
	raw(k, payload, n);
	k->seq = seq;
	k->time = 1;
}

/* --- reading */

static void put_counter(
	FILE *out, const struct pv_batch *b, const struct pv_event *e, struct nt_read *r)
{
	for (uint32_t i = 0; i < e->counters.list.n; i++) {
		const struct pv_counter_value *v = &b->values.v[e->counters.list.at + i];
		if (v->type != PV_COUNTER_DOUBLE) {
			r->lost += v->raw;
			continue;
		}
		double value;
		memcpy(&value, &v->raw, sizeof value);
		fprintf(out, " %g", value);
	}
}

static void put_frames(FILE *out, const struct pv_batch *b, struct pv_span s)
{
	for (uint32_t i = 0; i < s.n; i++)
		fprintf(out, " %" PRIx64, b->pool.v[s.at + i]);
}

static void put_event(FILE *out, const struct pv_stream *s, size_t i, struct nt_read *r)
{
	const struct pv_batch *b = &s->batch;
	fprintf(out, "%" PRIu64 " %s", b->thread, pv_kind_name(b->kind[i]));
	const struct pv_event *e = pv_batch_event(b, i);
	switch (b->kind[i]) {
	case PV_KIND_ALLOC:
		fprintf(out, " %" PRIu64, b->allocs.v[b->key[i]].size);
		break;
	case PV_KIND_EXT_UNKNOWN:
		fprintf(out, " %s", e->ext.text.at);
		break;
	case PV_KIND_THREAD_NAME:
	case PV_KIND_METHOD_NAME:
		fprintf(out, " %s", e->meta.name.at);
		break;
	case PV_KIND_COUNTERS_SAMPLE:
		put_counter(out, b, e, r);
		break;
	case PV_KIND_EXT_CLASS_OF:
		fprintf(out, " %" PRIu64 " is %" PRIu64, e->class_of.object & UINT32_MAX,
			e->class_of.type & UINT32_MAX);
		break;
	case PV_KIND_EXCEPTION_CLAUSE:
		fprintf(out, " %" PRIu64 " in %" PRIu64 " of %" PRIu64, e->clause.type,
			e->clause.method, e->clause.object & UINT32_MAX);
		break;
	case PV_KIND_SAMPLE_HIT:
		fprintf(out, " %" PRIu64 ":", e->hit.weight);
		put_frames(out, b, e->hit.frames);
		break;
	default:
		break;
	}
	putc('\n', out);
}

static void note(FILE *out, const struct pv_stream *s, enum pv_piece p, struct nt_read *r)
{
	if (p == PV_PIECE_HEADER) {
		r->pid = (uint32_t)s->header.pid;
	} else if (p == PV_PIECE_BATCH) {
		for (size_t i = 0; i < s->batch.n; i++)
			put_event(out, s, i, r);
	} else if (p == PV_PIECE_DAMAGE) {
		r->damages++;
		r->damage_offset = s->damage.offset;
		r->damage_bytes = s->damage.bytes;
		snprintf(r->reason, sizeof r->reason, "%s", s->damage.reason);
	}
}

struct nt_read nt_kit_read(const uint8_t *bytes, size_t n, size_t step)
{
	struct nt_read r = { 0 };
	struct pv_stream s = { .want_offsets = true };
	FILE *out = open_memstream(&r.text, &r.len);
	if (!out || !pv_stream_start(&s, &pv_reader_nettrace))
		abort();
	bool ended = false;
	for (size_t fed = 0;;) {
		enum pv_piece p = pv_stream_next(&s);
		if (p == PV_PIECE_FAILED || (p == PV_PIECE_MORE && ended))
			break;
		note(out, &s, p, &r);
		if (p != PV_PIECE_MORE)
			continue;
		size_t room, part = n - fed < step ? n - fed : step;
		uint8_t *to = pv_stream_room(&s, &room);
		if (!to || room < part)
			abort();
		memcpy(to, bytes + fed, part);
		pv_stream_filled(&s, part);
		fed += part;
		ended = fed == n;
		if (ended)
			pv_stream_end(&s);
	}
	r.failed = s.error.code;
	r.over = s.over;
	pv_stream_finish(&s);
	fclose(out);
	return r;
}
