/*
 * From the framer's pieces to the model: buffers go to the decoders and are applied in the log's
 * order; a header begins a recording.
 */
#include "common/ingest/ingest_frame.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/calls/mlpd_summary.h"
#include "common/format/mlpd/mlpd_layout.h"
#include "common/ingest/layout_probe.h"
#include "common/model/calls/segment.h"
#include "common/model/time/window.h"

enum {
	CARRY_LIMIT = 64 << 20, /* an event larger than this is damage */
};

/* --- applying --- */

static void note_inner(void *ctx, const struct mlpd_damage *d)
{
	pv_ingest_damage(ctx, d->offset, d->bytes, d->reason);
}

/* A buffer that did not decode: in another layout, or with others in its tail. */
static bool apply_damaged(struct pv_ingest *in, struct pv_decode_task *t)
{
	struct pv_layout_probe trial = { 0 };
	const struct pv_layout_probe_sink to = { in, pv_ingest_apply, note_inner };
	if (in->trials > 0 && !t->batch.continues) {
		in->trials--;
		if (!pv_layout_probe_layout(t, in->says, &in->format))
			return pv_ingest_fail_nomem(in);
		if (memcmp(&in->format, &in->framer.header.format, sizeof in->format) != 0)
			pv_ingest_note_layout(in);
		in->framer.header.format = in->format; /* for what it decodes itself */
		pv_ingest_flush(in, true);
		pv_model_lock(in->model);
		pv_model_rules(in->model, in->format.data_version);
		pv_model_unlock(in->model);
	}
	bool inside = t->batch.damaged &&
		      pv_layout_probe_inside(&trial, &t->batch, &in->framer.header, &in->format);
	bool ok = pv_ingest_apply(in, &t->batch) && (!inside || pv_layout_probe_give(&trial, &to));
	pv_layout_probe_finish(&trial);
	return ok;
}

/* Applies the oldest decoded buffer. False when the pool is empty or on failure (*ret_ok). */
static bool apply_one(struct pv_ingest *in, bool *ret_ok)
{
	struct pv_decode_task *t = pv_decode_pool_take(in->pool);
	*ret_ok = true;
	if (!t)
		return false;
	struct pv_decode_task *run;
	size_t n = pv_decode_pool_run(in->pool, &run);
	*ret_ok = n == 0 || pv_ingest_begin_run(in, run, n);
	if (!*ret_ok)
		return false;
	*ret_ok = t->batch.damaged ? apply_damaged(in, t) : pv_ingest_take(in, &t->batch);
	pv_decode_pool_done(in->pool);
	return *ret_ok;
}

/* All that was decoded; some of it may be kept back (reorder.h). */
bool pv_ingest_apply_all(struct pv_ingest *in)
{
	bool ok;
	while (apply_one(in, &ok))
		;
	return ok && pv_ingest_flush(in, false);
}

bool pv_ingest_drain(struct pv_ingest *in)
{
	return pv_ingest_apply_all(in) && pv_ingest_flush(in, true);
}

/* --- recordings --- */

static struct pv_text or_empty(struct pv_text t)
{
	return t.at ? t : (struct pv_text){ "", 0 };
}

static bool same_recording(const struct pv_model *m, const struct mlpd_header *h)
{
	return m->recordings > 0 && m->target.pid == h->pid &&
	       m->target.start_time_ms == h->start_time_ms &&
	       m->target.data_version == h->format.data_version &&
	       m->target.header_major == h->format.header_major &&
	       m->target.pointer_size == h->format.pointer_size;
}

/* With `life` held: fresh may be the one being filled itself. */
static bool put_model(struct pv_ingest *in, struct pv_model *fresh)
{
	struct pv_model *before = in->model;
	if (in->options.no_window)
		pv_window_off(fresh);
	pthread_mutex_lock(&in->lock);
	before->address_log = NULL;
	in->model = fresh;
	bool ok = pv_ingest_renew_table(in);
	pv_decode_pool_forget(in->pool, true);
	in->status.damaged = in->status.complete = false;
	in->status.renewals++;
	in->status.models += fresh != before;
	pv_ingest_note_model(in);
	pthread_mutex_unlock(&in->lock);
	if (before != fresh && before != in->shown)
		pv_model_destroy(before);
	return ok;
}

/*
 * A fresh model takes the place of the one being filled; the caller's stays until adopted. Headers
 * of 2007 with nothing between them, 23 bytes each, share one.
 */
