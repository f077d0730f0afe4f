/* SPDX-License-Identifier: MIT */
/* Keys that are used again: which meaning a use had, whatever the order in which it is reported. */
#include <string.h>

#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { A = 0xa0, B = 0xb0, CLASS = 0x500, OTHER = 0x600, IMAGE = 0x1000, ASSEMBLY = 0x2000 };

static void unload(struct logkit *k, int64_t t, enum pv_kind kind, uint64_t key)
{
	logkit_event(k, t,
		(struct pv_event){
			.kind = (uint8_t)kind, .meta = { .key = key, .name = { "", 0 } } });
}

static void call(struct logkit *k, int64_t t, uint64_t method, int64_t ns)
{
	logkit_enter(k, t, method);
	logkit_leave(k, t + ns, method);
}

/* A class of an image, with its vtable of key + 1. */
static void class_of(struct logkit *k, int64_t t, uint64_t key, uint64_t image, const char *name)
{
	logkit_event(k, t,
		(struct pv_event){ .kind = PV_KIND_CLASS_LOAD,
			.meta = { .key = key, .image = image, .name = { name, strlen(name) } } });
	logkit_event(k, t,
		(struct pv_event){ .kind = PV_KIND_VTABLE_LOAD,
			.meta = { .key = key + 1, .domain = 1, .owner = key } });
}

static const struct pv_names *names(struct logkit *k)
{
	return &logkit_model(k)->names;
}

START_TEST(delayed_uses_are_of_the_meaning_of_their_time)
{
	struct logkit *k = logkit_new(17);
	logkit_method(k, 0, A, "old");
	call(k, 10, A, 5);
	logkit_method(k, 50, A, "new");
	call(k, 60, A, 7);
	logkit_flush(k);
	logkit_on(k, 2); /* a buffer that was flushed with delay */
	call(k, 20, A, 3);
	call(k, 70, A, 2);
	ck_assert_uint_eq(logkit_sum(k, "old").calls, 2);
	ck_assert_int_eq(logkit_sum(k, "old").total_ns, 8);
	ck_assert_int_eq(logkit_sum(k, "old").max_ns, 5);
	ck_assert_uint_eq(logkit_sum(k, "new").calls, 2);
	ck_assert_int_eq(logkit_sum(k, "new").total_ns, 9);
	ck_assert_int_eq(logkit_sum(k, "new").max_ns, 7);
	ck_assert_uint_eq(k->model->calls.stray_leaves, 0);
	ck_assert_uint_eq(names(k)->ambiguous_ends, 0);
	logkit_free(k);
}
END_TEST

START_TEST(backtraces_of_two_meanings_do_not_mix)
{
	struct logkit *k = logkit_new(17);
	logkit_method(k, 0, B, "outer");
	logkit_method(k, 0, A, "old");
	logkit_class(k, 0, CLASS, "C");
	logkit_flush(k);
	for (int round = 0; round < 2; round++) { /* the same keys, one stack after the other */
		for (int64_t t = 10; t <= 90; t += 80)
			logkit_event(k, t + round,
				(struct pv_event){ .kind = PV_KIND_ALLOC,
					.alloc = { CLASS + 1, 0x8000, 8, LOGKIT_LIST(k, B, A) } });
		if (round == 0)
			logkit_method(k, 50, A, "new");
	}
	const struct pv_model *m = logkit_model(k);
	uint64_t count[2] = { 0, 0 };
	for (size_t i = 1; i < m->allocs.sites.site.n; i++) {
		const struct pv_site *s = &m->allocs.sites.site.v[i];
		uint32_t method = m->stacks.node.v[s->stack].method;
		char buf[24];
		count[!strcmp(pv_names_method_text(&m->names, method, buf), "new")] += s->count;
	}
	/* the use at 90 of the first round came before the word on it: only the order tells */
	ck_assert_uint_eq(count[0], 3);
	ck_assert_uint_eq(count[1], 1);
	ck_assert_uint_eq(m->names.ambiguous_ends, 1);
	logkit_free(k);
}
END_TEST

START_TEST(an_earlier_meaning_reported_after_a_later_one)
{
	struct logkit *k = logkit_new(17);
	logkit_method(k, 50, A, "second");
	logkit_flush(k);
	logkit_on(k, 2);
	logkit_method(k, 10, A, "first");
	logkit_flush(k);
	logkit_on(k, 3);
	logkit_method(k, 30, A, "between");
	call(k, 12, A, 1);
	call(k, 32, A, 2);
	call(k, 52, A, 4);
	ck_assert_int_eq(logkit_sum(k, "first").total_ns, 1);
	ck_assert_int_eq(logkit_sum(k, "between").total_ns, 2);
	ck_assert_int_eq(logkit_sum(k, "second").total_ns, 4);
	ck_assert_uint_eq(names(k)->ambiguous_ends, 0);
	logkit_free(k);
}
END_TEST

