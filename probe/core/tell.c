/* SPDX-License-Identifier: MIT */
/* Writes names of methods, classes and counters, for the log and again for a new reader. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "probe/core/registry.h"
#include "probe/core/tell.h"
#include "probe/core/writer.h"

enum {
	IMAGE = 1, /* the only image: all classes are in this image */
	LONGEST_NAME = 16 << 10,
	SECTION_RUNTIME = 0x2000,
	UNIT_TIME = 2 << 24,
	UNIT_COUNT = 3 << 24,
	MONOTONIC = 1 << 28,
	VARIABLE = 1 << 30,
};

static struct pv_text text(const char *at)
{
	return (struct pv_text){ at, strlen(at) };
}

static bool describe_method(
	struct pvp_writer *w, struct pvp_out_buffer *p, uint64_t key, uint64_t time)
{
	char number[32];
	struct pvp_method m = { 0 };
	const char *region = pvp_region_name(key);
	if (region) {
		m.name = region;
		m.name_len = strlen(region);
	} else if (!w->host->method(key, &m)) {
		if (w->host->unnamed) {
			w->host->unnamed(key);
			return true;
		}
		m.name = number;
		m.name_len = (size_t)snprintf(number, sizeof number, "0x%" PRIx64, key);
	}
	if (m.name_len > LONGEST_NAME)
		m.name_len = LONGEST_NAME;
	struct pv_event ev = { .kind = PV_KIND_METHOD_JIT,
		.time = time,
		.jit = { .method = key,
			.code = m.code,
			.size = m.size,
			.name = { m.name, m.name_len } } };
	return pvp_out_buffer_add(w, p, &ev, NULL);
}

/* A place in a method's code, after the method. */
static bool describe_place(struct pvp_writer *w, struct pvp_out_buffer *p, uint64_t key,
	uint64_t method, uint64_t time)
{
	const struct pv_event ev = {
		.kind = PV_KIND_EXT_PLACE, .time = time, .code_place = { key, method }
	};
	return pvp_out_buffer_add(w, p, &ev, NULL);
}

void pvp_tell_name(struct pvp_writer *w, struct pvp_out_buffer *page, uint64_t key, uint64_t time)
{
	uint64_t *seen = pvp_seen(w->seen, key);
	if (*seen == key && key)
		return;
	uint32_t state = pv_map_get(&w->described, key);
	if (state != 1) {
		const uint64_t of = w->host->place ? w->host->place(key) : 0;
		if (of)
			pvp_tell_name(w, page, of, time);
		if (!(of ? describe_place(w, page, key, of, time)
			 : describe_method(w, page, key, time)) ||
			!pv_map_set(&w->described, key, 1))
			return;
	}
	*seen = key;
}

void pvp_tell_method(struct pvp_writer *w, uint64_t key, uint64_t time)
{
	pvp_tell_name(w, &w->page, key, time);
}

static bool tell_class(struct pvp_writer *w, struct pvp_out_buffer *p, uint32_t id)
{
	const char *name = pvp_class_name(id);
	if (w->host->class_name)
		name = w->host->class_name(name);
	struct pv_event type = { .kind = PV_KIND_CLASS_LOAD,
		.time = w->start_ns,
		.meta = { .key = id, .image = IMAGE, .name = text(name) } };
	struct pv_event vtable = {
		.kind = PV_KIND_VTABLE_LOAD, .time = w->start_ns, .meta = { .key = id, .owner = id }
	};
	return pvp_out_buffer_add(w, p, &type, NULL) && pvp_out_buffer_add(w, p, &vtable, NULL);
}

void pvp_tell_classes(struct pvp_writer *w)
{
	for (uint32_t n = pvp_class_count(); w->classes < n; w->classes++)
		if (!tell_class(w, &w->page, w->classes + 1))
			return;
}

/* ---- counters */

static bool describe_counter(
	struct pvp_writer *w, struct pvp_out_buffer *p, uint64_t time, struct pv_counter_desc desc)
{
	struct pv_batch pools = { .descs = { &desc, 1, 1 } };
	struct pv_event ev = {
		.kind = PV_KIND_COUNTERS_DESCRIBE, .time = time, .counters = { .list = { 0, 1 } }
	};
	desc.section_name = text("");
	return pvp_out_buffer_add(w, p, &ev, &pools);
}

bool pvp_tell_step(struct pvp_writer *w, uint64_t time, uint64_t index, uint64_t step)
{
	struct pv_counter_value v = {
		.index = index, .type = PV_COUNTER_LONG, .raw = step, .text = text("")
	};
	struct pv_batch pools = { .values = { &v, 1, 1 } };
	struct pv_event ev = {
		.kind = PV_KIND_COUNTERS_SAMPLE, .time = time, .counters = { .list = { 0, 1 } }
	};
	return pvp_out_buffer_add(w, &w->page, &ev, &pools);
}

static void tell_counter(struct pvp_writer *w, struct profview_counter *c, uint64_t now)
{
	if (!atomic_load(&c->given))
		return;
	if (!c->described)
		c->described = describe_counter(w, &w->page, now,
			(struct pv_counter_desc){ .section = SECTION_RUNTIME,
				.type = PV_COUNTER_LONG,
				.unit = c->unit,
				.variance = VARIABLE,
				.index = c->index,
				.name = text(c->name) });
	int64_t value = atomic_load_explicit(&c->value, memory_order_relaxed);
	uint64_t step = (uint64_t)value - (uint64_t)c->written;
	if (!c->described || (c->sampled && !step))
		return;
	if (pvp_tell_step(w, now, c->index, step)) {
		c->sampled = true;
		c->written = value;
	}
}

