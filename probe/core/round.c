/* SPDX-License-Identifier: MIT */
/* A round of the writer: takes what the threads have published, and writes names and events. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "probe/core/call_tree.h"
#include "probe/core/registry.h"
#include "probe/core/scan.h"
#include "probe/core/writer.h"

enum {
	EXTRA_BYTES = 512,    /* for the events the writer puts around a thread's own */
	NAME_ROUNDS = 10,     /* between two checks of the system's name of a nameless thread */
	TREE_NS = 1000000000, /* between two writes of the call trees */
	VISIBLE_NS = 1000000, /* a store is visible to everybody long before this */
};

/* Bytes before a thread's own events in a buffer. */
struct extra {
	struct mlpd_buffer_header header;
	struct mlpd_bases bases;
	size_t n;
	uint8_t bytes[MLPD_BUFFER_HEADER + EXTRA_BYTES];
};

static const struct mlpd_format format = { MLPD_NEWEST, 3, 8, 0 };

static void extra_init(struct extra *x, const struct pvp_thread *t, uint64_t time)
{
	x->header = (struct mlpd_buffer_header){ .time_base = time, .thread = t->tid };
	x->n = MLPD_BUFFER_HEADER;
	mlpd_bases_init(&x->bases, &x->header);
}

static void extra_add(struct extra *x, const struct pv_event *ev, const struct pv_batch *pools)
{
	x->n += mlpd_encode(x->bytes + x->n, sizeof x->bytes - x->n, &x->bases, &format, ev, pools);
}

static bool extra_send(struct pvp_writer *w, struct extra *x, const uint8_t *from, size_t len)
{
	size_t own = x->n - MLPD_BUFFER_HEADER;
	if (own + len == 0)
		return true;
	x->header.length = (uint32_t)(own + len);
	mlpd_put_buffer_header(x->bytes, &x->header);
	struct iovec parts[2] = {
		{ x->bytes, x->n },
		{ (void *)(uintptr_t)from, len },
	};
	return pvp_writer_send(w, parts, 2);
}

static void add_count(struct extra *x, uint64_t index, uint64_t n)
{
	struct pv_counter_value v = {
		.index = index, .type = PV_COUNTER_LONG, .raw = n, .text = { "", 0 }
	};
	struct pv_batch pools = { .values = { &v, 1, 1 } };
	struct pv_event ev = { .kind = PV_KIND_COUNTERS_SAMPLE,
		.time = x->header.time_base,
		.counters = { .list = { 0, 1 } } };
	if (n)
		extra_add(x, &ev, &pools);
}

static void add_thread(struct extra *x, unsigned kind, const struct pvp_thread *t, const char *name)
{
	struct pv_event ev = { .kind = (uint8_t)kind,
		.time = x->header.time_base,
		.meta = { .key = t->tid, .name = { name, strlen(name) } } };
	extra_add(x, &ev, NULL);
}

/* ---- names of threads */

/* The system's name of a thread, "" if equal to the process's name. */
static const char *read_comm(const struct pvp_writer *w, uint64_t tid, char name[16])
{
	char path[64];
	snprintf(path, sizeof path, "/proc/self/task/%llu/comm", (unsigned long long)tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, name, 15);
	if (fd >= 0)
		close(fd);
	name[n > 0 ? strcspn(name, "\n") : 0] = 0;
	return strcmp(name, w->comm) == 0 ? "" : name;
}

static void add_name(const struct pvp_writer *w, struct extra *x, struct pvp_thread *t)
{
	char given[PVP_NAME_MAX], system[16] = "";
	pthread_mutex_lock(&pvp_core.lock);
	memcpy(given, t->name, sizeof given);
	t->name_new = false;
	pthread_mutex_unlock(&pvp_core.lock);
	const char *name = given;
	if (!*name && t->tid == (uint64_t)getpid())
		name = "main";
	else if (!*name && !t->w.exited)
		name = read_comm(w, t->tid, system);
	if (!*name || strcmp(name, w->comm) == 0)
		return;
	add_thread(x, PV_KIND_THREAD_NAME, t, name);
	t->w.named = true;
}

