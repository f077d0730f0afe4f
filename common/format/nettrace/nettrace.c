/* SPDX-License-Identifier: MIT */
/*
 * .NET's own event stream, .nettrace versions 4 and 5 (written by runtimes, .NET Core 3 to 10) and
 * 6 (by other writers, with threads of several processes), as neutral events.
 * Format: PerfView's NetTraceFormat_v5.md and NetTraceFormat.md; layouts of the runtime's events:
 * dotnet/runtime, ClrEtwAll.man.
 *
 * Several streams of one process may follow each other, each whole: first the names, say, then the
 * recording, then a heap shot.
 *
 * Samples are of threads at safe points, in wall time, of managed frames only, and have at most 100
 * frames; the outermost ones are cut. Names mostly come last: a frame is keyed by its address until
 * the method there is known, and then the key is named.
 *
 * Times are ns on the writer's clock. Objects have no addresses in common with other events:
 * classes are keyed by name. Bounded: a block to PV_NETTRACE_BLOCK bytes, tables as their enums
 * say; anything beyond is damage or has no name, and is counted.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/format/nettrace/nettrace_frame.h"
#include "common/format/nettrace/nettrace_parts.h"
#include "common/format/nettrace/nettrace_six.h"

enum {
	MOST = 1 << 16, /* events of a batch; one event of the stream may add more */
	TAG_NULL = 1
};

static void nettrace_finish(struct pv_stream *s)
{
	struct nettrace *d = nt_of(s);
	if (!d)
		return;
	pv_intern_finish(&d->text);
	pv_arena_finish(&d->said);
	pv_array_finish(&d->kind);
	pv_map_finish(&d->kind_of);
	pv_array_finish(&d->field);
	pv_array_finish(&d->stack);
	pv_map_finish(&d->stack_of);
	pv_array_finish(&d->frame);
	pv_array_finish(&d->method);
	pv_map_finish(&d->method_of);
	nt_il_finish(&d->il);
	pv_ranges_finish(&d->code);
	pv_array_finish(&d->waiting);
	pv_map_finish(&d->waits);
	for (size_t i = 0; i < d->thread.n; i++)
		pv_array_finish(&d->thread.v[i].sample.frame);
	pv_array_finish(&d->thread);
	pv_map_finish(&d->thread_of);
	pv_array_finish(&d->leaf);
	pv_map_finish(&d->leaf_of);
	nt_six_finish(d);
	nt_forget_spans(d);
	pv_map_finish(&d->class_of);
	pv_map_finish(&d->counter_of);
	pv_array_finish(&d->counted);
	pv_array_finish(&d->blob);
	pv_array_finish(&d->shot.node);
	pv_array_finish(&d->shot.edge);
	pv_map_finish(&d->shot.area_of);
	pv_map_finish(&d->shot.type_of);
	free(d);
}

static void consume(struct pv_stream *s, size_t n)
{
	s->in.start += n;
	s->offset += n;
}

/* --- pieces */

static enum pv_piece fail_nettrace(struct pv_stream *s, enum pv_code code, const char *what)
{
	pv_fail(&s->error, code, s->offset, "%s", what);
	return PV_PIECE_FAILED;
}

static enum pv_piece damage(struct pv_stream *s, uint64_t bytes, const char *reason)
{
	s->damage = (struct pv_stream_damage){ .offset = s->offset, .bytes = bytes };
	snprintf(s->damage.reason, sizeof s->damage.reason, "%s", reason);
	return PV_PIECE_DAMAGE;
}

/* --- streams */

/* Begins a further stream of the same input, with numbers of its own for everything. */
static void begin_again(struct pv_stream *s, uint32_t version)
{
	struct nettrace *d = nt_of(s);
	d->version = version;
	s->over = false;
	d->spoken |= d->speaks;
	d->speaks = false;
	d->stream_at = s->offset;
	d->shot.open = false; /* the shot was cut: the next shot begins anew */
	nt_forget_kinds(d);
	nt_forget_stacks(d);
	nt_forget_threads(d);
	for (size_t i = 0; i < d->thread.n; i++)
		d->thread.v[i].seq = 0;
}

