/* SPDX-License-Identifier: MIT */
/* Names that come after their use, keys with several meanings, threads with one id. */
#include <stdlib.h>
#include <string.h>

#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { A = 0xa0, B = 0xb0, CLASS = 0x500, IMAGE = 0x1000, ASSEMBLY = 0x1100 };

static void unload(struct logkit *k, int64_t t, enum pv_kind kind, uint64_t key)
{
	logkit_event(k, t,
		(struct pv_event){
			.kind = (uint8_t)kind, .meta = { .key = key, .name = { "", 0 } } });
}

START_TEST(names_arrive_after_use)
{
	struct logkit *k = logkit_new(17);
	logkit_enter(k, 10, A);
	logkit_leave(k, 20, A);
	logkit_alloc(k, 30, CLASS, 0x8000, 24);
	logkit_flush(k);
	char buf[24];
	ck_assert_str_eq(pv_names_method_text(&k->model->names, 1, buf), "0xa0");
	ck_assert_str_eq(pv_names_class_text(&k->model->names, 1, buf), "0x501");
	ck_assert_uint_eq(pv_names_class_name(&k->model->names, 1), 0);
	logkit_on(k, 2); /* vtable and class come from another thread, in either order */
	logkit_event(k, 40,
		(struct pv_event){ .kind = PV_KIND_VTABLE_LOAD,
			.meta = { .key = CLASS + 1, .domain = 0x2000, .owner = CLASS } });
	logkit_flush(k);
	ck_assert_uint_eq(pv_names_class_name(&k->model->names, 1), 0);
	logkit_named(k, 41, PV_KIND_CLASS_LOAD, CLASS, "Game.Enemy");
	logkit_named(k, 42, PV_KIND_IMAGE_LOAD, IMAGE, "game.dll");
	logkit_method(k, 43, A, "Game:Run ()");
	logkit_flush(k);
	ck_assert_uint_eq(logkit_sum(k, "Game:Run ()").calls, 1);
	ck_assert_uint_eq(logkit_allocs(k, "Game.Enemy").bytes, 24);
	uint32_t image = pv_names_class_image(&k->model->names, 1);
	ck_assert_str_eq(pv_intern_text(&k->model->names.text, image), "game.dll");
	logkit_free(k);
}
END_TEST

/* As long names of methods and classes come, they are kept short, and each is itself when it comes again. */
START_TEST(very_long_names_are_short_and_apart)
{
	enum { LEN = 100000 };
	struct logkit *k = logkit_new(17);
	char *name = calloc(LEN + 1, 1);
	ck_assert_ptr_nonnull(name);
	memset(name, 'n', LEN);
	memcpy(name + LEN - 7, ":Run ()", 7);
	k->model->names.class_cap = k->model->names.method_cap = 3;
	logkit_named(k, 1, PV_KIND_CLASS_LOAD, CLASS, name);
	for (int turn = 0; turn < 3; turn++) {
		for (unsigned i = 0; i < 2; i++) {
			int64_t t = 10 + turn * 100 + (int64_t)i * 10;
			name[LEN / 2] = "ab"[i];
			logkit_method(k, t, A + i, name);
			logkit_enter(k, t + 1, A + i);
			logkit_leave(k, t + 2, A + i);
		}
	}
	const struct pv_names *n = &logkit_model(k)->names;
	ck_assert_uint_eq(n->method.n, 3); /* one place is no method */
	ck_assert_uint_eq(n->folded_uses, 0);
	ck_assert_uint_eq(n->text.cut, 5); /* two of them the classes of the methods */
	for (unsigned i = 1; i < 3; i++) {
		const char *text = pv_intern_text(&n->text, n->method.v[i].name);
		ck_assert_uint_le(strlen(text), PV_INTERN_MOST);
		ck_assert_uint_eq(logkit_sum(k, text).calls, 3);
	}
	logkit_free(k);
	free(name);
}
END_TEST

