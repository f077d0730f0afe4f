/* SPDX-License-Identifier: MIT */
/*
 * Random logs, read event by event and with the calls of each buffer summed up where it is
 * decoded: every figure is the same.
 */
#include "common/format/mlpd/framer.h"
#include "common/calls/mlpd_summary.h"
#include "common/calls/summariser.h"
#include "common/model/ground/model_parts.h"
#include "common/model/objects/address_log.h"
#include "common/model/calls/segment.h"
#include "common/model/time/window.h"
#include "tests/kit/logkit.h"
#include "tests/kit/same_models.h"
#include "tests/kit/suite.h"

enum { LOOPS = 20, METHODS = 12, OBJECTS = 200, DEEP = 40 };
enum { EDGE = 1000000, CELL = PV_WINDOW_CELL_MS * 1000000 };

static uint64_t state;

static uint64_t odd(uint64_t below)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (state >> 33) % below;
}

/* --- worlds */

struct teller { /* of a thread's calls */
	uint64_t open[DEEP];
	size_t depth;
};

struct world {
	struct logkit *k;
	struct teller thread[3];
	bool gap[4096]; /* by buffer */
	size_t buffers;
	int64_t now;
	bool wild; /* times step back, leaves go astray */
	bool off;  /* without a window: segments are as long as they can be */
	bool slow; /* and many calls take seconds */
};

/*
 * Differences are one to ten bytes long, and some differ in the last of them only. One of 1 is
 * like the end of a longer time, and one of 2^43, to the one who takes its first byte for the
 * second of a time, like one of 2^36.
 */
static uint64_t method_at(uint64_t i)
{
	static const uint64_t far[] = { 0x7f0000401000, 0x7f0000419380, 0x7f0000401001,
		0x55d0c0de1000, 0xff00000000401000, 0x01007f0000401000, 0x7f1000401000,
		0x870000401000 };
	return far[i % PV_COUNT_OF(far)] + i / PV_COUNT_OF(far) * 0x938;
}

static int64_t to_multiple(int64_t now, int64_t of)
{
	return of - now % of;
}

/* At the end of a cell of the timeline or of the window events come at that very moment, too. */
static void step(struct world *w)
{
	static const int64_t by[] = { 1, 90, 150, 900, 17000, 3000000 };
	int64_t edge = to_multiple(w->now, EDGE), cell = to_multiple(w->now, CELL);
	w->now += edge < 16000 && odd(2) ? edge : by[odd(odd(8) ? 5 : 6)];
	if (odd(1000) == 0 && cell > EDGE)
		w->now += to_multiple(w->now, CELL) - 150 - (int64_t)odd(900);
	if (w->wild && odd(500) == 0)
		w->now += odd(2) ? 400000000 : -(int64_t)odd(100000);
	/* Open calls then take longer than 31 or 32 bits can say. */
	if (odd(w->slow ? 20 : 1000) == 0)
		w->now += odd(2) ? 2200000000 + (int64_t)odd(1000) : 4400000000;
	if (w->slow && odd(200) == 0) /* and cells get as wide */
		w->now += 1000000000000;
}

static void enter(struct world *w, struct teller *t)
{
	if (t->depth == DEEP)
		return;
	t->open[t->depth] = method_at(odd(odd(4) ? 3 : METHODS));
	logkit_enter(w->k, w->now, t->open[t->depth++]);
}

static void leave(struct world *w, struct teller *t)
{
	bool exceptional = odd(20) == 0;
	if (w->wild && odd(60) == 0) { /* a stray one, or one of a method further out */
		logkit_leave(w->k, w->now, method_at(odd(METHODS)));
		return;
	}
	if (t->depth == 0)
		return;
	t->depth -= w->wild && odd(40) == 0 ? odd(t->depth) + 1 : 1;
	if (exceptional)
		logkit_exc_leave(w->k, w->now, t->open[t->depth]);
	else
		logkit_leave(w->k, w->now, t->open[t->depth]);
}

static void sample(struct world *w)
{
	struct pv_event e = { .kind = PV_KIND_SAMPLE_HIT, .hit = { .type = 1, .thread = odd(3) } };
	e.hit.ips = LOGKIT_LIST(w->k, method_at(odd(METHODS)) + 4);
	e.hit.frames = LOGKIT_LIST(w->k, method_at(odd(METHODS)), method_at(odd(METHODS)));
	logkit_event(w->k, w->now, e);
}

/* The i-th of 2 * OBJECTS: the second half take places in the model's table that the first have. */
static uint64_t object_at(uint64_t i)
{
	uint64_t object = 0x10000 + i % OBJECTS * 8;
	return i < OBJECTS ? object : logkit_same_place(object);
}

/* Mostly one of the first n. */
static uint64_t object_of(uint64_t n)
{
	return object_at(odd(n) + (odd(4) ? 0 : OBJECTS));
}

