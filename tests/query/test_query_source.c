/* SPDX-License-Identifier: MIT */
/* The view of a source file: samples by line next to the text, what is said of it, what is not read. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/status.h"
#include "common/query/source_text.h"
#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum {
	RUN = 0x100,
	MIX = 0x110,
	LIBRARY = 0x120,
	CLASS = 0x200,
	CODE = 0x5000,
	RUN_CALLS = CODE + 4,
	MIX_CALLS = CODE + 0x1014,
	THREAD = 0x10
};

static char folder[] = "/tmp/pv-source-XXXXXX";
static char path[64];

static void write_file(const char *text, size_t len)
{
	FILE *f = fopen(path, "w");
	kit_must(f && fwrite(text, 1, len, f) == len && fclose(f) == 0);
}

static void lines_of(struct kit *k, uint64_t method, uint64_t code, const char *file)
{
	struct pv_span pairs = { (uint32_t)k->batch.pool.n, 4 };
	const uint64_t v[] = { 0, 2, 0x10, 3 };
	kit_must(pv_reserve(&k->batch.pool, 4));
	memcpy(k->batch.pool.v + k->batch.pool.n, v, sizeof v);
	k->batch.pool.n += 4;
	kit_event(k, (struct pv_event){ .kind = PV_KIND_METHOD_JIT,
			     .jit = { .method = method, .code = code, .size = 0x100 } });
	kit_event(k, (struct pv_event){ .kind = PV_KIND_EXT_LINES,
			     .lines = { .method = method,
				     .file = { file, strlen(file) },
				     .pairs = pairs } });
}

/* 20 samples at line 2 of the file, 1 at line 3; 30 at line 2 of a file that is nowhere. */
static struct kit world(void)
{
	struct kit k = kit_new("log:sample");
	kit_method(&k, RUN, "Run()");
	kit_method(&k, MIX, "Mix()");
	lines_of(&k, RUN, CODE, path);
	lines_of(&k, MIX, CODE + 0x1000, "/no/where.cs");
	for (int i = 0; i < 51; i++)
		kit_sample(&k, THREAD,
			i < 20   ? CODE
			: i < 21 ? CODE + 0x10
				 : CODE + 0x1000,
			(const uint64_t[]){ i < 21 ? RUN : MIX, 0 });
	return k;
}

static struct pv_table *ask(struct kit *k, const struct pv_source_wish *wish)
{
	return kit_view(k, PV_VIEW_SOURCE_LINES, &(struct pv_query){ .source = wish });
}

static const char *text_of(const struct pv_table *t, size_t row)
{
	return kit_cell(t, &t->row[row], "text")->s;
}

