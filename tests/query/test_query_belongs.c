/* SPDX-License-Identifier: MIT */
/* Methods and classes put together, distinguished and chosen by what they belong to. */
#include <string.h>

#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum {
	RUN = 0xa0,
	STEP = 0xb0,
	FILL = 0xc0,
	WRAP = 0xd0,
	RED = 0x500,
	LIST = 0x600,
	BLUE = 0x700,
	CORLIB = 0x1000,
	PLUG = 0x1100,
	ASSEMBLY = 0x1200
};

static void named(struct kit *k, enum pv_kind kind, uint64_t key, uint64_t image, const char *name)
{
	kit_event(k,
		(struct pv_event){ .kind = (uint8_t)kind,
			.meta = { .key = key, .image = image, .name = { name, strlen(name) } } });
}

static void class_in(struct kit *k, uint64_t key, uint64_t image, const char *name)
{
	named(k, PV_KIND_CLASS_LOAD, key, image, name);
	for (uint64_t domain = 0; domain < 2; domain++)
		kit_event(k, (struct pv_event){ .kind = PV_KIND_VTABLE_LOAD,
				     .meta = { .key = key + 1 + domain,
					     .domain = domain,
					     .owner = key } });
}

static void alloc(struct kit *k, uint64_t vtable, uint64_t size)
{
	kit_alloc(k, vtable - 1, 0x8000, size, (const uint64_t[]){ RUN, STEP, 0 });
}

/* Two images, two domains; Run calls Step, which fills a list. */
static struct kit world(void)
{
	struct kit k = kit_new("nodefaults,calls,alloc");
	for (uint64_t domain = 0; domain < 2; domain++) {
		named(&k, PV_KIND_DOMAIN_LOAD, domain, 0, "");
		named(&k, PV_KIND_DOMAIN_NAME, domain, 0, domain ? "plugins" : "main");
	}
	named(&k, PV_KIND_IMAGE_LOAD, CORLIB, 0, "/lib/mscorlib.dll");
	named(&k, PV_KIND_IMAGE_LOAD, PLUG, 0, "/lib/plug.dll");
	named(&k, PV_KIND_ASSEMBLY_LOAD, ASSEMBLY, PLUG, "plug, Version=1");
	class_in(&k, RED, PLUG, "Game.Red");
	class_in(&k, BLUE, PLUG, "Blue");
	class_in(&k, LIST, CORLIB, "System.Collections.List<T>");
	kit_method(&k, RUN, "Game.Red:Run (int)");
	kit_method(&k, STEP, "Game.Red:Step ()");
	kit_method(&k, FILL, "System.Collections.List`1<int>:Add (int)");
	kit_method(&k, WRAP, "(wrapper managed-to-native) Blue:Call ()");
	kit_at(&k, 0);
	kit_enter(&k, RUN);
	kit_at(&k, 10);
	kit_enter(&k, STEP);
	kit_at(&k, 30);
	kit_enter(&k, FILL);
	kit_at(&k, 60);
	kit_leave(&k, FILL);
	kit_leave(&k, STEP);
	kit_enter(&k, WRAP);
	kit_at(&k, 64);
	kit_leave(&k, WRAP);
	kit_leave(&k, RUN);
	alloc(&k, RED + 1, 8);
	alloc(&k, RED + 2, 16);
	alloc(&k, BLUE + 1, 32);
	alloc(&k, LIST + 1, 64);
	kit_throw(&k, 0x8000, (const uint64_t[]){ 0 });
	kit_flush(&k);
	return k;
}

/* Calls, total, self and name of every row, sorted by the view. */
static void methods_are(struct kit *k, const struct pv_query *q, const char *const *rows)
{
	static const char *const columns[] = { "calls", "total_ns", "self_ns", "name", NULL };
	struct pv_table *t = kit_view(k, PV_VIEW_METHODS, q);
	size_t n = 0;
	for (; rows[n]; n++) {
		ck_assert_uint_lt(n, t->rows);
		ck_assert_str_eq(kit_text(t, n, columns), rows[n]);
	}
	ck_assert_uint_eq(t->rows, n);
	pv_table_destroy(t);
}