START_TEST(rejit_under_one_name_is_one_method)
{
	struct logkit *k = logkit_new(17);
	logkit_method(k, 0, A, "A");
	logkit_enter(k, 10, A);
	logkit_leave(k, 20, A);
	logkit_method(k, 30, A, "A");
	logkit_enter(k, 40, A);
	logkit_leave(k, 50, A);
	struct pv_model *m = logkit_model(k);
	ck_assert_uint_eq(m->names.method.n, 2);
	ck_assert_uint_eq(m->names.method.v[1].jits, 2);
	ck_assert_uint_eq(m->helpers.jitted, 2);
	ck_assert_uint_eq(logkit_sum(k, "A").calls, 2);
	logkit_free(k);
}
END_TEST

START_TEST(a_key_under_another_name_is_another_method)
{
	struct logkit *k = logkit_new(17);
	logkit_method(k, 0, A, "old");
	logkit_method(k, 0, B, "B");
	logkit_enter(k, 1, B);
	for (int i = 0; i < 3; i++) {
		logkit_enter(k, 10 + 10 * i, A);
		logkit_leave(k, 15 + 10 * i, A);
	}
	logkit_method(k, 50, A, "new");
	logkit_enter(k, 60, A);
	logkit_leave(k, 80, A);
	logkit_leave(k, 90, B);
	ck_assert_uint_eq(logkit_sum(k, "old").calls, 3);
	ck_assert_int_eq(logkit_sum(k, "old").total_ns, 15);
	ck_assert_uint_eq(logkit_sum(k, "new").calls, 1);
	ck_assert_int_eq(logkit_sum(k, "new").total_ns, 20);
	ck_assert_int_eq(logkit_sum(k, "B").total_ns, 89);
	ck_assert_uint_eq(k->model->names.epochs, 1);
	logkit_free(k);
}
END_TEST

START_TEST(a_class_pointer_used_again_after_its_image_went)
{
	struct logkit *k = logkit_new(17);
	logkit_named(k, 0, PV_KIND_IMAGE_LOAD, IMAGE, "one.dll");
	logkit_class(k, 1, CLASS, "One");
	logkit_alloc(k, 10, CLASS, 0x8000, 8);
	unload(k, 20, PV_KIND_IMAGE_UNLOAD, IMAGE);
	logkit_alloc(k, 30, CLASS, 0x8010, 16); /* before its definition */
	logkit_class(k, 40, CLASS, "Two");
	logkit_alloc(k, 50, CLASS, 0x8020, 32);
	logkit_flush(k);
	logkit_on(k, 2); /* from another thread's delayed buffer: the old meaning */
	logkit_alloc(k, 12, CLASS, 0x8030, 64);
	ck_assert_uint_eq(logkit_allocs(k, "One").bytes, 8 + 64);
	ck_assert_uint_eq(logkit_allocs(k, "Two").bytes, 16 + 32);
	ck_assert_uint_eq(logkit_allocs(k, "Two").count, 2);
	ck_assert_uint_eq(k->model->names.unloads, 1);
	struct pv_entity *image = &k->model->names.entity[PV_ENTITY_IMAGE].v[1];
	ck_assert_int_eq(image->load_ns, LOGKIT_ZERO);
	ck_assert_int_eq(image->unload_ns, LOGKIT_ZERO + 20);
	logkit_free(k);
}
END_TEST