START_TEST(every_line_has_its_text_and_some_their_samples)
{
	static const char *const figures[] = { "samples_self", "samples", "line", "text", NULL };
	static const char text[] = "a\n\tif (x)\t// y\nsum += v;\r\nlast";
	struct kit k = world();
	write_file(text, sizeof text - 1);
	struct pv_table *t = ask(&k, &(struct pv_source_wish){ .method = "Run()" });
	ck_assert_uint_eq(t->rows, 4);
	ck_assert_str_eq(kit_text(t, 0, figures), "- - 1 a");
	ck_assert_str_eq(kit_text(t, 1, figures), "20 20 2     if (x)  // y");
	ck_assert_str_eq(kit_text(t, 2, figures), "1 1 3 sum += v;");
	ck_assert_str_eq(text_of(t, 3), "last");
	ck_assert_uint_eq(t->row[1].flags, PV_ROW_HOT | PV_ROW_MARKED);
	ck_assert_uint_eq(t->row[2].flags, 0); /* a twentieth of the hottest is none */
	ck_assert_msg(strncmp(t->about, path, strlen(path)) == 0 && strstr(t->about, "41.2 %"),
		"%s", t->about);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(without_a_wish_it_is_the_hottest_file)
{
	struct kit k = world();
	write_file("a\nb\nc\n", 6);
	struct pv_table *t = ask(&k, NULL);
	ck_assert_uint_eq(t->rows, 1);
	ck_assert_uint_eq(kit_cell(t, &t->row[0], "samples_self")->u, 30);
	ck_assert_msg(strstr(t->about, "/no/where.cs is not shown: No such file"), "%s", t->about);
	pv_table_destroy(t);
	t = ask(&k, &(struct pv_source_wish){ .method = "Other()" });
	ck_assert_msg(strstr(t->about, "no line of Other() is known; the hottest file: /no/where"),
		"%s", t->about);
	pv_table_destroy(t);
	t = ask(&k, &(struct pv_source_wish){ .file = path, .line = 3 });
	ck_assert_uint_eq(t->rows, 3);
	ck_assert_uint_eq(t->row[2].flags, PV_ROW_MARKED);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(a_map_says_where_files_lie_here)
{
	struct pv_source_maps maps = { .n = 0 };
	char map[128];
	struct kit k = world();
	write_file("a\nb\nc\n", 6);
	rename(path, strcat(strcpy(map, folder), "/where.cs"));
	ck_assert(pv_source_maps_add(&maps, "/no/wher=/wrong")); /* no folder above it */
	snprintf(map, sizeof map, "/no/=%s/", folder);
	ck_assert(pv_source_maps_add(&maps, map));
	struct pv_table *t =
		ask(&k, &(struct pv_source_wish){ .file = "/no/where.cs", .maps = &maps });
	ck_assert_uint_eq(t->rows, 3);
	ck_assert_str_eq(text_of(t, 1), "b");
	pv_table_destroy(t);
	ck_assert(!pv_source_map_is("/a"));
	ck_assert(!pv_source_map_is("=/a"));
	ck_assert(!pv_source_map_is("/a="));
	kit_free(&k);
	snprintf(map, sizeof map, "%s/where.cs", folder);
	unlink(map);
}
END_TEST

START_TEST(it_is_said_when_the_text_is_not_what_was_built)
{
	struct kit k = world();
	k.m->target.start_time_ms = 1000000000000; /* 2001: any file is younger */
	write_file("a\nb\n", 4);
	struct pv_table *t = ask(&k, &(struct pv_source_wish){ .file = path });
	ck_assert_msg(strstr(t->about, "CHANGED"), "%s", t->about);
	ck_assert_uint_eq(t->rows, 3); /* the samples of line 3 have no text */
	ck_assert_int_eq(kit_cell(t, &t->row[2], "text")->state, PV_CELL_NULL);
	pv_table_destroy(t);
	k.m->target.start_time_ms = 4000000000000;
	t = ask(&k, &(struct pv_source_wish){ .file = path });
	ck_assert_msg(strstr(t->about, "SHORTER") && !strstr(t->about, "CHANGED"), "%s", t->about);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(what_is_no_regular_file_is_not_read)
{
	struct pv_source_text text;
	char pipe[96];
	snprintf(pipe, sizeof pipe, "%s/pipe", folder);
	ck_assert_int_eq(mkfifo(pipe, 0600), 0);
	const char *const no[] = { pipe, "/dev/zero", folder, "/dev/tty" };
	for (size_t i = 0; i < 4; i++) {
		ck_assert(pv_source_text_read(no[i], NULL, PV_CHECKSUM_NONE, &text));
		ck_assert_msg(text.why && text.lines == 0, "%s was read", no[i]);
		pv_source_text_finish(&text);
	}
	unlink(pipe);
	write_file("", 0);
	ck_assert_int_eq(truncate(path, PV_SOURCE_MOST), 0);
	ck_assert(pv_source_text_read(path, NULL, PV_CHECKSUM_NONE, &text));
	ck_assert_str_eq(text.why, "it has 16 MiB or more");
	pv_source_text_finish(&text);
}
END_TEST

START_TEST(hostile_text_is_bounded)
{
	enum { LINES = PV_SOURCE_LINES + 20 };
	static char text[LINES];
	struct pv_source_text t;
	memset(text, '\n', sizeof text);
	memcpy(text, "x\0y\x1b[2J", 8);
	write_file(text, sizeof text);
	ck_assert(pv_source_text_read(path, NULL, PV_CHECKSUM_NONE, &t));
	ck_assert(t.cut);
	ck_assert_uint_eq(t.lines, PV_SOURCE_LINES);
	ck_assert_str_eq(t.line[0], "x");
	pv_source_text_finish(&t);
	unlink(path);
}
END_TEST

/* As probes write them: frames with a place, and frames of which only the method is known. */
static struct kit world_of_events(void)
{
	static const uint64_t stack[] = { RUN_CALLS, MIX_CALLS, LIBRARY, 0 },
			      outer[] = { RUN_CALLS, LIBRARY, 0 }, none[] = { LIBRARY, 0 };
	static const struct {
		uint64_t address, method;
	} places[] = { { RUN_CALLS, RUN }, { MIX_CALLS, MIX } };
	struct kit k = kit_new("log:alloc,monitor,exception");
	kit_method(&k, RUN, "Run()");
	kit_method(&k, MIX, "Mix()");
	kit_method(&k, LIBRARY, "Library()");
	kit_class(&k, CLASS, "Class");
	lines_of(&k, RUN, CODE, path);
	lines_of(&k, MIX, CODE + 0x1000, "/no/where.cs");
	for (size_t i = 0; i < PV_COUNT_OF(places); i++)
		kit_event(&k, (struct pv_event){ .kind = PV_KIND_EXT_PLACE,
				      .code_place = { places[i].address, places[i].method } });
	for (uint64_t i = 0; i < 10; i++)
		kit_alloc(&k, CLASS, 0x9000 + 64 * i, 40, i < 7 ? stack : i < 9 ? outer : none);
	kit_throw(&k, 0x9000, outer);
	kit_at(&k, 1000);
	kit_monitor(&k, PV_KIND_MONITOR_CONTENTION, 0x9040, stack);
	kit_at(&k, 3000);
	kit_monitor(&k, PV_KIND_MONITOR_DONE, 0x9040, stack);
	kit_at(&k, 4000);
	kit_monitor(&k, PV_KIND_MONITOR_CONTENTION, 0x9040, outer);
	kit_at(&k, 9000); /* and waits still */
	kit_throw(&k, 0x9000, none);
	return k;
}

START_TEST(what_stacks_did_is_at_the_innermost_line_that_is_known)
{
	static const char *const figures[] = { "line", "file", "allocations", "allocated_bytes",
		"allocated_bytes_total", "contentions", "wait_ns", "wait_total_ns", "thrown",
		"thrown_total", "samples", NULL };
	char second[128];
	struct kit k = world_of_events();
	struct pv_table *t = kit_view(&k, PV_VIEW_LINES, &(struct pv_query){ 0 });
	ck_assert_uint_eq(t->rows, 3);
	ck_assert_str_eq(
		kit_text(t, 0, figures), "3 /no/where.cs 7 280 280 1 2000000 2000000 0 0 -");
	snprintf(second, sizeof second, "2 %s 2 80 360 1 5000000 7000000 1 1 -", path);
	ck_assert_str_eq(kit_text(t, 1, figures), second);
	ck_assert_str_eq(kit_text(t, 2, figures), "- (no line is known) 1 40 40 0 0 0 1 1 -");
	ck_assert(t->column[pv_table_column(t, "samples_self")].flags & PV_COLUMN_HIDE_SCREEN);
	ck_assert(!(t->column[pv_table_column(t, "thrown")].flags & PV_COLUMN_HIDE_SCREEN));
	pv_table_destroy(t);
	write_file("a\nb\nc\n", 6);
	t = ask(&k, &(struct pv_source_wish){ .file = path });
	ck_assert_uint_eq(t->rows, 3);
	ck_assert_uint_eq(t->row[1].flags, PV_ROW_HOT | PV_ROW_MARKED);
	ck_assert_uint_eq(kit_cell(t, &t->row[1], "allocated_bytes_total")->u, 360);
	ck_assert_msg(strstr(t->about, ", 20 % of 400 B allocated"), "%s", t->about);
	pv_table_destroy(t);
	unlink(path);
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("source lines");
	TCase *t = tcase_create("all");
	kit_must(mkdtemp(folder) != NULL);
	snprintf(path, sizeof path, "%s/a.cs", folder);
	tcase_add_test(t, every_line_has_its_text_and_some_their_samples);
	tcase_add_test(t, without_a_wish_it_is_the_hottest_file);
	tcase_add_test(t, a_map_says_where_files_lie_here);
	tcase_add_test(t, it_is_said_when_the_text_is_not_what_was_built);
	tcase_add_test(t, what_is_no_regular_file_is_not_read);
	tcase_add_test(t, what_stacks_did_is_at_the_innermost_line_that_is_known);
	tcase_add_test(t, hostile_text_is_bounded);
	suite_add_tcase(s, t);
	int code = run_suite(s);
	rmdir(folder);
	return code;
}