/* ---- published events of a thread */

struct use {
	struct pvp_writer *w;
	uint64_t time;
};

static void use_method(void *ctx, uint64_t method)
{
	const struct use *u = ctx;
	pvp_tell_method(u->w, method, u->time);
}

/* Adds the events that go before a thread's others in the next buffer. */
static void add_front(struct pvp_writer *w, struct extra *x, struct pvp_thread *t, uint64_t lost)
{
	if (lost > t->w.lost_written)
		add_count(x, PVP_COUNTER_LOST, lost - t->w.lost_written);
	/* Only once: a reader that goes on after a repeated header would see another thread. */
	if (!t->w.started)
		add_thread(x, PV_KIND_THREAD_START, t, "");
	if (!t->w.begun || t->w.name_new)
		add_name(w, x, t);
}

/* A stream begun anew in the meantime does not know the thread yet. */
static void front_written(
	struct pvp_writer *w, struct pvp_thread *t, uint64_t lost, uint64_t stream)
{
	if (lost > t->w.lost_written) {
		w->lost += lost - t->w.lost_written;
		t->w.lost_written = lost;
	}
	t->w.begun = w->streams == stream;
	t->w.started = true;
	t->w.name_new = false;
}

static bool send_piece(struct pvp_writer *w, struct pvp_thread *t, const struct pvp_chunk *c,
	const uint8_t *to, uint64_t lost)
{
	struct extra x;
	uint64_t stream = w->streams;
	extra_init(&x, t, c->time);
	x.header.method_base = c->method;
	x.header.obj_base = atomic_load_explicit(&c->obj_base, memory_order_relaxed);
	add_front(w, &x, t, lost);
	if (c->gaps != t->w.gaps)
		add_count(&x, PVP_COUNTER_PAUSED, c->gaps - t->w.gaps);
	if (!extra_send(w, &x, c->taken, (size_t)(to - c->taken)))
		return false;
	t->w.gaps = c->gaps;
	front_written(w, t, lost, stream);
	return true;
}

/* Writes events up to `to`, not later than `until` (0: all). False: later events are left. */
static bool piece(struct pvp_writer *w, struct pvp_thread *t, struct pvp_chunk *c,
	const uint8_t *to, uint64_t until)
{
	bool begun = c->taken;
	uint64_t lost = begun ? t->w.lost_before : c->lost;
	const uint8_t *from = begun ? c->taken : c->data;
	if (from == to)
		return true;
	struct use use = { w, begun ? c->time : c->time_base };
	struct pvp_scan s = { .time = use.time,
		.method = begun ? c->method : c->method_base,
		.until = until,
		.scratch = &w->scratch,
		.tally = &w->tally,
		.seen = w->seen,
		.use = use_method,
		.ctx = &use };
	bool sound = pvp_scan(&s, from, to);
	const uint8_t *read_end = sound ? s.read_end : to;
	if (read_end == from)
		return false;
	if (!begun) {
		c->taken = c->data;
		c->time = c->time_base;
		c->method = c->method_base;
	}
	if (!sound || !pvp_out_buffer_send(w, &w->page) || !send_piece(w, t, c, read_end, lost))
		t->w.dropped += s.events;
	t->w.last = s.time;
	t->w.wrote = true;
	c->taken += read_end - c->taken;
	c->time = s.time;
	c->method = s.method;
	return read_end == to;
}

static void give_back(struct pvp_thread *t, struct pvp_chunk *c)
{
	pthread_mutex_lock(&pvp_core.lock);
	pvp_pool_put(t->pool, c);
	pthread_mutex_unlock(&pvp_core.lock);
}

/* The start of a thread without events. */
static void show_thread(struct pvp_writer *w, struct pvp_thread *t)
{
	struct extra x;
	uint64_t stream = w->streams;
	extra_init(&x, t, t->since);
	add_front(w, &x, t, 0);
	if (extra_send(w, &x, NULL, 0))
		front_written(w, t, 0, stream);
}

