#include "common/report/dump07.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/showable.h"

struct pv_dump07 {
	FILE *out;
	struct pv_dump_totals *totals;
	struct b07_stream stream;
};

struct pv_dump07 *pv_dump07_create(FILE *out, struct pv_dump_totals *totals, enum pv_family family)
{
	struct pv_dump07 *d = calloc(1, sizeof *d);
	if (!d)
		return NULL;
	d->out = out;
	d->totals = totals;
	d->stream.want_offsets = true;
	if (pv_family_init(family, &d->stream))
		return d;
	free(d);
	return NULL;
}

void pv_dump07_destroy(struct pv_dump07 *d)
{
	if (!d)
		return;
	b07_finish(&d->stream);
	free(d);
}

/* --- fields */

static void number(const struct pv_dump07 *d, const char *name, uint64_t v)
{
	fprintf(d->out, " %s=%" PRIu64, name, v);
}

static void address(const struct pv_dump07 *d, const char *name, uint64_t v)
{
	fprintf(d->out, " %s=0x%" PRIx64, name, v);
}

static void list(const struct pv_dump07 *d, const char *name, struct pv_span s, uint32_t step)
{
	fprintf(d->out, " %s=[", name);
	for (uint32_t i = step - 1; i < s.n; i += step)
		fprintf(d->out, "%s0x%" PRIx64, i >= step ? ", " : "",
			d->stream.batch.pool.v[s.at + i]);
	putc(']', d->out);
}

/*
 * The outermost frame first. Of a stack that is deeper only the frames at its innermost end: the
 * log says of each what changed of the one before it, so all would be far longer than the log.
 */
enum { FRAMES = 256 };

static void stack(const struct pv_dump07 *d, struct pv_span s)
{
	uint64_t method[FRAMES];
	if (!d->stream.batch.frames.n) {
		list(d, "stack", s, 1);
		return;
	}
	struct pv_span shown = { s.at, s.n < FRAMES ? s.n : FRAMES };
	pv_batch_stack(&d->stream.batch, shown, method);
	fputs(" stack=[", d->out);
	if (s.n > FRAMES)
		fprintf(d->out, "%" PRIu32 " more, ", s.n - FRAMES);
	for (uint32_t i = 0; i < shown.n; i++)
		fprintf(d->out, "%s0x%" PRIx64, i ? ", " : "", method[i]);
	putc(']', d->out);
}

static void text(const struct pv_dump07 *d, const char *name, const struct pv_text *t)
{
	fprintf(d->out, " %s=", name);
	pv_showable_quoted(d->out, t->at ? t->at : "", t->at ? t->len : 0);
}

static void took(const struct pv_dump07 *d, const struct pv_event *e, uint64_t started)
{
	if (started && e->time >= started)
		number(d, "took_ns", e->time - started);
}

static void put_heap(const struct pv_dump07 *d, const struct pv_event *e)
{
	if (e->kind == PV_KIND_HEAP_START) {
		number(d, "collection", e->shot.collection);
		number(d, "summary", e->shot.summary);
	} else if (e->kind == PV_KIND_HEAP_SUMMARY) {
		number(d, "class", e->heap_class.type);
		number(d, "reachable", e->heap_class.objects);
		number(d, "reachable_bytes", e->heap_class.bytes);
		number(d, "unreachable", e->heap_class.dead_objects);
		number(d, "unreachable_bytes", e->heap_class.dead_bytes);
	} else if (e->kind != PV_KIND_HEAP_END) {
		number(d, "class", e->heap_object.type);
		number(d, "size", e->heap_object.size);
		if (e->kind == PV_KIND_HEAP_DEAD)
			return;
		address(d, "object", e->heap_object.object);
		list(d, "refs", e->heap_object.refs, 2);
	}
}

