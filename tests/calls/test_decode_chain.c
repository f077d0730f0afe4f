/*
 * Runs of one log decoded by two who do so at once: what the second left open is what the first
 * goes on with behind it, and the model takes it so.
 */
#include "common/format/mlpd/framer.h"
#include "common/calls/mlpd_chain.h"
#include "common/model/calls/stretch.h"
#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

static uint64_t method(unsigned i)
{
	return 0x7f0000401000 + (uint64_t)i * 0x938;
}

/* Of a run for each buffer. */
struct reading {
	struct logkit *kit;
	struct mlpd_framer framer;
	struct mlpd_chain chain;
	struct pv_batch batch;
	size_t given;
};

static void begin(struct reading *r, struct logkit *written)
{
	*r = (struct reading){ .kit = logkit_new(17) };
	ck_assert(mlpd_chain_init(&r->chain, 2));
	ck_assert(mlpd_framer_init(&r->framer));
	size_t room;
	uint8_t *to = mlpd_framer_room(&r->framer, &room);
	ck_assert_uint_ge(room, written->file.n);
	memcpy(to, written->file.v, written->file.n);
	mlpd_framer_filled(&r->framer, written->file.n);
	ck_assert_int_eq(mlpd_framer_next(&r->framer), MLPD_HEADER);
}

static void end(struct reading *r)
{
	pv_batch_finish(&r->batch);
	mlpd_framer_finish(&r->framer);
	mlpd_chain_finish(&r->chain);
	logkit_free(r->kit);
}

/* The next buffer as a run; `unknown`: beside the one before. */
static struct mlpd_decoder *decode(struct reading *r, uint64_t place, bool unknown)
{
	const struct mlpd_framer *f = &r->framer;
	struct mlpd_bases bases;
	size_t used;
	pv_batch_reset(&r->batch);
	ck_assert_int_eq(mlpd_framer_next(&r->framer), MLPD_BUFFER);
	ck_assert(pv_reserve(&r->batch.bytes, f->payload_len + 1));
	memcpy(r->batch.bytes.v, f->payload, f->payload_len);
	r->batch.bytes.n = r->batch.bytes_len = f->payload_len;
	r->batch.thread = f->buffer.thread;
	r->batch.time_base = f->buffer.time_base;
	r->batch.digest.wanted = true;
	r->batch.digest.cell_ns = r->batch.digest.stretch_ns = PV_STRETCH_ANY;
	mlpd_bases_init(&bases, &f->buffer);
	struct mlpd_decoder *d = mlpd_chain_choose(&r->chain, place, unknown);
	ck_assert_ptr_nonnull(d);
	mlpd_chain_take_up(d, place, false, 0);
	ck_assert(mlpd_run_decode(d->run, &r->batch, &bases, &f->header.format, &used));
	ck_assert(mlpd_run_end(d->run));
	mlpd_chain_tell(&r->chain, d);
	return d;
}

static void apply(struct reading *r)
{
	struct pv_batch *b = &r->batch;
	const struct pv_batch *const all[] = { b };
	size_t at = 0;
	ck_assert(pv_model_hears(r->kit->model, &b, 1));
	ck_assert(pv_model_takes(r->kit->model, all, 1));
	ck_assert(pv_model_apply(r->kit->model, b, &at, 0));
}

/* 0 1 2 are entered; 2 1 end and 3 4 are entered; 4 ends, 5 comes and goes, 3 and 0 end. */
static struct logkit *write_log(void)
{
	struct logkit *k = logkit_new(17);
	int64_t now = 1000;
	for (unsigned i = 0; i < 3; i++)
		logkit_enter(k, now += 10, method(i));
	logkit_flush(k);
	logkit_leave(k, now += 10, method(2));
	logkit_leave(k, now += 10, method(1));
	logkit_enter(k, now += 10, method(3));
	logkit_enter(k, now += 10, method(4));
	logkit_flush(k);
	logkit_leave(k, now += 10, method(4));
	logkit_enter(k, now += 10, method(5));
	logkit_leave(k, now += 10, method(5));
	logkit_leave(k, now += 10, method(3));
	logkit_leave(k, now += 10, method(0));
	logkit_flush(k);
	return k;
}

