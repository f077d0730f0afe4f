/* SPDX-License-Identifier: MIT */
/*
 * Reads a log once more: frames, decodes, and hands over each buffer, of the whole log or of parts.
 */
#include "common/ingest/again/reread.h"

#include "common/format/mlpd/framer.h"
#include "common/format/mlpd/mlpd_layout.h"
#include "common/format/readers/readers.h"

struct state {
	struct pv_reread *to;
	struct pv_stream stream;
	struct pv_batch batch;
	struct mlpd_bases bases;
	PV_ARRAY(uint8_t) carry; /* the begin of an event, continued in the next piece */
	uint8_t says;
	bool skip;
};

static bool nomem(struct state *s)
{
	return pv_fail(s->to->err, PV_ENOMEM, s->stream.offset, "out of memory");
}

static bool load_payload(struct state *s)
{
	const struct mlpd_framer *f = s->stream.framer;
	struct pv_batch *b = &s->batch;
	pv_batch_reset(b);
	if (!pv_reserve(&b->bytes, s->carry.n + f->payload_len + 1))
		return nomem(s);
	if (s->carry.n)
		memcpy(b->bytes.v, s->carry.v, s->carry.n);
	if (f->payload_len)
		memcpy(b->bytes.v + s->carry.n, f->payload, f->payload_len);
	b->bytes.n = s->carry.n + f->payload_len;
	b->offset = f->payload_offset - s->carry.n - MLPD_BUFFER_HEADER;
	b->bytes_len = f->payload_len;
	b->continues = f->continues;
	b->thread = f->buffer.thread;
	b->time_base = f->buffer.time_base;
	s->carry.n = 0;
	return true;
}

static bool buffer(struct state *s)
{
	struct mlpd_framer *f = s->stream.framer;
	struct pv_batch *b = &s->batch;
	if (!f->continues) {
		s->carry.n = 0;
		s->skip = false;
		mlpd_bases_init(&s->bases, &f->buffer);
	}
	if (s->skip)
		return true;
	struct mlpd_layout_probe t = {
		.says = s->says, .partial = !f->last_piece || !f->whole, .start = s->bases
	};
	size_t used;
	bool changed;
	if (!load_payload(s) ||
		!mlpd_decode_batch(b, &s->bases, &f->header.format, t.partial, &used))
		return nomem(s);
	if (b->damaged && !f->continues && !mlpd_try_layouts(b, &t, &f->header.format, &changed))
		return nomem(s);
	size_t rest = b->bytes.n - used;
	mlpd_level_times(b, t.start.time);
	if (b->damaged) {
		s->to->damaged = s->skip = true;
		mlpd_framer_back(f, rest < f->payload_len ? rest : f->payload_len);
	} else if (!f->last_piece && rest) {
		if (!pv_reserve(&s->carry, rest))
			return nomem(s);
		memcpy(s->carry.v, b->bytes.v + used, rest);
		s->carry.n = rest;
	}
	s->to->format = f->header.format;
	return s->to->buffer(s->to->ctx, &f->buffer, b);
}

/* --- pieces */

static bool give_header(struct state *s, const struct mlpd_header *h)
{
	return !s->to->header || s->to->header(s->to->ctx, h);
}

static bool log_header(struct state *s)
{
	struct mlpd_header *h = &s->stream.framer->header;
	s->says = h->format.data_version;
	if (!give_header(s, h))
		return false;
	if (s->to->found)
		h->format = *s->to->found;
	s->to->format = h->format;
	return true;
}

/* Makes a header of the newest log for another family; its events are neutral anyway. */
static bool made_header(struct state *s)
{
	const struct pv_stream_header *from = &s->stream.header;
	const struct mlpd_header h = { .format = { MLPD_NEWEST, 3, 8, 0 },
		.start_time_ms = from->start_us / 1000,
		.startup_ns = from->start_ns ? from->start_ns : from->start_us * 1000,
		.pid = from->pid,
		.args = { "", 0 },
		.arch = { "", 0 },
		.os = { "", 0 } };
	s->to->other_family = true;
	s->to->format = h.format;
	return give_header(s, &h);
}

static bool batch(struct state *s)
{
	const struct pv_batch *b = &s->stream.batch;
	const struct mlpd_buffer_header h = { .thread = b->thread, .time_base = b->time_base };
	s->to->damaged |= b->damaged;
	return s->to->buffer(s->to->ctx, &h, b);
}

static bool take_pieces(struct state *s)
{
	const struct pv_reader *reader = s->stream.reader;
	bool ok = true;
	if (reader && reader->no_reread)
		return pv_fail(s->to->err, PV_EUSAGE, 0, "%s", reader->no_reread);
	while (ok) {
		switch (pv_stream_next(&s->stream)) {
		case PV_PIECE_MORE:
			return true;
		case PV_PIECE_HEADER:
			ok = s->stream.framer ? log_header(s) : made_header(s);
			break;
		case PV_PIECE_BUFFER:
			ok = buffer(s);
			break;
		case PV_PIECE_BATCH:
			ok = batch(s);
			break;
		case PV_PIECE_DAMAGE:
			/* A time put right costs no bytes. */
			s->to->damaged |= !s->stream.framer || s->stream.framer->lost;
			break;
		case PV_PIECE_FAILED:
			*s->to->err = s->stream.error;
			return false;
		}
	}
	return false;
}

