#include "common/format/block07/other_window.h"

#include <stdlib.h>
#include <string.h>

enum { READ_ROOM = 64 << 10 };

uint8_t *b07_window_room(struct b07_stream *s, size_t *ret_size)
{
	struct b07_window *w = s->other;
	size_t left = w->filled - w->start;
	bool full = w->room - w->filled < READ_ROOM;
	/* Each byte moves four times at most: a quarter was taken since. */
	if (w->start && (w->start >= left || (full && w->start >= left / 4))) {
		memmove(w->bytes, w->bytes + w->start, left);
		w->filled = left;
		w->start = 0;
	}
	if (w->room - w->filled < READ_ROOM) {
		size_t more = w->room ? w->room * 2 : 4 * READ_ROOM;
		uint8_t *bytes = realloc(w->bytes, more);
		if (!bytes)
			return NULL;
		w->bytes = bytes;
		w->room = more;
	}
	*ret_size = w->room - w->filled;
	return w->bytes + w->filled;
}

void b07_window_filled(struct b07_stream *s, size_t n)
{
	struct b07_window *w = s->other;
	w->filled += n;
	s->received += n;
}

void b07_window_end(struct b07_stream *s)
{
	struct b07_window *w = s->other;
	w->ended = true;
}

void b07_window_resume(struct b07_stream *s)
{
	struct b07_window *w = s->other;
	w->ended = false;
}

void b07_window_gap(struct b07_stream *s, uint64_t bytes)
{
	struct b07_window *w = s->other;
	w->gap += bytes;
	w->gapped = true;
	s->received += bytes;
}
