#include "common/format/stacks/stacks_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/merged_text.h"
#include "common/format/stacks/stacks_state.h"

enum { MILLION = 1000000 };

static void finish(struct b07_stream *s)
{
	struct stacks *d = st_of(s);
	free(d->in.bytes);
	pv_stack_names_finish(&d->names);
	pv_array_finish(&d->frame);
	free(d);
	pv_batch_finish(&s->batch);
	pv_array_finish(&s->offsets);
	s->other = NULL;
	s->reader = NULL;
}

/* --- lines */

/* Its frames, innermost first. */
static void take_stack(struct b07_stream *s, struct pv_text stack)
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

/* A path of the call tree: figures at its end, none above. */
static bool call_line(struct b07_stream *s, const char *line, size_t n)
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
		e->tree.back = i + 1 < d->frame.n; /* its caller is the event before */
		e->tree.method = d->frame.v[i];
		e->tree.calls = i ? 0 : c.calls;
		e->tree.self_ns = i ? 0 : c.self_ns;
	}
	d->frame.n = 0;
	return true;
}

static const char *folded_line(struct b07_stream *s, const char *line, size_t n)
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
 * A period in units of the weight. What is left of one is added to the next, so that the sum is
 * right; a sample of less than a unit may have none.
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

static void close_sample(struct b07_stream *s)
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

/* False: the batch is another thread's, which ends first. */
static bool open_sample(struct b07_stream *s, const struct pv_stack_head *head)
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
	/* The line may move. */
	d->head.comm = d->head.frame = d->head.event = (struct pv_text){ "", 0 };
	return true;
}

static bool is_empty(const char *line, size_t n)
{
	while (n && (line[n - 1] == ' ' || line[n - 1] == '\t'))
		n--;
	return n == 0;
}

static bool frame_line(struct b07_stream *s, const char *line, size_t n)
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

