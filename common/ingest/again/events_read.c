/* SPDX-License-Identifier: MIT */
/*
 * Reads the events around a moment again: from the nearest buffers until a page is full, or from
 * the whole log.
 */
#include "common/ingest/again/events_read.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/ingest/again/reread.h"
#include "common/ingest/ground/background.h"
#include "common/ingest/ingest_parts.h"
#include "common/model/event_filter.h"
#include "common/model/event_line.h"

enum { FIRST_BYTES = 16 << 10, MOST_BYTES = 16 << 20, TELL_BYTES = 1 << 20, LINES_LOCKED = 256 };

/* Adjacent buffers, and the times of their events on the log's clock. */
struct part {
	uint64_t offset, bytes;
	int64_t min_ns, max_ns;
	bool read;
};

struct candidate {
	int64_t ns;
	uint64_t id;
	size_t event; /* in the batch */
};

/* The nearest events on one side of the moment. */
struct side {
	int dir; /* 1 after the moment, -1 before it */
	size_t most;
	PV_ARRAY(struct pv_event_row) row; /* at most twice as many, in any order */
	bool more;                         /* there are others, farther away */
	bool bound;                        /* there are `most` rows: */
	int64_t bound_ns;                  /* the farthest is nearer than this */
	uint64_t bound_id;
	PV_ARRAY(struct candidate) candidate; /* of the current batch, */
	size_t taken;                         /* number of candidates that are rows */
	PV_ARRAY(uint32_t) order;             /* parts, by nearness */
	size_t next;                          /* in order */
};

enum { BEFORE, AFTER, SIDES };

struct pv_events_read {
	struct pv_ingest *in; /* borrowed */
	struct pv_source *source;
	struct pv_events_wish wish;
	struct pv_event_filter filter;
	char *requests; /* of the wish */
	struct pv_request_times chosen;
	struct pv_background job;

	/* only for the job's thread */
	struct pv_model *model; /* borrowed, for its names */
	int64_t zero_ns;
	struct mlpd_format format;
	PV_ARRAY(struct part) part;
	bool whole;
	struct side side[SIDES];
	PV_ARRAY(struct pv_reread_part) chunk; /* to be read now */
	size_t chunk_at;
	uint64_t read, said, total;
	struct pv_event_page *page;
	struct pv_error error;
};

static bool fail_nomem(struct pv_events_read *r)
{
	return pv_fail(&r->error, PV_ENOMEM, 0, "out of memory");
}

static void tell_read(struct pv_events_read *r)
{
	pv_background_report(&r->job, NULL, r->read, r->total, true);
}

/* --- the buffers */

static int64_t events_since_zero(const struct pv_events_read *r, int64_t ns)
{
	return (int64_t)((uint64_t)ns - (uint64_t)r->zero_ns);
}

static bool add_part(struct pv_events_read *r, const struct pv_buffers *t, size_t i)
{
	const struct pv_buffer_row *row = &t->row.v[i];
	struct part p = { row->offset, row->bytes, INT64_MAX, INT64_MIN, false };
	size_t end = t->change.n;
	for (size_t k = i + 1; k < t->row.n; k++) {
		if (t->row.v[k].flags & PV_BUFFER_DAMAGE)
			continue;
		end = t->row.v[k].change;
		break;
	}
	for (size_t k = row->change; k < end; k++) {
		const struct pv_buffer_change *c = &t->change.v[k];
		if (c->min_ns > c->max_ns)
			continue;
		p.min_ns = c->min_ns < p.min_ns ? c->min_ns : p.min_ns;
		p.max_ns = c->max_ns > p.max_ns ? c->max_ns : p.max_ns;
	}
	if (p.min_ns > p.max_ns)
		return true;
	p.min_ns = events_since_zero(r, p.min_ns);
	p.max_ns = events_since_zero(r, p.max_ns);
	if (r->wish.ranged && (p.max_ns < r->wish.from_ns || p.min_ns >= r->wish.to_ns))
		return true;
	if (!pv_reserve(&r->part, 1))
		return false;
	r->part.v[r->part.n++] = p;
	r->total += p.bytes;
	return true;
}

