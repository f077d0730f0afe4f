/* SPDX-License-Identifier: MIT */
/* Dead, new and piling up objects, as tables: classes whose behaviour is planted. */
#include <stdlib.h>
#include <string.h>

#include "common/model/identity/identity.h"
#include "common/model/identity/identity_use.h"
#include "common/query/flame/flame.h"
#include "common/query/heap/identity_views.h"
#include "common/query/views.h"
#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { SHOTS = 7, BATCH = 20, LIVE = 4096 };
enum { LEAK, CACHE, WARM_UP, CHURN, CONSTANT, CLASSES };
static const char *const names[CLASSES] = { "My.Leak", "My.Cache", "My.WarmUp", "My.Churn",
	"System.Steady" };

struct live {
	uint64_t address;
	unsigned klass;
	bool alive;
};

struct world {
	struct logkit *k;
	struct pv_model *m;
	struct pv_identity l;
	struct live live[LIVE];
	unsigned n;
	uint32_t class_use[CLASSES], stack[CLASSES];
	int64_t t;
};

static void make(struct world *w, unsigned klass, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct live *o = &w->live[w->n++];
		ck_assert_uint_lt(w->n, LIVE);
		*o = (struct live){ 0x10000 + 64 * (uint64_t)w->n, klass, true };
		const struct pv_allocation_event b = { o->address, 32, LOGKIT_ZERO + ++w->t,
			w->class_use[klass], w->stack[klass], 1 };
		ck_assert(pv_identity_alloc(&w->l, &b));
	}
}

/* All but the youngest `keep` of a class die. */
static void drop(struct world *w, unsigned klass, unsigned keep)
{
	for (unsigned i = w->n; i-- > 0;) {
		struct live *o = &w->live[i];
		if (o->klass != klass || !o->alive)
			continue;
		if (keep)
			keep--;
		else
			o->alive = false;
	}
}

static void shot(struct world *w, uint32_t index)
{
	ck_assert(pv_identity_collection(&w->l));
	ck_assert(pv_identity_shot_begins(&w->l, index, LOGKIT_ZERO + ++w->t));
	for (unsigned i = 0; i < w->n; i++) {
		const struct live *o = &w->live[i];
		const struct pv_listed_object listed = { o->address, 32, o->klass == CONSTANT,
			w->class_use[o->klass] };
		if (o->alive)
			ck_assert(pv_identity_object(&w->l, &listed));
	}
	ck_assert(pv_identity_shot_ends(&w->l, true));
}

static struct world *play(uint32_t base)
{
	static const uint32_t steps[SHOTS] = { 0, 1, 2, 3, 4, 5, 6 };
	const struct pv_identity_options o = { .base = base,
		.shot = SHOTS - 1,
		.steps = steps,
		.n_steps = SHOTS,
		.allocs = true,
		.moves = true };
	struct world *w = calloc(1, sizeof *w);
	ck_assert_ptr_nonnull(w);
	w->k = logkit_new(17);
	logkit_event(
		w->k, 1, (struct pv_event){ .kind = PV_KIND_THREAD_START, .meta = { .key = 1 } });
	for (unsigned i = 0; i < CLASSES; i++) {
		char method[32] = "My.Maker:Make?";
		method[13] = (char)('0' + i);
		logkit_class(w->k, 2, 0x5000 + 0x100 * i, names[i]);
		logkit_method(w->k, 2, 0xa00 + 0x10 * i, method);
	}
	w->m = logkit_model(w->k);
	for (unsigned i = 0; i < CLASSES; i++) {
		uint64_t key = 0xa00 + 0x10 * i;
		const struct pv_batch b = { .pool = { .v = &key, .n = 1 } };
		w->class_use[i] = pv_names_class(
			&w->m->names, logkit_type(w->k, 0x5000 + 0x100 * i), LOGKIT_ZERO + 10);
		w->stack[i] =
			pv_identity_stack(w->m, LOGKIT_ZERO + 10, &b, (struct pv_span){ 0, 1 });
	}
	ck_assert(pv_identity_init(&w->l, &o));
	make(w, CONSTANT, 50);
	for (uint32_t s = 0; s < SHOTS; s++) {
		make(w, LEAK, BATCH);
		make(w, CACHE, BATCH);
		make(w, CHURN, 3 * BATCH);
		if (s == 1)
			make(w, WARM_UP, 5 * BATCH);
		drop(w, CACHE, 2 * BATCH);
		drop(w, CHURN, 2 + s % 2);
		shot(w, s);
	}
	return w;
}

