/* SPDX-License-Identifier: MIT */
/*
 * Ranges read from the buffers that overlap them: byte for byte the report of a whole reading, for
 * random logs with every kind of event that carries something over from one buffer to another.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/ingest/ingest_parts.h"
#include "tests/kit/logkit.h"
#include "tests/kit/range_kit.h"
#include "tests/kit/suite.h"

enum { METHODS = 12, THREADS = 4, CLASSES = 3, OBJECTS = 64, EVENTS = 6000 };
#define MS ((int64_t)LOGKIT_MS)

static char path[] = "/tmp/pv-range-XXXXXX";
static uint32_t state;

static unsigned rnd(unsigned below)
{
	state = state * 1664525 + 1013904223;
	return (state >> 10) % below;
}

static uint64_t method(unsigned i)
{
	return 0x1000 + 0x10 * i;
}

static uint64_t class_key(unsigned i)
{
	return 0x5000 + 0x100 * i;
}

static uint64_t object(void)
{
	return 0x100000 + 64 * (uint64_t)rnd(OBJECTS);
}

struct player {
	struct logkit *k;
	int64_t t[THREADS];
	unsigned depth[THREADS], open[THREADS][64], life[THREADS];
	bool stopped[THREADS];
};

static void names(struct logkit *k, int64_t t, unsigned from, unsigned to)
{
	char name[] = "M?:Run (int)";
	for (unsigned i = from; i < to; i++) {
		name[1] = (char)('a' + i);
		logkit_method(k, t, method(i), name);
	}
}

static void play_call(struct player *p, unsigned th, int64_t now)
{
	bool deep = p->depth[th] >= 60;
	if (!deep && rnd(100) < 52) {
		unsigned m = p->open[th][p->depth[th]++] = rnd(METHODS);
		logkit_enter(p->k, now, method(m));
	} else if (p->depth[th] && rnd(30) == 0) {
		p->depth[th] = rnd(p->depth[th]); /* leaves of some are missing */
		logkit_leave(p->k, now, method(p->open[th][p->depth[th]]));
	} else if (p->depth[th]) {
		unsigned m = p->open[th][--p->depth[th]];
		(rnd(10) ? logkit_leave : logkit_exc_leave)(p->k, now, method(m));
	}
}

static void play_gc(struct player *p, unsigned th, int64_t now)
{
	struct logkit *k = p->k;
	logkit_gc(k, now, PV_GC_PRE_STOP, 0);
	logkit_gc(k, now + 100, PV_GC_START, rnd(2));
	struct pv_event e = { .kind = PV_KIND_GC_MOVE };
	e.moves.pairs = LOGKIT_LIST(k, object(), object(), object(), object() + 0x100000);
	logkit_event(k, now + 200, e);
	if (rnd(3) == 0) {
		logkit_plain(k, now + 220, PV_KIND_HEAP_START);
		e = (struct pv_event){ .kind = PV_KIND_HEAP_OBJECT,
			.heap_object = { .object = object(),
				.type = logkit_type(k, class_key(rnd(CLASSES))),
				.size = 24 } };
		logkit_event(k, now + 230, e);
		logkit_plain(k, now + 240, PV_KIND_HEAP_END);
	}
	e = (struct pv_event){ .kind = PV_KIND_GC_RESIZE,
		.resize = { .bytes = 1000 + rnd(100000) } };
	logkit_event(k, now + 300, e);
	logkit_gc(k, now + 400, PV_GC_END, 0);
	logkit_gc(k, now + 500 + (int64_t)rnd(LOGKIT_MS), PV_GC_POST_START, 0);
	p->t[th] += 2 * MS;
}

static void play_rare(struct player *p, unsigned th, int64_t now)
{
	struct logkit *k = p->k;
	struct pv_event e = { 0 };
	switch (rnd(12)) {
	case 0:
		logkit_object(k, now, PV_KIND_EXCEPTION_THROW, object());
		break;
	case 1:
	case 2:
		logkit_object(k, now, PV_KIND_MONITOR_CONTENTION, object());
		break;
	case 3:
		logkit_object(
			k, now, rnd(2) ? PV_KIND_MONITOR_DONE : PV_KIND_MONITOR_FAIL, object());
		break;
	case 4:
		play_gc(p, th, now);
		break;
	case 5:
		logkit_object(k, now, PV_KIND_GC_FINALIZE_OBJECT_START, object());
		logkit_object(k, now + 50, PV_KIND_GC_FINALIZE_OBJECT_END, object());
		break;
	case 6:
		e.kind = rnd(3) ? PV_KIND_GC_HANDLE_CREATED : PV_KIND_GC_HANDLE_DESTROYED;
		e.handle.handle = rnd(20);
		e.handle.object = e.kind == PV_KIND_GC_HANDLE_CREATED ? object() : 0;
		logkit_event(k, now, e);
		break;
	case 7:
		names(k, now, METHODS - 1, METHODS); /* defined again */
		break;
	default:
		e.kind = PV_KIND_SAMPLE_HIT;
		e.hit.thread = rnd(THREADS) + 1;
		e.hit.frames = LOGKIT_LIST(k, method(rnd(METHODS)), method(0));
		logkit_event(k, now, e);
	}
}