/* Mono unloads an assembly's image after the assembly. */
START_TEST(an_image_ends_when_its_own_unload_says_so)
{
	struct logkit *k = logkit_new(17);
	struct pv_event assembly = { .kind = PV_KIND_ASSEMBLY_LOAD,
		.meta = { .key = ASSEMBLY, .image = IMAGE, .name = { "one", 3 } } };
	for (int delayed = 0; delayed < 2; delayed++) {
		int64_t t = delayed * 100;
		logkit_named(k, t, PV_KIND_IMAGE_LOAD, IMAGE, "one.dll");
		logkit_event(k, t + 1, assembly);
		logkit_class(k, t + 2, CLASS, "One");
		unload(k, t + 20, PV_KIND_ASSEMBLY_UNLOAD, ASSEMBLY);
		if (delayed)
			unload(k, t + 25, PV_KIND_IMAGE_UNLOAD, IMAGE);
	}
	const struct pv_names *n = &logkit_model(k)->names;
	const struct pv_entity *image = n->entity[PV_ENTITY_IMAGE].v;
	ck_assert_uint_eq(n->entity[PV_ENTITY_IMAGE].n, 3);
	ck_assert_int_eq(image[1].unload_ns, LOGKIT_ZERO + 20); /* that is all there is to say */
	ck_assert_int_eq(image[2].unload_ns, LOGKIT_ZERO + 125);
	ck_assert_int_eq(n->entity[PV_ENTITY_ASSEMBLY].v[2].unload_ns, LOGKIT_ZERO + 120);
	ck_assert_int_eq(n->entity[PV_ENTITY_CLASS].v[2].unload_ns, LOGKIT_ZERO + 120);
	logkit_free(k);
}
END_TEST

START_TEST(a_domain_takes_its_vtables_along)
{
	struct logkit *k = logkit_new(17);
	logkit_event(
		k, 0, (struct pv_event){ .kind = PV_KIND_DOMAIN_LOAD, .meta = { .key = 0x2000 } });
	logkit_named(k, 0, PV_KIND_DOMAIN_NAME, 0x2000, "plugins");
	logkit_class(k, 1, CLASS, "C");
	logkit_alloc(k, 10, CLASS, 0x8000, 8);
	logkit_event(k, 20,
		(struct pv_event){ .kind = PV_KIND_DOMAIN_UNLOAD, .meta = { .key = 0x2000 } });
	logkit_event(k, 30,
		(struct pv_event){ .kind = PV_KIND_VTABLE_LOAD,
			.meta = { .key = CLASS + 1, .domain = 0x3000, .owner = CLASS } });
	logkit_alloc(k, 40, CLASS, 0x8010, 8);
	struct pv_model *m = logkit_model(k);
	ck_assert_uint_eq(m->names.class_use.n, 3);        /* two vtables at one address */
	ck_assert_uint_eq(logkit_allocs(k, "C").count, 2); /* of one class */
	const struct pv_entity *d = &m->names.entity[PV_ENTITY_DOMAIN].v[1];
	ck_assert_str_eq(pv_intern_text(&m->names.text, d->name), "plugins");
	ck_assert_int_eq(d->unload_ns, LOGKIT_ZERO + 20);
	logkit_free(k);
}
END_TEST

START_TEST(names_said_again_are_harmless)
{
	struct logkit *k = logkit_new(17);
	for (int round = 0; round < 2; round++) {
		logkit_named(k, round * 100, PV_KIND_IMAGE_LOAD, IMAGE, "one.dll");
		logkit_class(k, round * 100 + 1, CLASS, "C");
		logkit_method(k, round * 100 + 2, A, "A");
		logkit_alloc(k, round * 100 + 3, CLASS, 0x8000, 8);
		logkit_flush(k);
		logkit_header(k);
	}
	struct pv_model *m = logkit_model(k);
	ck_assert_uint_eq(m->names.entity[PV_ENTITY_IMAGE].n, 2);
	ck_assert_uint_eq(m->names.entity[PV_ENTITY_CLASS].n, 2);
	ck_assert_uint_eq(m->names.class_use.n, 2);
	ck_assert_uint_eq(m->names.method.n, 2);
	ck_assert_uint_eq(m->names.epochs, 0);
	ck_assert_int_eq(m->names.entity[PV_ENTITY_IMAGE].v[1].load_ns, LOGKIT_ZERO);
	ck_assert_uint_eq(m->recordings, 3);
	logkit_free(k);
}
END_TEST

START_TEST(class_keys_before_version_15)
{
	struct logkit *k = logkit_new(14);
	logkit_class(k, 0, CLASS, "C");
	logkit_alloc(k, 1, CLASS, 0x8000, 40);
	ck_assert_uint_eq(logkit_allocs(k, "C").bytes, 40);
	ck_assert(!k->model->names.class_use.v[1].by_vtable);
	logkit_free(k);
}
END_TEST