/* Writes losses not followed by events of the thread, and the thread's end. */
static void thread_tail(struct pvp_writer *w, struct pvp_thread *t, bool wrote)
{
	struct extra x;
	if (t->since && !t->w.begun)
		show_thread(w, t);
	uint64_t stream = w->streams, now = t->w.exited ? t->exit_time : w->round_ns;
	bool ends = t->w.exited && t->w.begun;
	bool lost = t->w.lost > t->w.lost_written && (!wrote || t->w.exited || w->last);
	/* Programs may name a thread long after it began. */
	if (t->w.begun && !t->w.named && (t->w.exited || w->rounds % NAME_ROUNDS == 0))
		t->w.name_new = true;
	extra_init(&x, t, now > t->w.last ? now : t->w.last);
	if (lost || (t->w.name_new && t->w.begun))
		add_front(w, &x, t, lost ? t->w.lost : 0);
	if (ends || (lost && t->w.exited))
		add_thread(&x, PV_KIND_THREAD_END, t, "");
	if (x.n > MLPD_BUFFER_HEADER && extra_send(w, &x, NULL, 0))
		front_written(w, t, lost ? t->w.lost : 0, stream);
}

/* Writes the events published by the thread, up to a time (0: all of them). */
static void take_events(struct pvp_writer *w, struct pvp_thread *t, uint64_t until)
{
	while (t->w.queue) {
		struct pvp_chunk *c = t->w.queue;
		if (!piece(w, t, c, c->final, until))
			return;
		t->w.queue = c->next;
		give_back(t, c);
	}
	if (t->w.chunk && t->w.to != t->w.chunk->data)
		piece(w, t, t->w.chunk, t->w.to, until);
}

/* Writes the growth of the thread's call tree, also at the thread's end. */
static void tell_tree(struct pvp_writer *w, struct pvp_thread *t)
{
	struct extra x;
	uint64_t stream = w->streams;
	uint64_t now = t->w.exited ? t->exit_time : w->round_ns;
	bool due = w->tree_ns == w->round_ns || t->w.exited;
	if (!due || !atomic_load_explicit(&t->tree, memory_order_acquire))
		return;
	extra_init(&x, t, now);
	if (!t->w.begun) {
		add_front(w, &x, t, t->w.lost);
		if (extra_send(w, &x, NULL, 0))
			front_written(w, t, t->w.lost, stream);
	}
	if (pvp_tree_tell(w, t, now))
		t->w.last = now > t->w.last ? now : t->w.last;
	w->wrote = true;
}

static void end_thread(struct pvp_writer *w, struct pvp_thread *t)
{
	tell_tree(w, t);
	thread_tail(w, t, t->w.wrote);
	t->w.lost_before = t->w.lost;
	w->wrote |= t->w.wrote;
	t->w.wrote = false;
}

/* At each fence (all threads stood still) the events before are written before all events after. */
static void take_threads(struct pvp_writer *w)
{
	uint64_t n = atomic_load_explicit(&pvp_core.fences, memory_order_acquire);
	if (n - w->fences > PVP_FENCES)
		w->fences = n - PVP_FENCES;
	for (; w->fences < n; w->fences++) {
		uint64_t until = atomic_load_explicit(
			&pvp_core.fence[w->fences % PVP_FENCES], memory_order_relaxed);
		for (struct pvp_thread *t = w->threads; t && until <= w->round_ns; t = t->w.next)
			take_events(w, t, until);
		if (until <= w->round_ns && w->host->stood_still)
			w->host->stood_still(w, until);
	}
	for (struct pvp_thread *t = w->threads; t; t = t->w.next) {
		take_events(w, t, 0);
		end_thread(w, t);
	}
}

/* ---- the round */

/* Fixes the contents of this round. Busy: the thread may be about to publish an event. */
static void snapshot(struct pvp_thread *t)
{
	t->w.busy = t->inside && atomic_load_explicit(t->inside, memory_order_relaxed);
	t->w.queue = t->queue;
	t->queue = NULL;
	t->queue_end = &t->queue;
	t->w.chunk = t->chunk;
	t->w.to = atomic_load_explicit(&t->cursor, memory_order_acquire);
	t->w.lost = atomic_load_explicit(&t->lost, memory_order_relaxed);
	t->w.exited = t->exited;
	t->w.name_new |= t->name_new;
}

