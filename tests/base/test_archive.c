/* SPDX-License-Identifier: MIT */
/* Every kind of field reads back by its description as it was written, or is refused. */
#include <stdlib.h>
#include <string.h>

#include "common/base/archive/archive.h"
#include "tests/kit/bytes_kit.h"
#include "tests/kit/suite.h"

enum store { NONE, THINGS, OTHERS };
enum { MANY = 2 * PV_ARCHIVE_BLOCK + 7, CAP = 2000 };

struct inner {
	uint16_t small;
	double share;
};
#define INNER(F, T)                                                                                \
	F(T, small, BELOW, 300)                                                                    \
	F(T, share, FRACTION)
PV_SHAPE(inner, struct inner, INNER)

struct thing {
	int64_t time, width;
	uint32_t other, other_1, older, older_1, next;
	bool flag;
	uint8_t most;
	char text[6];
	struct inner in[2];
	uint32_t cache;
	char *made; /* owned */
};
#define THING(F, T)                                                                                \
	F(T, time, RISING)                                                                         \
	F(T, width, WIDTH)                                                                         \
	F(T, other, ID, OTHERS)                                                                    \
	F(T, other_1, ID_1, OTHERS)                                                                \
	F(T, older, OLDER)                                                                         \
	F(T, older_1, OLDER_1)                                                                     \
	F(T, next, CHAIN)                                                                          \
	F(T, flag, BOOL)                                                                           \
	F(T, most, AT_MOST, 9)                                                                     \
	F(T, text, CHARS)                                                                          \
	F(T, in, PART, inner)                                                                      \
	F(T, cache, LEFT_OUT)                                                                      \
	F(T, made, LEFT_OUT)
PV_SHAPE(thing, struct thing, THING)

PV_NUMBERS(other, uint32_t, PV_FIGURE, 0)

struct deep {
	uint64_t number;
	PV_ARRAY(uint32_t) list;
};
#define DEEP(F, T)                                                                                 \
	F(T, number, FIGURE)                                                                       \
	F(T, list, LIST, other, NONE, 0)
PV_SHAPE(deep, struct deep, DEEP)

struct whole {
	PV_ARRAY(struct thing) thing;
	PV_ARRAY(uint32_t) other;
	PV_ARRAY(struct deep) deep;
	struct pv_map of, some;
	double real;
	uint32_t kept;
};
#define WHOLE(F, T)                                                                                \
	F(T, thing, LIST, thing, THINGS, CAP)                                                      \
	F(T, other, TABLE, other, OTHERS, 0)                                                       \
	F(T, deep, LIST, deep, NONE, 0)                                                            \
	F(T, of, MAP, ID, THINGS)                                                                  \
	F(T, some, MAP, SOME, THINGS)                                                              \
	F(T, real, REAL)                                                                           \
	F(T, kept, LEFT_OUT)
PV_SHAPE(whole, struct whole, WHOLE)

static struct whole *make(void)
{
	struct whole *w = calloc(1, sizeof *w);
	ck_assert(w && pv_reserve(&w->thing, MANY) && pv_table_reserve(&w->other, 5) &&
		  pv_reserve(&w->deep, 3));
	for (uint32_t i = 0; i < MANY; i++) {
		w->thing.v[w->thing.n++] = (struct thing){ .time = (int64_t)i * 10 - 500,
			.width = 1,
			.other = i % 5,
			.other_1 = i % 6,
			.older = i / 2,
			.older_1 = (i + 1) / 2,
			.next = i ? (i * 7 + 1) % MANY : 0,
			.flag = i % 2,
			.most = 9,
			.text = "text",
			.cache = 77,
			.made = strdup("made"),
			.in = { { (uint16_t)(i % 300), 1 }, { 5, 0.5 } } };
		w->thing.v[i].next = i + 1 < MANY ? i + 1 : 0; /* on and on, to the end */
		ck_assert(pv_map_set(&w->of, i * UINT64_C(1000003), i));
	}
	ck_assert(pv_map_set(&w->some, 5, 1));
	for (uint32_t i = 0; i < 5; i++)
		w->other.v[w->other.n++] = i * 3;
	for (uint32_t i = 0; i < 3; i++) {
		struct deep *d = &w->deep.v[w->deep.n++];
		*d = (struct deep){ .number = i };
		ck_assert(pv_reserve(&d->list, i + 1));
		for (; d->list.n < i; d->list.n++)
			d->list.v[d->list.n] = 40 + i;
	}
	w->real = 2.5;
	w->kept = 9;
	return w;
}

