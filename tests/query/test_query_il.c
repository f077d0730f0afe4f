/* SPDX-License-Identifier: MIT */
/* Lines of .NET's code: the map of a body from its code to the IL, joined with the module's PDB. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/query/coverage/lines.h"
#include "common/query/source_text.h"
#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum {
	RUN = 0x100,
	INNER = 0x110,
	IMAGE = 0x200,
	CODE = 0x5000,
	SIZE = 0x80,
	THREAD = 0x10,
	TOKEN = 0x06000000
};
enum { EACH_NEXT = 13, WAIT_NEXT = 20 }; /* rows of methods in the corpus's module */

static struct kit world(const char *module, const char *mvid)
{
	struct kit k = kit_new("log:sample");
	kit_method(&k, RUN, "Run()");
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_IMAGE_LOAD,
			      .meta = { .key = IMAGE,
				      .name = { module, strlen(module) },
				      .mvid = { mvid, strlen(mvid) } } });
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_METHOD_JIT,
			      .jit = { .method = RUN, .code = CODE, .size = 2 * SIZE } });
	return k;
}

static void map_of(
	struct kit *k, uint64_t code, uint64_t size, uint64_t row, const uint64_t *v, uint32_t n)
{
	struct pv_span pairs = { (uint32_t)k->batch.pool.n, n };
	kit_must(pv_reserve(&k->batch.pool, n));
	memcpy(k->batch.pool.v + k->batch.pool.n, v, n * sizeof *v);
	k->batch.pool.n += n;
	kit_event(k, (struct pv_event){ .kind = PV_KIND_EXT_IL_MAP,
			     .il_map = { .code = code,
				     .size = size,
				     .method = RUN,
				     .image = IMAGE,
				     .token = TOKEN | row,
				     .pairs = pairs } });
}

/* The line of a sample at the address, 0: none. */
static uint32_t line_at(struct kit *k, uint64_t address, const char **ret_file)
{
	kit_sample(k, THREAD, address, (const uint64_t[]){ RUN, 0 });
	kit_flush(k);
	size_t n;
	pv_model_lock(k->m);
	const struct pv_line_at *at =
		pv_lines_of_place(k->m, (uint32_t)k->m->places.place.n - 1, &n);
	*ret_file = n ? pv_intern_text(&k->m->names.text, at->file) : "";
	uint32_t line = n ? at->line : 0;
	pv_model_unlock(k->m);
	return line;
}

START_TEST(each_address_has_the_line_of_its_place_in_the_il)
{
	static const uint64_t steps[] = { 0, PV_IL_PROLOG, 8, 0, 0x40, 97, 0x10, 32, 0x20,
		PV_IL_NONE, 0x30, 71, 0x60, PV_IL_EPILOG };
	static const struct {
		uint64_t offset;
		uint32_t line;
	} known[] = { { 0, 17 }, { 0x10, 17 }, { 0x2f, 17 }, { 0x30, 18 }, { 0x3f, 18 },
		{ 0x45, 17 }, { 0x61, 19 }, { SIZE, 0 } };
	struct kit k = world(CORPUS "/plain.dll", "");
	const char *file;
	map_of(&k, CODE, SIZE, EACH_NEXT, steps, PV_COUNT_OF(steps));
	for (size_t i = 0; i < PV_COUNT_OF(known); i++) {
		ck_assert_uint_eq(line_at(&k, CODE + known[i].offset, &file), known[i].line);
		ck_assert_str_eq(file, known[i].line ? "/s/seed.cs" : "");
	}
	kit_free(&k);
}
END_TEST

/* As the runtime's on-stack replacement has it, which does not say of all code where it is from. */
START_TEST(a_body_that_begins_in_a_loop_has_no_line_before_its_first)
{
	static const uint64_t steps[] = { 0, PV_IL_PROLOG, 0x10, 32, 0x30, 71 };
	struct kit k = world(CORPUS "/plain.dll", "");
	const char *file;
	map_of(&k, CODE, SIZE, EACH_NEXT, steps, PV_COUNT_OF(steps));
	ck_assert_uint_eq(line_at(&k, CODE + 0xf, &file), 0);
	ck_assert_uint_eq(line_at(&k, CODE + 0x10, &file), 17);
	ck_assert_uint_eq(line_at(&k, CODE + 0x30, &file), 18);
	kit_free(&k);
}
END_TEST

static void sample_of(struct kit *k, uint64_t frame)
{
	struct pv_span frames = { (uint32_t)k->batch.pool.n, 1 };
	kit_must(pv_reserve(&k->batch.pool, 1));
	k->batch.pool.v[k->batch.pool.n++] = frame;
	kit_event(k, (struct pv_event){ .kind = PV_KIND_SAMPLE_HIT,
			     .hit = { .thread = THREAD, .frames = frames } });
}

