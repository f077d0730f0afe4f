/* SPDX-License-Identifier: MIT */
/* The ingest thread: reads the source until its end, and beyond if the input grows. */
#include "common/ingest/ingest_frame.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include "common/base/system/thread.h"
#include "common/io/source_written.h"

static bool readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	return poll(&p, 1, 0) > 0;
}

/* --- reading --- */

static bool restart(struct pv_ingest *in)
{
	if (!pv_ingest_drain(in))
		return false;
	pv_stream_finish(&in->stream);
	pv_stream_start(&in->stream, NULL);
	in->carry.n = 0;
	/* A new recording begins, even if its header equals the old one. */
	return pv_ingest_renew_model(in);
}

/* Resets the count of renewals for another file. */
static bool forget_renewals(struct pv_ingest *in)
{
	pthread_mutex_lock(&in->lock);
	in->status.renewals = 0;
	pthread_mutex_unlock(&in->lock);
	return true;
}

/* Reads from the beginning in the layout found: the file, or the kept bytes of a pipe. */
static bool read_again(struct pv_ingest *in, bool *ended)
{
	struct pv_error e;
	enum pv_source_kind kind = in->status.source.kind;
	bool file = kind == PV_SOURCE_FILE || kind == PV_SOURCE_GROWING;
	in->again = *ended = false;
	if (!file) {
		in->replay = pv_ingest_again(in, &e);
		if (!in->replay)
			return true; /* just outgrew the spool: goes on as before */
	}
	if (!restart(in))
		return false;
	in->again = false; /* set by pieces in progress */
	in->indexed = 0;
	pthread_mutex_lock(&in->lock);
	in->status.recordings = in->status.renewals = 0;
	pthread_mutex_unlock(&in->lock);
	return !file || pv_source_seek(in->source, 0, &e) || pv_ingest_fail(in, &e);
}

/* All earlier bytes of a pipe were read again: new ones follow. */
static bool end_replay(struct pv_ingest *in)
{
	pv_source_close(in->replay);
	in->replay = NULL;
	return true;
}

/* --- ends, undone by growth --- */

/*
 * At the end of the input the bytes that wait for more become events or damage. Silence ends only a
 * text's last stack and a stream's last events: incomplete data waits on.
 */
static bool close_tail(struct pv_ingest *in)
{
	uint64_t before = in->pieces;
	const struct pv_reader *reader = in->stream.reader;
	if (in->quiet && reader && !reader->silence_ends)
		return true;
	pv_stream_end(&in->stream);
	if (!pv_ingest_frame(in) || !pv_ingest_drain(in))
		return false;
	in->closed = in->pieces != before;
	return true;
}

static bool ends_damaged(struct pv_ingest *in)
{
	struct pv_source_info info;
	pv_source_info(in->source, &info);
	bool joined = in->stream.framer && in->stream.framer->joined;
	return in->status.damaged || joined || info.dropped > 0;
}

/* Whether the end that was read is only as far as the writer of a finished file has come. */
static bool is_written(const struct pv_ingest *in)
{
	const struct pv_model *m = in->model;
	bool over = in->stream.over || m->ending.said || m->ending.full;
	return !over && pv_source_is_written(in->source, m->target.pid);
}