static enum pv_piece give_header(struct pv_stream *s)
{
	struct nettrace *d = nt_of(s);
	unsigned __int128 ns = (unsigned __int128)d->sync_ticks * 1000000000 / d->frequency;
	d->begun = true;
	s->header = (struct pv_stream_header){ .text = "nettrace",
		.start_ns = ns && ns <= INT64_MAX ? (uint64_t)ns : 1,
		.start_us = d->sync_ms * 1000,
		.pid = d->pid,
		.pointer_size = (uint8_t)d->pointer,
		.promises_end = true,
		.offset = s->offset };
	return PV_PIECE_HEADER;
}

/* --- batches */

static enum pv_piece give(struct pv_stream *s, uint64_t thread)
{
	struct nettrace *d = nt_of(s);
	struct pv_batch *b = &s->batch;
	if (d->nomem)
		return fail_nettrace(s, PV_ENOMEM, "out of memory");
	b->thread = thread;
	b->time_base = b->n ? b->time[0] : 0;
	return PV_PIECE_BATCH;
}

static void begin_batch(struct pv_stream *s, uint64_t offset)
{
	pv_batch_reset(&s->batch);
	pv_arena_reset(&nt_of(s)->said);
	s->offsets.n = 0;
	s->batch.offset = offset;
}

/* Fills the batch with events of one thread; false: the block has no more. */
static bool batch_of_thread(struct pv_stream *s, enum pv_piece *ret)
{
	struct nettrace *d = nt_of(s);
	if (d->blob_at >= d->blob.n && !nt_block_next(d))
		return false;
	uint64_t thread = d->blob.v[d->blob_at].thread;
	begin_batch(s, d->blob.v[d->blob_at].offset);
	d->now = d->blob.v[d->blob_at].time;
	bool named = false;
	for (; d->blob_at < d->blob.n && d->blob.v[d->blob_at].thread == thread &&
		s->batch.n < MOST;
		d->blob_at++) {
		if (nt_is_other(d, &d->blob.v[d->blob_at]))
			continue;
		if (!named)
			nt_say_thread(s, thread, s->batch.offset);
		named = true;
		nt_event(s, &d->blob.v[d->blob_at]);
	}
	if (d->end.due)
		nt_flush_end(s, s->batch.offset);
	if (d->blob_at == d->blob.n && d->block.at == d->block.end) {
		nt_name_addresses(s, s->batch.offset, false);
		nt_tell_lost(s, s->batch.offset);
		nt_tell_others(s, s->batch.offset, false);
		s->batch.bytes_len = d->block_bytes;
	}
	*ret = give(s, thread);
	return true;
}

/* Flushes the last events, at the end of the stream. */
static bool last_words(struct pv_stream *s, uint64_t *ret_thread)
{
	begin_batch(s, s->offset);
	*ret_thread = 0;
	if (nt_flush_sample(s, ret_thread) || nt_flush_span(s, ret_thread))
		return true;
	nt_name_addresses(s, s->offset, true);
	nt_tell_lost(s, s->offset);
	nt_tell_others(s, s->offset, true);
	return s->batch.n > 0;
}

/* --- the stream */

/* Takes a part other than trace and events; NULL, or a literal: the fault in the part. */
static const char *take_rows(struct nettrace *d, const struct nt_found *f)
{
	bool six = d->version == NT_SIX;
	switch (f->what) {
	case NT_PART_METADATA:
		return six ? nt_rows(d, f->body, f->n) : nt_metadata(d, f->body, f->n);
	case NT_PART_STACKS:
		return nt_stacks(d, f->body, f->n);
	case NT_PART_SEQUENCE:
		if (six)
			return nt_six_sequence(d, f->body, f->n);
		nt_sequence(d, f->body, f->n);
		nt_forget_stacks(d);
		return NULL;
	case NT_PART_THREADS:
		return nt_threads(d, f->body, f->n);
	case NT_PART_GONE:
		return nt_threads_gone(d, f->body, f->n);
	case NT_PART_LABELS:
		return nt_labels(d, f->body, f->n);
	default:
		return NULL;
	}
}

