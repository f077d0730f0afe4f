/* SPDX-License-Identifier: MIT */
/* Logs of 2007 through source, ingest and model: the figures that reports and panes are made of. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/ingest/ingest.h"
#include "tests/kit/b07_kit.h"
#include "tests/kit/suite.h"

static const char stages[] = { 'x', 'A', 'B', 'C', 'D' };
static const char *const names[] = { "draft", "A", "B", "C", "D" };
static struct b07_kit kit;

static struct pv_ingest *start(const uint8_t *bytes, size_t n)
{
	char path[] = "/tmp/pv-input07-XXXXXX";
	struct pv_error e = { 0 };
	struct pv_ingest_options io = { .jobs = 2 };
	struct pv_source_options so = { 0 };
	int fd = mkstemp(path);
	ck_assert(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	close(fd);
	struct pv_source *s = pv_source_open(path, &so, &e);
	unlink(path);
	ck_assert_msg(s != NULL, "%s", e.what);
	struct pv_ingest *in = pv_ingest_start(s, &io, &e);
	ck_assert_msg(in != NULL, "%s", e.what);
	return in;
}

static struct pv_ingest_status wait_end(struct pv_ingest *in)
{
	struct pv_ingest_status s;
	for (int tries = 0; tries < 200; tries++) {
		pv_ingest_status(in, &s);
		if (s.state == PV_INGEST_ENDED || s.state == PV_INGEST_FAILED)
			return s;
		struct pollfd p = { .fd = pv_ingest_fd(in), .events = POLLIN };
		poll(&p, 1, 100);
		pv_ingest_clear(in);
	}
	ck_abort_msg("no end: state %d", (int)s.state);
}

static const struct pv_method *method(const struct pv_model *m, const char *name)
{
	for (size_t i = 1; i < m->names.method.n; i++)
		if (strcmp(pv_intern_text(&m->names.text, m->names.method.v[i].name), name) == 0)
			return &m->names.method.v[i];
	return NULL;
}

static bool has_class(const struct pv_model *m, uint32_t class_use, const char *name)
{
	char buf[24];
	return strcmp(pv_names_class_text(&m->names, class_use, buf), name) == 0;
}

static void check_common(struct pv_model *m, int i)
{
	bool draft = i == 0;
	ck_assert_str_eq(m->target.stage, names[i]);
	ck_assert(m->target.logging2007);
	ck_assert_int_eq(m->zero_ns, 1000000000);
	ck_assert_uint_eq(m->calls.calls, 2);
	ck_assert_uint_eq(m->kinds[PV_KIND_METHOD_LEAVE], 2);
	ck_assert_ptr_nonnull(method(m, "App.Main:Run (int)"));
	ck_assert_uint_eq(m->helpers.jitted, 1);
	ck_assert_uint_eq(m->allocs.count, draft ? 1 : i == 1 ? 2 : 3);
	ck_assert_uint_eq(m->throws.thrown, 1);
	ck_assert_uint_eq(m->throws.unknown_class, 0);
	ck_assert(has_class(m, m->throws.sites.site.v[1].class_use, "App.Main"));
	ck_assert_uint_eq(m->gc.collections.n, 1);
	ck_assert_uint_eq(m->gc.max_heap_bytes, 1 << 20);
	ck_assert_uint_eq(m->gc.pause_count, i >= 2);
	ck_assert_uint_eq(m->names.entity[PV_ENTITY_IMAGE].n, 3);
	ck_assert(!m->names.entity[PV_ENTITY_IMAGE].v[1].failed);
	ck_assert(m->names.entity[PV_ENTITY_IMAGE].v[1].unload_ns != PV_NEVER);
	ck_assert(m->names.entity[PV_ENTITY_IMAGE].v[2].failed);
	ck_assert_uint_eq(m->calls.samples, draft ? 5 : i == 1 ? 4 : 6);
}

/* An interval counts from its begin to its end; draft and stages alike. */
static void check_durations(const struct pv_model *m)
{
	const struct pv_collection *c = &m->gc.collections.v[0];
	const struct pv_loads *l = &m->loads;
	ck_assert_uint_eq(c->phases, PV_COLLECTION_MARKED | PV_COLLECTION_SWEPT);
	ck_assert_int_eq(c->mark_ns, 1000);
	ck_assert_int_eq(c->sweep_ns, 1000);
	ck_assert_uint_eq(l->loads, 7);
	ck_assert_uint_eq(l->failed, 1);
	for (size_t i = 0; i < l->load.n; i++) {
		const struct pv_load *x = &l->load.v[i];
		const char *name = pv_intern_text(&m->names.text, x->name);
		ck_assert_int_eq(x->failed, strcmp(name, "missing.dll") == 0);
		ck_assert_int_eq(x->took_ns, x->what != PV_ENTITY_CLASS ? 10000
					     : x->unload                ? 1000
									: 3000);
	}
	ck_assert_uint_eq(l->compiles, 2);
	ck_assert_uint_eq(l->compiles_failed, 1);
	ck_assert_int_eq(l->compile_ns, 6000);
	ck_assert_int_eq(l->compile_max_ns, 4000);
	ck_assert_uint_eq(l->compile.n, 2);
	ck_assert_uint_eq(l->compile.v[1].failed, 1);
}