#define ROWS(...) ((const char *const[]){ __VA_ARGS__, NULL })

START_TEST(methods_are_put_together)
{
	struct kit k = world();
	methods_are(&k, &(struct pv_query){ .group = PV_BY_IMAGE },
		ROWS("3 64000 34000 /lib/plug.dll", "1 30000 30000 /lib/mscorlib.dll"));
	methods_are(&k, &(struct pv_query){ .group = PV_BY_ASSEMBLY },
		ROWS("3 64000 34000 plug, Version=1", "1 30000 30000 /lib/mscorlib.dll"));
	methods_are(&k, &(struct pv_query){ .group = PV_BY_NAMESPACE },
		ROWS("2 64000 30000 Game", "1 30000 30000 System.Collections",
			"1 4000 4000 (no namespace)"));
	methods_are(&k, &(struct pv_query){ .group = PV_BY_CLASS, .filter = "red" },
		ROWS("2 64000 30000 Game.Red"));
	methods_are(&k, &(struct pv_query){ .group = PV_BY_DOMAIN },
		ROWS("4 64000 64000 (not recorded)"));
	kit_free(&k);
}
END_TEST

static void native(struct kit *k, uint64_t address, uint64_t size, const char *name)
{
	kit_event(k, (struct pv_event){ .kind = PV_KIND_SAMPLE_SYMBOL,
			     .symbol = { address, size, 0, { name, strlen(name) } } });
}

/* Code that is in no assembly: native, by what is known of it; made while the program runs; nested.
 */
START_TEST(native_code_is_of_its_file)
{
	enum { BASE = 0x700000, LOST = 0x900000 };
	static const char *const name[] = { "__sin_fma [libm.so.6]", "[libc.so.6]",
		"/opt/x/libcoreclr.so", "std::sort(int [3]) [libstdc++.so.6]",
		"(dynamic):lambda_method3", "(wrapper dynamic-method) object:Call (int)",
		"[unknown code]", "Game.Red/<Wait>d__1:MoveNext ()", "Nowhere.At:All ()" };
	struct kit k = world();
	native(&k, BASE, 0x10000, "/usr/lib/libshop.so");
	native(&k, BASE + 0x100, 16, "shop_buy");
	for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
		kit_method(&k, 0xe00 + 16 * i, name[i]);
		kit_enter(&k, 0xe00 + 16 * i);
		kit_leave(&k, 0xe00 + 16 * i);
	}
	kit_sample(&k, 1, BASE + 0x104, (const uint64_t[]){ 0 });
	kit_sample(&k, 1, BASE + 0x8000, (const uint64_t[]){ 0 });
	kit_sample(&k, 1, LOST, (const uint64_t[]){ 0 });
	struct pv_table *t = kit_view(
		&k, PV_VIEW_METHODS, &(struct pv_query){ .group = PV_BY_ASSEMBLY, .waits = true });
	static const struct {
		const char *name;
		uint64_t calls, samples;
	} want[] = { { "libm.so.6", 1, 0 }, { "libc.so.6", 1, 0 }, { "libcoreclr.so", 1, 0 },
		{ "libstdc++.so.6", 1, 0 }, { "(dynamic)", 2, 0 }, { "(unknown code)", 1, 1 },
		{ "plug, Version=1", 4, 0 }, { "libshop.so", 0, 2 }, { "(not recorded)", 1, 0 } };
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		const struct pv_row *row = kit_row(t, "name", want[i].name);
		ck_assert_msg(row != NULL, "%s", want[i].name);
		ck_assert_uint_eq(kit_cell(t, row, "calls")->u, want[i].calls);
		ck_assert_uint_eq(kit_cell(t, row, "samples_self")->u, want[i].samples);
	}
	ck_assert_uint_eq(t->rows, sizeof want / sizeof *want + 1); /* and mscorlib */
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(methods_are_chosen_and_distinguished)
{
	struct kit k = world();
	methods_are(&k, &(struct pv_query){ .in_by = PV_BY_IMAGE, .in = "CORLIB" },
		ROWS("1 30000 30000 System.Collections.List`1<int>:Add (int)"));
	methods_are(&k, &(struct pv_query){ .in_by = PV_BY_IMAGE, .in = "nothing" }, ROWS(NULL));
	methods_are(&k,
		&(struct pv_query){ .in_by = PV_BY_CLASS, .in = "blue", .split = PV_BY_IMAGE },
		ROWS("1 4000 4000 (wrapper managed-to-native) Blue:Call () [/lib/plug.dll]"));
	kit_free(&k);
}
END_TEST

