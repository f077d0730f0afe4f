/* SPDX-License-Identifier: MIT */
/*
 * Heap shots read again from a log file: from their places and from the beginning the graphs are
 * the same; what cannot be read is said.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/ingest/again/heap_read.h"
#include "tests/kit/logkit.h"
#include "tests/kit/range_kit.h"
#include "tests/kit/suite.h"

enum { SHOTS = 5, CACHE = 0x100000, ROOM = 0x1000 };
#define MS ((int64_t)LOGKIT_MS)

static char path[] = "/tmp/pv-heap-XXXXXX";

static void list(struct logkit *k, int64_t t, uint64_t object, uint64_t klass, struct pv_span refs)
{
	struct pv_event e = { .kind = PV_KIND_HEAP_OBJECT };
	e.heap_object.object = object;
	e.heap_object.type = logkit_type(k, klass);
	e.heap_object.size = 24;
	e.heap_object.refs = refs;
	logkit_event(k, t, e);
}

/* Shot i lists i + 1 tiles in a cache that a static field of class 0x500 holds. */
static void put_shot(struct logkit *k, int64_t t, unsigned i)
{
	uint64_t refs[2 * SHOTS];
	struct pv_event e = { .kind = PV_KIND_HEAP_ROOTS };
	logkit_plain(k, t, PV_KIND_HEAP_START);
	e.roots.width = 2;
	e.roots.roots = LOGKIT_LIST(k, 0x9010, CACHE);
	logkit_event(k, t + 1, e);
	for (unsigned n = 0; n <= i; n++) {
		refs[2 * n] = 16 + 8 * n;
		refs[2 * n + 1] = CACHE + ROOM * (n + 1);
	}
	list(k, t + 2, CACHE, 0x500, logkit_list(k, refs, 2 * (i + 1)));
	for (unsigned n = 0; n <= i; n++)
		list(k, t + 3, CACHE + ROOM * (n + 1), 0x600, (struct pv_span){ 0 });
	logkit_plain(k, t + 4, PV_KIND_HEAP_END);
}

