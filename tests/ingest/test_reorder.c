/* SPDX-License-Identifier: MIT */
/* Definitions reported after the uses that they concern: what a log that has shown an end gets
 * right.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/format/mlpd/batch_fit.h"
#include "common/ingest/reorder.h"
#include "common/ingest/ingest.h"
#include "common/query/coverage/coverage.h"
#include "tests/kit/suite.h"
#include "tests/kit/wire.h"

enum {
	A = 0x5010,
	B = 0x5020,
	CLASS = 0x1500,
	OTHER = 0x1700,
	IMAGE = 0x1100,
	DEADLINE_MS = 60000
};

/* --- logs */

static void write_at(struct wire *w, uint64_t t, struct pv_event e)
{
	w->now = 1000000 + t;
	w->step = 0;
	wire_event(w, &e, NULL);
}

static void buffer(struct wire *w, uint64_t t, uint64_t thread)
{
	w->now = 1000000 + t;
	wire_buffer(w, thread);
}

static void meta(struct wire *w, uint64_t t, enum pv_kind kind, uint64_t key, const char *name)
{
	write_at(w, t,
		(struct pv_event){ .kind = (uint8_t)kind,
			.meta = { .key = key, .image = IMAGE, .name = { name, strlen(name) } } });
}

/* A class and, where allocations name vtables, its vtable. */
static void class_load(struct wire *w, uint64_t t, uint64_t key, const char *name)
{
	meta(w, t, PV_KIND_CLASS_LOAD, key, name);
	if (w->format.data_version < 15)
		return;
	write_at(w, t,
		(struct pv_event){ .kind = PV_KIND_VTABLE_LOAD,
			.meta = { .key = key + 1, .domain = 1, .owner = key } });
}

static void alloc(struct wire *w, uint64_t t, uint64_t key, uint64_t size)
{
	write_at(w, t,
		(struct pv_event){ .kind = PV_KIND_ALLOC,
			.alloc = {
				key + (w->format.data_version >= 15), 0x8000, size, { 0, 0 } } });
}

static void method(struct wire *w, uint64_t t, uint64_t key, const char *name)
{
	write_at(w, t,
		(struct pv_event){ .kind = PV_KIND_METHOD_JIT,
			.jit = { .method = key, .name = { name, strlen(name) } } });
}

static void call(struct wire *w, uint64_t t, uint64_t key, uint64_t ns)
{
	w->step = 0;
	w->now = 1000000 + t;
	wire_enter(w, key);
	w->now += ns;
	wire_leave(w, key);
}

static void sync_point(struct wire *w, uint64_t t)
{
	write_at(w, t, (struct pv_event){ .kind = PV_KIND_SYNC_POINT });
}

/* A log that has shown an unload (of something else) before it begins. */
static void begin(struct wire *w, uint8_t data_version)
{
	wire_init(w);
	w->format.data_version = data_version;
	wire_header(w, 0, 1000);
	buffer(w, 0, 1);
	meta(w, 1, PV_KIND_IMAGE_LOAD, 0x1900, "first.dll");
	meta(w, 2, PV_KIND_IMAGE_UNLOAD, 0x1900, "first.dll");
	if (data_version >= 13)
		sync_point(w, 3);
}

static void fill(struct wire *w, unsigned buffers, unsigned calls)
{
	for (unsigned i = 0; i < buffers; i++) {
		buffer(w, 330, 9);
		for (unsigned c = 0; c < calls; c++) {
			call(w, 330, B, 0);
			alloc(w, 330, OTHER, 8);
		}
	}
}

/* --- reading them */

static char path[] = "/tmp/pv-hold-XXXXXX";

static void setup(void)
{
	strcpy(path + sizeof path - 7, "XXXXXX");
	int fd = mkstemp(path);
	ck_assert(fd >= 0);
	close(fd);
}

static void teardown(void)
{
	unlink(path);
}

static void append(struct wire *w)
{
	wire_end_buffer(w);
	int fd = open(path, O_WRONLY | O_APPEND);
	ck_assert(fd >= 0);
	ck_assert_int_eq(write(fd, w->out.v, w->out.n), (ssize_t)w->out.n);
	close(fd);
	w->out.n = 0;
}

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static struct pv_ingest *start(bool follow)
{
	struct pv_error e = { 0 };
	struct pv_source *s =
		pv_source_open(path, &(struct pv_source_options){ .follow = follow }, &e);
	ck_assert_msg(s != NULL, "%s", e.what);
	struct pv_ingest_options options = { .jobs = 2, .follow = follow };
	struct pv_ingest *in = pv_ingest_start(s, &options, &e);
	ck_assert_msg(in != NULL, "%s", e.what);
	return in;
}