static void alloc(struct world *w)
{
	struct pv_event e = { .kind = PV_KIND_ALLOC };
	e.alloc.type = logkit_type(w->k, 0xc000 + odd(4) * 16);
	e.alloc.object = object_of(OBJECTS);
	e.alloc.size = 16 + odd(100);
	if (odd(3) == 0)
		e.alloc.stack = LOGKIT_LIST(w->k, method_at(odd(METHODS)), method_at(odd(3)));
	logkit_event(w->k, w->now, e);
}

static void rare(struct world *w)
{
	char name[8] = { 'm', (char)('a' + odd(METHODS)), (char)('0' + odd(2)) };
	uint64_t thread = odd(3);
	switch (odd(9)) {
	case 0:
		logkit_method(w->k, w->now, method_at(odd(METHODS)), name);
		break;
	case 1:
		logkit_class(w->k, w->now, 0xc000 + odd(4) * 16, name);
		break;
	case 2:
	case 3:
		sample(w);
		break;
	case 4:
		logkit_object(w->k, w->now, PV_KIND_EXCEPTION_THROW, object_of(OBJECTS));
		break;
	case 5:
		logkit_object(w->k, w->now, PV_KIND_MONITOR_CONTENTION, object_of(40));
		break;
	case 6:
		logkit_object(w->k, w->now, PV_KIND_MONITOR_DONE, object_of(40));
		break;
	default:
		if (odd(60) == 0)
			logkit_event(w->k, w->now,
				(struct pv_event){
					.kind = odd(2) ? PV_KIND_THREAD_START : PV_KIND_THREAD_END,
					.meta = { .key = thread } });
	}
}

static void flush(struct world *w)
{
	w->k->gap = w->gap[w->buffers++] = w->wild && odd(12) == 0;
	w->k->damage = w->wild && odd(12) == 0 ? 1 + odd(9) : 0;
	logkit_flush(w->k);
}

static void throw_all(struct world *w)
{
	logkit_on(w->k, 0);
	logkit_plain(w->k, w->now, PV_KIND_SYNC_POINT);
	for (uint64_t i = 0; i < 2 * OBJECTS; i++)
		logkit_object(w->k, w->now, PV_KIND_EXCEPTION_THROW, object_at(i));
	flush(w);
}

static void buffer(struct world *w)
{
	size_t thread = odd(3), events = odd(odd(4) ? 300 : 3000), often = 5 + odd(400);
	struct teller *t = &w->thread[thread];
	logkit_on(w->k, thread);
	if (odd(3) == 0) /* which ends a run */
		logkit_plain(w->k, w->now, PV_KIND_SYNC_POINT);
	else
		alloc(w); /* no buffer is empty */
	for (size_t i = 0; i < events; i++) {
		step(w);
		if (odd(often) == 0)
			rare(w);
		else if (odd(often) < 2)
			alloc(w);
		else if (odd(64 + 2 * t->depth) < 64)
			enter(w, t);
		else
			leave(w, t);
		if (odd(2) == 0)
			leave(w, t);
	}
	flush(w);
}

/* --- the same log, summed up */

enum { RUN = 12 };

struct reader {
	struct pv_model *m;
	struct pv_decode_task task[RUN];
	size_t n, longest;
	uint64_t summarised;
	struct pv_summariser *summariser;
};

static void apply_batch(struct reader *r, struct pv_batch *b)
{
	size_t at = 0;
	r->summarised += b->summary.events;
	ck_assert(pv_model_apply(r->m, b, &at, 0));
	ck_assert_uint_eq(at, b->n);
	pv_batch_finish(b);
}

/* Now and then event by event, as where more of the log is known. */
static void apply_run(struct reader *r, struct pv_decode_task *t, size_t n)
{
	struct pv_batch *b[RUN];
	for (size_t i = 0; i < n; i++) {
		ck_assert(!t[i].nomem);
		b[i] = &t[i].batch;
	}
	ck_assert(pv_paths_register(r->m, b, n));
	if (odd(20) == 0 || pv_calls_need_order(r->m, b, n)) {
		ck_assert(pv_calls_skip_summary(r->m, b, n));
		for (size_t i = 0; i < n; i++)
			ck_assert(mlpd_decode_plain(b[i]));
	}
	for (size_t i = 0; i < n; i++)
		apply_batch(r, b[i]);
}

static void apply(struct reader *r)
{
	size_t n, at = 0;
	if (odd(30) == 0)
		pv_summariser_forget(r->summariser, false);
	for (; at < r->n; at += n) {
		n = pv_summarise_run(r->summariser, &r->task[at], r->n - at);
		ck_assert(n > 0 && n <= r->n - at);
		apply_run(r, &r->task[at], n);
	}
	memset(r->task, 0, sizeof r->task);
	r->n = 0;
}

