/* SPDX-License-Identifier: MIT */
/*
 * Which object is which, in logs of a world that is made up and so known: threads allocate, objects
 * die and move over each other in collections of any thread, addresses are used again, buffers
 * reach the file in any order that keeps each thread's own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/ingest/again/identity_read.h"
#include "tests/kit/logkit.h"
#include "tests/kit/range_kit.h"
#include "tests/kit/suite.h"

enum { SLOTS = 160, THREADS = 4, CLASSES = 3, SHOTS = 6, OBJECTS = 20000, STEPS = 1600 };

static char path[] = "/tmp/pv-lives-XXXXXX";
static uint32_t state;

static unsigned rnd(unsigned below)
{
	state = state * 1664525 + 1013904223;
	return (state >> 10) % below;
}

struct object {
	int64_t allocated;
	unsigned thread, klass;
	bool dead;
};

/* Known facts: object + 1 at each address, now and at every shot. */
struct world {
	struct logkit *k;
	struct object object[OBJECTS];
	unsigned objects, at[SLOTS], shot[SHOTS][SLOTS], shots;
	bool used[SLOTS]; /* since the last collection */
	int64_t t;
	bool allocs, moves;
	bool traced; /* calls are, and allocations have no stack of their own */
};

static uint64_t address(unsigned slot)
{
	return 0x100000 + 64 * (uint64_t)slot;
}

static uint64_t class_key(unsigned i)
{
	return 0x5000 + 0x100 * i;
}

static uint64_t maker(unsigned th)
{
	return 0xa00 + 0x10 * (uint64_t)th;
}

static int64_t now(struct world *w)
{
	return w->t += 1 + rnd(3);
}

static void allocate(struct world *w)
{
	unsigned slot = rnd(SLOTS), th = 1 + rnd(THREADS);
	if (w->at[slot] || w->used[slot])
		return;
	ck_assert_uint_lt(w->objects, OBJECTS);
	struct object *o = &w->object[w->objects++];
	*o = (struct object){ now(w), th, rnd(CLASSES), false };
	w->at[slot] = w->objects;
	w->used[slot] = true;
	logkit_on(w->k, th);
	if (!w->allocs)
		return;
	struct pv_event e = { .kind = PV_KIND_ALLOC,
		.alloc = { logkit_type(w->k, class_key(o->klass)), address(slot), 32, { 0, 0 } } };
	if (w->traced)
		logkit_enter(w->k, o->allocated, maker(th));
	if (!w->traced)
		e.alloc.stack = LOGKIT_LIST(w->k, 0x900, maker(th));
	logkit_event(w->k, o->allocated, e);
	if (w->traced)
		logkit_leave(w->k, o->allocated, maker(th));
}

static void die(struct world *w)
{
	unsigned o = w->at[rnd(SLOTS)];
	if (o)
		w->object[o - 1].dead = true;
}

static void shuffle(uint64_t (*pair)[2], unsigned n)
{
	for (unsigned i = n; i > 1; i--) {
		unsigned j = rnd(i);
		uint64_t from = pair[i - 1][0], to = pair[i - 1][1];
		memcpy(pair[i - 1], pair[j], sizeof pair[0]);
		pair[j][0] = from;
		pair[j][1] = to;
	}
}

static void tell_moves(struct world *w, uint64_t (*pair)[2], unsigned n)
{
	for (unsigned i = 0; w->moves && i < n;) {
		unsigned k = 1 + rnd(n - i);
		logkit_event(w->k, now(w),
			(struct pv_event){ .kind = PV_KIND_GC_MOVE,
				.moves = { logkit_list(w->k, pair[i], 2 * (size_t)k) } });
		i += k;
	}
}