static bool look_at_model(struct pv_events_read *r)
{
	struct pv_ingest *in = r->in;
	bool ok = true;
	pthread_mutex_lock(&in->life);
	bool other = in->model != in->shown;
	if (!other) {
		const struct pv_buffers *t = in->table;
		uint64_t floor = pv_source_floor(in->source);
		pv_model_lock(in->model);
		ok = !r->wish.choose ||
		     r->wish.choose(in->model, r->requests, &r->chosen, &r->error);
		r->model = in->model;
		r->zero_ns = in->model->zero_ns;
		r->whole = !t || t->unusable[0] || t->row.n == 0;
		r->total = r->whole ? in->model->bytes : 0;
		if (!r->whole)
			r->format = t->format;
		for (size_t i = 0; ok && !r->whole && i < t->row.n; i++)
			if (!(t->row.v[i].flags & PV_BUFFER_DAMAGE) && t->row.v[i].offset >= floor)
				ok = add_part(r, t, i);
		pv_model_unlock(in->model);
	}
	pthread_mutex_unlock(&in->life);
	if (other)
		return pv_fail(&r->error, PV_EUSAGE, 0, "another recording has begun");
	return ok || (r->error.code != PV_OK ? false : fail_nomem(r));
}

/* --- the nearest events */

/* Whether event a precedes event b: by time, then by place in the log. */
static bool stands_before(int64_t a_ns, uint64_t a, int64_t b_ns, uint64_t b)
{
	return a_ns < b_ns || (a_ns == b_ns && a < b);
}

static int by_time_and_id(const void *a, const void *b)
{
	const struct pv_event_row *x = a, *y = b;
	return stands_before(x->time_ns, x->id, y->time_ns, y->id)   ? -1
	       : stands_before(y->time_ns, y->id, x->time_ns, x->id) ? 1
								     : 0;
}

static int by_place_down(const void *a, const void *b)
{
	return by_time_and_id(b, a);
}

static void sort_side(struct side *s)
{
	if (s->row.n)
		qsort(s->row.v, s->row.n, sizeof *s->row.v,
			s->dir > 0 ? by_time_and_id : by_place_down);
}

static void cut_side(struct side *s)
{
	sort_side(s);
	s->more = s->more || s->row.n > s->most;
	while (s->row.n > s->most)
		free(s->row.v[--s->row.n].own);
	s->bound = s->most && s->row.n == s->most;
	if (!s->bound)
		return;
	s->bound_ns = s->row.v[s->most - 1].time_ns;
	s->bound_id = s->row.v[s->most - 1].id;
}

static bool is_near(const struct side *s, int64_t time_ns, uint64_t id)
{
	if (!s->bound)
		return true;
	return s->dir > 0 ? stands_before(time_ns, id, s->bound_ns, s->bound_id)
			  : stands_before(s->bound_ns, s->bound_id, time_ns, id);
}

static struct side *side_of(struct pv_events_read *r, int64_t time_ns, uint64_t id)
{
	const struct pv_events_wish *w = &r->wish;
	bool before =
		w->from == PV_EVENTS_LAST ||
		(w->from == PV_EVENTS_AROUND && stands_before(time_ns, id, w->time_ns, w->id));
	return &r->side[before ? BEFORE : AFTER];
}

/* Adds the event as a row if the filter has it. Under the model's lock, for the names. */
static bool keep_event(
	struct pv_events_read *r, struct side *s, const struct pv_batch *b, size_t i, uint64_t id)
{
	char thread[160], both[200], line[PV_EVENT_LINE_MAX];
	const int64_t time = (int64_t)b->time[i];
	uint64_t of = pv_event_thread(b, i);
	pv_event_thread_text(r->model, of, time, thread, sizeof thread);
	pv_event_line(r->model, b, i, r->wish.readable, line, sizeof line);
	snprintf(both, sizeof both, "%s 0x%" PRIx64, thread, of);
	if (!pv_event_filter_has(&r->filter, b, i, both, line))
		return true;
	size_t n = strlen(thread) + 1, m = strlen(line) + 1;
	char *own = malloc(n + m);
	if (!own || !pv_reserve(&s->row, 1)) {
		free(own);
		return false;
	}
	memcpy(own, thread, n);
	memcpy(own + n, line, m);
	s->row.v[s->row.n++] = (struct pv_event_row){ .time_ns = events_since_zero(r, time),
		.id = id,
		.thread_id = of,
		.kind = b->kind[i],
		.thread = own,
		.line = own + n,
		.own = own };
	s->taken++;
	if (s->row.n >= 2 * s->most + 1)
		cut_side(s);
	return true;
}

