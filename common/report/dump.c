/* SPDX-License-Identifier: MIT */
/* Prints every event of a log, its buffers and its damage, a line each. */
#include "common/report/dump.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/showable.h"
#include "common/format/mlpd/framer.h"
#include "common/format/mlpd/mlpd_layout.h"
#include "common/format/readers/readers.h"
#include "common/io/source.h"
#include "common/io/source_written.h"
#include "common/report/dump_batch.h"
#include "common/report/dump_event.h"
#include "common/report/dump_layout.h"

struct pv_dump {
	FILE *out;
	struct pv_stream stream;
	bool begins; /* a finished file, so a missing header is damage */
	bool left;   /* before the end of the input: incomplete events are no damage */
	struct pv_dump_totals totals;
	int64_t zero;
	bool have_zero;

	struct pv_dump_names names;
	uint8_t says;                /* the data version in the header */
	unsigned trials;             /* buffers still to be tried in other layouts */
	struct pv_dump_layout found; /* the format found by pv_dump_find_layout() */

	/* The buffer being read. */
	struct mlpd_bases bases;
	struct pv_batch pools;
	PV_ARRAY(uint8_t) carry; /* an event cut by the end of a piece of a very large buffer */
	uint64_t next_offset;    /* of the byte after the last one decoded, in the stream */
	bool skip;               /* the rest of this buffer is damaged */
	uint64_t start;          /* time where the piece began, */
	uint64_t n;              /* events of the piece so far, */
	uint64_t last[MLPD_DOUBTED + 1]; /* and the times of the last, event i at i % length */
};

struct pv_dump *pv_dump_create(FILE *out)
{
	struct pv_dump *d = calloc(1, sizeof *d);
	if (!d)
		return NULL;
	d->out = out;
	d->stream.want_offsets = true;
	return d;
}

void pv_dump_destroy(struct pv_dump *d)
{
	if (!d)
		return;
	pv_stream_finish(&d->stream);
	pv_dump_names_finish(&d->names);
	pv_batch_finish(&d->pools);
	pv_array_finish(&d->carry);
	free(d);
}

void pv_dump_totals(const struct pv_dump *d, struct pv_dump_totals *ret)
{
	*ret = d->totals;
	ret->complete = d->totals.damages == 0;
}

/* Seconds since the recording's zero, exact to the ns; negative times are real. */
static void put_time(const struct pv_dump *d, uint64_t time)
{
	int64_t ns = (int64_t)(time - (uint64_t)d->zero);
	uint64_t abs = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	fprintf(d->out, "%s%" PRIu64 ".%09" PRIu64, ns < 0 ? "-" : "", abs / 1000000000,
		abs % 1000000000);
}

static void put_event_line(const struct pv_dump *d, const struct pv_event *e, uint64_t offset)
{
	const struct pv_dump_line line = { d->out, &d->names, &d->pools,
		d->stream.framer->header.format.data_version };
	fprintf(d->out, "%10" PRIu64 " 0x%" PRIx64 " ", offset, d->stream.framer->buffer.thread);
	put_time(d, e->time);
	putc(' ', d->out);
	pv_dump_event(&line, e);
	putc('\n', d->out);
}

/* Prints a damage line, and counts the damage. */
static void put_damage(struct pv_dump *d, uint64_t offset, uint64_t bytes, const char *reason)
{
	struct pv_dump_totals *totals = &d->totals;
	if (d->left)
		return;
	if (totals->damages++ == 0) {
		totals->first.offset = offset;
		totals->first.bytes = bytes;
		snprintf(totals->first.reason, sizeof totals->first.reason, "%s", reason);
	}
	fprintf(d->out, "%10" PRIu64 " damage: %" PRIu64 " bytes: %s\n", offset, bytes, reason);
}

/* --- pieces --- */

