#include "common/format/stacks/stacks_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/intern.h"
#include "common/base/merged_text.h"
#include "common/format/block07/other_window.h"
#include "common/format/stacks/stack_line.h"

enum { BATCH_EVENTS = 4096, MOST_FRAMES = 1 << 16, COMMS = 1 << 16 };

struct stacks {
	struct b07_window in; /* first */
	bool begun, folded;
	char args[80];    /* of a text of several processes: the options of its samples */
	uint64_t self_ns; /* of all calls so far */
	bool skipping;    /* the rest of a line that is too long */
	struct pv_intern names;
	PV_ARRAY(uint64_t) frame; /* of the sample at hand, innermost first */
	bool open;                /* a sample whose frames still come */
	struct pv_stack_head head;
	struct pv_map comm_of; /* thread -> its name, in names */
	uint64_t thread;       /* of the batch that is filled */
	bool nomem;
};

static struct stacks *own(const struct b07_stream *s)
{
	return s->other;
}

static void finish(struct b07_stream *s)
{
	struct stacks *d = own(s);
	free(d->in.bytes);
	pv_intern_finish(&d->names);
	pv_array_finish(&d->frame);
	pv_map_finish(&d->comm_of);
	free(d);
	pv_batch_finish(&s->batch);
	pv_array_finish(&s->offsets);
	s->other = NULL;
	s->reader = NULL;
}

/* --- events */

static struct pv_event *add_event(struct b07_stream *s, uint8_t kind, uint64_t time)
{
	struct stacks *d = own(s);
	struct pv_batch *b = &s->batch;
	if (!pv_batch_reserve(b, 1) || !pv_reserve(&b->other_events, 1) ||
		(s->want_offsets && !pv_reserve(&s->offsets, 1))) {
		d->nomem = true;
		return NULL;
	}
	b->time[b->n] = time;
	b->kind[b->n] = kind;
	b->key[b->n++] = b->other_events.n;
	if (s->want_offsets)
		s->offsets.v[s->offsets.n++] = s->offset;
	b->other_events.v[b->other_events.n] = (struct pv_event){ .time = time, .kind = kind };
	return &b->other_events.v[b->other_events.n++];
}

static uint64_t now(const struct stacks *d)
{
	return d->folded ? 1 : d->head.time_ns;
}

/* Number of a name; one that is new is said before it is used. 0: out of memory. */
static uint32_t name_of(struct b07_stream *s, struct pv_text name)
{
	static const char other[] = "(other)";
	struct stacks *d = own(s);
	uint32_t id = 0;
	size_t known = d->names.text.n;
	if (known >= PV_STACK_TEXT_NAMES || d->names.arena.bytes >= PV_STACK_TEXT_NAME_BYTES)
		name = (struct pv_text){ other, sizeof other - 1 };
	if (name.len == 0 || !*name.at) /* a name ends with a NUL that is in it */
		name = (struct pv_text){ "(no name)", 9 };
	if (!pv_intern_add(&d->names, name.at, name.len, &id)) {
		d->nomem = true;
		return 0;
	}
	if (d->names.text.n == known)
		return id;
	struct pv_event *e = add_event(s, PV_KIND_METHOD_NAME, now(d));
	if (e) {
		const char *text = pv_intern_text(&d->names, id);
		e->meta.key = id;
		e->meta.name = (struct pv_text){ text, strlen(text) };
	}
	return id;
}

static void add_frame(struct b07_stream *s, struct pv_text name)
{
	struct stacks *d = own(s);
	uint32_t id = name_of(s, name);
	if (d->frame.n >= MOST_FRAMES)
		return;
	if (!id || !pv_reserve(&d->frame, 1))
		d->nomem = true;
	else
		d->frame.v[d->frame.n++] = id;
}

/* A thread's name where it is new or another one. */
static void name_thread(struct b07_stream *s)
{
	struct stacks *d = own(s);
	uint32_t id = 0, known = pv_map_get(&d->comm_of, d->head.tid);
	size_t names = d->names.text.n;
	if ((known == PV_MAP_NONE && d->comm_of.n >= COMMS) || names >= PV_STACK_TEXT_NAMES)
		return;
	if (!pv_intern_add(&d->names, d->head.comm.at, d->head.comm.len, &id) ||
		(known != id && !pv_map_set(&d->comm_of, d->head.tid, id))) {
		d->nomem = true;
		return;
	}
	struct pv_event *e = known != id ? add_event(s, PV_KIND_THREAD_NAME, now(d)) : NULL;
	if (!e)
		return;
	const char *text = pv_intern_text(&d->names, id);
	e->meta.key = d->head.tid;
	e->meta.name = (struct pv_text){ text, strlen(text) };
}