/* Living objects go anywhere: to free places, to those of dead ones, and to each other's. */
static void move(struct world *w)
{
	uint64_t pair[SLOTS][2];
	unsigned to[SLOTS] = { 0 }, n = 0;
	for (unsigned s = 0; s < SLOTS; s++)
		if (w->at[s] && w->object[w->at[s] - 1].dead)
			w->at[s] = 0;
	for (unsigned s = 0; s < SLOTS; s++) {
		unsigned d = rnd(2) ? s : rnd(SLOTS);
		if (!w->at[s])
			continue;
		if (to[d] || (d != s && w->at[d] && rnd(4)))
			for (d = s; to[d];)
				d = (d + 1) % SLOTS;
		to[d] = w->at[s];
		if (d == s)
			continue;
		pair[n][0] = address(s);
		pair[n++][1] = address(d);
	}
	memcpy(w->at, to, sizeof to);
	memset(w->used, 0, sizeof w->used);
	shuffle(pair, n);
	unsigned before = rnd(n + 1);
	tell_moves(w, pair, before);
	logkit_gc(w->k, now(w), PV_GC_END, 0);
	tell_moves(w, pair + before, n - before);
}

static uint64_t size_at(const struct world *w, unsigned slot)
{
	return w->moves ? 32 + 8 * (slot % 2) : 32; /* a moved one may take another size */
}

static void list(struct world *w)
{
	for (unsigned s = 0; s < SLOTS; s++) {
		if (!w->at[s])
			continue;
		const struct object *o = &w->object[w->at[s] - 1];
		logkit_event(w->k, now(w),
			(struct pv_event){ .kind = PV_KIND_HEAP_OBJECT,
				.heap_object = { address(s), logkit_type(w->k, class_key(o->klass)),
					size_at(w, s), 0, { 0, 0 }, 0 } });
		if (rnd(20) == 0)
			logkit_flush(w->k);
	}
	memcpy(w->shot[w->shots++], w->at, sizeof w->at);
}

static void collect(struct world *w, bool shot)
{
	bool old = w->k->format.data_version < 14; /* there the list follows the collection */
	logkit_on(w->k, 1 + rnd(THREADS));
	if (shot && !old)
		logkit_plain(w->k, now(w), PV_KIND_HEAP_START);
	logkit_gc(w->k, now(w), PV_GC_START, 0);
	move(w);
	if (shot && old)
		logkit_plain(w->k, now(w), PV_KIND_HEAP_START);
	if (shot)
		list(w);
	if (shot)
		logkit_plain(w->k, now(w), PV_KIND_HEAP_END);
	logkit_gc(w->k, now(w), PV_GC_PRE_START, 0);
	if (shot) /* a sync point */
		logkit_flush(w->k);
}

static struct world *play_traced(
	unsigned version, unsigned pointer_size, bool allocs, bool moves, bool traced)
{
	struct world *w = calloc(1, sizeof *w);
	ck_assert_ptr_nonnull(w);
	w->allocs = allocs;
	w->moves = moves;
	w->traced = traced;
	w->k = logkit_new(version);
	w->k->file.n = 0;
	w->k->format.pointer_size = (uint8_t)pointer_size;
	logkit_header(w->k);
	for (unsigned i = 0; i < CLASSES; i++)
		logkit_class(w->k, now(w), class_key(i), i == 0 ? "A" : i == 1 ? "B" : "C");
	for (unsigned th = 1; traced && th <= THREADS; th++) {
		logkit_on(w->k, th);
		logkit_enter(w->k, now(w), 0x900);
	}
	for (unsigned step = 0; step < STEPS; step++) {
		unsigned what = rnd(100);
		if (step % (STEPS / SHOTS) == STEPS / SHOTS - 1 && w->shots < SHOTS)
			collect(w, true);
		else if (what < 60)
			allocate(w);
		else if (what < 90)
			die(w);
		else if (what < 94)
			collect(w, false);
		else if (what < 97) {
			logkit_on(w->k, 1 + rnd(THREADS));
			logkit_flush(w->k);
		}
	}
	ck_assert_uint_eq(w->shots, SHOTS);
	logkit_model(w->k);
	FILE *f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(w->k->file.v, 1, w->k->file.n, f), w->k->file.n);
	ck_assert_int_eq(fclose(f), 0);
	return w;
}

