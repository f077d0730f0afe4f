/* SPDX-License-Identifier: MIT */
/* Writes a log again: the first reading collects facts, the second writes the events kept. */
#include "common/ingest/convert/convert.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/utf8.h"
#include "common/base/map.h"
#include "common/base/system/new_file.h"
#include "common/format/batch_event.h"
#include "common/ingest/convert/convert_parts.h"
#include "common/ingest/again/reread.h"
#include "common/model/calls/own_time.h"

/* --- the first reading: zero, end, threads, vtables, counters' sections --- */

static bool same_recording(const struct mlpd_header *a, const struct mlpd_header *b)
{
	return a->pid == b->pid && a->start_time_ms == b->start_time_ms &&
	       a->format.data_version == b->format.data_version &&
	       a->format.header_major == b->format.header_major &&
	       a->format.pointer_size == b->format.pointer_size;
}

static bool first_header(void *ctx, const struct mlpd_header *h)
{
	struct pv_convert *c = ctx;
	if (c->headers++ && !same_recording(&c->header, h))
		return pv_fail(c->err, PV_EVERSION, 0,
			"it holds more than one recording; only one can be converted");
	c->header = *h;
	c->header.args = c->header.arch = c->header.os = (struct pv_text){ "", 0 };
	if (h->startup_ns) {
		c->zero = (int64_t)h->startup_ns;
		c->have_zero = true;
	}
	return true;
}

/* OpenPSS has a method's name where compiling begins, and its code where compiling ends. */
static bool learn_name(struct pv_convert *c, const struct pv_event *e)
{
	uint32_t name;
	return pv_intern_add(&c->text, e->jit.name.at, e->jit.name.len, &name) &&
	       pv_map_set(&c->jit_names, e->jit.method, name);
}

/* A log of 2007 has the name of a thing in one place, and its history in another. */
static bool learn_time(struct pv_convert *c, struct pv_map *of, uint64_t key, uint64_t time)
{
	if (pv_map_get(of, key) != PV_MAP_NONE)
		return true;
	if (!pv_reserve(&c->times, 1) || !pv_map_set(of, key, (uint32_t)c->times.n))
		return false;
	c->times.v[c->times.n++] = time;
	return true;
}

static bool learn_event(struct pv_convert *c, const struct pv_batch *b, const struct pv_event *e)
{
	switch (e->kind) {
	case PV_KIND_METHOD_JIT:
		return e->jit.name.len || learn_time(c, &c->compiled, e->jit.method, e->time);
	case PV_KIND_CLASS_LOAD:
		return e->meta.name.len || learn_time(c, &c->loaded, e->meta.key, e->time);
	case PV_KIND_THREAD_START:
	case PV_KIND_THREAD_END:
	case PV_KIND_THREAD_NAME:
		return !c->options->thread || pv_convert_live(c, e);
	case PV_KIND_METHOD_JIT_START:
		return e->jit.name.len == 0 || learn_name(c, e);
	case PV_KIND_VTABLE_LOAD:
		if (!pv_reserve(&c->owners, 1))
			return false;
		c->owners.v[c->owners.n] = e->meta.owner;
		return pv_map_set(&c->vtables, e->meta.key, (uint32_t)c->owners.n++);
	case PV_KIND_COUNTERS_DESCRIBE:
		for (uint32_t i = 0; i < e->counters.list.n; i++) {
			const struct pv_counter_desc *d = &b->descs.v[e->counters.list.at + i];
			if (d->section == PV_SECTION_PERFCOUNTERS &&
				!pv_map_set(&c->absolute, d->index, 1))
				return false;
		}
		return true;
	default:
		return true;
	}
}

static bool first_buffer(void *ctx, const struct mlpd_buffer_header *h, const struct pv_batch *b)
{
	struct pv_convert *c = ctx;
	int64_t base = (int64_t)h->time_base;
	if (!c->have_zero && (c->buffers++ == 0 || base < c->zero))
		c->zero = base;
	for (size_t i = 0; i < b->n; i++)
		if ((int64_t)b->time[i] > c->last)
			c->last = (int64_t)b->time[i];
	for (size_t i = 0; i < b->other_events.n; i++) {
		int64_t time =
			pv_own_time(&b->other_events.v[i], c->header.format.data_version, c->zero);
		if (time > c->last)
			c->last = time;
		if (!learn_event(c, b, &b->other_events.v[i]))
			return pv_fail(c->err, PV_ENOMEM, b->offset, "out of memory");
	}
	return true;
}

static int64_t bound(const struct pv_convert *c, int64_t ns)
{
	if (ns == INT64_MIN || ns == INT64_MAX)
		return ns;
	/*
	 * Damaged times lie at the ends of the clock, and so does the end of a log without events.
	 */
	int64_t at, origin = ns < 0 ? c->last : c->zero;
	if (__builtin_add_overflow(origin, ns, &at))
		return ns < 0 ? INT64_MIN : INT64_MAX;
	return at;
}

