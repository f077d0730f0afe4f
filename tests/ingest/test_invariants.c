/* SPDX-License-Identifier: MIT */
/*
 * The straight line's invariants (summariser.h), broken one at a time by who must not: each ends the
 * process that does it. Everything here is built with PV_INVARIANTS, whatever the build is.
 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/calls/summariser.h"
#include "common/ingest/decode_pool.h"
#include "common/ingest/reorder.h"
#include "common/model/calls/segment.h"
#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { METHOD = 0x10000, RUN = 2 };

/* A run of two buffers, decoded, and the model that it is for. */
struct world {
	struct logkit *k, *other;
	struct pv_model *m;
	struct pv_summariser *summariser;
	struct pv_decode_task task[RUN];
	struct pv_batch *batch[RUN];
	size_t at;
};

static void take_buffer(struct world *w, struct pv_decode_task *t)
{
	struct logkit *k = w->k;
	logkit_flush(k);
	const struct mlpd_buffer_header h = { .time_base = k->batch.time_base };
	struct pv_batch *b = &t->batch;
	mlpd_bases_init(&t->bases, &h);
	t->format = k->format;
	b->offset = k->batch.offset;
	b->thread = k->batch.thread;
	b->time_base = k->batch.time_base;
	ck_assert(pv_reserve(&b->bytes, k->batch.bytes_len + 1));
	memcpy(b->bytes.v, k->batch.bytes.v, k->batch.bytes_len);
	b->bytes.n = b->bytes_len = k->batch.bytes_len;
	ck_assert(pv_model_summarises(w->m, &b->summary));
}

static struct world begin(void)
{
	struct world w = { .k = logkit_new(17), .other = logkit_new(17) };
	w.m = w.other->model;
	w.summariser = pv_summariser_create(NULL);
	logkit_plain(w.k, 0, PV_KIND_SYNC_POINT);
	logkit_flush(w.k);
	ck_assert(pv_model_apply(w.m, &w.k->batch, &w.at, 0)); /* it shows how others come */
	for (int i = 0; i < RUN; i++) {
		logkit_enter(w.k, 10 + i * 10, METHOD);
		logkit_leave(w.k, 15 + i * 10, METHOD);
		take_buffer(&w, &w.task[i]);
	}
	ck_assert_uint_eq(pv_summarise_run(w.summariser, w.task, RUN), RUN);
	w.at = 0;
	return w;
}

/* Here, where the world stays: the model remembers where a run's batches are. */
static void register_run(struct world *w, size_t n)
{
	for (size_t i = 0; i < RUN; i++)
		w->batch[i] = &w->task[i].batch;
	pv_paths_register(w->m, w->batch, n);
}

static void apply(struct world *w, size_t i)
{
	w->at = 0;
	ck_assert(pv_model_apply(w->m, w->batch[i], &w->at, 0));
}

static void finish(struct world *w)
{
	for (size_t i = 0; i < RUN; i++)
		pv_batch_finish(&w->task[i].batch);
	pv_summariser_destroy(w->summariser);
	logkit_free(w->k);
	logkit_free(w->other);
}

/* --- permitted, then forbidden */

static void as_it_must_be(struct world *w)
{
	register_run(w, RUN);
	apply(w, 0);
	apply(w, 1);
	pv_model_damage(w->m, 0, 1, "test");
}

static void expanded_as_it_must_be(struct world *w)
{
	register_run(w, RUN);
	if (!pv_reorder_expand(w->m, w->batch, RUN))
		_exit(1);
	apply(w, 0);
	apply(w, 1);
}

static void half_a_run(struct world *w)
{
	register_run(w, 1);
}

static void without_its_run(struct world *w)
{
	w->batch[0] = &w->task[0].batch;
	apply(w, 0);
}

static void out_of_order(struct world *w)
{
	register_run(w, RUN);
	apply(w, 1);
}

static void damage_between(struct world *w)
{
	register_run(w, RUN);
	apply(w, 0);
	pv_model_damage(w->m, 0, 1, "test");
}

static void another_run_between(struct world *w)
{
	register_run(w, RUN);
	apply(w, 0);
	register_run(w, RUN);
}

static void damaged_amid(struct world *w)
{
	w->task[0].batch.damaged = true;
	register_run(w, RUN);
}

static void payload_dropped(struct world *w)
{
	register_run(w, RUN);
	pv_batch_give_back(w->batch[1]);
	pv_reorder_expand(w->m, w->batch, RUN);
}

/* The second buffer is one from before the first. */
static void handed_in_out_of_order(struct world *w)
{
	struct pv_decode_pool *p = pv_decode_pool_create(0, false);
	(void)w;
	for (uint64_t i = 0; p && i < RUN; i++) {
		struct pv_decode_task *t = pv_decode_pool_room(p);
		t->batch.offset = 1000 - i;
		pv_decode_pool_submit(p);
	}
}

static const struct {
	const char *name;
	void (*doing)(struct world *w);
	bool traps;
} cases[] = {
	{ "as it must be", as_it_must_be, false },
	{ "expanded as it must be", expanded_as_it_must_be, false },
	{ "half a run", half_a_run, true },
	{ "without its run", without_its_run, true },
	{ "out of order", out_of_order, true },
	{ "damage between", damage_between, true },
	{ "another run between", another_run_between, true },
	{ "damaged amid a run", damaged_amid, true },
	{ "payload dropped", payload_dropped, true },
	{ "handed in out of order", handed_in_out_of_order, true },
};

/* In a process of its own, which leaves no core. Returns how that ended. */
static int end_of(void (*doing)(struct world *w))
{
	int status;
	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		const struct rlimit none = { 0, 0 };
		struct world w = begin();
		setrlimit(RLIMIT_CORE, &none);
		signal(SIGILL, SIG_DFL); /* a sanitizer may have its own */
		signal(SIGTRAP, SIG_DFL);
		doing(&w);
		finish(&w);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return status;
}

START_TEST(who_breaks_one_is_ended)
{
	int status = end_of(cases[_i].doing);
	if (!cases[_i].traps)
		ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: %x",
			cases[_i].name, (unsigned)status);
	else
		ck_assert_msg(WIFSIGNALED(status), "%s: %x", cases[_i].name, (unsigned)status);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("invariants");
	TCase *t = tcase_create("straight line");
	tcase_add_loop_test(t, who_breaks_one_is_ended, 0, sizeof cases / sizeof *cases);
	suite_add_tcase(s, t);
	return run_suite(s);
}