static struct world *play(unsigned version, unsigned pointer_size, bool allocs, bool moves)
{
	return play_traced(version, pointer_size, allocs, moves, false);
}

static struct pv_identity_read *follow(
	struct pv_ingest *in, const struct pv_identity_read_options *o)
{
	struct pv_error e = { 0 };
	struct pv_background_status s;
	struct pv_identity_read *r = pv_identity_read_start(in, o, &e);
	ck_assert_msg(r != NULL, "%s", e.what);
	pv_background_wait(pv_identity_read_job(r));
	pv_background_status(pv_identity_read_job(r), &s);
	ck_assert_msg(s.done, "%s", s.error.what);
	return r;
}

/* The object (+ 1) an object of the later shot is said to be, by its allocation. */
static void check_object(const struct world *w, struct pv_identity_read *r, size_t i)
{
	const struct pv_identity *l = pv_identity_read_result(r);
	const struct pv_model *m = pv_identity_read_model(r);
	const struct pv_life_object *o = &l->object.v[i];
	const struct pv_life_site *site = &l->site.v[l->row.v[o->row].site];
	unsigned slot = (unsigned)((o->address - address(0)) / 64);
	unsigned is = w->shot[l->options.shot][slot];
	uint64_t base = 0;
	ck_assert_uint_ne(is, 0);
	for (unsigned s = 0; s < SLOTS; s++)
		if (w->shot[l->options.base][s] == is)
			base = address(s);
	ck_assert_uint_eq(o->base_address, base);
	if (!w->allocs)
		return;
	ck_assert_int_eq(o->allocated_ns - LOGKIT_ZERO, w->object[is - 1].allocated);
	ck_assert_uint_eq(m->threads.thread.v[site->thread]->id, w->object[is - 1].thread);
	uint32_t method = m->stacks.node.v[site->stack].method;
	ck_assert_uint_eq(m->names.method.v[method].key, maker(w->object[is - 1].thread));
	method = m->stacks.node.v[m->stacks.node.v[site->stack].parent].method;
	ck_assert_uint_eq(m->names.method.v[method].key, 0x900);
}

/* Those of the base shot that are gone took so much there. */
static void check_dead(const struct world *w, const struct pv_identity *l)
{
	const unsigned *base = w->shot[l->options.base], *shot = w->shot[l->options.shot];
	uint64_t died = 0, bytes = 0;
	for (unsigned s = 0; s < SLOTS; s++) {
		bool identity = false;
		for (unsigned k = 0; k < SLOTS; k++)
			identity |= shot[k] == base[s];
		died += base[s] && !identity;
		bytes += base[s] && !identity ? size_at(w, s) : 0;
	}
	for (size_t i = 0; i < l->row.n; i++) {
		const struct pv_life_row *r = &l->row.v[i];
		if (pv_life_is_new(l, r))
			continue;
		died -= r->base_objects - r->shot_objects;
		bytes -= r->base_bytes - r->kept_bytes;
	}
	ck_assert_uint_eq(died, 0);
	ck_assert_uint_eq(bytes, 0);
}

static void check_pair(const struct world *w, struct pv_ingest *in, uint32_t base, uint32_t shot)
{
	const struct pv_identity_read_options o = { .base = base, .shot = shot };
	struct pv_identity_read *r = follow(in, &o);
	const struct pv_identity *l = pv_identity_read_result(r);
	size_t alive = 0;
	for (unsigned s = 0; s < SLOTS; s++)
		alive += w->shot[shot][s] != 0;
	ck_assert_uint_eq(l->object.n, alive);
	for (size_t i = 0; i < l->object.n; i++)
		check_object(w, r, i);
	check_dead(w, l);
	if (w->allocs)
		ck_assert_uint_eq(l->uncertain, 0);
	ck_assert_uint_eq(l->duplicates, 0);
	ck_assert_uint_eq(l->guessed, 0);
	pv_background_destroy(pv_identity_read_job(r));
}

