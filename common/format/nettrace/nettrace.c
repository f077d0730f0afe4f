/* Objects of a .nettrace stream: where they begin and end, and what to do with each. */
#include "common/format/nettrace/nettrace.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/format/nettrace/nettrace_parts.h"

enum {
	READ_ROOM = 64 << 10,
	PREAMBLE = 32,  /* "Nettrace", and what version of the serializer */
	TRACE = 48,     /* bytes of the Trace object */
	TYPE = 16,      /* bytes of an object's type without its name */
	NAME = 32,      /* a type's name is no longer */
	MOST = 1 << 16, /* events of a batch; those of one event of the stream may be more */
	TAG_END = 6,
	TAG_NULL = 1,
	NEWEST = 5 /* a version that can be read */
};

static const char preamble[PREAMBLE + 1] = "Nettrace\x14\0\0\0!FastSerialization.1";

enum object {
	OBJECT_TRACE,
	OBJECT_EVENTS,
	OBJECT_METADATA,
	OBJECT_STACKS,
	OBJECT_SEQUENCE,
	OBJECT_OTHER
};

/* An object at the window's start. */
struct found {
	enum object what;
	const uint8_t *body;
	size_t n, bytes; /* of the body that is there; of all, the object's frame included */
	bool cut;        /* the stream ends inside */
};

/* --- input */

static uint8_t *room(struct b07_stream *s, size_t *ret_size)
{
	struct nettrace *d = nt_of(s);
	if (d->start) {
		memmove(d->window, d->window + d->start, d->filled - d->start);
		d->filled -= d->start;
		d->start = 0;
	}
	if (d->room - d->filled < READ_ROOM) {
		size_t more = d->room ? d->room * 2 : 4 * READ_ROOM;
		uint8_t *window = realloc(d->window, more);
		if (!window)
			return NULL;
		d->window = window;
		d->room = more;
	}
	*ret_size = d->room - d->filled;
	return d->window + d->filled;
}

static void filled(struct b07_stream *s, size_t n)
{
	nt_of(s)->filled += n;
	s->received += n;
}

static void end(struct b07_stream *s)
{
	nt_of(s)->ended = true;
}

static void resume(struct b07_stream *s)
{
	nt_of(s)->ended = false;
}

static void gap(struct b07_stream *s, uint64_t bytes)
{
	nt_of(s)->gap += bytes;
	nt_of(s)->gapped = true;
	s->received += bytes;
}

static void finish(struct b07_stream *s)
{
	struct nettrace *d = nt_of(s);
	free(d->window);
	pv_intern_finish(&d->text);
	pv_array_finish(&d->kind);
	pv_map_finish(&d->kind_of);
	pv_array_finish(&d->field);
	pv_array_finish(&d->stack);
	pv_map_finish(&d->stack_of);
	pv_array_finish(&d->frame);
	pv_array_finish(&d->method);
	pv_map_finish(&d->method_of);
	pv_ranges_finish(&d->code);
	pv_array_finish(&d->waiting);
	pv_map_finish(&d->waits);
	for (size_t i = 0; i < d->thread.n; i++)
		pv_array_finish(&d->thread.v[i].sample.frame);
	pv_array_finish(&d->thread);
	pv_map_finish(&d->thread_of);
	pv_map_finish(&d->class_of);
	pv_map_finish(&d->counter_of);
	pv_array_finish(&d->blob);
	pv_array_finish(&d->shot.node);
	pv_array_finish(&d->shot.edge);
	pv_map_finish(&d->shot.area_of);
	pv_map_finish(&d->shot.type_of);
	free(d);
	pv_batch_finish(&s->batch);
	pv_array_finish(&s->offsets);
	s->other = NULL;
	s->reader = NULL;
}

static void consume(struct b07_stream *s, size_t n)
{
	nt_of(s)->start += n;
	s->offset += n;
}

/* --- pieces */