static enum pv_piece take_trace(struct pv_stream *s, const struct nt_found *f)
{
	struct nettrace *d = nt_of(s);
	bool sound = d->version == NT_SIX ? nt_six_trace(d, f->body, f->n) : nt_trace(d, f->body);
	if (!sound && d->begun) { /* the events before are good */
		d->skip = UINT64_MAX;
		d->skip_why = "a stream of another process than the one before";
		return PV_PIECE_MORE;
	}
	if (!sound)
		return fail_nettrace(
			s, PV_ECORRUPT, "a Trace object without a clock or size of pointers");
	consume(s, f->bytes);
	return PV_PIECE_MORE;
}

static enum pv_piece take_events(struct pv_stream *s, const struct nt_found *f)
{
	struct nettrace *d = nt_of(s);
	if (!d->begun)
		return give_header(s);
	nt_block_begin(d, f->body, f->n,
		s->offset + (uint64_t)(f->body + f->n - (d->in->bytes + d->in->start)));
	d->block_bytes = f->bytes;
	if (f->cut && !d->block_harm)
		d->block_harm = "the stream ends inside a block";
	return PV_PIECE_MORE;
}

static enum pv_piece take_part(struct pv_stream *s, const struct nt_found *f)
{
	struct nettrace *d = nt_of(s);
	const char *harm = NULL;
	if (f->what == NT_PART_TRACE)
		return take_trace(s, f);
	if (f->what == NT_PART_END)
		s->over = true;
	else if (d->frequency == 0 && f->what != NT_PART_OTHER)
		harm = "an object before that of the trace";
	else if (f->what == NT_PART_EVENTS)
		return take_events(s, f);
	else if (f->cut)
		harm = "the stream ends inside a block";
	else
		harm = take_rows(d, f);
	enum pv_piece p = harm ? damage(s, f->bytes, harm) : PV_PIECE_MORE;
	consume(s, f->bytes);
	return d->nomem ? fail_nettrace(s, PV_ENOMEM, "out of memory") : p;
}

/* Skips bytes at which no part begins, as damage. */
static enum pv_piece skip_to_part(struct pv_stream *s)
{
	const struct nettrace *d = nt_of(s);
	size_t n = nt_next_part(s, d->in->ended || d->in->gapped);
	enum pv_piece p = damage(s, n, d->version == NT_SIX ? "no block" : "no object");
	consume(s, n);
	return p;
}

static enum pv_piece over(struct pv_stream *s)
{
	struct nettrace *d = nt_of(s);
	size_t left = d->in->filled - d->in->start;
	uint64_t thread;
	if ((d->in->ended || d->in->gapped) && left) {
		enum pv_piece p = damage(s, left, "the stream ends inside an object");
		consume(s, left);
		return p;
	}
	if (d->in->ended && !d->begun && d->frequency)
		return give_header(s);
	if (d->in->ended && d->begun && last_words(s, &thread))
		return give(s, thread);
	if (!d->in->gapped)
		return PV_PIECE_MORE;
	enum pv_piece p = damage(s, d->in->gap, "dropped unread");
	s->offset += d->in->gap;
	d->in->gap = 0;
	d->in->gapped = false;
	return p;
}

static enum pv_piece skip_large(struct pv_stream *s)
{
	struct nettrace *d = nt_of(s);
	size_t have = d->in->filled - d->in->start, n = d->skip < have ? (size_t)d->skip : have;
	if (n == 0)
		return over(s);
	enum pv_piece p = damage(s, n, d->skip_why);
	consume(s, n);
	d->skip -= n;
	return p;
}

static enum pv_piece next_in_block(struct pv_stream *s)
{
	struct nettrace *d = nt_of(s);
	enum pv_piece p;
	if (batch_of_thread(s, &p))
		return p;
	if (d->nomem)
		return fail_nettrace(s, PV_ENOMEM, "out of memory");
	d->in_block = false;
	p = d->block_harm ? damage(s, d->block_bytes, d->block_harm) : PV_PIECE_MORE;
	consume(s, d->block_bytes);
	return p;
}

