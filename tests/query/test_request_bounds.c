/* SPDX-License-Identifier: MIT */
/* Requests beyond what is kept one by one: counted together, by a world that counts itself. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

static uint64_t seed = 88172645463325252u;

static uint64_t random_bits(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

/* A path of letters, which no rule for ids folds. */
static size_t random_url(char *to, size_t size)
{
	char word[13] = "";
	uint64_t bits = random_bits();
	for (size_t i = 0; i + 1 < sizeof word; i++, bits >>= 5)
		word[i] = (char)('g' + bits % 16);
	return (size_t)snprintf(to, size, "GET /%s", word);
}

struct sums {
	uint64_t count, failed;
	int64_t took_ns;
};

static void serve(struct kit *k, struct sums *s)
{
	static const char served[] = "served";
	char url[40];
	const size_t n = random_url(url, sizeof url);
	const uint64_t took_ns = random_bits() % 1000000, failed = random_bits() % 8 == 0;
	kit_at(k, s->count);
	kit_event(k, (struct pv_event){ .kind = PV_KIND_EXT_SPAN,
			     .span = { took_ns, failed, { served, sizeof served - 1 }, { url, n },
				     { 0, 0 } } });
	kit_flush(k); /* the text is this function's */
	s->count++;
	s->failed += failed;
	s->took_ns += (int64_t)took_ns;
}

static uint64_t cell(const struct pv_table *t, size_t row, const char *column)
{
	return t->row[row].cell[pv_table_column(t, column)].u;
}

START_TEST(a_million_random_urls_are_counted)
{
	enum { SPANS = 1000000 };
	struct kit k = kit_new("profview:spans");
	struct sums all = { 0 }, listed = { 0 }, seen = { 0 };
	kit_thread(&k, 1);
	while (all.count < SPANS) {
		serve(&k, &all);
		if (all.count == PV_SPANS_LIST)
			listed = all;
	}
	const struct pv_query q = { .sort = "count" };
	struct pv_table *t = kit_view(&k, PV_VIEW_ROUTES, &q);
	ck_assert_uint_le(t->rows, PV_SPANS_LIST + 1);
	for (size_t i = 0; i < t->rows; i++) {
		seen.count += cell(t, i, "count");
		seen.failed += cell(t, i, "errors");
	}
	ck_assert_uint_eq(seen.count, all.count);
	ck_assert_uint_eq(seen.failed, all.failed);
	const struct pv_row *other = kit_row(t, "name", "(other)");
	ck_assert_uint_eq(kit_cell(t, other, "count")->u, all.count - listed.count);
	ck_assert_int_eq(kit_cell(t, other, "mean_ns")->i,
		(all.took_ns - listed.took_ns) / (int64_t)(all.count - listed.count));
	ck_assert_int_eq(kit_cell(t, other, "p99_ns")->state, PV_CELL_NULL);
	ck_assert_ptr_nonnull(strstr(t->coverage, "beyond the limit"));
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* Contexts that nothing ends, on many threads: so many are followed, the others counted. */
START_TEST(open_contexts_are_bounded)
{
	enum { CONTEXTS = 200000, THREADS = 100 };
	struct kit k = kit_new("profview:spans");
	for (uint64_t th = 1; th <= THREADS; th++) {
		kit_thread(&k, th);
		for (uint64_t i = 0; i < CONTEXTS / THREADS; i++) {
			kit_at(&k, th * CONTEXTS + i);
			kit_event(&k, (struct pv_event){ .kind = PV_KIND_EXT_WORK,
					      .work = { th * CONTEXTS + i, 0, PV_WORK_BEGINS } });
		}
	}
	kit_flush(&k);
	const struct pv_works *w = &k.m->runtime.works;
	ck_assert_uint_eq(w->begun, CONTEXTS);
	ck_assert_uint_eq(w->piece.n, PV_PIECES_LIST);
	ck_assert_uint_eq(w->piece.n + w->beyond, CONTEXTS);
	/* None ended: no request has any of it. */
	struct pv_table *t = kit_view(&k, PV_VIEW_ROUTES, NULL);
	ck_assert_uint_eq(t->rows, 0);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("request bounds");
	TCase *c = tcase_create("all");
	tcase_set_timeout(c, 60);
	tcase_add_test(c, a_million_random_urls_are_counted);
	tcase_add_test(c, open_contexts_are_bounded);
	suite_add_tcase(s, c);
	return run_suite(s);
}
