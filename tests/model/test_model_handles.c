/* SPDX-License-Identifier: MIT */
/* GC handles and finalizers: what is alive, who made it, whatever order the buffers came in. */
#include <check.h>

#include "common/model/objects/address_log.h"
#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { MAIN = 0xa0, MAKE = 0xa8, TEXT = 0x3000, WORD = 0x4000, OBJECT = 0x8000 };

static void create(struct logkit *k, int64_t t, uint64_t type, uint64_t handle)
{
	struct pv_span stack = LOGKIT_LIST(k, MAIN, MAKE);
	logkit_event(k, t,
		(struct pv_event){ .kind = PV_KIND_GC_HANDLE_CREATED,
			.handle = { type, handle, OBJECT, stack } });
}

static void destroy(struct logkit *k, int64_t t, uint64_t type, uint64_t handle)
{
	logkit_event(k, t,
		(struct pv_event){ .kind = PV_KIND_GC_HANDLE_DESTROYED,
			.handle = { .type = type, .handle = handle } });
}

static const struct pv_handle_site *only_site(struct logkit *k)
{
	const struct pv_handles *h = &logkit_model(k)->handles;
	ck_assert_uint_eq(h->site.n, 1);
	return &h->site.v[0];
}

START_TEST(alive_is_what_was_made_and_not_freed)
{
	struct logkit *k = logkit_new(17);
	logkit_class(k, 0, TEXT, "Text");
	logkit_alloc(k, 1, TEXT, OBJECT, 24);
	for (uint64_t i = 0; i < 10; i++)
		create(k, 10, PV_HANDLE_PINNED, 100 + i);
	for (uint64_t i = 0; i < 7; i++)
		destroy(k, 20, PV_HANDLE_PINNED, 100 + i);
	create(k, 30, PV_HANDLE_PINNED, 100); /* the number is used again */
	const struct pv_handles *h = &logkit_model(k)->handles;
	const struct pv_handle_sum *pinned = &h->type[PV_HANDLE_PINNED];
	ck_assert_uint_eq(pinned->created, 11);
	ck_assert_uint_eq(pinned->destroyed, 7);
	ck_assert_uint_eq(pinned->live, 4);
	ck_assert_uint_eq(pinned->most, 10);
	ck_assert_uint_eq(h->type[PV_HANDLE_NORMAL].created, 0);
	const struct pv_handle_site *s = only_site(k);
	ck_assert_uint_eq(s->created, 11);
	ck_assert_uint_eq(s->live, 4);
	ck_assert_uint_ne(s->class_use, 0);
	ck_assert_uint_ne(s->stack, 0);
	ck_assert_uint_eq(h->unknown_class, 0);
	ck_assert_uint_eq(h->owed, 0);
	logkit_free(k);
}
END_TEST

/* A freed handle's end stands in a buffer before that of its beginning. */
START_TEST(an_end_may_come_first_in_the_file)
{
	struct logkit *k = logkit_new(17);
	logkit_on(k, 2);
	destroy(k, 20, PV_HANDLE_WEAK, 7);
	destroy(k, 40, PV_HANDLE_WEAK, 7);
	logkit_flush(k);
	logkit_on(k, 1);
	create(k, 10, PV_HANDLE_WEAK, 7);
	create(k, 30, PV_HANDLE_WEAK, 7);
	create(k, 50, PV_HANDLE_WEAK, 7);
	const struct pv_handle_sum *s = &logkit_model(k)->handles.type[PV_HANDLE_WEAK];
	ck_assert_uint_eq(s->created, 3);
	ck_assert_uint_eq(s->destroyed, 2);
	ck_assert_uint_eq(s->live, 1);
	ck_assert_uint_eq(only_site(k)->live, 1);
	logkit_free(k);
}
END_TEST