static bool in_range(const struct pv_events_read *r, int64_t ns)
{
	return !r->wish.ranged || (ns >= r->wish.from_ns && ns < r->wish.to_ns);
}

static bool of_requests(const struct pv_events_read *r, const struct pv_batch *b, size_t i)
{
	if (!r->wish.choose)
		return true;
	const uint32_t thread = pv_request_times_thread(&r->chosen, pv_event_thread(b, i));
	return pv_request_times_has(&r->chosen, thread, (int64_t)b->time[i]);
}

static int by_near(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	return stands_before(x->ns, x->id, y->ns, y->id)   ? -1
	       : stands_before(y->ns, y->id, x->ns, x->id) ? 1
							   : 0;
}

/* Makes lines of the batch's nearest events only: lines cost more than everything else. */
static bool take_nearest(struct pv_events_read *r, struct side *s, const struct pv_batch *b)
{
	bool ok = true;
	size_t n = s->candidate.n, i;
	if (n == 0)
		return true;
	qsort(s->candidate.v, n, sizeof *s->candidate.v, by_near);
	pv_model_lock(r->model);
	for (i = 0; ok && i < n; i++) {
		const struct candidate *c = &s->candidate.v[s->dir > 0 ? i : n - 1 - i];
		if (s->taken == s->most || !is_near(s, c->ns, c->id))
			break;
		ok = keep_event(r, s, b, c->event, c->id);
		if (i % LINES_LOCKED == LINES_LOCKED - 1) {
			pv_model_unlock(r->model);
			pv_model_lock(r->model);
		}
	}
	pv_model_unlock(r->model);
	s->more = s->more || i < n;
	return ok;
}

static bool take_batch(struct pv_events_read *r, const struct pv_batch *b)
{
	for (int i = 0; i < SIDES; i++)
		r->side[i].candidate.n = r->side[i].taken = 0;
	for (size_t i = 0; i < b->n; i++) {
		const int64_t ns = events_since_zero(r, (int64_t)b->time[i]);
		const uint64_t id = b->offset + MLPD_BUFFER_HEADER + i + 1;
		if (!r->filter.kind[b->kind[i]] || !in_range(r, ns) || !of_requests(r, b, i))
			continue;
		struct side *s = side_of(r, ns, id);
		if (!is_near(s, ns, id)) {
			s->more = true;
			continue;
		}
		if (!pv_reserve(&s->candidate, 1))
			return false;
		s->candidate.v[s->candidate.n++] = (struct candidate){ ns, id, i };
	}
	return take_nearest(r, &r->side[BEFORE], b) && take_nearest(r, &r->side[AFTER], b);
}

static bool on_events_buffer(
	void *ctx, const struct mlpd_buffer_header *h, const struct pv_batch *b)
{
	struct pv_events_read *r = ctx;
	(void)h;
	r->read += b->bytes_len + MLPD_BUFFER_HEADER;
	if (r->read - r->said > TELL_BYTES) {
		r->said = r->read;
		tell_read(r);
	}
	if (!take_batch(r, b))
		return fail_nomem(r);
	return !pv_background_stopping(&r->job);
}

/* --- from the nearest buffers */

static bool on_next(void *ctx, struct pv_reread_part *ret)
{
	struct pv_events_read *r = ctx;
	if (r->chunk_at >= r->chunk.n)
		return false;
	*ret = r->chunk.v[r->chunk_at++];
	return true;
}

struct near {
	int64_t ns;
	uint32_t part;
};

