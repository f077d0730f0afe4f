#include "common/ingest/again/reread.h"

#include "common/format/families/family.h"
#include "common/format/mlpd/mlpd_layout.h"

struct state {
	struct pv_reread *to;
	struct mlpd_framer framer;
	struct pv_batch batch;
	struct mlpd_bases bases;
	PV_ARRAY(uint8_t) carry; /* the begin of an event that goes on in the next piece */
	uint8_t says;
	bool skip, chosen; /* chosen: it is known which family the log is of */
};

/* By the first bytes, which stand in the framer's window. */
static enum pv_family choose(struct state *s, bool ended)
{
	const struct mlpd_framer *f = &s->framer;
	if (s->chosen)
		return PV_FAMILY_MLPD;
	enum pv_family is = pv_family_of(f->window + f->start, f->filled - f->start, ended);
	s->chosen = is != PV_FAMILY_UNSURE;
	return is;
}

static bool nomem(struct state *s)
{
	return pv_fail(s->to->err, PV_ENOMEM, s->framer.offset, "out of memory");
}

static bool load(struct state *s)
{
	const struct mlpd_framer *f = &s->framer;
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
	struct mlpd_framer *f = &s->framer;
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
	if (!load(s) || !mlpd_decode_batch(b, &s->bases, &f->header.format, t.partial, &used))
		return nomem(s);
	if (b->damaged && !f->continues && !mlpd_try_layouts(b, &t, &f->header.format, &changed))
		return nomem(s);
	size_t rest = b->bytes.n - used;
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

static bool frame(struct state *s)
{
	for (;;) {
		switch (mlpd_framer_next(&s->framer)) {
		case MLPD_MORE:
			return true;
		case MLPD_HEADER:
			s->says = s->framer.header.format.data_version;
			if (!s->to->header(s->to->ctx, &s->framer.header))
				return false;
			if (s->to->found)
				s->framer.header.format = *s->to->found;
			s->to->format = s->framer.header.format;
			break;
		case MLPD_BUFFER:
			if (!buffer(s))
				return false;
			break;
		case MLPD_DAMAGE:
			s->to->damaged = true;
			break;
		case MLPD_FAILED:
			*s->to->err = s->framer.error;
			return false;
		}
	}
}

/* Bytes that a pipe's spool dropped, or has no longer. */
static bool gap(struct state *s, uint64_t n)
{
	struct mlpd_framer *f = &s->framer;
	s->to->damaged = s->chosen = true;
	s->carry.n = 0;
	if (f->have_header || !s->to->found) {
		mlpd_framer_gap(f, n, "not kept");
		return frame(s);
	}
	const struct mlpd_header h = { .format = *s->to->found };
	s->says = h.format.data_version;
	s->to->format = h.format;
	mlpd_framer_inside(f, &h, n);
	return s->to->header(s->to->ctx, &h);
}

/* Bytes have come, or the end. *ret_done: what remains was read here, or there is nothing more to do. */
static bool took(struct state *s, struct pv_source *source, bool ended, bool *ret_done)
{
	enum pv_family choice = choose(s, ended);
	*ret_done = choice != PV_FAMILY_MLPD && choice != PV_FAMILY_UNSURE;
	switch (choice) {
	case PV_FAMILY_2007:
	case PV_FAMILY_NETTRACE:
		return pv_reread07(s->to, choice, source, s->framer.window + s->framer.start,
			s->framer.filled - s->framer.start);
	case PV_FAMILY_STACKS:
		return pv_fail(s->to->err, PV_EUSAGE, 0,
			"stacks as text have nothing but samples: they are no log");
	case PV_FAMILY_MLPD:
		return frame(s);
	default:
		return true;
	}
}

static bool read_all(struct state *s, struct pv_source *source)
{
	struct pv_source_info info;
	bool ok, done;
	for (;;) {
		size_t room;
		uint64_t n = 0;
		uint8_t *to = mlpd_framer_room(&s->framer, &room);
		if (!to)
			return nomem(s);
		switch (pv_source_read(source, to, room, &n, s->to->err)) {
		case PV_READ_BYTES:
			mlpd_framer_filled(&s->framer, (size_t)n);
			ok = took(s, source, false, &done);
			if (!ok || done)
				return ok;
			break;
		case PV_READ_END:
			ok = took(s, source, true, &done);
			if (!ok || done)
				return ok;
			pv_source_info(source, &info);
			s->to->damaged |= info.compressed_damage != NULL;
			mlpd_framer_end(&s->framer);
			return frame(s);
		case PV_READ_GAP:
			if (!gap(s, n))
				return false;
			break;
		case PV_READ_ERROR:
			return false;
		default:
			return pv_fail(s->to->err, PV_EIO, s->framer.offset,
				"the file changed while it was read");
		}
	}
}

bool pv_reread_source(struct pv_reread *r, struct pv_source *source)
{
	struct state s = { .to = r, .framer = { .may_join = true } };
	r->damaged = false;
	bool ok = mlpd_framer_init(&s.framer) ? read_all(&s, source) : nomem(&s);
	mlpd_framer_finish(&s.framer);
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

/* Reads a part's bytes through the framer, which begins at its first buffer. */
static bool read_part(struct state *s, struct pv_source *source, uint64_t bytes)
{
	while (bytes > 0) {
		size_t room;
		uint64_t n = 0;
		uint8_t *to = mlpd_framer_room(&s->framer, &room);
		if (!to)
			return nomem(s);
		if (room > bytes)
			room = (size_t)bytes;
		enum pv_read what = pv_source_read(source, to, room, &n, s->to->err);
		if (what == PV_READ_ERROR)
			return false;
		if (what != PV_READ_BYTES)
			return pv_fail(s->to->err, PV_EIO, s->framer.offset,
				"the file changed while it was read");
		bytes -= n;
		mlpd_framer_filled(&s->framer, (size_t)n);
		if (!frame(s))
			return false;
	}
	return true;
}

/* The framer stands at `offset` of the stream, with nothing before it. */
static bool go_to(struct state *s, const struct mlpd_header *h, uint64_t offset)
{
	mlpd_framer_finish(&s->framer);
	s->framer = (struct mlpd_framer){ 0 };
	s->carry.n = 0;
	if (!mlpd_framer_init(&s->framer))
		return nomem(s);
	mlpd_framer_go_on(&s->framer, h, offset);
	return true;
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
		given = s.framer.payload_offset + s.framer.payload_len;
		if (ok && given != at) { /* a buffer is cut there */
			mlpd_framer_end(&s.framer);
			ok = frame(&s);
			at = UINT64_MAX;
		}
	}
	mlpd_framer_finish(&s.framer);
	pv_batch_finish(&s.batch);
	pv_array_finish(&s.carry);
	return ok;
}