/* The next beginning comes before the end of the one before. */
START_TEST(a_beginning_may_overtake_an_end)
{
	struct logkit *k = logkit_new(17);
	create(k, 10, PV_HANDLE_NORMAL, 7);
	create(k, 30, PV_HANDLE_NORMAL, 7);
	logkit_flush(k);
	ck_assert_uint_eq(k->model->handles.owed, 1);
	ck_assert_uint_eq(k->model->handles.type[PV_HANDLE_NORMAL].live, 1);
	logkit_on(k, 2);
	destroy(k, 20, PV_HANDLE_NORMAL, 7);
	const struct pv_handles *h = &logkit_model(k)->handles;
	ck_assert_uint_eq(h->owed, 0);
	ck_assert_uint_eq(h->type[PV_HANDLE_NORMAL].live, 1);
	logkit_free(k);
}
END_TEST

/* Thread 2 tells of handles first; the class is known, its objects are allocated by another. */
static struct logkit *reported_with_delay(void)
{
	struct logkit *k = logkit_new(17);
	logkit_class(k, 0, TEXT, "Text");
	logkit_flush(k);
	logkit_on(k, 2);
	return k;
}

/* The thread that made the object tells of it in a buffer of its own, after the handle's. */
START_TEST(an_allocation_may_be_reported_with_delay)
{
	struct logkit *k = reported_with_delay();
	struct pv_address_log address_log = { 0 };
	k->model->address_log = &address_log;
	logkit_alloc(k, 5, TEXT, OBJECT + 64, 24);
	create(k, 10, PV_HANDLE_NORMAL, 1);
	create(k, 20, PV_HANDLE_NORMAL, 2);
	destroy(k, 30, PV_HANDLE_NORMAL, 1);
	logkit_object(k, 35, PV_KIND_EXCEPTION_THROW, OBJECT + 64);
	logkit_flush(k);
	const struct pv_handles *h = &logkit_model(k)->handles;
	ck_assert_uint_eq(h->unknown_class, 2);
	logkit_on(k, 1);
	logkit_alloc(k, 15, TEXT, OBJECT, 24);
	logkit_alloc(k, 40, TEXT, OBJECT, 24);
	logkit_model(k);
	/* The first one was made before the object, so it was of another one at that address. */
	ck_assert_uint_eq(h->unknown_class, 1);
	ck_assert_uint_eq(h->site.n, 2);
	const struct pv_handle_site *none = &h->site.v[0], *text = &h->site.v[1];
	ck_assert(none->class_use == 0 && none->created == 1 && none->live == 0);
	ck_assert(text->class_use != 0 && text->created == 1 && text->live == 1);
	/* A second reading that leaves the allocation out knows the class, too. */
	ck_assert_uint_eq(address_log.classes.n, 2);
	ck_assert_uint_eq(address_log.classes.v[0].class_use, text->class_use);
	ck_assert_uint_lt(address_log.classes.v[0].place, address_log.classes.v[1].place);
	pv_address_log_finish(&address_log);
	logkit_free(k);
}
END_TEST

/* Before a collection, another object had the address: its class is known, but not this one's. */
START_TEST(a_class_known_before_may_be_of_another_object)
{
	struct logkit *k = logkit_new(17);
	struct pv_address_log address_log = { 0 };
	k->model->address_log = &address_log;
	logkit_class(k, 0, TEXT, "Text");
	logkit_class(k, 0, WORD, "Word");
	logkit_alloc(k, 1, WORD, OBJECT, 24);
	logkit_alloc(k, 1, WORD, OBJECT + 64, 24);
	logkit_flush(k);
	logkit_on(k, 2);
	create(k, 10, PV_HANDLE_NORMAL, 1);
	create(k, 20, PV_HANDLE_NORMAL, 2);
	create(k, 30, PV_HANDLE_NORMAL, 3);
	logkit_object(k, 40, PV_KIND_EXCEPTION_THROW, OBJECT + 64);
	logkit_flush(k);
	const struct pv_handles *h = &logkit_model(k)->handles;
	ck_assert_uint_eq(h->site.n, 1);
	ck_assert_uint_eq(h->site.v[0].live, 3);
	ck_assert_uint_eq(address_log.classes.n, 4);
	logkit_on(k, 1);
	logkit_alloc(k, 15, TEXT, OBJECT, 24);
	logkit_flush(k);
	logkit_on(k, 3);
	logkit_alloc(k, 18, WORD, OBJECT, 24); /* it is not waited for any more, nor ... */
	logkit_flush(k);
	logkit_on(k, 2);
	create(k, 60, PV_HANDLE_WEAK, 1);
	logkit_flush(k);
	logkit_on(k, 3);
	logkit_alloc(k, 19, WORD, OBJECT, 24); /* ... when somebody else does */
	logkit_model(k);
	ck_assert_uint_eq(h->unknown_class, 0);
	ck_assert_uint_eq(h->site.v[0].live, 1);
	ck_assert_uint_eq(h->site.v[1].live, 2);
	ck_assert_uint_eq(address_log.classes.n, 5);
	ck_assert_uint_eq(address_log.classes.v[0].class_use, h->site.v[0].class_use);
	ck_assert_uint_eq(address_log.classes.v[1].class_use, h->site.v[1].class_use);
	ck_assert_uint_eq(address_log.classes.v[2].class_use, h->site.v[1].class_use);
	ck_assert_uint_eq(address_log.classes.v[3].class_use, h->site.v[0].class_use);
	ck_assert_uint_eq(address_log.moves.n, 0);
	pv_address_log_finish(&address_log);
	logkit_free(k);
}
END_TEST