static int by_nearness(const void *a, const void *b)
{
	const struct near *x = a, *y = b;
	return x->ns != y->ns ? (x->ns > y->ns) - (x->ns < y->ns)
			      : (x->part > y->part) - (x->part < y->part);
}

/* Sorts the side's parts by the distance of their beginning from the moment. */
static bool order_side(struct pv_events_read *r, struct side *s)
{
	struct near *near = calloc(r->part.n + 1, sizeof *near);
	size_t n = 0;
	if (!near || !pv_reserve(&s->order, r->part.n)) {
		free(near);
		return false;
	}
	for (size_t i = 0; s->most && i < r->part.n; i++) {
		const struct part *p = &r->part.v[i];
		bool around = r->wish.from == PV_EVENTS_AROUND;
		if (around &&
			(s->dir > 0 ? p->max_ns < r->wish.time_ns : p->min_ns > r->wish.time_ns))
			continue;
		/* before the moment the greatest times come first: ~x reverses the order */
		near[n++] = (struct near){ s->dir > 0 ? p->min_ns : ~p->max_ns, (uint32_t)i };
	}
	if (n)
		qsort(near, n, sizeof *near, by_nearness);
	for (size_t i = 0; i < n; i++)
		s->order.v[s->order.n++] = near[i].part;
	free(near);
	return true;
}

/* Whether the part can have a nearer event than the present rows. */
static bool is_needed(const struct side *s, const struct part *p)
{
	return is_near(s, s->dir > 0 ? p->min_ns : p->max_ns, s->dir > 0 ? 0 : UINT64_MAX);
}

static bool take_parts(struct pv_events_read *r, struct side *s, uint64_t most)
{
	uint64_t bytes = 0;
	cut_side(s);
	for (; s->next < s->order.n && bytes < most; s->next++) {
		struct part *p = &r->part.v[s->order.v[s->next]];
		if (p->read)
			continue;
		if (!is_needed(s, p))
			return true;
		if (!pv_reserve(&r->chunk, 1))
			return false;
		r->chunk.v[r->chunk.n++] = (struct pv_reread_part){ p->offset, p->bytes };
		p->read = true;
		bytes += p->bytes;
	}
	return true;
}