/* A body that was compiled on another thread: its samples come first in a stream. */
START_TEST(samples_of_before_the_log_says_which_method_it_is)
{
	static const uint64_t steps[] = { 0, 0, 0x30, 71 };
	struct kit k = world(CORPUS "/plain.dll", "");
	struct pv_line_sums sums;
	map_of(&k, CODE, SIZE, EACH_NEXT, steps, 4);
	for (int i = 0; i < 5; i++)
		sample_of(&k, CODE + 0x32);
	kit_flush(&k);
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_METHOD_NAME,
			      .meta = { .key = CODE + 0x32, .name = { "Run()", 5 } } });
	for (int i = 0; i < 7; i++)
		sample_of(&k, CODE + 0x32);
	kit_flush(&k);
	pv_model_lock(k.m);
	ck_assert(pv_line_sums(k.m, false, &sums));
	ck_assert_uint_eq(sums.line.n, 2);
	ck_assert_uint_eq(sums.line.v[1].line, 18);
	ck_assert_uint_eq(sums.line.v[1].self[PV_LINE_SAMPLES], 12);
	ck_assert_uint_eq(sums.line.v[0].self[PV_LINE_SAMPLES], 0);
	pv_line_sums_finish(&sums);
	pv_model_unlock(k.m);
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, &(struct pv_query){ 0 });
	ck_assert_uint_eq(kit_cell(t, kit_row(t, "name", "Run()"), "samples_self")->u, 12);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(each_body_has_its_own_map_and_the_newest_holds)
{
	static const uint64_t first[] = { 0, 71 }, second[] = { 0, 39 };
	struct kit k = world(CORPUS "/embedded.dll", "");
	struct kit other = world(CORPUS "/plain.dll", "");
	const char *file;
	map_of(&other, CODE, SIZE, EACH_NEXT, first, 2);
	map_of(&other, CODE + SIZE, SIZE, WAIT_NEXT, second, 2);
	ck_assert_uint_eq(line_at(&other, CODE + 1, &file), 18);
	ck_assert_uint_eq(line_at(&other, CODE + SIZE, &file), 10);
	map_of(&other, CODE, SIZE, WAIT_NEXT, second, 2);
	ck_assert_uint_eq(line_at(&other, CODE + 2, &file), 10);
	map_of(&k, CODE, SIZE, 1, first, 2);
	ck_assert_uint_ne(line_at(&k, CODE, &file), 0);
	kit_free(&other);
	kit_free(&k);
}
END_TEST

START_TEST(what_cannot_be_is_left_out)
{
	static const uint64_t steps[] = { 0, 71, UINT64_MAX, 5 };
	struct kit k = world(CORPUS "/plain.dll", "");
	const char *file;
	map_of(&k, CODE, 0, EACH_NEXT, steps, 4);
	map_of(&k, CODE, UINT64_MAX, EACH_NEXT, steps, 4);
	map_of(&k, CODE, SIZE, EACH_NEXT, steps, 0);
	map_of(&k, CODE, SIZE, UINT64_C(1) << 40, steps, 4);
	ck_assert_uint_eq(line_at(&k, CODE, &file), 0);
	ck_assert_uint_eq(k.m->lines.il.dropped, 4);
	map_of(&k, CODE, SIZE, 0xffffff, steps, 4); /* no such method */
	ck_assert_uint_eq(line_at(&k, CODE + 1, &file), 0);
	map_of(&k, CODE, SIZE, EACH_NEXT, steps, 4);
	ck_assert_uint_eq(line_at(&k, CODE + 2, &file), 18);
	for (int i = 0; i < 2 * PV_IL_BODIES; i++)
		map_of(&k, CODE, SIZE, WAIT_NEXT, steps, 4);
	line_at(&k, CODE + 3, &file);
	ck_assert_uint_eq(k.m->lines.il.map.n, 1 + PV_IL_BODIES);
	kit_free(&k);
}
END_TEST

START_TEST(no_line_of_another_build_or_of_what_is_no_module)
{
	static const uint64_t steps[] = { 0, 71 };
	static const char *const modules[] = { CORPUS "/plain.pdb", "/dev/zero", CORPUS,
		"/no/where.dll", "" };
	const char *file;
	struct kit k = world(CORPUS "/plain.dll", "00000000-0000-0000-0000-000000000000");
	map_of(&k, CODE, SIZE, EACH_NEXT, steps, 2);
	ck_assert_uint_eq(line_at(&k, CODE, &file), 0);
	kit_free(&k);
	for (size_t i = 0; i < PV_COUNT_OF(modules); i++) {
		k = world(modules[i], "");
		map_of(&k, CODE, SIZE, EACH_NEXT, steps, 2);
		ck_assert_uint_eq(line_at(&k, CODE, &file), 0);
		kit_free(&k);
	}
}
END_TEST