/* A freed or unloaded thing keeps its name: the ids of these logs are given once. */
static void check_names(const struct pv_model *m)
{
	for (uint32_t i = 1; i < m->names.class_use.n; i++)
		ck_assert_uint_ne(pv_names_class_name(&m->names, i), 0);
	for (uint32_t i = 1; i < m->names.method.n; i++)
		ck_assert(m->names.method.v[i].native || pv_names_method_name(&m->names, i));
}

static void check_shots(const struct pv_model *m, int i)
{
	const struct pv_shot *s = m->shots.shot.v;
	ck_assert_uint_eq(m->shots.shot.n, i == 0 ? 0 : i == 1 ? 1 : 2);
	if (i == 0)
		return;
	ck_assert_uint_eq(s[0].objects, 2);
	ck_assert_uint_eq(s[0].references, 2);
	ck_assert_uint_eq(s[0].bytes, i == 1 ? 0 : 56);
	ck_assert_uint_eq(s[0].dead_objects, 1);
	ck_assert_uint_eq(s[0].dead_bytes, 24);
	ck_assert_uint_eq(s[0].unsized, i == 1 ? 2 : 0);
	if (i == 1)
		return;
	ck_assert(s[1].summary && !s[0].summary);
	ck_assert_uint_eq(s[1].objects, 4);
	ck_assert_uint_eq(s[1].bytes, 120);
	ck_assert_uint_eq(s[1].dead_objects, 2);
	ck_assert_uint_eq(s[1].dead_bytes, 64);
}

START_TEST(figures)
{
	b07_kit_init(&kit, stages[_i], 1);
	b07_kit_log(&kit);
	struct pv_ingest *in = start(kit.bytes, kit.n);
	struct pv_ingest_status s = wait_end(in);
	struct pv_model *m = pv_ingest_adopt(in);
	ck_assert_int_eq(s.state, PV_INGEST_ENDED);
	ck_assert(s.complete && !s.damaged);
	ck_assert_uint_eq(s.stream_bytes, kit.n);
	check_common(m, _i);
	check_shots(m, _i);
	check_durations(m);
	check_names(m);
	if (stages[_i] == 'D') {
		ck_assert_uint_eq(m->locks.contentions, 1);
		ck_assert_int_eq(m->locks.wait_ns, 50000);
		ck_assert(has_class(m, m->locks.lock.v[1].class_use, "App.Main"));
	}
	pv_ingest_destroy(in);
}
END_TEST

static void put_class_sums(uint64_t collection)
{
	b07_kit_begin(&kit, 9);
	b07_kit_clock(&kit, 300);
	B07_VARS(&kit, collection, 40, 1, 24, 2, 48, 0);
	b07_kit_clock(&kit, 301);
	b07_kit_end(&kit);
}

static void put_objects(uint64_t collection)
{
	b07_kit_begin(&kit, 8);
	b07_kit_clock(&kit, 310);
	b07_kit_clock(&kit, 320);
	b07_kit_var(&kit, collection);
	b07_kit_clock(&kit, 321);
	B07_VARS(&kit, 40 << 2 | 2, 24, 0x1000 | 1, 40, 24, 2, 0x1000, 0x1000, 0);
	b07_kit_clock(&kit, 322);
	b07_kit_end(&kit);
}