static void world_end(struct world *w)
{
	logkit_free(w->k);
	free(w);
}

static void check_world(struct world *w)
{
	struct pv_ingest *in = range_kit_load(path);
	ck_assert_ptr_nonnull(in);
	check_pair(w, in, 0, 1);
	check_pair(w, in, 1, 4);
	check_pair(w, in, 0, SHOTS - 1);
	pv_ingest_destroy(in);
	world_end(w);
}

START_TEST(objects_are_themselves)
{
	state = 100 + (uint32_t)_i;
	check_world(play(17, 8, true, true));
}
END_TEST

START_TEST(allocated_where_calls_are_traced)
{
	state = 200 + (uint32_t)_i;
	check_world(play_traced(_i % 2 ? 17 : 11, 8, true, true, true));
}
END_TEST

START_TEST(in_every_version)
{
	state = 300 + (uint32_t)_i;
	check_world(play((unsigned)_i, _i % 2 ? 4 : 8, true, true));
}
END_TEST

START_TEST(without_moves_by_class)
{
	state = 500 + (uint32_t)_i;
	struct world *w = play(17, 8, false, false);
	struct pv_ingest *in = range_kit_load(path);
	const struct pv_identity_read_options o = { .base = 1, .shot = 3 };
	struct pv_identity_read *r = follow(in, &o);
	const struct pv_identity *l = pv_identity_read_result(r);
	unsigned base[CLASSES] = { 0 }, shot[CLASSES] = { 0 };
	uint64_t same = 0, least = 0;
	for (unsigned s = 0; s < SLOTS; s++) {
		if (w->shot[1][s])
			base[w->object[w->shot[1][s] - 1].klass]++;
		if (w->shot[3][s])
			shot[w->object[w->shot[3][s] - 1].klass]++;
	}
	for (unsigned c = 0; c < CLASSES; c++)
		least += base[c] < shot[c] ? base[c] : shot[c];
	for (size_t i = 0; i < l->object.n; i++)
		same += l->object.v[i].base_address != 0;
	ck_assert_uint_gt(same, 0);
	ck_assert_uint_le(same, least);
	ck_assert_uint_gt(l->guessed, 0);
	ck_assert_uint_ge(l->uncertain, same); /* nothing that is said of them is sure */
	pv_background_destroy(pv_identity_read_job(r));
	pv_ingest_destroy(in);
	world_end(w);
}
END_TEST

START_TEST(by_address_it_is_the_address)
{
	state = 600 + (uint32_t)_i;
	struct world *w = play(17, 8, true, true);
	struct pv_ingest *in = range_kit_load(path);
	const struct pv_identity_read_options o = { .base = 1, .shot = 2, .by_address = true };
	struct pv_identity_read *r = follow(in, &o);
	const struct pv_identity *l = pv_identity_read_result(r);
	for (size_t i = 0; i < l->object.n; i++) {
		unsigned slot = (unsigned)((l->object.v[i].address - address(0)) / 64);
		unsigned a = w->shot[1][slot], b = w->shot[2][slot];
		bool same = a && w->object[a - 1].klass == w->object[b - 1].klass;
		ck_assert_uint_eq(l->object.v[i].base_address, same ? address(slot) : 0);
	}
	ck_assert_uint_gt(l->uncertain, 0);
	pv_background_destroy(pv_identity_read_job(r));
	pv_ingest_destroy(in);
	world_end(w);
}
END_TEST