/* A line that is none of these leaves the sample as it is. */
static const char *perf_line(struct b07_stream *s, const char *line, size_t n, bool *ret_again)
{
	struct stacks *d = st_of(s);
	struct pv_stack_head head;
	if (n && line[0] == '\t' && frame_line(s, line, n)) /* nearly all lines */
		return NULL;
	if (is_empty(line, n)) {
		close_sample(s);
		return NULL;
	}
	/* Without times a frame may look like a head, with them it cannot. */
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

/* The next line of the window; its length with the line feed, 0: it has not come whole. */
static size_t line_length(const struct stacks *d, size_t *ret_text)
{
	size_t have = d->in.filled - d->in.start;
	*ret_text = 0;
	if (have == 0) /* nor is there a window before the first bytes */
		return 0;
	const uint8_t *at = d->in.bytes + d->in.start;
	const uint8_t *feed = memchr(at, '\n', have);
	size_t n = feed ? (size_t)(feed - at) + 1 : d->in.ended || d->in.gapped ? have : 0;
	*ret_text = feed ? n - 1 : n;
	if (*ret_text && at[*ret_text - 1] == '\r')
		--*ret_text;
	return n;
}

static void damage(struct b07_stream *s, uint64_t bytes, const char *reason)
{
	s->damage = (struct b07_damage){ .offset = s->offset, .bytes = bytes };
	snprintf(s->damage.reason, sizeof s->damage.reason, "%s", reason);
}

static void consume(struct b07_stream *s, size_t n)
{
	st_of(s)->in.start += n;
	s->offset += n;
	s->batch.bytes_len += n;
}

/* --- pieces */

static enum b07_piece fail_nomem(struct b07_stream *s)
{
	pv_fail(&s->error, PV_ENOMEM, s->offset, "out of memory");
	return B07_FAILED;
}

/* In words: what the samples are of, and what a unit of their weight is. */
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

/* The kind, and what figures of it mean, by the text's beginning. MORE: it has not come yet. */
static enum b07_piece begin(struct b07_stream *s)
{
	struct stacks *d = st_of(s);
	struct pv_stack_look look;
	size_t have = d->in.filled - d->in.start;
	if (have == 0)
		return B07_MORE;
	const uint8_t *at = d->in.bytes + d->in.start;
	if (pv_stack_look(at, have, d->in.ended || d->in.gapped, &look) == B07_UNSURE)
		return B07_MORE;
	if (look.refusal) {
		pv_fail(&s->error, PV_EVERSION, s->offset, "%s", look.refusal);
		return B07_FAILED;
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
	s->header = (struct b07_header){ .text = d->merged         ? "merged processes"
						 : st_is_folded(d) ? "folded stacks"
								   : "perf script",
		.args = d->args[0] ? d->args : NULL,
		.start_ns = d->first_ns,
		.offset = s->offset };
	size_t mark = pv_stack_text_mark(at, have);
	d->in.start += mark;
	s->offset += mark;
	return B07_HEADER;
}

static enum b07_piece give_batch(struct b07_stream *s)
{
	struct stacks *d = st_of(s);
	struct pv_batch *b = &s->batch;
	if (d->nomem)
		return fail_nomem(s);
	b->thread = d->thread;
	b->time_base = b->n ? b->time[0] : 0;
	return B07_BATCH;
}

static enum b07_piece over(struct b07_stream *s)
{
	struct stacks *d = st_of(s);
	if (d->in.ended || d->in.gapped)
		close_sample(s);
	if (s->batch.n || d->nomem)
		return give_batch(s);
	if (!d->in.gapped)
		return B07_MORE;
	damage(s, d->in.gap, "dropped unread");
	s->offset += d->in.gap;
	d->in.gap = 0;
	d->in.gapped = false;
	return B07_DAMAGE;
}

/* One line. NULL, or a literal: what is wrong with it. */
static const char *take_line(struct b07_stream *s, const char *line, size_t n, bool *ret_again)
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

static enum b07_piece next(struct b07_stream *s)
{
	struct stacks *d = st_of(s);
	if (s->error.code)
		return B07_FAILED;
	if (!d->begun) {
		enum b07_piece p = begin(s);
		if (p != B07_MORE || !d->in.gapped)
			return p;
	}
	pv_batch_reset(&s->batch);
	s->offsets.n = 0;
	s->batch.offset = s->offset;
	for (;;) {
		size_t text, n = line_length(d, &text), have = d->in.filled - d->in.start;
		bool again = false, part = n == 0, whole = !part && !d->skipping;
		if (part && have <= PV_STACK_TEXT_LINE)
			return over(s);
		n = part ? have : n;
		const char *line = (const char *)d->in.bytes + d->in.start;
		const char *harm = whole && text <= PV_STACK_TEXT_LINE
					   ? take_line(s, line, text, &again)
					   : "a line that is no stack";
		if (d->nomem)
			return fail_nomem(s);
		if (again || (harm && s->batch.n)) /* the line is met again */
			return give_batch(s);
		if (harm)
			damage(s, n, harm);
		consume(s, n);
		d->skipping = part;
		if (harm)
			return B07_DAMAGE;
		if (s->batch.n >= BATCH_EVENTS || s->batch.pool.n >= MOST_FRAMES)
			return give_batch(s);
	}
}

bool pv_stack_text_init(struct b07_stream *s)
{
	static const struct b07_reader reader = { b07_window_room, b07_window_filled,
		b07_window_end, b07_window_resume, b07_window_gap, next, finish };
	bool want = s->want_offsets;
	*s = (struct b07_stream){ .want_offsets = want, .reader = &reader };
	s->other = calloc(1, sizeof(struct stacks));
	if (!s->other)
		s->reader = NULL;
	return s->other != NULL;
}

enum b07_sniffed pv_stack_text_sniff(const uint8_t *bytes, size_t n, bool ended)
{
	struct pv_stack_look look;
	const char *at = (const char *)bytes, *end = at + n;
	/* Later names may have anything in them; the beginning of a text has not. */
	for (const char *b = at; b < end && b < at + B07_SNIFF && *b != '\n'; b++)
		if ((unsigned char)*b < ' ' && *b != '\t' && *b != '\r')
			return B07_NO;
	if (!ended && n < PV_STACK_TEXT_SNIFF)
		return B07_UNSURE;
	return pv_stack_look(bytes, n, ended, &look);
}
