/* SPDX-License-Identifier: MIT */
/*
 * Spans of work, from the event sources of base/span_source.h. A span's id is made from its
 * activity, so that any event of the activity shows its span; spans of a source with numbers of its
 * own are counted. Threads follow one another in the stream in parts: an end may come before its
 * begin, and then waits.
 */
#include <string.h>

#include "common/base/status.h"
#include "common/format/nettrace/nettrace_parts.h"
#include "common/format/nettrace/nettrace_six.h"
#include "common/format/nettrace/nettrace_spans.h"

#define COUNTED (UINT64_C(1) << 63) /* ids of spans without an activity */

/* The same at each reading. 0: no activity. */
static uint64_t activity_hash(const uint8_t guid[NT_GUID_BYTES])
{
	uint64_t half[2], id;
	memcpy(half, guid, sizeof half);
	if (!half[0] && !half[1])
		return 0;
	id = half[0] * UINT64_C(0x9e3779b97f4a7c15) ^ half[1];
	id = (id ^ id >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	id = ((id ^ id >> 27) * UINT64_C(0x94d049bb133111eb)) & ~COUNTED;
	return id ? id : 1;
}

static void tell_work(
	struct pv_stream *s, const struct nt_blob *b, uint64_t step, const struct nt_open_span *of)
{
	struct pv_event *e = nt_add(s, PV_KIND_EXT_WORK, b->offset);
	if (!e)
		return;
	e->work.step = step;
	e->work.id = of->id;
	e->work.parent = of->parent;
}

/* Adds the span that ended at `end`; the stack goes into the batch. */
static void tell_span(struct pv_stream *s, uint64_t offset, struct nt_open_span *of, uint64_t end)
{
	struct nettrace *d = nt_of(s);
	struct pv_batch *to = &s->batch;
	struct pv_event *e = nt_add(s, PV_KIND_EXT_SPAN, offset);
	if (!e)
		return;
	e->span.took_ns = end > of->since ? end - of->since : 0;
	e->span.failed = of->failed;
	e->span.what = (struct pv_text){ of->source->what, strlen(of->source->what) };
	e->span.name = nt_text_of(d, of->name);
	e->span.stack = (struct pv_span){ (uint32_t)to->pool.n, 0 };
	if (!pv_reserve(&to->pool, of->stack.n)) {
		d->nomem = true;
		return;
	}
	for (size_t i = 0; i < of->stack.n; i++)
		to->pool.v[to->pool.n++] = of->stack.v[i];
	e->span.stack.n = (uint32_t)of->stack.n;
}

/* --- open spans, and ends without a begin */

static void forget_open_span(struct nettrace *d, size_t at)
{
	pv_array_finish(&d->span.v[at].stack);
	d->span.v[at] = d->span.v[--d->span.n];
}

/* The last span in the table with this source, key and state; d->span.n: none. */
static size_t find_open_span(
	const struct nettrace *d, const struct nt_open_span *like, enum nt_span_state state)
{
	for (size_t i = d->span.n; i-- > 0;) {
		const struct nt_open_span *o = &d->span.v[i];
		if (o->state == state && o->source == like->source && o->key == like->key)
			return i;
	}
	return d->span.n;
}

/* Adds a span; if there are too many, the first in the table is dropped. NULL: out of memory. */
static struct nt_open_span *put_open_span(struct nettrace *d, const struct nt_open_span *o)
{
	if (d->span.n >= NT_SPANS_OPEN)
		forget_open_span(d, 0);
	if (!pv_reserve(&d->span, 1)) {
		d->nomem = true;
		return NULL;
	}
	d->span.v[d->span.n] = *o;
	return &d->span.v[d->span.n++];
}

/*
 * Names a span by its begin's payload, without the parts that differ between similar spans. False:
 * no name.
 */
static bool describe_open_span(struct nettrace *d, const struct nt_blob *b, struct nt_open_span *o)
{
	char name[PV_SPAN_NAME];
	bool ok;
	size_t n = pv_span_name(o->source, b->payload, b->len, name, &ok);
	o->name = ok ? nt_intern(d, name, n) : 0;
	return o->name != 0;
}

static void begin_open_span(struct pv_stream *s, const struct nt_blob *b, struct nt_open_span o)
{
	struct nettrace *d = nt_of(s);
	if (o.source->numbered)
		o.id = COUNTED | ++d->spans_counted;
	if (!describe_open_span(d, b, &o))
		return;
	d->spans_begun++;
	tell_work(s, b, PV_WORK_BEGINS, &o);
	const struct pv_span keys = nt_stack(s, b, true);
	size_t at = o.source->numbered ? d->span.n : find_open_span(d, &o, NT_SPAN_ENDED);
	struct nt_open_span *to = at < d->span.n ? &d->span.v[at] : put_open_span(d, &o);
	if (!to || !pv_reserve(&to->stack, keys.n)) {
		d->nomem = true;
		return;
	}
	for (uint32_t i = 0; i < keys.n; i++)
		to->stack.v[to->stack.n++] = s->batch.pool.v[keys.at + i];
	if (to->state != NT_SPAN_ENDED)
		return;
	to->since = o.since; /* the end came first */
	to->name = o.name;
	to->parent = o.parent;
	to->state = NT_SPAN_DUE;
}

static void end_open_span(struct pv_stream *s, const struct nt_blob *b, struct nt_open_span o)
{
	struct nettrace *d = nt_of(s);
	size_t at = find_open_span(d, &o, NT_SPAN_OPEN);
	if (at < d->span.n) {
		struct nt_open_span *of = &d->span.v[at];
		of->failed |= o.failed;
		tell_work(s, b, PV_WORK_ENDS, of);
		tell_span(s, b->offset, of, d->now);
		forget_open_span(d, at);
		return;
	}
	if (o.source->numbered)
		return;
	o.parent = 0;
	tell_work(s, b, PV_WORK_ENDS, &o);
	o.state = NT_SPAN_ENDED;
	o.thread = b->thread;
	o.end = d->now;
	put_open_span(d, &o);
}

void nt_span(struct pv_stream *s, const struct nt_blob *b)
{
	struct nettrace *d = nt_of(s);
	const struct nt_kind *k = &d->kind.v[b->kind];
	struct nt_open_span o = {
		.source = pv_span_source_of(pv_intern_text(&d->text, k->provider)), .since = d->now
	};
	if (!o.source)
		return;
	if (o.source->numbered) {
		o.key = pv_span_number(b->payload, b->len, &o.failed);
		o.parent = activity_hash(b->activity);
	} else {
		o.id = o.key = activity_hash(b->activity);
		o.parent = activity_hash(b->related);
	}
	if (!o.key && !o.source->numbered)
		return; /* activities are not tracked: begin and end cannot be matched */
	if (k->id == o.source->step[PV_SPAN_BEGIN]) {
		o.failed = false;
		begin_open_span(s, b, o);
	} else if (k->id == o.source->step[PV_SPAN_END]) {
		o.failed &= o.source->numbered;
		end_open_span(s, b, o);
	} else {
		size_t at = find_open_span(d, &o, NT_SPAN_OPEN);
		if (at < d->span.n)
			d->span.v[at].failed = true;
	}
}

void nt_span_goes_on(struct pv_stream *s, const struct nt_blob *b)
{
	const struct nt_open_span of = { .id = activity_hash(b->activity) };
	if (of.id && nt_of(s)->spans_begun)
		tell_work(s, b, PV_WORK_GOES_ON, &of);
}

void nt_spans_due(struct pv_stream *s, const struct nt_blob *b)
{
	struct nettrace *d = nt_of(s);
	for (size_t i = 0; i < d->span.n;) {
		struct nt_open_span *of = &d->span.v[i];
		if (of->state != NT_SPAN_DUE || of->thread != b->thread || of->end > d->now) {
			i++;
			continue;
		}
		tell_work(s, b, PV_WORK_ENDED, of);
		tell_span(s, b->offset, of, of->end);
		forget_open_span(d, i);
	}
}

bool nt_flush_span(struct pv_stream *s, uint64_t *ret_thread)
{
	struct nettrace *d = nt_of(s);
	for (size_t i = 0; i < d->span.n; i++) {
		struct nt_open_span *of = &d->span.v[i];
		if (of->state != NT_SPAN_DUE)
			continue;
		const struct nt_blob at = { .offset = s->offset };
		*ret_thread = of->thread;
		d->now = of->end > d->now ? of->end : d->now;
		tell_work(s, &at, PV_WORK_ENDED, of);
		tell_span(s, s->offset, of, of->end);
		forget_open_span(d, i);
		return true;
	}
	return false;
}

void nt_forget_spans(struct nettrace *d)
{
	while (d->span.n)
		forget_open_span(d, d->span.n - 1);
	pv_array_finish(&d->span);
}
