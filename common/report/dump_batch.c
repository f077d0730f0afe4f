/* SPDX-License-Identifier: MIT */
/* Prints batches of the families of logs that decode their own events. */
#include "common/report/dump_batch.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/text/showable.h"
#include "common/format/batch_event.h"

struct printer {
	FILE *out;
	const struct pv_stream *stream;
};

/* --- fields */

static void print_number(const struct printer *d, const char *name, uint64_t v)
{
	fprintf(d->out, " %s=%" PRIu64, name, v);
}

static void address(const struct printer *d, const char *name, uint64_t v)
{
	fprintf(d->out, " %s=0x%" PRIx64, name, v);
}

static void print_list(const struct printer *d, const char *name, struct pv_span s, uint32_t step)
{
	fprintf(d->out, " %s=[", name);
	for (uint32_t i = step - 1; i < s.n; i += step)
		fprintf(d->out, "%s0x%" PRIx64, i >= step ? ", " : "",
			d->stream->batch.pool.v[s.at + i]);
	putc(']', d->out);
}

/*
 * Prints a stack, the outermost frame first; of a deep stack the innermost frames only. Frames in
 * the log are changes to the stack before, so whole stacks would be far longer than the log.
 */
enum { FRAMES = 256 };

static void stack(const struct printer *d, struct pv_span s)
{
	uint64_t method[FRAMES];
	if (!d->stream->batch.frames.n) {
		print_list(d, "stack", s, 1);
		return;
	}
	struct pv_span shown = { s.at, s.n < FRAMES ? s.n : FRAMES };
	pv_batch_stack(&d->stream->batch, shown, method);
	fputs(" stack=[", d->out);
	if (s.n > FRAMES)
		fprintf(d->out, "%" PRIu32 " more, ", s.n - FRAMES);
	for (uint32_t i = 0; i < shown.n; i++)
		fprintf(d->out, "%s0x%" PRIx64, i ? ", " : "", method[i]);
	putc(']', d->out);
}

static void text(const struct printer *d, const char *name, const struct pv_text *t)
{
	fprintf(d->out, " %s=", name);
	pv_showable_quoted(d->out, t->at ? t->at : "", t->at ? t->len : 0);
}

static void took(const struct printer *d, const struct pv_event *e, uint64_t started)
{
	if (started && e->time >= started)
		print_number(d, "took_ns", e->time - started);
}

static void put_heap(const struct printer *d, const struct pv_event *e)
{
	if (e->kind == PV_KIND_HEAP_START) {
		print_number(d, "collection", e->shot.collection);
		print_number(d, "summary", e->shot.summary);
	} else if (e->kind == PV_KIND_HEAP_SUMMARY) {
		print_number(d, "class", e->heap_class.type);
		print_number(d, "reachable", e->heap_class.objects);
		print_number(d, "reachable_bytes", e->heap_class.bytes);
		print_number(d, "unreachable", e->heap_class.dead_objects);
		print_number(d, "unreachable_bytes", e->heap_class.dead_bytes);
	} else if (e->kind != PV_KIND_HEAP_END) {
		print_number(d, "class", e->heap_object.type);
		print_number(d, "size", e->heap_object.size);
		if (e->kind == PV_KIND_HEAP_DEAD)
			return;
		address(d, "object", e->heap_object.object);
		print_list(d, "refs", e->heap_object.refs, 2);
	}
}

static void put_meta(const struct printer *d, const struct pv_event *e)
{
	address(d, "key", e->meta.key);
	if (e->meta.owner)
		address(d, "of", e->meta.owner);
	text(d, "name", &e->meta.name);
	if (e->meta.failed)
		fputs(" failed=1", d->out);
	took(d, e, e->meta.started);
}

static void put_code(const struct printer *d, const struct pv_event *e)
{
	switch (e->kind) {
	case PV_KIND_METHOD_JIT:
	case PV_KIND_METHOD_JIT_START:
	case PV_KIND_METHOD_JIT_FAIL:
	case PV_KIND_METHOD_FREE:
		address(d, "method", e->jit.method);
		took(d, e, e->jit.started);
		break;
	case PV_KIND_SAMPLE_HIT:
		if (d->stream->header.text) {
			address(d, "thread", e->hit.thread);
			print_number(d, "weight", e->hit.weight);
		} else {
			address(d, "address", e->hit.address);
		}
		print_list(d, "ips", e->hit.ips, 1);
		print_list(d, "frames", e->hit.frames, 1);
		break;
	case PV_KIND_EXT_IL_MAP:
		address(d, "code", e->il_map.code);
		print_number(d, "size", e->il_map.size);
		address(d, "method", e->il_map.method);
		address(d, "image", e->il_map.image);
		print_number(d, "token", e->il_map.token);
		print_list(d, "pairs", e->il_map.pairs, 2);
		break;
	case PV_KIND_EXT_PLACE:
		address(d, "address", e->code_place.address);
		address(d, "method", e->code_place.method);
		break;
	case PV_KIND_SAMPLE_BINARY:
		address(d, "address", e->symbol.address);
		print_number(d, "size", e->symbol.size);
		print_number(d, "file_offset", e->symbol.file_offset);
		text(d, "name", &e->symbol.name);
		break;
	default:
		put_meta(d, e);
	}
}