static enum b07_piece fail(struct b07_stream *s, enum pv_code code, const char *what)
{
	pv_fail(&s->error, code, s->offset, "%s", what);
	return B07_FAILED;
}

static enum b07_piece damage(struct b07_stream *s, uint64_t bytes, const char *reason)
{
	s->damage = (struct b07_damage){ .offset = s->offset, .bytes = bytes };
	snprintf(s->damage.reason, sizeof s->damage.reason, "%s", reason);
	return B07_DAMAGE;
}

/* --- objects */

static enum object object_of(const char *name, size_t n)
{
	static const char *const known[] = { [OBJECT_TRACE] = "Trace",
		[OBJECT_EVENTS] = "EventBlock",
		[OBJECT_METADATA] = "MetadataBlock",
		[OBJECT_STACKS] = "StackBlock",
		[OBJECT_SEQUENCE] = "SPBlock" };
	for (size_t i = 0; i < PV_COUNT_OF(known); i++)
		if (strlen(known[i]) == n && memcmp(known[i], name, n) == 0)
			return (enum object)i;
	return OBJECT_OTHER;
}

enum got { GOT, TOO_SHORT, NOT_ONE, TOO_LARGE };

/* The type at the beginning of an object; *ret_bytes are its own. */
static enum got type_at(const uint8_t *at, size_t have, enum object *ret, size_t *ret_bytes)
{
	static const uint8_t begin[] = { 5, 5, 1 };
	if (memcmp(at, begin, have < sizeof begin ? have : sizeof begin) != 0)
		return NOT_ONE;
	if (have < TYPE)
		return TOO_SHORT;
	struct pv_cursor c = { .at = at + 3, .end = at + have };
	pv_get_u32(&c); /* version */
	uint32_t least = pv_get_u32(&c), n = pv_get_u32(&c);
	if (n == 0 || n > NAME || least > NEWEST)
		return NOT_ONE;
	const uint8_t *name = pv_get_bytes(&c, n);
	uint8_t tag = pv_get_u8(&c);
	if (!pv_cursor_ok(&c))
		return TOO_SHORT;
	*ret = object_of((const char *)name, n);
	*ret_bytes = TYPE + n;
	return tag == TAG_END ? GOT : NOT_ONE;
}

/* `last`: no more bytes follow those in the window. */
static enum got object_at(const struct b07_stream *s, bool last, struct found *ret)
{
	const struct nettrace *d = nt_of(s);
	const uint8_t *at = d->window + d->start;
	size_t have = d->filled - d->start, type;
	enum got g = type_at(at, have, &ret->what, &type);
	if (g != GOT)
		return g;
	size_t head = type, n = TRACE;
	if (ret->what != OBJECT_TRACE) {
		struct pv_cursor c = { .at = at + type, .end = at + have };
		n = pv_get_u32(&c);
		if (!pv_cursor_ok(&c))
			return TOO_SHORT;
		if (n > INT32_MAX)
			return NOT_ONE;
		head += 4;
		head += (4 - (s->offset - d->stream_at + head) % 4) % 4;
	}
	*ret = (struct found){ ret->what, at + head, n, head + n + 1, false };
	if (n > PV_NETTRACE_BLOCK)
		return TOO_LARGE;
	if (have >= ret->bytes)
		return at[head + n] == TAG_END ? GOT : NOT_ONE;
	if (!last || have <= head || ret->what == OBJECT_TRACE)
		return TOO_SHORT;
	ret->cut = true;
	ret->bytes = have;
	ret->n = have - head < n ? have - head : n;
	return GOT;
}

/*
 * Bytes up to the next object, or stream, if one begins there; *ret_found: as far as can be seen. A
 * stream that is cut may be followed by another, whose events mean something else.
 */
