/* SPDX-License-Identifier: MIT */
/* Exceptions whose object's allocation is reported later, by another thread's buffer. */
#include <check.h>
#include <string.h>

#include "common/model/ground/model_parts.h"
#include "common/model/objects/address_log.h"
#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { OLD = 0x3000, OWN = 0x4000, OBJECT = 0x8000, OUTER = 0x100, INNER = 0x200, CAP = 64 };

/* OBJECT is one of class Old; what follows is on another thread. */
static struct logkit *new_kit(void)
{
	struct logkit *k = logkit_new(17);
	logkit_class(k, 0, OLD, "Old");
	logkit_class(k, 0, OWN, "Own");
	logkit_alloc(k, 1, OLD, OBJECT, 24);
	logkit_flush(k);
	logkit_on(k, 2);
	return k;
}

static void throw_it(struct logkit *k, int64_t t, uint64_t object)
{
	logkit_event(k, t,
		(struct pv_event){ .kind = PV_KIND_EXCEPTION_THROW,
			.thrown = { .object = object, .stack = LOGKIT_LIST(k, OUTER, INNER) } });
}

/* Reported from thread 1; then it is thread 2's turn again. */
static void tell(struct logkit *k, int64_t t, uint64_t type, uint64_t object)
{
	logkit_flush(k);
	logkit_on(k, 1);
	logkit_alloc(k, t, type, object, 24);
	logkit_flush(k);
	logkit_on(k, 2);
}

/* Throws of this class by that stack; "": of none, and by "other". */
static uint64_t thrown(struct logkit *k, const char *class)
{
	const struct pv_model *m = logkit_model(k);
	uint64_t sum = 0;
	for (size_t i = 1; i < m->throws.sites.site.n; i++) {
		const struct pv_site *s = &m->throws.sites.site.v[i];
		char buf[24];
		const char *name =
			s->class_use ? pv_names_class_text(&m->names, s->class_use, buf) : "";
		sum += strcmp(name, class) ? 0 : s->count;
	}
	return sum;
}

START_TEST(it_is_what_was_reported_last)
{
	struct logkit *k = new_kit();
	throw_it(k, 10, OBJECT);
	throw_it(k, 30, OBJECT);
	throw_it(k, 40, OBJECT + 64); /* of no class yet */
	ck_assert_uint_eq(thrown(k, "Old"), 2);
	ck_assert_uint_eq(logkit_model(k)->throws.unknown_class, 1);
	tell(k, 20, OWN, OBJECT); /* between the two */
	tell(k, 5, OWN, OBJECT + 64);
	ck_assert_uint_eq(thrown(k, "Old"), 1);
	ck_assert_uint_eq(thrown(k, "Own"), 2);
	ck_assert_uint_eq(thrown(k, ""), 0);
	const struct pv_exceptions *t = &logkit_model(k)->throws;
	ck_assert_uint_eq(t->unknown_class, 0);
	ck_assert_uint_eq(t->thrown, 3);
	tell(k, 6, OLD, OBJECT); /* it is not waited for any more */
	ck_assert_uint_eq(thrown(k, "Own"), 2);
	logkit_free(k);
}
END_TEST

START_TEST(what_comes_later_is_another_object)
{
	struct logkit *k = new_kit();
	throw_it(k, 10, OBJECT);
	throw_it(k, 10, OBJECT + 64);
	tell(k, 11, OWN, OBJECT);
	tell(k, 11, OWN, OBJECT + 64);
	ck_assert_uint_eq(thrown(k, "Old"), 1);
	ck_assert_uint_eq(thrown(k, "Own"), 0);
	ck_assert_uint_eq(logkit_model(k)->throws.unknown_class, 1);
	throw_it(k, 20, OBJECT);
	ck_assert_uint_eq(thrown(k, "Own"), 1);
	logkit_free(k);
}
END_TEST

