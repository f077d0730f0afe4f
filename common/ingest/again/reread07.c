/* Logs of the 2007 family for those who read a log twice. */
#include <string.h>

#include "common/format/block07/block07.h"
#include "common/ingest/again/reread.h"

/* A header of the newer format for a log of 2007; its events are neutral anyway. */
static bool give_header(struct pv_reread *r, const struct b07_header *from)
{
	const struct mlpd_header h = { .format = { MLPD_NEWEST, 3, 8, 0 },
		.start_time_ms = from->start_us / 1000,
		.startup_ns = from->start_ns ? from->start_ns : from->start_us * 1000,
		.pid = from->pid,
		.args = { "", 0 },
		.arch = { "", 0 },
		.os = { "", 0 } };
	r->logging2007 = true;
	r->format = h.format;
	return r->header(r->ctx, &h);
}

static bool give_batch(struct pv_reread *r, const struct pv_batch *b)
{
	const struct mlpd_buffer_header h = { .thread = b->thread, .time_base = b->time_base };
	r->damaged |= b->damaged;
	return r->buffer(r->ctx, &h, b);
}

static bool give(struct pv_reread *r, struct b07_stream *s)
{
	for (;;) {
		switch (b07_next(s)) {
		case B07_MORE:
			return true;
		case B07_HEADER:
			if (!give_header(r, &s->header))
				return false;
			break;
		case B07_BATCH:
			if (!give_batch(r, &s->batch))
				return false;
			break;
		case B07_DAMAGE:
			r->damaged = true;
			break;
		case B07_FAILED:
			*r->err = s->error;
			return false;
		}
	}
}

static bool read_all(struct pv_reread *r, struct b07_stream *s, struct pv_source *source)
{
	for (;;) {
		size_t room;
		uint64_t n = 0;
		uint8_t *to = b07_room(s, &room);
		if (!to)
			return pv_fail(r->err, PV_ENOMEM, s->offset, "out of memory");
		switch (pv_source_read(source, to, room, &n, r->err)) {
		case PV_READ_BYTES:
			b07_filled(s, (size_t)n);
			if (!give(r, s))
				return false;
			break;
		case PV_READ_END:
			b07_end(s);
			return give(r, s);
		case PV_READ_ERROR:
			return false;
		case PV_READ_GAP: /* it is read from its beginning or not at all */
			return pv_fail(r->err, PV_EUSAGE, s->offset,
				"more came through the pipe than the spool keeps (--spool): such a "
				"log cannot be read again without its beginning");
		default:
			return pv_fail(
				r->err, PV_EIO, s->offset, "the file changed while it was read");
		}
	}
}

bool pv_reread07(struct pv_reread *r, enum pv_family family, struct pv_source *source,
	const uint8_t *bytes, size_t n)
{
	struct b07_stream s = { 0 };
	bool ok = pv_family_init(family, &s);
	for (size_t room; ok && n > 0; n -= room, bytes += room) {
		uint8_t *to = b07_room(&s, &room);
		ok = to != NULL;
		room = room < n ? room : n;
		if (!ok)
			break;
		memcpy(to, bytes, room);
		b07_filled(&s, room);
		if (!give(r, &s)) {
			b07_finish(&s);
			return false;
		}
	}
	ok = ok ? read_all(r, &s, source) : pv_fail(r->err, PV_ENOMEM, 0, "out of memory");
	b07_finish(&s);
	return ok;
}