static void finish(struct world *w)
{
	pv_identity_finish(&w->l);
	logkit_free(w->k);
	free(w);
}

static struct pv_table *ask(struct world *w, enum pv_view view, struct pv_query q)
{
	q.identity = &w->l;
	struct pv_table *t = pv_view_table(w->m, view, &q);
	ck_assert_ptr_nonnull(t);
	return t;
}

/* The row whose column reads so. */
static const struct pv_row *row(const struct pv_table *t, const char *column, const char *text)
{
	int c = pv_table_column(t, column);
	ck_assert_int_ge(c, 0);
	for (size_t i = 0; i < t->rows; i++)
		if (t->row[i].cell[c].s && strcmp(t->row[i].cell[c].s, text) == 0)
			return &t->row[i];
	ck_abort_msg("no row %s in %s", text, t->name);
	return NULL;
}

static uint64_t figure(const struct pv_table *t, const struct pv_row *r, const char *column)
{
	int c = pv_table_column(t, column);
	ck_assert_int_ge(c, 0);
	return r->cell[c].u;
}

/* --- a flame of what is alive */

static uint64_t weight_below(const struct pv_flame *f, uint32_t cell, const char *name)
{
	const struct pv_flame_cell *c = &f->cell[cell];
	uint64_t sum = 0;
	for (uint32_t n = 0; n < c->children; n++)
		if (strcmp(f->cell[c->child + n].name, name) == 0)
			sum += f->cell[c->child + n].weight;
	return sum;
}

static uint32_t child_of(const struct pv_flame *f, uint32_t cell, const char *name)
{
	const struct pv_flame_cell *c = &f->cell[cell];
	for (uint32_t n = 0; n < c->children; n++)
		if (strcmp(f->cell[c->child + n].name, name) == 0)
			return c->child + n;
	ck_abort_msg("no %s", name);
	return 0;
}

static uint64_t listed_bytes(const struct world *w, unsigned klass)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < w->n; i++)
		n += w->live[i].alive && w->live[i].klass == klass;
	return 32 * n;
}

/* Each maker has below it, by class, what of its objects the last shot lists; `base`: any shot. */
START_TEST(live_bytes_are_of_the_stacks_that_allocated)
{
	struct world *w = play((uint32_t)_i);
	struct pv_query q = { .identity = &w->l };
	struct pv_flame_tree *t = pv_flame_tree_make(w->m, PV_FLAME_LIVE, &q);
	ck_assert_ptr_nonnull(t);
	struct pv_flame *f = pv_flame_ask(t, &(struct pv_flame_wish){ .parts = 0 });
	ck_assert_ptr_nonnull(f);
	uint64_t all = 0;
	for (unsigned i = 0; i < CLASSES; i++) {
		char method[32] = "My.Maker:Make?";
		method[13] = (char)('0' + i);
		uint64_t bytes = listed_bytes(w, i);
		all += bytes;
		ck_assert_uint_gt(bytes, 0);
		ck_assert_uint_eq(weight_below(f, 0, method), bytes);
		ck_assert_uint_eq(weight_below(f, child_of(f, 0, method), names[i]), bytes);
	}
	ck_assert_uint_eq(f->all, all);
	ck_assert_uint_eq(all, w->l.step.v[SHOTS - 1].bytes);
	ck_assert_ptr_nonnull(strstr(f->coverage, "by identity, uncertain 0.0 %"));
	pv_flame_destroy(f);
	pv_flame_tree_drop(t);
	finish(w);
}
END_TEST

