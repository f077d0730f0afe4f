/* SPDX-License-Identifier: MIT */
/* Kinds of code, and only the user's: the rest is its caller's, and no sum changes. */
#include <string.h>

#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum { APP = 0x9000, LIBRARY, PACKAGE, GAC, SHIPPED, TOOL };

static const struct {
	uint64_t key;
	const char *path;
} images[] = {
	{ APP, "/home/me/shop/Shop.dll" },
	{ LIBRARY,
		"/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.12/System.Private.CoreLib.dll" },
	{ PACKAGE, "/home/me/shop/Newtonsoft.Json.dll" },
	{ GAC, "/usr/lib/mono/gac/System.Core/4.0/System.Core.dll" },
	{ SHIPPED, "/home/me/shop/Microsoft.Extensions.Logging.dll" },
	{ TOOL, "/usr/lib/mono/4.5/mcs.exe" },
};

static const struct {
	uint64_t key;
	const char *name, *class;
	uint64_t image;
	const char *kind;
} methods[] = {
	{ 0x101, "Shop.Cart:Run ()", "Shop.Cart", APP, "user" },
	{ 0x102, "System.Threading.Thread:Start ()", "System.Threading.Thread", LIBRARY,
		"framework" },
	{ 0x103, "Newtonsoft.Json.JsonReader:Read ()", "Newtonsoft.Json.JsonReader", PACKAGE,
		"user" },
	{ 0x104, "System.Linq.Enumerable:Sum<int> ()", "System.Linq.Enumerable", GAC, "framework" },
	{ 0x105, "Microsoft.Extensions.Logging.Logger:Log ()",
		"Microsoft.Extensions.Logging.Logger", SHIPPED, "framework" },
	{ 0x106, "Mono.CSharp.Driver:Main ()", "Mono.CSharp.Driver", TOOL, "user" },
	{ 0x107, "(wrapper managed-to-native) System.GC:InternalCollect (int)", NULL, 0,
		"runtime" },
	{ 0x108, "(dynamic) lambda_method1 ()", NULL, 0, "runtime" },
	{ 0x109, "System.Other:Unseen ()", NULL, 0, "framework" },
	{ 0x10a, "Shop.Other:Unseen ()", NULL, 0, "user" },
	{ 0x10b, "memcpy [libc.so.6]", NULL, 0, "native" },
	{ 0x10c, "GCHeap::Alloc [libcoreclr.so]", NULL, 0, "runtime" },
	{ 0x10d, "std::sort(int*) [libshop.so]", NULL, 0, "native" },
	{ 0x10e, "unresolved in mono-sgen", NULL, 0, "runtime" },
};

static void name_of(
	struct kit *k, enum pv_kind kind, uint64_t key, uint64_t image, const char *name)
{
	kit_event(k,
		(struct pv_event){ .kind = (uint8_t)kind,
			.meta = { .key = key, .image = image, .name = { name, strlen(name) } } });
}

static void load(struct kit *k)
{
	for (size_t i = 0; i < PV_COUNT_OF(images); i++)
		name_of(k, PV_KIND_IMAGE_LOAD, images[i].key, 0, images[i].path);
	for (size_t i = 0; i < PV_COUNT_OF(methods); i++) {
		kit_method(k, methods[i].key, methods[i].name);
		if (methods[i].class)
			name_of(k, PV_KIND_CLASS_LOAD, 0x5000 + methods[i].key, methods[i].image,
				methods[i].class);
	}
}

START_TEST(kinds)
{
	struct kit k = kit_new("log:nodefaults,calls");
	load(&k);
	for (size_t i = 0; i < PV_COUNT_OF(methods); i++) {
		kit_enter(&k, methods[i].key);
		kit_leave(&k, methods[i].key);
	}
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, NULL);
	for (size_t i = 0; i < PV_COUNT_OF(methods); i++)
		ck_assert_msg(strcmp(kit_cell(t, kit_row(t, "name", methods[i].name), "kind")->s,
				      methods[i].kind) == 0,
			"%s", methods[i].name);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* Without managed code what is not the system's is the user's. */