static int by_offset(const void *a, const void *b)
{
	const struct pv_reread_part *x = a, *y = b;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static bool read_parts(struct pv_events_read *r, struct pv_reread *to)
{
	for (int i = 0; i < SIDES; i++)
		if (!order_side(r, &r->side[i]))
			return fail_nomem(r);
	for (uint64_t most = FIRST_BYTES; !pv_background_stopping(&r->job);
		most = most < MOST_BYTES ? 2 * most : most) {
		r->chunk.n = r->chunk_at = 0;
		for (int i = 0; i < SIDES; i++)
			if (!take_parts(r, &r->side[i], most))
				return fail_nomem(r);
		if (r->chunk.n == 0)
			return true;
		qsort(r->chunk.v, r->chunk.n, sizeof *r->chunk.v, by_offset);
		if (!pv_reread_parts(to, r->source, &r->format) || r->error.code != PV_OK)
			return false;
	}
	return false;
}

/* --- the page */

static bool is_left(const struct pv_events_read *r, const struct side *s)
{
	for (size_t i = s->next; i < s->order.n; i++)
		if (!r->part.v[s->order.v[i]].read)
			return true;
	return s->more;
}

static bool make_page(struct pv_events_read *r, bool damaged)
{
	struct side *before = &r->side[BEFORE], *after = &r->side[AFTER];
	struct pv_event_page *p = calloc(1, sizeof *p);
	size_t n = 0;
	for (int i = 0; i < SIDES; i++) {
		cut_side(&r->side[i]);
		n += r->side[i].row.n;
	}
	if (p)
		p->row = calloc(n + 1, sizeof *p->row);
	if (!p || !p->row) {
		free(p);
		return fail_nomem(r);
	}
	for (size_t i = before->row.n; i-- > 0;)
		p->row[p->rows++] = before->row.v[i];
	p->at = p->rows;
	for (size_t i = 0; i < after->row.n; i++)
		p->row[p->rows++] = after->row.v[i];
	before->row.n = after->row.n = 0; /* now the page's */
	p->more_before = r->wish.from != PV_EVENTS_FIRST && is_left(r, before);
	p->more_after = r->wish.from != PV_EVENTS_LAST && is_left(r, after);
	p->damaged = damaged;
	r->page = p;
	return true;
}

static bool read_events(struct pv_events_read *r)
{
	struct pv_reread to = {
		.ctx = r, .buffer = on_events_buffer, .next = on_next, .err = &r->error
	};
	tell_read(r);
	bool ok = r->whole ? pv_reread_source(&to, r->source) : read_parts(r, &to);
	tell_read(r);
	return ok && r->error.code == PV_OK && make_page(r, to.damaged);
}

/* --- life */

static void *work_on_events(void *arg)
{
	struct pv_events_read *r = arg;
	bool ok = look_at_model(r) && read_events(r) && !pv_background_stopping(&r->job);
	pv_background_end(&r->job, ok, &r->error);
	return NULL;
}

static void destroy_events_read(struct pv_background *j)
{
	struct pv_events_read *r = PV_OF(j, struct pv_events_read, job);
	pv_background_finish(j);
	for (int i = 0; i < SIDES; i++) {
		struct side *s = &r->side[i];
		while (s->row.n)
			free(s->row.v[--s->row.n].own);
		pv_array_finish(&s->row);
		pv_array_finish(&s->order);
		pv_array_finish(&s->candidate);
	}
	pv_event_page_destroy(r->page);
	pv_event_filter_finish(&r->filter);
	pv_request_times_finish(&r->chosen);
	free(r->requests);
	pv_source_close(r->source);
	pv_array_finish(&r->part);
	pv_array_finish(&r->chunk);
	free(r);
}

struct pv_events_read *pv_events_start(
	struct pv_ingest *in, const struct pv_events_wish *wish, struct pv_error *reterr)
{
	struct pv_source *source = pv_source_again(in->source, reterr);
	if (!source)
		return NULL;
	struct pv_events_read *r = calloc(1, sizeof *r);
	if (!r) {
		pv_source_close(source);
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
		return NULL;
	}
	r->in = in;
	r->source = source;
	r->wish = *wish;
	struct pv_filter_error wrong;
	r->wish.filter = NULL;
	if (!pv_event_filter_make(&r->filter, wish->filter, PV_FILTER_CAPITALS, &wrong)) {
		pv_source_close(source);
		free(r);
		pv_fail(reterr, wrong.no_memory ? PV_ENOMEM : PV_EUSAGE, 0,
			"filter, character %zu: %s", wrong.at + 1, wrong.what);
		return NULL;
	}
	r->side[BEFORE] = (struct side){ .dir = -1,
		.most = wish->from == PV_EVENTS_LAST ? PV_EVENT_PAGE_ROWS : PV_EVENT_PAGE_HALF };
	r->side[AFTER] = (struct side){ .dir = 1,
		.most = wish->from == PV_EVENTS_FIRST ? PV_EVENT_PAGE_ROWS : PV_EVENT_PAGE_HALF };
	if (wish->from != PV_EVENTS_AROUND)
		r->side[wish->from == PV_EVENTS_LAST ? AFTER : BEFORE].most = 0;
	r->requests = wish->choose ? strdup(wish->requests) : NULL;
	const bool known = r->requests || !wish->choose;
	if (pv_background_init(&r->job, NULL, destroy_events_read) && known &&
		pv_background_start(&r->job, work_on_events, r))
		return r;
	destroy_events_read(&r->job);
	pv_fail(reterr, PV_ENOMEM, 0, "cannot read events: out of threads or descriptors");
	return NULL;
}

struct pv_background *pv_events_job(struct pv_events_read *r)
{
	return r ? &r->job : NULL;
}

const struct pv_event_page *pv_events_page(struct pv_events_read *r)
{
	return pv_background_done(&r->job) ? r->page : NULL;
}