static void add_hit(struct b07_stream *s, uint64_t weight)
{
	struct stacks *d = own(s);
	struct pv_batch *b = &s->batch;
	struct pv_event *e = add_event(s, PV_KIND_SAMPLE_HIT, now(d));
	d->open = false;
	if (!e || (d->frame.n && !pv_reserve(&b->pool, d->frame.n))) {
		d->nomem = true;
		return;
	}
	e->hit.thread = d->folded ? 0 : d->head.tid;
	e->hit.weight = weight;
	e->hit.frames = (struct pv_span){ (uint32_t)b->pool.n, (uint32_t)d->frame.n };
	if (d->frame.n)
		memcpy(b->pool.v + b->pool.n, d->frame.v, d->frame.n * sizeof *d->frame.v);
	b->pool.n += d->frame.n;
	d->frame.n = 0;
}

/* --- lines */

/* Its frames, innermost first. */
static void take_stack(struct b07_stream *s, struct pv_text stack)
{
	own(s)->frame.n = 0;
	for (const char *stop = stack.at + stack.len; stop >= stack.at;) {
		const char *from = stop;
		while (from > stack.at && from[-1] != ';')
			from--;
		if (stop > from)
			add_frame(s, (struct pv_text){ from, (size_t)(stop - from) });
		stop = from - 1;
		if (from == stack.at)
			break;
	}
}