static bool finish_reading(struct pv_convert *c)
{
	const struct pv_convert_options *o = c->options;
	c->from = o->ranged ? bound(c, o->from_ns) : INT64_MIN;
	c->to = o->ranged ? bound(c, o->to_ns) : INT64_MAX;
	if (!o->thread)
		return true;
	char *end;
	errno = 0;
	bool hex = strncmp(o->thread, "0x", 2) == 0;
	c->id = strtoull(o->thread, &end, hex ? 16 : 10);
	c->by_id = (hex || (*o->thread >= '0' && *o->thread <= '9')) && !*end && !errno;
	return c->by_id || c->named ||
	       pv_fail(c->err, PV_EUSAGE, 0, "no thread is named %s", PV_FIT(o->thread, 60));
}

/* --- the second: writing --- */

static bool write_bytes(struct pv_convert *c, const void *bytes, size_t n)
{
	return fwrite(bytes, 1, n, c->out) == n ||
	       pv_fail(c->err, PV_EOUTPUT, 0, "cannot write: %s", strerror(errno));
}

/*
 * The format of the output. A layout of a development build shows only by trying, and a part of its
 * log may also decode as a release. So such logs are written as by releases, but for layouts with
 * events unknown to releases, and for the layout shown by the header.
 */
static struct mlpd_format own_format(const struct pv_convert *c)
{
	enum { KEPT = MLPD_NEW_ROOTS | MLPD_WIDE_COUNTERS | MLPD_OPEN_PSS };
	struct mlpd_format f = c->found, release = c->header.format;
	return f.layout & KEPT || f.layout == release.layout ? f : release;
}

static bool second_header(void *ctx, const struct mlpd_header *h)
{
	struct pv_convert *c = ctx;
	struct mlpd_header out = *h;
	uint8_t v = c->options->data_version ? (uint8_t)c->options->data_version
					     : h->format.data_version;
	if (c->begun)
		return true;
	c->begun = true;
	out.format = h->format;
	if (c->options->data_version) {
		out.format.data_version = v;
		out.format.layout = 0;
		out.format.header_major = v >= 16 ? 3 : v >= 14 ? 2 : v == 13;
		out.header_minor = v <= 3 ? 2 : v <= 12 ? 4 : 0;
	}
	if (out.format.header_major >= 3 && out.startup_ns == 0)
		out.startup_ns = (uint64_t)c->zero;
	c->zeroed = out.format.header_major >= 3;
	c->says = c->options->data_version ? out.format : own_format(c);
	c->totals.written = c->says;
	size_t room = 128 + h->args.len + h->arch.len + h->os.len;
	uint8_t *bytes = malloc(room);
	bool ok = bytes && write_bytes(c, bytes, mlpd_put_header(bytes, room, &out));
	free(bytes);
	return ok || c->err->code || pv_fail(c->err, PV_ENOMEM, 0, "out of memory");
}

static void event_at(const struct pv_batch *b, size_t i, struct pv_event *ret)
{
	*ret = (struct pv_event){ .time = b->time[i], .kind = b->kind[i] };
	if (b->kind[i] == PV_KIND_ALLOC) {
		const struct pv_alloc *a = &b->allocs.v[b->key[i]];
		ret->alloc.type = a->type;
		ret->alloc.object = a->object;
		ret->alloc.size = a->size;
		ret->alloc.stack = a->stack;
	} else if (b->kind[i] == PV_KIND_METHOD_ENTER || b->kind[i] == PV_KIND_METHOD_LEAVE ||
		   b->kind[i] == PV_KIND_METHOD_EXC_LEAVE) {
		ret->call.method = b->key[i];
	} else {
		pv_batch_copy_event(b, i, ret);
		ret->time = b->time[i];
	}
}

/*
 * Whether the output has the event. Handles had no stacks before data version 11: the stack is left
 * out.
 */
static bool has_words(struct pv_convert *c, struct pv_event *e)
{
	bool handle =
		e->kind == PV_KIND_GC_HANDLE_CREATED || e->kind == PV_KIND_GC_HANDLE_DESTROYED;
	if (mlpd_row_for(e, &c->says))
		return true;
	if (handle && e->handle.stack.n) {
		c->totals.stacks_left_out++;
		e->handle.stack.n = 0;
		return mlpd_row_for(e, &c->says) != NULL;
	}
	c->totals.left_out++;
	c->totals.left_out_kind[e->kind]++;
	return false;
}

static bool flush_events(struct pv_convert *c);

enum { COPIES_MOST = 20000000, FLUSH_BYTES = 1 << 20 };

