/* SPDX-License-Identifier: MIT */
/* Writes events as lines of text, kind by kind. */
#include "common/model/event_line.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text/readable_name.h"
#include "common/base/text/units.h"
#include "common/base/utf8.h"
#include "common/format/batch_event.h"
#include "common/format/mlpd/mlpd.h"
#include "common/model/model.h"

enum { NAME_MAX_BYTES = 512, MANY_FRAMES = 4096 };

struct line {
	const struct pv_model *m;
	const struct pv_batch *b;
	int64_t time;
	bool readable;
	char *to;
	size_t n, size;
};

static void put_in_line(struct line *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void put_in_line(struct line *l, const char *format, ...)
{
	va_list args;
	if (l->n + 1 >= l->size)
		return;
	va_start(args, format);
	int n = vsnprintf(l->to + l->n, l->size - l->n, format, args);
	va_end(args);
	l->n += n > 0 ? (size_t)n : 0;
	if (l->n >= l->size)
		l->n = l->size - 1;
}

/* --- names */

static void put_interned_name(struct line *l, uint32_t name, uint64_t key, bool method)
{
	char buf[NAME_MAX_BYTES];
	if (!name) {
		put_in_line(l, "0x%" PRIx64, key);
		return;
	}
	const char *text = pv_intern_text(&l->m->names.text, name);
	size_t len = strlen(text), n = 0;
	if (l->readable)
		n = method ? pv_readable_method(text, len, PV_NAME_READABLE, buf, sizeof buf)
			   : pv_readable_class(text, len, PV_NAME_READABLE, buf, sizeof buf);
	put_in_line(l, "%.*s", NAME_MAX_BYTES, n ? buf : text);
}

static void put_method_key(struct line *l, uint64_t key)
{
	put_interned_name(l, pv_names_key_method(&l->m->names, key, l->time), key, true);
}

static void put_type(struct line *l, uint64_t key)
{
	put_interned_name(l, pv_names_key_type(&l->m->names, key, l->time), key, false);
}

static void put_event_text(struct line *l, const struct pv_text *t)
{
	if (t->at && t->len)
		put_in_line(
			l, "%.*s", t->len < NAME_MAX_BYTES ? (int)t->len : NAME_MAX_BYTES, t->at);
}

/* Frames innermost first. `step` -1: the pool has them outermost first. */
static void put_line_frames(struct line *l, struct pv_span s, int step)
{
	const uint64_t *v = l->b->pool.v + s.at;
	for (uint32_t i = 0; i < s.n && i < PV_EVENT_LINE_FRAMES; i++) {
		put_in_line(l, "%s", i ? " < " : "");
		put_method_key(l, step > 0 ? v[i] : v[s.n - 1 - i]);
	}
	if (s.n > PV_EVENT_LINE_FRAMES)
		put_in_line(l, " < ... %" PRIu32 " more", s.n - PV_EVENT_LINE_FRAMES);
}

/* A stack after other fields. Logs of 2007 have only the changes of a stack (batch.h). */
static void put_line_stack(struct line *l, struct pv_span s)
{
	if (s.n == 0)
		return;
	put_in_line(l, "  in ");
	if (l->b->frames.n == 0) {
		put_line_frames(l, s, -1);
		return;
	}
	uint32_t at = s.at;
	for (uint32_t i = 0; i < s.n && i < PV_EVENT_LINE_FRAMES; i++) {
		const struct pv_batch_frame *f = &l->b->frames.v[at];
		put_in_line(l, "%s", i ? " < " : "");
		put_method_key(l, f->method);
		if (!f->caller)
			return;
		at = f->caller - 1;
	}
}

static void put_entity(struct line *l, enum pv_entity_kind kind, uint64_t key)
{
	uint32_t id = pv_names_begun(&l->m->names, kind, key, l->time);
	put_interned_name(l, id ? l->m->names.entity[kind].v[id].name : 0, key, false);
}

/* --- kinds */

static const char *gc_step(uint64_t step)
{
	static const char *const name[] = { "begins", "mark begins", "mark ends", "sweep begins",
		"sweep ends", "ends", "stops the threads", "all threads stopped",
		"lets the threads go", "all threads run", "about to stop the threads",
		"threads were let go" };
	return step < PV_COUNT_OF(name) ? name[step] : "unknown step";
}

static const char *wait_state(uint64_t state)
{
	static const char *const name[PV_WAIT_STATES] = { "waits", "waits for a lock", "polls",
		"waits for input or output", "sleeps", "stopped", "waits for a processor",
		"waits for the collector", "runs or waits" };
	return state < PV_WAIT_STATES ? name[state] : name[0];
}

static void put_bytes(struct line *l, uint64_t bytes)
{
	put_in_line(l, "%" PRIu64 " B", bytes);
}

static void put_ns(struct line *l, uint64_t ns)
{
	char text[PV_UNIT_MAX];
	put_in_line(
		l, "%s", pv_units_ns(text, sizeof text, ns > INT64_MAX ? INT64_MAX : (int64_t)ns));
}

static void put_alloc(struct line *l, const struct pv_alloc *a)
{
	put_type(l, a->type);
	put_in_line(l, "  ");
	put_bytes(l, a->size);
	put_in_line(l, "  0x%" PRIx64, a->object);
	put_line_stack(l, a->stack);
}

static void put_hit(struct line *l, const struct pv_event *e)
{
	if (e->kind == PV_KIND_EXT_WAITED)
		put_in_line(l, "%s: ", wait_state(e->hit.state));
	if (e->hit.frames.n) {
		put_line_frames(l, e->hit.frames, 1);
		return;
	}
	const uint64_t *v = l->b->pool.v + e->hit.ips.at;
	for (uint32_t i = 0; i < e->hit.ips.n && i < PV_EVENT_LINE_FRAMES; i++) {
		put_in_line(l, "%s", i ? " < " : "");
		put_interned_name(l, pv_names_address(&l->m->names, v[i]), v[i], true);
	}
	if (e->hit.ips.n == 0 && e->hit.address)
		put_interned_name(
			l, pv_names_address(&l->m->names, e->hit.address), e->hit.address, true);
}

static void put_jit(struct line *l, const struct pv_event *e)
{
	if (e->jit.name.len && e->jit.name.at)
		put_event_text(l, &e->jit.name);
	else
		put_method_key(l, e->jit.method);
	if (e->jit.size)
		put_in_line(l, "  %" PRIu64 " B of code at 0x%" PRIx64, e->jit.size, e->jit.code);
}

static void put_meta(struct line *l, const struct pv_event *e)
{
	static const enum pv_entity_kind kind[PV_KIND_COUNT] = {
		[PV_KIND_IMAGE_LOAD] = PV_ENTITY_IMAGE + 1,
		[PV_KIND_IMAGE_UNLOAD] = PV_ENTITY_IMAGE + 1,
		[PV_KIND_ASSEMBLY_LOAD] = PV_ENTITY_ASSEMBLY + 1,
		[PV_KIND_ASSEMBLY_UNLOAD] = PV_ENTITY_ASSEMBLY + 1,
		[PV_KIND_DOMAIN_LOAD] = PV_ENTITY_DOMAIN + 1,
		[PV_KIND_DOMAIN_UNLOAD] = PV_ENTITY_DOMAIN + 1,
		[PV_KIND_CLASS_UNLOAD] = PV_ENTITY_CLASS + 1,
		[PV_KIND_CLASS_UNLOAD_START] = PV_ENTITY_CLASS + 1,
	};
	if (e->meta.name.at && e->meta.name.len)
		put_event_text(l, &e->meta.name);
	else if (e->kind == PV_KIND_VTABLE_LOAD)
		put_entity(l, PV_ENTITY_CLASS, e->meta.owner);
	else if (e->kind < PV_KIND_COUNT && kind[e->kind])
		put_entity(l, kind[e->kind] - 1, e->meta.key);
	else
		put_in_line(l, "0x%" PRIx64, e->meta.key);
	if (e->meta.failed)
		put_in_line(l, "  failed");
}

static void put_heap_object(struct line *l, const struct pv_event *e)
{
	put_type(l, e->heap_object.type);
	put_in_line(l, "  ");
	put_bytes(l, e->heap_object.size);
	if (e->kind == PV_KIND_HEAP_OBJECT)
		put_in_line(l, "  0x%" PRIx64 "  %" PRIu32 " references", e->heap_object.object,
			e->heap_object.refs.n / 2);
}

static void put_span(struct line *l, const struct pv_event *e)
{
	put_event_text(l, &e->span.what);
	put_in_line(l, " ");
	put_event_text(l, &e->span.name);
	put_in_line(l, "  took ");
	put_ns(l, e->span.took_ns);
	put_in_line(l, "%s", e->span.failed ? "  failed" : "");
	put_line_stack(l, e->span.stack);
}

static void put_work(struct line *l, const struct pv_event *e)
{
	static const char *const words[PV_WORK_STEPS] = { "goes on", "begins", "ends", "ended" };
	put_in_line(l, "span %" PRIu64 " %s", e->work.id,
		e->work.step < PV_WORK_STEPS ? words[e->work.step] : "?");
	if (e->work.parent)
		put_in_line(l, "  within %" PRIu64, e->work.parent);
}

static void put_member(struct line *l, const struct pv_event *e, const struct mlpd_field *f)
{
	const void *at = (const char *)e + f->member;
	const char *dot = strrchr(f->name, '.');
	uint64_t v;
	struct pv_span s;
	struct pv_text t;
	memcpy(&v, at, sizeof v);
	memcpy(&s, at, sizeof s);
	put_in_line(l, "%s%s=", l->n ? "  " : "", dot ? dot + 1 : f->name);
	switch (f->type) {
	case MLPD_CSTR:
	case MLPD_HELPER_NAME:
		memcpy(&t, at, sizeof t);
		put_event_text(l, &t);
		break;
	case MLPD_METH:
		put_method_key(l, v);
		break;
	case MLPD_PTR:
	case MLPD_SPTR:
	case MLPD_OBJ:
		put_in_line(l, "0x%" PRIx64, v);
		break;
	case MLPD_SLEB:
		put_in_line(l, "%" PRId64, (int64_t)v);
		break;
	case MLPD_BT:
	case MLPD_FRAMES:
	case MLPD_IPS:
	case MLPD_STEPS:
	case MLPD_OBJS:
	case MLPD_REFS:
	case MLPD_ROOTS:
	case MLPD_OLD_ROOTS:
	case MLPD_DESCS:
	case MLPD_VALUES:
		put_in_line(l, "%" PRIu32, s.n);
		break;
	default:
		put_in_line(l, "%" PRIu64, v);
	}
}

/* Every field by its name; logs of 2007 have no rows of the wire. */
static void put_members(struct line *l, const struct pv_event *e)
{
	if (e->row == 0 || e->row >= mlpd_row_count || mlpd_rows[e->row].kind != e->kind)
		return;
	for (const struct mlpd_field *f = mlpd_rows[e->row].field; f->type != MLPD_END; f++)
		put_member(l, e, f);
}

static void put_any_event(struct line *l, const struct pv_event *e)
{
	switch (e->kind) {
	case PV_KIND_METHOD_JIT:
	case PV_KIND_METHOD_JIT_START:
	case PV_KIND_METHOD_JIT_FAIL:
	case PV_KIND_METHOD_FREE:
	case PV_KIND_METHOD_NAME:
		put_jit(l, e);
		return;
	case PV_KIND_GC_EVENT:
		put_in_line(l, "%s collection %s", e->gc.generation == 0 ? "minor" : "major",
			gc_step(e->gc.step));
		return;
	case PV_KIND_GC_RESIZE:
		put_in_line(l, "the heap is ");
		put_bytes(l, e->resize.bytes);
		return;
	case PV_KIND_GC_MOVE:
		put_in_line(l, "%" PRIu32 " objects", e->moves.pairs.n / 2);
		return;
	case PV_KIND_EXCEPTION_THROW:
		if (e->thrown.type)
			put_type(l, e->thrown.type);
		put_in_line(l, "%s0x%" PRIx64, e->thrown.type ? "  " : "object ", e->thrown.object);
		put_line_stack(l, e->thrown.stack);
		return;
	case PV_KIND_EXCEPTION_CLAUSE:
		put_in_line(l, "clause %" PRIu64 " of ", e->clause.index);
		put_method_key(l, e->clause.method);
		return;
	case PV_KIND_MONITOR_CONTENTION:
	case PV_KIND_MONITOR_DONE:
	case PV_KIND_MONITOR_FAIL:
		put_in_line(l, "%s0x%" PRIx64, "object ", e->monitor.object);
		put_line_stack(l, e->monitor.stack);
		return;
	case PV_KIND_HEAP_OBJECT:
	case PV_KIND_HEAP_DEAD:
		put_heap_object(l, e);
		return;
	case PV_KIND_SAMPLE_HIT:
	case PV_KIND_EXT_WAITED:
		put_hit(l, e);
		return;
	case PV_KIND_COUNTERS_DESCRIBE:
	case PV_KIND_COUNTERS_SAMPLE:
		put_in_line(l, "%" PRIu32 " counters", e->counters.list.n);
		return;
	case PV_KIND_EXT_SPAN:
		put_span(l, e);
		return;
	case PV_KIND_EXT_WORK:
		put_work(l, e);
		return;
	case PV_KIND_EXT_TREE_CALL:
		put_method_key(l, e->tree.method);
		put_in_line(l, "  %" PRIu64 " calls, self ", e->tree.calls);
		put_ns(l, e->tree.self_ns);
		return;
	default:
		if ((e->kind >= PV_KIND_CLASS_LOAD && e->kind <= PV_KIND_CONTEXT_UNLOAD) ||
			(e->kind >= PV_KIND_CLASS_NAME && e->kind <= PV_KIND_CLASS_UNLOAD))
			put_meta(l, e);
		else
			put_members(l, e);
	}
}

static void put_other(struct line *l, size_t i)
{
	struct pv_event e;
	pv_batch_copy_event(l->b, i, &e);
	put_any_event(l, &e);
}

void pv_event_line(const struct pv_model *m, const struct pv_batch *b, size_t i, bool readable,
	char *to, size_t size)
{
	struct line l = { m, b, (int64_t)b->time[i], readable, to, 0, size };
	if (size)
		to[0] = 0;
	if (b->kind[i] == PV_KIND_ALLOC)
		put_alloc(&l, &b->allocs.v[b->key[i]]);
	else if (b->kind[i] <= PV_KIND_METHOD_EXC_LEAVE)
		put_method_key(&l, b->key[i]);
	else
		put_other(&l, i);
	if (l.n + 1 >= size)
		pv_utf8_trim(to);
}

uint64_t pv_event_thread(const struct pv_batch *b, size_t i)
{
	if (b->kind[i] != PV_KIND_SAMPLE_HIT && b->kind[i] != PV_KIND_EXT_WAITED)
		return b->thread;
	const struct pv_event *e = pv_batch_event(b, i);
	return e->hit.thread ? e->hit.thread : b->thread;
}

void pv_event_thread_text(
	const struct pv_model *m, uint64_t thread, int64_t time, char *to, size_t size)
{
	uint32_t at = pv_threads_at(&m->threads, thread, time);
	uint32_t name = at ? m->threads.thread.v[at]->name : 0;
	if (name)
		snprintf(to, size, "%s", pv_intern_text(&m->names.text, name));
	else
		snprintf(to, size, "0x%" PRIx64, thread);
	pv_utf8_trim(to);
}
