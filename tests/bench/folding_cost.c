/* SPDX-License-Identifier: MIT */
/*
 * More paths than each has a row of its own, ten methods on each level: calls on five levels again
 * and again, or allocations at the ends of seven.
 *
 * usage: folding_cost calls|stacks CAP PATHS
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/time/window.h"
#include "tests/kit/logkit.h"

enum {
	LEVELS = 5,
	DEEP = 7,
	METHOD = 0x10000,
	CLASS = 0x1000,
	CLASSES = 100,
	PATHS = 10000000,
	STEP = 7919, /* no path is met again before all others were */
	AT_ONCE = 1000,
};

static uint64_t method(uint64_t path, unsigned level)
{
	for (unsigned i = level; i + 1 < LEVELS; i++)
		path /= 10;
	return METHOD + (level * 10 + path % 10) * 8;
}

/* The calls of the path before that do not go on end, those that are new begin. */
static void go_on(struct logkit *k, uint64_t path, int64_t *t)
{
	unsigned same = 0;
	while (path > 0 && same < LEVELS && method(path - 1, same) == method(path, same))
		same++;
	for (unsigned i = LEVELS; path > 0 && i-- > same;)
		logkit_leave(k, *t += 20, method(path - 1, i));
	for (unsigned i = same; i < LEVELS; i++)
		logkit_enter(k, *t += 20, method(path, i));
}

static bool stacks;
static uint64_t cap, paths;

static void allocate(struct logkit *k, uint64_t i, int64_t *t)
{
	uint64_t frame[DEEP], path = i * STEP % PATHS;
	for (unsigned level = DEEP; level-- > 0; path /= 10)
		frame[level] = METHOD + (level * 10 + path % 10) * 8;
	struct pv_event e = { .kind = PV_KIND_ALLOC };
	e.alloc.type = logkit_type(k, CLASS + i % CLASSES * 64);
	e.alloc.object = 0x1000000 + i * 64;
	e.alloc.size = 24;
	e.alloc.stack = logkit_list(k, frame, DEEP);
	logkit_event(k, *t += 20, e);
}

START_TEST(write_and_read)
{
	struct logkit *k = logkit_new(17);
	int64_t t = 0;
	k->model->calls.cap = k->model->stacks.cap = cap;
	k->model->allocs.sites.cap = cap / 2;
	pv_window_off(k->model);
	for (uint64_t i = 0; i < paths; i++) {
		if (stacks)
			allocate(k, i, &t);
		else
			go_on(k, i, &t);
		if (i % AT_ONCE == 0)
			logkit_flush(k);
	}
	logkit_model(k);
	logkit_free(k);
}
END_TEST

/* In this very process: what another one takes is counted apart. */
int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	stacks = strcmp(argv[1], "stacks") == 0;
	cap = strtoull(argv[2], NULL, 10);
	paths = strtoull(argv[3], NULL, 10);
	Suite *s = suite_create("folding cost");
	TCase *t = tcase_create("cost");
	tcase_add_test(t, write_and_read);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_set_fork_status(r, CK_NOFORK);
	srunner_run_all(r, CK_SILENT);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