START_TEST(callers_are_put_together_like_their_methods)
{
	struct kit k = world();
	struct pv_query q = { .group = PV_BY_IMAGE };
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, &q);
	q.select = kit_row(t, "name", "/lib/mscorlib.dll")->id;
	struct pv_table *callers = kit_view(&k, PV_VIEW_CALLERS, &q);
	ck_assert_uint_eq(callers->rows, 1);
	const struct pv_row *row = kit_row(callers, "name", "/lib/plug.dll");
	ck_assert_uint_eq(kit_cell(callers, row, "calls")->u, 1);
	pv_table_destroy(callers);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

static uint64_t bytes_of(struct kit *k, const struct pv_query *q, const char *name, size_t rows)
{
	struct pv_table *t = kit_view(k, PV_VIEW_CLASSES, q);
	ck_assert_uint_eq(t->rows, rows);
	uint64_t bytes = kit_cell(t, kit_row(t, "name", name), "allocated_bytes")->u;
	pv_table_destroy(t);
	return bytes;
}

START_TEST(classes_by_image_and_domain)
{
	struct kit k = world();
	struct pv_query q = { .group = PV_BY_IMAGE };
	ck_assert_uint_eq(bytes_of(&k, &q, "/lib/plug.dll", 2), 8 + 16 + 32);
	q = (struct pv_query){ .group = PV_BY_DOMAIN };
	ck_assert_uint_eq(bytes_of(&k, &q, "main", 2), 8 + 32 + 64);
	ck_assert_uint_eq(bytes_of(&k, &q, "plugins", 2), 16);
	q = (struct pv_query){ .split = PV_BY_DOMAIN };
	ck_assert_uint_eq(bytes_of(&k, &q, "Game.Red [main]", 4), 8);
	ck_assert_uint_eq(bytes_of(&k, &q, "Game.Red [plugins]", 4), 16);
	q = (struct pv_query){ .in_by = PV_BY_DOMAIN, .in = "plug" };
	ck_assert_uint_eq(bytes_of(&k, &q, "Game.Red", 1), 16);
	q = (struct pv_query){ 0 };
	ck_assert_uint_eq(bytes_of(&k, &q, "Game.Red", 3), 24); /* by default one row */
	kit_free(&k);
}
END_TEST

START_TEST(sites_and_exceptions_follow)
{
	struct kit k = world();
	struct pv_query q = { .group = PV_BY_NAMESPACE };
	struct pv_table *t = kit_view(&k, PV_VIEW_ALLOCATION_SITES, &q);
	ck_assert_uint_eq(t->rows, 3); /* Game, System.Collections, (no namespace); one stack */
	pv_table_destroy(t);
	t = kit_view(&k, PV_VIEW_EXCEPTIONS, &q);
	ck_assert_uint_eq(t->rows, 1);
	kit_row(t, "name", "System.Collections");
	pv_table_destroy(t);
	q = (struct pv_query){ .in_by = PV_BY_IMAGE, .in = "plug" };
	t = kit_view(&k, PV_VIEW_ALLOCATION_SITES, &q);
	ck_assert_uint_eq(t->rows, 2);
	pv_table_destroy(t);
	t = kit_view(&k, PV_VIEW_EXCEPTIONS, &q);
	ck_assert_uint_eq(t->rows, 0);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("query belongs");
	TCase *t = tcase_create("belongs");
	tcase_add_test(t, methods_are_put_together);
	tcase_add_test(t, native_code_is_of_its_file);
	tcase_add_test(t, methods_are_chosen_and_distinguished);
	tcase_add_test(t, callers_are_put_together_like_their_methods);
	tcase_add_test(t, classes_by_image_and_domain);
	tcase_add_test(t, sites_and_exceptions_follow);
	suite_add_tcase(s, t);
	return run_suite(s);
}