/* The profiler sums a collection up and then lists its objects: that is one shot. */
START_TEST(summary_and_objects_are_one)
{
	b07_kit_init(&kit, 'B', 1);
	b07_kit_intro(&kit, 0);
	put_class_sums(7);
	put_objects(7);
	put_class_sums(8);
	struct pv_ingest *in = start(kit.bytes, kit.n);
	wait_end(in);
	struct pv_model *m = pv_ingest_adopt(in);
	const struct pv_shot *s = m->shots.shot.v;
	ck_assert_uint_eq(m->shots.shot.n, 2);
	ck_assert(!s[0].summary && s[1].summary);
	ck_assert_uint_eq(s[0].objects, 1);
	ck_assert_uint_eq(s[0].dead_objects, 2);
	ck_assert_uint_eq(s[0].references, 2);
	ck_assert_uint_eq(s[0].classes.n, 1);
	ck_assert_uint_eq(m->shots.rows, 2);
	pv_ingest_destroy(in);
}
END_TEST

START_TEST(cut_logs_say_so)
{
	b07_kit_init(&kit, stages[_i], 1);
	b07_kit_log(&kit);
	size_t at_edge = kit.blocks[kit.n_blocks - 1]; /* without its END block */
	for (size_t n = at_edge; n >= at_edge - 1; n--) {
		struct pv_ingest *in = start(kit.bytes, n);
		struct pv_ingest_status s = wait_end(in);
		ck_assert_int_eq(s.state, PV_INGEST_ENDED);
		ck_assert_int_eq(s.complete, n == at_edge);
		ck_assert_uint_eq(pv_ingest_adopt(in)->damaged, n != at_edge);
		ck_assert_uint_eq(pv_ingest_adopt(in)->calls.calls, 2);
		pv_ingest_destroy(in);
	}
}
END_TEST

/* Caught up, or at the end that a block END says. */
static struct pv_ingest_status wait_for(struct pv_ingest *in, uint64_t bytes)
{
	struct pv_ingest_status s;
	for (int tries = 0; tries < 200; tries++) {
		pv_ingest_status(in, &s);
		bool idle = s.state == PV_INGEST_LIVE || s.state == PV_INGEST_ENDED;
		if (idle && s.stream_bytes == bytes)
			return s;
		struct pollfd p = { .fd = pv_ingest_fd(in), .events = POLLIN };
		poll(&p, 1, 100);
		pv_ingest_clear(in);
	}
	ck_abort_msg("%llu of %llu bytes", (unsigned long long)s.stream_bytes,
		(unsigned long long)bytes);
}

/* A block that is not all there is waited for, it is no damage. */
START_TEST(growing_file_is_followed)
{
	char path[] = "/tmp/pv-input07-XXXXXX";
	struct pv_error e = { 0 };
	int fd = mkstemp(path);
	b07_kit_init(&kit, stages[_i], 1);
	b07_kit_log(&kit);
	struct pv_source *s =
		pv_source_open(path, &(struct pv_source_options){ .follow = true }, &e);
	ck_assert_msg(fd >= 0 && s, "%s", e.what);
	struct pv_ingest *in =
		pv_ingest_start(s, &(struct pv_ingest_options){ .jobs = 1, .follow = true }, &e);
	ck_assert_msg(in != NULL, "%s", e.what);
	for (size_t at = 0; at < kit.n; at += 101) {
		size_t part = kit.n - at < 101 ? kit.n - at : 101;
		ck_assert(write(fd, kit.bytes + at, part) == (ssize_t)part);
		if (at > kit.n / 2)
			wait_for(in, at + part);
	}
	ck_assert(!wait_for(in, kit.n).damaged);
	struct pv_model *m = pv_ingest_adopt(in);
	uint64_t loads = 0, calls = 0;
	for (int tries = 0; tries < 200 && loads < 7; tries++) { /* read, and soon applied */
		poll(NULL, 0, 10);
		pv_model_lock(m);
		loads = m->loads.loads;
		calls = m->calls.calls;
		pv_model_unlock(m);
	}
	ck_assert_uint_eq(loads, 7);
	ck_assert_uint_eq(calls, 2);
	pv_ingest_destroy(in);
	close(fd);
	unlink(path);
}
END_TEST