/* The first run is decoded and applied; who had it is busy, as with the next. */
static struct mlpd_decoder *begin_busy(struct reading *r, struct logkit *written)
{
	begin(r, written);
	struct mlpd_decoder *first = decode(r, 1, false);
	apply(r);
	first->busy = true;
	return first;
}

START_TEST(takes_over_what_is_open)
{
	struct logkit *written = write_log();
	struct reading r;
	struct mlpd_decoder *first = begin_busy(&r, written);
	struct mlpd_decoder *second = decode(&r, 2, true);
	first->busy = false;
	ck_assert_ptr_ne(first, second);
	ck_assert_uint_eq(r.batch.digest.stretch.n, 1);
	ck_assert(!r.batch.digest.stretch.v[0].goes_on);
	apply(&r);
	ck_assert_ptr_eq(decode(&r, 3, false), first);
	const struct pv_digest *g = &r.batch.digest;
	ck_assert_uint_eq(g->stretch.n, 1);
	ck_assert(g->stretch.v[0].goes_on && g->stretch.v[0].rejoins);
	ck_assert_uint_eq(g->stretch.v[0].befores, 3);
	ck_assert_int_eq(g->open.v[g->stretch.v[0].before].enter_ns, LOGKIT_ZERO + 1010);
	ck_assert_int_eq(g->open.v[g->stretch.v[0].before + 2].enter_ns, LOGKIT_ZERO + 1070);
	apply(&r);
	ck_assert_uint_eq(r.kit->model->calls.node.n, written->model->calls.node.n);
	for (uint32_t i = 1; i < written->model->calls.node.n; i++) {
		const struct pv_tree_node *a = &r.kit->model->calls.node.v[i];
		const struct pv_tree_node *b = &written->model->calls.node.v[i];
		ck_assert_uint_eq(a->method, b->method);
		ck_assert_uint_eq(a->parent, b->parent);
		ck_assert_uint_eq(a->calls, b->calls);
		ck_assert_int_eq(a->total_ns, b->total_ns);
		ck_assert_int_eq(a->self_ns, b->self_ns);
	}
	end(&r);
	logkit_free(written);
}
END_TEST

/* What is said to be open must be what the thread has open. */
START_TEST(refuses_what_is_not_open)
{
	struct logkit *written = write_log();
	struct reading r;
	struct mlpd_decoder *first = begin_busy(&r, written);
	decode(&r, 2, true); /* and is not applied */
	first->busy = false;
	decode(&r, 3, false);
	struct pv_batch *b = &r.batch;
	const struct pv_batch *const all[] = { b };
	ck_assert(b->digest.stretch.v[0].rejoins);
	ck_assert(pv_model_hears(r.kit->model, &b, 1));
	ck_assert(!pv_model_takes(r.kit->model, all, 1));
	end(&r);
	logkit_free(written);
}
END_TEST

/* Calls may have come between that nobody decoded. */
START_TEST(forgets_what_may_have_changed)
{
	struct logkit *written = write_log();
	struct reading r;
	struct mlpd_decoder *first = begin_busy(&r, written);
	struct mlpd_decoder *second = mlpd_chain_choose(&r.chain, 2, true);
	mlpd_chain_take_up(second, 2, true, 0);
	mlpd_chain_tell(&r.chain, second);
	first->busy = false;
	decode(&r, 3, false);
	ck_assert_uint_eq(r.batch.digest.stretch.n, 1);
	ck_assert(!r.batch.digest.stretch.v[0].goes_on);
	end(&r);
	logkit_free(written);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("decode chain");
	TCase *t = tcase_create("chain");
	tcase_add_test(t, takes_over_what_is_open);
	tcase_add_test(t, refuses_what_is_not_open);
	tcase_add_test(t, forgets_what_may_have_changed);
	suite_add_tcase(s, t);
	return run_suite(s);
}
