/* SPDX-License-Identifier: MIT */
/* The reader of texts of stacks: line by line, in batches of one thread. */
#include "common/format/stacks/stacks_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/merged_text.h"
#include "common/format/stacks/stacks_state.h"

enum { MILLION = 1000000, BINARY = 16 /* bytes by which binary files are recognised */ };

static void stacks_finish(struct pv_stream *s)
{
	struct stacks *d = st_of(s);
	if (!d)
		return;
	pv_stack_names_finish(&d->names);
	pv_array_finish(&d->frame);
	free(d);
}

/* --- lines */

/* Adds the frames of a stack, innermost first. */
static void take_stack(struct pv_stream *s, struct pv_text stack)
{
	st_of(s)->frame.n = 0;
	for (const char *stop = stack.at + stack.len; stop >= stack.at;) {
		const char *from = stop;
		while (from > stack.at && from[-1] != ';')
			from--;
		if (stop > from)
			st_add_frame(
				s, st_method(s, (struct pv_text){ from, (size_t)(stop - from) },
					   (struct pv_text){ "", 0 }));
		stop = from - 1;
		if (from == stack.at)
			break;
	}
}

/* A path of the call tree: figures at the last method only. */
static bool call_line(struct pv_stream *s, const char *line, size_t n)
{
	struct stacks *d = st_of(s);
	struct pv_stack_call c;
	if (!pv_stack_call(line, n, &c) || d->self_ns + c.self_ns > INT64_MAX)
		return false;
	d->self_ns += c.self_ns;
	take_stack(s, c.stack);
	for (size_t i = d->frame.n; i-- > 0;) {
		struct pv_event *e = st_event(s, PV_KIND_EXT_TREE_CALL, st_now(d));
		if (!e)
			break;
		e->tree.back = i + 1 < d->frame.n; /* the caller is the previous event */
		e->tree.method = d->frame.v[i];
		e->tree.calls = i ? 0 : c.calls;
		e->tree.self_ns = i ? 0 : c.self_ns;
	}
	d->frame.n = 0;
	return true;
}

static const char *folded_line(struct pv_stream *s, const char *line, size_t n)
{
	static const char none[] = "a line that is no stack";
	struct stacks *d = st_of(s);
	struct pv_stack_folded f;
	uint64_t count;
	bool exact;
	if (d->merged && line[0] == '#')
		return call_line(s, line, n) ? NULL : none;
	if (!pv_stack_folded(line, n, &f))
		return none;
	if (d->merged && strncmp(line, PV_MERGED_NONE, n) == 0)
		return NULL;
	if (!pv_stack_scale(&f.count, d->decimals, &count, &exact) || count > INT64_MAX - d->weight)
		return "a count that is too large";
	if (f.count.digits && !count)
		return "a count that is too small beside the others";
	if (!exact)
		st_say_unread(s, (struct pv_text){ "fraction of a count", 19 });
	take_stack(s, f.stack);
	if (count)
		st_add_hit(s, count);
	return NULL;
}

/*
 * A period in units of the weight. The rest is added to the next sample's, so that the sum is
 * right; a sample of less than a unit may have weight 0.
 */
static uint64_t weight_of(struct stacks *d)
{
	uint64_t period = d->head.period, all;
	if (!period)
		return 1;
	if (__builtin_add_overflow(period, d->carry, &all) || all / d->unit > INT64_MAX - d->weight)
		return 0;
	d->carry = all % d->unit;
	return all / d->unit;
}

static void close_sample(struct pv_stream *s)
{
	struct stacks *d = st_of(s);
	if (d->open && !d->unread) {
		uint64_t weight = weight_of(d);
		if (!d->frame.n && d->head_frame)
			st_add_frame(s, d->head_frame);
		if (weight)
			st_add_hit(s, weight);
	}
	d->frame.n = 0;
	d->open = d->framed = false;
}

/* False: the batch is of another thread, and must be given out first. */
static bool open_sample(struct pv_stream *s, const struct pv_stack_head *head)
{
	struct stacks *d = st_of(s);
	struct pv_stack_frame frame;
	close_sample(s);
	if (s->batch.n && head->tid != d->thread)
		return false;
	struct pv_text wanted = { d->event, strlen(d->event) }, event = head->event;
	event.len = event.len < sizeof d->event ? event.len : sizeof d->event - 1;
	d->unread = wanted.len && !pv_stack_same_event(wanted, event);
	d->open = true;
	d->head_frame = 0;
	if (d->unread) {
		st_say_unread(s, head->event);
		return true;
	}
	d->head = *head;
	d->thread = head->tid;
	st_name_thread(s);
	if (head->frame.len && pv_stack_frame_last(head->frame, &frame))
		d->head_frame = st_method(s, frame.name, frame.object);
	/* The line may move in memory. */
	d->head.comm = d->head.frame = d->head.event = (struct pv_text){ "", 0 };
	return true;
}

static bool is_blank_line(const char *line, size_t n)
{
	while (n && (line[n - 1] == ' ' || line[n - 1] == '\t'))
		n--;
	return n == 0;
}

