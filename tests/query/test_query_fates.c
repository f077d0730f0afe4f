/* SPDX-License-Identifier: MIT */
/* Of each class how many died young, later, live on and are promoted, as a small heap knows it itself. */
#include <stdlib.h>
#include <string.h>

#include "common/model/identity/identity.h"
#include "common/model/identity/identity_use.h"
#include "common/query/views.h"
#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { CLASSES = 3, OBJECTS = 4096, ROUNDS = 24, SEEDS = 8 };
static const uint64_t nursery = 0x10000;
static const char *const names[CLASSES] = { "App.Passing", "App.Middling", "App.Kept" };

struct object {
	uint64_t address, size;
	unsigned klass, collections;
	bool alive, listed;
};

/* Own figures of a class. */
struct own {
	uint64_t allocated, bytes, young, young_bytes, later, alive, promoted;
};

struct heap {
	struct logkit *k;
	struct pv_model *m;
	struct pv_identity l;
	struct object object[OBJECTS];
	unsigned n, seed;
	uint32_t class_use[CLASSES], shots;
	uint64_t next, old; /* addresses: in the nursery, which is used again, and beyond */
	int64_t t;
};

static unsigned chance(struct heap *h, unsigned of)
{
	h->seed = h->seed * 1103515245u + 12345u;
	return h->seed / 65536 % of;
}

static struct heap *heap_new(unsigned seed, const struct pv_identity_options *o)
{
	struct heap *h = calloc(1, sizeof *h);
	ck_assert_ptr_nonnull(h);
	h->k = logkit_new(17);
	h->seed = seed;
	h->old = 0x1000000;
	for (unsigned i = 0; i < CLASSES; i++)
		logkit_class(h->k, 2, 0x5000 + 0x100 * i, names[i]);
	h->m = logkit_model(h->k);
	for (unsigned i = 0; i < CLASSES; i++)
		h->class_use[i] = pv_names_class(
			&h->m->names, logkit_type(h->k, 0x5000 + 0x100 * i), LOGKIT_ZERO + 10);
	ck_assert(pv_identity_init(&h->l, o));
	return h;
}

static void heap_free(struct heap *h)
{
	pv_identity_finish(&h->l);
	logkit_free(h->k);
	free(h);
}

static void allocate(struct heap *h)
{
	struct object *o = &h->object[h->n++];
	ck_assert_uint_lt(h->n, OBJECTS);
	*o = (struct object){ .address = nursery + h->next,
		.size = 16 + 8 * chance(h, 5),
		.klass = chance(h, CLASSES),
		.alive = true };
	h->next += o->size;
	ck_assert(pv_identity_alloc(
		&h->l, &(struct pv_allocation_event){ o->address, o->size, LOGKIT_ZERO + ++h->t,
			       h->class_use[o->klass], 0, 1 }));
}

/* Survivors of the nursery move out of it, and its memory is used again. */
static void collect(struct heap *h)
{
	ck_assert(pv_identity_collection(&h->l));
	for (unsigned i = 0; i < h->n; i++) {
		struct object *o = &h->object[i];
		if (!o->alive)
			continue;
		o->collections++;
		if (o->collections > 1)
			continue;
		const uint64_t pair[] = { o->address, h->old };
		o->address = h->old;
		h->old += o->size;
		ck_assert(pv_identity_moves(&h->l, pair, 2));
	}
	h->next = 0;
}

static void shoot(struct heap *h)
{
	ck_assert(pv_identity_shot_begins(&h->l, h->shots++, LOGKIT_ZERO + ++h->t));
	for (unsigned i = 0; i < h->n; i++) {
		struct object *o = &h->object[i];
		const struct pv_listed_object listed = { o->address, o->size, o->collections > 1,
			h->class_use[o->klass] };
		if (o->alive)
			ck_assert(pv_identity_object(&h->l, &listed));
		o->listed |= o->alive;
	}
	ck_assert(pv_identity_shot_ends(&h->l, true));
}

static void round_of(struct heap *h)
{
	for (unsigned i = 0; i < 100; i++) {
		allocate(h);
		struct object *o = &h->object[chance(h, h->n)];
		o->alive = o->alive && o->klass == 2;
		o = &h->object[h->n - 1];
		o->alive = o->alive && (o->klass || chance(h, 20) == 0);
	}
	collect(h);
}