START_TEST(callers_have_the_line_that_calls)
{
	static const uint64_t steps[] = { 0, 32, 0x30, 71 };
	struct kit k = world(CORPUS "/plain.dll", "");
	struct pv_line_sums sums;
	kit_method(&k, INNER, "Inner()");
	map_of(&k, CODE, SIZE, EACH_NEXT, steps, 4);
	kit_event(&k,
		(struct pv_event){ .kind = PV_KIND_EXT_PLACE, .code_place = { CODE + 0x32, RUN } });
	for (int i = 0; i < 7; i++)
		kit_sample(&k, THREAD, 0x9000, (const uint64_t[]){ INNER, CODE + 0x32, 0 });
	kit_flush(&k);
	pv_model_lock(k.m);
	ck_assert(pv_line_sums(k.m, false, &sums));
	ck_assert_uint_eq(sums.line.n, 2);
	ck_assert_uint_eq(sums.line.v[1].line, 18);
	ck_assert_uint_eq(sums.line.v[1].total[PV_LINE_SAMPLES], 7);
	ck_assert_uint_eq(sums.line.v[1].self[PV_LINE_SAMPLES], 0);
	pv_line_sums_finish(&sums);
	pv_model_unlock(k.m);
	/* Without an address of its own the innermost frame is not at the caller's line either. */
	struct pv_span frames = { (uint32_t)k.batch.pool.n, 2 };
	kit_must(pv_reserve(&k.batch.pool, 2));
	k.batch.pool.v[k.batch.pool.n++] = INNER;
	k.batch.pool.v[k.batch.pool.n++] = CODE + 0x32;
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_SAMPLE_HIT,
			      .hit = { .thread = THREAD, .frames = frames } });
	kit_flush(&k);
	pv_model_lock(k.m);
	ck_assert(pv_line_sums(k.m, false, &sums));
	ck_assert_uint_eq(sums.line.v[1].self[PV_LINE_SAMPLES], 0);
	ck_assert_uint_eq(sums.line.v[1].total[PV_LINE_SAMPLES], 8);
	pv_line_sums_finish(&sums);
	pv_model_unlock(k.m);
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, &(struct pv_query){ 0 });
	ck_assert_ptr_nonnull(kit_row(t, "name", "Run()"));
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* The view of the source of a module's one sample; it lies below `at` here. */
static struct pv_table *source_of(const char *module, const char *at, struct kit *ret)
{
	static const uint64_t steps[] = { 0, 71 };
	struct pv_source_maps maps = { 0 };
	const char *file;
	char map[200];
	snprintf(map, sizeof map, "/s=%s", at);
	kit_must(pv_source_maps_add(&maps, map));
	*ret = world(module, "");
	map_of(ret, CODE, SIZE, EACH_NEXT, steps, 2);
	ck_assert_uint_eq(line_at(ret, CODE, &file), 18);
	return kit_view(ret, PV_VIEW_SOURCE_LINES,
		&(struct pv_query){ .source = &(struct pv_source_wish){ .maps = &maps } });
}

START_TEST(the_source_is_the_one_that_was_built)
{
	char folder[] = "/tmp/pv-il-XXXXXX", path[64];
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/seed.cs", folder);
	struct kit k;
	struct pv_table *t = source_of(CORPUS "/plain.dll", folder, &k);
	ck_assert_msg(strstr(t->about, "is not shown"), "%s", t->about);
	pv_table_destroy(t);
	kit_free(&k);
	FILE *f = fopen(path, "w");
	ck_assert(f && fputs("another\n", f) >= 0 && fclose(f) == 0);
	t = source_of(CORPUS "/plain.dll", folder, &k);
	ck_assert_msg(strstr(t->about, "another checksum"), "%s", t->about);
	pv_table_destroy(t);
	kit_free(&k);
	t = source_of(CORPUS "/embedded.dll", folder, &k);
	ck_assert_msg(strstr(t->about, "as it was built, from the PDB"), "%s", t->about);
	ck_assert_ptr_nonnull(strstr(kit_cell(t, &t->row[17], "text")->s, "yield"));
	pv_table_destroy(t);
	kit_free(&k);
	unlink(path);
	rmdir(folder);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("lines of IL");
	TCase *t = tcase_create("il");
	tcase_add_test(t, each_address_has_the_line_of_its_place_in_the_il);
	tcase_add_test(t, a_body_that_begins_in_a_loop_has_no_line_before_its_first);
	tcase_add_test(t, samples_of_before_the_log_says_which_method_it_is);
	tcase_add_test(t, each_body_has_its_own_map_and_the_newest_holds);
	tcase_add_test(t, what_cannot_be_is_left_out);
	tcase_add_test(t, no_line_of_another_build_or_of_what_is_no_module);
	tcase_add_test(t, callers_have_the_line_that_calls);
	tcase_add_test(t, the_source_is_the_one_that_was_built);
	suite_add_tcase(s, t);
	return run_suite(s);
}