static struct pv_model *wait_for(struct pv_ingest *in, enum pv_ingest_state state, uint64_t events)
{
	int64_t deadline = now_ms() + DEADLINE_MS;
	for (;;) {
		struct pv_ingest_status s;
		pv_ingest_status(in, &s);
		struct pv_model *m = pv_ingest_adopt(in);
		pv_model_lock(m);
		uint64_t have = m->events;
		pv_model_unlock(m);
		if (s.state == state && have >= events)
			return m;
		ck_assert_int_lt(now_ms(), deadline);
		struct pollfd p = { .fd = pv_ingest_fd(in), .events = POLLIN };
		poll(&p, 1, 100);
		pv_ingest_clear(in);
	}
}

static struct pv_model *read_log(struct wire *w, struct pv_ingest **ret_in)
{
	append(w);
	*ret_in = start(false);
	return wait_for(*ret_in, PV_INGEST_ENDED, 0);
}

static struct pv_class_allocs allocs(const struct pv_model *m, const char *name)
{
	struct pv_class_allocs sum = { 0 };
	for (uint32_t i = 1; i < m->allocs.class_use.n; i++) {
		char buf[24];
		if (strcmp(pv_names_class_text(&m->names, i, buf), name) != 0)
			continue;
		sum.count += m->allocs.class_use.v[i].count;
		sum.bytes += m->allocs.class_use.v[i].bytes;
	}
	return sum;
}

static struct pv_method_sum calls(const struct pv_model *m, const char *name)
{
	size_t n = m->names.method.n;
	uint32_t *group = calloc(n, sizeof *group);
	struct pv_method_sum sum[2];
	for (uint32_t i = 1; i < n; i++) {
		char buf[24];
		group[i] = strcmp(pv_names_method_text(&m->names, i, buf), name) == 0;
	}
	ck_assert(pv_calls_flat(m, group, 2, sum));
	free(group);
	return sum[1];
}

static void is_said(const struct pv_model *m, enum pv_what what, enum pv_coverage_state state)
{
	struct pv_coverage c;
	pv_coverage_of(m, NULL, what, &c);
	ck_assert_msg(c.state == state, "%s: %s", pv_coverage_text(c.state), c.detail);
}

/* --- tests */

/* Thread 2 uses what thread 1 has loaded anew, and its buffer is written first. */
static void reload(struct wire *w, unsigned buffers, unsigned fill_calls)
{
	buffer(w, 100, 1);
	meta(w, 100, PV_KIND_IMAGE_LOAD, IMAGE, "one.dll");
	class_load(w, 101, CLASS, "One");
	method(w, 102, A, "One:Run ()");
	method(w, 102, B, "Other:Fill ()");
	alloc(w, 110, CLASS, 8);
	call(w, 120, A, 50);
	buffer(w, 310, 2);
	alloc(w, 310, CLASS, 16);
	call(w, 320, A, 7);
	fill(w, buffers, fill_calls);
	buffer(w, 200, 1);
	meta(w, 200, PV_KIND_IMAGE_UNLOAD, IMAGE, "one.dll");
	meta(w, 300, PV_KIND_IMAGE_LOAD, IMAGE, "two.dll");
	class_load(w, 301, CLASS, "Two");
	class_load(w, 301, OTHER, "Fill");
	method(w, 302, A, "Two:Run ()");
	alloc(w, 340, CLASS, 32);
	call(w, 350, A, 3);
	buffer(w, 400, 3);
	alloc(w, 115, CLASS, 64); /* of the first meaning, written last */
	if (w->format.data_version >= 13)
		sync_point(w, 400);
}

static void moved_exactly(const struct pv_model *m)
{
	ck_assert_uint_eq(allocs(m, "One").bytes, 8 + 64);
	ck_assert_uint_eq(allocs(m, "Two").bytes, 16 + 32);
	ck_assert_uint_eq(calls(m, "One:Run ()").calls, 1);
	ck_assert_int_eq(calls(m, "One:Run ()").self_ns, 50);
	ck_assert_int_eq(calls(m, "One:Run ()").max_ns, 50);
	ck_assert_uint_eq(calls(m, "Two:Run ()").calls, 2);
	ck_assert_int_eq(calls(m, "Two:Run ()").total_ns, 10);
	ck_assert_int_eq(calls(m, "Two:Run ()").max_ns, 7);
	is_said(m, PV_WHAT_NAMES, PV_COMPLETE);
}