/* After its time for what was asked since to make room; a second reading does without, then. */
START_TEST(what_is_reported_very_delayed_is_not_recalled)
{
	struct logkit *k = reported_with_delay();
	struct pv_address_log address_log = { 0 };
	k->model->address_log = &address_log;
	logkit_alloc(k, 5, TEXT, OBJECT + 64, 24);
	create(k, 10, PV_HANDLE_NORMAL, 1);
	for (int i = 0; i < 70000; i++)
		logkit_object(k, 20, PV_KIND_EXCEPTION_THROW, OBJECT + 64);
	logkit_flush(k);
	logkit_on(k, 1);
	logkit_alloc(k, 8, TEXT, OBJECT, 24);
	ck_assert_uint_eq(logkit_model(k)->handles.unknown_class, 0);
	ck_assert_uint_eq(address_log.classes.n, 70000);
	ck_assert(address_log.full);
	pv_address_log_finish(&address_log);
	logkit_free(k);
}
END_TEST

/* The class comes after its use, and the handle is gone or there are too many of them. */
START_TEST(what_is_reported_with_delay_counts_as_ever)
{
	struct logkit *k = reported_with_delay();
	k->model->handles.cap = 1;
	create(k, 10, PV_HANDLE_NORMAL, 1);
	create(k, 11, PV_HANDLE_NORMAL, 2); /* counted by type only */
	destroy(k, 12, PV_HANDLE_NORMAL, 1);
	create(k, 13, PV_HANDLE_NORMAL, 1);
	destroy(k, 14, PV_HANDLE_NORMAL, 1);
	logkit_flush(k);
	logkit_on(k, 1);
	logkit_alloc(k, 5, TEXT, OBJECT, 24);
	const struct pv_handles *h = &logkit_model(k)->handles;
	ck_assert_uint_eq(h->unknown_class, 0);
	ck_assert_uint_eq(h->site.v[0].created, 0);
	ck_assert_uint_eq(h->site.v[0].live, 0);
	ck_assert_uint_eq(h->site.v[1].created, 3);
	ck_assert_uint_eq(h->site.v[1].live, 0);
	logkit_free(k);
}
END_TEST

/* The one before it, with the same number, was of an object that is reported with delay. */
START_TEST(a_number_used_again_keeps_its_own_class)
{
	struct logkit *k = reported_with_delay();
	create(k, 10, PV_HANDLE_NORMAL, 1);
	destroy(k, 11, PV_HANDLE_NORMAL, 1);
	struct pv_span stack = LOGKIT_LIST(k, MAIN, MAKE);
	logkit_event(k, 12,
		(struct pv_event){ .kind = PV_KIND_GC_HANDLE_CREATED,
			.handle = { PV_HANDLE_NORMAL, 1, OBJECT + 64, stack } });
	logkit_flush(k);
	logkit_on(k, 1);
	logkit_alloc(k, 5, TEXT, OBJECT, 24);
	const struct pv_handles *h = &logkit_model(k)->handles;
	ck_assert_uint_eq(h->unknown_class, 1);
	ck_assert_uint_eq(h->site.v[0].live, 1);
	ck_assert_uint_eq(h->site.v[1].live, 0);
	logkit_free(k);
}
END_TEST