static void put_header(struct pv_dump *d)
{
	const struct mlpd_header *h = &d->stream.framer->header;
	d->zero = (int64_t)h->startup_ns;
	d->have_zero = h->startup_ns != 0;
	d->says = h->format.data_version;
	d->trials = MLPD_TRIALS;
	fprintf(d->out,
		"%10" PRIu64 " header: data version %u, header %u.%u, %u-byte pointers, "
		"started %" PRIu64 " ms, startup %" PRIu64
		" ns, timer overhead %u ns, pid %u, port %u, "
		"args ",
		d->stream.framer->offset, h->format.data_version, h->format.header_major,
		h->header_minor, h->format.pointer_size, h->start_time_ms, h->startup_ns,
		h->timer_overhead_ns, h->pid, h->port);
	pv_showable_quoted(d->out, h->args.at, h->args.len);
	fputs(", arch ", d->out);
	pv_showable_quoted(d->out, h->arch.at, h->arch.len);
	fputs(", os ", d->out);
	pv_showable_quoted(d->out, h->os.at, h->os.len);
	fputs(d->stream.framer->joined ? ", joined in mid-stream\n" : "\n", d->out);
	if (d->found.says == d->says)
		d->stream.framer->header.format = d->found.format;
	if (d->stream.framer->joined && d->begins)
		put_damage(d, 0, d->stream.framer->offset, mlpd_framer_missing(d->stream.framer));
}

static void put_buffer(struct pv_dump *d)
{
	const struct mlpd_buffer_header *b = &d->stream.framer->buffer;
	if (!d->have_zero)
		d->zero = (int64_t)b->time_base;
	d->have_zero = true;
	d->totals.buffers++;
	fprintf(d->out, "%10" PRIu64 " buffer: %u bytes, thread 0x%" PRIx64 ", time base ",
		d->stream.framer->offset, b->length, b->thread);
	put_time(d, b->time_base);
	fprintf(d->out, ", pointers 0x%" PRIx64 ", objects 0x%" PRIx64 ", methods 0x%" PRIx64 "\n",
		b->ptr_base, b->obj_base << 3, b->method_base);
	mlpd_bases_init(&d->bases, b);
	d->next_offset = d->stream.framer->offset + MLPD_BUFFER_HEADER;
	d->carry.n = 0;
	d->skip = false;
}

/* Says in the damage that ends the piece what mlpd_level_times() does. */
static void say_leap(const struct pv_dump *d, char *reason, size_t room)
{
	uint64_t last[MLPD_DOUBTED];
	const size_t kept = sizeof d->last / sizeof *d->last,
		     n = d->n < MLPD_DOUBTED ? (size_t)d->n : MLPD_DOUBTED;
	for (size_t i = 0; i < n; i++)
		last[i] = d->last[(d->n - n + i) % kept];
	const uint64_t before = n < d->n ? d->last[(d->n - n - 1) % kept] : d->start;
	const size_t leap = mlpd_first_leap(last, n, before);
	if (leap < n)
		mlpd_say_levelled(reason, room, n - leap);
}

/*
 * The event at the cursor is not understood: the buffer's stated length may be too long. The loss
 * ends at the next buffer's begin.
 */
static void lose_rest(struct pv_dump *d, struct pv_cursor *c, uint64_t here, enum mlpd_status s)
{
	char text[80];
	size_t n = pv_cursor_left(c), back = n;
	snprintf(text, sizeof text,
		s == MLPD_SHORT ? "event 0x%02x runs past the end of its buffer"
				: "event 0x%02x cannot be decoded",
		*c->at);
	say_leap(d, text, sizeof text);
	if (n <= d->stream.framer->payload_len)
		back = mlpd_framer_back(d->stream.framer, n);
	if (back > 0)
		put_damage(d, here, back, text);
	else
		put_damage(d, d->stream.framer->offset + 4, 4,
			"a buffer header states a wrong length");
	d->skip = true;
	c->at = c->end;
}

/* Prints every event of the bytes; the rest is an event that goes on in the next piece. */
static bool put_events(struct pv_dump *d, struct pv_cursor *c, bool more_follows)
{
	uint64_t offset = d->next_offset;
	const uint8_t *start = c->at;
	d->start = d->bases.time;
	d->n = 0;
	while (c->at < c->end) {
		struct pv_event e;
		const uint8_t *at = c->at;
		pv_batch_reset(&d->pools);
		enum mlpd_status s =
			mlpd_decode(c, &d->bases, &d->stream.framer->header.format, &d->pools, &e);
		if (s == MLPD_NOMEM)
			return false;
		if (s == MLPD_SHORT && more_follows)
			break;
		uint64_t here = offset + (uint64_t)(at - start);
		if (s != MLPD_OK) {
			lose_rest(d, c, here, s);
			break;
		}
		put_event_line(d, &e, here);
		d->last[d->n++ % (sizeof d->last / sizeof *d->last)] = e.time;
		d->totals.events++;
		if (!pv_dump_learn(&d->names, &e))
			return false;
	}
	d->next_offset = offset + (uint64_t)(c->at - start);
	return true;
}