/* After a refused one, too: what it owns is whole, or not there. */
static void drop(struct whole *w)
{
	for (size_t i = 0; i < w->thing.n; i++)
		free(w->thing.v[i].made);
	pv_array_finish(&w->thing);
	pv_table_finish(&w->other);
	for (size_t i = 0; i < w->deep.n; i++)
		pv_array_finish(&w->deep.v[i].list);
	pv_array_finish(&w->deep);
	pv_map_finish(&w->of);
	pv_map_finish(&w->some);
	free(w);
}

static bytes save(struct whole *w)
{
	bytes b = { 0 };
	struct pv_archive a = { .mode = PV_ARCHIVE_COUNT };
	pv_archive_shape(&a, &whole_shape, w);
	a.mode = PV_ARCHIVE_SAVE;
	a.write = bytes_keep;
	a.ctx = &b;
	pv_archive_stores(&a);
	pv_archive_shape(&a, &whole_shape, w);
	ck_assert(!a.failed);
	return b;
}

static bool take(void *ctx, void *to, size_t n)
{
	const uint8_t **from = ctx;
	memcpy(to, *from, n);
	*from += n;
	return true;
}

/* NULL: refused. */
static struct whole *load(const bytes *b, size_t n)
{
	const uint8_t *at = b->v;
	struct whole *w = calloc(1, sizeof *w);
	struct pv_archive a = { .mode = PV_ARCHIVE_LOAD, .read = take, .ctx = &at, .left = n };
	ck_assert_ptr_nonnull(w);
	pv_archive_stores(&a);
	pv_archive_shape(&a, &whole_shape, w);
	if (!a.failed && a.left == 0)
		return w;
	drop(w);
	return NULL;
}

START_TEST(all_comes_back_but_what_is_left_out)
{
	struct whole *w = make();
	bytes b = save(w);
	struct whole *r = load(&b, b.n);
	ck_assert_ptr_nonnull(r);
	ck_assert_uint_eq(r->thing.n, MANY);
	for (uint32_t i = 0; i < MANY; i++) {
		const struct thing *x = &w->thing.v[i], *y = &r->thing.v[i];
		ck_assert(x->time == y->time && x->width == y->width && x->other == y->other &&
			  x->other_1 == y->other_1 && x->older == y->older &&
			  x->older_1 == y->older_1 && x->next == y->next && x->flag == y->flag &&
			  x->most == y->most && strcmp(x->text, y->text) == 0);
		ck_assert(x->in[0].small == y->in[0].small && y->in[1].share == 0.5);
		ck_assert_uint_eq(y->cache, 0);
		ck_assert_uint_eq(pv_map_get(&r->of, i * UINT64_C(1000003)), i);
	}
	ck_assert_uint_eq(r->of.n, MANY);
	ck_assert_uint_eq(pv_map_get(&r->of, 5), PV_MAP_NONE);
	ck_assert(r->other.n == 5 && r->other.v[4] == 12);
	ck_assert(r->deep.n == 3 && r->deep.v[2].list.n == 2 && r->deep.v[2].list.v[1] == 42);
	ck_assert(r->real == 2.5 && r->kept == 0);
	drop(w);
	drop(r);
	pv_array_finish(&b);
}
END_TEST

/* One field of one element says what it must not. */
static void wrong(struct whole *w, size_t i, unsigned what)
{
	struct thing *x = &w->thing.v[i];
	switch (what) {
	case 0:
		x->time = w->thing.v[i - 1].time - 1;
		break;
	case 1:
		x->width = 0;
		break;
	case 2:
		x->other = 5;
		break;
	case 3:
		x->other_1 = 6;
		break;
	case 4:
		x->older = (uint32_t)i;
		break;
	case 5:
		x->older_1 = (uint32_t)i + 1;
		break;
	case 6:
		x->next = MANY;
		break;
	case 7:
		x->next = (uint32_t)i;
		break;
	case 8:
		w->thing.v[MANY - 1].next = (uint32_t)i;
		break; /* a circle */
	case 9:
		memset(&x->flag, 2, 1);
		break;
	case 10:
		x->most = 10;
		break;
	case 11:
		memcpy(x->text, "sixsix", 6);
		break;
	case 12:
		x->in[1].small = 300;
		break;
	case 13:
		x->in[0].share = -0.1;
		break;
	case 14:
		x->in[0].share = strtod("nan", NULL);
		break;
	case 15:
		w->real = strtod("inf", NULL);
		break;
	case 16:
		w->of.slots[w->of.slots[0].value == PV_MAP_NONE].value = MANY;
		break;
	case 17:
		ck_assert(pv_map_set(&w->some, 5, 0));
		break;
	default:
		ck_abort();
	}
}

