/* SPDX-License-Identifier: MIT */
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
	CARRY_LIMIT = 64 << 20, /* a larger event is damage */
};

/* --- applying --- */

static void note_inner(void *ctx, const struct mlpd_damage *d)
{
	pv_ingest_damage(ctx, d->offset, d->bytes, d->reason);
}

/* Applies a buffer that did not decode: in another layout, or with other buffers in its tail. */
static bool apply_damaged(struct pv_ingest *in, struct pv_decode_task *t)
{
	struct pv_layout_probe trial = { 0 };
	const struct pv_layout_probe_sink to = { in, pv_ingest_apply, note_inner };
	if (in->trials > 0 && !t->batch.continues) {
		in->trials--;
		if (!pv_layout_probe_layout(t, in->says, &in->format))
			return pv_ingest_fail_nomem(in);
		if (memcmp(&in->format, &in->stream.framer->header.format, sizeof in->format) != 0)
			pv_ingest_note_layout(in);
		in->stream.framer->header.format = in->format; /* for the framer's own decoding */
		pv_ingest_flush(in, true);
		pv_model_lock(in->model);
		pv_model_rules(in->model, in->format.data_version);
		pv_model_unlock(in->model);
	}
	mlpd_level_times(&t->batch, t->start.time);
	bool inside = t->batch.damaged && pv_layout_probe_inside(&trial, &t->batch,
						  &in->stream.framer->header, &in->format);
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

/* Applies all decoded buffers; some may be kept back (reorder.h). */
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

/* With `life` held: `fresh` may be the model being filled. */
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
 * A fresh model replaces the one being filled; the caller's stays until adopted. Headers of 2007
 * with nothing in between, 23 bytes each, share a model.
 */
bool pv_ingest_renew_model(struct pv_ingest *in)
{
	/* Held, so that no caller adopts the model being restarted here. */
	pthread_mutex_lock(&in->life);
	bool again = in->model != in->shown && pv_model_restart(in->model);
	struct pv_model *fresh = again ? in->model : pv_model_create(&in->options.only);
	bool ok = fresh && put_model(in, fresh);
	pthread_mutex_unlock(&in->life);
	return ok || pv_ingest_fail_nomem(in);
}

/*
 * The record begins with the stream's own header or, after joining in its middle, with a made-up
 * header before the first whole buffer. A record that cannot begin is reported by the source's
 * info.
 */
static void begin_record(struct pv_ingest *in)
{
	const struct mlpd_framer *f = in->stream.framer;
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
	if (in->table && !in->stream.framer)
		pv_buffers_invalidate(in->table, "a log of another family than mlpd");
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

/*
 * A reader that joined a recording has a log with a later beginning: "joined=" is the delay in ms.
 */
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

static bool begin_log(struct pv_ingest *in)
{
	const struct mlpd_header *h = &in->stream.framer->header;
	if (!pv_ingest_drain(in))
		return false;
	if (in->model->recordings > 0 && !same_recording(in->model, h) &&
		!pv_ingest_renew_model(in))
		return false;
	in->format = h->format;
	in->says = h->format.data_version;
	in->trials = MLPD_TRIALS;
	if (in->found_says == in->says)
		in->format = in->stream.framer->header.format = in->found;
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
		.joined = in->stream.framer->joined };
	begin_later(&t);
	if (!pv_ingest_begin(in, &t, true))
		return false;
	if (in->format.data_version != in->says) {
		pv_model_lock(in->model);
		pv_model_rules(in->model, in->format.data_version);
		pv_model_unlock(in->model);
	}
	if (!in->stream.framer->joined)
		pv_source_set_target(in->source, h->pid);
	else if (in->status.source.kind == PV_SOURCE_FILE)
		pv_ingest_damage(
			in, 0, in->stream.framer->offset, mlpd_framer_missing(in->stream.framer));
	return true;
}

/* Events of the other families have the meaning of the newest logs. */
static bool begin_events(struct pv_ingest *in)
{
	const struct pv_stream_header *h = &in->stream.header;
	const bool old = h->stage != NULL;
	const struct pv_target_info t = { .text = h->text,
		.logging2007 = old,
		.stage = h->stage,
		.event_mask = h->flags,
		.data_version = old ? 0 : MLPD_NEWEST,
		.header_major = old ? 0 : 3,
		.startup_ns = old ? h->start_us * 1000 : h->start_ns,
		.start_time_ms = h->start_us / 1000,
		.promises_end = h->promises_end,
		.pid = h->pid,
		.pointer_size = h->pointer_size,
		.args = h->args ? h->args : "",
		.arch = "",
		.os = "" };
	if (in->options.record && !in->recording) {
		in->recording = true;
		pv_source_record(in->source, 0, NULL, 0, NULL);
	}
	return pv_ingest_begin(in, &t, false);
}

static bool begin_input(struct pv_ingest *in)
{
	return in->stream.framer ? begin_log(in) : begin_events(in);
}

static bool take_batch(struct pv_ingest *in)
{
	struct pv_batch *b = &in->stream.batch;
	const char *stage = in->stream.stage;
	if (stage && in->model->target.stage != stage) { /* from a directive */
		pv_model_lock(in->model);
		in->model->target.stage = stage;
		pv_model_unlock(in->model);
	}
	const struct pv_stream *from = &in->stream;
	if (from->command && !*in->model->target.command && *from->command) {
		pv_model_lock(in->model);
		bool ok = pv_model_process(in->model, from->command, from->arch, from->os);
		pv_model_unlock(in->model);
		if (!ok)
			return pv_ingest_fail_nomem(in);
	}
	/* Never kept: the texts are the decoder's, which reuses their memory. */
	in->as_run = true;
	b->damaged = b->damaged && !in->quiet && !in->written;
	return pv_ingest_take(in, b);
}

/* During silence, and while the file is written, incomplete data waits and is no damage yet. */
static bool take_damage(struct pv_ingest *in)
{
	const struct pv_stream_damage *d = &in->stream.damage;
	if (!pv_ingest_drain(in))
		return false;
	if (!in->quiet && !in->written)
		pv_ingest_damage(in, d->offset, d->bytes, d->reason);
	return true;
}

/* --- buffers --- */

/*
 * Gives the batch the framer's last payload, after any bytes carried over. Pieces of a buffer are
 * copied: they are decoded before the next piece is known. False: out of memory.
 */
static bool fill_batch(const struct pv_ingest *in, struct pv_batch *b)
{
	const struct mlpd_framer *f = in->stream.framer;
	if (!f->continues && f->last_piece && f->whole && in->carry.n == 0) {
		pv_batch_borrow(b, f->block, f->payload, f->payload_len);
		return true;
	}
	if (!pv_reserve(&b->bytes, in->carry.n + f->payload_len + 1))
		return false;
	if (in->carry.n)
		memcpy(b->bytes.v, in->carry.v, in->carry.n);
	if (f->payload_len)
		memcpy(b->bytes.v + in->carry.n, f->payload, f->payload_len);
	b->bytes.n = in->carry.n + f->payload_len;
	return true;
}

static bool fill_task(struct pv_ingest *in, struct pv_decode_task *t)
{
	const struct mlpd_framer *f = in->stream.framer;
	struct pv_batch *b = &t->batch;
	if (!fill_batch(in, b))
		return pv_ingest_fail_nomem(in);
	/* Damage is reported relative to this: the place in the stream of the first byte. */
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

/* Decodes a piece of a large buffer at once, since pieces depend on each other. */
static bool decode_piece(struct pv_ingest *in, struct pv_decode_task *t)
{
	struct pv_batch *b = &t->batch;
	t->decoded = true;
	if (!mlpd_summarise_batch(b, &t->bases, &t->format, t->partial, &t->used))
		return pv_ingest_fail_nomem(in);
	in->bases = t->bases;
	size_t rest = b->bytes.n - t->used;
	size_t lost = b->damaged ? mlpd_framer_back(in->stream.framer, rest) : 0;
	if (lost < rest && b->damaged)
		pv_layout_probe_shorten(b, in->stream.framer->offset, lost);
	in->skip_pieces = b->damaged;
	if (in->stream.framer->last_piece || b->damaged)
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
	if (in->stream.framer->continues && in->skip_pieces) {
		ok = pv_ingest_drain(in);
		pv_ingest_damage(in, in->stream.framer->payload_offset,
			in->stream.framer->payload_len, "behind an event that cannot be decoded");
		return ok;
	}
	bool piece = in->stream.framer->continues || !in->stream.framer->last_piece ||
		     !in->stream.framer->whole;
	if (piece || in->stream.framer->bytes_lost_before)
		pv_decode_pool_cut(in->pool);
	if (in->stream.framer->bytes_lost_before)
		pv_decode_pool_forget(in->pool, false);
	while (!(t = pv_decode_pool_room(in->pool)) && apply_one(in, &ok))
		;
	if (!t || !ok || !fill_task(in, t))
		return false;
	if ((in->stream.framer->continues || !in->stream.framer->last_piece) &&
		!decode_piece(in, t))
		return false;
	pv_decode_pool_submit(in->pool);
	if (piece)
		pv_decode_pool_cut(in->pool);
	return in->model->timeline.width_ns ||
	       pv_ingest_drain(in); /* the first buffer shows the spacing of later ones */
}

static bool take_piece(struct pv_ingest *in, enum pv_piece piece)
{
	switch (piece) {
	case PV_PIECE_HEADER:
		return begin_input(in);
	case PV_PIECE_BATCH:
		return take_batch(in);
	case PV_PIECE_BUFFER:
		return submit_buffer(in);
	case PV_PIECE_DAMAGE:
		return take_damage(in);
	default:
		return true;
	}
}

/* Takes everything that the stream can give now. */
bool pv_ingest_frame(struct pv_ingest *in)
{
	for (;;) {
		enum pv_piece piece = pv_stream_next(&in->stream);
		if (piece == PV_PIECE_MORE)
			return true;
		in->pieces++;
		if (piece ==
			PV_PIECE_FAILED) /* during silence, more of a text may make it readable */
			return in->quiet || pv_ingest_fail(in, &in->stream.error);
		if (!take_piece(in, piece) || pv_ingest_stopping(in))
			return false;
	}
}