START_TEST(native_programs)
{
	static const char *const path[] = { "/home/me/shop", "/lib/x86_64-linux-gnu/libc.so.6",
		"/usr/lib/libz.so.1", "/opt/shop/libshop.so" };
	static const char *const want[] = { "user", "native", "native", "user" };
	struct kit k = kit_new("profview:native,sample");
	for (size_t i = 0; i < PV_COUNT_OF(path); i++) {
		kit_event(&k, (struct pv_event){ .kind = PV_KIND_SAMPLE_SYMBOL,
				      .symbol = { .address = 0x10000 * (i + 1),
					      .size = 0x1000,
					      .name = { path[i], strlen(path[i]) } } });
		kit_sample(&k, 1, 0x10000 * (i + 1) + 8, (const uint64_t[]){ 0 });
	}
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, NULL);
	ck_assert_uint_eq(t->rows, PV_COUNT_OF(path));
	for (size_t i = 0; i < t->rows; i++) {
		const char *name = kit_cell(t, &t->row[i], "name")->s;
		for (size_t p = 0; p < PV_COUNT_OF(path); p++)
			if (strstr(name, strrchr(path[p], '/') + 1))
				ck_assert_str_eq(kit_cell(t, &t->row[i], "kind")->s, want[p]);
	}
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* Code of the system's that lies in no file, or in each program. */
START_TEST(the_systems_own_code)
{
	static const char vdso[] = "linux-vdso.so.1";
	struct kit k = kit_new("profview:native,calls");
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_SAMPLE_SYMBOL,
			      .symbol = { 0x90000, 0x1000, .name = { vdso, sizeof vdso - 1 } } });
	static const char *const names[] = { "__vdso_clock_gettime", "_start", "main" };
	static const char *const want[] = { "native", "native", "user" };
	for (uint64_t i = 0; i < PV_COUNT_OF(names); i++) {
		kit_method(&k, 0x90ff + i, names[i]);
		kit_enter(&k, 0x90ff + i);
		kit_leave(&k, 0x90ff + i);
	}
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, NULL);
	for (size_t i = 0; i < PV_COUNT_OF(names); i++)
		ck_assert_str_eq(kit_cell(t, kit_row(t, "name", names[i]), "kind")->s, want[i]);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

enum { RUN = 0x101, START = 0x102, READ = 0x103, SUM = 0x104, COPY = 0x10b };

/*
 * Thread.Start 0..100 calls Run 10..90, which calls Sum 20..60, which calls Read 30..50 (a call
 * back), which calls memcpy 35..45; Run calls memcpy 70..80. Samples: one in Start, two in memcpy
 * below Read, one in Sum.
 */
static struct kit calls(void)
{
	static const struct {
		uint64_t us, method;
		bool enter;
	} step[] = { { 0, START, true }, { 10, RUN, true }, { 20, SUM, true }, { 30, READ, true },
		{ 35, COPY, true }, { 45, COPY, false }, { 50, READ, false }, { 60, SUM, false },
		{ 70, COPY, true }, { 80, COPY, false }, { 90, RUN, false },
		{ 100, START, false } };
	struct kit k = kit_new("log:nodefaults,calls,sample");
	load(&k);
	for (size_t i = 0; i < PV_COUNT_OF(step); i++) {
		kit_at(&k, step[i].us);
		if (step[i].enter)
			kit_enter(&k, step[i].method);
		else
			kit_leave(&k, step[i].method);
	}
	const uint64_t copying[] = { COPY, READ, SUM, RUN, START, 0 };
	kit_sample(&k, 0x10, 0x1, (const uint64_t[]){ START, 0 });
	kit_sample(&k, 0x10, 0x1, copying);
	kit_sample(&k, 0x10, 0x1, copying);
	kit_sample(&k, 0x10, 0x1, copying + 2);
	return k;
}