enum { WRONG = 18 };

START_TEST(what_cannot_be_is_refused)
{
	const size_t at[] = { 1, PV_ARCHIVE_BLOCK - 1, PV_ARCHIVE_BLOCK, MANY - 1 };
	for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
		struct whole *w = make();
		wrong(w, at[k], (unsigned)_i);
		w->of.n = 0; /* as many as there are slots in use */
		for (size_t i = 0; i <= w->of.mask; i++)
			w->of.n += w->of.slots[i].value != PV_MAP_NONE;
		bytes b = save(w);
		ck_assert_msg(!load(&b, b.n), "%d in %zu", _i, at[k]);
		drop(w);
		pv_array_finish(&b);
	}
}
END_TEST

START_TEST(a_key_is_in_a_map_once)
{
	struct whole *w = make();
	size_t one = 0, two;
	while (w->of.slots[one].value == PV_MAP_NONE)
		one++;
	for (two = one + 1; w->of.slots[two].value == PV_MAP_NONE;)
		two++;
	w->of.slots[two].key = w->of.slots[one].key;
	bytes b = save(w);
	ck_assert_ptr_null(load(&b, b.n));
	drop(w);
	pv_array_finish(&b);
}
END_TEST

/* In every process a key is at another place in memory. */
START_TEST(a_map_is_saved_alike_whatever_the_secret)
{
	struct whole *w = make();
	bytes b = save(w);
	drop(w);
	pv_secret.low ^= 0x5555555555555555;
	pv_secret.high += 0x1234567;
	w = load(&b, b.n);
	ck_assert_ptr_nonnull(w);
	for (uint32_t i = 0; i < MANY; i++)
		ck_assert_uint_eq(pv_map_get(&w->of, i * UINT64_C(1000003)), i);
	bytes again = save(w);
	ck_assert_uint_eq(again.n, b.n);
	ck_assert_mem_eq(again.v, b.v, b.n);
	drop(w);
	pv_array_finish(&b);
	pv_array_finish(&again);
}
END_TEST

START_TEST(cut_bytes_and_too_many_are_refused)
{
	struct whole *w = make();
	bytes b = save(w);
	for (size_t n = 0; n < b.n; n += 1 + n / 50) {
		bytes cut = { malloc(n + 1), n, n };
		memcpy(cut.v, b.v, n);
		ck_assert_ptr_null(load(&cut, n));
		pv_array_finish(&cut);
	}
	uint64_t count[2]; /* of things: in front, and where they stand */
	memcpy(count, b.v + THINGS * 8, 8);
	ck_assert_uint_eq(count[0], MANY);
	for (uint64_t more = 1; more; more <<= 1) {
		count[0] = count[1] = MANY + more;
		memcpy(b.v + THINGS * 8, count, 8);
		memcpy(b.v + PV_ARCHIVE_STORES * 8 + 8, count + 1, 8);
		ck_assert_ptr_null(load(&b, b.n));
	}
	drop(w);
	pv_array_finish(&b);
}
END_TEST

START_TEST(another_field_makes_another_hash)
{
	struct pv_field_row row = thing_rows[0];
	const struct pv_shape one = { 8, 1, &thing_rows[0] }, other = { 8, 1, &row };
	ck_assert_uint_eq(pv_shape_hash(&one), pv_shape_hash(&other));
	row.name = "renamed";
	ck_assert_uint_ne(pv_shape_hash(&one), pv_shape_hash(&other));
	row = thing_rows[0];
	row.kind = PV_FIGURE;
	ck_assert_uint_ne(pv_shape_hash(&one), pv_shape_hash(&other));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("archive");
	TCase *t = tcase_create("archive");
	tcase_add_test(t, all_comes_back_but_what_is_left_out);
	tcase_add_loop_test(t, what_cannot_be_is_refused, 0, WRONG);
	tcase_add_test(t, a_key_is_in_a_map_once);
	tcase_add_test(t, a_map_is_saved_alike_whatever_the_secret);
	tcase_add_test(t, cut_bytes_and_too_many_are_refused);
	tcase_add_test(t, another_field_makes_another_hash);
	suite_add_tcase(s, t);
	return run_suite(s);
}
