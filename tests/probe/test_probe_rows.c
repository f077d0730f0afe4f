/* SPDX-License-Identifier: MIT */
/* The probe's own encoding is that of the format's rows; its scan reads it back. */
#include "tests/kit/suite.h"

#include "common/format/mlpd/mlpd.h"
#include "probe/core/emit.h"
#include "probe/core/scan.h"

enum { EVENTS = 20000, ROOM = EVENTS * PVP_HOT_MAX };

static uint64_t seed = 1;

static uint64_t any(void)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return seed >> 11;
}

/* Numbers of every length, powers of two and their neighbours more often than others. */
static uint64_t number(void)
{
	uint64_t n = UINT64_C(1) << any() % 64;
	switch (any() % 4) {
	case 0:
		return n;
	case 1:
		return n - 1;
	case 2:
		return any() & (n - 1);
	default:
		return any();
	}
}

struct world {
	uint8_t *mine, *rows, *p, *q;
	struct pvp_chunk *chunk;
	struct pvp_thread t;
	struct mlpd_bases bases;
};

static const struct mlpd_format format = { MLPD_NEWEST, 3, 8, 0 };

static void world_init(struct world *w)
{
	*w = (struct world){
		.mine = malloc(ROOM), .rows = malloc(ROOM), .chunk = calloc(1, sizeof *w->chunk)
	};
	ck_assert(w->mine && w->rows && w->chunk);
	w->p = w->mine;
	w->q = w->rows;
	w->t.chunk = w->chunk;
}

static void world_finish(struct world *w)
{
	free(w->mine);
	free(w->rows);
	free(w->chunk);
}

static void both(struct world *w, uint64_t now)
{
	static const uint8_t bytes[] = { PVP_ENTER, PVP_LEAVE, PVP_EXC_LEAVE, PVP_ALLOC };
	static const uint8_t kinds[] = { PV_KIND_METHOD_ENTER, PV_KIND_METHOD_LEAVE,
		PV_KIND_METHOD_EXC_LEAVE, PV_KIND_ALLOC };
	unsigned i = (unsigned)any() % 4;
	struct pv_event e = { .kind = kinds[i], .time = now };
	if (kinds[i] == PV_KIND_ALLOC) {
		e.alloc.type = 1 + number() % 1000000;
		e.alloc.object = number();
		e.alloc.size = number();
		w->p = pvp_put_alloc(&w->t, w->p, e.alloc.type, e.alloc.object, e.alloc.size, now);
		w->bases.obj = w->t.obj_base;
	} else {
		e.call.method = number();
		w->p = pvp_put_call(&w->t, w->p, (enum pvp_call_event)bytes[i], e.call.method, now);
	}
	w->q += mlpd_encode(w->q, PVP_HOT_MAX, &w->bases, &format, &e, NULL);
}

START_TEST(hand_written_events_equal_the_rows)
{
	struct world w;
	uint64_t now = 0;
	world_init(&w);
	for (int i = 0; i < EVENTS; i++) {
		uint8_t *before = w.p;
		now += number() % (UINT64_C(1) << 40);
		both(&w, now);
		ck_assert_int_le(w.p - before, PVP_HOT_MAX);
		ck_assert_int_eq(w.p - w.mine, w.q - w.rows);
	}
	ck_assert_mem_eq(w.mine, w.rows, (size_t)(w.p - w.mine));
	ck_assert_uint_eq(atomic_load(&w.chunk->obj_base), w.t.obj_base);
	world_finish(&w);
}
END_TEST

START_TEST(time_never_goes_back)
{
	struct world w;
	world_init(&w);
	w.t.time = 1000;
	uint8_t *p = pvp_put_call(&w.t, w.mine, PVP_ENTER, 7, 400);
	ck_assert_uint_eq(w.t.time, 1000);
	ck_assert_int_eq(p - w.mine, 3);
	ck_assert_uint_eq(w.mine[1], 0);
	world_finish(&w);
}
END_TEST

struct used {
	uint64_t sum;
	uint64_t n;
};

static void use(void *ctx, uint64_t method)
{
	struct used *u = ctx;
	u->sum += method;
	u->n++;
}

START_TEST(scan_finds_the_state_after)
{
	struct world w;
	struct used used = { 0, 0 };
	static uint64_t seen[PVP_SEEN];
	const uint64_t known = 77;
	uint64_t now = 5, sum = 0, calls = 0;
	world_init(&w);
	*pvp_seen(seen, known) = known;
	w.t.time = 5;
	for (int i = 0; i < EVENTS; i++) {
		now += number() % (UINT64_C(1) << 40);
		if (any() % 3 == 0) {
			w.p = pvp_put_alloc(&w.t, w.p, 1 + any() % 500, number(), number(), now);
			continue;
		}
		uint64_t m = any() % 4 ? number() : known;
		w.p = pvp_put_call(&w.t, w.p, PVP_ENTER, m, now);
		sum += m != known ? m : 0;
		calls += m != known;
	}
	struct pv_batch scratch = { 0 };
	struct pvp_tally tally = { 0 };
	struct pvp_scan s = { .time = 5,
		.scratch = &scratch,
		.tally = &tally,
		.seen = seen,
		.use = use,
		.ctx = &used };
	ck_assert(pvp_scan(&s, w.mine, w.p));
	ck_assert_uint_eq(s.time, w.t.time);
	ck_assert_uint_eq(s.method, w.t.method);
	ck_assert_uint_eq(s.events, EVENTS);
	ck_assert_uint_eq(used.sum, sum);
	ck_assert_uint_eq(used.n, calls);
	world_finish(&w);
}
END_TEST

START_TEST(scan_refuses_other_bytes)
{
	static const uint8_t bad[][4] = { { 0x43, 0, 0, 0 }, { 0x23, 0x80, 0x80, 0x80 },
		{ 0x2f, 0, 9, 0 }, { 0x23, 0, 0, 0x13 } };
	static uint64_t seen[PVP_SEEN];
	struct used used = { 0, 0 };
	for (size_t i = 0; i < PV_COUNT_OF(bad); i++) {
		struct pv_batch scratch = { 0 };
		struct pvp_tally tally = { 0 };
		struct pvp_scan s = {
			.scratch = &scratch, .tally = &tally, .seen = seen, .use = use, .ctx = &used
		};
		ck_assert(!pvp_scan(&s, bad[i], bad[i] + 4));
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("probe_rows");
	TCase *t = tcase_create("rows");
	tcase_add_test(t, hand_written_events_equal_the_rows);
	tcase_add_test(t, time_never_goes_back);
	tcase_add_test(t, scan_finds_the_state_after);
	tcase_add_test(t, scan_refuses_other_bytes);
	suite_add_tcase(s, t);
	return run_suite(s);
}
