/* SPDX-License-Identifier: MIT */
/* Converts samples, methods, threads and losses of a text to neutral events. */
#include <string.h>

#include "common/format/batch_event.h"
#include "common/format/stacks/stacks_state.h"
#include "common/format/stacks/stacks_text.h"

enum { LOST_COUNTER = 1 };

struct pv_event *st_event(struct pv_stream *s, uint8_t kind, uint64_t time)
{
	struct stacks *d = st_of(s);
	struct pv_event *e = NULL;
	if (!s->want_offsets || pv_reserve(&s->offsets, 1))
		e = pv_batch_add(&s->batch, kind, time);
	d->nomem |= !e;
	if (e && s->want_offsets)
		s->offsets.v[s->offsets.n++] = s->offset;
	return e;
}

static struct pv_text interned_text(const struct pv_intern *in, uint32_t id)
{
	const char *text = pv_intern_text(in, id);
	return (struct pv_text){ text, strlen(text) };
}

/* Adds an object file: a range of the keys of its methods. */
static void say_object(struct pv_stream *s, uint32_t object)
{
	struct pv_event *e = st_event(s, PV_KIND_SAMPLE_BINARY, st_now(st_of(s)));
	if (!e)
		return;
	e->symbol.address = object * PV_STACK_OBJECT_SIZE;
	e->symbol.size = PV_STACK_OBJECT_SIZE;
	e->symbol.name = interned_text(&st_of(s)->names.objects, object);
}

static void say_method(struct pv_stream *s, const struct pv_stack_method *m)
{
	struct stacks *d = st_of(s);
	struct pv_event *e = m->is_new ? st_event(s, PV_KIND_METHOD_NAME, st_now(d)) : NULL;
	if (e) {
		e->meta.key = m->key;
		e->meta.name = interned_text(&d->names.names, m->name);
	}
	e = m->tier ? st_event(s, PV_KIND_EXT_BODY, st_now(d)) : NULL;
	if (e) {
		e->body.method = m->key;
		e->body.tier = m->tier;
	}
}

/* The key of a method; a new method is named before. 0: out of memory. */
static uint64_t method_of(
	struct pv_stream *s, struct pv_text name, struct pv_text object, bool *ret_chain)
{
	struct stacks *d = st_of(s);
	struct pv_stack_method m;
	if (!pv_stack_names_method(&d->names, name, object, &m)) {
		d->nomem = true;
		return 0;
	}
	*ret_chain = m.chain;
	if (m.new_object)
		say_object(s, m.object);
	if (m.is_new || m.tier)
		say_method(s, &m);
	return m.key;
}

void st_add_frame(struct pv_stream *s, uint64_t key)
{
	struct stacks *d = st_of(s);
	if (d->frame.n >= MOST_FRAMES)
		return;
	if (!key || !pv_reserve(&d->frame, 1))
		d->nomem = true;
	else
		d->frame.v[d->frame.n++] = key;
}

/*
 * Java's agent writes functions inlined into one as a chain, outermost first: "out->mid->in". Only
 * in code made by a runtime: elsewhere "operator->" is a name. Takes the innermost function off the
 * chain; false: the chain is empty.
 */
static bool take_link(struct pv_text *chain, struct pv_text *ret)
{
	const char *from = chain->at, *stop = from + chain->len, *at = stop;
	if (!chain->len)
		return false;
	while (at > from + 1 && !(at[-1] == '>' && at[-2] == '-'))
		at--;
	bool arrow = at > from + 1;
	at = arrow ? at : from;
	*ret = (struct pv_text){ at, (size_t)(stop - at) };
	chain->len = arrow ? (size_t)(at - 2 - from) : 0;
	return true;
}

uint64_t st_method(struct pv_stream *s, struct pv_text name, struct pv_text object)
{
	struct pv_text link;
	bool chain = false;
	uint64_t key = method_of(s, name, object, &chain);
	while (chain && take_link(&name, &link) && !link.len)
		;
	return chain ? method_of(s, link, object, &chain) : key;
}

