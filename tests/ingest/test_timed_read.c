/* SPDX-License-Identifier: MIT */
/*
 * Calls and waits of logs whose times are at the ends of what a number holds, forwards and
 * backwards: none takes less than no time, and none ends beyond the last of times.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/ingest/again/timed_read.h"
#include "tests/kit/logkit.h"
#include "tests/kit/range_kit.h"
#include "tests/kit/suite.h"

static char path[] = "/tmp/pv-timed-XXXXXX";
static const int64_t times[] = { 0, 1, 1000000, INT64_MAX / 2, INT64_MAX - 1000000, INT64_MAX,
	INT64_MIN, INT64_MIN + 1, INT64_MIN / 2, -1000000, -1 };
enum { TIMES = sizeof times / sizeof times[0], ALL = TIMES * TIMES * TIMES };

/* A call and a wait from one time to another, after an event at a third; the last ones do not end. */
static void write_log(int64_t zero, int64_t from, int64_t to)
{
	struct logkit *k = logkit_new(17);
	logkit_method(k, zero, 0x1000, "Shop.Cart:Total (int)");
	logkit_flush(k);
	logkit_enter(k, from, 0x1000);
	logkit_event(k, from,
		(struct pv_event){ .kind = PV_KIND_MONITOR_CONTENTION, .monitor.object = 0x80 });
	logkit_flush(k);
	logkit_event(
		k, to, (struct pv_event){ .kind = PV_KIND_MONITOR_DONE, .monitor.object = 0x80 });
	logkit_leave(k, to, 0x1000);
	logkit_flush(k);
	logkit_enter(k, from, 0x1000);
	logkit_flush(k);
	FILE *f = fopen(path, "wb");
	ck_assert_uint_eq(fwrite(k->file.v, 1, k->file.n, f), k->file.n);
	fclose(f);
	logkit_free(k);
}

static size_t check(int64_t end_ns)
{
	const struct pv_timed_wish wish = {
		.from_ns = INT64_MIN, .to_ns = INT64_MAX, .end_ns = end_ns
	};
	struct pv_ingest *in = range_kit_load(path);
	struct pv_timed_list list;
	struct pv_error e = { 0 };
	ck_assert_ptr_nonnull(in);
	ck_assert_msg(pv_timed_read(in, &wish, &list, &e), "%s", e.what);
	for (size_t i = 0; i < list.v.n; i++) {
		const struct pv_timed *t = &list.v.v[i];
		int64_t end;
		ck_assert_int_ge(t->took_ns, 0);
		ck_assert(!__builtin_add_overflow(t->from_ns, t->took_ns, &end));
	}
	size_t n = list.v.n;
	pv_timed_clear(&list);
	pv_ingest_destroy(in);
	return n;
}

START_TEST(times_at_their_ends)
{
	size_t n = 0;
	for (size_t i = 0; i < ALL; i += 7) { /* each with each */
		write_log(times[i % TIMES], times[i / TIMES % TIMES], times[i / TIMES / TIMES]);
		n += check(i % 2 ? INT64_MAX : 1000);
	}
	ck_assert_uint_gt(n, ALL / 7);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("timed_read");
	TCase *t = tcase_create("all");
	int fd = mkstemp(path);
	if (fd < 0)
		return 1;
	close(fd);
	tcase_add_test(t, times_at_their_ends);
	tcase_set_timeout(t, 60);
	suite_add_tcase(s, t);
	int failed = run_suite(s);
	unlink(path);
	return failed;
}