/* Threads end and ids are used again. */
static void end_thread(struct player *p, unsigned th, int64_t now)
{
	struct pv_event e = { .kind = PV_KIND_THREAD_END, .meta = { .key = th + 1 } };
	logkit_event(p->k, now, e);
	logkit_flush(p->k);
	p->depth[th] = 0;
	p->t[th] = now + 20 * MS;
	e.kind = PV_KIND_THREAD_START;
	logkit_event(p->k, p->t[th], e);
}

/* Some seconds; one thread is silent for most of them, others write in turns. */
static void play(struct logkit *k, uint32_t seed)
{
	struct player p = { .k = k };
	state = seed;
	names(k, 0, 0, METHODS - 2); /* one comes afterwards, one never */
	for (unsigned i = 0; i < CLASSES; i++)
		logkit_class(k, 0, class_key(i), (char[]){ 'C', (char)('0' + i), 0 });
	logkit_flush(k);
	for (int i = 0; i < EVENTS; i++) {
		unsigned th = i % 50 == 0 ? THREADS - 1 : rnd(THREADS - 1);
		logkit_on(k, th + 1);
		p.t[th] += (int64_t)rnd(4 * LOGKIT_MS);
		if (th == THREADS - 1 && i == 1500)
			p.t[th] += 3000 * MS;
		int64_t now = p.t[th] - (rnd(40) == 0 ? (int64_t)rnd(LOGKIT_MS) : 0);
		unsigned what = rnd(100);
		if (what < 85)
			play_call(&p, th, now);
		else if (what < 93)
			logkit_alloc(k, now, class_key(rnd(CLASSES)), object(), 16 + rnd(100));
		else if (what < 99 || rnd(10))
			play_rare(&p, th, now);
		else
			end_thread(&p, th, now);
		if (rnd(25) == 0)
			logkit_flush(k);
	}
	logkit_flush(k);
}

static void write_log(const struct logkit *k, size_t cut)
{
	FILE *f = fopen(path, "wb");
	ck_assert(f != NULL);
	ck_assert_uint_eq(fwrite(k->file.v, 1, k->file.n - cut, f), k->file.n - cut);
	ck_assert_int_eq(fclose(f), 0);
}

static void setup(void)
{
	strcpy(path + sizeof path - 7, "XXXXXX");
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

static void teardown(void)
{
	unlink(path);
}

/* Compares some ranges; returns the bytes read for them. */
static uint64_t compare(struct pv_ingest *in, bool *ret_whole)
{
	static const struct {
		int64_t from, to;
	} range[] = { { 0, 400 }, { 700, 701 }, { 1200, 2200 }, { 2500, 2600 }, { 3900, 99999 },
		{ -50, 20 }, { 0, 99999 } };
	uint64_t bytes = 0;
	for (size_t i = 0; i < PV_COUNT_OF(range); i++) {
		struct range_kit_result r;
		ck_assert(range_kit_compare(in, path, range[i].from * MS, range[i].to * MS, &r));
		size_t at = 0;
		while (r.slow[at] && r.slow[at] == r.quick[at])
			at++;
		size_t from = at > 80 ? at - 80 : 0;
		ck_assert_msg(r.equal, "range %zu: ...%.260s\n\n NOT ...%.260s", i, r.quick + from,
			r.slow + from);
		bytes += i < 4 ? r.bytes_read : 0;
		*ret_whole = r.whole;
		free(r.slow);
		free(r.quick);
	}
	return bytes;
}

static void check_seed(uint32_t seed, size_t limit, size_t cut)
{
	bool whole;
	struct logkit *k = logkit_new(17);
	play(k, seed);
	write_log(k, cut);
	struct pv_ingest *in = range_kit_load(path);
	ck_assert(in != NULL);
	ck_assert_str_eq(in->table->unusable, "");
	(void)limit;
	uint64_t bytes = compare(in, &whole);
	ck_assert(!whole);
	ck_assert_uint_gt(bytes, 0);
	ck_assert_uint_lt(bytes, 4 * k->file.n); /* of four ranges: not everything each time */
	pv_ingest_destroy(in);
	logkit_free(k);
}

START_TEST(as_a_whole_reading)
{
	check_seed(100 + (uint32_t)_i, 0, 0);
}
END_TEST

START_TEST(of_a_log_that_is_cut)
{
	check_seed(200 + (uint32_t)_i, 0, 5 + 7 * (size_t)_i);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("range read");
	TCase *t = tcase_create("range");
	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, as_a_whole_reading, 0, 12);
	tcase_add_loop_test(t, of_a_log_that_is_cut, 0, 4);
	suite_add_tcase(s, t);
	return run_suite(s);
}
