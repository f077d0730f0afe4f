/* SPDX-License-Identifier: MIT */
/*
 * Ranges and objects of a pipe that gave more than its spool keeps: what is kept is exact, with its
 * names, and what is gone is said.
 */
#include <poll.h>

#include "common/ingest/again/heap_read.h"
#include "common/ingest/again/range.h"
#include "common/io/spool.h"
#include "common/query/coverage/coverage.h"
#include "common/report/report.h"
#include "tests/kit/logkit.h"
#include "tests/kit/range_kit.h"
#include "tests/kit/source_kit.h"
#include "tests/kit/suite.h"

enum { TURNS = 900, MANY = 5000, CALLS = 30, METHODS = 20, PIECE = 8192 };
#define STEP INT64_C(10000)

static uint64_t method(unsigned i)
{
	return 0x1000 + 0x10 * i;
}

static void shot(struct logkit *k, int64_t now)
{
	struct pv_event e = { .kind = PV_KIND_HEAP_OBJECT };
	logkit_plain(k, now, PV_KIND_HEAP_START);
	e.heap_object.object = 0x10000;
	e.heap_object.type = logkit_type(k, 0x5000);
	e.heap_object.size = 24;
	logkit_event(k, now + 1, e);
	logkit_plain(k, now + 2, PV_KIND_HEAP_END);
	logkit_flush(k);
}

/* Two threads in turns, each with a call open all the time; a shot at the beginning and the end. */
static struct logkit *make_log(unsigned turns)
{
	struct logkit *k = logkit_new(17);
	int64_t now = 0;
	char name[] = "M?:Run (int)";
	for (unsigned i = 0; i < METHODS; i++) {
		name[1] = (char)('a' + i);
		logkit_method(k, now, method(i), name);
	}
	logkit_class(k, now, 0x5000, "Thing");
	logkit_flush(k);
	shot(k, now);
	for (unsigned turn = 0; turn < turns; turn++) {
		logkit_on(k, turn % 2 + 1);
		if (turn < 2)
			logkit_enter(k, now, method(0));
		for (unsigned i = 0; i < CALLS; i++, now += 2 * STEP) {
			logkit_enter(k, now, method(1 + (turn + i) % (METHODS - 1)));
			logkit_leave(k, now + STEP, method(1 + (turn + i) % (METHODS - 1)));
		}
		logkit_flush(k);
	}
	shot(k, now);
	return k;
}

static struct pv_ingest_status status_of(struct pv_ingest *in)
{
	struct pv_ingest_status s;
	pv_ingest_status(in, &s);
	return s;
}

static void wait_for(struct pv_ingest *in, uint64_t n, enum pv_ingest_state state)
{
	int64_t until = now_ms() + DEADLINE_MS;
	while (status_of(in).stream_bytes < n || status_of(in).state != state) {
		struct pollfd p = { .fd = pv_ingest_fd(in), .events = POLLIN };
		ck_assert_int_lt(now_ms(), until);
		poll(&p, 1, 10);
		pv_ingest_clear(in);
	}
}

/* Nothing is dropped: each piece is read before the next one is written. */
static struct pv_ingest *feed(const struct logkit *k)
{
	char path[KIT_PATH];
	struct pv_error e;
	const struct pv_source_options so = { .follow = true, .spool_limit = PV_SPOOL_LEAST };
	const struct pv_ingest_options io = { .jobs = 1, .follow = true, .ranges = true };
	ck_assert_int_eq(mkfifo(in_dir(path, "pipe"), 0600), 0);
	struct pv_ingest *in = pv_ingest_start(open_ok(path, &so), &io, &e);
	ck_assert_ptr_nonnull(in);
	int writer = open(path, O_WRONLY | O_CLOEXEC);
	for (size_t at = 0, n; at < k->file.n; at += n) {
		n = k->file.n - at < PIECE ? k->file.n - at : PIECE;
		ck_assert(write_all(writer, k->file.v + at, n));
		wait_for(in, at + n, PV_INGEST_LIVE);
	}
	close(writer);
	wait_for(in, k->file.n, PV_INGEST_ENDED); /* all of it is applied */
	pv_ingest_adopt(in);
	return in;
}

static void end(struct pv_ingest *in, struct logkit *k)
{
	pv_ingest_destroy(in);
	logkit_free(k);
}

static struct pv_range_read *read_range(struct pv_ingest *in, int64_t from_ns, int64_t to_ns)
{
	struct pv_error e = { 0 };
	struct pv_background_status s;
	struct pv_range_read *r = pv_range_start(
		in, &(struct pv_range_wish){ .from_ns = from_ns, .to_ns = to_ns }, &e);
	ck_assert_msg(r != NULL, "%s", e.what);
	pv_background_wait(pv_range_job(r));
	pv_background_status(pv_range_job(r), &s);
	ck_assert_msg(s.done, "%s", s.error.what);
	return r;
}

static char *methods(struct pv_range_read *r)
{
	char *text = NULL;
	size_t n;
	struct pv_error e;
	const struct pv_report_source source = { .path = "log" };
	const struct pv_report_options o = { .format = PV_REPORT_JSON, .sections = "methods" };
	FILE *f = open_memstream(&text, &n);
	ck_assert(pv_report_write(pv_range_model(r), &source, &o, f, &e));
	fclose(f);
	return text;
}

