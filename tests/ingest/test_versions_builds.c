/* SPDX-License-Identifier: MIT */
/*
 * Layouts of development builds and of other writers that reuse a data version's number: each is
 * found by trying, and a log of a release never is taken for one.
 */
#include <stdio.h>

#include "common/format/mlpd/mlpd_layout.h"
#include "tests/kit/event_text.h"
#include "tests/kit/suite.h"
#include "tests/kit/wire.h"
#include "tests/kit/wire_rows.h"

static const struct build {
	uint8_t says, rules, layout;
} builds[] = {
	{ 5, 5, MLPD_OPEN_PSS },
	{ 13, 12, MLPD_SYNC_12 },
	{ 14, 14, MLPD_NARROW_ROOTS },
	{ 14, 14, MLPD_NARROW_ROOTS | MLPD_TYPED_HITS },
	{ 14, 14, MLPD_NARROW_ROOTS | MLPD_TYPED_HITS | MLPD_HELPERS_13 },
	{ 14, 14, MLPD_NEW_ROOTS },
	{ 15, 14, MLPD_WIDE_COUNTERS },
	{ 16, 16, MLPD_EARLY_16 },
};

/* One buffer with every kind of the format, four times; counts its events. */
static size_t fill(struct wire *w, struct mlpd_format f)
{
	struct pv_batch pools = { 0 };
	size_t n = 0;
	wire_init(w);
	w->format = f;
	wire_buffer(w, 1);
	for (size_t r = 0; r < 4 * mlpd_row_count; r++) {
		const struct mlpd_row *row = &mlpd_rows[r / 4];
		if (!wire_row_is_written(row, &f))
			continue;
		struct pv_event e = wire_row_event(row, &f, (unsigned)r + 3, &pools);
		wire_event(w, &e, &pools);
		n++;
	}
	pv_batch_finish(&pools);
	return n;
}

static void load(struct pv_batch *b, const struct wire *w)
{
	pv_batch_reset(b);
	ck_assert(pv_reserve(&b->bytes, w->events.n + 1));
	memcpy(b->bytes.v, w->events.v, w->events.n);
	b->bytes.n = w->events.n;
}

START_TEST(a_layout_is_found_by_its_events)
{
	const struct build *x = &builds[_i];
	struct mlpd_format is = { x->rules, 2, 8, x->layout }, f = { x->says, 2, 8, 0 };
	struct wire w;
	struct pv_batch b = { 0 };
	struct mlpd_bases bases;
	bool changed;
	size_t used, n = fill(&w, is);
	load(&b, &w);
	mlpd_bases_init(&bases, &w.head);
	struct mlpd_layout_probe t = { .says = x->says, .start = bases };
	ck_assert(mlpd_decode_batch(&b, &bases, &f, false, &used));
	ck_assert_msg(b.damaged, "the release's rules took it");
	ck_assert(mlpd_try_layouts(&b, &t, &f, &changed));
	ck_assert(changed && !b.damaged);
	ck_assert_uint_eq(f.data_version, x->rules);
	ck_assert_uint_eq(f.layout, x->layout);
	ck_assert_uint_eq(b.n, n);
	pv_batch_finish(&b);
	wire_finish(&w);
}
END_TEST

START_TEST(a_damaged_release_stays_a_release)
{
	struct mlpd_format f = { (uint8_t)(_i + 1), 2, 8, 0 }, before = f;
	struct wire w;
	struct pv_batch b = { 0 };
	struct mlpd_bases bases;
	bool changed;
	size_t used;
	fill(&w, f);
	load(&b, &w);
	b.bytes.v[b.bytes.n / 2] = 0x6e;
	b.bytes.v[b.bytes.n / 2 + 1] = 0x6e;
	memset(b.bytes.v + b.bytes.n - 12, 0xff, 12);
	mlpd_bases_init(&bases, &w.head);
	struct mlpd_layout_probe t = { .says = f.data_version, .start = bases };
	ck_assert(mlpd_decode_batch(&b, &bases, &f, false, &used));
	ck_assert(b.damaged);
	size_t n = b.n;
	uint64_t bytes = b.damage_bytes;
	ck_assert(mlpd_try_layouts(&b, &t, &f, &changed));
	ck_assert(!changed && b.damaged);
	ck_assert_mem_eq(&f, &before, sizeof f);
	ck_assert_uint_eq(b.n, n);
	ck_assert_uint_eq(b.damage_bytes, bytes);
	pv_batch_finish(&b);
	wire_finish(&w);
}
END_TEST

