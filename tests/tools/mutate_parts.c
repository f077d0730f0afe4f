/* SPDX-License-Identifier: MIT */
/* A log's bytes through framer, decoder and model, with what must hold of any bytes. */
#include <string.h>

#include "common/format/mlpd/framer.h"
#include "common/format/mlpd/mlpd_layout.h"
#include "common/model/model.h"
#include "tests/tools/mutations.h"

enum { EVENT_LEAST = 2 };

struct reading {
	struct mlpd_framer f;
	struct pv_model *m;
	struct pv_batch b;
	struct mlpd_bases bases;
	uint64_t events, payload;
	const char *wrong;
};

static bool begin(struct reading *r)
{
	const struct mlpd_header *h = &r->f.header;
	const struct pv_target_info t = { .data_version = h->format.data_version,
		.header_major = h->format.header_major,
		.pointer_size = h->format.pointer_size,
		.start_time_ms = h->start_time_ms,
		.startup_ns = h->startup_ns,
		.pid = h->pid,
		.args = h->args.at,
		.arch = h->arch.at,
		.os = h->os.at };
	return pv_model_begin(r->m, &t);
}

static bool buffer(struct reading *r)
{
	struct mlpd_framer *f = &r->f;
	struct pv_batch *b = &r->b;
	size_t used, at = 0;
	bool changed;
	pv_batch_reset(b);
	if (!pv_reserve(&b->bytes, f->payload_len + 1))
		return false;
	if (f->payload_len)
		memcpy(b->bytes.v, f->payload, f->payload_len);
	b->bytes.n = b->bytes_len = f->payload_len;
	b->thread = f->buffer.thread;
	b->time_base = f->buffer.time_base;
	b->bytes_lost_before = f->bytes_lost_before;
	struct mlpd_layout_probe t = { .says = f->header.format.data_version,
		.partial = !f->whole || !f->last_piece };
	mlpd_bases_init(&t.start, &f->buffer);
	r->bases = t.start;
	if (!mlpd_decode_batch(b, &r->bases, &f->header.format, t.partial, &used))
		return false;
	if (b->damaged && !mlpd_try_layouts(b, &t, &f->header.format, &changed))
		return false;
	if (b->n > f->payload_len / EVENT_LEAST)
		r->wrong = "more events than bytes can hold";
	r->events += b->n;
	r->payload += f->payload_len;
	if (b->damaged)
		mlpd_framer_back(f, b->damage_bytes < f->payload_len ? (size_t)b->damage_bytes
								     : f->payload_len);
	while (at < b->n)
		if (!pv_model_apply(r->m, b, &at, 0))
			return false;
	return true;
}

static void feed(struct reading *r, const struct bytes *in, size_t step)
{
	for (size_t fed = 0;;) {
		enum mlpd_piece p = mlpd_framer_next(&r->f);
		if (p == MLPD_FAILED || (p == MLPD_MORE && r->f.ended))
			return;
		bool ok = p == MLPD_HEADER ? begin(r) : p == MLPD_BUFFER ? buffer(r) : true;
		if (p == MLPD_DAMAGE && r->f.damage.bytes > (uint64_t)UINT32_MAX + in->n)
			r->wrong = "more damage than a length can claim";
		if (!ok || r->wrong) {
			r->wrong = r->wrong ? r->wrong : "out of memory";
			return;
		}
		if (p != MLPD_MORE)
			continue;
		size_t room, n = in->n - fed < step ? in->n - fed : step;
		uint8_t *to = mlpd_framer_room(&r->f, &room);
		if (n > room)
			n = room;
		if (n)
			memcpy(to, in->v + fed, n);
		mlpd_framer_filled(&r->f, n);
		fed += n;
		if (fed == in->n)
			mlpd_framer_end(&r->f);
	}
}

const char *mutate_read_parts(const struct bytes *in, size_t step)
{
	struct reading r = { .f = { .may_join = true }, .m = pv_model_create(NULL) };
	if (!r.m || !mlpd_framer_init(&r.f))
		return "out of memory";
	feed(&r, in, step);
	if (!r.wrong && r.m->calls.calls > r.events)
		r.wrong = "more calls than events";
	if (!r.wrong && r.m->events > r.payload)
		r.wrong = "more events than bytes";
	pv_model_end(r.m, false);
	pv_batch_finish(&r.b);
	mlpd_framer_finish(&r.f);
	pv_model_destroy(r.m);
	return r.wrong;
}