/* Whatever it says, it ends, and nothing is used that is not there. */
START_TEST(damaged_logs_do_no_harm)
{
	state = 700 + (uint32_t)_i;
	struct world *w = play(_i % 3 == 0 ? 10 : 17, 8, true, true);
	struct pv_error e = { 0 };
	struct pv_background_status s;
	for (int i = 0; i < 40; i++) /* not the header */
		w->k->file.v[64 + rnd((unsigned)w->k->file.n - 64)] ^= (uint8_t)(1 << rnd(8));
	size_t n = w->k->file.n - (_i % 2 ? rnd(2000) : 0);
	FILE *f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(w->k->file.v, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
	struct pv_ingest *in = range_kit_load(path);
	const struct pv_identity_read_options o = { .base = PV_IDENTITY_NO_SHOT,
		.shot = PV_IDENTITY_NO_SHOT };
	struct pv_identity_read *r = in ? pv_identity_read_start(in, &o, &e) : NULL;
	if (r) {
		pv_background_wait(pv_identity_read_job(r));
		pv_background_status(pv_identity_read_job(r), &s);
		ck_assert(s.over);
		ck_assert(s.done || s.error.code != PV_OK);
	}
	pv_background_destroy(pv_identity_read_job(r));
	pv_ingest_destroy(in);
	world_end(w);
}
END_TEST

/* A job that is not wanted ends soon, wherever it is, and gives everything back. */
START_TEST(is_cancelled)
{
	state = 1;
	world_end(play(17, 8, true, true));
	struct pv_ingest *in = range_kit_load(path);
	const struct pv_identity_read_options o = { .base = PV_IDENTITY_NO_SHOT,
		.shot = PV_IDENTITY_NO_SHOT };
	for (int i = 0; i < 10; i++) {
		struct pv_error e = { 0 };
		struct pv_background_status s;
		struct pv_identity_read *r = pv_identity_read_start(in, &o, &e);
		ck_assert_ptr_nonnull(r);
		if (i % 2) {
			pv_background_cancel(pv_identity_read_job(r));
			pv_background_wait(pv_identity_read_job(r));
			pv_background_status(pv_identity_read_job(r), &s);
			ck_assert(s.over);
			ck_assert(s.done == (pv_identity_read_result(r) != NULL));
		}
		pv_background_destroy(pv_identity_read_job(r));
	}
	pv_ingest_destroy(in);
}
END_TEST

static void refused(uint32_t base, uint32_t shot, const char *why)
{
	struct pv_error e = { 0 };
	struct pv_background_status s;
	struct pv_ingest *in = range_kit_load(path);
	const struct pv_identity_read_options o = { .base = base, .shot = shot };
	struct pv_identity_read *r = pv_identity_read_start(in, &o, &e);
	ck_assert_ptr_nonnull(r);
	pv_background_wait(pv_identity_read_job(r));
	pv_background_status(pv_identity_read_job(r), &s);
	ck_assert(s.over && !s.done);
	ck_assert_int_eq(s.error.code, PV_EUSAGE);
	ck_assert_str_eq(s.error.what, why);
	pv_background_destroy(pv_identity_read_job(r));
	pv_ingest_destroy(in);
}

START_TEST(shots_that_there_are_not)
{
	state = 1;
	world_end(play(17, 8, true, true));
	refused(0, 6, "there is no heap shot 6: the log has 6");
	refused(9, PV_IDENTITY_NO_SHOT, "there is no heap shot 9: the log has 6");
	refused(3, 3, "the base, heap shot 3, is not before heap shot 3");
	refused(4, 1, "the base, heap shot 4, is not before heap shot 1");
}
END_TEST

static void setup(void)
{
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

static void teardown(void)
{
	unlink(path);
	strcpy(path, "/tmp/pv-lives-XXXXXX");
}

int main(void)
{
	Suite *s = suite_create("lives read");
	TCase *t = tcase_create("lives");
	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, objects_are_themselves, 0, 12);
	tcase_add_loop_test(t, allocated_where_calls_are_traced, 0, 4);
	tcase_add_loop_test(t, in_every_version, 1, 18);
	tcase_add_loop_test(t, without_moves_by_class, 0, 3);
	tcase_add_loop_test(t, by_address_it_is_the_address, 0, 3);
	tcase_add_loop_test(t, damaged_logs_do_no_harm, 0, 12);
	tcase_add_test(t, is_cancelled);
	tcase_add_test(t, shots_that_there_are_not);
	suite_add_tcase(s, t);
	return run_suite(s);
}
