/* SPDX-License-Identifier: MIT */
/* The table of families, and the stream with the reader of its input's family. */
#include "common/format/readers/readers.h"

#include <stdlib.h>
#include <string.h>

#include "common/format/mlpd/framer.h"

enum { READ_ROOM = 64 << 10, FIRST_ROOM = 1 << 20 };

/* The last reader takes bytes of no other family, and says so if they are no log. */
static const struct pv_reader *const readers[] = { &pv_reader_block07, &pv_reader_nettrace,
	&pv_reader_stacks, &pv_reader_mlpd };

/* --- the window */

static uint8_t *window_room(struct pv_stream_window *w, size_t *ret_size)
{
	size_t left = w->filled - w->start;
	bool full = w->room - w->filled < READ_ROOM;
	/* Each byte moves four times at most, since a quarter is taken between two moves. */
	if (w->start && (w->start >= left || (full && w->start >= left / 4))) {
		memmove(w->bytes, w->bytes + w->start, left);
		w->filled = left;
		w->start = 0;
	}
	if (w->room - w->filled < READ_ROOM) {
		size_t more = w->room ? w->room * 2 : FIRST_ROOM;
		uint8_t *bytes = realloc(w->bytes, more);
		if (!bytes)
			return NULL;
		w->bytes = bytes;
		w->room = more;
	}
	*ret_size = w->room - w->filled;
	return w->bytes + w->filled;
}

static void window_finish(struct pv_stream_window *w)
{
	free(w->bytes);
	*w = (struct pv_stream_window){ 0 };
}

/* --- the reader */

/* The reader for an input with these first bytes; NULL: more bytes are needed. */
static const struct pv_reader *find_reader(const uint8_t *bytes, size_t n, bool ended)
{
	bool unsure = n == 0;
	for (size_t i = 0; n && i < PV_COUNT_OF(readers) - 1; i++) {
		enum pv_sniffed is = readers[i]->sniff(bytes, n, ended);
		if (is == PV_SNIFF_YES)
			return readers[i];
		unsure |= is == PV_SNIFF_UNSURE;
	}
	return unsure && !ended ? NULL : readers[PV_COUNT_OF(readers) - 1];
}

/* Moves the first bytes to a reader with memory of its own. */
static bool move_bytes(struct pv_stream *s)
{
	struct pv_stream_window *w = &s->in;
	for (size_t room = 0; s->reader->room && w->start < w->filled;) {
		uint8_t *to = s->reader->room(s, &room);
		if (!to)
			return false;
		size_t left = w->filled - w->start, part = left < room ? left : room;
		memcpy(to, w->bytes + w->start, part);
		s->reader->filled(s, part);
		w->start += part;
	}
	if (s->reader->room)
		window_finish(w);
	return true;
}

static bool use(struct pv_stream *s, const struct pv_reader *reader)
{
	s->reader = reader;
	if (reader->create(s) && move_bytes(s))
		return true;
	reader->finish(s);
	s->reader = NULL;
	return pv_fail(&s->error, PV_ENOMEM, 0, "out of memory");
}

static void choose_reader(struct pv_stream *s, bool ended)
{
	const struct pv_stream_window *w = &s->in;
	if (s->reader || s->error.code)
		return;
	size_t n = w->filled - w->start;
	const struct pv_reader *reader = find_reader(n ? w->bytes + w->start : NULL, n, ended);
	if (reader)
		use(s, reader);
}

/* --- the stream */

bool pv_stream_start(struct pv_stream *s, const struct pv_reader *reader)
{
	const bool want = s->want_offsets;
	*s = (struct pv_stream){ .want_offsets = want };
	return !reader || use(s, reader);
}

bool pv_stream_go_on(struct pv_stream *s, const struct mlpd_header *h, uint64_t offset)
{
	if (!pv_stream_start(s, &pv_reader_mlpd))
		return false;
	mlpd_framer_go_on(s->framer, h, offset);
	s->received = offset;
	return true;
}

void pv_stream_finish(struct pv_stream *s)
{
	if (s->reader)
		s->reader->finish(s);
	s->reader = NULL;
	s->framer = NULL;
	s->state = NULL;
	window_finish(&s->in);
	pv_batch_finish(&s->batch);
	pv_array_finish(&s->offsets);
}

uint8_t *pv_stream_room(struct pv_stream *s, size_t *ret_size)
{
	return s->reader && s->reader->room ? s->reader->room(s, ret_size)
					    : window_room(&s->in, ret_size);
}

void pv_stream_filled(struct pv_stream *s, size_t n)
{
	s->received += n;
	if (s->reader && s->reader->filled)
		s->reader->filled(s, n);
	else
		s->in.filled += n;
	choose_reader(s, false);
}

void pv_stream_choose(struct pv_stream *s)
{
	choose_reader(s, true);
}

void pv_stream_end(struct pv_stream *s)
{
	choose_reader(s, true);
	s->in.ended = true;
	if (s->reader && s->reader->end)
		s->reader->end(s, true);
}

void pv_stream_resume(struct pv_stream *s)
{
	s->in.ended = false;
	if (s->reader && s->reader->end)
		s->reader->end(s, false);
}

void pv_stream_gap(struct pv_stream *s, uint64_t bytes, const char *reason)
{
	if (!s->reader && !s->error.code)
		use(s, &pv_reader_mlpd);
	s->received += bytes;
	if (s->reader && s->reader->gap) {
		s->reader->gap(s, bytes, reason);
		return;
	}
	s->in.gap += bytes;
	s->in.gapped = true;
}

enum pv_piece pv_stream_next(struct pv_stream *s)
{
	if (s->reader)
		return s->reader->next(s);
	return s->error.code ? PV_PIECE_FAILED : PV_PIECE_MORE;
}

bool pv_stream_resting(const struct pv_stream *s, uint64_t *ret_offset)
{
	return s->reader && s->reader->resting && s->reader->resting(s, ret_offset);
}
