/* SPDX-License-Identifier: MIT */
/* States of samples: as the log has them, and by names where it has none. */
#include <stdio.h>
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

static uint64_t samples_of(struct kit *k, const char *method, const char *column, bool waits)
{
	const struct pv_query q = { .waits = waits };
	struct pv_table *t = kit_view(k, PV_VIEW_METHODS, &q);
	uint64_t n = kit_cell(t, kit_row(t, "name", method), column)->u;
	pv_table_destroy(t);
	return n;
}

START_TEST(what_ran_is_without_logged_waits_only)
{
	static const char poll[] = "(wrapper managed-to-native) Sys:poll (int)";
	struct kit k = world("profview:native,sample-real=100,sample-timer=cpu:100", true);
	ck_assert_uint_eq(samples_of(&k, "work", "samples_self", false), 3);
	ck_assert_uint_eq(samples_of(&k, "work", "samples_total", false), 5);
	ck_assert_uint_eq(samples_of(&k, poll, "samples_self", false), 2); /* it ran then */
	ck_assert_uint_eq(samples_of(&k, "work", "samples_total", true), 66);
	ck_assert_uint_eq(samples_of(&k, "(waits for a lock)", "samples_self", true), 20);
	kit_free(&k);
}
END_TEST

/* How long a method used the processor is the same whether waits count or not. */
START_TEST(processor_times_stay)
{
	struct kit k = world("profview:native,sample-real=100,sample-timer=cpu:100", true);
	const uint64_t work[] = { WORK, 0 };
	ran(&k, work);
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_EXT_CPU,
			      .cpu = { .user_ns = 700, .kernel_ns = 30 } });
	kit_flush(&k);
	for (int waits = 0; waits < 2; waits++) {
		ck_assert_uint_eq(samples_of(&k, "work", "cpu_user_ns", waits), 700);
		ck_assert_uint_eq(samples_of(&k, "work", "cpu_kernel_ns", waits), 30);
	}
	kit_free(&k);
}
END_TEST

/* Threads of one name are one row; processor time is what the log says of it, else samples that ran. */
START_TEST(threads_have_processor_time)
{
	enum { FIRST = 0x10, SECOND, OTHER };
	static const char *const columns[] = { "id", "name", "samples", "cpu_ns", NULL };
	const uint64_t work[] = { WORK, 0 };
	struct pv_query q = { .sort = "samples" };
	for (int said = 0; said < 2; said++) {
		struct kit k = kit_new("profview:native,sample=100,sample-timer=cpu:100");
		kit_method(&k, WORK, "work");
		for (uint64_t id = FIRST; id <= OTHER; id++) {
			kit_thread(&k, id);
			kit_event(&k, (struct pv_event){ .kind = PV_KIND_THREAD_NAME,
					      .meta = { .key = id,
						      .name = { "pool", id == OTHER ? 3 : 4 } } });
			for (uint64_t i = 0; i <= id - FIRST; i++)
				kit_sample(&k, id, 0x40, work);
			if (said)
				kit_event(&k,
					(struct pv_event){ .kind = PV_KIND_EXT_CPU,
						.cpu = { .user_ns = 40 * id, .kernel_ns = 2 } });
		}
		kit_flush(&k);
		q.pools = false;
		struct pv_table *t = kit_view(&k, PV_VIEW_THREADS, &q);
		ck_assert_uint_eq(t->rows, 3);
		ck_assert_str_eq(
			kit_text(t, 0, columns), said ? "0x12 poo 3 722" : "0x12 poo 3 30000000");
		pv_table_destroy(t);
		q.pools = true;
		t = kit_view(&k, PV_VIEW_THREADS, &q);
		ck_assert_uint_eq(t->rows, 2);
		ck_assert_str_eq(kit_text(t, 1, columns),
			said ? "- pool (2) 3 1324" : "- pool (2) 3 30000000");
		pv_table_destroy(t);
		kit_free(&k);
	}
}
END_TEST