/* A path of the call tree: figures at its end, none above. */
static bool call_line(struct b07_stream *s, const char *line, size_t n)
{
	struct stacks *d = own(s);
	struct pv_stack_call c;
	if (!pv_stack_call(line, n, &c) || d->self_ns + c.self_ns > INT64_MAX)
		return false;
	d->self_ns += c.self_ns;
	take_stack(s, c.stack);
	for (size_t i = d->frame.n; i-- > 0;) {
		struct pv_event *e = add_event(s, PV_KIND_EXT_TREE_CALL, now(d));
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

static bool folded_line(struct b07_stream *s, const char *line, size_t n)
{
	struct stacks *d = own(s);
	struct pv_stack_folded f;
	if (d->args[0] && line[0] == '#')
		return call_line(s, line, n);
	if (!pv_stack_folded(line, n, &f))
		return false;
	if (d->args[0] && strncmp(line, PV_MERGED_NONE, n) == 0)
		return true;
	take_stack(s, f.stack);
	if (f.count)
		add_hit(s, f.count);
	return true;
}

static void close_sample(struct b07_stream *s)
{
	if (own(s)->open)
		add_hit(s, 1);
}

/* A head whose thread is another one's: the batch of the thread before it ends. */
static bool perf_line(struct b07_stream *s, const char *line, size_t n, bool *ret_again)
{
	struct stacks *d = own(s);
	struct pv_stack_head head;
	struct pv_text frame;
	if (n == 0) {
		close_sample(s);
		return true;
	}
	if (!pv_stack_head(line, n, &head)) {
		bool ok = d->open && (line[0] == ' ' || line[0] == '\t') &&
			  pv_stack_frame(line, n, &frame);
		if (ok)
			add_frame(s, frame);
		else if (line[0] != ' ' && line[0] != '\t')
			close_sample(s);
		return ok;
	}
	close_sample(s);
	*ret_again = s->batch.n && head.tid != d->thread;
	if (*ret_again)
		return true;
	d->head = head;
	d->thread = head.tid;
	d->open = true;
	name_thread(s);
	if (head.frame.len && pv_stack_frame(head.frame.at, head.frame.len, &frame))
		add_frame(s, frame);
	d->head.comm = d->head.frame = (struct pv_text){ "", 0 }; /* the line may move */
	return true;
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
	own(s)->in.start += n;
	s->offset += n;
	s->batch.bytes_len += n;
}

/* --- pieces */

static enum b07_piece fail_nomem(struct b07_stream *s)
{
	pv_fail(&s->error, PV_ENOMEM, s->offset, "out of memory");
	return B07_FAILED;
}

/* The line that makes a text one of several processes; before all others. */
static void take_head(struct stacks *d, const char *line, size_t n)
{
	const size_t head = sizeof PV_MERGED_HEAD - 1;
	if (n < head || memcmp(line, PV_MERGED_HEAD, head) != 0)
		return;
	/* A first letter that says nothing: there may be no options. */
	snprintf(d->args, sizeof d->args, " %.*s", (int)(n - head < 64 ? n - head : 64),
		line + head);
}

static bool is_comment(const struct stacks *d, const char *line, size_t n)
{
	return n && line[0] == '#' && !(d->begun && d->args[0]);
}

/* Kind and first time, by the first line that counts. */
static bool begin(struct b07_stream *s, const char *line, size_t n)
{
	struct stacks *d = own(s);
	struct pv_stack_head head = { .time_ns = 1 };
	struct pv_stack_folded folded;
	if (!pv_stack_head(line, n, &head)) {
		if (!pv_stack_folded(line, n, &folded))
			return false;
		d->folded = true;
		head.time_ns = 1;
	}
	d->begun = true;
	bool merged = d->folded && d->args[0];
	s->header = (struct b07_header){ .text = merged      ? "merged processes"
						 : d->folded ? "folded stacks"
							     : "perf script",
		.args = merged ? d->args + 1 : NULL,
		.start_ns = head.time_ns ? head.time_ns : 1,
		.offset = s->offset };
	return true;
}

static enum b07_piece give_batch(struct b07_stream *s)
{
	struct stacks *d = own(s);
	struct pv_batch *b = &s->batch;
	if (d->nomem)
		return fail_nomem(s);
	b->thread = d->thread;
	b->time_base = b->n ? b->time[0] : 0;
	return B07_BATCH;
}

static enum b07_piece over(struct b07_stream *s)
{
	struct stacks *d = own(s);
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

/* One line; B07_MORE where nothing is to be given out for it. */
static enum b07_piece take_line(struct b07_stream *s, const char *line, size_t n, bool *ret_again)
{
	struct stacks *d = own(s);
	if (!d->begun)
		take_head(d, line, n);
	if (is_comment(d, line, n) || (!d->begun && n == 0))
		return B07_MORE;
	if (!d->begun && begin(s, line, n))
		return B07_HEADER;
	bool ok = d->begun && (d->folded ? n == 0 || folded_line(s, line, n)
					 : perf_line(s, line, n, ret_again));
	return ok ? B07_MORE : B07_DAMAGE;
}

static enum b07_piece next(struct b07_stream *s)
{
	struct stacks *d = own(s);
	if (s->error.code)
		return B07_FAILED;
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
		enum b07_piece p = whole && text <= PV_STACK_TEXT_LINE
					   ? take_line(s, line, text, &again)
					   : B07_DAMAGE;
		if (d->nomem)
			return fail_nomem(s);
		if (again)
			return give_batch(s);
		if (p == B07_HEADER)
			return p; /* the line is looked at once more */
		if (p == B07_DAMAGE && s->batch.n)
			return give_batch(s); /* the line is met again */
		if (p == B07_DAMAGE)
			damage(s, n, "a line that is no stack");
		consume(s, n);
		d->skipping = part;
		if (p == B07_DAMAGE)
			return p;
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
	struct pv_stack_head head;
	struct pv_stack_folded folded;
	const char *at = (const char *)bytes, *end = at + n;
	size_t comments = 0, others = 0; /* bytes of whole lines */
	/* Later names may have anything in them; the beginning of a text has not. */
	for (const char *b = at; b < end && b < at + B07_SNIFF && *b != '\n'; b++)
		if ((unsigned char)*b < ' ' && *b != '\t' && *b != '\r')
			return B07_NO;
	while (at < end && others < PV_STACK_TEXT_SNIFF && comments < PV_STACK_TEXT_COMMENTS) {
		/* A line that begins within may be as long as any. */
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((feed ? feed : end) - at);
		if (len > PV_STACK_TEXT_LINE)
			return B07_NO;
		if (!feed && !ended)
			return B07_UNSURE;
		if (len && at[len - 1] == '\r')
			len--;
		if (len && *at != '#') {
			if (pv_stack_head(at, len, &head))
				return B07_YES;
			if (!pv_stack_folded(at, len, &folded))
				return B07_NO;
			if (memchr(folded.stack.at, ';', folded.stack.len))
				return B07_YES;
		}
		if (!feed)
			break;
		*(*at == '#' ? &comments : &others) += (size_t)(feed + 1 - at);
		at = feed + 1;
	}
	bool over = others >= PV_STACK_TEXT_SNIFF || comments >= PV_STACK_TEXT_COMMENTS;
	return over || ended ? B07_NO : B07_UNSURE;
}