/* Takes the preamble of a stream, if one begins here; false: no preamble. */
static bool take_preamble(struct pv_stream *s, bool last, enum pv_piece *ret, bool *ret_again)
{
	struct nettrace *d = nt_of(s);
	size_t have = d->in->filled - d->in->start, bytes;
	bool first = s->offset == 0;
	uint32_t version;
	*ret = PV_PIECE_MORE;
	if (have == 0)
		return false;
	switch (nt_preamble(d->in->bytes + d->in->start, have, &bytes, &version)) {
	case NT_TOO_SHORT:
		*ret_again = false;
		return !last;
	case NT_NOT_ONE:
		if (first)
			*ret = fail_nettrace(
				s, PV_EVERSION, "a version of .nettrace that is not read yet");
		return first;
	default:
		break;
	}
	if (version <= NT_SIX) {
		begin_again(s, version);
		consume(s, bytes);
	} else if (first) {
		*ret = fail_nettrace(s, PV_EVERSION, "a version of .nettrace that is not read yet");
	} else {
		d->skip = UINT64_MAX;
		d->skip_why = "a stream of a version that is not read yet";
	}
	return true;
}

/* A step; PV_PIECE_MORE with *ret_again: call again. */
static enum pv_piece take_stream_piece(struct pv_stream *s, bool *ret_again)
{
	struct nettrace *d = nt_of(s);
	bool last = d->in->ended || d->in->gapped;
	struct nt_found f;
	enum pv_piece p;
	*ret_again = true;
	if (d->in_block)
		return next_in_block(s);
	if (d->skip) {
		*ret_again = false;
		return skip_large(s);
	}
	if (take_preamble(s, last, &p, ret_again))
		return p;
	*ret_again = false;
	if (d->in->filled == d->in->start || s->offset == 0)
		return over(s);
	if (d->version != NT_SIX && d->in->bytes[d->in->start] == TAG_NULL && !s->over) {
		s->over = true;
		consume(s, 1);
		*ret_again = true;
		return PV_PIECE_MORE;
	}
	switch (nt_part_at(s, last, &f)) {
	case NT_TOO_SHORT:
		return last ? over(s) : PV_PIECE_MORE;
	case NT_NOT_ONE:
		return skip_to_part(s);
	case NT_TOO_LARGE:
		d->skip = f.bytes;
		d->skip_why = "a block that is too large";
		*ret_again = true;
		return PV_PIECE_MORE;
	default:
		*ret_again = true;
		return take_part(s, &f);
	}
}

static enum pv_piece nettrace_next(struct pv_stream *s)
{
	bool again = true;
	enum pv_piece p = PV_PIECE_MORE;
	if (s->error.code)
		return PV_PIECE_FAILED;
	begin_batch(s, s->offset);
	while (again && p == PV_PIECE_MORE)
		p = take_stream_piece(s, &again);
	return p;
}

static bool nettrace_create(struct pv_stream *s)
{
	struct nettrace *d = calloc(1, sizeof *d);
	s->state = d;
	if (!d || !pv_reserve(&d->kind, 1))
		return false;
	d->in = &s->in;
	d->kind.v[d->kind.n++] = (struct nt_kind){ .what = NT_UNKNOWN }; /* not described */
	return true;
}

static enum pv_sniffed sniff(const uint8_t *bytes, size_t n, bool ended)
{
	(void)ended;
	if (memcmp(bytes, "Nettrace", n < 8 ? n : 8) != 0)
		return PV_SNIFF_NO;
	return n < 8 ? PV_SNIFF_UNSURE : PV_SNIFF_YES;
}

const struct pv_reader pv_reader_nettrace = { .name = "nettrace",
	.sniff = sniff,
	.silence_ends = true,
	.create = nettrace_create,
	.next = nettrace_next,
	.finish = nettrace_finish };
