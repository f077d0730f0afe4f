/* SPDX-License-Identifier: MIT */
/*
 * Mutated logs of the 2007 family, through decoder and model: each is read to its end, in bounded
 * time, and no count is larger than its bytes could hold.
 *
 * usage: mutate07 COUNT SEED
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/status.h"
#include "common/model/model.h"
#include "tests/kit/b07_kit.h"
#include "tests/kit/suite.h"

enum { SLOWEST_MS = 5000 };

static uint64_t state;

static uint64_t any(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return below ? state % below : 0;
}

/* --- mutations of a kit's bytes; its table of blocks stays that of the whole log */

static void cut(struct b07_kit *k)
{
	size_t at = any(k->n), n = any(2) ? k->n - at : any(k->n - at) + 1;
	memmove(k->bytes + at, k->bytes + at + n, k->n - at - n);
	k->n -= n;
}

static void flip(struct b07_kit *k)
{
	for (uint64_t i = 1 + any(8); i > 0; i--)
		k->bytes[any(k->n)] ^= (uint8_t)(1u << any(8));
}

static void overwrite(struct b07_kit *k)
{
	static const uint8_t nasty[] = { 0, 0xff, 0x80, 0x7f, 0x4f };
	size_t at = any(k->n), n = 1 + any(16);
	memset(k->bytes + at, nasty[any(sizeof nasty)], n < k->n - at ? n : k->n - at);
}

static void move_blocks(struct b07_kit *k)
{
	size_t from = k->blocks[any(k->n_blocks)], to = k->blocks[any(k->n_blocks)];
	size_t end = k->blocks[any(k->n_blocks) + 1];
	if (end > from && end <= k->n && to + end - from <= k->n)
		memmove(k->bytes + to, k->bytes + from, end - from);
}

/* One more copy of some blocks at the end: recordings, names and shots come again. */
static void repeat_blocks(struct b07_kit *k)
{
	size_t from = k->blocks[any(k->n_blocks)], n = any(k->n);
	if (from + n > k->n || k->n + n > sizeof k->bytes)
		return;
	memcpy(k->bytes + k->n, k->bytes + from, n);
	k->n += n;
}

static void lie_about_size(struct b07_kit *k)
{
	size_t at = k->blocks[any(k->n_blocks)] + 2;
	uint64_t size = any(2) ? any(1 << 10) : any(UINT32_MAX);
	for (unsigned i = 0; i < 4 && at + i < k->n; i++)
		k->bytes[at + i] = (uint8_t)(size >> 8 * i);
}

static void mutate(struct b07_kit *k)
{
	static void (*const how[])(struct b07_kit *k) = { cut, flip, overwrite, move_blocks,
		repeat_blocks, lie_about_size };
	for (uint64_t i = 1 + any(3); i > 0 && k->n > 0; i--)
		how[any(PV_COUNT_OF(how))](k);
}

/* --- reading */

struct reading {
	struct pv_stream s;
	struct pv_model *m;
	uint64_t events;
	const char *wrong;
};

/* Another recording needs a new model. */
static bool begin(struct reading *r)
{
	const struct pv_stream_header *h = &r->s.header;
	const struct pv_target_info t = { .logging2007 = true,
		.stage = h->stage,
		.event_mask = h->flags,
		.start_time_ms = h->start_us / 1000,
		.startup_ns = h->start_us * 1000,
		.args = "",
		.arch = "",
		.os = "" };
	pv_model_destroy(r->m);
	r->m = pv_model_create(NULL);
	r->events = 0;
	return r->m && pv_model_begin(r->m, &t);
}

static bool batch(struct reading *r)
{
	size_t at = 0;
	r->events += r->s.batch.n;
	while (r->m && at < r->s.batch.n)
		if (!pv_model_apply(r->m, &r->s.batch, &at, 0))
			return false;
	return true;
}

static void read_all(struct reading *r, const uint8_t *bytes, size_t n, size_t step)
{
	bool ended = false;
	for (size_t fed = 0;;) {
		enum pv_piece p = pv_stream_next(&r->s);
		if (p == PV_PIECE_FAILED || (p == PV_PIECE_MORE && ended))
			return;
		if ((p == PV_PIECE_HEADER && !begin(r)) || (p == PV_PIECE_BATCH && !batch(r))) {
			r->wrong = "out of memory";
			return;
		}
		if (p != PV_PIECE_MORE)
			continue;
		size_t room, part = n - fed < step ? n - fed : step;
		uint8_t *to = pv_stream_room(&r->s, &room);
		part = part < room ? part : room;
		if (part)
			memcpy(to, bytes + fed, part);
		pv_stream_filled(&r->s, part);
		fed += part;
		ended = fed == n;
		if (ended)
			pv_stream_end(&r->s);
	}
}

static const char *read_whole(const uint8_t *bytes, size_t n, size_t step)
{
	struct reading r = { 0 };
	if (!pv_stream_start(&r.s, &pv_reader_block07))
		return "out of memory";
	read_all(&r, bytes, n, step);
	/* A hit or a table of regions is named besides being reported. */
	if (!r.wrong && r.events > 3 * (uint64_t)n + 64)
		r.wrong = "more events than bytes can hold";
	if (!r.wrong && r.m && (r.m->calls.calls > r.events || r.m->loads.load.n > r.events))
		r.wrong = "more calls or loads than events";
	if (r.m)
		pv_model_end(r.m, false);
	pv_model_destroy(r.m);
	pv_stream_finish(&r.s);
	return r.wrong;
}

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static unsigned long count;
static unsigned long long seed;

START_TEST(mutations_are_read_to_their_end)
{
	static const char stages[] = { 'x', 'A', 'B', 'C', 'D' };
	static struct b07_kit kit;
	unsigned long failed = 0;
	for (unsigned long i = 0; i < count; i++) {
		state = (seed + i + 1) * UINT64_C(0x9e3779b97f4a7c15);
		b07_kit_init(&kit, stages[i % sizeof stages], any(2) ? 1 : 2400);
		b07_kit_log(&kit);
		mutate(&kit);
		/* An exact copy, so that a sanitizer sees the first byte past it. */
		uint8_t *exact = malloc(kit.n + 1);
		ck_assert(exact != NULL);
		memcpy(exact, kit.bytes, kit.n);
		double start = now_ms();
		const char *wrong = read_whole(exact, kit.n, 1 + any(2000));
		if (!wrong && now_ms() - start > SLOWEST_MS)
			wrong = "slower than 5 s";
		if (wrong)
			printf("mutation %lu: %s\n", i, wrong);
		failed += wrong != NULL;
		free(exact);
	}
	printf("%lu mutations, %lu failed\n", count, failed);
	ck_assert_uint_eq(failed, 0);
}
END_TEST

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	count = strtoul(argv[1], NULL, 10);
	seed = strtoull(argv[2], NULL, 10);
	Suite *s = suite_create("mutations of 2007");
	TCase *c = tcase_create("all");
	tcase_set_timeout(c, 0);
	tcase_add_test(c, mutations_are_read_to_their_end);
	suite_add_tcase(s, c);
	return run_suite_here(s);
}