/* Not those with the most events: a thread may say much and use no time. */
START_TEST(threads_stand_by_processor_time)
{
	enum { BUSY = 0x10, WORDY, SAMPLES = 5, CALLS = 50 };
	static const char *const columns[] = { "id", "samples", NULL };
	const uint64_t work[] = { WORK, 0 };
	struct kit k = kit_new("profview:mono,calls,sample=100");
	kit_method(&k, WORK, "work");
	kit_thread(&k, WORDY);
	for (int i = 0; i < CALLS; i++) {
		kit_enter(&k, WORK);
		kit_leave(&k, WORK);
	}
	kit_thread(&k, BUSY);
	for (int i = 0; i < SAMPLES; i++)
		kit_sample(&k, BUSY, 0x40, work);
	kit_flush(&k);
	struct pv_table *t = kit_view(&k, PV_VIEW_THREADS, NULL);
	ck_assert_uint_eq(t->rows, 2);
	ck_assert_str_eq(kit_text(t, 0, columns), "0x10 5");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

static void name_symbol(struct kit *k, uint64_t address, const char *name)
{
	kit_event(k, (struct pv_event){ .kind = PV_KIND_SAMPLE_SYMBOL,
			     .symbol = { .address = address,
				     .size = 0x10,
				     .name = { name, strlen(name) } } });
}

/* Stock Mono's sleep ends in a wait of libc that has no name: in the empty function next to it. */
START_TEST(the_runtimes_wait_decides_before_a_librarys_stub)
{
	enum { STUB = 0x9000, LOCK = 0x9100, OTHER = 0x4000 };
	struct kit k = world("log:sample", false);
	const uint64_t sleep[] = { SLEEP, WORK, 0 }, work[] = { WORK, 0 };
	const struct want want[] = { { "running", "by name", 4 }, { "poll", "by name", 2 },
		{ "sleep", "by name", 1 }, { "lock", "by name", 1 } };
	name_symbol(&k, STUB, "__nptl_death_event");
	name_symbol(&k, LOCK, "__lll_lock_wait");
	name_symbol(&k, OTHER, "memcpy");
	kit_sample(&k, 1, STUB, sleep);
	kit_sample(&k, 1, LOCK, work);
	kit_sample(&k, 1, OTHER, work);
	kit_flush(&k);
	has(&k, want, 4);
	ck_assert_uint_eq(samples_of(&k, "work", "samples_total", false), 4);
	ck_assert_uint_eq(samples_of(&k, "work", "samples_total", true), 8);
	kit_free(&k);
}
END_TEST

/* Code that the log does not describe is the method's that called it, in each view. */
START_TEST(an_address_in_nothing_known_is_its_callers)
{
	struct kit k = kit_new("log:sample");
	const uint64_t work[] = { WORK, 0 }, poll[] = { POLL, WORK, 0 };
	kit_thread(&k, 1);
	kit_method(&k, WORK, "work");
	kit_method(&k, POLL, "(wrapper managed-to-native) Sys:poll (int)");
	kit_sample(&k, 1, 0xdead00, work);
	kit_sample(&k, 1, 0xdead40, work);
	kit_sample(&k, 1, 0xdead80, poll);
	kit_flush(&k);
	for (int waits = 0; waits < 2; waits++) {
		const struct pv_query q = { .waits = waits, .open_all = true };
		ck_assert_uint_eq(samples_of(&k, "work", "samples_self", waits), 2);
		struct pv_table *t = kit_view(&k, PV_VIEW_CALL_TREE, &q);
		ck_assert_uint_eq(t->rows, waits ? 2 : 1);
		ck_assert_uint_eq(kit_cell(t, &t->row[0], "samples")->u, 2);
		pv_table_destroy(t);
	}
	kit_free(&k);
}
END_TEST

static const char *line_of(struct kit *k, bool waits, enum pv_time_of *ret)
{
	static char line[400];
	const struct pv_query q = { .waits = waits };
	struct pv_table *t = kit_view(k, PV_VIEW_METHODS, &q);
	snprintf(line, sizeof line, "%s", t->coverage);
	*ret = t->time_of;
	pv_table_destroy(t);
	return line;
}

/* Of a sample that may have waited neither what ran nor what waited has any. */
START_TEST(what_is_not_known_counts_as_neither)
{
	struct kit k = kit_new("nettrace");
	const uint64_t work[] = { WORK, 0 }, sleep[] = { SLEEP, WORK, 0 };
	enum pv_time_of of;
	k.m->target.text = "nettrace";
	kit_thread(&k, 1);
	kit_method(&k, WORK, "work");
	ran(&k, work);
	waited(&k, PV_WAIT_UNSURE, 2, work);
	waited(&k, PV_WAIT_UNSURE, 1, sleep);
	kit_method(&k, SLEEP, "System.Threading.Thread:Sleep (int)"); /* names may come later */
	kit_flush(&k);
	const struct want want[] = { { "running", "logged", 1 }, { "unsure", "no", 2 },
		{ "sleep", "by name", 1 } };
	has(&k, want, 3);
	ck_assert_uint_eq(samples_of(&k, "work", "samples_total", false), 1);
	ck_assert_uint_eq(samples_of(&k, "work", "samples_total", true), 4);
	ck_assert_ptr_nonnull(strstr(line_of(&k, false, &of),
		"what ran: 25 % of samples waited, 50 % of samples ran or waited"));
	ck_assert_int_eq(of, PV_TIME_RAN);
	ck_assert_ptr_nonnull(strstr(line_of(&k, true, &of), "25 % of samples waited, and count"));
	ck_assert_int_eq(of, PV_TIME_WAITS_TOO);
	kit_free(&k);
}
END_TEST

/* Rounding leaves samples in known waits without the mark; code without a name ran. */
START_TEST(a_streams_plain_sample_in_a_known_wait_waited)
{
	struct kit k = kit_new("nettrace");
	const uint64_t work[] = { WORK, 0 }, sleep[] = { SLEEP, WORK, 0 }, nameless[] = { POLL, 0 };
	k.m->target.text = "nettrace";
	kit_thread(&k, 1);
	kit_method(&k, WORK, "work");
	waited(&k, PV_WAIT_LOCK, 6, work);
	ran(&k, sleep);
	ran(&k, sleep);
	ran(&k, work);
	ran(&k, nameless);
	kit_method(&k, SLEEP, "System.Threading.Thread:Sleep (int)"); /* names may come later */
	kit_flush(&k);
	const struct want want[] = { { "running", "logged", 2 }, { "lock", "logged", 6 },
		{ "sleep", "by name", 2 } };
	has(&k, want, 3);
	ck_assert_uint_eq(samples_of(&k, "work", "samples_total", false), 1);
	ck_assert_uint_eq(samples_of(&k, "0x2000", "samples_self", false), 1);
	kit_free(&k);
}
END_TEST

/* As long as nothing is known of any nothing is left out, and the title says WALL. */
START_TEST(nothing_known_is_wall)
{
	struct kit k = kit_new("log:sample");
	const uint64_t work[] = { WORK, 0 };
	enum pv_time_of of;
	kit_thread(&k, 1);
	ran(&k, work);
	kit_flush(&k);
	ck_assert_ptr_nonnull(strstr(line_of(&k, false, &of), "samples are WALL"));
	ck_assert_int_eq(of, PV_TIME_WALL);
	ck_assert_uint_eq(samples_of(&k, "0x1000", "samples_self", false), 1);
	kit_method(&k, WORK, "work");
	kit_flush(&k);
	ck_assert_ptr_null(strstr(line_of(&k, false, &of), "WALL"));
	ck_assert_int_eq(of, PV_TIME_RAN);
	kit_free(&k);
}
END_TEST

/* .NET's pool spins before it sleeps; the spin of a method that waits for a lock ran. */
START_TEST(an_idle_pools_spin_is_a_wait)
{
	enum { LIFO = 0x5000, YIELD = 0x6000, ENTER = 0x7000 };
	struct kit k = kit_new("profview:clr,sample=100,sample-timer=cpu:100");
	const uint64_t idle[] = { YIELD, LIFO, 0 }, spin[] = { YIELD, ENTER, WORK, 0 };
	kit_thread(&k, 1);
	kit_method(&k, WORK, "work");
	kit_method(&k, LIFO, "System.Threading.LowLevelLifoSemaphore:Wait (int,bool)");
	kit_method(&k, ENTER, "System.Threading.Monitor:Enter_Slowpath (object)");
	kit_method(&k, YIELD, "__sched_yield");
	for (int i = 0; i < 3; i++)
		ran(&k, idle);
	ran(&k, spin);
	kit_flush(&k);
	const struct want want[] = { { "running", "logged", 1 }, { "lock", "by name", 3 } };
	has(&k, want, 2);
	ck_assert_uint_eq(samples_of(&k, "__sched_yield", "samples_self", false), 1);
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
	tcase_add_test(c, processor_times_stay);
	tcase_add_test(c, threads_have_processor_time);
	tcase_add_test(c, threads_stand_by_processor_time);
	tcase_add_test(c, the_runtimes_wait_decides_before_a_librarys_stub);
	tcase_add_test(c, an_address_in_nothing_known_is_its_callers);
	tcase_add_test(c, what_is_not_known_counts_as_neither);
	tcase_add_test(c, a_streams_plain_sample_in_a_known_wait_waited);
	tcase_add_test(c, nothing_known_is_wall);
	tcase_add_test(c, an_idle_pools_spin_is_a_wait);
	suite_add_tcase(s, c);
	return run_suite(s);
}