START_TEST(no_more_wait_than_are_kept)
{
	struct logkit *k = reported_with_delay();
	for (uint64_t i = 0; i < 3 * PV_UNRESOLVED_MOST; i++)
		create(k, 10, PV_HANDLE_NORMAL, i);
	logkit_flush(k);
	const struct pv_handles *h = &logkit_model(k)->handles;
	size_t n = h->waiting.one.n;
	ck_assert_uint_le(n, PV_UNRESOLVED_MOST);
	ck_assert_uint_ge(n, PV_UNRESOLVED_MOST / 2);
	logkit_on(k, 1);
	logkit_alloc(k, 5, TEXT, OBJECT, 24);
	logkit_model(k);
	ck_assert_uint_eq(h->unknown_class, 3 * PV_UNRESOLVED_MOST - n);
	ck_assert_uint_eq(h->site.v[1].live, n);
	logkit_free(k);
}
END_TEST

/* Nor do those that have their class come back when the oldest are dropped. */
START_TEST(who_has_its_class_waits_no_more)
{
	struct logkit *k = reported_with_delay();
	logkit_class(k, 0, WORD, "Word");
	for (uint64_t i = 0; i < PV_UNRESOLVED_MOST / 2; i++)
		create(k, 10, PV_HANDLE_WEAK, i);
	logkit_flush(k);
	logkit_on(k, 1);
	logkit_alloc(k, 5, TEXT, OBJECT, 24);
	logkit_flush(k);
	logkit_on(k, 2);
	for (uint64_t i = 0; i < PV_UNRESOLVED_MOST / 2 + 10; i++) /* dropped once */
		create(k, 20, PV_HANDLE_PINNED, i);
	logkit_flush(k);
	logkit_on(k, 1);
	logkit_alloc(k, 7, WORD, OBJECT, 24);
	const struct pv_handles *h = &logkit_model(k)->handles;
	/* All of the pinned ones, and none of the weak ones. */
	ck_assert_uint_eq(h->site.n, 4);
	ck_assert_uint_eq(h->site.v[0].created, 0);
	ck_assert_uint_eq(h->site.v[1].created, PV_UNRESOLVED_MOST / 2);
	ck_assert_uint_eq(h->site.v[3].created, PV_UNRESOLVED_MOST / 2 + 10);
	logkit_free(k);
}
END_TEST

START_TEST(a_range_counts_its_own)
{
	struct pv_restrict only = { .ranged = true, .from_ns = 15, .to_ns = 35 };
	struct logkit *k = logkit_new_only(17, &only);
	create(k, 10, PV_HANDLE_WEAK, 1); /* before it */
	create(k, 20, PV_HANDLE_WEAK, 2);
	destroy(k, 25, PV_HANDLE_WEAK, 1);
	create(k, 30, PV_HANDLE_WEAK, 3);
	destroy(k, 34, PV_HANDLE_WEAK, 3);
	destroy(k, 40, PV_HANDLE_WEAK, 2); /* after it */
	const struct pv_handle_sum *s = &logkit_model(k)->handles.type[PV_HANDLE_WEAK];
	ck_assert_uint_eq(s->created, 2);
	ck_assert_uint_eq(s->destroyed, 2);
	ck_assert_uint_eq(s->live, 1);
	logkit_free(k);
}
END_TEST

START_TEST(beyond_the_limits_types_still_count)
{
	struct logkit *k = logkit_new(17);
	k->model->handles.cap = 2;
	k->model->handles.site_cap = 1;
	for (uint64_t i = 0; i < 5; i++)
		create(k, 10, i % 2, i);
	const struct pv_handles *h = &logkit_model(k)->handles;
	ck_assert_uint_eq(h->type[0].created + h->type[1].created, 5);
	ck_assert_uint_eq(h->folded, 3);
	ck_assert_uint_eq(h->site.n, 2);
	ck_assert(h->site.v[1].other);
	logkit_free(k);
}
END_TEST