START_TEST(a_use_before_every_definition_takes_the_first_later_one)
{
	struct logkit *k = logkit_new(17);
	logkit_method(k, 50, A, "first");
	logkit_method(k, 60, A, "second");
	logkit_flush(k);
	call(k, 40, A, 3);
	logkit_class(k, 50, CLASS, "One");
	unload(k, 60, PV_KIND_IMAGE_UNLOAD, IMAGE);
	logkit_class(k, 70, CLASS, "Two");
	logkit_flush(k);
	logkit_alloc(k, 65, CLASS, 0x8000, 8);  /* after One's end */
	logkit_alloc(k, 45, CLASS, 0x8000, 16); /* before One's load */
	ck_assert_int_eq(logkit_sum(k, "first").total_ns, 3);
	ck_assert_uint_eq(logkit_sum(k, "second").calls, 0);
	ck_assert_uint_eq(logkit_allocs(k, "One").bytes, 16);
	ck_assert_uint_eq(logkit_allocs(k, "Two").bytes, 8);
	logkit_free(k);
}
END_TEST

START_TEST(methods_die_with_their_image)
{
	struct logkit *k = logkit_new(17);
	logkit_named(k, 0, PV_KIND_IMAGE_LOAD, IMAGE, "plug.dll");
	class_of(k, 1, CLASS, IMAGE, "Red");
	logkit_method(k, 2, A, "Red:Step (int)");
	logkit_method(k, 2, B, "(wrapper remoting-invoke) Red:Run ()");
	call(k, 10, A, 1);
	call(k, 12, B, 1);
	unload(k, 20, PV_KIND_IMAGE_UNLOAD, IMAGE);
	call(k, 30, A, 5); /* somebody else: its name never came */
	call(k, 40, B, 2);
	logkit_method(k, 41, B, "Blue:Run ()"); /* the first later definition */
	logkit_flush(k);
	logkit_on(k, 2);
	call(k, 15, A, 1); /* before the end, reported after it */
	ck_assert_uint_eq(logkit_sum(k, "Red:Step (int)").calls, 2);
	ck_assert_uint_eq(logkit_sum(k, "0xa0").calls, 1);
	ck_assert_int_eq(logkit_sum(k, "0xa0").total_ns, 5);
	ck_assert_uint_eq(logkit_sum(k, "(wrapper remoting-invoke) Red:Run ()").calls, 1);
	ck_assert_int_eq(logkit_sum(k, "Blue:Run ()").total_ns, 2);
	logkit_free(k);
}
END_TEST

START_TEST(a_method_lives_while_a_class_of_its_name_does)
{
	struct logkit *k = logkit_new(17);
	for (uint64_t i = 0; i < 2; i++) {
		logkit_named(k, 0, PV_KIND_IMAGE_LOAD, IMAGE + i * 16, "plug.dll");
		class_of(k, 1, CLASS + i * 16, IMAGE + i * 16, "Red");
	}
	logkit_method(k, 2, A, "Red:Step (int)");
	unload(k, 20, PV_KIND_IMAGE_UNLOAD, IMAGE);
	call(k, 30, A, 5);
	unload(k, 40, PV_KIND_IMAGE_UNLOAD, IMAGE + 16);
	call(k, 50, A, 7);
	ck_assert_int_eq(logkit_sum(k, "Red:Step (int)").total_ns, 5);
	ck_assert_int_eq(logkit_sum(k, "0xa0").total_ns, 7);
	logkit_free(k);
}
END_TEST

START_TEST(an_assembly_takes_image_classes_vtables_and_methods_along)
{
	struct logkit *k = logkit_new(17);
	logkit_named(k, 0, PV_KIND_IMAGE_LOAD, IMAGE, "plug.dll");
	logkit_event(k, 0,
		(struct pv_event){ .kind = PV_KIND_ASSEMBLY_LOAD,
			.meta = { .key = ASSEMBLY, .image = IMAGE, .name = { "plug", 4 } } });
	class_of(k, 1, CLASS, IMAGE, "Red");
	class_of(k, 1, OTHER, IMAGE + 16, "Green"); /* of another image */
	logkit_method(k, 2, A, "Red:Step ()");
	unload(k, 20, PV_KIND_ASSEMBLY_UNLOAD, ASSEMBLY);
	logkit_alloc(k, 30, CLASS, 0x8000, 8);
	logkit_alloc(k, 30, OTHER, 0x8010, 8);
	call(k, 40, A, 1);
	const struct pv_names *n = names(k);
	ck_assert_int_eq(n->entity[PV_ENTITY_IMAGE].v[1].unload_ns, LOGKIT_ZERO + 20);
	ck_assert_int_eq(n->entity[PV_ENTITY_CLASS].v[1].unload_ns, LOGKIT_ZERO + 20);
	ck_assert_int_eq(n->entity[PV_ENTITY_VTABLE].v[1].unload_ns, LOGKIT_ZERO + 20);
	ck_assert_int_eq(n->entity[PV_ENTITY_CLASS].v[2].unload_ns, PV_NEVER);
	ck_assert_uint_eq(logkit_allocs(k, "Red").count, 0);
	ck_assert_uint_eq(logkit_allocs(k, "Green").count, 1);
	ck_assert_uint_eq(logkit_sum(k, "Red:Step ()").calls, 0);
	logkit_free(k);
}
END_TEST