START_TEST(what_is_kept_is_exact)
{
	char path[KIT_PATH], line[300];
	struct logkit *k = make_log(TURNS);
	ck_assert_uint_gt(k->file.n, 3 * PV_SPOOL_LEAST);
	put_file(in_dir(path, "log"), k->file.v, k->file.n);
	struct pv_ingest *whole = range_kit_load(path);
	struct pv_ingest *fed = feed(k);
	int64_t last = TURNS * CALLS * 2 * STEP, from = last - last / 8;
	struct pv_range_read *a = read_range(fed, from, INT64_MAX);
	struct pv_range_read *b = read_range(whole, from, INT64_MAX);
	char *got = methods(a), *wanted = methods(b);
	/* Coverage stands before them, and says what is gone. */
	const char *rows = strstr(got, "\"methods\"");
	ck_assert(rows && strcmp(rows, strstr(wanted, "\"methods\"")) == 0);
	ck_assert_ptr_nonnull(strstr(got, "Mb:Run (int)"));
	pv_coverage_line(pv_range_model(a), NULL, PV_VIEW_METHODS, line, sizeof line);
	ck_assert_ptr_nonnull(strstr(line, "are no longer kept"));
	free(got);
	free(wanted);
	pv_background_destroy(pv_range_job(a));
	pv_background_destroy(pv_range_job(b));
	pv_ingest_destroy(whole);
	end(fed, k);
}
END_TEST

START_TEST(what_is_gone_is_said_and_what_is_kept_read_again)
{
	struct pv_error e = { 0 };
	char line[300];
	struct logkit *k = make_log(TURNS);
	struct pv_ingest *fed = feed(k);
	struct pv_range_read *early = read_range(fed, 0, TURNS * STEP);
	pv_coverage_line(pv_range_model(early), NULL, PV_VIEW_METHODS, line, sizeof line);
	ck_assert_ptr_nonnull(strstr(line, "are no longer kept"));
	pv_background_destroy(pv_range_job(early));
	struct pv_heap_read_options o = { .shot = 1 };
	struct pv_heap_read *r = pv_heap_read_start(fed, &o, &e);
	ck_assert_msg(r != NULL, "%s", e.what);
	pv_background_wait(pv_heap_read_job(r));
	ck_assert_ptr_nonnull(pv_heap_read_heap(r));
	pv_background_destroy(pv_heap_read_job(r));
	o.shot = 0;
	ck_assert_ptr_null(pv_heap_read_start(fed, &o, &e));
	ck_assert_int_eq(e.code, PV_EUSAGE);
	ck_assert_ptr_nonnull(strstr(e.what, "no longer kept"));
	end(fed, k);
}
END_TEST

/* Calls that come summed up: the range's first edge lies within such a sum. */
START_TEST(a_file_of_nothing_but_calls)
{
	char path[KIT_PATH];
	struct range_kit_result r;
	struct logkit *k = make_log(TURNS);
	put_file(in_dir(path, "log"), k->file.v, k->file.n);
	struct pv_ingest *whole = range_kit_load(path);
	int64_t last = TURNS * CALLS * 2 * STEP, from = last - last / 8;
	ck_assert(range_kit_compare(whole, path, from, from + last / 16 + 3 * STEP, &r));
	ck_assert(r.equal && !r.whole);
	free(r.slow);
	free(r.quick);
	pv_ingest_destroy(whole);
	logkit_free(k);
}
END_TEST

static struct pv_ingest *load_with_index(const char *path)
{
	struct pv_error e;
	const struct pv_ingest_options io = { .jobs = 2, .index = true, .ranges = true };
	struct pv_ingest *in = pv_ingest_start(open_plain(path, false), &io, &e);
	ck_assert_ptr_nonnull(in);
	wait_for(in, 0, PV_INGEST_ENDED);
	pv_ingest_adopt(in);
	return in;
}

/* Opened again, a log's ranges are read from the buffers that overlap them. */
START_TEST(an_index_has_the_table)
{
	char path[KIT_PATH];
	struct range_kit_result r;
	struct logkit *k = make_log(MANY);
	int64_t last = MANY * CALLS * 2 * STEP;
	put_file(in_dir(path, "log"), k->file.v, k->file.n);
	ck_assert(!pv_ingest_indexed(path));
	pv_ingest_destroy(load_with_index(path));
	ck_assert(pv_ingest_indexed(path));
	struct pv_ingest *in = load_with_index(path);
	ck_assert_uint_eq(status_of(in).source.input_read, status_of(in).source.file_bytes);
	ck_assert(range_kit_compare(in, path, last / 2, last / 2 + last / 10, &r));
	ck_assert(r.equal && !r.whole);
	ck_assert_uint_lt(r.bytes_read, k->file.n * 3 / 4);
	free(r.slow);
	free(r.quick);
	pv_ingest_destroy(in);
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("range pipe");
	TCase *t = tcase_create("pipe");
	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, kit_setup, kit_teardown);
	tcase_add_test(t, what_is_kept_is_exact);
	tcase_add_test(t, what_is_gone_is_said_and_what_is_kept_read_again);
	tcase_add_test(t, a_file_of_nothing_but_calls);
	tcase_add_test(t, an_index_has_the_table);
	suite_add_tcase(s, t);
	return run_suite(s);
}