static size_t next_object(const struct nettrace *d, bool *ret_found)
{
	const uint8_t *at = d->window + d->start, *stop = d->window + d->filled;
	const uint8_t *other = memmem(at + 1, (size_t)(stop - at) - 1, preamble, PREAMBLE);
	stop = other ? other : stop;
	enum object what;
	size_t bytes;
	*ret_found = false;
	for (const uint8_t *p = at + 1; p < stop; p++) {
		p = memchr(p, 5, (size_t)(stop - p));
		if (!p)
			break;
		enum got g = type_at(p, (size_t)(stop - p), &what, &bytes);
		*ret_found = g == GOT && what != OBJECT_OTHER;
		if (*ret_found || (g == TOO_SHORT && !other))
			return (size_t)(p - at);
	}
	*ret_found |= other != NULL;
	return (size_t)(stop - at);
}

/* Of another stream in the same input, which numbers all things anew. */
static void begin_again(struct b07_stream *s)
{
	struct nettrace *d = nt_of(s);
	s->over = false;
	d->spoken |= d->speaks;
	d->speaks = false;
	d->stream_at = s->offset;
	d->shot.open = false; /* it was cut: the next one begins anew */
	d->kind.n = 1;
	pv_map_clear(&d->kind_of);
	d->field.n = 0;
	nt_forget_stacks(d);
	for (size_t i = 0; i < d->thread.n; i++)
		d->thread.v[i].seq = 0;
}

/* False: it says no clock, or is that of another process than the streams before. */
static bool take_trace(struct nettrace *d, const uint8_t *at)
{
	uint32_t pid = d->pid, pointer = d->pointer;
	struct pv_cursor c = { .at = at, .end = at + TRACE };
	unsigned part[8];
	for (int i = 0; i < 8; i++)
		part[i] = pv_get_u16(&c);
	d->sync_ticks = pv_get_u64(&c);
	d->frequency = pv_get_u64(&c);
	d->pointer = pv_get_u32(&c);
	d->pid = pv_get_u32(&c);
	if (d->frequency == 0 || (d->pointer != 4 && d->pointer != 8))
		return false;
	if (d->begun && (d->pid != pid || d->pointer != pointer))
		return false;
	/* Days since 1970, by H. Hinnant's civil calendar. */
	int64_t year = (int64_t)part[0] - (part[1] <= 2), era = year / 400, of_era = year % 400;
	int64_t day = (153 * ((int64_t)part[1] + (part[1] > 2 ? -3 : 9)) + 2) / 5 + part[3] - 1;
	int64_t days = era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + day - 719468;
	int64_t seconds = days * 86400 + (int64_t)part[4] * 3600 + part[5] * 60 + part[6];
	d->sync_ms = seconds > 0 ? (uint64_t)seconds * 1000 + part[7] : 0;
	return true;
}

static enum b07_piece give_header(struct b07_stream *s)
{
	struct nettrace *d = nt_of(s);
	unsigned __int128 ns = (unsigned __int128)d->sync_ticks * 1000000000 / d->frequency;
	d->begun = true;
	s->header = (struct b07_header){ .text = "nettrace",
		.start_ns = ns && ns <= INT64_MAX ? (uint64_t)ns : 1,
		.start_us = d->sync_ms * 1000,
		.pid = d->pid,
		.pointer_size = (uint8_t)d->pointer,
		.promises_end = true,
		.offset = s->offset };
	return B07_HEADER;
}

/* --- batches */

static enum b07_piece give(struct b07_stream *s, uint64_t thread)
{
	struct nettrace *d = nt_of(s);
	struct pv_batch *b = &s->batch;
	if (d->nomem)
		return fail(s, PV_ENOMEM, "out of memory");
	b->thread = thread;
	b->time_base = b->n ? b->time[0] : 0;
	return B07_BATCH;
}

static void begin_batch(struct b07_stream *s, uint64_t offset)
{
	pv_batch_reset(&s->batch);
	s->offsets.n = 0;
	s->batch.offset = offset;
}

