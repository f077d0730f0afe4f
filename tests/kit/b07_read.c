/* SPDX-License-Identifier: MIT */
/* The reader's side of the kit: events as lines. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/format/batch_event.h"
#include "tests/kit/b07_kit.h"

struct lines {
	FILE *out;
	const struct pv_batch *b;
	bool times;
};

static void put_span(const struct lines *l, const char *name, struct pv_span s)
{
	fprintf(l->out, " %s=[", name);
	for (uint32_t i = 0; i < s.n; i++)
		fprintf(l->out, "%s%" PRIx64, i ? " " : "", l->b->pool.v[s.at + i]);
	fputs("]", l->out);
}

static void put_stack(const struct lines *l, struct pv_span s)
{
	uint64_t *key = calloc(s.n + 1, sizeof *key);
	if (!key)
		abort();
	pv_batch_stack(l->b, s, key);
	fputs(" stack=[", l->out);
	for (uint32_t i = 0; i < s.n; i++)
		fprintf(l->out, "%s%" PRIx64, i ? " " : "", key[i]);
	fputs("]", l->out);
	free(key);
}

static void put_meta(const struct lines *l, const struct pv_event *e)
{
	fprintf(l->out, " %" PRIx64 " of %" PRIx64 " '%s'", e->meta.key, e->meta.owner,
		e->meta.name.at ? e->meta.name.at : "-");
	if (e->meta.name.at && strlen(e->meta.name.at) != e->meta.name.len)
		abort();
	if (e->meta.started && l->times)
		fprintf(l->out, " took %" PRIu64, (e->time - e->meta.started) / 1000);
	if (e->meta.failed)
		fputs(" failed", l->out);
}

static void put_heap_event(const struct lines *l, const struct pv_event *e)
{
	FILE *out = l->out;
	if (e->kind == PV_KIND_HEAP_SUMMARY) {
		fprintf(out, " %" PRIu64 ": %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
			e->heap_class.type, e->heap_class.objects, e->heap_class.bytes,
			e->heap_class.dead_objects, e->heap_class.dead_bytes);
	} else if (e->kind == PV_KIND_HEAP_START || e->kind == PV_KIND_HEAP_END) {
		fprintf(out, " %" PRIu64 "%s", e->shot.collection,
			e->shot.summary ? " summary" : "");
	} else {
		fprintf(out, " %" PRIx64 " %" PRIu64 " %" PRIu64 "%s", e->heap_object.object,
			e->heap_object.type, e->heap_object.size,
			e->heap_object.unsized ? " unsized" : "");
		if (e->kind == PV_KIND_HEAP_OBJECT)
			put_span(l, "refs", e->heap_object.refs);
	}
}

static void put_rare(const struct lines *l, const struct pv_event *e)
{
	FILE *out = l->out;
	switch (e->kind) {
	case PV_KIND_METHOD_JIT:
	case PV_KIND_METHOD_JIT_START:
	case PV_KIND_METHOD_JIT_FAIL:
	case PV_KIND_METHOD_FREE:
		fprintf(out, " %" PRIu64, e->jit.method);
		if (e->jit.started && l->times)
			fprintf(out, " took %" PRIu64, (e->time - e->jit.started) / 1000);
		break;
	case PV_KIND_GC_EVENT:
		fprintf(out, " %" PRIu64 " gen %" PRIu64 " nr %" PRIu64, e->gc.step,
			e->gc.generation, e->gc.collection);
		break;
	case PV_KIND_GC_RESIZE:
		fprintf(out, " %" PRIu64 " nr %" PRIu64, e->resize.bytes, e->resize.collection);
		break;
	case PV_KIND_EXCEPTION_THROW:
		fprintf(out, " %" PRIu64, e->thrown.type);
		put_stack(l, e->thrown.stack);
		break;
	case PV_KIND_MONITOR_CONTENTION:
	case PV_KIND_MONITOR_DONE:
	case PV_KIND_MONITOR_FAIL:
		fprintf(out, " %" PRIu64 " %" PRIx64, e->monitor.type, e->monitor.object);
		put_stack(l, e->monitor.stack);
		break;
	case PV_KIND_SAMPLE_HIT:
		fprintf(out, " %" PRIx64, e->hit.address);
		put_span(l, "ips", e->hit.ips);
		put_span(l, "frames", e->hit.frames);
		break;
	case PV_KIND_SAMPLE_BINARY:
		fprintf(out, " %" PRIx64 " %" PRIx64 " %" PRIx64 " '%s'", e->symbol.address,
			e->symbol.size, e->symbol.file_offset, e->symbol.name.at);
		break;
	case PV_KIND_HEAP_START:
	case PV_KIND_HEAP_END:
	case PV_KIND_HEAP_OBJECT:
	case PV_KIND_HEAP_DEAD:
	case PV_KIND_HEAP_SUMMARY:
		put_heap_event(l, e);
		break;
	case PV_KIND_DIRECTIVES:
		put_span(l, "codes", e->directives.codes);
		break;
	case PV_KIND_EXT_UNKNOWN:
		fprintf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64, e->ext.family, e->ext.kind,
			e->ext.value);
		break;
	default:
		put_meta(l, e);
	}
}

static void put_event(const struct lines *l, size_t i)
{
	const struct pv_batch *b = l->b;
	if (l->times)
		fprintf(l->out, "%" PRId64 " ", (int64_t)b->time[i] / 1000 - B07_KIT_START);
	fprintf(l->out, "%" PRIx64 " %s", b->thread, pv_kind_name(b->kind[i]));
	if (b->kind[i] == PV_KIND_ALLOC) {
		const struct pv_alloc *a = &b->allocs.v[b->key[i]];
		fprintf(l->out, " %" PRIu64 " %" PRIx64 " %" PRIu64, a->type, a->object, a->size);
		put_stack(l, a->stack);
	} else if (b->kind[i] <= PV_KIND_METHOD_EXC_LEAVE) {
		fprintf(l->out, " %" PRIu64, b->key[i]);
	} else {
		if (pv_batch_event(b, i)->kind != b->kind[i] ||
			pv_batch_event(b, i)->time != b->time[i])
			abort();
		put_rare(l, pv_batch_event(b, i));
	}
	putc('\n', l->out);
}

static void note(
	struct b07_read *r, const struct pv_stream *s, enum pv_piece p, const struct lines *l)
{
	switch (p) {
	case PV_PIECE_HEADER:
		r->headers++;
		r->header = s->header;
		break;
	case PV_PIECE_BATCH:
		r->batches++;
		r->events += s->batch.n;
		for (size_t i = 0; i < s->batch.n; i++)
			put_event(l, i);
		if (!s->batch.damaged)
			break;
		r->damaged_batches++;
		r->damage_offset = s->batch.damage_offset;
		r->damage_bytes = s->batch.damage_bytes;
		strcpy(r->reason, s->batch.damage_reason);
		break;
	case PV_PIECE_DAMAGE:
		r->damages++;
		r->damage_offset = s->damage.offset;
		r->damage_bytes = s->damage.bytes;
		strcpy(r->reason, s->damage.reason);
		break;
	default:
		r->failed = true;
	}
}

static bool feed(struct pv_stream *s, const uint8_t *bytes, size_t n)
{
	size_t room;
	uint8_t *to = pv_stream_room(s, &room);
	if (!to || room < n)
		return false;
	if (n)
		memcpy(to, bytes, n);
	pv_stream_filled(s, n);
	return true;
}

struct b07_read b07_kit_read(const uint8_t *bytes, size_t n, size_t step, bool times)
{
	struct b07_read r = { 0 };
	struct pv_stream s = { .want_offsets = true };
	struct lines l = { .out = open_memstream(&r.text, &r.len), .b = &s.batch, .times = times };
	bool ended = false;
	if (!l.out || !pv_stream_start(&s, &pv_reader_block07))
		abort();
	for (size_t fed = 0; !r.failed;) {
		enum pv_piece p = pv_stream_next(&s);
		if (p != PV_PIECE_MORE) {
			note(&r, &s, p, &l);
			continue;
		}
		if (ended)
			break;
		size_t part = n - fed < step ? n - fed : step;
		if (!feed(&s, bytes + fed, part))
			abort();
		fed += part;
		ended = fed == n;
		if (ended)
			pv_stream_end(&s);
	}
	r.stage = s.stage;
	pv_stream_finish(&s);
	fclose(l.out);
	return r;
}