/* Older than the record: a root of its own, not the root of those without a stack. */
START_TEST(what_was_not_allocated_before_our_eyes_is_apart)
{
	static const uint32_t step = 3;
	const struct pv_identity_options o = {
		.base = 3, .shot = 3, .steps = &step, .n_steps = 1, .allocs = true, .moves = true
	};
	struct world *w = play(0);
	struct pv_identity l;
	ck_assert(pv_identity_init(&l, &o));
	const struct pv_allocation_event bare = { 0x100, 16, LOGKIT_ZERO + 1, w->class_use[LEAK], 0,
		1 };
	const struct pv_allocation_event made = { 0x200, 48, LOGKIT_ZERO + 2, w->class_use[LEAK],
		w->stack[LEAK], 1 };
	ck_assert(pv_identity_alloc(&l, &bare) && pv_identity_alloc(&l, &made));
	ck_assert(pv_identity_collection(&l));
	const uint64_t moved[] = { 0x200, 0x300 };
	ck_assert(pv_identity_moves(&l, moved, 2));
	ck_assert(pv_identity_shot_begins(&l, 3, LOGKIT_ZERO + 5));
	ck_assert(pv_identity_object(
		&l, &(struct pv_listed_object){ 0x100, 16, 0, w->class_use[LEAK] }));
	ck_assert(pv_identity_object(
		&l, &(struct pv_listed_object){ 0x300, 48, 0, w->class_use[LEAK] })); /* moved */
	ck_assert(pv_identity_object(
		&l, &(struct pv_listed_object){ 0x900, 80, 0, w->class_use[CACHE] }));
	ck_assert(pv_identity_shot_ends(&l, true));
	struct pv_query q = { .identity = &l };
	struct pv_flame_tree *t = pv_flame_tree_make(w->m, PV_FLAME_LIVE, &q);
	struct pv_flame *f = t ? pv_flame_ask(t, &(struct pv_flame_wish){ .parts = 0 }) : NULL;
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(f->all, 16 + 48 + 80);
	ck_assert_uint_eq(weight_below(f, 0, "My.Maker:Make0"), 48);
	ck_assert_uint_eq(weight_below(f, 0, "(no stack)"), 16);
	ck_assert_uint_eq(weight_below(f, 0, "(no allocation recorded)"), 80);
	ck_assert_uint_eq(
		weight_below(f, child_of(f, 0, "(no allocation recorded)"), "My.Cache"), 80);
	ck_assert_ptr_nonnull(strstr(f->coverage, "shot 3 by identity"));
	ck_assert_ptr_nonnull(strstr(f->coverage, "1 birth not recorded"));
	pv_flame_destroy(f);
	pv_flame_tree_drop(t);
	struct pv_table *sites = pv_view_table(w->m, PV_VIEW_HEAP_DIFF_SITES, &q);
	ck_assert_ptr_ne(row(sites, "stack", "(not recorded)"), row(sites, "stack", ""));
	pv_table_destroy(sites);
	pv_identity_finish(&l);
	finish(w);
}
END_TEST

START_TEST(without_identities_the_flame_is_empty_and_says_so)
{
	struct world *w = play(0);
	struct pv_flame_tree *t = pv_flame_tree_make(w->m, PV_FLAME_LIVE, &(struct pv_query){ 0 });
	struct pv_flame *f = t ? pv_flame_ask(t, &(struct pv_flame_wish){ 0 }) : NULL;
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(f->all, 0);
	ck_assert_str_eq(f->coverage, "objects were not followed");
	pv_flame_destroy(f);
	pv_flame_tree_drop(t);
	finish(w);
}
END_TEST

START_TEST(new_died_survived)
{
	struct world *w = play(2);
	struct pv_table *t = ask(w, PV_VIEW_HEAP_DIFF, (struct pv_query){ 0 });
	const struct pv_row *leak = row(t, "name", "My.Leak"), *cache = row(t, "name", "My.Cache");
	ck_assert_ptr_eq(leak, &t->row[0]); /* it grew most */
	ck_assert_uint_eq(figure(t, leak, "new_objects"), 4 * BATCH);
	ck_assert_uint_eq(figure(t, leak, "new_bytes"), 4 * BATCH * 32);
	ck_assert_uint_eq(figure(t, leak, "died_objects"), 0);
	ck_assert_uint_eq(figure(t, leak, "survived_objects"), 3 * BATCH);
	ck_assert_uint_eq(figure(t, cache, "new_objects"), 2 * BATCH);
	ck_assert_uint_eq(figure(t, cache, "died_objects"), 2 * BATCH);
	ck_assert_uint_eq(figure(t, cache, "survived_objects"), 0);
	ck_assert_uint_eq(figure(t, row(t, "name", "System.Steady"), "survived_objects"), 50);
	ck_assert_uint_eq(figure(t, leak, "uncertain_objects"), 0);
	ck_assert_str_eq(t->coverage, "shots 2 to 6 by identity, uncertain 0.0 %");
	pv_table_destroy(t);
	finish(w);
}
END_TEST