START_TEST(a_delayed_definition_moves_exactly_what_it_affects)
{
	for (uint8_t version = 12; version <= 17; version += 5) {
		struct wire w;
		struct pv_ingest *in;
		begin(&w, version);
		reload(&w, 10, 100);
		struct pv_model *m = read_log(&w, &in);
		moved_exactly(m);
		ck_assert_uint_eq(calls(m, "Other:Fill ()").calls, 1000);
		ck_assert_uint_eq(m->kinds[PV_KIND_IMAGE_UNLOAD], 2);
		ck_assert_uint_eq(m->names.unloads, 2); /* reported once each */
		pv_ingest_destroy(in);
		wire_finish(&w);
		teardown();
		setup();
	}
}
END_TEST

START_TEST(a_delayed_unload_leaves_the_pointer_without_a_name)
{
	struct wire w;
	struct pv_ingest *in;
	begin(&w, 17);
	buffer(&w, 100, 1);
	class_load(&w, 101, CLASS, "One");
	alloc(&w, 110, CLASS, 8);
	buffer(&w, 310, 2);
	alloc(&w, 310, CLASS, 16);
	buffer(&w, 200, 1);
	meta(&w, 200, PV_KIND_IMAGE_UNLOAD, IMAGE, "");
	struct pv_model *m = read_log(&w, &in);
	ck_assert_uint_eq(allocs(m, "One").bytes, 8);
	ck_assert_uint_eq(allocs(m, "0x1501").bytes, 16);
	ck_assert_uint_eq(m->names.ambiguous_ends, 0);
	pv_ingest_destroy(in);
	wire_finish(&w);
}
END_TEST

/* A sync point says that all before it was written: nothing is kept over it. */
static void after_its_time(uint8_t version, bool sync, unsigned buffers, unsigned fill_calls)
{
	struct wire w;
	struct pv_ingest *in;
	begin(&w, version);
	reload(&w, buffers, fill_calls);
	if (sync) {
		wire_finish(&w);
		begin(&w, version);
		buffer(&w, 100, 1);
		class_load(&w, 101, CLASS, "One");
		alloc(&w, 110, CLASS, 8);
		alloc(&w, 310, CLASS, 16);
		sync_point(&w, 320);
		buffer(&w, 200, 1);
		meta(&w, 200, PV_KIND_IMAGE_UNLOAD, IMAGE, "");
	}
	struct pv_model *m = read_log(&w, &in);
	ck_assert_uint_eq(allocs(m, "One").bytes, sync ? 24 : 8 + 16 + 64); /* in their order */
	is_said(m, PV_WHAT_NAMES, PV_INFERRED);
	pv_ingest_destroy(in);
	wire_finish(&w);
}

START_TEST(beyond_256_buffers_of_an_old_log_it_is_inferred)
{
	after_its_time(12, false, 257, 1);
}
END_TEST

START_TEST(within_256_buffers_of_an_old_log_it_is_exact)
{
	struct wire w;
	struct pv_ingest *in;
	begin(&w, 12);
	reload(&w, 250, 1);
	moved_exactly(read_log(&w, &in));
	pv_ingest_destroy(in);
	wire_finish(&w);
}
END_TEST

START_TEST(beyond_32_mib_it_is_inferred)
{
	after_its_time(
		17, false, 260, 2200); /* 572,000 allocations of 57 bytes and their payload */
}
END_TEST

START_TEST(after_a_sync_point_it_is_inferred)
{
	after_its_time(17, true, 1, 1);
}
END_TEST

START_TEST(the_end_of_a_thread_reported_by_another)
{
	struct wire w;
	struct pv_ingest *in;
	begin(&w, 17);
	buffer(&w, 10, 5);
	method(&w, 10, A, "A");
	method(&w, 10, B, "B");
	w.now = 1000000 + 20;
	wire_enter(&w, A); /* never leaves: its thread ends */
	buffer(&w, 40, 5);
	call(&w, 40, B, 5); /* of the next thread with this id */
	buffer(&w, 30, 6);
	meta(&w, 30, PV_KIND_THREAD_END, 5, "");
	sync_point(&w, 100);
	struct pv_model *m = read_log(&w, &in);
	ck_assert_int_eq(calls(m, "A").total_ns, 0); /* to its thread's last event */
	ck_assert_int_eq(calls(m, "B").total_ns, 5);
	uint32_t at = pv_map_get(&m->threads.newest, 5);
	ck_assert_uint_eq(m->threads.thread.v[at]->epoch, 2);
	ck_assert_uint_eq(m->threads.thread.v[at]->calls, 1);
	is_said(m, PV_WHAT_THREADS, PV_INFERRED); /* no thread has said that it started */
	ck_assert_uint_eq(m->threads.ends_out_of_order, 0);
	pv_ingest_destroy(in);
	wire_finish(&w);
}
END_TEST