static const char *const figures[] = { "calls", "self_ns", "total_ns", "samples_total", NULL };

static void sums(const struct pv_table *t, const char *samples, uint64_t want_ns, uint64_t want)
{
	uint64_t ns = 0, n = 0;
	for (size_t i = 0; i < t->rows; i++) {
		ns += (uint64_t)kit_cell(t, &t->row[i], "self_ns")->i;
		n += kit_cell(t, &t->row[i], samples)->u;
	}
	ck_assert_uint_eq(ns, want_ns);
	ck_assert_uint_eq(n, want);
}

START_TEST(others_are_their_callers)
{
	struct kit k = calls();
	const struct pv_query q = { .my_code = true, .open_all = true, .sort = "total_ns" };
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, &q);
	sums(t, "samples_self", 100000, 4);
	pv_table_destroy(t);
	t = kit_view(&k, PV_VIEW_CALL_TREE, &q);
	ck_assert_uint_eq(t->rows, 3);
	static const char *const want[] = { "1 60000 80000 3", "1 20000 20000 2",
		"1 20000 20000 1" };
	for (size_t i = 0; i < PV_COUNT_OF(want); i++)
		ck_assert_str_eq(kit_text(t, i, figures), want[i]);
	pv_table_destroy(t);
	t = kit_view(&k, PV_VIEW_METHODS, NULL);
	sums(t, "samples_self", 100000, 4);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(callers_and_callees)
{
	struct kit k = calls();
	struct pv_query q = { .my_code = true };
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, &q);
	q.select = kit_row(t, "name", "Newtonsoft.Json.JsonReader:Read ()")->id;
	pv_table_destroy(t);
	t = kit_view(&k, PV_VIEW_CALLERS, &q);
	ck_assert_uint_eq(t->rows, 1);
	ck_assert_str_eq(kit_cell(t, &t->row[0], "name")->s, "Shop.Cart:Run ()");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* libc's start of a thread is no bucket: the framework below it is, and the program's code none. */
START_TEST(frames_that_start_a_thread_are_nobodys)
{
	enum { CLONE = 0x701, POOL = 0x702, IDLE = 0x703, CART = 0x704 };
	struct kit k = kit_new("profview:clr,sample=100,sample-timer=cpu:100");
	const uint64_t idle[] = { IDLE, POOL, CLONE, 0 }, own[] = { CART, POOL, CLONE, 0 };
	const struct pv_query q = { .my_code = true, .sort = "samples_self" };
	static const char *const cells[] = { "name", "kind", "samples_self", NULL };
	kit_thread(&k, 0x10);
	kit_method(&k, CLONE, "__clone3 [libc.so.6]");
	kit_method(&k, POOL, "System.Threading.Thread:StartCallback ()");
	kit_method(&k, IDLE, "Microsoft.AspNetCore.Hosting.Server:Work ()");
	kit_method(&k, CART, "Shop.Cart:Run ()");
	for (int i = 0; i < 3; i++)
		kit_sample(&k, 0x10, 0x1, idle);
	kit_sample(&k, 0x10, 0x1, own);
	kit_sample(&k, 0x10, 0x1, (const uint64_t[]){ CLONE, 0 });
	kit_flush(&k);
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, &q);
	ck_assert_str_eq(
		kit_text(t, 0, cells), "System.Threading.Thread:StartCallback () framework 3");
	ck_assert_str_eq(kit_text(t, 1, cells), "Shop.Cart:Run () user 1");
	ck_assert_str_eq(kit_text(t, 2, cells), "__clone3 [libc.so.6] native 1");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("kinds of code");
	TCase *c = tcase_create("all");
	tcase_add_test(c, kinds);
	tcase_add_test(c, native_programs);
	tcase_add_test(c, the_systems_own_code);
	tcase_add_test(c, others_are_their_callers);
	tcase_add_test(c, callers_and_callees);
	tcase_add_test(c, frames_that_start_a_thread_are_nobodys);
	suite_add_tcase(s, c);
	return run_suite(s);
}