static bool put_one(struct pv_convert *c, struct pv_event *e, const struct pv_batch *pools)
{
	if (c->events.n == 0) {
		c->head.time_base = e->time;
		mlpd_bases_init(&c->bases, &c->head);
	}
	size_t max = mlpd_encode_max(e, pools);
	if (!pv_reserve(&c->events, max))
		return pv_fail(c->err, PV_ENOMEM, 0, "out of memory");
	c->events.n += mlpd_encode(c->events.v + c->events.n, max, &c->bases, &c->says, e, pools);
	c->totals.events++;
	return true;
}

/* Writes a weighted sample as several: a log has no field for the weight. */
static bool put_copies(struct pv_convert *c, struct pv_event *e, const struct pv_batch *pools)
{
	uint64_t wanted = e->hit.weight > 1 ? e->hit.weight - 1 : 0;
	uint64_t n = wanted < COPIES_MOST - c->copies ? wanted : COPIES_MOST - c->copies;
	c->copies += n;
	c->totals.left_out += wanted - n;
	c->totals.left_out_kind[e->kind] += wanted - n;
	for (uint64_t i = 0; i < n; i++)
		if (!put_one(c, e, pools) || (c->events.n > FLUSH_BYTES && !flush_events(c)))
			return false;
	return true;
}

static bool put_converted(struct pv_convert *c, struct pv_event *e, const struct pv_batch *pools)
{
	if (e->kind == PV_KIND_COUNT || !has_words(c, e))
		return true;
	if (!put_one(c, e, pools) || (e->kind == PV_KIND_SAMPLE_HIT && !put_copies(c, e, pools)))
		return false;
	/* Mono's own reader takes bytes after an image's unload for a part of the unload. */
	return e->kind != PV_KIND_IMAGE_UNLOAD || c->says.data_version < 16 || flush_events(c);
}

/* For a header without zero: writes a buffer without events that begins at this time. */
static bool tell_zero(struct pv_convert *c)
{
	uint8_t bytes[MLPD_BUFFER_HEADER];
	struct mlpd_buffer_header zero = c->head;
	zero.length = 0;
	zero.time_base = (uint64_t)c->zero;
	mlpd_put_buffer_header(bytes, &zero);
	return write_bytes(c, bytes, sizeof bytes);
}

static bool flush_events(struct pv_convert *c)
{
	uint8_t head[MLPD_BUFFER_HEADER];
	if (c->events.n == 0)
		return true;
	bool starts = c->zeroed || (int64_t)c->head.time_base == c->zero;
	c->zeroed = true;
	if (!starts && !tell_zero(c))
		return false;
	c->head.length = (uint32_t)c->events.n;
	c->totals.buffers++;
	mlpd_put_buffer_header(head, &c->head);
	bool ok = write_bytes(c, head, sizeof head) && write_bytes(c, c->events.v, c->events.n);
	c->events.n = 0;
	return ok;
}

/* --- roots of a shot: up to 13 before its start, from 14 on after the start --- */

enum { HELD_MAX = 3 << 20 }; /* values */

static bool roots_wait(const struct pv_convert *c, const struct pv_event *e)
{
	return e->kind == PV_KIND_HEAP_ROOTS && c->rules.data_version <= 13 &&
	       c->says.data_version >= 14 && c->held_values.pool.n < HELD_MAX;
}

static bool hold_roots(struct pv_convert *c, struct pv_event e, const struct pv_batch *pools)
{
	struct pv_batch *own = &c->held_values;
	const uint64_t *from = pools->pool.v + e.roots.roots.at;
	if (!pv_reserve(&c->held, 1) || !pv_reserve(&own->pool, e.roots.roots.n))
		return pv_fail(c->err, PV_ENOMEM, 0, "out of memory");
	if (c->held.n == 0)
		c->held_head = c->head;
	e.roots.roots.at = (uint32_t)own->pool.n;
	for (uint32_t i = 0; i < e.roots.roots.n; i++)
		own->pool.v[own->pool.n++] = from[i];
	c->held.v[c->held.n++] = e;
	return true;
}

static bool put_held(struct pv_convert *c)
{
	bool ok = true;
	for (size_t i = 0; ok && i < c->held.n; i++)
		ok = put_converted(c, &c->held.v[i], &c->held_values);
	c->held.n = c->held_values.pool.n = 0;
	return ok;
}

/*
 * Writes the held roots, which were of a collection without a shot, or of a shot in another
 * thread's buffer.
 */
static bool write_held_roots(struct pv_convert *c)
{
	const struct mlpd_buffer_header head = c->head;
	if (c->held.n == 0)
		return true;
	if (!flush_events(c))
		return false;
	c->head = c->held_head;
	bool ok = put_held(c) && flush_events(c);
	c->head = head;
	return ok;
}

