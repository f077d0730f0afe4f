/* SPDX-License-Identifier: MIT */
/* Further facts of a shot's objects in a log: inherited fields, elements, beginnings of strings. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/ingest/again/heap_read.h"
#include "common/query/views.h"
#include "common/report/heapsnapshot.h"
#include "tests/kit/heap_kit.h"
#include "tests/kit/logkit.h"
#include "tests/kit/range_kit.h"
#include "tests/kit/suite.h"

enum {
	OBJECT = 0x100, /* keys of classes */
	BASE = 0x500,
	HEIR = 0x600,
	LIST = 0x700,
	ENTRIES = 0x800,
	STRING = 0x900,
	HEIR_AT = 0x10000, /* addresses */
	LIST_AT = 0x20000,
	ENTRIES_AT = 0x30000,
	FIRST_AT = 0x40000,
	SECOND_AT = 0x50000,
};

static char path[] = "/tmp/pv-names-XXXXXX";

static struct pv_text text(const char *s)
{
	return (struct pv_text){ s, strlen(s) };
}

static void put_field(struct logkit *k, uint64_t owner, uint64_t offset, const char *name)
{
	struct pv_event e = { .kind = PV_KIND_EXT_FIELD,
		.field = { owner, offset, 0, text("t"), text(name) } };
	logkit_event(k, 1, e);
}

static void put_parent(struct logkit *k, uint64_t owner, uint64_t parent)
{
	struct pv_event e = { .kind = PV_KIND_EXT_PARENT, .class_parent = { owner, parent } };
	logkit_event(k, 1, e);
}

static void put_elements(struct logkit *k, uint64_t owner, uint64_t first, uint64_t size)
{
	struct pv_event e = { .kind = PV_KIND_EXT_ELEMENTS, .elements = { owner, first, size } };
	logkit_event(k, 1, e);
}

static void put_string(struct logkit *k, int64_t t, uint64_t object, uint64_t length, const char *s)
{
	struct pv_event e = { .kind = PV_KIND_EXT_STRING, .string = { object, length, text(s) } };
	logkit_event(k, t, e);
}

static void list(struct logkit *k, uint64_t object, uint64_t klass, struct pv_span refs)
{
	struct pv_event e = { .kind = PV_KIND_HEAP_OBJECT };
	e.heap_object.object = object;
	e.heap_object.type = logkit_type(k, klass);
	e.heap_object.size = 64;
	e.heap_object.refs = refs;
	logkit_event(k, 100, e);
}

static void put_classes(struct logkit *k)
{
	logkit_class(k, 0, OBJECT, "Object");
	logkit_class(k, 0, BASE, "Base");
	logkit_class(k, 0, HEIR, "Heir");
	logkit_class(k, 0, LIST, "Heir[]");
	logkit_class(k, 0, ENTRIES, "Entry[]");
	logkit_class(k, 0, STRING, "String");
	put_parent(k, HEIR, BASE);
	put_parent(k, BASE, OBJECT);
	put_field(k, BASE, 8, "label");
	put_field(k, HEIR, 16, "items");
	put_field(k, HEIR, 24, "place.owner");
	put_elements(k, LIST, 16, 8);
	put_elements(k, ENTRIES, 16, 24);
	put_field(k, ENTRIES, 24, "key");
	put_elements(k, STRING, 16, 0); /* no such thing */
}