static struct own own_of(const struct heap *h, unsigned klass)
{
	struct own s = { 0 };
	for (unsigned i = 0; i < h->n; i++) {
		const struct object *o = &h->object[i];
		if (o->klass != klass)
			continue;
		s.allocated++;
		s.bytes += o->size;
		s.alive += o->alive;
		s.promoted += o->alive && o->collections > 1;
		s.later += !o->alive && o->listed;
		s.young += !o->alive && !o->listed;
		s.young_bytes += !o->alive && !o->listed ? o->size : 0;
	}
	return s;
}

static struct pv_table *ask(struct heap *h, enum pv_view view, struct pv_query q)
{
	q.identity = &h->l;
	struct pv_table *t = pv_view_table(h->m, view, &q);
	ck_assert_ptr_nonnull(t);
	return t;
}

static const struct pv_row *row(const struct pv_table *t, const char *name)
{
	int c = pv_table_column(t, "name");
	for (size_t i = 0; i < t->rows; i++)
		if (strcmp(t->row[i].cell[c].s, name) == 0)
			return &t->row[i];
	ck_abort_msg("no row %s", name);
	return NULL;
}

static uint64_t figure(const struct pv_table *t, const struct pv_row *r, const char *column)
{
	int c = pv_table_column(t, column);
	ck_assert_int_ge(c, 0);
	ck_assert_msg(r->cell[c].state == PV_CELL_VALUE, "%s", column);
	return r->cell[c].u;
}

static struct heap *played(unsigned seed)
{
	static const uint32_t steps[] = { 0, ROUNDS / 3 - 1 };
	const struct pv_identity_options o = {
		.shot = ROUNDS / 3 - 1, .steps = steps, .n_steps = 2, .allocs = true, .moves = true
	};
	struct heap *h = heap_new(seed, &o);
	for (unsigned i = 1; i <= ROUNDS; i++) {
		round_of(h);
		if (i % 3 == 0)
			shoot(h);
	}
	return h;
}

START_TEST(every_object_has_one_fate)
{
	struct heap *h = played((unsigned)_i + 1);
	struct pv_table *t = ask(h, PV_VIEW_SURVIVAL, (struct pv_query){ 0 });
	for (unsigned k = 0; k < CLASSES; k++) {
		const struct pv_row *r = row(t, names[k]);
		const struct own s = own_of(h, k);
		ck_assert_uint_eq(figure(t, r, "allocations"), s.allocated);
		ck_assert_uint_eq(figure(t, r, "allocated_bytes"), s.bytes);
		ck_assert_uint_eq(figure(t, r, "died_young"), s.young);
		ck_assert_uint_eq(figure(t, r, "died_young_bytes"), s.young_bytes);
		ck_assert_uint_eq(figure(t, r, "dead_objects"), s.young + s.later);
		ck_assert_uint_eq(figure(t, r, "alive_objects"), s.alive);
		ck_assert_uint_eq(figure(t, r, "promoted_objects"), s.promoted);
		ck_assert_uint_eq(figure(t, r, "young_objects"), s.alive - s.promoted);
		ck_assert(s.young > 0 || k == 2);
	}
	ck_assert_ptr_nonnull(strstr(t->coverage, "; shots 0 to 7 by identity"));
	ck_assert_ptr_eq(strstr(t->coverage, "alive at shot 7, "), t->coverage);
	ck_assert_ptr_null(strstr(t->coverage, "not known"));
	pv_table_destroy(t);
	heap_free(h);
}
END_TEST

/* Of the class whose row is chosen, of all without one; a class that is not there has none. */
START_TEST(sizes_are_of_the_chosen_class)
{
	struct heap *h = played((unsigned)_i + 1);
	struct pv_table *lives = ask(h, PV_VIEW_SURVIVAL, (struct pv_query){ 0 });
	uint64_t count = 0;
	for (unsigned k = 0; k <= CLASSES; k++) {
		uint64_t select = k < CLASSES ? row(lives, names[k])->id : 0;
		struct pv_table *t =
			ask(h, PV_VIEW_ALLOCATION_SIZES, (struct pv_query){ .select = select });
		uint64_t own[2] = { 0 }, all = 0;
		for (unsigned i = 0; i < h->n; i++) {
			const struct object *o = &h->object[i];
			if (k == CLASSES || o->klass == k)
				own[o->size >= 32]++, all += o->size;
		}
		ck_assert_uint_eq(t->rows, 2);
		for (size_t i = 0; i < t->rows; i++) {
			uint64_t from = figure(t, &t->row[i], "from_bytes");
			ck_assert(from == 16 || from == 32);
			ck_assert_uint_eq(figure(t, &t->row[i], "allocations"), own[from == 32]);
			all -= figure(t, &t->row[i], "allocated_bytes");
			count += k < CLASSES ? own[from == 32] : 0;
		}
		ck_assert_uint_eq(all, 0);
		ck_assert_ptr_nonnull(strstr(t->coverage, "by identity"));
		pv_table_destroy(t);
	}
	ck_assert_uint_eq(count, h->n);
	struct pv_table *t = ask(h, PV_VIEW_ALLOCATION_SIZES, (struct pv_query){ .select = 1 });
	ck_assert_uint_eq(t->rows, 0);
	pv_table_destroy(t);
	pv_table_destroy(lives);
	heap_free(h);
}
END_TEST