/* Events of one thread; false: the block has no more. */
static bool batch_of_thread(struct b07_stream *s, enum b07_piece *ret)
{
	struct nettrace *d = nt_of(s);
	if (d->blob_at >= d->blob.n && !nt_block_next(d))
		return false;
	uint64_t thread = d->blob.v[d->blob_at].thread;
	begin_batch(s, d->blob.v[d->blob_at].offset);
	while (d->blob_at < d->blob.n && d->blob.v[d->blob_at].thread == thread &&
		s->batch.n < MOST)
		nt_event(s, &d->blob.v[d->blob_at++]);
	if (d->end.due)
		nt_flush_end(s, s->batch.offset);
	if (d->blob_at == d->blob.n && d->block.at == d->block.end) {
		nt_name_addresses(s, s->batch.offset, false);
		nt_tell_lost(s, s->batch.offset);
		s->batch.bytes_len = d->block_bytes;
	}
	*ret = give(s, thread);
	return true;
}

/* The last events, at the end of the stream. */
static bool last_words(struct b07_stream *s, uint64_t *ret_thread)
{
	begin_batch(s, s->offset);
	*ret_thread = 0;
	if (nt_flush_sample(s, ret_thread))
		return true;
	nt_name_addresses(s, s->offset, true);
	nt_tell_lost(s, s->offset);
	return s->batch.n > 0;
}

/* --- the stream */

static enum b07_piece take_object(struct b07_stream *s, const struct found *f)
{
	struct nettrace *d = nt_of(s);
	const char *harm = NULL;
	if (f->what == OBJECT_TRACE) {
		bool sound = take_trace(d, f->body);
		if (!sound && d->begun) { /* the events before it are good */
			d->skip = UINT64_MAX;
			d->skip_why = "a stream of another process than the one before";
			return B07_MORE;
		}
		if (!sound)
			return fail(s, PV_ECORRUPT,
				"a Trace object without a clock or size of pointers");
	} else if (d->frequency == 0) {
		harm = "an object before that of the trace";
	} else if (f->what == OBJECT_EVENTS) {
		if (!d->begun)
			return give_header(s);
		nt_block_begin(d, f->body, f->n,
			s->offset + (uint64_t)(f->body + f->n - (d->window + d->start)));
		d->block_bytes = f->bytes;
		if (f->cut && !d->block_harm)
			d->block_harm = "the stream ends inside a block";
		return B07_MORE;
	} else if (f->cut) {
		harm = "the stream ends inside a block";
	} else if (f->what == OBJECT_METADATA) {
		harm = nt_metadata(d, f->body, f->n);
	} else if (f->what == OBJECT_STACKS) {
		harm = nt_stacks(d, f->body, f->n);
	} else if (f->what == OBJECT_SEQUENCE) {
		nt_sequence(d, f->body, f->n);
		nt_forget_stacks(d);
	}
	enum b07_piece p = harm ? damage(s, f->bytes, harm) : B07_MORE;
	consume(s, f->bytes);
	return d->nomem ? fail(s, PV_ENOMEM, "out of memory") : p;
}

/* At a byte where no object begins. */
static enum b07_piece skip_to_object(struct b07_stream *s)
{
	bool found;
	size_t n = next_object(nt_of(s), &found);
	enum b07_piece p = damage(s, n, "no object");
	consume(s, n);
	return p;
}

static enum b07_piece over(struct b07_stream *s)
{
	struct nettrace *d = nt_of(s);
	size_t left = d->filled - d->start;
	uint64_t thread;
	if ((d->ended || d->gapped) && left) {
		enum b07_piece p = damage(s, left, "the stream ends inside an object");
		consume(s, left);
		return p;
	}
	if (d->ended && !d->begun && d->frequency)
		return give_header(s);
	if (d->ended && d->begun && last_words(s, &thread))
		return give(s, thread);
	if (!d->gapped)
		return B07_MORE;
	enum b07_piece p = damage(s, d->gap, "dropped unread");
	s->offset += d->gap;
	d->gap = 0;
	d->gapped = false;
	return p;
}