static bool frame_line(struct pv_stream *s, const char *line, size_t n)
{
	struct stacks *d = st_of(s);
	struct pv_stack_frame frame;
	bool indented = line[0] == ' ' || line[0] == '\t';
	if (!d->open)
		return false;
	if (pv_stack_frame(line, n, &frame) && (indented || frame.object.len)) {
		d->framed = true;
		if (!d->unread)
			st_take_frame(s, &frame);
		return true;
	}
	return d->framed && indented && pv_stack_is_place(line, n);
}

static bool head_line(const struct stacks *d, const char *line, size_t n, struct pv_stack_head *ret)
{
	if (line[0] == '\t')
		return false;
	return d->kind == PV_STACK_UNTIMED ? pv_stack_head_untimed(line, n, ret)
					   : pv_stack_head(line, n, ret);
}

/* Takes a line of perf script. Lines of no kind leave the sample unchanged. */
static const char *perf_line(struct pv_stream *s, const char *line, size_t n, bool *ret_again)
{
	struct stacks *d = st_of(s);
	struct pv_stack_head head;
	if (n && line[0] == '\t' && frame_line(s, line, n)) /* nearly all lines */
		return NULL;
	if (is_blank_line(line, n)) {
		close_sample(s);
		return NULL;
	}
	/* Without times a frame may look like a head. */
	if (d->kind == PV_STACK_UNTIMED && frame_line(s, line, n))
		return NULL;
	if (!head_line(d, line, n, &head))
		return frame_line(s, line, n) ? NULL : "a line that is no stack";
	if (!head.record)
		*ret_again = !open_sample(s, &head);
	else if (head.lost)
		st_say_lost(s, head.lost);
	return NULL;
}

/* Length of the window's next line with its line feed; 0: incomplete. */
static size_t line_length(const struct stacks *d, size_t *ret_text)
{
	size_t have = d->in->filled - d->in->start;
	*ret_text = 0;
	if (have == 0) /* before the first bytes there is no window */
		return 0;
	const uint8_t *at = d->in->bytes + d->in->start;
	const uint8_t *feed = memchr(at, '\n', have);
	size_t n = feed ? (size_t)(feed - at) + 1 : d->in->ended || d->in->gapped ? have : 0;
	*ret_text = feed ? n - 1 : n;
	if (*ret_text && at[*ret_text - 1] == '\r')
		--*ret_text;
	return n;
}

static void damage(struct pv_stream *s, uint64_t bytes, const char *reason)
{
	s->damage = (struct pv_stream_damage){ .offset = s->offset, .bytes = bytes };
	snprintf(s->damage.reason, sizeof s->damage.reason, "%s", reason);
}

static void consume(struct pv_stream *s, size_t n)
{
	s->in.start += n;
	s->offset += n;
	s->batch.bytes_len += n;
}

/* --- pieces */

static enum pv_piece fail_nomem(struct pv_stream *s)
{
	pv_fail(&s->error, PV_ENOMEM, s->offset, "out of memory");
	return PV_PIECE_FAILED;
}

/* Describes in words the samples' event and the unit of their weight. */
static void say_weights(struct stacks *d, const struct pv_stack_look *look)
{
	size_t n = look->event.len < sizeof d->event - 1 ? look->event.len : sizeof d->event - 1;
	memcpy(d->event, look->event.at, n);
	d->event[n] = 0;
	d->unit = look->period ? look->period : 1;
	if (pv_stack_is_tracepoint(look->event) && !look->period)
		snprintf(d->args, sizeof d->args, "tracepoints");
	else if (!look->periods_differ && look->period)
		snprintf(d->args, sizeof d->args, "event %.60s, one every %" PRIu64, d->event,
			look->period);
	else
		snprintf(d->args, sizeof d->args, "event %.60s", d->event);
	if (!look->periods_differ)
		return;
	for (d->unit = 1; look->most_period / d->unit >= MILLION;)
		d->unit *= 1000;
	n = strlen(d->args);
	snprintf(d->args + n, sizeof d->args - n,
		d->unit > 1 ? ", weighed by periods / %" PRIu64 : ", weighed by periods", d->unit);
}

/*
 * Sets the kind and the meaning of figures, by the text's beginning. MORE: more bytes are needed.
 */