/* A second reading hears of delayed ones, and what is not counted asks for its object, too. */
START_TEST(it_is_recalled)
{
	struct pv_address_log address_log = { 0 };
	struct logkit *k = new_kit();
	k->model->address_log = &address_log;
	throw_it(k, 10, OBJECT);
	tell(k, 5, OWN, OBJECT);
	logkit_model(k);
	ck_assert_uint_eq(address_log.classes.n, 1);
	char buf[24];
	ck_assert_str_eq(pv_names_class_text(&k->model->names,
				 (uint32_t)address_log.classes.v[0].class_use, buf),
		"Own");
	pv_address_log_finish(&address_log);
	logkit_free(k);
	const struct pv_restrict only = { .ranged = true, .from_ns = 50, .to_ns = 60 };
	k = logkit_new_only(17, &only);
	throw_it(k, 10, OBJECT);
	const struct pv_model *m = logkit_model(k);
	ck_assert_uint_eq(m->throws.thrown, 0);
	ck_assert_uint_eq(m->throws.waiting.one.n, 0);
	const struct pv_addresses *all = &m->private->addresses;
	const struct pv_address *a = pv_addresses_find(all, OBJECT);
	ck_assert(a && a->asked);
	logkit_event(k, 10,
		(struct pv_event){ .kind = PV_KIND_GC_HANDLE_CREATED,
			.handle = { .type = 2, .handle = 1, .object = OBJECT + 64 } });
	ck_assert_uint_eq(logkit_model(k)->handles.waiting.one.n, 0);
	a = pv_addresses_find(all, OBJECT + 64);
	ck_assert(a && a->asked);
	logkit_free(k);
}
END_TEST

/* Stacks and sites were folded in the meantime. */
START_TEST(stacks_may_have_folded)
{
	struct logkit *k = new_kit();
	k->model->stacks.cap = CAP;
	for (uint64_t i = 0; i < 5000; i++) {
		if (i >= 30 && i < 40) /* after those that fold: its stack gets another number */
			throw_it(k, 10, OBJECT);
		logkit_event(k, 20,
			(struct pv_event){ .kind = PV_KIND_ALLOC,
				.alloc = { OLD + 1, 0x100000 + i * 16, i < 30 ? 8 : 64,
					LOGKIT_LIST(k, OUTER, 0x1000 + i * 8) } });
	}
	tell(k, 5, OWN, OBJECT);
	ck_assert_uint_le(logkit_model(k)->stacks.node.n, CAP);
	ck_assert_uint_eq(thrown(k, "Own"), 10);
	ck_assert_uint_eq(thrown(k, "Old"), 0);
	logkit_free(k);
}
END_TEST

/* With hardly any room, and with some: then the folded one's site is made again. */
START_TEST(sites_may_have_folded)
{
	struct logkit *k = new_kit();
	k->model->throws.sites.cap = _i ? 24 : 4;
	throw_it(k, 10, OBJECT);
	for (uint64_t i = 0; i < 40; i++)
		for (int twice = 0; twice < 2; twice++)
			logkit_event(k, 20,
				(struct pv_event){ .kind = PV_KIND_EXCEPTION_THROW,
					.thrown = { .object = OBJECT + 64,
						.stack = LOGKIT_LIST(k, OUTER, 0x1000 + i * 8) } });
	ck_assert_uint_gt(logkit_model(k)->throws.sites.folded, 0);
	tell(k, 5, OWN, OBJECT);
	ck_assert_uint_eq(thrown(k, "Own"), _i ? 0 : 1);
	ck_assert_uint_eq(thrown(k, "Old"), _i ? 1 : 0);
	const struct pv_model *m = logkit_model(k);
	uint64_t sum = 0;
	for (size_t i = 1; i < m->throws.sites.site.n; i++) {
		ck_assert_uint_le(m->throws.sites.site.v[i].count, 81);
		sum += m->throws.sites.site.v[i].count;
	}
	ck_assert_uint_eq(sum, 81);
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("model late");
	TCase *t = tcase_create("throws");
	tcase_add_test(t, it_is_what_was_reported_last);
	tcase_add_test(t, what_comes_later_is_another_object);
	tcase_add_test(t, it_is_recalled);
	tcase_add_test(t, stacks_may_have_folded);
	tcase_add_loop_test(t, sites_may_have_folded, 0, 2);
	suite_add_tcase(s, t);
	return run_suite(s);
}