static enum b07_piece skip_large(struct b07_stream *s)
{
	struct nettrace *d = nt_of(s);
	size_t have = d->filled - d->start, n = d->skip < have ? (size_t)d->skip : have;
	if (n == 0)
		return over(s);
	enum b07_piece p = damage(s, n, d->skip_why);
	consume(s, n);
	d->skip -= n;
	return p;
}

static enum b07_piece next_in_block(struct b07_stream *s)
{
	struct nettrace *d = nt_of(s);
	enum b07_piece p;
	if (batch_of_thread(s, &p))
		return p;
	if (d->nomem)
		return fail(s, PV_ENOMEM, "out of memory");
	d->in_block = false;
	p = d->block_harm ? damage(s, d->block_bytes, d->block_harm) : B07_MORE;
	consume(s, d->block_bytes);
	return p;
}

/* Whether a stream begins at the window's start, where a preamble fits. */
static bool is_preamble(const struct nettrace *d)
{
	return memcmp(d->window + d->start, preamble, PREAMBLE) == 0;
}

/* A step; B07_MORE with *ret_again: there is another one. */
static enum b07_piece step(struct b07_stream *s, bool *ret_again)
{
	struct nettrace *d = nt_of(s);
	bool last = d->ended || d->gapped;
	struct found f;
	*ret_again = true;
	if (d->in_block)
		return next_in_block(s);
	if (d->skip) {
		*ret_again = false;
		return skip_large(s);
	}
	size_t have = d->filled - d->start;
	const uint8_t *at = have ? d->window + d->start : NULL;
	bool first = s->offset == 0;
	if (have >= PREAMBLE && (first || is_preamble(d))) {
		if (!is_preamble(d))
			return fail(s, PV_EVERSION, "a version of .nettrace that is not read yet");
		begin_again(s);
		consume(s, PREAMBLE);
		return B07_MORE;
	}
	if (!first && !last && have && have < PREAMBLE && *at == *preamble) {
		*ret_again = false;
		return B07_MORE;
	}
	*ret_again = false;
	if (have == 0 || first)
		return over(s);
	if (*at == TAG_NULL && !s->over) {
		s->over = true;
		consume(s, 1);
		*ret_again = true;
		return B07_MORE;
	}
	switch (object_at(s, last, &f)) {
	case TOO_SHORT:
		return last ? over(s) : B07_MORE;
	case NOT_ONE:
		return skip_to_object(s);
	case TOO_LARGE:
		d->skip = f.bytes;
		d->skip_why = "a block that is too large";
		*ret_again = true;
		return B07_MORE;
	default:
		*ret_again = true;
		return take_object(s, &f);
	}
}

static enum b07_piece next(struct b07_stream *s)
{
	bool again = true;
	enum b07_piece p = B07_MORE;
	if (s->error.code)
		return B07_FAILED;
	begin_batch(s, s->offset);
	while (again && p == B07_MORE)
		p = step(s, &again);
	return p;
}

bool pv_nettrace_init(struct b07_stream *s)
{
	static const struct b07_reader reader = { room, filled, end, resume, gap, next, finish };
	bool want = s->want_offsets;
	*s = (struct b07_stream){ .want_offsets = want, .reader = &reader };
	struct nettrace *d = calloc(1, sizeof *d);
	s->other = d;
	if (!d || !pv_reserve(&d->kind, 1)) {
		free(d);
		s->other = NULL;
		s->reader = NULL;
		return false;
	}
	d->kind.v[d->kind.n++] = (struct nt_kind){ .what = NT_UNKNOWN }; /* described nowhere */
	return true;
}

enum b07_sniffed pv_nettrace_sniff(const uint8_t *bytes, size_t n)
{
	size_t some = n < 8 ? n : 8;
	if (memcmp(bytes, preamble, some) != 0)
		return B07_NO;
	return n < 8 ? B07_UNSURE : B07_YES;
}
