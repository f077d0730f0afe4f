/* SPDX-License-Identifier: MIT */
/* Every word of the coverage table rests on events: without one of its kinds it reads differently.
 */
#include <stdio.h>
#include <string.h>

#include "tests/kit/suite.h"
#include "tests/kit/worlds.h"

#include "common/model/model.h"
#include "common/query/views.h"

/* The kinds whose absence a word must tell; -1 ends. */
static const struct {
	const char *what;
	int kind[10];
} rows[] = {
	{ "calls", { PV_KIND_METHOD_ENTER, PV_KIND_METHOD_LEAVE, PV_KIND_METHOD_EXC_LEAVE, -1 } },
	{ "allocations", { PV_KIND_ALLOC, -1 } },
	{ "allocation_stacks", { PV_KIND_ALLOC, -1 } },
	{ "gc", { PV_KIND_GC_EVENT, PV_KIND_GC_RESIZE, -1 } },
	{ "moves", { PV_KIND_GC_MOVE, -1 } },
	{ "handles", { PV_KIND_GC_HANDLE_CREATED, PV_KIND_GC_HANDLE_DESTROYED, -1 } },
	{ "finalizers",
		{ PV_KIND_GC_FINALIZE_START, PV_KIND_GC_FINALIZE_END,
			PV_KIND_GC_FINALIZE_OBJECT_START, PV_KIND_GC_FINALIZE_OBJECT_END, -1 } },
	{ "heap_shots", { PV_KIND_HEAP_START, PV_KIND_HEAP_END, PV_KIND_HEAP_OBJECT, -1 } },
	{ "roots", { PV_KIND_HEAP_ROOTS, PV_KIND_HEAP_ROOT_REGISTER, PV_KIND_HEAP_ROOT_UNREGISTER,
			   -1 } },
	{ "exceptions", { PV_KIND_EXCEPTION_THROW, PV_KIND_EXCEPTION_CLAUSE, -1 } },
	{ "locks", { PV_KIND_MONITOR_CONTENTION, PV_KIND_MONITOR_DONE, PV_KIND_MONITOR_FAIL, -1 } },
	{ "samples", { PV_KIND_SAMPLE_HIT, PV_KIND_SAMPLE_SYMBOL, PV_KIND_SAMPLE_BINARY, -1 } },
	{ "threads", { PV_KIND_THREAD_START, PV_KIND_THREAD_END, PV_KIND_THREAD_NAME, -1 } },
	{ "jit", { PV_KIND_METHOD_JIT, PV_KIND_JIT_HELPER, -1 } },
	{ "counters", { PV_KIND_COUNTERS_DESCRIBE, PV_KIND_COUNTERS_SAMPLE, -1 } },
	{ "code_coverage", { PV_KIND_COVERAGE_ASSEMBLY, PV_KIND_COVERAGE_CLASS,
				   PV_KIND_COVERAGE_METHOD, PV_KIND_COVERAGE_STATEMENT, -1 } },
	{ "names", { PV_KIND_METHOD_JIT, PV_KIND_CLASS_LOAD, PV_KIND_VTABLE_LOAD,
			   PV_KIND_IMAGE_UNLOAD, -1 } },
	{ "losses", { PV_KIND_SYNC_POINT, -1 } },
};

static void apply(struct pv_model *m, const struct world *x, struct pv_cursor *c, int without)
{
	struct mlpd_buffer_header h;
	struct pv_batch b = { 0 };
	struct mlpd_bases bases;
	size_t used, at = 0, to = 0;
	ck_assert_int_eq(mlpd_get_buffer_header(c, &h), MLPD_OK);
	const uint8_t *bytes = pv_get_bytes(c, h.length);
	ck_assert(bytes && pv_reserve(&b.bytes, h.length + 1));
	memcpy(b.bytes.v, bytes, h.length);
	b.bytes.n = b.bytes_len = h.length;
	b.thread = h.thread;
	b.time_base = h.time_base;
	mlpd_bases_init(&bases, &h);
	ck_assert(mlpd_decode_batch(&b, &bases, &x->w.format, false, &used));
	for (size_t i = 0; i < b.n; i++) {
		if (b.kind[i] == without)
			continue;
		b.time[to] = b.time[i];
		b.kind[to] = b.kind[i];
		b.key[to++] = b.key[i];
	}
	b.n = to;
	while (at < b.n)
		ck_assert(pv_model_apply(m, &b, &at, 0));
	pv_batch_finish(&b);
}

/* The words of the table for the world without a kind. */
static struct pv_table *table_without(const struct world *x, int kind, struct pv_model **ret_m)
{
	struct pv_model *m = pv_model_create(NULL);
	struct pv_cursor c;
	struct mlpd_header h;
	ck_assert_ptr_nonnull(m);
	c = (struct pv_cursor){ .at = x->w.out.v, .end = x->w.out.v + x->w.out.n };
	ck_assert_int_eq(mlpd_get_header(&c, &h, NULL), MLPD_OK);
	const struct pv_target_info t = { .data_version = h.format.data_version,
		.header_major = h.format.header_major,
		.pointer_size = 8,
		.args = "log:nodefaults",
		.arch = "",
		.os = "" };
	pv_model_lock(m);
	ck_assert(pv_model_begin(m, &t));
	while (pv_cursor_left(&c) > 0)
		apply(m, x, &c, kind);
	pv_model_unlock(m);
	struct pv_table *table = pv_view_table(m, PV_VIEW_COVERAGE, &(struct pv_query){ 0 });
	ck_assert_ptr_nonnull(table);
	*ret_m = m;
	return table;
}

static const char *said(const struct pv_table *t, const char *what, char *buf, size_t size)
{
	for (size_t i = 0; i < t->rows; i++)
		if (strcmp(t->row[i].cell[0].s, what) == 0)
			snprintf(buf, size, "%s: %s", t->row[i].cell[1].s, t->row[i].cell[2].s);
	return buf;
}

START_TEST(a_kind_removed_changes_its_word)
{
	struct world x;
	struct pv_model *whole_model, *m;
	const struct mlpd_format f = { 15, 2, 8, 0 };
	world_init(&x, &f, 15);
	world_every_kind(&x);
	wire_end_buffer(&x.w);
	struct pv_table *whole = table_without(&x, -1, &whole_model);
	for (size_t i = 0; i < PV_COUNT_OF(rows); i++) {
		for (size_t k = 0; rows[i].kind[k] >= 0; k++) {
			char with[400] = "", less[400] = "";
			struct pv_table *t = table_without(&x, rows[i].kind[k], &m);
			said(whole, rows[i].what, with, sizeof with);
			said(t, rows[i].what, less, sizeof less);
			ck_assert_msg(strcmp(with, less) != 0, "%s without %s: %s", rows[i].what,
				pv_kind_name((unsigned)rows[i].kind[k]), less);
			pv_table_destroy(t);
			pv_model_destroy(m);
		}
	}
	pv_table_destroy(whole);
	pv_model_destroy(whole_model);
	world_finish(&x);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("query coverage kinds");
	TCase *c = tcase_create("all");
	tcase_add_test(c, a_kind_removed_changes_its_word);
	suite_add_tcase(s, c);
	return run_suite(s);
}
