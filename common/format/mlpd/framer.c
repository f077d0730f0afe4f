/* SPDX-License-Identifier: MIT */
/*
 * Cuts a stream into headers and buffers, searches for the next buffer after damage, and joins a
 * stream in its middle.
 */
#include "common/format/mlpd/framer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"
#include "common/format/file_type_hints.h"

enum {
	HEADER_LIMIT = 4 << 20,  /* a longer file header is refused */
	FIXED_HEADER = 30,       /* in front of the strings; major 3 has 8 more */
	SEARCH_LIMIT = 64 << 20, /* give up looking for the first buffer of a headless stream */
	LONGEST_FIX = 1 << 20, /* a buffer with too small a length is lengthened at most to this */
	LIVE_MAX = 64 << 20,   /* plausible payload length when looking for a place to resume */
};

enum state { AT_START, AT_PIECE, IN_BUFFER, SEARCHING, FAILED };

static size_t left(const struct mlpd_framer *f)
{
	return f->filled - f->start;
}

static const uint8_t *here(const struct mlpd_framer *f)
{
	return f->window + f->start;
}

static void take_from_window(struct mlpd_framer *f, size_t n)
{
	f->start += n;
	f->window_offset += n;
}

void mlpd_framer_end(struct mlpd_framer *f)
{
	f->ended = true;
}

static enum mlpd_piece fail_framer(struct mlpd_framer *f, enum pv_code code, const char *what)
{
	pv_fail(&f->error, code, f->window_offset, "%s", what);
	f->state = FAILED;
	return MLPD_FAILED;
}

static enum mlpd_piece damage(
	struct mlpd_framer *f, uint64_t offset, uint64_t bytes, const char *reason)
{
	f->damage = (struct mlpd_damage){ .offset = offset, .bytes = bytes };
	snprintf(f->damage.reason, sizeof f->damage.reason, "%s", reason);
	f->lost = true;
	return MLPD_DAMAGE;
}

void mlpd_framer_gap(struct mlpd_framer *f, uint64_t bytes, const char *reason)
{
	/* The rest of the unfinished buffer in the window is gone. */
	damage(f, f->window_offset, left(f) + bytes, reason);
	f->window_offset += left(f) + bytes;
	f->start = f->filled; /* bytes before `start` may still be referenced */
	f->piece_left = 0;
	f->gap_pending = true;
	if (f->have_header)
		f->state = SEARCHING;
}

static enum mlpd_piece not_a_log(struct mlpd_framer *f)
{
	char what[240], line[PV_HINT_LINE];
	if (!f->type_hint && left(f) == 0)
		return fail_framer(f, PV_ETRUNCATED, "empty: no bytes at all");
	snprintf(what, sizeof what, "not a profiler log: %s%s",
		f->type_hint ? f->type_hint : pv_file_type_hint(here(f), left(f)),
		f->type_hint ? f->first_line : pv_file_first_line(here(f), left(f), line));
	f->window_offset = 0;
	return fail_framer(f, PV_EVERSION, what);
}

/* --- headers --- */

static enum mlpd_piece resume(struct mlpd_framer *f);

static bool id_at(const struct mlpd_framer *f, size_t at, uint32_t id)
{
	struct pv_cursor c = { .at = here(f) + at, .end = f->window + f->filled };
	return pv_get_u32(&c) == id && pv_cursor_ok(&c);
}

static enum mlpd_piece give_header(struct mlpd_framer *f, size_t n)
{
	f->offset = f->window_offset;
	f->have_header = true;
	f->state = AT_PIECE;
	f->times = (struct mlpd_buffer_times){ 0 };
	take_from_window(f, n);
	return MLPD_HEADER;
}

static enum mlpd_piece mend(struct mlpd_framer *f, size_t n, bool cut);