START_TEST(impossible_code_sizes_are_not_added_up)
{
	struct logkit *k = logkit_new(17);
	const uint64_t sizes[] = { 100, UINT64_MAX, 0, 50 };
	for (uint64_t i = 0; i < 4; i++)
		logkit_event(k, (int64_t)i,
			(struct pv_event){ .kind = PV_KIND_METHOD_JIT,
				.jit = {
					A + i * 8, 0x4000 + i * 0x100, sizes[i], { "m", 1 }, 0 } });
	struct pv_model *m = logkit_model(k);
	ck_assert_uint_eq(m->helpers.code_bytes, 150);
	ck_assert_uint_eq(m->helpers.bad_sizes, 1);
	ck_assert_uint_eq(m->names.method.v[2].code_size, 0);
	logkit_free(k);
}
END_TEST

START_TEST(ranges_find_what_holds_an_address)
{
	struct pv_ranges r = { 0 };
	for (uint32_t i = 0; i < 1000; i++) { /* not in order, more than one unsorted tail */
		uint64_t at = (i * 7919) % 1000;
		ck_assert(pv_ranges_add(&r, 0x1000 + at * 0x10, 8, (uint32_t)at + 1));
	}
	for (uint32_t at = 0; at < 1000; at++) {
		ck_assert_uint_eq(pv_ranges_find(&r, 0x1000 + at * 0x10), at + 1);
		ck_assert_uint_eq(pv_ranges_find(&r, 0x1007 + at * 0x10), at + 1);
		ck_assert_uint_eq(pv_ranges_find(&r, 0x1008 + at * 0x10), 0);
	}
	ck_assert_uint_eq(pv_ranges_find(&r, 0xfff), 0);
	ck_assert(pv_ranges_add(&r, 0x1000, 8, 5000)); /* said again: the later one holds */
	ck_assert_uint_eq(pv_ranges_find(&r, 0x1000), 5000);
	for (uint32_t i = 0; i < 500; i++)
		ck_assert(pv_ranges_add(&r, 0x100000 - i, 1, i + 1));
	ck_assert_uint_eq(pv_ranges_find(&r, 0x1000), 5000);
	ck_assert(pv_ranges_add(&r, 0x900000, 0, 77)); /* of unknown size */
	ck_assert_uint_eq(pv_ranges_find(&r, 0x900000 + 500), 77);
	ck_assert_uint_eq(pv_ranges_find(&r, 0x900000 + PV_RANGE_GUESS), 0);
	ck_assert(pv_ranges_hold(&r));
	pv_ranges_finish(&r);
}
END_TEST

/* Whatever order they come in, and each said again: the later one holds, and few are looked at. */
START_TEST(ranges_said_again_are_kept_in_few_runs)
{
	enum { ALL = 5000, STEPS = 3 };
	static const uint32_t step[STEPS] = { 1, ALL - 1, 1231 };
	for (int s = 0; s < STEPS; s++) {
		struct pv_ranges r = { 0 };
		for (uint32_t i = 0; i < 2 * ALL; i++) {
			uint32_t at = (uint32_t)((uint64_t)i * step[s] % ALL);
			ck_assert(pv_ranges_add(&r, at * 16, 16, i + 1));
			ck_assert_uint_eq(pv_ranges_find(&r, at * 16 + 5), i + 1);
			ck_assert(i % 97 || pv_ranges_hold(&r));
		}
		ck_assert_uint_le(r.range.n, ALL + ALL / 2 + 2 * PV_RANGE_REST);
		ck_assert_uint_le(r.runs, 13);
		for (uint32_t i = ALL; i < 2 * ALL; i++) {
			uint32_t at = (uint32_t)((uint64_t)i * step[s] % ALL);
			ck_assert_uint_eq(pv_ranges_find(&r, at * 16), i + 1);
		}
		r.run[0] = (uint32_t)r.range.n + 1;
		ck_assert(!pv_ranges_hold(&r));
		pv_ranges_finish(&r);
	}
}
END_TEST