static void put_meta(const struct pv_dump07 *d, const struct pv_event *e)
{
	address(d, "key", e->meta.key);
	if (e->meta.owner)
		address(d, "of", e->meta.owner);
	text(d, "name", &e->meta.name);
	if (e->meta.failed)
		fputs(" failed=1", d->out);
	took(d, e, e->meta.started);
}

static void put_code(const struct pv_dump07 *d, const struct pv_event *e)
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
		if (d->stream.header.text) {
			address(d, "thread", e->hit.thread);
			number(d, "weight", e->hit.weight);
		} else {
			address(d, "address", e->hit.address);
		}
		list(d, "ips", e->hit.ips, 1);
		list(d, "frames", e->hit.frames, 1);
		break;
	case PV_KIND_SAMPLE_BINARY:
		address(d, "address", e->symbol.address);
		number(d, "size", e->symbol.size);
		number(d, "file_offset", e->symbol.file_offset);
		text(d, "name", &e->symbol.name);
		break;
	default:
		put_meta(d, e);
	}
}

/* Newer kinds that streams of .NET have, too. */
static void put_counters(const struct pv_dump07 *d, const struct pv_event *e)
{
	const struct pv_batch *b = &d->stream.batch;
	struct pv_span s = e->counters.list;
	for (uint32_t i = 0; i < s.n; i++) {
		if (e->kind == PV_KIND_COUNTERS_DESCRIBE) {
			number(d, "index", b->descs.v[s.at + i].index);
			text(d, "section", &b->descs.v[s.at + i].section_name);
			text(d, "name", &b->descs.v[s.at + i].name);
			continue;
		}
		const struct pv_counter_value *v = &b->values.v[s.at + i];
		double wide;
		memcpy(&wide, &v->raw, sizeof wide);
		number(d, "index", v->index);
		if (v->type == PV_COUNTER_DOUBLE)
			fprintf(d->out, " value=%g", wide);
		else
			number(d, "more", v->raw);
	}
}