static bool known(struct heap *h, const char *id)
{
	struct pv_table *t = ask(h, PV_VIEW_SURVIVAL, (struct pv_query){ 0 });
	bool is = row(t, names[2])->cell[pv_table_column(t, id)].state == PV_CELL_VALUE;
	bool said = strstr(t->coverage, "who died young is not known") != NULL;
	ck_assert_int_eq(said, !pv_identity_knows_young(&h->l));
	pv_table_destroy(t);
	return is;
}

/* A lost move or a sampled allocation leaves open who died young. */
START_TEST(nothing_is_guessed)
{
	struct heap *h = played(1);
	struct pv_identity_options *o = &h->l.options;
	const struct {
		bool *is, unsure;
	} of[] = { { &o->allocs, false }, { &o->moves, false }, { &o->sampled, true },
		{ &o->by_address, true }, { &h->l.damaged, true }, { &h->l.unordered, true } };
	ck_assert(known(h, "died_young"));
	for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
		*of[i].is = of[i].unsure;
		ck_assert(!known(h, "died_young"));
		ck_assert(!known(h, "dead_objects"));
		ck_assert(known(h, "alive_objects"));
		*of[i].is = !of[i].unsure;
	}
	h->l.lost = 1;
	ck_assert(!known(h, "died_young"));
	heap_free(h);
}
END_TEST

/* The last shot cannot say of it whether it lives: it counts nowhere. */
START_TEST(an_allocation_under_the_shot_is_left_out)
{
	static const uint32_t step = 0;
	const struct pv_identity_options o = {
		.steps = &step, .n_steps = 1, .allocs = true, .moves = true
	};
	struct heap *h = heap_new(1, &o);
	const uint32_t c = h->class_use[0];
	struct pv_allocation_event e = { 0x100, 8, LOGKIT_ZERO + 1, c, 0, 1 };
	for (; e.address <= 0x400; e.address += 0x100)
		ck_assert(pv_identity_alloc(&h->l, &e));
	e.address = 0x400; /* used again */
	ck_assert(pv_identity_alloc(&h->l, &e));
	ck_assert(pv_identity_collection(&h->l));
	ck_assert(pv_identity_shot_begins(&h->l, 0, LOGKIT_ZERO + 5));
	ck_assert(pv_identity_object(&h->l, &(struct pv_listed_object){ 0x100, 8, 2, c }));
	e.address = 0x900;
	e.time_ns = LOGKIT_ZERO + 6;
	ck_assert(pv_identity_alloc(&h->l, &e));
	ck_assert(pv_identity_shot_ends(&h->l, true));
	const struct pv_life_fate *f = &h->l.fates.of.v[c];
	ck_assert_uint_eq(f->allocated, 5);
	ck_assert_uint_eq(f->allocated_bytes, 40);
	ck_assert_uint_eq(f->young, 4);
	ck_assert_uint_eq(f->later, 0);
	ck_assert_uint_eq(f->promoted, 1);
	ck_assert(h->l.fates.generations);
	heap_free(h);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("query fates");
	TCase *t = tcase_create("fates");
	tcase_add_loop_test(t, every_object_has_one_fate, 0, SEEDS);
	tcase_add_loop_test(t, sizes_are_of_the_chosen_class, 0, SEEDS);
	tcase_add_test(t, nothing_is_guessed);
	tcase_add_test(t, an_allocation_under_the_shot_is_left_out);
	suite_add_tcase(s, t);
	return run_suite(s);
}