static bool put_piece(struct pv_dump *d)
{
	struct mlpd_framer *f = d->stream.framer;
	/* The last event of a cut buffer is short, too, but reported as damage afterwards. */
	bool partial = !f->last_piece || !f->whole;
	if (!f->continues) {
		put_buffer(d);
		const struct mlpd_layout_probe t = { d->says, partial, d->bases };
		if (!mlpd_choose_layout(
			    f->payload, f->payload_len, &t, &f->header.format, &d->trials))
			return false;
	}
	if (d->skip)
		return true;
	struct pv_cursor c = { .at = f->payload, .end = f->payload + f->payload_len };
	if (d->carry.n) {
		if (!pv_reserve(&d->carry, f->payload_len))
			return false;
		memcpy(d->carry.v + d->carry.n, f->payload, f->payload_len);
		d->carry.n += f->payload_len;
		c = (struct pv_cursor){ .at = d->carry.v, .end = d->carry.v + d->carry.n };
	}
	if (!put_events(d, &c, partial))
		return false;
	size_t left = (size_t)(c.end - c.at);
	if (d->carry.n < left && !pv_reserve(&d->carry, left - d->carry.n))
		return false;
	if (left)
		memmove(d->carry.v, c.at, left);
	d->carry.n = left;
	return true;
}

static void put_batch(struct pv_dump *d)
{
	const struct pv_batch *b = &d->stream.batch;
	d->totals.buffers += !b->continues;
	d->totals.events += b->n;
	pv_dump_batch(d->out, &d->stream);
	if (b->damaged)
		put_damage(d, b->damage_offset, b->damage_bytes, b->damage_reason);
}

static bool print(struct pv_dump *d, struct pv_error *reterr)
{
	const struct pv_stream *s = &d->stream;
	for (;;) {
		bool ok = true;
		switch (pv_stream_next(&d->stream)) {
		case PV_PIECE_MORE:
			return true;
		case PV_PIECE_HEADER:
			if (s->framer)
				put_header(d);
			else
				pv_dump_stream_header(d->out, &s->header);
			break;
		case PV_PIECE_BUFFER:
			ok = put_piece(d);
			break;
		case PV_PIECE_BATCH:
			put_batch(d);
			break;
		case PV_PIECE_DAMAGE:
			put_damage(d, s->damage.offset, s->damage.bytes, s->damage.reason);
			break;
		case PV_PIECE_FAILED:
			if (reterr)
				*reterr = s->error;
			return false;
		}
		if (!ok)
			return pv_fail(reterr, PV_ENOMEM, s->offset, "out of memory");
		if (fflush(d->out) != 0 || ferror(d->out))
			return pv_fail(
				reterr, PV_EIO, s->offset, "cannot write: %s", strerror(errno));
	}
}

bool pv_dump_push(struct pv_dump *d, const void *bytes, size_t n, struct pv_error *reterr)
{
	const uint8_t *at = bytes;
	d->totals.bytes += n;
	while (n) {
		size_t room;
		uint8_t *to = pv_stream_room(&d->stream, &room);
		if (!to)
			return pv_fail(reterr, PV_ENOMEM, d->totals.bytes, "out of memory");
		size_t take = n < room ? n : room;
		memcpy(to, at, take);
		pv_stream_filled(&d->stream, take);
		at += take;
		n -= take;
		if (!print(d, reterr))
			return false;
	}
	return true;
}

bool pv_dump_gap(struct pv_dump *d, uint64_t bytes, struct pv_error *reterr)
{
	pv_stream_gap(&d->stream, bytes, "dropped unread");
	return print(d, reterr);
}

bool pv_dump_end(struct pv_dump *d, struct pv_error *reterr)
{
	pv_stream_end(&d->stream);
	return print(d, reterr);
}

/* --- a whole input --- */

enum turn { GO_ON, DONE, FAILED };

/*
 * Whether a named pipe has had no writer yet, or the file does not exist yet; standard input may be
 * slow.
 */
static bool nothing_came(const struct pv_source *s)
{
	struct pv_source_info info;
	pv_source_info(s, &info);
	return info.waiting && info.kind != PV_SOURCE_STDIN;
}