/* Takes a gap: bytes dropped by a pipe's spool, or no longer kept. */
static bool gap(struct state *s, uint64_t n)
{
	const struct mlpd_format *found = s->to->found;
	const struct mlpd_framer *f = s->stream.framer;
	if (s->stream.reader && !f)
		return pv_fail(s->to->err, PV_EUSAGE, s->stream.offset,
			"more came through the pipe than the spool keeps (--spool): such a log "
			"cannot be read again without its beginning");
	s->to->damaged = true;
	s->carry.n = 0;
	if ((f && f->have_header) || !found) {
		pv_stream_gap(&s->stream, n, "not kept");
		return take_pieces(s);
	}
	const struct mlpd_header h = { .format = *found };
	if (!f)
		pv_stream_finish(&s->stream);
	if (!f && !pv_stream_start(&s->stream, &pv_reader_mlpd))
		return nomem(s);
	s->says = h.format.data_version;
	s->to->format = h.format;
	mlpd_framer_inside(s->stream.framer, &h, n);
	return give_header(s, &h);
}

static bool read_whole_source(struct state *s, struct pv_source *source)
{
	struct pv_source_info info;
	for (;;) {
		size_t room;
		uint64_t n = 0;
		uint8_t *to = pv_stream_room(&s->stream, &room);
		if (!to)
			return nomem(s);
		switch (pv_source_read(source, to, room, &n, s->to->err)) {
		case PV_READ_BYTES:
			pv_stream_filled(&s->stream, (size_t)n);
			if (!take_pieces(s))
				return false;
			break;
		case PV_READ_END:
			pv_source_info(source, &info);
			s->to->damaged |= info.compressed_damage != NULL;
			pv_stream_end(&s->stream);
			return take_pieces(s);
		case PV_READ_GAP:
			if (!gap(s, n))
				return false;
			break;
		case PV_READ_ERROR:
			return false;
		default:
			return pv_fail(s->to->err, PV_EIO, s->stream.offset,
				"the file changed while it was read");
		}
	}
}

bool pv_reread_source(struct pv_reread *r, struct pv_source *source)
{
	struct state s = { .to = r };
	r->damaged = false;
	bool ok = read_whole_source(&s, source);
	pv_stream_finish(&s.stream);
	pv_batch_finish(&s.batch);
	pv_array_finish(&s.carry);
	return ok;
}

bool pv_reread(struct pv_reread *r, const char *path)
{
	struct pv_source *source = pv_source_open(path, &(struct pv_source_options){ 0 }, r->err);
	bool ok = source && pv_reread_source(r, source);
	pv_source_close(source);
	return ok;
}

/* --- parts */

/* Reads a part's bytes through the framer, which begins at the part's first buffer. */
static bool read_part(struct state *s, struct pv_source *source, uint64_t bytes)
{
	while (bytes > 0) {
		size_t room;
		uint64_t n = 0;
		uint8_t *to = pv_stream_room(&s->stream, &room);
		if (!to)
			return nomem(s);
		if (room > bytes)
			room = (size_t)bytes;
		enum pv_read what = pv_source_read(source, to, room, &n, s->to->err);
		if (what == PV_READ_ERROR)
			return false;
		if (what != PV_READ_BYTES)
			return pv_fail(s->to->err, PV_EIO, s->stream.offset,
				"the file changed while it was read");
		bytes -= n;
		pv_stream_filled(&s->stream, (size_t)n);
		if (!take_pieces(s))
			return false;
	}
	return true;
}

/* Places the framer at `offset` of the stream, without earlier bytes. */
static bool go_to(struct state *s, const struct mlpd_header *h, uint64_t offset)
{
	pv_stream_finish(&s->stream);
	s->carry.n = 0;
	return pv_stream_go_on(&s->stream, h, offset) || nomem(s);
}

bool pv_reread_parts(
	struct pv_reread *r, struct pv_source *source, const struct mlpd_format *format)
{
	struct state s = { .to = r, .says = format->data_version };
	const struct mlpd_header h = { .format = *format };
	struct pv_reread_part part;
	uint64_t at = UINT64_MAX, given;
	bool ok = true;
	r->damaged = false;
	while (ok && r->next(r->ctx, &part)) {
		if (part.offset != at)
			ok = pv_source_seek(source, part.offset, r->err) &&
			     go_to(&s, &h, part.offset);
		ok = ok && read_part(&s, source, part.bytes);
		at = part.offset + part.bytes;
		given = ok ? s.stream.framer->payload_offset + s.stream.framer->payload_len : 0;
		if (ok && given != at) { /* the part ends inside a buffer */
			pv_stream_end(&s.stream);
			ok = take_pieces(&s);
			at = UINT64_MAX;
		}
	}
	pv_stream_finish(&s.stream);
	pv_batch_finish(&s.batch);
	pv_array_finish(&s.carry);
	return ok;
}