START_TEST(by_class_as_many_are_the_same)
{
	struct world *w = play(2);
	struct pv_table *t =
		ask(w, PV_VIEW_HEAP_DIFF, (struct pv_query){ .matched_by_class = true });
	const struct pv_row *cache = row(t, "name", "My.Cache");
	ck_assert_uint_eq(figure(t, cache, "new_objects"), 0);
	ck_assert_uint_eq(figure(t, cache, "died_objects"), 0);
	ck_assert_uint_eq(figure(t, cache, "survived_objects"), 2 * BATCH);
	pv_table_destroy(t);
	finish(w);
}
END_TEST

START_TEST(by_namespace_stack_and_thread)
{
	struct world *w = play(2);
	struct pv_table *t =
		ask(w, PV_VIEW_HEAP_DIFF, (struct pv_query){ .group = PV_BY_NAMESPACE });
	ck_assert_uint_eq(figure(t, row(t, "name", "System"), "survived_objects"), 50);
	pv_table_destroy(t);
	t = ask(w, PV_VIEW_HEAP_DIFF, (struct pv_query){ 0 });
	uint64_t leak = row(t, "name", "My.Leak")->id;
	pv_table_destroy(t);
	t = ask(w, PV_VIEW_HEAP_DIFF_SITES, (struct pv_query){ .select = leak });
	ck_assert_uint_eq(t->rows, 1);
	ck_assert_uint_eq(figure(t, row(t, "stack", "My.Maker:Make0"), "new_objects"), 4 * BATCH);
	pv_table_destroy(t);
	t = ask(w, PV_VIEW_HEAP_DIFF_THREADS, (struct pv_query){ .select = leak });
	ck_assert_uint_eq(t->rows, 1);
	ck_assert_uint_eq(figure(t, &t->row[0], "survived_objects"), 3 * BATCH);
	pv_table_destroy(t);
	finish(w);
}
END_TEST

START_TEST(the_leak_is_first)
{
	struct world *w = play(0);
	struct pv_table *t = ask(w, PV_VIEW_HEAP_LADDER, (struct pv_query){ 0 });
	int shape = pv_table_column(t, "shape"), score = pv_table_column(t, "score");
	ck_assert_ptr_eq(row(t, "name", "My.Leak"), &t->row[0]);
	ck_assert_str_eq(t->row[0].cell[shape].s, "staircase");
	ck_assert_double_ge(t->row[0].cell[score].d, 99);
	ck_assert_str_eq(row(t, "name", "My.Cache")->cell[shape].s, "plateau");
	ck_assert_str_eq(row(t, "name", "My.WarmUp")->cell[shape].s, "step");
	ck_assert_str_eq(row(t, "name", "System.Steady")->cell[shape].s, "flat");
	for (size_t i = 1; i < t->rows; i++)
		ck_assert_double_lt(t->row[i].cell[score].d, 20);
	pv_table_destroy(t);
	finish(w);
}
END_TEST

/* Grown alike, but that one has a little more at the last shot: as an array class does when the
 * program ends. */
START_TEST(alike_in_growth_alike_in_shape)
{
	enum { N = 4 };
	const uint64_t plain[N * N] = { 320, 320, 320, 320, 0, 320, 320, 320, 0, 0, 320, 320 };
	uint64_t more[N * N];
	struct pv_ladder_verdict one, other;
	for (size_t i = 0; i < N * N; i++)
		more[i] = plain[i];
	more[N * N - 1] = 20;
	pv_ladder_judge(&(struct pv_ladder){ N, plain, plain, NULL }, &one);
	pv_ladder_judge(&(struct pv_ladder){ N, more, more, NULL }, &other);
	ck_assert_str_eq(one.shape, other.shape);
	ck_assert_str_eq(one.shape, "stairs");
	ck_assert_double_eq_tol(one.score, other.score, 0.01);
}
END_TEST

/* --- one program, shots at different times --- */

enum { TICKS = 960, START_ENDS = 300, MOST_SHOTS = 61 };

/* Objects of a class: when the i-th is allocated and dies; false: there are no more. */
typedef bool life_fn(int i, int *allocated, int *dies);

enum { FOR_EVER = TICKS + 1 };

static bool leak(int i, int *allocated, int *dies)
{
	*allocated = 3 * i + 1;
	*dies = FOR_EVER;
	return *allocated <= TICKS;
}

/* Five of six pass by; what is alive of them at any time is as much as 30 ticks leak. */
static bool leak_in_churn(int i, int *allocated, int *dies)
{
	*allocated = i / 2 + 1;
	*dies = i % 6 ? *allocated + 12 : FOR_EVER;
	return *allocated <= TICKS;
}