START_TEST(a_followed_log_is_shown_when_it_rests)
{
	struct wire w;
	begin(&w, 17);
	append(&w);
	struct pv_ingest *in = start(true);
	wait_for(in, PV_INGEST_LIVE, 3);
	reload(&w, 2, 10);
	w.events.n = 0; /* without the buffer of the sync point */
	append(&w);
	struct pv_model *m = wait_for(in, PV_INGEST_LIVE, 3 + 16 + 40);
	pv_model_lock(m);
	ck_assert_uint_eq(allocs(m, "Two").bytes, 16 + 32);
	pv_model_unlock(m);
	pv_ingest_destroy(in);
	wire_finish(&w);
}
END_TEST

START_TEST(nothing_is_kept_while_nothing_has_ended)
{
	struct pv_reorder h = { 0 };
	struct pv_model *m = pv_model_create(NULL);
	ck_assert(!pv_reorder_wanted(&h, m));
	m->names.unloads = 1;
	ck_assert(pv_reorder_wanted(&h, m));
	m->names.unloads = 0;
	m->threads.ended = 1;
	ck_assert(pv_reorder_wanted(&h, m));
	pv_model_destroy(m);
	pv_reorder_finish(&h);
}
END_TEST

START_TEST(what_is_kept_is_bounded)
{
	struct pv_reorder h = { 0 };
	struct pv_model *m = pv_model_create(NULL);
	struct pv_batch b = { 0 }, *due[PV_REORDER_RUN];
	pv_model_rules(m, 17);
	for (unsigned i = 0; i < 200; i++) {
		ck_assert(pv_batch_reserve(&b, 20000));
		b.n = 20000;
		b.thread = i;
		memset(b.kind, PV_KIND_SYNC_POINT, b.n);
		ck_assert(pv_reorder_put(&h, m, &b));
		ck_assert_uint_eq(b.n, 0);
		while (pv_reorder_due(&h, m, false, due))
			pv_reorder_done(&h);
		ck_assert_uint_le(h.bytes + h.spare_bytes, PV_REORDER_BYTES);
	}
	ck_assert_uint_gt(h.bytes, PV_REORDER_BYTES / 2);
	ck_assert_uint_eq(pv_reorder_due(&h, m, true, due), 1);
	ck_assert_uint_lt(due[0]->thread, 199);
	pv_batch_finish(&b);
	pv_reorder_finish(&h);
	pv_model_destroy(m);
}
END_TEST

/* A buffer's events, decoded. */
static void decode(struct wire *w, struct pv_batch *ret)
{
	struct mlpd_bases bases;
	size_t used, n = w->events.n;
	mlpd_bases_init(&bases, &w->head);
	ck_assert(pv_reserve(&ret->bytes, n + 1));
	memcpy(ret->bytes.v, w->events.v, n);
	ret->bytes.n = ret->bytes_len = n;
	ck_assert(mlpd_decode_batch(ret, &bases, &w->format, false, &used) && !ret->damaged);
}

START_TEST(what_is_kept_has_its_payload)
{
	struct wire w;
	struct pv_batch b = { 0 }, kept = { 0 };
	wire_init(&w);
	w.format.data_version = 17;
	buffer(&w, 0, 1);
	method(&w, 1, A, "Run ()");
	call(&w, 3, A, 5);
	decode(&w, &b);
	size_t holds = pv_batch_used(&b), bytes = b.bytes.n;
	ck_assert(pv_batch_keep(&b, &kept));
	ck_assert_uint_eq(b.n, 0);
	ck_assert_uint_eq(kept.n, 3);
	ck_assert_uint_eq(kept.bytes.n, bytes);
	ck_assert_uint_eq(pv_batch_used(&kept), holds);
	ck_assert_str_eq(kept.other_events.v[0].jit.name.at, "Run ()");
	pv_batch_finish(&kept);
	pv_batch_finish(&b);
	wire_finish(&w);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("hold");
	TCase *t = tcase_create("late");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_delayed_definition_moves_exactly_what_it_affects);
	tcase_add_test(t, a_delayed_unload_leaves_the_pointer_without_a_name);
	tcase_add_test(t, beyond_256_buffers_of_an_old_log_it_is_inferred);
	tcase_add_test(t, within_256_buffers_of_an_old_log_it_is_exact);
	tcase_add_test(t, beyond_32_mib_it_is_inferred);
	tcase_add_test(t, after_a_sync_point_it_is_inferred);
	tcase_add_test(t, the_end_of_a_thread_reported_by_another);
	tcase_add_test(t, a_followed_log_is_shown_when_it_rests);
	tcase_add_test(t, nothing_is_kept_while_nothing_has_ended);
	tcase_add_test(t, what_is_kept_is_bounded);
	tcase_add_test(t, what_is_kept_has_its_payload);
	tcase_set_timeout(t, 100);
	suite_add_tcase(s, t);
	return run_suite(s);
}