/* One heir, with a list of itself and of nothing, and entries that hold two strings. */
static void write_log(void)
{
	struct logkit *k = logkit_new(17);
	put_classes(k);
	put_string(k, 50, FIRST_AT, 5, "early"); /* in no shot */
	logkit_plain(k, 100, PV_KIND_HEAP_START);
	struct pv_event root = { .kind = PV_KIND_HEAP_ROOTS };
	root.roots.width = 2;
	root.roots.roots = LOGKIT_LIST(k, 0x9010, HEIR_AT);
	logkit_event(k, 100, root);
	list(k, HEIR_AT, HEIR, LOGKIT_LIST(k, 8, FIRST_AT, 16, LIST_AT, 24, ENTRIES_AT));
	list(k, LIST_AT, LIST, LOGKIT_LIST(k, 8, HEIR_AT, 16 + 3 * 8, HEIR_AT));
	list(k, ENTRIES_AT, ENTRIES,
		LOGKIT_LIST(k, 24, FIRST_AT, 2 * 24 + 24, SECOND_AT, 2 * 24 + 32, SECOND_AT));
	list(k, SECOND_AT, STRING, (struct pv_span){ 0 });
	put_string(k, 100, SECOND_AT, 500, "second \"\n\x01\xc3\xa9");
	list(k, FIRST_AT, STRING, (struct pv_span){ 0 });
	put_string(k, 100, FIRST_AT, 3, "one");
	put_string(k, 100, FIRST_AT, 3, "two"); /* the first stays */
	logkit_plain(k, 200, PV_KIND_HEAP_END);
	put_string(k, 300, SECOND_AT, 4, "late");
	logkit_flush(k);
	FILE *f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(k->file.v, 1, k->file.n, f), k->file.n);
	ck_assert_int_eq(fclose(f), 0);
	logkit_free(k);
}

struct world {
	struct pv_ingest *in;
	struct pv_heap_read *read;
	const struct pv_heap *heap;
};

static struct world open_world(void)
{
	struct pv_error err = { 0 };
	write_log();
	struct world w = { .in = range_kit_load(path) };
	ck_assert_ptr_nonnull(w.in);
	w.read = pv_heap_read_start(w.in, &(struct pv_heap_read_options){ .shot = 0 }, &err);
	ck_assert_msg(w.read != NULL, "%s", err.what);
	pv_background_wait(pv_heap_read_job(w.read));
	w.heap = pv_heap_read_heap(w.read);
	ck_assert_ptr_nonnull(w.heap);
	return w;
}

static void close_world(struct world *w)
{
	pv_background_destroy(pv_heap_read_job(w->read));
	pv_ingest_destroy(w->in);
}

static struct pv_table *ask(struct world *w, enum pv_view view, struct pv_query q)
{
	q.heap = w->heap;
	struct pv_table *t = pv_view_table(pv_ingest_adopt(w->in), view, &q);
	ck_assert_ptr_nonnull(t);
	return t;
}

static uint64_t row_of(const struct world *w, uint64_t address)
{
	uint32_t node = pv_graph_find(&w->heap->graph, address);
	ck_assert_uint_ne(node, PV_GRAPH_NONE);
	return (uint64_t)node + 1;
}

static const struct pv_cell *cell(const struct pv_table *t, size_t row, const char *column)
{
	int at = pv_table_column(t, column);
	ck_assert_int_ge(at, 0);
	ck_assert_uint_lt(row, t->rows);
	return &t->row[row].cell[at];
}

static bool has(const struct pv_table *t, const char *column, const char *text)
{
	for (size_t i = 0; i < t->rows; i++) {
		const struct pv_cell *c = cell(t, i, column);
		if (c->state == PV_CELL_VALUE && strcmp(c->s, text) == 0)
			return true;
	}
	return false;
}

/* --- places */

static void check_references(struct world *w, uint64_t of, const char *const *want, size_t n)
{
	struct pv_table *t =
		ask(w, PV_VIEW_HEAP_REFERENCES, (struct pv_query){ .select = row_of(w, of) });
	ck_assert_uint_eq(t->rows, n);
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(has(t, "offset", want[i]), "%s", want[i]);
	pv_table_destroy(t);
}

START_TEST(fields_and_elements)
{
	struct world w = open_world();
	check_references(&w, HEIR_AT, (const char *const[]){ "label", "items", "place.owner" }, 3);
	/* A slot before the first element is no element. */
	check_references(&w, LIST_AT, (const char *const[]){ "+0x8", "[3]" }, 2);
	check_references(
		&w, ENTRIES_AT, (const char *const[]){ "[0].key", "[2].key", "[2]+0x10" }, 3);
	close_world(&w);
}
END_TEST