/* 40 at a time, and nothing in between. */
static bool leak_in_lumps(int i, int *allocated, int *dies)
{
	*allocated = 70 * (i / 40) + 55;
	*dies = FOR_EVER;
	return *allocated <= TICKS;
}

/* It works for a while, and sleeps; and so does the rest of the program. */
static bool leak_then_sleep(int i, int *allocated, int *dies)
{
	*allocated = i + 1;
	*dies = FOR_EVER;
	return *allocated <= TICKS / 2;
}

static bool churn(int i, int *allocated, int *dies)
{
	*allocated = i / 3 + 1;
	*dies = *allocated + 2 + i % 7;
	return *allocated <= TICKS;
}

/* The newest 50 stay. */
static bool cache(int i, int *allocated, int *dies)
{
	*allocated = i + 1;
	*dies = *allocated + 50;
	return *allocated <= TICKS;
}

static bool warm_up(int i, int *allocated, int *dies)
{
	*allocated = 450 + i / 50;
	*dies = FOR_EVER;
	return i < 500;
}

static bool constant(int i, int *allocated, int *dies)
{
	*allocated = 1;
	*dies = FOR_EVER;
	return i < 300;
}

/* The program needs a third of the time to start. */
static bool leak_after_start(int i, int *allocated, int *dies)
{
	*allocated = START_ENDS + i;
	*dies = FOR_EVER;
	return *allocated < TICKS;
}

static struct pv_ladder_verdict judge(life_fn *life, int every, bool sleeps)
{
	static uint64_t bytes[MOST_SHOTS * MOST_SHOTS];
	double place[MOST_SHOTS];
	struct pv_ladder_verdict v;
	int allocated, dies, n = (TICKS - 10) / every + 1;
	ck_assert_int_le(n, MOST_SHOTS);
	memset(bytes, 0, sizeof bytes);
	for (int i = 0; life(i, &allocated, &dies); i++) {
		int cohort = allocated <= 10 ? 0 : (allocated - 10 + every - 1) / every;
		for (int j = cohort; j < n && 10 + j * every < dies; j++)
			bytes[cohort * n + j] += 32;
	}
	for (int j = 0; j < n; j++)
		place[j] = sleeps && j * every > TICKS / 2 ? TICKS / 2.0 : j * every;
	pv_ladder_judge(&(struct pv_ladder){ (size_t)n, bytes, bytes, place }, &v);
	return v;
}

START_TEST(often_or_seldom_is_the_same)
{
	static const struct {
		const char *name;
		life_fn *life;
		const char *shape;
		bool sleeps;
	} row[] = {
		{ "leak", leak, "staircase", false },
		{ "leak in churn", leak_in_churn, "staircase", false },
		{ "leak in lumps", leak_in_lumps, "staircase", false },
		{ "leak, then sleep", leak_then_sleep, "staircase", true },
		{ "leak after start", leak_after_start, "staircase", false },
		{ "churn", churn, NULL, false },
		{ "cache", cache, NULL, false },
		{ "warm-up", warm_up, "step", false },
		{ "steady", constant, "flat", false },
	};
	static const int every[] = { 16, 17, 25, 32, 47, 64, 100, 120, 150, 190, 237 };
	for (size_t r = 0; r < sizeof row / sizeof row[0]; r++) {
		for (size_t i = 0; i < sizeof every / sizeof every[0]; i++) {
			struct pv_ladder_verdict v = judge(row[r].life, every[i], row[r].sleeps);
			if (row[r].shape)
				ck_assert_msg(strcmp(v.shape, row[r].shape) == 0,
					"%s each %d: %s, %.1f", row[r].name, every[i], v.shape,
					v.score);
			else
				ck_assert_msg(v.score < 20, "%s each %d: %s, %.1f", row[r].name,
					every[i], v.shape, v.score);
		}
	}
}
END_TEST

START_TEST(idle_time_is_short)
{
	enum { N = 6 };
	static const int64_t seconds[N] = { 0, 1, 2, 12, 13, 30 };
	static const uint64_t allocations[N] = { 10, 1010, 2010, 2011, 3011, 3020 };
	struct pv_identity_shot step[N] = { { 0 } };
	struct pv_identity l = { .allocations = 3020, .step = { .v = step, .n = N } };
	double place[PV_IDENTITY_STEPS + 2];
	for (int i = 0; i < N; i++) {
		step[i].time_ns = seconds[i] * 1000000000;
		step[i].allocations = allocations[i];
	}
	pv_ladder_places(&l, place);
	ck_assert_double_eq_tol(place[1] - place[0], 1e9, 1);
	ck_assert_double_eq_tol(place[4] - place[3], 1e9, 1);
	ck_assert_double_lt(place[3] - place[2], 0.2e9); /* it slept */
	ck_assert_double_gt(place[3], place[2]);
	ck_assert_double_lt(place[5] - place[4], 1e9); /* the end */
}
END_TEST