/* Newer kinds, also in .NET's streams. */
static void put_counters(const struct printer *d, const struct pv_event *e)
{
	const struct pv_batch *b = &d->stream->batch;
	struct pv_span s = e->counters.list;
	for (uint32_t i = 0; i < s.n; i++) {
		if (e->kind == PV_KIND_COUNTERS_DESCRIBE) {
			print_number(d, "index", b->descs.v[s.at + i].index);
			text(d, "section", &b->descs.v[s.at + i].section_name);
			text(d, "name", &b->descs.v[s.at + i].name);
			continue;
		}
		const struct pv_counter_value *v = &b->values.v[s.at + i];
		double wide;
		memcpy(&wide, &v->raw, sizeof wide);
		print_number(d, "index", v->index);
		if (v->type == PV_COUNTER_DOUBLE)
			fprintf(d->out, " value=%g", wide);
		else
			print_number(d, "more", v->raw);
	}
}

static void put_fields(const struct printer *d, const struct pv_event *e)
{
	switch (e->kind) {
	case PV_KIND_COUNTERS_DESCRIBE:
	case PV_KIND_COUNTERS_SAMPLE:
		put_counters(d, e);
		break;
	case PV_KIND_EXT_SUSPENSION:
		print_number(d, "reason", e->stop.reason);
		print_number(d, "wait_ns", e->stop.wait_ns);
		print_number(d, "stopped_ns", e->stop.stopped_ns);
		break;
	case PV_KIND_EXT_COLLECTION:
		print_number(d, "reason", e->collection.reason);
		print_number(d, "how", e->collection.how);
		break;
	case PV_KIND_EXT_GENERATION:
		print_number(d, "collected", e->left.collected);
		print_number(d, "region", e->left.region);
		print_number(d, "bytes", e->left.bytes);
		print_number(d, "promoted", e->left.promoted);
		break;
	case PV_KIND_EXT_CLASS_OF:
		address(d, "object", e->class_of.object);
		address(d, "class", e->class_of.type);
		break;
	case PV_KIND_EXT_HOLDER:
		address(d, "object", e->holder.object);
		address(d, "thread", e->holder.thread);
		break;
	case PV_KIND_EXT_LOCK:
		address(d, "object", e->lock.object);
		address(d, "lock", e->lock.id);
		break;
	case PV_KIND_EXT_MESSAGE:
		address(d, "object", e->string.object);
		text(d, "text", &e->string.text);
		break;
	case PV_KIND_GC_EVENT:
		print_number(d, "step", e->gc.step);
		print_number(d, "generation", e->gc.generation);
		print_number(d, "collection", e->gc.collection);
		break;
	case PV_KIND_GC_RESIZE:
		print_number(d, "bytes", e->resize.bytes);
		print_number(d, "collection", e->resize.collection);
		break;
	case PV_KIND_EXCEPTION_THROW:
		print_number(d, "class", e->thrown.type);
		if (e->thrown.object)
			address(d, "object", e->thrown.object);
		print_list(d, "stack", e->thrown.stack, 1);
		break;
	case PV_KIND_MONITOR_CONTENTION:
	case PV_KIND_MONITOR_DONE:
	case PV_KIND_MONITOR_FAIL:
		print_number(d, "class", e->monitor.type);
		address(d, "object", e->monitor.object);
		stack(d, e->monitor.stack);
		break;
	case PV_KIND_DIRECTIVES:
		print_list(d, "codes", e->directives.codes, 1);
		break;
	case PV_KIND_EXT_UNKNOWN:
		print_number(d, "group", e->ext.family);
		print_number(d, "code", e->ext.kind);
		print_number(d, "data", e->ext.value);
		if (e->ext.text.len)
			text(d, "name", &e->ext.text);
		break;
	case PV_KIND_HEAP_START:
	case PV_KIND_HEAP_END:
	case PV_KIND_HEAP_OBJECT:
	case PV_KIND_HEAP_DEAD:
	case PV_KIND_HEAP_SUMMARY:
		put_heap(d, e);
		break;
	default:
		put_code(d, e);
	}
}

static void put_batch_event(const struct printer *d, size_t i)
{
	const struct pv_batch *b = &d->stream->batch;
	const struct pv_stream_header *h = &d->stream->header;
	int64_t ns = (int64_t)(b->time[i] - (h->text ? h->start_ns : h->start_us * 1000));
	uint64_t abs = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	fprintf(d->out, "%10" PRIu64 " 0x%" PRIx64 " %s%" PRIu64 ".%09" PRIu64 " %s",
		d->stream->offsets.v[i], b->thread, ns < 0 ? "-" : "", abs / 1000000000,
		abs % 1000000000, pv_kind_name(b->kind[i]));
	if (b->kind[i] == PV_KIND_ALLOC) {
		const struct pv_alloc *a = &b->allocs.v[b->key[i]];
		print_number(d, "class", a->type);
		print_number(d, "size", a->size);
		address(d, "object", a->object);
		stack(d, a->stack);
	} else if (b->kind[i] <= PV_KIND_METHOD_EXC_LEAVE) {
		address(d, "method", b->key[i]);
	} else {
		struct pv_event e;
		pv_batch_copy_event(b, i, &e);
		put_fields(d, &e);
	}
	putc('\n', d->out);
}

/* --- pieces */

void pv_dump_stream_header(FILE *out, const struct pv_stream_header *h)
{
	if (h->text)
		fprintf(out, "%10" PRIu64 " header: %s\n", h->offset, h->text);
	else
		fprintf(out,
			"%10" PRIu64 " header: logging profiler of 2007, stage %s, flags 0x%" PRIx64
			", started %" PRIu64 " us\n",
			h->offset, h->stage, h->flags, h->start_us);
}

void pv_dump_batch(FILE *out, const struct pv_stream *s)
{
	const struct printer d = { out, s };
	const struct pv_batch *b = &s->batch;
	if (!b->continues)
		fprintf(out, "%10" PRIu64 " block: code %u, thread 0x%" PRIx64 "\n", b->offset,
			s->code, b->thread);
	for (size_t i = 0; i < b->n; i++)
		put_batch_event(&d, i);
}