static enum mlpd_piece get_header(struct mlpd_framer *f)
{
	struct pv_cursor c = { .at = here(f), .end = f->window + f->filled };
	struct mlpd_header h = f->header;
	enum mlpd_status s = mlpd_get_header(&c, &h, &f->error);
	size_t used = (size_t)(c.at - here(f));
	if (s == MLPD_OK || !f->have_header)
		f->header = h;
	if (s == MLPD_OK)
		return give_header(f, used);
	if (s == MLPD_SHORT && !f->ended && left(f) < HEADER_LIMIT)
		return MLPD_MORE;
	if (f->have_header) {
		f->error = (struct pv_error){ 0 };
		f->state = SEARCHING; /* in mid-stream: only this header is bad */
		take_from_window(f, 1);
		f->skipped = 1;
		return resume(f);
	}
	bool cut = s == MLPD_SHORT || f->error.offset == used;
	if (s == MLPD_SHORT) {
		size_t fixed = f->header.format.header_major >= 3 ? FIXED_HEADER + 8 : FIXED_HEADER;
		used = left(f) < fixed ? left(f) : fixed;
		pv_fail(&f->error, PV_ETRUNCATED, used, "the file ends inside its header");
	}
	f->error.offset += f->window_offset;
	return mend(f, used, cut);
}

/* --- finding a buffer again --- */

/*
 * A buffer header is believed when its length is plausible and the buffer ends at another id, or at
 * the end of the input.
 */
enum belief { NO, YES, UNSURE };

static enum belief believe(const struct mlpd_framer *f, size_t at)
{
	struct pv_cursor c = { .at = here(f) + at, .end = f->window + f->filled };
	struct mlpd_buffer_header h;
	enum mlpd_status s = mlpd_get_buffer_header(&c, &h);
	if (s == MLPD_SHORT)
		return f->ended ? NO : UNSURE;
	if (s != MLPD_OK || h.length > LIVE_MAX)
		return NO;
	size_t next = at + MLPD_BUFFER_HEADER + h.length;
	if (next + 4 > left(f)) {
		if (!f->ended)
			return UNSURE;
		return next == left(f) ? YES : NO;
	}
	return id_at(f, next, MLPD_BUFFER_ID) || id_at(f, next, MLPD_FILE_ID) ? YES : NO;
}

/* Offset in the window of the next possible buffer; *ret_sure when believed. */
static size_t search_buffer(const struct mlpd_framer *f, size_t from, bool *ret_sure)
{
	static const uint8_t id[4] = { 0x01, 0x4c, 0x50, 0x4d };
	size_t n = left(f);
	*ret_sure = false;
	for (size_t at = from; at + 4 <= n;) {
		const uint8_t *p = memmem(here(f) + at, n - at, id, sizeof id);
		if (!p)
			break;
		at = (size_t)(p - here(f));
		enum belief b = believe(f, at);
		*ret_sure = b == YES;
		if (b != NO)
			return at;
		at++;
	}
	return f->ended ? n : n < 3 ? 0 : n - 3;
}

/* Skips to the next believable buffer; the bytes before are damage. */
static enum mlpd_piece resume(struct mlpd_framer *f)
{
	bool sure;
	size_t skip = search_buffer(f, 0, &sure);
	uint64_t offset = f->window_offset;
	if (!sure && !f->ended) {
		/*
		 * Keep the candidate, drop the bytes before; damage is reported once, when a buffer
		 * is found.
		 */
		f->skipped += skip;
		take_from_window(f, skip);
		return MLPD_MORE;
	}
	take_from_window(f, skip);
	uint64_t bytes = f->skipped + skip;
	f->skipped = 0;
	f->state = AT_PIECE;
	if (bytes == 0)
		return mlpd_framer_next(f);
	return damage(f, offset + skip - bytes, bytes, "no buffer header here");
}

/* --- joining a stream in its middle --- */

static unsigned failures(const struct mlpd_framer *f, size_t at, const struct mlpd_format *format)
{
	unsigned bad = 0;
	struct pv_batch b = { 0 };
	for (unsigned i = 0; i < 8 && at + MLPD_BUFFER_HEADER <= left(f); i++) {
		struct pv_cursor c = { .at = here(f) + at, .end = f->window + f->filled };
		struct mlpd_buffer_header h;
		if (mlpd_get_buffer_header(&c, &h) != MLPD_OK || pv_cursor_left(&c) < h.length)
			break;
		struct mlpd_bases bases;
		size_t used;
		pv_batch_reset(&b);
		if (!pv_reserve(&b.bytes, (size_t)h.length + 1))
			break;
		if (h.length)
			memcpy(b.bytes.v, c.at, h.length);
		b.bytes.n = h.length;
		mlpd_bases_init(&bases, &h);
		if (!mlpd_decode_batch(&b, &bases, format, false, &used) || b.damaged)
			bad++;
		at += MLPD_BUFFER_HEADER + h.length;
	}
	pv_batch_finish(&b);
	return bad;
}