static bool finish_input(struct pv_ingest *in)
{
	const struct pv_stream *s = &in->stream;
	bool unsure = !s->reader;
	pv_stream_choose(&in->stream);
	/* Before kept batches go to the model: more of the log might change their meaning. */
	if (!pv_ingest_apply_all(in))
		return false;
	if (in->again)
		return true;
	in->written = is_written(in);
	uint64_t before = in->model->damaged;
	pv_ingest_stored_damage(in);
	bool placed = pv_ingest_save_index(in, false);
	if (!close_tail(in))
		return false;
	in->closed |= unsure; /* more bytes might be of another family */
	if (in->again)
		return true;
	pthread_mutex_lock(&in->lock);
	bool damaged = ends_damaged(in);
	in->status.complete = !damaged;
	pthread_mutex_unlock(&in->lock);
	pv_model_lock(in->model);
	in->model->ending.quiet = in->quiet;
	in->model->ending.written = in->written;
	/* Lines of a text are complete, and damage of a text never is a partial buffer. */
	bool lines = s->header.text && !s->header.promises_end;
	in->model->ending.inside = in->model->damaged > before && !lines;
	in->model->ending.unsealed = in->status.source.compressed_cut;
	in->model->ending.said |= s->over;
	pv_model_end(in->model, !damaged);
	pv_model_unlock(in->model);
	if (!placed && !in->quiet && !in->written)
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

/*
 * A pipe has a further writer, or a file has grown after its supposed end. True: the events or
 * damage of that end are not true any more, and the file is read again.
 */
static bool resume(struct pv_ingest *in, bool *ended)
{
	bool file = in->status.source.kind == PV_SOURCE_GROWING;
	*ended = in->quiet = false;
	pv_model_lock(in->model);
	pv_model_resume(in->model);
	pv_model_unlock(in->model);
	pv_stream_resume(&in->stream);
	in->again = file && in->closed;
	in->closed = false;
	pv_ingest_set_state(in, in->again ? PV_INGEST_LOADING : PV_INGEST_LIVE);
	return in->again;
}

/* Whether stored bytes came after the end, if only of a compressed stream's trailer. */
static bool has_grown(const struct pv_ingest *in)
{
	struct pv_source_info info;
	pv_source_info(in->source, &info);
	return info.input_read != in->status.source.input_read;
}

/* The input has ended, but a pipe may get another writer, and a file may grow or be replaced. */
static bool at_end(struct pv_ingest *in, bool *ended)
{
	if (*ended && has_grown(in) && resume(in, ended))
		return true;
	if (!*ended)
		pv_ingest_note_source(in); /* the final status includes the last read */
	if (!*ended && !finish_input(in))
		return false;
	if (in->again)
		return true;
	*ended = true;
	pv_ingest_note_source(in);
	pv_ingest_signal(in->changed_fd);
	return pv_source_wait_fd(in->source) >= 0 && wait_for_more(in);
}

/* Whether the log says that its program has ended, and has no incomplete part. */
static bool says_that_it_ended(const struct pv_ingest *in)
{
	uint64_t rests;
	if (in->status.source.kind != PV_SOURCE_GROWING)
		return false;
	return in->stream.over ||
	       (in->model->ending.said && pv_stream_resting(&in->stream, &rests));
}

static bool nothing_now(struct pv_ingest *in, bool quiet, bool *ended)
{
	if (*ended && !has_grown(in))
		return wait_for_more(in);
	if (*ended && resume(in, ended))
		return true;
	if (!pv_ingest_drain(in))
		return false;
	if (quiet || says_that_it_ended(in)) {
		in->quiet = quiet && !says_that_it_ended(in);
		return at_end(in, ended);
	}
	pv_ingest_note_source(in);
	pv_ingest_note_numbers(in);
	bool begun = in->model->recordings > 0;
	in->live = begun;
	pv_ingest_set_state(in, begun ? PV_INGEST_LIVE : PV_INGEST_WAITING);
	return wait_for_more(in);
}

/* Input has come: a pipe is live from its first byte on, a file is loaded first. */
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
	if (*ended && resume(in, ended))
		return true;
	pv_stream_filled(&in->stream, n);
	pv_ingest_note_source(in);
	if (!pv_ingest_frame(in))
		return false;
	pv_ingest_note_numbers(in);
	if (in->again || !pv_ingest_index_due(in))
		return true;
	bool ok = pv_ingest_apply_all(in);
	pv_ingest_save_index(in, false);
	return ok;
}

static bool got_gap(struct pv_ingest *in, uint64_t n)
{
	bool hole = in->status.source.kind == PV_SOURCE_FILE;
	pv_stream_gap(&in->stream, n,
		hole ? "a hole in the file, left out" : "dropped unread: the spool was full");
	in->carry.n = 0;
	if (!pv_ingest_frame(in))
		return false;
	pv_model_lock(in->model);
	in->model->dropped += hole ? 0 : n;
	pv_model_unlock(in->model);
	return true;
}

static bool read_some(struct pv_ingest *in, bool *ended)
{
	size_t size;
	uint64_t n = 0;
	struct pv_error e = { 0 };
	uint8_t *to = pv_stream_room(&in->stream, &size);
	if (!to)
		return pv_ingest_fail_nomem(in);
	switch (pv_source_read(in->replay ? in->replay : in->source, to, size, &n, &e)) {
	case PV_READ_BYTES:
		return got_bytes(in, (size_t)n, ended);
	case PV_READ_NOTHING:
		return nothing_now(in, false, ended);
	case PV_READ_QUIET:
		return nothing_now(in, true, ended);
	case PV_READ_END:
		return in->replay ? end_replay(in) : at_end(in, ended);
	case PV_READ_GAP:
		return got_gap(in, n);
	case PV_READ_RESTART:
		*ended = in->quiet = in->closed = false;
		in->found_says = 0;
		return restart(in) && forget_renewals(in);
	case PV_READ_ERROR:
		break;
	}
	return pv_ingest_fail(in, &e);
}

/* Keeps the part read so far, in the middle of the input. */
static void cut_short(struct pv_ingest *in)
{
	if (!pv_ingest_drain(in))
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