static void tell_orphans(struct pvp_writer *w, uint64_t now)
{
	uint64_t n = atomic_load_explicit(&pvp_core.orphans, memory_order_relaxed);
	if (n != w->orphans && pvp_tell_step(w, now, PVP_COUNTER_LOST, n - w->orphans))
		w->orphans = n;
}

static void tell_pauses(struct pvp_writer *w, uint64_t now)
{
	uint32_t n = atomic_load_explicit(&pvp_core.pauses, memory_order_relaxed);
	if (n != w->pauses && pvp_tell_step(w, now, PVP_COUNTER_PAUSED, n - w->pauses))
		w->pauses = n;
}

static void tell_discarded(struct pvp_writer *w, uint64_t now)
{
	uint64_t n = w->host->discarded_shots ? w->host->discarded_shots() : 0;
	if (n != w->discarded && pvp_tell_step(w, now, PVP_COUNTER_DISCARDED, n - w->discarded))
		w->discarded = n;
}

void pvp_tell_full(struct pvp_writer *w)
{
	pvp_tell_step(w, pvp_monotonic(), PVP_COUNTER_FULL, 1);
}

void pvp_tell_ended(struct pvp_writer *w)
{
	pvp_tell_step(w, pvp_monotonic(), PVP_COUNTER_ENDED, w->abrupt ? 2 : 1);
}

void pvp_tell_counters(struct pvp_writer *w)
{
	uint64_t now = pvp_monotonic();
	for (struct profview_counter *c = NULL; (c = pvp_next_counter(c));)
		tell_counter(w, c, now);
	tell_orphans(w, now);
	tell_pauses(w, now);
	tell_discarded(w, now);
	pvp_children_tell(w);
}

/* ---- a new reader */

static void forget_written(struct pvp_writer *w)
{
	for (struct profview_counter *c = NULL; (c = pvp_next_counter(c));) {
		c->described = c->sampled = false;
		c->written = 0;
	}
	pthread_mutex_lock(&pvp_core.lock);
	for (struct pvp_thread *t = pvp_core.threads; t; t = t->next)
		if (t->session == pvp_core.writing)
			t->w.begun = false;
	pthread_mutex_unlock(&pvp_core.lock);
	pvp_children_again(&w->children);
	memset(&w->hello.header, 0, sizeof w->hello.header);
	w->hello.n = 0;
}

bool pvp_tell_new_counter(struct pvp_writer *w, uint64_t index, const char *name, bool time)
{
	return describe_counter(w, &w->page, pvp_monotonic(),
		(struct pv_counter_desc){ .section = PV_SECTION_PROFILER,
			.type = PV_COUNTER_LONG,
			.unit = time ? UNIT_TIME : UNIT_COUNT,
			.variance = MONOTONIC,
			.index = index,
			.name = text(name) });
}

/* Names a counter of the probe's own, for a new reader. False: not written. */
static bool tell_own_counter(struct pvp_writer *w, uint64_t index, const char *name)
{
	return describe_counter(w, &w->hello, w->start_ns,
		(struct pv_counter_desc){ .section = PV_SECTION_PROFILER,
			.type = PV_COUNTER_LONG,
			.unit = UNIT_COUNT,
			.variance = MONOTONIC,
			.index = index,
			.name = text(name) });
}

static bool tell_self(struct pvp_writer *w)
{
	struct pv_event start = {
		.kind = PV_KIND_THREAD_START, .time = w->start_ns, .meta = { .key = w->tid }
	};
	struct pv_event name = { .kind = PV_KIND_THREAD_NAME,
		.time = w->start_ns,
		.meta = { .key = w->tid, .name = text("profview writer") } };
	struct pv_event image = { .kind = PV_KIND_IMAGE_LOAD,
		.time = w->start_ns,
		.meta = { .key = IMAGE, .name = text(w->comm), .mvid = text("") } };
	return pvp_out_buffer_add(w, &w->hello, &start, NULL) &&
	       pvp_out_buffer_add(w, &w->hello, &name, NULL) &&
	       pvp_out_buffer_add(w, &w->hello, &image, NULL) &&
	       tell_own_counter(w, PVP_COUNTER_LOST, "lost events") &&
	       tell_own_counter(w, PVP_COUNTER_PAUSED, "paused") &&
	       tell_own_counter(w, PVP_COUNTER_ENDED, "ended") &&
	       (!w->config.maxsize || tell_own_counter(w, PVP_COUNTER_FULL, "log full")) &&
	       (!w->host->forces_collections ||
		       tell_own_counter(w, PVP_COUNTER_FORCED, "collections for heap shots")) &&
	       (!w->host->discarded_shots ||
		       tell_own_counter(w, PVP_COUNTER_DISCARDED, "discarded heap shots"));
}

bool pvp_tell_again(struct pvp_writer *w)
{
	forget_written(w);
	bool ok = tell_self(w);
	for (uint32_t id = 1; ok && id <= w->classes; id++)
		ok = tell_class(w, &w->hello, id);
	for (size_t i = 0; ok && w->described.slots && i <= w->described.mask; i++)
		if (w->described.slots[i].value == 1)
			ok = describe_method(w, &w->hello, w->described.slots[i].key, w->start_ns);
	if (ok && w->host->tell)
		ok = w->host->tell(w, &w->hello, true);
	return ok && pvp_out_buffer_send(w, &w->hello);
}