START_TEST(the_way_to_a_root)
{
	struct world w = open_world();
	struct pv_table *t =
		ask(&w, PV_VIEW_HEAP_PATH, (struct pv_query){ .select = row_of(&w, SECOND_AT) });
	ck_assert_str_eq(cell(t, 0, "what")->s, "String \"second \\\"\\n\\x01\xc3\xa9\"...");
	ck_assert_str_eq(cell(t, 0, "text")->s, "second \"\n\x01\xc3\xa9");
	ck_assert_uint_eq(cell(t, 0, "length")->u, 500);
	ck_assert_str_eq(cell(t, 1, "what")->s, "Entry[] [2].key");
	ck_assert_str_eq(cell(t, 1, "field")->s, "[2].key");
	ck_assert_str_eq(cell(t, 2, "what")->s, "Heir .place.owner");
	ck_assert_int_eq(cell(t, 2, "text")->state, PV_CELL_NULL);
	pv_table_destroy(t);
	close_world(&w);
}
END_TEST

/* --- strings */

static bool is_in(struct pv_table *t, uint64_t address)
{
	for (size_t i = 0; i < t->rows; i++)
		if (cell(t, i, "address")->u == address)
			return true;
	return false;
}

/* By class, by string and by figures: of all objects those pass that a look at each row keeps. */
static void check_filter(
	struct world *w, const char *filter, bool (*keeps)(struct pv_table *, size_t))
{
	struct pv_table *all = ask(w, PV_VIEW_HEAP_OBJECTS, (struct pv_query){ 0 });
	struct pv_table *t = ask(w, PV_VIEW_HEAP_OBJECTS, (struct pv_query){ .filter = filter });
	size_t want = 0;
	for (size_t i = 0; i < all->rows; i++) {
		bool is = keeps(all, i);
		want += is;
		ck_assert_msg(is_in(t, cell(all, i, "address")->u) == is, "%s: %zu", filter, i);
	}
	ck_assert_uint_eq(t->rows, want);
	ck_assert_msg(want && want < all->rows, "%s: %zu of %zu", filter, want, all->rows);
	pv_table_destroy(all);
	pv_table_destroy(t);
}

static bool is_string(struct pv_table *t, size_t i)
{
	return strcmp(cell(t, i, "class")->s, "String") == 0;
}

static bool is_no_string(struct pv_table *t, size_t i)
{
	return !is_string(t, i);
}

static bool is_large(struct pv_table *t, size_t i)
{
	return cell(t, i, "bytes")->u >= 64 && cell(t, i, "retained_bytes")->u > 64;
}

static bool keeps_other_than_strings(struct pv_table *t, size_t i)
{
	return !is_string(t, i) && cell(t, i, "retained_bytes")->u > 64;
}

static bool is_long_or_entries(struct pv_table *t, size_t i)
{
	return strcmp(cell(t, i, "class")->s, "Entry[]") == 0 ||
	       (is_string(t, i) && cell(t, i, "length")->u == 500);
}

START_TEST(objects_are_filtered)
{
	struct world w = open_world();
	check_filter(&w, "class:string", is_string);
	check_filter(&w, "!class:string", is_no_string);
	check_filter(&w, "bytes>=64 retained_bytes>64", is_large);
	check_filter(&w, "!class:String retained>64B", keeps_other_than_strings);
	check_filter(&w, "length=500 | class:\"Entry[]\"", is_long_or_entries);
	struct pv_table *t = ask(&w, PV_VIEW_HEAP_OBJECTS, (struct pv_query){ .filter = "(a" });
	ck_assert_uint_eq(t->rows, 0);
	ck_assert_str_eq(t->coverage, "filter, character 1: this ( is never closed");
	pv_table_destroy(t);
	close_world(&w);
}
END_TEST