/* The format in which most buffers decode; newer data versions first, 8-byte pointers before 4. */
static struct mlpd_format try_formats(const struct mlpd_framer *f)
{
	struct mlpd_format best = { MLPD_NEWEST, 3, 8, 0 };
	unsigned least = UINT32_MAX;
	for (int version = MLPD_NEWEST; version > 0 && least; version--) {
		for (uint8_t size = 8; size >= 4 && least; size = (uint8_t)(size - 4)) {
			struct mlpd_format try = { (uint8_t)version,
				version >= 16   ? 3
				: version >= 14 ? 2
						: version == 13,
				size, 0 };
			unsigned bad = failures(f, 0, &try);
			if (bad < least) {
				least = bad;
				best = try;
			}
		}
	}
	return best;
}

static void mend_format(struct mlpd_framer *f, size_t at)
{
	struct mlpd_format *format = &f->header.format;
	f->header.flags = 0;
	if (format->data_version > MLPD_NEWEST)
		format->data_version = MLPD_NEWEST;
	if (format->pointer_size == 4 || format->pointer_size == 8)
		return;
	format->pointer_size = 4;
	unsigned narrow = failures(f, at, format);
	format->pointer_size = 8;
	if (narrow < failures(f, at, format))
		format->pointer_size = 4;
}

/*
 * Repairs a header that contradicts itself or the file, as f->error says. Where buffers follow, its
 * other fields are used, and the bad field is put right and reported as damage after the header.
 * `n`: where the header ends; if `cut`, the strings end elsewhere.
 */
static enum mlpd_piece mend(struct mlpd_framer *f, size_t n, bool cut)
{
	bool sure = false, hopeless = !f->may_join || f->header.format.data_version == 0;
	size_t at = hopeless ? 0 : search_buffer(f, n, &sure);
	if (!hopeless && !sure && !f->ended && left(f) < HEADER_LIMIT)
		return MLPD_MORE;
	if (!sure) {
		f->state = FAILED;
		return MLPD_FAILED;
	}
	f->header_damage =
		(struct mlpd_damage){ .offset = cut ? f->window_offset + n : f->error.offset,
			.bytes = cut ? at - n : 1 };
	mend_format(f, at);
	snprintf(f->header_damage.reason, sizeof f->header_damage.reason, "%s",
		PV_FIT(f->error.what, 79));
	f->error = (struct pv_error){ 0 };
	return give_header(f, cut ? at : n);
}

static enum mlpd_piece join_in_middle(struct mlpd_framer *f)
{
	bool sure;
	size_t at = search_buffer(f, 0, &sure);
	if (!sure && !f->ended && f->window_offset + at < SEARCH_LIMIT) {
		take_from_window(f, at); /* keeps a candidate, drops the bytes before */
		return MLPD_MORE;
	}
	if (!sure)
		return not_a_log(f);
	take_from_window(f, at);
	struct pv_cursor c = { .at = here(f), .end = f->window + f->filled };
	struct mlpd_buffer_header first;
	mlpd_get_buffer_header(&c, &first);
	f->header = (struct mlpd_header){ .format = try_formats(f),
		.startup_ns = first.time_base,
		.args = { "joined", 6 },
		.arch = { "", 0 },
		.os = { "", 0 } };
	f->joined = f->have_header = true;
	f->offset = f->window_offset;
	f->state = AT_PIECE;
	return MLPD_HEADER;
}