static void take_all(struct pvp_writer *w)
{
	w->threads = NULL;
	w->wrote = false;
	pthread_mutex_lock(&pvp_core.lock);
	if (w->last || w->failed) {
		atomic_store_explicit(&pvp_core.session, 0, memory_order_release);
		pvp_poke_all();
	}
	w->round_ns = pvp_monotonic();
	for (struct pvp_thread *t = pvp_core.threads; t; t = t->next) {
		if (t->session != pvp_core.writing)
			continue;
		snapshot(t);
		t->w.next = w->threads;
		w->threads = t;
	}
	pvp_core.queued = 0;
	pthread_mutex_unlock(&pvp_core.lock);
}

static void remove_exited(struct pvp_writer *w)
{
	pthread_mutex_lock(&pvp_core.lock);
	for (struct pvp_thread *t = w->threads, *next; t; t = next) {
		next = t->w.next;
		if (t->w.exited)
			pvp_thread_remove(t);
	}
	w->threads = NULL;
	pthread_mutex_unlock(&pvp_core.lock);
}

/* The log has all events before its time, also events not yet published by busy threads. */
static void add_sync(struct pvp_writer *w)
{
	uint64_t time = w->round_ns - VISIBLE_NS;
	for (struct pvp_thread *t = w->threads; t; t = t->w.next)
		if (t->w.busy && t->w.last < time)
			time = t->w.last;
	if (!w->wrote || time <= w->last_sync)
		return;
	struct pv_event ev = { .kind = PV_KIND_SYNC_POINT, .time = time };
	if (pvp_out_buffer_add(w, &w->page, &ev, NULL))
		w->last_sync = time;
}

static void forget_range(void *ctx, uint64_t from, uint64_t to)
{
	struct pvp_writer *w = ctx;
	for (size_t i = 0; w->described.slots && i <= w->described.mask; i++) {
		struct pv_map_slot *s = &w->described.slots[i];
		if (s->value == 1 && s->key >= from && s->key < to)
			s->value = 0;
	}
	memset(w->seen, 0, sizeof w->seen);
}

/* Nothing could be written any more: writes the count of dropped events once there is room. */
static void say_dropped(struct pvp_writer *w)
{
	w->failed = false;
	w->said = w->sink.last_words = true;
	for (struct pvp_thread *t = w->threads; t && !w->failed; t = t->w.next) {
		struct extra x;
		extra_init(&x, t, w->round_ns > t->w.last ? w->round_ns : t->w.last);
		uint64_t lost = t->w.lost - t->w.lost_written + t->w.dropped;
		add_count(&x, PVP_COUNTER_LOST, lost);
		extra_send(w, &x, NULL, 0);
	}
	w->page.n = 0;
	if (w->full)
		pvp_tell_full(w);
	else if (w->last)
		pvp_tell_ended(w);
	pvp_out_buffer_send(w, &w->page);
	w->failed = true;
}

void pvp_round(struct pvp_writer *w, bool last)
{
	bool closing = last || w->failed; /* no events come after this round */
	w->last = last;
	w->rounds++;
	if (w->host->refresh)
		w->host->refresh(forget_range, w);
	take_all(w);
	if (w->last || w->asked || w->round_ns - w->tree_ns >= TREE_NS)
		w->tree_ns = w->round_ns;
	pvp_tell_classes(w);
	if (w->host->tell)
		w->host->tell(w, &w->page, false);
	take_threads(w);
	if (w->host->on_flushed)
		w->host->on_flushed(w);
	pvp_tell_counters(w);
	add_sync(w);
	if (last)
		pvp_tell_ended(w);
	pvp_out_buffer_send(w, &w->page);
	if (w->failed && closing && !w->said)
		say_dropped(w);
	remove_exited(w);
}