static void finalize(struct logkit *k, int64_t t, bool end, uint64_t object)
{
	unsigned kind = end ? PV_KIND_GC_FINALIZE_OBJECT_END : PV_KIND_GC_FINALIZE_OBJECT_START;
	logkit_event(k, t, (struct pv_event){ .kind = (uint8_t)kind, .finalize = { object } });
}

START_TEST(finalized_objects_have_class_and_duration)
{
	struct logkit *k = logkit_new(17);
	logkit_class(k, 0, TEXT, "Text");
	for (uint64_t i = 0; i < 3; i++)
		logkit_alloc(k, 1, TEXT, OBJECT + 32 * i, 24);
	struct pv_span pairs = LOGKIT_LIST(k, OBJECT, OBJECT + 0x1000);
	logkit_event(k, 5, (struct pv_event){ .kind = PV_KIND_GC_MOVE, .moves = { pairs } });
	logkit_plain(k, 10, PV_KIND_GC_FINALIZE_START);
	finalize(k, 11, false, OBJECT + 0x1000);
	finalize(k, 14, true, OBJECT + 0x1000);
	finalize(k, 15, false, OBJECT + 32);
	finalize(k, 25, true, OBJECT + 32);
	finalize(k, 26, false, 0x777770);   /* it is unknown, nor does it end */
	finalize(k, 28, true, OBJECT + 64); /* its beginning was missed */
	logkit_plain(k, 30, PV_KIND_GC_FINALIZE_END);
	const struct pv_finalizers *f = &logkit_model(k)->finalizers;
	ck_assert_uint_eq(f->started, 3);
	ck_assert_uint_eq(f->ended, 3);
	ck_assert_uint_eq(f->runs.objects, 1);
	ck_assert_int_eq(f->runs.total_ns, 20);
	ck_assert_uint_eq(f->unknown_class, 0);
	ck_assert_uint_eq(f->of_class.n, 2);
	const struct pv_finalized *text = &f->of_class.v[1];
	ck_assert_uint_eq(text->objects, 3);
	ck_assert_uint_eq(text->timed, 2);
	ck_assert_int_eq(text->total_ns, 13);
	ck_assert_int_eq(text->max_ns, 10);
	logkit_free(k);
}
END_TEST

START_TEST(a_gap_ends_no_finalizer)
{
	struct logkit *k = logkit_new(17);
	logkit_plain(k, 10, PV_KIND_GC_FINALIZE_START);
	finalize(k, 11, false, OBJECT);
	k->damage = 5;
	logkit_flush(k);
	finalize(k, 900, true, OBJECT);
	logkit_plain(k, 910, PV_KIND_GC_FINALIZE_END);
	const struct pv_finalizers *f = &logkit_model(k)->finalizers;
	ck_assert_uint_eq(f->ended, 1);
	ck_assert_uint_eq(f->runs.objects, 0);
	ck_assert_uint_eq(f->of_class.v[0].timed, 0);
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("model handles");
	TCase *c = tcase_create("all");
	tcase_add_test(c, alive_is_what_was_made_and_not_freed);
	tcase_add_test(c, an_end_may_come_first_in_the_file);
	tcase_add_test(c, a_beginning_may_overtake_an_end);
	tcase_add_test(c, an_allocation_may_be_reported_with_delay);
	tcase_add_test(c, a_class_known_before_may_be_of_another_object);
	tcase_add_test(c, what_is_reported_very_delayed_is_not_recalled);
	tcase_add_test(c, what_is_reported_with_delay_counts_as_ever);
	tcase_add_test(c, a_number_used_again_keeps_its_own_class);
	tcase_add_test(c, no_more_wait_than_are_kept);
	tcase_add_test(c, who_has_its_class_waits_no_more);
	tcase_add_test(c, a_range_counts_its_own);
	tcase_add_test(c, beyond_the_limits_types_still_count);
	tcase_add_test(c, finalized_objects_have_class_and_duration);
	tcase_add_test(c, a_gap_ends_no_finalizer);
	suite_add_tcase(s, c);
	return run_suite(s);
}