/* Bytes by hand, with the bases of the vectors: see test_codec. */
static const struct vector {
	uint8_t rules, layout;
	const char *hex, *text;
} vectors[] = {
	{ 12, MLPD_SYNC_12, "0a 01 02", "SYNC_POINT_12 t=1001 type=2" },
	{ 14, MLPD_NARROW_ROOTS, "36 01 01 07 01 82 05", "ROOTS_BYTE t=1001 roots=[1008 82 5]" },
	{ 14, MLPD_HELPERS_13, "36 01 01 07 01 02 05", "ROOTS_NUMBER t=1001 roots=[1008 4 5]" },
	{ 14, MLPD_NEW_ROOTS, "36 01 01 00 01", "ROOTS_14 t=1001 roots=[1000 1008]" },
	{ 14, MLPD_NEW_ROOTS, "46 01 08 08 02 08 54 00",
		"ROOT_ADD_14 t=1001 start=1008 size=8 source=2 key=1008 name=\"T\"" },
	{ 14, MLPD_NEW_ROOTS, "56 01 08", "ROOT_GONE_14 t=1001 start=1008" },
	{ 14, MLPD_TYPED_HITS, "07 01 01 02 01 03 01 10",
		"HIT_14 t=1001 type=1 thread=1002 ips=[1003] frames=[5010]" },
	{ 14, MLPD_HELPERS_13, "18 01 06 10 20 6e 00",
		"HELPER_14 t=1001 type=5 address=1010 size=20 name=\"n\"" },
	{ 14, MLPD_WIDE_COUNTERS, "37 01 01 80 02 67 00 03 80 80 80 08 80 80 80 80 01 01",
		"DESCRIBE_14 t=1001 list=[100//g/3/1000000/10000000/1]" },
	{ 14, MLPD_WIDE_COUNTERS, "47 05 01 83 00 02 00", "COUNTERS_14 t=1005 list=[1:3:2:]" },
	{ 16, MLPD_EARLY_16, "22 01 02 01 69 00", "IMAGE_LOAD_16 t=1001 key=1001 name=\"i\"" },
	{ 16, MLPD_EARLY_16, "26 05 01 10 20 01 10 02",
		"HEAP_OBJECT_16 t=1005 object=1008 type=1010 size=20 refs=[10 1010]" },
	{ 5, MLPD_OPEN_PSS, "83 01 10 4d 00", "PSS_JIT t=1001 method=5010 name=\"M\"" },
	{ 5, MLPD_OPEN_PSS, "43 01 10 08 20", "PSS_CODE t=1001 method=5010 code=1008 size=20" },
};

START_TEST(bytes_written_by_hand_say_what_those_builds_meant)
{
	const struct vector *v = &vectors[_i];
	const struct mlpd_buffer_header h = {
		.time_base = 1000, .ptr_base = 0x1000, .obj_base = 0x200, .method_base = 0x5000
	};
	struct mlpd_format f = { v->rules, 2, 8, v->layout };
	struct mlpd_bases bases;
	struct pv_batch pools = { 0 };
	struct pv_event e;
	uint8_t bytes[64];
	size_t n = 0;
	unsigned byte;
	char text[512];
	const char *hex = v->hex;
	for (int used; sscanf(hex, " %2x%n", &byte, &used) == 1; hex += used)
		bytes[n++] = (uint8_t)byte;
	struct pv_cursor c = { .at = bytes, .end = bytes + n };
	mlpd_bases_init(&bases, &h);
	ck_assert_msg(mlpd_decode(&c, &bases, &f, &pools, &e) == MLPD_OK, "%s", v->text);
	ck_assert_uint_eq(pv_cursor_left(&c), 0);
	event_text(text, sizeof text, &e, &pools, v->rules);
	ck_assert_str_eq(text, v->text);
	pv_batch_finish(&pools);
}
END_TEST

START_TEST(every_row_of_a_layout_has_a_vector)
{
	for (size_t r = 0; r < mlpd_row_count; r++) {
		bool found = mlpd_rows[r].layout == 0;
		size_t len = strlen(mlpd_rows[r].symbol);
		for (size_t i = 0; i < PV_COUNT_OF(vectors) && !found; i++)
			found = strncmp(vectors[i].text, mlpd_rows[r].symbol, len) == 0 &&
				vectors[i].text[len] == ' ';
		ck_assert_msg(found, "%s", mlpd_rows[r].symbol);
	}
}
END_TEST

START_TEST(a_header_of_16_with_major_2_is_the_early_layout)
{
	struct mlpd_header h = { .format = { 16, 2, 8, 0 },
		.args = { "", 0 },
		.arch = { "", 0 },
		.os = { "", 0 } },
			   back;
	uint8_t bytes[128];
	struct pv_error e;
	struct pv_cursor c = { .at = bytes,
		.end = bytes + mlpd_put_header(bytes, sizeof bytes, &h) };
	ck_assert(mlpd_get_header(&c, &back, &e) == MLPD_OK);
	ck_assert_uint_eq(back.format.layout, MLPD_EARLY_16);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("builds");
	TCase *c = tcase_create("all");
	tcase_add_loop_test(c, a_layout_is_found_by_its_events, 0, PV_COUNT_OF(builds));
	tcase_add_loop_test(c, a_damaged_release_stays_a_release, 0, MLPD_NEWEST);
	tcase_add_loop_test(
		c, bytes_written_by_hand_say_what_those_builds_meant, 0, PV_COUNT_OF(vectors));
	tcase_add_test(c, every_row_of_a_layout_has_a_vector);
	tcase_add_test(c, a_header_of_16_with_major_2_is_the_early_layout);
	suite_add_tcase(s, c);
	return run_suite(s);
}