static enum mlpd_piece at_start(struct mlpd_framer *f)
{
	enum { ZEROS = 32 };
	if (left(f) < 4 && !f->ended)
		return MLPD_MORE;
	if (left(f) >= 4 && id_at(f, 0, MLPD_FILE_ID))
		return get_header(f);
	if (left(f) < PV_HINT_BYTES && !f->ended)
		return MLPD_MORE;
	if (!f->may_join || left(f) < 4)
		return not_a_log(f);
	if (f->window_offset == 0)
		f->emptied = left(f) > ZEROS && *here(f) == 0 &&
			     memcmp(here(f), here(f) + 1, ZEROS) == 0;
	if (!f->type_hint) {
		f->type_hint = pv_file_type_hint(here(f), left(f));
		pv_file_first_line(here(f), left(f), f->first_line);
	}
	return join_in_middle(f);
}

/* --- buffers --- */

static enum mlpd_piece cut_tail(struct mlpd_framer *f)
{
	size_t n = left(f);
	if (n == 0)
		return MLPD_MORE;
	uint64_t offset = f->window_offset;
	take_from_window(f, n);
	return damage(f, offset, n, "the input ends inside a buffer header");
}

/* A payload that came whole, in one piece unless too large. */
static enum mlpd_piece give_payload(struct mlpd_framer *f, size_t n)
{
	f->payload = f->window + f->start;
	f->payload_len = n;
	f->payload_offset = f->window_offset;
	take_from_window(f, n);
	f->piece_left -= n;
	f->whole = f->last_piece = f->piece_left == 0;
	f->state = f->piece_left ? IN_BUFFER : AT_PIECE;
	f->bytes_lost_before = f->lost;
	f->lost = false;
	return MLPD_BUFFER;
}

/* Whether the next `n` bytes, taken as this buffer's payload, decode as events to the last byte. */
static bool decodes(const struct mlpd_framer *f, size_t n)
{
	struct pv_batch b = { 0 };
	struct mlpd_bases bases;
	size_t used;
	bool ok = pv_reserve(&b.bytes, n + 1);
	if (ok)
		memcpy(b.bytes.v, here(f), n);
	b.bytes.n = n;
	mlpd_bases_init(&bases, &f->buffer);
	ok = ok && mlpd_decode_batch(&b, &bases, &f->header.format, false, &used) && !b.damaged;
	pv_batch_finish(&b);
	return ok;
}

static bool id_after(const struct mlpd_framer *f, size_t at)
{
	return id_at(f, at, MLPD_BUFFER_ID) || id_at(f, at, MLPD_FILE_ID);
}

/*
 * Corrects a damaged length, lest buffers after it be swallowed, or the tail of its own be lost.
 * Where no id stands at the promised end: a believable buffer before that end ends the payload; a
 * buffer further on does so if all bytes before decode as events.
 */
static void correct_length(struct mlpd_framer *f)
{
	size_t n = left(f), from = 0;
	uint64_t want = f->piece_left;
	if ((want <= n && want + 4 > n) || (want < n && id_after(f, (size_t)want)))
		return;
	bool waits = want > n && !f->ended, sure;
	if (waits)
		from = f->looked < n ? f->looked : n;
	size_t at = search_buffer(f, from, &sure);
	f->looked = waits && !sure ? at : 0;
	if (!sure || at == want || (at > want && (at > LONGEST_FIX || !decodes(f, at))))
		return;
	f->piece_left = at;
	f->wrong_length = true;
}

static enum mlpd_piece in_buffer(struct mlpd_framer *f)
{
	if (!f->continues)
		correct_length(f);
	size_t want = f->piece_left < MLPD_MAX_PIECE ? (size_t)f->piece_left : MLPD_MAX_PIECE;
	if (left(f) >= want) {
		enum mlpd_piece p = give_payload(f, want);
		f->whole = true;
		return p;
	}
	if (!f->ended)
		return MLPD_MORE;
	/* The input ends inside this buffer: the bytes that came are worth decoding. */
	size_t n = left(f);
	uint64_t missing = f->piece_left - n;
	enum mlpd_piece p = give_payload(f, n);
	f->whole = false;
	f->last_piece = true;
	f->piece_left = 0;
	f->state = AT_PIECE;
	f->cut_bytes = missing;
	return p;
}

/* No byte of the buffer was lost: calls of its thread go on. */
static enum mlpd_piece tell_wrong_time(struct mlpd_framer *f)
{
	enum { PLACE = 8, BYTES = 8 }; /* in the buffer's header */
	const bool lost = f->lost;
	f->wrong_time = false;
	damage(f, f->offset + PLACE, BYTES, "a buffer's time is wrong, and was put right");
	f->lost = lost;
	return MLPD_DAMAGE;
}