START_TEST(strings_are_shown_and_found)
{
	struct world w = open_world();
	struct pv_table *t = ask(&w, PV_VIEW_HEAP_OBJECTS, (struct pv_query){ .filter = "ONE" });
	ck_assert_uint_eq(t->rows, 1);
	ck_assert_uint_eq(cell(t, 0, "address")->u, FIRST_AT);
	ck_assert_str_eq(cell(t, 0, "preview")->s, "\"one\"");
	ck_assert_str_eq(cell(t, 0, "class")->s, "String");
	pv_table_destroy(t);
	t = ask(&w, PV_VIEW_HEAP_OBJECTS, (struct pv_query){ .filter = "late" });
	ck_assert_uint_eq(t->rows, 0);
	pv_table_destroy(t);
	t = ask(&w, PV_VIEW_HEAP_OBJECTS, (struct pv_query){ .sort = "preview", .limit = 2 });
	ck_assert_uint_eq(cell(t, 0, "address")->u, FIRST_AT);
	ck_assert_uint_eq(cell(t, 1, "address")->u, SECOND_AT);
	pv_table_destroy(t);
	t = ask(&w, PV_VIEW_HEAP_KEPT, (struct pv_query){ .select = row_of(&w, ENTRIES_AT) });
	ck_assert_uint_eq(t->rows, 1);
	ck_assert_str_eq(cell(t, 0, "field")->s, "[2].key");
	ck_assert_ptr_nonnull(strstr(cell(t, 0, "preview")->s, "second"));
	pv_table_destroy(t);
	close_world(&w);
}
END_TEST

START_TEST(for_chrome)
{
	struct world w = open_world();
	char *out = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&out, &n);
	ck_assert(pv_heapsnapshot_write(w.heap, f, NULL));
	fclose(f);
	ck_assert_ptr_nonnull(strstr(out, "\"second \\\"\\n\\u0001\xc3\xa9\""));
	ck_assert_ptr_nonnull(strstr(out, "\"one\""));
	ck_assert_ptr_null(strstr(out, "\"two\","));   /* no name */
	ck_assert_ptr_nonnull(strstr(out, "\n,1,3,")); /* an element by its number */
	free(out);
	close_world(&w);
}
END_TEST

/* More text than there is room for: the first stay, the rest are counted. */
START_TEST(there_is_a_bound)
{
	enum { LONG = 20 << 20, STRINGS = 5 };
	struct heap_kit k = { 0 };
	struct pv_graph g;
	char *much = malloc(LONG);
	ck_assert_ptr_nonnull(much);
	memset(much, 'a', LONG);
	heap_kit_start(&k);
	for (uint64_t i = 0; i < STRINGS; i++) {
		struct pv_event e = { .kind = PV_KIND_EXT_STRING, .time = 150 };
		e.string.object = 0x1000 * (i + 1);
		e.string.length = LONG;
		e.string.text = (struct pv_text){ much, LONG };
		heap_kit_object(&k, e.string.object, STRING, 16, NULL, 0);
		heap_kit_event(&k, &e, NULL, 0);
	}
	heap_kit_end(&k);
	heap_kit_graph(&k, 0, false, &g);
	ck_assert_uint_eq(g.string.n, PV_GRAPH_STRING_BYTES / LONG);
	ck_assert_uint_eq(g.string.n + g.strings_left, STRINGS);
	ck_assert_uint_le(g.text.bytes, PV_GRAPH_STRING_BYTES + 4096);
	ck_assert_ptr_nonnull(pv_graph_string(&g, 0));
	ck_assert_ptr_null(pv_graph_string(&g, STRINGS - 1));
	pv_graph_finish(&g);
	heap_kit_finish(&k);
	free(much);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("heap names");
	TCase *c = tcase_create("all");
	int fd = mkstemp(path);
	if (fd >= 0)
		close(fd);
	tcase_set_timeout(c, 60);
	tcase_add_test(c, fields_and_elements);
	tcase_add_test(c, the_way_to_a_root);
	tcase_add_test(c, objects_are_filtered);
	tcase_add_test(c, strings_are_shown_and_found);
	tcase_add_test(c, for_chrome);
	tcase_add_test(c, there_is_a_bound);
	suite_add_tcase(s, c);
	int code = run_suite(s);
	unlink(path);
	return code;
}
