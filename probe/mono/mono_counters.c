/* SPDX-License-Identifier: MIT */
/*
 * The runtime's counters, with times and memory of the process: once a second the writer writes
 * changed counters. They are read under a lock of the runtime that no thread holds over a
 * collection; the last reading is at the runtime's shutdown.
 */
#include <mono/utils/mono-counters.h>
#include <pthread.h>
#include <string.h>

#include "common/base/map.h"
#include "probe/mono/host_mono.h"

enum {
	FIRST = 4096, /* index; lower ones are the core's and the program's */
	MOST = 4096,
	TEXT = 256, /* of a counter with a text */
	BATCH = 64, /* in an event */
	EVERY_NS = 1000000000,
};

struct counter {
	uint64_t last; /* as written */
	bool written;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pv_map places; /* MonoCounter * -> place in counters */
static PV_ARRAY(struct counter) counters;
static uint64_t last_ns;
static bool over, once_more;

/* Counters read in a round. */
struct reading {
	struct pvp_writer *w;
	struct pvp_out_buffer *page;
	uint64_t now;
	size_t descs, values;
	struct pv_counter_desc desc[BATCH];
	struct pv_counter_value value[BATCH];
	char text[BATCH][TEXT];
	bool ok;
};

static void send_descriptions(struct reading *r)
{
	struct pv_batch pools = { .descs = { r->desc, r->descs, r->descs } };
	struct pv_event ev = { .kind = PV_KIND_COUNTERS_DESCRIBE,
		.time = r->now,
		.counters = { .list = { 0, (uint32_t)r->descs } } };
	if (r->descs)
		r->ok &= pvp_out_buffer_add(r->w, r->page, &ev, &pools);
	r->descs = 0;
}

/* Descriptions stand before the values they are of. */
static void send_values(struct reading *r)
{
	send_descriptions(r);
	struct pv_batch pools = { .values = { r->value, r->values, r->values } };
	struct pv_event ev = { .kind = PV_KIND_COUNTERS_SAMPLE,
		.time = r->now,
		.counters = { .list = { 0, (uint32_t)r->values } } };
	if (r->values)
		r->ok &= pvp_out_buffer_add(r->w, r->page, &ev, &pools);
	r->values = 0;
}

static void describe_mono_counter(struct reading *r, MonoCounter *c, uint64_t index)
{
	const char *name = mono_counter_get_name(c);
	r->desc[r->descs++] = (struct pv_counter_desc){
		.section = (uint32_t)mono_counter_get_section(c),
		.type = (uint32_t)mono_counter_get_type(c),
		.unit = (uint32_t)mono_counter_get_unit(c),
		.variance = (uint32_t)mono_counter_get_variance(c),
		.index = index,
		.section_name = { "", 0 },
		.name = { name ? name : "", name ? strlen(name) : 0 },
	};
}

static uint64_t hash(const char *text)
{
	uint64_t h = UINT64_C(14695981039346656037);
	for (; *text; text++)
		h = (h ^ (uint8_t)*text) * UINT64_C(1099511628211);
	return h;
}

/* The bits of the value, of any width. False: cannot be written. */
static bool read_value(MonoCounter *c, uint64_t type, uint64_t *ret, char text[TEXT])
{
	union {
		int32_t i;
		uint32_t u;
		uint64_t wide;
		char text[TEXT];
	} v = { .wide = 0 };
	int size = mono_counters_sample(c, &v, (int)sizeof v - 1);
	if (size < 0 || (size_t)size >= sizeof v)
		return false;
	switch (type) {
	case PV_COUNTER_INT:
		*ret = (uint64_t)(int64_t)v.i;
		return true;
	case PV_COUNTER_UINT:
		*ret = v.u;
		return true;
	case PV_COUNTER_STRING:
		memcpy(text, v.text, (size_t)size);
		text[size] = 0;
		*ret = hash(text);
		return true;
	default:
		*ret = v.wide;
		return type <= PV_COUNTER_TIME_INTERVAL;
	}
}

/* The log's form of a value, relative to the last. */
static uint64_t wire(uint64_t type, uint64_t value, uint64_t last)
{
	if (type == PV_COUNTER_DOUBLE)
		return value;
	if (type == PV_COUNTER_STRING)
		return 1;
	if (type == PV_COUNTER_UINT)
		return (uint32_t)(value - last);
	return value - last;
}

static struct counter *known_counter(MonoCounter *c, uint64_t *ret_index)
{
	uint64_t key = (uint64_t)(uintptr_t)c;
	uint32_t at = pv_map_get(&places, key);
	if (at == PV_MAP_NONE) {
		if (counters.n >= MOST || !pv_reserve(&counters, 1) ||
			!pv_map_set(&places, key, (uint32_t)counters.n))
			return NULL;
		at = (uint32_t)counters.n;
		counters.v[counters.n++] = (struct counter){ 0 };
	}
	*ret_index = FIRST + at;
	return &counters.v[at];
}

static mono_bool read_one(MonoCounter *c, void *ctx)
{
	struct reading *r = ctx;
	uint64_t index, value, type = (uint32_t)mono_counter_get_type(c);
	struct counter *k = known_counter(c, &index);
	if (!k || !read_value(c, type, &value, r->text[r->values]) ||
		(k->written && value == k->last))
		return 1;
	if (!k->written)
		describe_mono_counter(r, c, index);
	r->value[r->values] = (struct pv_counter_value){
		.index = index, .type = type, .raw = wire(type, value, k->last), .text = { "", 0 }
	};
	if (type == PV_COUNTER_STRING)
		r->value[r->values].text =
			(struct pv_text){ r->text[r->values], strlen(r->text[r->values]) };
	r->values++;
	k->last = value;
	k->written = true;
	if (r->values == BATCH)
		send_values(r);
	return 1;
}

bool pvp_mono_counters_tell(struct pvp_writer *w, struct pvp_out_buffer *page)
{
	static struct reading r; /* the writer's only */
	pthread_mutex_lock(&lock);
	bool due = !over && (once_more || w->round_ns - last_ns >= EVERY_NS);
	if (due) {
		r = (struct reading){ .w = w, .page = page, .now = w->round_ns, .ok = true };
		mono_counters_foreach(read_one, &r);
		send_values(&r);
		last_ns = w->round_ns;
		over = once_more;
	}
	pthread_mutex_unlock(&lock);
	return !due || r.ok;
}

void pvp_mono_counters_again(void)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < counters.n; i++)
		counters.v[i] = (struct counter){ 0 };
	last_ns = 0;
	pthread_mutex_unlock(&lock);
}

void pvp_mono_counters_end(void)
{
	pthread_mutex_lock(&lock);
	once_more = true;
	pthread_mutex_unlock(&lock);
}

void pvp_mono_counters_close(void)
{
	pthread_mutex_lock(&lock);
	over = true;
	pthread_mutex_unlock(&lock);
}