static enum pv_piece begin_stacks(struct pv_stream *s)
{
	struct stacks *d = st_of(s);
	struct pv_stack_look look;
	size_t have = d->in->filled - d->in->start;
	if (have == 0)
		return PV_PIECE_MORE;
	const uint8_t *at = d->in->bytes + d->in->start;
	if (pv_stack_look(at, have, d->in->ended || d->in->gapped, &look) == PV_SNIFF_UNSURE)
		return PV_PIECE_MORE;
	if (look.refusal) {
		pv_fail(&s->error, PV_EVERSION, s->offset, "%s", look.refusal);
		return PV_PIECE_FAILED;
	}
	d->begun = true;
	d->kind = look.kind;
	d->merged = look.kind == PV_STACK_FOLDED && look.merged.at;
	d->decimals = look.decimals;
	d->first_ns = look.first_ns ? look.first_ns : 1;
	d->unit = 1;
	if (d->merged)
		snprintf(d->args, sizeof d->args, "%.*s",
			(int)(look.merged.len < 64 ? look.merged.len : 64), look.merged.at);
	else if (!st_is_folded(d))
		say_weights(d, &look);
	else if (d->decimals)
		snprintf(d->args, sizeof d->args, "counts times 1%0*d", (int)d->decimals, 0);
	s->header = (struct pv_stream_header){ .text = d->merged         ? "merged processes"
						       : st_is_folded(d) ? "folded stacks"
									 : "perf script",
		.args = d->args[0] ? d->args : NULL,
		.start_ns = d->first_ns,
		.offset = s->offset };
	size_t mark = pv_stack_text_mark(at, have);
	d->in->start += mark;
	s->offset += mark;
	return PV_PIECE_HEADER;
}

static enum pv_piece give_batch(struct pv_stream *s)
{
	struct stacks *d = st_of(s);
	struct pv_batch *b = &s->batch;
	if (d->nomem)
		return fail_nomem(s);
	b->thread = d->thread;
	b->time_base = b->n ? b->time[0] : 0;
	return PV_PIECE_BATCH;
}

static enum pv_piece over(struct pv_stream *s)
{
	struct stacks *d = st_of(s);
	if (d->in->ended || d->in->gapped)
		close_sample(s);
	if (s->batch.n || d->nomem)
		return give_batch(s);
	if (!d->in->gapped)
		return PV_PIECE_MORE;
	damage(s, d->in->gap, "dropped unread");
	s->offset += d->in->gap;
	d->in->gap = 0;
	d->in->gapped = false;
	return PV_PIECE_DAMAGE;
}

/* Takes a line. NULL, or a literal: the fault in the line. */
static const char *take_stacks_line(
	struct pv_stream *s, const char *line, size_t n, bool *ret_again)
{
	const struct stacks *d = st_of(s);
	if (n && line[0] == '#' && !d->merged)
		return NULL;
	if (!st_is_folded(d))
		return perf_line(s, line, n, ret_again);
	return n == 0 || (d->merged && n >= sizeof PV_MERGED_HEAD - 1 &&
				 memcmp(line, PV_MERGED_HEAD, sizeof PV_MERGED_HEAD - 1) == 0)
		       ? NULL
		       : folded_line(s, line, n);
}

static enum pv_piece stacks_next(struct pv_stream *s)
{
	struct stacks *d = st_of(s);
	if (s->error.code)
		return PV_PIECE_FAILED;
	if (!d->begun) {
		enum pv_piece p = begin_stacks(s);
		if (p != PV_PIECE_MORE || !d->in->gapped)
			return p;
	}
	pv_batch_reset(&s->batch);
	s->offsets.n = 0;
	s->batch.offset = s->offset;
	for (;;) {
		size_t text, n = line_length(d, &text), have = d->in->filled - d->in->start;
		bool again = false, part = n == 0, whole = !part && !d->skipping;
		if (part && have <= PV_STACK_TEXT_LINE)
			return over(s);
		n = part ? have : n;
		const char *line = (const char *)d->in->bytes + d->in->start;
		const char *harm = whole && text <= PV_STACK_TEXT_LINE
					   ? take_stacks_line(s, line, text, &again)
					   : "a line that is no stack";
		if (d->nomem)
			return fail_nomem(s);
		if (again || (harm && s->batch.n)) /* the line comes again */
			return give_batch(s);
		if (harm)
			damage(s, n, harm);
		consume(s, n);
		d->skipping = part;
		if (harm)
			return PV_PIECE_DAMAGE;
		if (s->batch.n >= BATCH_EVENTS || s->batch.pool.n >= MOST_FRAMES)
			return give_batch(s);
	}
}

static bool stacks_create(struct pv_stream *s)
{
	struct stacks *d = calloc(1, sizeof *d);
	s->state = d;
	if (d)
		d->in = &s->in;
	return d != NULL;
}

static enum pv_sniffed sniff(const uint8_t *bytes, size_t n, bool ended)
{
	struct pv_stack_look look;
	const char *at = (const char *)bytes, *end = at + n;
	/* Names further on may contain anything, but not the beginning of a text. */
	for (const char *b = at; b < end && b < at + BINARY && *b != '\n'; b++)
		if ((unsigned char)*b < ' ' && *b != '\t' && *b != '\r')
			return PV_SNIFF_NO;
	if (!ended && n < PV_STACK_TEXT_SNIFF)
		return PV_SNIFF_UNSURE;
	return pv_stack_look(bytes, n, ended, &look);
}

const struct pv_reader pv_reader_stacks = { .name = "stacks",
	.sniff = sniff,
	.silence_ends = true,
	.no_reread = "stacks as text have nothing but samples: they are no log",
	.create = stacks_create,
	.next = stacks_next,
	.finish = stacks_finish };