static void described(struct logkit *k, int64_t t, uint64_t key, uint64_t code, const char *name)
{
	logkit_event(k, t,
		(struct pv_event){ .kind = PV_KIND_METHOD_JIT,
			.jit = { .method = key,
				.code = code,
				.size = 0x80,
				.name = { name, strlen(name) } } });
}

static void file_loaded(struct logkit *k, int64_t t)
{
	logkit_event(k, t,
		(struct pv_event){ .kind = PV_KIND_SAMPLE_SYMBOL,
			.symbol = { 0x10000, 0x10000, 0, { "libx.so", 7 } } });
}

static uint32_t meant(const struct pv_names *n, uint64_t key, int64_t time)
{
	return pv_names_key_method(n, key, LOGKIT_ZERO + time);
}

/* Keys of places are the function that holds them, of which there is one, and which was compiled once. */
START_TEST(places_in_a_function_are_that_function)
{
	struct logkit *k = logkit_new(17);
	uint64_t place;
	file_loaded(k, 1);
	described(k, 10, 0x11010, 0x11000, "sort");
	described(k, 11, 0x11020, 0x11000, "sort");
	described(k, 12, 0x11000, 0x11000, "sort");
	described(k, 13, 0x12000, 0x12000, "other");
	described(k, 14, 0x30010, 0x30000, "of no file"); /* a method's key is anything there */
	const struct pv_names *n = &logkit_model(k)->names;
	ck_assert_uint_eq(n->method.n, 1 + 3);
	for (uint64_t key = 0x11000; key <= 0x11020; key += 0x10) {
		ck_assert_str_eq(pv_intern_text(&n->text, meant(n, key, 20)), "sort");
		ck_assert_uint_eq(pv_names_function_key(n, key, &place), 0x11000);
		ck_assert_uint_eq(place, key == 0x11000 ? 0 : key);
	}
	ck_assert_uint_eq(pv_names_function_key(n, 0x30010, &place), 0x30010);
	ck_assert_uint_eq(place, 0);
	ck_assert_uint_eq(k->model->helpers.jitted, 3);
	logkit_free(k);
}
END_TEST

/* Another file is loaded there: each use means what was there at its time. */
START_TEST(a_place_in_a_file_that_is_gone)
{
	struct logkit *k = logkit_new(17);
	file_loaded(k, 1);
	described(k, 10, 0x11010, 0x11000, "sort");
	described(k, 60, 0x11010, 0x11000, "draw");
	const struct pv_names *n = &logkit_model(k)->names;
	ck_assert_str_eq(pv_intern_text(&n->text, meant(n, 0x11010, 20)), "sort");
	ck_assert_str_eq(pv_intern_text(&n->text, meant(n, 0x11010, 70)), "draw");
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("model names");
	TCase *t = tcase_create("names");
	tcase_add_test(t, names_arrive_after_use);
	tcase_add_test(t, very_long_names_are_short_and_apart);
	tcase_add_test(t, rejit_under_one_name_is_one_method);
	tcase_add_test(t, a_key_under_another_name_is_another_method);
	tcase_add_test(t, a_class_pointer_used_again_after_its_image_went);
	tcase_add_test(t, an_image_ends_when_its_own_unload_says_so);
	tcase_add_test(t, a_domain_takes_its_vtables_along);
	tcase_add_test(t, names_said_again_are_harmless);
	tcase_add_test(t, class_keys_before_version_15);
	tcase_add_test(t, impossible_code_sizes_are_not_added_up);
	tcase_add_test(t, ranges_find_what_holds_an_address);
	tcase_add_test(t, ranges_said_again_are_kept_in_few_runs);
	tcase_add_test(t, places_in_a_function_are_that_function);
	tcase_add_test(t, a_place_in_a_file_that_is_gone);
	suite_add_tcase(s, t);
	return run_suite(s);
}