static void write_log(unsigned version, bool cut)
{
	struct logkit *k = logkit_new(version);
	struct pv_event e = { .kind = PV_KIND_HEAP_ROOT_REGISTER };
	logkit_class(k, 0, 0x500, "App.Cache");
	logkit_class(k, 0, 0x600, "App.Tile");
	e.root_area.start = 0x9000;
	e.root_area.size = 0x100;
	e.root_area.source = PV_ROOT_STATIC;
	e.root_area.key = logkit_type(k, 0x500);
	e.root_area.name = (struct pv_text){ "Static Fields", 13 };
	if (version >= 15)
		logkit_event(k, 1, e);
	for (unsigned i = 0; i < SHOTS; i++) {
		put_shot(k, (i + 1) * MS, i);
		if (i % 2) /* two shots in a buffer, then one in a buffer of its own */
			logkit_flush(k);
	}
	logkit_flush(k);
	FILE *f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	size_t n = cut ? k->file.n - 20 : k->file.n;
	ck_assert_uint_eq(fwrite(k->file.v, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
	logkit_free(k);
}

static struct pv_heap_read *read_heap(struct pv_ingest *in, uint32_t shot, bool weak)
{
	struct pv_background_status s;
	struct pv_error err = { 0 };
	const struct pv_heap_read_options o = { .shot = shot, .weak = weak, .classes = true };
	struct pv_heap_read *r = pv_heap_read_start(in, &o, &err);
	ck_assert_msg(r != NULL, "%s", err.what);
	pv_background_wait(pv_heap_read_job(r));
	pv_background_status(pv_heap_read_job(r), &s);
	ck_assert_msg(s.over && s.done, "shot %u: %s", shot, s.error.what);
	return r;
}

static void check_heap(const struct pv_heap *h, uint32_t shot)
{
	const struct pv_graph *g = &h->graph;
	ck_assert_uint_eq(g->shot, shot);
	ck_assert_uint_eq(g->nodes, shot + 2);
	ck_assert_uint_eq(g->edges, shot + 1);
	ck_assert_uint_eq(h->retained[0], 24 * (shot + 2));
	ck_assert_str_eq(g->klass.v[g->class_of[0]].name, "App.Cache");
	ck_assert_str_eq(g->klass.v[g->class_of[1]].name, "App.Tile");
	ck_assert_uint_eq(g->root.n, 1);
	ck_assert_uint_eq(g->root.v[0].source, PV_ROOT_STATIC);
	ck_assert_uint_eq(g->area.n, 1);
	ck_assert_str_eq(g->area.v[0].name, "Static Fields");
	ck_assert_str_eq(g->area.v[0].owner, "App.Cache");
}

START_TEST(from_its_place_and_from_the_beginning)
{
	write_log(17, false);
	struct pv_ingest *in = range_kit_load(path);
	ck_assert_ptr_nonnull(in);
	struct pv_model *m = pv_ingest_adopt(in);
	ck_assert_uint_eq(m->shots.shot.n, SHOTS);
	for (uint32_t i = 0; i < SHOTS; i++) {
		uint64_t place = m->shots.shot.v[i].at;
		ck_assert_uint_ne(place, UINT64_MAX);
		ck_assert_uint_eq(m->shots.shot.v[i].skip, i % 2);
		for (unsigned way = 0; way < 3; way++) {
			/* Known, not known, and wrong. */
			m->shots.shot.v[i].at = way == 0 ? place : way == 1 ? UINT64_MAX : 7;
			struct pv_heap_read *r = read_heap(in, i, false);
			check_heap(pv_heap_read_heap(r), i);
			ck_assert(!pv_heap_read_heap(r)->graph.torn);
			pv_background_destroy(pv_heap_read_job(r));
		}
		struct pv_heap_read *r = read_heap(in, i, true);
		check_heap(pv_heap_read_heap(r), i);
		pv_background_destroy(pv_heap_read_job(r));
	}
	pv_ingest_destroy(in);
	unlink(path);
}
END_TEST

START_TEST(several_are_open_at_once)
{
	struct pv_heap_read *r[SHOTS];
	write_log(17, false);
	struct pv_ingest *in = range_kit_load(path);
	const struct pv_heap_read_options o = { .shot = 2 };
	struct pv_heap_read *dropped = pv_heap_read_start(in, &o, NULL);
	for (uint32_t i = 0; i < SHOTS; i++)
		r[i] = read_heap(in, i, false);
	pv_background_cancel(pv_heap_read_job(dropped));
	pv_background_destroy(pv_heap_read_job(dropped)); /* whether it was done or not */
	for (uint32_t i = 0; i < SHOTS; i++) {
		check_heap(pv_heap_read_heap(r[i]), i);
		pv_background_destroy(pv_heap_read_job(r[i]));
	}
	pv_ingest_destroy(in);
	unlink(path);
}
END_TEST

START_TEST(a_shot_that_is_cut_is_torn)
{
	write_log(17, true);
	struct pv_ingest *in = range_kit_load(path);
	struct pv_heap_read *r = read_heap(in, SHOTS - 1, false);
	ck_assert(pv_heap_read_heap(r)->graph.torn);
	ck_assert_uint_gt(pv_heap_read_heap(r)->graph.nodes, 0);
	pv_background_destroy(pv_heap_read_job(r));
	r = read_heap(in, 0, false);
	check_heap(pv_heap_read_heap(r), 0);
	pv_background_destroy(pv_heap_read_job(r));
	pv_ingest_destroy(in);
	unlink(path);
}
END_TEST

START_TEST(what_there_is_not)
{
	struct pv_error err = { 0 };
	write_log(17, false);
	struct pv_ingest *in = range_kit_load(path);
	const struct pv_heap_read_options o = { .shot = SHOTS };
	ck_assert_ptr_null(pv_heap_read_start(in, &o, &err));
	ck_assert_int_eq(err.code, PV_EUSAGE);
	ck_assert_str_eq(err.what, "there is no heap shot 5: the log has 5, counted from 0");
	pv_ingest_destroy(in);
	unlink(path);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("heap read");
	TCase *c = tcase_create("all");
	int fd = mkstemp(path);
	if (fd >= 0)
		close(fd);
	tcase_set_timeout(c, 60);
	tcase_add_test(c, from_its_place_and_from_the_beginning);
	tcase_add_test(c, several_are_open_at_once);
	tcase_add_test(c, a_shot_that_is_cut_is_torn);
	tcase_add_test(c, what_there_is_not);
	suite_add_tcase(s, c);
	int code = run_suite(s);
	unlink(path);
	return code;
}
