/* States of samples: as the log has them, and by names where it has none. */
#include <string.h>

#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum { WORK = 0x1000, POLL = 0x2000, SLEEP = 0x3000 };

static void put(struct kit *k, struct pv_event e, const uint64_t *frames)
{
	e.hit.frames.at = (uint32_t)k->batch.pool.n;
	for (; frames && *frames; frames++) {
		kit_must(pv_reserve(&k->batch.pool, 1));
		k->batch.pool.v[k->batch.pool.n++] = *frames;
		e.hit.frames.n++;
	}
	kit_event(k, e);
}

static void ran(struct kit *k, const uint64_t *frames)
{
	put(k, (struct pv_event){ .kind = PV_KIND_SAMPLE_HIT, .hit = { .type = 1, .thread = 1 } },
		frames);
}

static void waited(struct kit *k, uint64_t state, uint64_t times, const uint64_t *frames)
{
	put(k,
		(struct pv_event){ .kind = PV_KIND_EXT_WAITED,
			.hit = { .thread = 1, .state = state, .times = times } },
		frames);
}

/* Five samples of Work, two of them in poll(), and what `waits` adds. */
static struct kit world(const char *args, bool waits)
{
	struct kit k = kit_new(args);
	kit_thread(&k, 1);
	kit_method(&k, WORK, "work");
	kit_method(&k, POLL, "(wrapper managed-to-native) Sys:poll (int)");
	kit_method(&k, SLEEP, "System.Threading.Thread:Sleep (int)");
	const uint64_t work[] = { WORK, 0 }, poll[] = { POLL, WORK, 0 },
		       sleep[] = { SLEEP, WORK, 0 };
	for (int i = 0; i < 3; i++)
		ran(&k, work);
	for (int i = 0; i < 2; i++)
		ran(&k, poll);
	if (waits) {
		waited(&k, PV_WAIT_POLL, 30, poll);
		waited(&k, PV_WAIT_LOCK, 20, work);
		waited(&k, PV_WAIT_LOCK, 10, sleep); /* as runtimes sleep */
		waited(&k, PV_WAIT_QUEUED, 5, NULL);
		waited(&k, 77, 1, work); /* a state of a later version */
		waited(&k, PV_WAIT_IO, 0, work);
	}
	kit_flush(&k);
	return k;
}

struct want {
	const char *state, *known;
	uint64_t samples;
};

static void has(struct kit *k, const struct want *want, size_t n)
{
	struct pv_table *t = kit_view(k, PV_VIEW_SAMPLE_STATES, NULL);
	ck_assert_uint_eq(t->rows, n);
	for (size_t i = 0; i < n; i++) {
		const struct pv_row *r = kit_row(t, "state", want[i].state);
		ck_assert_uint_eq(kit_cell(t, r, "samples")->u, want[i].samples);
		ck_assert_str_eq(kit_cell(t, r, "known")->s, want[i].known);
	}
	pv_table_destroy(t);
}

START_TEST(the_log_says_what_waited)
{
	struct kit k = world("profview:native,sample-real=100,sample-timer=cpu:100", true);
	const struct want want[] = { { "running", "logged", 5 }, { "poll", "logged", 30 },
		{ "lock", "logged", 20 }, { "sleep", "logged", 10 }, { "runnable", "logged", 5 },
		{ "unknown", "logged", 1 } };
	has(&k, want, 6);
	kit_free(&k);
}
END_TEST

START_TEST(names_say_it_elsewhere)
{
	struct kit k = world("log:sample", false);
	const struct want want[] = { { "running", "by name", 3 }, { "poll", "by name", 2 } };
	has(&k, want, 2);
	kit_free(&k);
}
END_TEST

/* Timers of processor time meet running threads only, whatever the function is called. */
START_TEST(names_say_nothing_of_our_samples)
{
	struct kit k = world("profview:native,sample=100,sample-timer=cpu:100", false);
	const struct want want[] = { { "running", "logged", 5 } };
	has(&k, want, 1);
	kit_free(&k);
}
END_TEST

static uint64_t samples_of(struct kit *k, const char *method, const char *column, bool ran)
{
	const struct pv_query q = { .ran = ran };
	struct pv_table *t = kit_view(k, PV_VIEW_METHODS, &q);
	uint64_t n = kit_cell(t, kit_row(t, "name", method), column)->u;
	pv_table_destroy(t);
	return n;
}

START_TEST(what_ran_is_without_logged_waits_only)
{
	static const char poll[] = "(wrapper managed-to-native) Sys:poll (int)";
	struct kit k = world("profview:native,sample-real=100,sample-timer=cpu:100", true);
	ck_assert_uint_eq(samples_of(&k, "work", "samples_self", true), 3);
	ck_assert_uint_eq(samples_of(&k, "work", "samples_total", true), 5);
	ck_assert_uint_eq(samples_of(&k, poll, "samples_self", true), 2); /* it ran then */
	ck_assert_uint_eq(samples_of(&k, "work", "samples_total", false), 66);
	ck_assert_uint_eq(samples_of(&k, "(waits for a lock)", "samples_self", false), 20);
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("states of samples");
	TCase *c = tcase_create("states");
	tcase_add_test(c, the_log_says_what_waited);
	tcase_add_test(c, names_say_it_elsewhere);
	tcase_add_test(c, names_say_nothing_of_our_samples);
	tcase_add_test(c, what_ran_is_without_logged_waits_only);
	suite_add_tcase(s, c);
	return run_suite(s);
}