static void read_buffer(struct reader *r, const struct mlpd_framer *f, bool gap)
{
	uint8_t bytes[256];
	size_t header = mlpd_put_header(bytes, sizeof bytes, &f->header);
	if (gap || r->n == r->longest)
		apply(r);
	if (gap)
		pv_summariser_forget(r->summariser, false);
	struct pv_decode_task *t = &r->task[r->n++];
	struct pv_batch *b = &t->batch;
	ck_assert(pv_reserve(&b->bytes, f->payload_len + 1));
	memcpy(b->bytes.v, f->payload, f->payload_len);
	b->bytes.n = b->bytes_len = f->payload_len;
	b->thread = f->buffer.thread;
	b->time_base = f->buffer.time_base;
	b->offset = f->offset - header; /* as logkit counts */
	b->bytes_lost_before = gap;
	pv_model_summarises(r->m, &b->summary);
	mlpd_bases_init(&t->bases, &f->buffer);
	t->format = f->header.format;
	if (r->m->timeline.width_ns == 0 || odd(8) == 0)
		apply(r); /* the first one shows how others come */
}

static struct logkit *read_again(
	const struct world *w, struct pv_address_log *address_log, uint64_t *ret_summarised)
{
	struct logkit *twin = logkit_new(17); /* for its model, begun in the same way */
	struct pv_model *m = twin->model;
	struct mlpd_framer f = { 0 };
	struct reader r = { .m = m, .longest = 1 + odd(RUN) };
	size_t at = 0, buffer = 0, room;
	uint32_t paths = odd(2) ? 50 + (uint32_t)odd(500) : 0;
	const struct pv_summariser_limits few = { paths, 2 * paths };
	r.summariser = pv_summariser_create(paths ? &few : NULL);
	ck_assert_ptr_nonnull(r.summariser);
	m->calls.cap = w->k->model->calls.cap;
	m->address_log = address_log;
	if (w->off)
		pv_window_off(m);
	ck_assert(mlpd_framer_init(&f));
	while (at < w->k->file.n) {
		uint8_t *to = mlpd_framer_room(&f, &room);
		room = room < w->k->file.n - at ? room : w->k->file.n - at;
		memcpy(to, w->k->file.v + at, room);
		mlpd_framer_filled(&f, room);
		at += room;
		for (enum mlpd_piece p; (p = mlpd_framer_next(&f)) != MLPD_MORE;) {
			ck_assert_int_ne(p, MLPD_FAILED);
			if (p == MLPD_BUFFER)
				read_buffer(&r, &f, w->gap[buffer++]);
		}
	}
	apply(&r);
	pv_summariser_destroy(r.summariser);
	ck_assert_uint_eq(m->private->segments.broken, 0);
	*ret_summarised += r.summarised;
	ck_assert_uint_eq(buffer, w->buffers);
	mlpd_framer_finish(&f);
	return twin;
}

static void compare(uint64_t seed, bool full, uint64_t *summarised, uint64_t *events)
{
	static const size_t caps[] = { 400, 4000, PV_TREE_CAP };
	struct world *w = calloc(1, sizeof *w);
	struct pv_address_log address_log[2] = { 0 };
	state = seed;
	w->k = logkit_new(17);
	w->k->model->address_log = &address_log[0];
	w->wild = odd(2);
	w->off = odd(3) == 0;
	w->slow = w->off && odd(2);
	if (w->off)
		pv_window_off(w->k->model);
	w->k->model->calls.cap = full ? PV_TREE_CAP : caps[odd(3)];
	for (size_t n = 3 + odd(30); n > 0; n--)
		buffer(w);
	throw_all(w);
	struct logkit *other = read_again(w, &address_log[1], summarised);
	ck_same_models(logkit_model(w->k), other->model);
	*events += other->model->calls.cap == PV_TREE_CAP ? other->model->events : 0;
	logkit_free(other);
	pv_address_log_finish(&address_log[0]);
	pv_address_log_finish(&address_log[1]);
	logkit_free(w->k);
	free(w);
}

START_TEST(random_logs)
{
	uint64_t summarised = 0, events = 0;
	const char *more = getenv("SUMMARY_WORLDS"); /* for a long run: worlds per loop */
	uint64_t n = more ? strtoul(more, NULL, 10) : 4;
	for (uint64_t i = 0; i < n; i++)
		compare((uint64_t)_i * 1000 + i + 1, i == 0, &summarised, &events);
	ck_assert_uint_gt(summarised, events / 20); /* or this compares nothing */
}
END_TEST

/*
 * An object that another region's had ousted from its place in the table of addresses comes again,
 * among allocations that are taken in a row: its class of before is of no more use.
 */
START_TEST(an_ousted_object_comes_again)
{
	uint64_t summarised = 0, events = 0;
	compare(18001, false, &summarised, &events);
	ck_assert_uint_gt(summarised, 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("model summary");
	TCase *t = tcase_create("summary");
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, random_logs, 0, LOOPS);
	tcase_add_test(t, an_ousted_object_comes_again);
	suite_add_tcase(s, t);
	return run_suite(s);
}