START_TEST(a_container_used_again_keeps_its_new_members)
{
	struct logkit *k = logkit_new(17);
	class_of(k, 1, CLASS, IMAGE, "Red");
	class_of(k, 50, OTHER, IMAGE, "Green"); /* of the image that came in its place */
	logkit_flush(k);
	logkit_on(k, 2);
	unload(k, 20, PV_KIND_IMAGE_UNLOAD, IMAGE); /* reported with delay */
	logkit_flush(k);
	const struct pv_names *n = names(k);
	ck_assert_int_eq(n->entity[PV_ENTITY_CLASS].v[1].unload_ns, LOGKIT_ZERO + 20);
	ck_assert_int_eq(n->entity[PV_ENTITY_CLASS].v[2].unload_ns, PV_NEVER);
	unload(k, 60, PV_KIND_IMAGE_UNLOAD, IMAGE);
	ck_assert_int_eq(names(k)->entity[PV_ENTITY_CLASS].v[2].unload_ns, PV_NEVER);
	logkit_free(k);
}
END_TEST

START_TEST(freed_methods_and_unloaded_classes_of_2007)
{
	struct pv_names n;
	bool shared;
	struct pv_event name = { .kind = PV_KIND_METHOD_NAME,
		.time = 5,
		.meta = { .key = A, .name = { "Red:Step", 8 } } };
	struct pv_event freed = { .kind = PV_KIND_METHOD_FREE, .time = 20, .jit = { .method = A } };
	struct pv_event class = { .kind = PV_KIND_CLASS_LOAD,
		.time = 5,
		.meta = { .key = CLASS, .name = { "Red", 3 } } };
	struct pv_event gone = { .kind = PV_KIND_CLASS_UNLOAD,
		.time = 20,
		.meta = { .key = CLASS, .name = { "", 0 } } };
	ck_assert(pv_names_init(&n));
	ck_assert(pv_names_apply(&n, &name, &shared) && !shared);
	ck_assert(pv_names_apply(&n, &class, &shared) && !shared);
	uint32_t method = pv_names_method(&n, A, 10), use = pv_names_class(&n, CLASS, 10);
	ck_assert(pv_names_apply(&n, &freed, &shared) && shared);
	ck_assert(pv_names_apply(&n, &gone, &shared));
	ck_assert_uint_eq(pv_names_method(&n, A, 20), method);
	ck_assert_uint_ne(pv_names_method(&n, A, 21), method);
	ck_assert_uint_eq(pv_names_class(&n, CLASS, 20), use);
	ck_assert_uint_ne(pv_names_class(&n, CLASS, 21), use);
	ck_assert_uint_eq(n.unloads, 2);
	pv_names_finish(&n);
}
END_TEST

START_TEST(without_an_unload_keys_are_looked_up_without_their_times)
{
	struct logkit *k = logkit_new(17);
	logkit_named(k, 0, PV_KIND_IMAGE_LOAD, IMAGE, "plug.dll");
	class_of(k, 1, CLASS, IMAGE, "Red");
	logkit_method(k, 2, A, "Red:Step ()");
	logkit_method(k, 9, A, "Red:Step ()"); /* compiled again */
	call(k, 10, A, 1);
	logkit_alloc(k, 12, CLASS, 0x8000, 8);
	const struct pv_model *m = logkit_model(k);
	ck_assert(!m->names.method.v[1].shared && !m->names.class_use.v[1].ended);
	ck_assert_uint_eq(m->calls.node.v[1].key, A);
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("model lives");
	TCase *t = tcase_create("lives");
	tcase_add_test(t, delayed_uses_are_of_the_meaning_of_their_time);
	tcase_add_test(t, backtraces_of_two_meanings_do_not_mix);
	tcase_add_test(t, an_earlier_meaning_reported_after_a_later_one);
	tcase_add_test(t, a_use_before_every_definition_takes_the_first_later_one);
	tcase_add_test(t, methods_die_with_their_image);
	tcase_add_test(t, a_method_lives_while_a_class_of_its_name_does);
	tcase_add_test(t, an_assembly_takes_image_classes_vtables_and_methods_along);
	tcase_add_test(t, a_container_used_again_keeps_its_new_members);
	tcase_add_test(t, freed_methods_and_unloaded_classes_of_2007);
	tcase_add_test(t, without_an_unload_keys_are_looked_up_without_their_times);
	suite_add_tcase(s, t);
	return run_suite(s);
}
