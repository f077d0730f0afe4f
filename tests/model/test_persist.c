/* SPDX-License-Identifier: MIT */
/* A model that was saved and loaded again goes on as if nothing had happened. */
#include <stdio.h>
#include <string.h>

#include "common/model/persist.h"
#include "common/report/report.h"
#include "tests/kit/bytes_kit.h"
#include "tests/kit/logkit.h"
#include "tests/kit/noise.h"
#include "tests/kit/suite.h"

struct reading {
	const uint8_t *at, *end;
};

static bool get(void *ctx, void *to, size_t n)
{
	struct reading *r = ctx;
	ck_assert_uint_le(n, (size_t)(r->end - r->at));
	memcpy(to, r->at, n);
	r->at += n;
	return true;
}

static bool load(struct pv_model *m, const uint8_t *from, size_t n)
{
	struct reading r = { from, from + n };
	return pv_model_load(m, get, &r, n);
}

static char *report(struct pv_model *m)
{
	char *text;
	size_t n;
	struct pv_error e;
	const struct pv_report_source source = { .path = "log" };
	struct pv_report_options o = { .format = PV_REPORT_JSON, .sections = "all" };
	FILE *f = open_memstream(&text, &n);
	ck_assert_msg(pv_report_write(m, &source, &o, f, &e), "%s", e.what);
	fclose(f);
	return text;
}

static void apply(struct pv_model *m, const struct pv_batch *b)
{
	size_t at = 0;
	ck_assert(pv_model_apply(m, b, &at, 0));
}

static void ck_same(struct pv_model *a, struct pv_model *b)
{
	char *x = report(a), *y = report(b);
	size_t i = 0;
	while (x[i] && x[i] == y[i])
		i++;
	ck_assert_msg(x[i] == y[i], "differ at %zu: %.60s | %.60s", i, x + i, y + i);
	free(x);
	free(y);
}

/* Lists are full early. What fills them is no fact of a log, and not kept. */
static void set_caps(struct pv_model *m)
{
	m->calls.cap = 300;
	m->stacks.cap = 500;
	m->allocs.sites.cap = 60;
	m->locks.cap = 8;
}

/* A model as `k` has it, through bytes. */
static struct pv_model *copy_of(const struct pv_model *m)
{
	bytes b = { 0 };
	ck_assert(pv_model_save(m, bytes_keep, &b));
	struct pv_model *copy = pv_model_create(NULL);
	ck_assert(load(copy, b.v, b.n));
	pv_array_finish(&b);
	return copy;
}

START_TEST(goes_on_as_before)
{
	static const unsigned version[] = { 17, 14, 13, 12 };
	struct logkit *k = logkit_new(version[_i % 4]);
	struct pv_model *m = logkit_model(k), *copy = NULL;
	struct pv_batch b = { 0 };
	uint64_t time = (uint64_t)LOGKIT_ZERO;
	noise_seed((uint64_t)_i + 100);
	set_caps(m);
	for (int round = 0; round < 60; round++) {
		if (round == 10 + _i) {
			copy = copy_of(m);
			set_caps(copy);
			ck_same(m, copy);
		}
		noise_batch(&b, 300, &time, _i % 3 == 0);
		apply(m, &b);
		if (copy)
			apply(copy, &b);
	}
	ck_same(m, copy);
	pv_model_destroy(copy);
	pv_batch_finish(&b);
	logkit_free(k);
}
END_TEST

/* The allocation of what has a handle, was thrown and contended comes after the cut. */
START_TEST(what_waits_for_its_class_goes_on_waiting)
{
	const uint64_t text = 0x3000, object = 0x8000;
	struct logkit *k = logkit_new(17);
	logkit_class(k, 0, text, "Text");
	logkit_event(k, 10,
		(struct pv_event){ .kind = PV_KIND_GC_HANDLE_CREATED,
			.handle = { .type = 2, .handle = 1, .object = object } });
	logkit_object(k, 20, PV_KIND_EXCEPTION_THROW, object);
	logkit_object(k, 30, PV_KIND_MONITOR_CONTENTION, object);
	struct pv_model *before = logkit_model(k), *copy = copy_of(before);
	ck_assert_uint_eq(copy->handles.unknown_class, 1);
	ck_assert_uint_eq(copy->throws.unknown_class, 1);
	ck_assert_uint_eq(copy->locks.unknown_class, 1);
	k->model = copy;
	logkit_on(k, 2);
	logkit_alloc(k, 5, text, object, 24);
	ck_assert_uint_eq(logkit_model(k)->handles.unknown_class, 0);
	ck_assert_uint_eq(copy->throws.unknown_class, 0);
	ck_assert_uint_eq(copy->locks.unknown_class, 0);
	pv_model_destroy(before);
	logkit_free(k);
}
END_TEST

START_TEST(cut_bytes_are_refused)
{
	struct logkit *k = logkit_new(17);
	struct pv_batch b = { 0 };
	bytes all = { 0 };
	uint64_t time = (uint64_t)LOGKIT_ZERO;
	noise_seed(1);
	for (int i = 0; i < 20; i++) {
		noise_batch(&b, 300, &time, false);
		apply(logkit_model(k), &b);
	}
	ck_assert(pv_model_save(logkit_model(k), bytes_keep, &all));
	for (size_t n = 0; n < all.n; n += 1 + n / 40) {
		/* A copy of its own length, so that a read after the cut is seen. */
		uint8_t *cut = malloc(n + 1);
		memcpy(cut, all.v, n);
		struct pv_model *m = pv_model_create(NULL);
		ck_assert(!load(m, cut, n));
		pv_model_destroy(m);
		free(cut);
	}
	pv_array_finish(&all);
	pv_batch_finish(&b);
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("persist");
	TCase *t = tcase_create("persist");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, goes_on_as_before, 0, 12);
	tcase_add_test(t, what_waits_for_its_class_goes_on_waiting);
	tcase_add_test(t, cut_bytes_are_refused);
	suite_add_tcase(s, t);
	return run_suite(s);
}