static enum mlpd_piece at_piece(struct mlpd_framer *f)
{
	if (f->wrong_time)
		return tell_wrong_time(f);
	if (f->wrong_length) {
		f->wrong_length = false;
		return damage(f, f->offset + 4, 4, "a buffer header states a wrong length");
	}
	if (f->cut_bytes) {
		uint64_t bytes = f->cut_bytes;
		f->cut_bytes = 0;
		return damage(f, f->window_offset, bytes, "the input ends inside a buffer");
	}
	if (id_at(f, 0, MLPD_FILE_ID))
		return get_header(f);
	if (left(f) < MLPD_BUFFER_HEADER)
		return f->ended ? cut_tail(f) : MLPD_MORE;
	struct pv_cursor c = { .at = here(f), .end = f->window + f->filled };
	if (mlpd_get_buffer_header(&c, &f->buffer) != MLPD_OK) {
		f->state = SEARCHING;
		return resume(f);
	}
	const uint64_t said = f->buffer.time_base;
	f->buffer.time_base = mlpd_right_time(&f->times, said);
	f->wrong_time = f->buffer.time_base != said;
	f->offset = f->window_offset;
	f->piece_left = f->buffer.length;
	f->continues = false;
	f->looked = 0;
	take_from_window(f, MLPD_BUFFER_HEADER);
	f->state = IN_BUFFER;
	enum mlpd_piece p = in_buffer(f);
	if (p == MLPD_MORE)
		f->header_taken = true;
	return p;
}

size_t mlpd_framer_back(struct mlpd_framer *f, size_t n)
{
	bool sure;
	struct mlpd_framer back = *f;
	if (n > f->payload_len || f->state == FAILED)
		return n;
	back.start -= n;
	back.window_offset -= n;
	size_t skip = search_buffer(&back, 0, &sure);
	if (!sure || skip >= n)
		return n;
	take_from_window(&back, skip);
	back.state = AT_PIECE;
	back.piece_left = back.cut_bytes = 0;
	back.header_taken = back.wrong_length = false;
	*f = back;
	return skip;
}

void mlpd_framer_inside(struct mlpd_framer *f, const struct mlpd_header *h, uint64_t offset)
{
	f->header = *h;
	f->have_header = true;
	f->window_offset = offset;
	f->state = SEARCHING;
}

bool mlpd_framer_resting(const struct mlpd_framer *f, uint64_t *ret_offset)
{
	bool untouched = f->state == IN_BUFFER && f->header_taken;
	if (f->gap_pending || f->wrong_length || f->wrong_time || f->cut_bytes || f->lost ||
		f->skipped || (f->state != AT_PIECE && !untouched))
		return false;
	*ret_offset = untouched ? f->offset : f->window_offset;
	return true;
}

void mlpd_framer_go_on(struct mlpd_framer *f, const struct mlpd_header *h, uint64_t offset)
{
	f->header = *h;
	f->have_header = true;
	f->window_offset = offset;
	f->state = AT_PIECE;
}

enum mlpd_piece mlpd_framer_next(struct mlpd_framer *f)
{
	if (f->gap_pending) {
		f->gap_pending = false;
		return MLPD_DAMAGE;
	}
	if (f->header_damage.bytes && f->have_header) {
		f->damage = f->header_damage;
		f->header_damage.bytes = 0;
		return MLPD_DAMAGE;
	}
	switch ((enum state)f->state) {
	case AT_START:
		return at_start(f);
	case AT_PIECE:
		return at_piece(f);
	case IN_BUFFER:
		f->continues = !f->header_taken;
		enum mlpd_piece p = in_buffer(f);
		if (p != MLPD_MORE)
			f->header_taken = false;
		return p;
	case SEARCHING:
		return resume(f);
	default:
		return MLPD_FAILED;
	}
}

const char *mlpd_framer_missing(const struct mlpd_framer *f)
{
	return f->emptied ? "truncated while written: read from its first whole buffer on"
			  : "the log's beginning is missing: read from its first whole buffer on";
}