bool pv_ingest_renew_model(struct pv_ingest *in)
{
	/* Held, no caller adopts the model that is restarted here. */
	pthread_mutex_lock(&in->life);
	bool again = in->model != in->shown && pv_model_restart(in->model);
	struct pv_model *fresh = again ? in->model : pv_model_create(&in->options.only);
	bool ok = fresh && put_model(in, fresh);
	pthread_mutex_unlock(&in->life);
	return ok || pv_ingest_fail_nomem(in);
}

/*
 * The record begins with the stream's own header or, after joining in its middle, with one made up
 * in front of the first whole buffer. A record that cannot begin is reported by the source's info.
 */
static void begin_record(struct pv_ingest *in)
{
	const struct mlpd_framer *f = &in->framer;
	uint8_t head[256];
	size_t n = 0;
	if (!in->options.record || in->recording)
		return;
	in->recording = true;
	if (f->joined) {
		struct mlpd_header h = f->header;
		h.format.header_major = 3;
		n = mlpd_put_header(head, sizeof head, &h);
	}
	pv_source_record(in->source, f->joined ? f->offset : 0, head, n, NULL);
}

bool pv_ingest_begin(struct pv_ingest *in, const struct pv_target_info *t, bool same)
{
	if (!pv_ingest_flush(in, true) ||
		(in->model->recordings > 0 && !same && !pv_ingest_renew_model(in)))
		return false;
	pthread_mutex_lock(&in->lock);
	in->status.recordings++;
	uint64_t recordings = in->status.renewals + 1;
	pthread_mutex_unlock(&in->lock);
	pv_model_lock(in->model);
	if (in->table && in->is_old)
		pv_buffers_invalidate(in->table, "a log of 2007");
	else if (in->table && in->table->row.n)
		pv_buffers_invalidate(in->table, "the recording goes on behind a second header");
	bool ok = pv_model_begin(in->model, t);
	in->model->recordings = recordings;
	pv_model_unlock(in->model);
	pthread_mutex_lock(&in->lock);
	pv_ingest_note_model(in);
	pthread_mutex_unlock(&in->lock);
	return ok || pv_ingest_fail_nomem(in);
}

/* A reader that joined a recording later has a log of its own: time begins there. "joined=" is in ms. */
static void begin_later(struct pv_target_info *t)
{
	static const char word[] = ",joined=";
	const char *at = t->args ? strstr(t->args, word) : NULL;
	const uint64_t ms = at ? strtoull(at + sizeof word - 1, NULL, 10) : 0;
	if (ms > INT64_MAX / 1000000 || t->startup_ns > (uint64_t)INT64_MAX - ms * 1000000)
		return;
	t->startup_ns += ms * 1000000;
	t->start_time_ms += ms;
}

static bool begin(struct pv_ingest *in)
{
	const struct mlpd_header *h = &in->framer.header;
	if (!pv_ingest_drain(in))
		return false;
	if (in->model->recordings > 0 && !same_recording(in->model, h) &&
		!pv_ingest_renew_model(in))
		return false;
	in->format = h->format;
	in->says = h->format.data_version;
	in->trials = MLPD_TRIALS;
	if (in->found_says == in->says)
		in->format = in->framer.header.format = in->found;
	begin_record(in);
	struct pv_target_info t = { .data_version = in->says,
		.header_major = h->format.header_major,
		.header_minor = h->header_minor,
		.pointer_size = h->format.pointer_size,
		.start_time_ms = h->start_time_ms,
		.startup_ns = h->startup_ns,
		.timer_overhead_ns = h->timer_overhead_ns,
		.pid = h->pid,
		.port = h->port,
		.args = or_empty(h->args).at,
		.arch = or_empty(h->arch).at,
		.os = or_empty(h->os).at,
		.joined = in->framer.joined };
	begin_later(&t);
	if (!pv_ingest_begin(in, &t, true))
		return false;
	if (in->format.data_version != in->says) {
		pv_model_lock(in->model);
		pv_model_rules(in->model, in->format.data_version);
		pv_model_unlock(in->model);
	}
	if (!in->framer.joined)
		pv_source_set_target(in->source, h->pid);
	else if (in->status.source.kind == PV_SOURCE_FILE)
		pv_ingest_damage(in, 0, in->framer.offset, mlpd_framer_missing(&in->framer));
	return true;
}

/* --- buffers --- */