void st_take_frame(struct pv_stream *s, const struct pv_stack_frame *f)
{
	struct pv_text name = f->name, link;
	bool chain = false;
	uint64_t key = method_of(s, name, f->object, &chain);
	if (!chain)
		st_add_frame(s, key);
	while (chain && take_link(&name, &link))
		if (link.len)
			st_add_frame(s, st_method(s, link, f->object));
}

/* Names the current thread if its name is new or has changed. */
void st_name_thread(struct pv_stream *s)
{
	struct stacks *d = st_of(s);
	struct pv_text name;
	bool is_new;
	if (!pv_stack_names_thread(&d->names, d->head.tid, d->head.comm, &name, &is_new)) {
		d->nomem = true;
		return;
	}
	struct pv_event *e = is_new ? st_event(s, PV_KIND_THREAD_NAME, st_now(d)) : NULL;
	if (!e)
		return;
	e->meta.key = d->head.tid;
	e->meta.name = name;
}

/* Adds an event that is known but not read, by name, for the coverage. */
void st_say_unread(struct pv_stream *s, struct pv_text what)
{
	struct stacks *d = st_of(s);
	uint32_t id;
	if (d->names.comms.text.n >= PV_STACK_COMMS || what.len == 0 || !*what.at)
		what = (struct pv_text){ "(other)", 7 };
	if (!pv_intern_add(&d->names.comms, what.at, what.len, &id)) {
		d->nomem = true;
		return;
	}
	struct pv_event *e = st_event(s, PV_KIND_EXT_UNKNOWN, st_now(d));
	if (e)
		e->ext.text = interned_text(&d->names.comms, id);
}

/* Adds the number of events lost since the last call, in the same counter as the probes' logs. */
void st_say_lost(struct pv_stream *s, uint64_t more)
{
	struct stacks *d = st_of(s);
	struct pv_batch *b = &s->batch;
	if (!pv_reserve(&b->descs, 1) || !pv_reserve(&b->values, 1)) {
		d->nomem = true;
		return;
	}
	struct pv_event *e = st_event(s, PV_KIND_COUNTERS_DESCRIBE, st_now(d));
	if (e)
		e->counters.list = (struct pv_span){ (uint32_t)b->descs.n, 1 };
	b->descs.v[b->descs.n++] = (struct pv_counter_desc){ .section = PV_SECTION_PROFILER,
		.type = PV_COUNTER_LONG,
		.index = LOST_COUNTER,
		.name = { "lost events", 11 } };
	e = st_event(s, PV_KIND_COUNTERS_SAMPLE, st_now(d));
	if (e)
		e->counters.list = (struct pv_span){ (uint32_t)b->values.n, 1 };
	b->values.v[b->values.n++] = (struct pv_counter_value){
		.index = LOST_COUNTER, .type = PV_COUNTER_LONG, .raw = more
	};
}

void st_add_hit(struct pv_stream *s, uint64_t weight)
{
	struct stacks *d = st_of(s);
	struct pv_batch *b = &s->batch;
	struct pv_event *e = st_event(s, PV_KIND_SAMPLE_HIT, st_now(d));
	d->open = false;
	if (!e || (d->frame.n && !pv_reserve(&b->pool, d->frame.n))) {
		d->nomem = true;
		return;
	}
	d->weight += weight;
	e->hit.thread = st_is_folded(d) ? 0 : d->head.tid;
	e->hit.weight = weight;
	e->hit.frames = (struct pv_span){ (uint32_t)b->pool.n, (uint32_t)d->frame.n };
	if (d->frame.n)
		memcpy(b->pool.v + b->pool.n, d->frame.v, d->frame.n * sizeof *d->frame.v);
	b->pool.n += d->frame.n;
	d->frame.n = 0;
}
