/* SPDX-License-Identifier: MIT */
/* The pool's runs go on from here, with events between them that change what keys mean. */
#include "common/format/mlpd/framer.h"
#include "common/ingest/decode_pool.h"
#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { BUFFERS = 5 };

/* A run of the next buffer only. */
static const struct pv_call_summary *decode_next(struct mlpd_framer *f, struct pv_decode_pool *p)
{
	ck_assert_int_eq(mlpd_framer_next(f), MLPD_BUFFER);
	struct pv_decode_task *t = pv_decode_pool_room(p);
	ck_assert_ptr_nonnull(t);
	ck_assert(pv_reserve(&t->batch.bytes, f->payload_len + 1));
	memcpy(t->batch.bytes.v, f->payload, f->payload_len);
	t->batch.bytes.n = t->batch.bytes_len = f->payload_len;
	t->batch.thread = f->buffer.thread;
	t->batch.time_base = f->buffer.time_base;
	t->batch.summary.wanted = true;
	t->batch.summary.cell_ns = t->batch.summary.segment_ns = PV_SEGMENT_ANY;
	t->format = f->header.format;
	mlpd_bases_init(&t->bases, &f->buffer);
	pv_decode_pool_submit(p);
	t = pv_decode_pool_take(p);
	ck_assert(t && !t->nomem && !t->batch.damaged);
	return &t->batch.summary;
}

static void write_buffer(struct logkit *k, int i, bool unloads)
{
	logkit_enter(k, 1000 + i * 100, 0xa000 + (uint64_t)i * 16);
	if (unloads)
		logkit_event(k, 1010 + i * 100,
			(struct pv_event){
				.kind = PV_KIND_CLASS_UNLOAD, .meta = { .key = 0xc000 } });
	logkit_flush(k);
}

/* Definitions are read ahead after the first, so that later ones are known before they come. */
START_TEST(begins_anew_after_the_first_unload)
{
	static const bool continues_previous[BUFFERS] = { false, true, false, true, true };
	static const bool unloads[BUFFERS] = { false, true, false, true, false };
	struct logkit *k = logkit_new(17);
	struct pv_decode_pool *p = pv_decode_pool_create(0, false);
	struct mlpd_framer f = { 0 };
	for (int i = 0; i < BUFFERS; i++)
		write_buffer(k, i, unloads[i]);
	ck_assert(p && mlpd_framer_init(&f));
	size_t room;
	memcpy(mlpd_framer_room(&f, &room), k->file.v, k->file.n);
	mlpd_framer_filled(&f, k->file.n);
	ck_assert_int_eq(mlpd_framer_next(&f), MLPD_HEADER);
	for (int i = 0; i < BUFFERS; i++) {
		const struct pv_call_summary *d = decode_next(&f, p);
		ck_assert_uint_eq(d->segment.n, 1);
		ck_assert_int_eq(d->segment.v[0].continues_previous, continues_previous[i]);
		pv_decode_pool_done(p);
	}
	mlpd_framer_finish(&f);
	pv_decode_pool_destroy(p);
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("decode pool");
	TCase *t = tcase_create("pool");
	tcase_add_test(t, begins_anew_after_the_first_unload);
	suite_add_tcase(s, t);
	return run_suite(s);
}