static bool fill_task(struct pv_ingest *in, struct pv_decode_task *t)
{
	const struct mlpd_framer *f = &in->framer;
	struct pv_batch *b = &t->batch;
	if (!pv_ingest_fill(in, b))
		return pv_ingest_fail_nomem(in);
	/* Damage is reported from here on: the place in the stream that the first byte came from.
	 */
	b->offset = f->payload_offset - in->carry.n - MLPD_BUFFER_HEADER;
	b->bytes_len = f->payload_len;
	b->thread = f->buffer.thread;
	b->time_base = f->buffer.time_base;
	b->continues = f->continues;
	b->bytes_lost_before = f->bytes_lost_before;
	t->format = in->format;
	t->partial = !f->last_piece || !f->whole;
	if (f->continues)
		t->bases = in->bases;
	else
		mlpd_bases_init(&t->bases, &f->buffer);
	t->start = t->bases;
	in->carry.n = 0;
	pv_model_summarises(in->model, &b->summary);
	return true;
}

/* Pieces of one large buffer depend on each other, so they are decoded here and now. */
static bool decode_piece(struct pv_ingest *in, struct pv_decode_task *t)
{
	struct pv_batch *b = &t->batch;
	t->decoded = true;
	if (!mlpd_summarise_batch(b, &t->bases, &t->format, t->partial, &t->used))
		return pv_ingest_fail_nomem(in);
	in->bases = t->bases;
	size_t rest = b->bytes.n - t->used;
	size_t lost = b->damaged ? mlpd_framer_back(&in->framer, rest) : 0;
	if (lost < rest && b->damaged)
		pv_layout_probe_shorten(b, in->framer.offset, lost);
	in->skip_pieces = b->damaged;
	if (in->framer.last_piece || b->damaged)
		return true;
	if (rest > CARRY_LIMIT) {
		b->damaged = true;
		b->damage_offset = b->offset + MLPD_BUFFER_HEADER + t->used;
		b->damage_bytes = rest;
		strcpy(b->damage_reason, "an event larger than 64 MiB");
		return true;
	}
	if (!pv_reserve(&in->carry, rest + 1))
		return pv_ingest_fail_nomem(in);
	if (rest)
		memcpy(in->carry.v, b->bytes.v + t->used, rest);
	in->carry.n = rest;
	return true;
}

static bool submit_buffer(struct pv_ingest *in)
{
	struct pv_decode_task *t;
	bool ok = true;
	if (in->framer.continues && in->skip_pieces) {
		ok = pv_ingest_drain(in);
		pv_ingest_damage(in, in->framer.payload_offset, in->framer.payload_len,
			"behind an event that cannot be decoded");
		return ok;
	}
	bool piece = in->framer.continues || !in->framer.last_piece || !in->framer.whole;
	if (piece || in->framer.bytes_lost_before)
		pv_decode_pool_cut(in->pool);
	if (in->framer.bytes_lost_before)
		pv_decode_pool_forget(in->pool, false);
	while (!(t = pv_decode_pool_room(in->pool)) && apply_one(in, &ok))
		;
	if (!t || !ok || !fill_task(in, t))
		return false;
	if ((in->framer.continues || !in->framer.last_piece) && !decode_piece(in, t))
		return false;
	pv_decode_pool_submit(in->pool);
	if (piece)
		pv_decode_pool_cut(in->pool);
	return in->model->timeline.width_ns ||
	       pv_ingest_drain(in); /* the first one shows how others come */
}

/* Everything the framer can give now. */
bool pv_ingest_frame(struct pv_ingest *in)
{
	if (in->is_old)
		return pv_input07_frame(in);
	for (;;) {
		enum mlpd_piece piece = mlpd_framer_next(&in->framer);
		in->pieces += piece != MLPD_MORE;
		switch (piece) {
		case MLPD_MORE:
			return true;
		case MLPD_HEADER:
			if (!begin(in))
				return false;
			break;
		case MLPD_BUFFER:
			if (!submit_buffer(in))
				return false;
			break;
		case MLPD_DAMAGE:
			if (!pv_ingest_drain(in))
				return false;
			pv_ingest_damage(in, in->framer.damage.offset, in->framer.damage.bytes,
				in->framer.damage.reason);
			break;
		case MLPD_FAILED:
			return pv_ingest_fail(in, &in->framer.error);
		}
		if (pv_ingest_stopping(in))
			return false;
	}
}