START_TEST(gzip_is_read_alike)
{
	char path[] = "/tmp/pv-input07-XXXXXX", command[80];
	b07_kit_init(&kit, stages[_i], 1);
	b07_kit_log(&kit);
	int fd = mkstemp(path);
	ck_assert(fd >= 0);
	close(fd);
	snprintf(command, sizeof command, "gzip -c > %s", path);
	FILE *gzip = popen(command, "w");
	ck_assert(gzip && fwrite(kit.bytes, 1, kit.n, gzip) == kit.n && pclose(gzip) == 0);
	static uint8_t packed[sizeof kit.bytes];
	FILE *f = fopen(path, "rb");
	ck_assert(f != NULL);
	size_t n = fread(packed, 1, sizeof packed, f);
	fclose(f);
	unlink(path);
	for (unsigned less = 0; less < 2; less++) { /* the second without its trailer */
		struct pv_ingest *in = start(packed, n - 8 * less);
		struct pv_ingest_status s = wait_end(in);
		ck_assert(s.complete && !s.damaged);
		ck_assert_uint_eq(s.stream_bytes, kit.n);
		check_common(pv_ingest_adopt(in), _i);
		pv_ingest_destroy(in);
	}
}
END_TEST

/* Logs one after the other: the last one is shown. */
START_TEST(recordings_in_a_row)
{
	static uint8_t both[2 * sizeof kit.bytes];
	size_t n = 0;
	for (int i = 0; i < 2; i++) {
		b07_kit_init(&kit, i ? stages[_i % 4 + 1] : stages[_i / 4 + 1], 1);
		b07_kit_log(&kit);
		memcpy(both + n, kit.bytes, kit.n);
		n += kit.n;
	}
	struct pv_ingest *in = start(both, n);
	struct pv_ingest_status s = wait_end(in);
	struct pv_model *m = pv_ingest_adopt(in);
	ck_assert_msg(!s.damaged, "%s", m->damage.n ? m->damage.v[0].reason : "");
	ck_assert_uint_eq(s.recordings, 2);
	ck_assert_uint_eq(m->recordings, 2);
	check_common(m, _i % 4 + 1);
	pv_ingest_destroy(in);
}
END_TEST

/* A model takes half a megabyte: many headers with nothing between share one. */
START_TEST(headers_only_share_a_model)
{
	enum { MANY = 1000 };
	static uint8_t all[MANY * 64 + sizeof kit.bytes];
	size_t n = 0;
	for (int i = 0; i < MANY; i++) {
		b07_kit_init(&kit, stages[_i], 1);
		b07_kit_intro(&kit, 0x393df);
		ck_assert(kit.n <= 64);
		memcpy(all + n, kit.bytes, kit.n);
		n += kit.n;
	}
	b07_kit_init(&kit, stages[_i], 1);
	b07_kit_log(&kit);
	memcpy(all + n, kit.bytes, kit.n);
	struct pv_ingest *in = start(all, n + kit.n);
	struct pv_ingest_status s = wait_end(in);
	struct pv_model *m = pv_ingest_adopt(in);
	ck_assert_uint_eq(s.recordings, MANY + 1);
	ck_assert_uint_eq(m->recordings, MANY + 1);
	ck_assert_uint_le(s.models, 1);
	check_common(m, _i);
	pv_ingest_destroy(in);
}
END_TEST

START_TEST(what_is_no_log)
{
	static const uint8_t zeros[4096];
	struct pv_ingest *in = start(zeros, sizeof zeros);
	ck_assert_int_eq(wait_end(in).state, PV_INGEST_FAILED);
	pv_ingest_destroy(in);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("input07");
	TCase *t = tcase_create("stages");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, figures, 0, PV_COUNT_OF(stages));
	tcase_add_test(t, summary_and_objects_are_one);
	tcase_add_loop_test(t, cut_logs_say_so, 0, PV_COUNT_OF(stages));
	tcase_add_loop_test(t, growing_file_is_followed, 0, PV_COUNT_OF(stages));
	tcase_add_loop_test(t, gzip_is_read_alike, 0, PV_COUNT_OF(stages));
	tcase_add_loop_test(t, recordings_in_a_row, 0, 16);
	tcase_add_loop_test(t, headers_only_share_a_model, 1, PV_COUNT_OF(stages));
	tcase_add_test(t, what_is_no_log);
	suite_add_tcase(s, t);
	return run_suite(s);
}