static bool put_in_turn(struct pv_convert *c, struct pv_event *e, const struct pv_batch *pools)
{
	bool begins = e->kind == PV_KIND_GC_EVENT && e->gc.step == PV_GC_START;
	bool other = c->held.n && c->held_head.thread != c->head.thread;
	bool roots = roots_wait(c, e), shot = e->kind == PV_KIND_HEAP_START;
	if ((begins || (other && (roots || shot))) && !write_held_roots(c))
		return false;
	if (roots)
		return hold_roots(c, *e, pools);
	return put_converted(c, e, pools) && (!shot || put_held(c));
}

static bool second_buffer(void *ctx, const struct mlpd_buffer_header *h, const struct pv_batch *b)
{
	struct pv_convert *c = ctx;
	c->head = *h;
	c->rules = c->reread->format;
	for (size_t i = 0; i < b->n; i++) {
		struct pv_event e, more;
		const struct pv_batch *pools = b;
		event_at(b, i, &e);
		if (!pv_convert_keeps(c, b, &e))
			continue;
		if (!pv_convert_event(c, b, &e, &pools, &more))
			return pv_fail(c->err, PV_ENOMEM, 0, "out of memory");
		if (!put_in_turn(c, &e, pools) || !put_converted(c, &more, pools))
			return false;
	}
	return flush_events(c);
}

/*
 * Whether the input can be read twice, unlike a pipe or a device. A folder is refused by its
 * source.
 */
static bool can_be_read_twice(const struct pv_convert *c, const char *in)
{
	struct stat st;
	bool stream = strcmp(in, "-") == 0 ||
		      (stat(in, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
	return !stream ||
	       pv_fail(c->err, PV_EUSAGE, 0, "convert reads its input twice: give a file");
}

static bool convert(struct pv_convert *c, const char *in)
{
	struct pv_reread one = {
		.ctx = c, .header = first_header, .buffer = first_buffer, .err = c->err
	};
	struct pv_reread two = {
		.ctx = c, .header = second_header, .buffer = second_buffer, .err = c->err
	};
	c->reread = &two;
	bool ok = can_be_read_twice(c, in) && pv_reread(&one, in) && finish_reading(c);
	/* The layout may have been found anywhere: now it holds from the beginning. */
	c->found = one.format;
	two.found = &c->found;
	ok = ok && pv_reread(&two, in) && write_held_roots(c);
	c->totals.damaged = two.damaged;
	c->reread = NULL;
	if (ok && !c->begun) /* a stream has its header with its first events */
		ok = two.damaged ? pv_fail(c->err, PV_ECORRUPT, 0, "nothing in it can be read")
				 : pv_fail(c->err, PV_ETRUNCATED, 0, "it has no events");
	if (ok && fflush(c->out) != 0)
		ok = pv_fail(c->err, PV_EOUTPUT, 0, "cannot write: %s", strerror(errno));
	return ok;
}

bool pv_convert(const char *in, const struct pv_convert_options *o, FILE *out,
	struct pv_convert_totals *ret_totals, struct pv_error *reterr)
{
	struct pv_convert c = { .options = o, .out = out, .err = reterr, .last = INT64_MIN };
	reterr->code = PV_OK;
	if (o->data_version > MLPD_NEWEST)
		return pv_fail(
			reterr, PV_EUSAGE, 0, "data versions go from 1 to %d", (int)MLPD_NEWEST);
	bool ok = convert(&c, in);
	if (ok)
		*ret_totals = c.totals;
	pv_array_finish(&c.lives);
	pv_map_finish(&c.life_of);
	pv_map_finish(&c.jit_names);
	pv_map_finish(&c.compiled);
	pv_map_finish(&c.loaded);
	pv_array_finish(&c.times);
	pv_intern_finish(&c.text);
	pv_map_finish(&c.vtables);
	pv_map_finish(&c.absolute);
	pv_map_finish(&c.counter_at);
	pv_map_finish(&c.in_shot);
	pv_array_finish(&c.owners);
	for (size_t i = 0; i < c.counters.n; i++)
		pv_array_finish(&c.counters.v[i].text);
	pv_array_finish(&c.counters);
	pv_array_finish(&c.events);
	pv_batch_finish(&c.pools);
	pv_array_finish(&c.held);
	pv_batch_finish(&c.held_values);
	return ok;
}

bool pv_convert_file(const char *in, const struct pv_convert_options *o, const char *path,
	struct pv_convert_totals *ret_totals, struct pv_error *reterr)
{
	struct pv_new_file f;
	return pv_new_file_begin(&f, path, reterr) &&
	       pv_new_file_finish(&f, pv_convert(in, o, f.out, ret_totals, reterr), reterr);
}
