#include "common/ingest/ingest_parts.h"
#include "common/calls/mlpd_summary.h"
#include "common/model/time/window.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/format/mlpd/mlpd_layout.h"
#include "common/base/thread.h"
#include "common/ingest/layout_probe.h"
#include "common/model/calls/segment.h"

enum {
	CARRY_LIMIT = 64 << 20, /* an event larger than this is damage */
};

static bool readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	return poll(&p, 1, 0) > 0;
}

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
static bool apply_all(struct pv_ingest *in)
{
	bool ok;
	while (apply_one(in, &ok))
		;
	return ok && pv_ingest_flush(in, false);
}

static bool drain(struct pv_ingest *in)
{
	return apply_all(in) && pv_ingest_flush(in, true);
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
static bool renew_model(struct pv_ingest *in)
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
	if (!pv_ingest_flush(in, true) || (in->model->recordings > 0 && !same && !renew_model(in)))
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

static bool begin(struct pv_ingest *in)
{
	const struct mlpd_header *h = &in->framer.header;
	if (!drain(in))
		return false;
	if (in->model->recordings > 0 && !same_recording(in->model, h) && !renew_model(in))
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
	if (!pv_ingest_begin(in, &t, true))
		return false;
	if (in->format.data_version != in->says) {
		pv_model_lock(in->model);
		pv_model_rules(in->model, in->format.data_version);
		pv_model_unlock(in->model);
	}
	if (!in->framer.joined)
		pv_source_set_target(in->source, h->pid, h->start_time_ms);
	else if (in->status.source.kind == PV_SOURCE_FILE)
		pv_ingest_damage(in, 0, in->framer.offset,
			"the log's beginning is missing: read from its first whole buffer on");
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
		ok = drain(in);
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
	return in->model->timeline.width_ns || drain(in); /* the first one shows how others come */
}

/* Everything the framer can give now. */
static bool frame(struct pv_ingest *in)
{
	if (in->is_old)
		return pv_input07_frame(in);
	for (;;) {
		switch (mlpd_framer_next(&in->framer)) {
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
			if (!drain(in))
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

/* --- reading --- */

static bool restart(struct pv_ingest *in)
{
	if (!drain(in))
		return false;
	bool may_join = in->framer.may_join;
	mlpd_framer_finish(&in->framer);
	b07_finish(&in->old);
	in->chosen = in->is_old = false;
	in->framer.may_join = may_join;
	in->carry.n = 0;
	/* A new recording begins, even if its header equals the old one's: start over. */
	return mlpd_framer_init(&in->framer) ? renew_model(in) : pv_ingest_fail_nomem(in);
}

/* From the beginning, with the layout that was found: a file itself, of a pipe what is kept. */
static bool read_again(struct pv_ingest *in, bool *ended)
{
	struct pv_error e;
	enum pv_source_kind kind = in->status.source.kind;
	bool file = kind == PV_SOURCE_FILE || kind == PV_SOURCE_GROWING;
	in->again = *ended = false;
	if (!file) {
		in->replay = pv_ingest_again(in, &e);
		if (!in->replay)
			return true; /* it has just outgrown the spool: it goes on as it was read */
	}
	if (!restart(in))
		return false;
	in->again = false; /* of what was on its way */
	in->indexed = 0;
	pthread_mutex_lock(&in->lock);
	in->status.recordings = in->status.renewals = 0;
	pthread_mutex_unlock(&in->lock);
	return !file || pv_source_seek(in->source, 0, &e) || pv_ingest_fail(in, &e);
}

/* All that a pipe had given was read again: what it gives now follows. */
static bool end_replay(struct pv_ingest *in)
{
	pv_source_close(in->replay);
	in->replay = NULL;
	return true;
}

static bool finish(struct pv_ingest *in)
{
	in->chosen = in->chosen || pv_input07_choose(in, true);
	/* Before what is kept back goes to the model: more of the log might tell what it means. */
	if (!apply_all(in))
		return false;
	if (in->again)
		return true;
	uint64_t before = in->model->damaged;
	pv_ingest_stored_damage(in);
	bool placed = pv_ingest_save_index(in, false);
	mlpd_framer_end(&in->framer);
	if (in->is_old)
		b07_end(&in->old);
	if (!frame(in) || !drain(in))
		return false;
	if (in->again)
		return true;
	bool damaged;
	struct pv_source_info info;
	pv_source_info(in->source, &info);
	pthread_mutex_lock(&in->lock);
	damaged = in->status.damaged || in->framer.joined || info.dropped > 0;
	in->status.complete = !damaged;
	pthread_mutex_unlock(&in->lock);
	pv_model_lock(in->model);
	in->model->ending.inside = in->model->damaged > before;
	in->model->ending.unsealed = info.compressed_cut;
	in->model->ending.said |= in->is_old && in->old.over;
	pv_model_end(in->model, !damaged);
	pv_model_unlock(in->model);
	if (!placed)
		pv_ingest_save_index(in, true);
	pv_ingest_set_state(in, PV_INGEST_ENDED);
	return true;
}

/* Blocks until the source may have more, or until asked to stop. */
static bool wait_for_more(struct pv_ingest *in)
{
	struct pollfd p[] = { { .fd = in->stop_fd, .events = POLLIN },
		{ .fd = in->cut_fd, .events = POLLIN },
		{ .fd = pv_source_wait_fd(in->source), .events = POLLIN } };
	if (!in->signalled)
		pv_ingest_signal(in->changed_fd);
	in->signalled = true;
	while (poll(p, 3, -1) < 0 && errno == EINTR)
		;
	pv_source_wait_clear(in->source);
	return !p[0].revents;
}

static bool nothing_now(struct pv_ingest *in)
{
	if (!drain(in))
		return false;
	pv_ingest_note_source(in);
	bool begun = in->model->recordings > 0;
	in->live = begun;
	pv_ingest_set_state(in, begun ? PV_INGEST_LIVE : PV_INGEST_WAITING);
	return wait_for_more(in);
}

/* The input has ended, but a pipe may get another writer and a file may be replaced. */
static bool at_end(struct pv_ingest *in, bool *ended)
{
	if (!*ended)
		pv_ingest_note_source(in); /* the final status includes the last read */
	if (!*ended && !finish(in))
		return false;
	if (in->again)
		return true;
	*ended = true;
	pv_ingest_note_source(in);
	pv_ingest_signal(in->changed_fd);
	return pv_source_wait_fd(in->source) >= 0 && wait_for_more(in);
}

/* The input has come: a pipe is live from its first byte on, a file is loaded first. */
static void no_longer_waiting(struct pv_ingest *in)
{
	if (in->status.state != PV_INGEST_WAITING)
		return;
	in->live = in->status.source.kind == PV_SOURCE_PIPE;
	pv_ingest_set_state(in, in->live ? PV_INGEST_LIVE : PV_INGEST_LOADING);
}

static bool got_bytes(struct pv_ingest *in, size_t n, bool *ended)
{
	no_longer_waiting(in);
	if (*ended) {
		in->framer.ended = false; /* a further writer came to the pipe */
		if (in->is_old)
			b07_resume(&in->old);
		*ended = false;
		pv_ingest_set_state(in, PV_INGEST_LIVE);
	}
	if (in->is_old)
		b07_filled(&in->old, n);
	else
		mlpd_framer_filled(&in->framer, n);
	in->chosen = in->chosen || pv_input07_choose(in, false);
	pv_ingest_note_source(in);
	if (in->chosen && !frame(in))
		return false;
	if (in->again || !pv_ingest_index_due(in))
		return true;
	bool ok = apply_all(in);
	pv_ingest_save_index(in, false);
	return ok;
}

static bool read_some(struct pv_ingest *in, bool *ended)
{
	size_t size;
	uint64_t n = 0;
	struct pv_error e = { 0 };
	uint8_t *to = in->is_old ? b07_room(&in->old, &size) : mlpd_framer_room(&in->framer, &size);
	if (!to)
		return pv_ingest_fail_nomem(in);
	switch (pv_source_read(in->replay ? in->replay : in->source, to, size, &n, &e)) {
	case PV_READ_BYTES:
		return got_bytes(in, (size_t)n, ended);
	case PV_READ_NOTHING:
		return nothing_now(in);
	case PV_READ_END:
		return in->replay ? end_replay(in) : at_end(in, ended);
	case PV_READ_GAP:
		if (in->is_old)
			b07_gap(&in->old, n);
		else
			mlpd_framer_gap(&in->framer, n, "dropped unread: the spool was full");
		in->chosen = true;
		in->carry.n = 0;
		return frame(in);
	case PV_READ_RESTART:
		*ended = false;
		in->found_says = 0;
		return restart(in);
	case PV_READ_ERROR:
		break;
	}
	return pv_ingest_fail(in, &e);
}

/* Keeps what was read, in the middle of the input. */
static void cut_short(struct pv_ingest *in)
{
	if (!drain(in))
		return;
	pv_ingest_note_source(in);
	pv_model_lock(in->model);
	in->model->cut = true;
	in->model->cut_at = in->status.source.input_read;
	in->model->cut_of = in->status.source.file_bytes;
	pv_model_end(in->model, false);
	pv_model_unlock(in->model);
	pv_ingest_set_state(in, PV_INGEST_ENDED);
}

void *pv_ingest_thread(void *arg)
{
	struct pv_ingest *in = arg;
	bool ended = false;
	if (in->options.give_way)
		pv_thread_give_way();
	enum pv_indexed indexed = pv_ingest_load_index(in);
	pthread_mutex_lock(&in->lock);
	pv_ingest_note_model(in);
	pthread_mutex_unlock(&in->lock);
	if (indexed == PV_INDEXED_ALL) {
		pv_ingest_set_state(in, PV_INGEST_ENDED);
		return NULL;
	}
	in->indexed_ns = pv_ingest_now();
	while (!pv_ingest_stopping(in) && !readable(in->cut_fd) && read_some(in, &ended) &&
		(!in->again || read_again(in, &ended)))
		;
	if (readable(in->cut_fd) && !ended && in->status.state != PV_INGEST_FAILED)
		cut_short(in);
	pv_ingest_note_source(in);
	pv_ingest_leave(in);
	pv_ingest_signal(in->changed_fd);
	return NULL;
}