static void put_fields(const struct pv_dump07 *d, const struct pv_event *e)
{
	switch (e->kind) {
	case PV_KIND_COUNTERS_DESCRIBE:
	case PV_KIND_COUNTERS_SAMPLE:
		put_counters(d, e);
		break;
	case PV_KIND_EXT_SUSPENSION:
		number(d, "reason", e->stop.reason);
		number(d, "wait_ns", e->stop.wait_ns);
		number(d, "stopped_ns", e->stop.stopped_ns);
		break;
	case PV_KIND_EXT_COLLECTION:
		number(d, "reason", e->collection.reason);
		number(d, "how", e->collection.how);
		break;
	case PV_KIND_EXT_GENERATION:
		number(d, "collected", e->left.collected);
		number(d, "region", e->left.region);
		number(d, "bytes", e->left.bytes);
		number(d, "promoted", e->left.promoted);
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
		number(d, "step", e->gc.step);
		number(d, "generation", e->gc.generation);
		number(d, "collection", e->gc.collection);
		break;
	case PV_KIND_GC_RESIZE:
		number(d, "bytes", e->resize.bytes);
		number(d, "collection", e->resize.collection);
		break;
	case PV_KIND_EXCEPTION_THROW:
		number(d, "class", e->thrown.type);
		if (e->thrown.object)
			address(d, "object", e->thrown.object);
		list(d, "stack", e->thrown.stack, 1);
		break;
	case PV_KIND_MONITOR_CONTENTION:
	case PV_KIND_MONITOR_DONE:
	case PV_KIND_MONITOR_FAIL:
		number(d, "class", e->monitor.type);
		address(d, "object", e->monitor.object);
		stack(d, e->monitor.stack);
		break;
	case PV_KIND_DIRECTIVES:
		list(d, "codes", e->directives.codes, 1);
		break;
	case PV_KIND_EXT_UNKNOWN:
		number(d, "group", e->ext.family);
		number(d, "code", e->ext.kind);
		number(d, "data", e->ext.value);
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

static void put_event(const struct pv_dump07 *d, size_t i)
{
	const struct pv_batch *b = &d->stream.batch;
	const struct b07_header *h = &d->stream.header;
	int64_t ns = (int64_t)(b->time[i] - (h->text ? h->start_ns : h->start_us * 1000));
	uint64_t abs = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	fprintf(d->out, "%10" PRIu64 " 0x%" PRIx64 " %s%" PRIu64 ".%09" PRIu64 " %s",
		d->stream.offsets.v[i], b->thread, ns < 0 ? "-" : "", abs / 1000000000,
		abs % 1000000000, pv_kind_name(b->kind[i]));
	if (b->kind[i] == PV_KIND_ALLOC) {
		const struct pv_alloc *a = &b->allocs.v[b->key[i]];
		number(d, "class", a->type);
		number(d, "size", a->size);
		address(d, "object", a->object);
		stack(d, a->stack);
	} else if (b->kind[i] <= PV_KIND_METHOD_EXC_LEAVE) {
		address(d, "method", b->key[i]);
	} else {
		put_fields(d, &b->other_events.v[b->key[i]]);
	}
	putc('\n', d->out);
}

/* --- pieces */

static void put_damage(struct pv_dump07 *d, uint64_t offset, uint64_t bytes, const char *reason)
{
	pv_dump_damage(d->out, d->totals, offset, bytes, reason);
}

static void put_batch(struct pv_dump07 *d)
{
	const struct pv_batch *b = &d->stream.batch;
	d->totals->buffers += !b->continues;
	d->totals->events += b->n;
	if (!b->continues)
		fprintf(d->out, "%10" PRIu64 " block: code %u, thread 0x%" PRIx64 "\n", b->offset,
			d->stream.code, b->thread);
	for (size_t i = 0; i < b->n; i++)
		put_event(d, i);
	if (b->damaged)
		put_damage(d, b->damage_offset, b->damage_bytes, b->damage_reason);
}

static bool print(struct pv_dump07 *d, struct pv_error *reterr)
{
	struct b07_stream *s = &d->stream;
	for (;;) {
		switch (b07_next(s)) {
		case B07_MORE:
			return true;
		case B07_HEADER:
			if (s->header.text) {
				fprintf(d->out, "%10" PRIu64 " header: %s\n", s->header.offset,
					s->header.text);
				break;
			}
			fprintf(d->out,
				"%10" PRIu64 " header: logging profiler of 2007, stage %s, flags "
				"0x%" PRIx64 ", started %" PRIu64 " us\n",
				s->header.offset, b07_stage_name(s->header.stage), s->header.flags,
				s->header.start_us);
			break;
		case B07_BATCH:
			put_batch(d);
			break;
		case B07_DAMAGE:
			put_damage(d, s->damage.offset, s->damage.bytes, s->damage.reason);
			break;
		case B07_FAILED:
			if (reterr)
				*reterr = s->error;
			return false;
		}
		if (fflush(d->out) != 0 || ferror(d->out))
			return pv_fail(
				reterr, PV_EIO, s->offset, "cannot write: %s", strerror(errno));
	}
}

bool pv_dump07_push(struct pv_dump07 *d, const void *bytes, size_t n, struct pv_error *reterr)
{
	const uint8_t *at = bytes;
	while (n) {
		size_t room;
		uint8_t *to = b07_room(&d->stream, &room);
		if (!to)
			return pv_fail(reterr, PV_ENOMEM, d->stream.offset, "out of memory");
		size_t take = n < room ? n : room;
		memcpy(to, at, take);
		b07_filled(&d->stream, take);
		at += take;
		n -= take;
		if (!print(d, reterr))
			return false;
	}
	return true;
}

bool pv_dump07_gap(struct pv_dump07 *d, uint64_t bytes, struct pv_error *reterr)
{
	b07_gap(&d->stream, bytes);
	return print(d, reterr);
}

bool pv_dump07_end(struct pv_dump07 *d, struct pv_error *reterr)
{
	b07_end(&d->stream);
	return print(d, reterr);
}