START_TEST(two_shots_show_no_staircase)
{
	const uint64_t bytes[] = { 320, 320, 0, 640 };
	struct pv_ladder_verdict v;
	pv_ladder_judge(&(struct pv_ladder){ 2, bytes, bytes, NULL }, &v);
	ck_assert_str_eq(v.shape, "grown");
	ck_assert_double_le(v.score, 50);
}
END_TEST

START_TEST(sampled_allocations_are_said)
{
	struct world *w = play(0);
	w->l.options.allocs = false;
	w->l.options.sampled = true;
	struct pv_table *t = ask(w, PV_VIEW_HEAP_LADDER, (struct pv_query){ 0 });
	ck_assert_ptr_nonnull(strstr(t->coverage, "by moves, allocations only sampled"));
	pv_table_destroy(t);
	finish(w);
}
END_TEST

START_TEST(cohorts_and_their_allocations)
{
	struct world *w = play(0);
	struct pv_table *t = ask(w, PV_VIEW_HEAP_LADDER, (struct pv_query){ 0 });
	uint64_t cache = row(t, "name", "My.Cache")->id;
	pv_table_destroy(t);
	t = ask(w, PV_VIEW_HEAP_COHORTS, (struct pv_query){ .select = cache });
	ck_assert_uint_eq(t->rows, SHOTS);
	int survivors = pv_table_column(t, "survivors");
	ck_assert_str_eq(t->row[1].cell[survivors].s, "20\n20\n0\n0\n0\n0");
	ck_assert_str_eq(t->row[5].cell[survivors].s, "20\n20");
	ck_assert_uint_eq(figure(t, &t->row[5], "born_after"), 4);
	uint64_t cohort = t->row[5].id;
	pv_table_destroy(t);
	t = ask(w, PV_VIEW_HEAP_COHORT_SITES, (struct pv_query){ .select = cache, .base = cohort });
	ck_assert_uint_eq(t->rows, 1);
	ck_assert_uint_eq(figure(t, row(t, "stack", "My.Maker:Make1"), "objects"), BATCH);
	pv_table_destroy(t);
	finish(w);
}
END_TEST

START_TEST(nothing_without_lives)
{
	struct world *w = play(0);
	for (int view = 0; view < PV_VIEW_COUNT; view++) {
		if (!pv_view_is((enum pv_view)view, PV_SECTION_IDENTITY) ||
			pv_view_is((enum pv_view)view, PV_SECTION_SINGLE))
			continue;
		struct pv_table *t =
			pv_view_table(w->m, (enum pv_view)view, &(struct pv_query){ 0 });
		ck_assert_ptr_nonnull(t);
		ck_assert_uint_eq(t->rows, 0);
		ck_assert_str_eq(t->coverage, "objects were not followed");
		pv_table_destroy(t);
	}
	finish(w);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("query lives");
	TCase *t = tcase_create("lives");
	tcase_add_test(t, new_died_survived);
	tcase_add_test(t, by_class_as_many_are_the_same);
	tcase_add_test(t, by_namespace_stack_and_thread);
	tcase_add_test(t, the_leak_is_first);
	tcase_add_test(t, alike_in_growth_alike_in_shape);
	tcase_add_test(t, often_or_seldom_is_the_same);
	tcase_add_test(t, idle_time_is_short);
	tcase_add_test(t, two_shots_show_no_staircase);
	tcase_add_test(t, sampled_allocations_are_said);
	tcase_add_test(t, cohorts_and_their_allocations);
	tcase_add_test(t, nothing_without_lives);
	tcase_add_loop_test(t, live_bytes_are_of_the_stacks_that_allocated, 0, SHOTS - 1);
	tcase_add_test(t, what_was_not_allocated_before_our_eyes_is_apart);
	tcase_add_test(t, without_identities_the_flame_is_empty_and_says_so);
	suite_add_tcase(s, t);
	return run_suite(s);
}