static void wait_for_more(struct pv_source *s, const struct pv_dump_input *in, bool *said)
{
	struct pollfd p = { .fd = pv_source_wait_fd(s), .events = POLLIN };
	int n = 1;
	if (!(in->stop && *in->stop)) /* interrupted by the signal that sets *stop */
		n = poll(&p, p.fd >= 0, PV_SOURCE_SILENCE_MS);
	if (n == 0 && in->waits && !*said && nothing_came(s)) {
		in->waits(in->path);
		*said = true;
	}
	pv_source_wait_clear(s);
}

/* Whether the file's end is only as far as its writer has come. */
static bool is_written(const struct pv_dump *d, const struct pv_source *s)
{
	const struct mlpd_framer *f = d->stream.framer;
	return !d->stream.over && pv_source_is_written(s, f && f->have_header ? f->header.pid : 0);
}

/* Ends a whole input, with the damage of its compression. */
static bool end_whole(struct pv_dump *d, struct pv_source *s, struct pv_error *reterr)
{
	struct pv_source_info info;
	char reason[80];
	pv_source_info(s, &info);
	if (pv_source_damage(&info, reason, sizeof reason))
		put_damage(d, d->totals.bytes, info.damaged_bytes, reason);
	d->left = is_written(d, s);
	return pv_dump_end(d, reterr);
}

/* Prints events still waiting for input when the dump is stopped before the end. */
static bool leave_input(struct pv_dump *d, struct pv_error *reterr)
{
	struct pv_error e;
	d->left = true;
	if (pv_dump_end(d, &e) || d->stream.error.code) /* the input might have become a log */
		return true;
	if (reterr)
		*reterr = e;
	return false;
}

static enum turn restart(struct pv_dump **d, FILE *out, struct pv_error *reterr)
{
	if (!leave_input(*d, reterr))
		return FAILED;
	struct pv_dump *fresh = pv_dump_create(out);
	if (!fresh) {
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
		return FAILED;
	}
	fresh->totals = (*d)->totals;
	pv_dump_destroy(*d);
	*d = fresh;
	return GO_ON;
}

struct pumped {
	struct pv_source *source;
	struct pv_dump *dump;
	FILE *out;
	bool said; /* the user knows that nothing comes */
};

static enum turn pump(struct pumped *u, const struct pv_dump_input *in, struct pv_error *reterr)
{
	struct pv_source *s = u->source;
	struct pv_dump **d = &u->dump;
	uint8_t bytes[64 << 10];
	uint64_t n = 0;
	switch (pv_source_read(s, bytes, sizeof bytes, &n, reterr)) {
	case PV_READ_BYTES:
		if (!pv_dump_push(*d, bytes, (size_t)n, reterr))
			return FAILED;
		const struct mlpd_framer *f = (*d)->stream.framer;
		if (f && f->have_header)
			pv_source_set_target(s, f->header.pid);
		return GO_ON;
	case PV_READ_NOTHING:
	case PV_READ_QUIET: /* no end is guessed: printed lines cannot be withdrawn */
		wait_for_more(s, in, &u->said);
		return GO_ON;
	case PV_READ_GAP:
		return pv_dump_gap(*d, n, reterr) ? GO_ON : FAILED;
	case PV_READ_RESTART:
		return restart(d, u->out, reterr);
	case PV_READ_END:
		return DONE;
	default:
		return FAILED;
	}
}

bool pv_dump_path(const struct pv_dump_input *in, FILE *out, struct pv_dump_totals *ret_totals,
	struct pv_error *reterr)
{
	struct pv_source *s = pv_source_open(
		in->path, &(struct pv_source_options){ .follow = in->follow }, reterr);
	if (!s)
		return false;
	struct pv_source_info info;
	struct pv_dump *d = pv_dump_create(out);
	enum turn turn = d ? GO_ON : FAILED;
	pv_source_info(s, &info);
	if (d && info.kind == PV_SOURCE_FILE) {
		d->begins = true;
		d->found = pv_dump_find_layout(s);
	}
	if (!d)
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	struct pumped u = { .source = s, .dump = d, .out = out };
	while (turn == GO_ON && !(in->stop && *in->stop))
		turn = pump(&u, in, reterr);
	d = u.dump; /* a file written anew has another dump */
	bool ok = (turn == GO_ON && leave_input(d, reterr)) ||
		  (turn == DONE && end_whole(d, s, reterr));
	if (d && ret_totals)
		pv_dump_totals(d, ret_totals);
	pv_dump_destroy(d);
	pv_source_close(s);
	return ok;
}
