/* SPDX-License-Identifier: MIT */
/* Reads a range of time again: only the buffers that overlap, or the whole input. */
#include "common/ingest/again/range.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "common/ingest/ingest_parts.h"
#include "common/ingest/again/range_plan.h"
#include "common/ingest/again/reread.h"
#include "common/model/persist.h"

enum { TELL_BYTES = 8 << 20 }; /* between two reports of progress */

struct pv_range_read {
	struct pv_ingest *in; /* borrowed */
	struct pv_source *source;
	struct pv_range_wish wish;
	PV_ARRAY(uint64_t) thread; /* native ids of the wish */
	char *requests;            /* likewise */
	struct pv_background job;

	/* only for the job's thread */
	struct pv_known known;
	struct pv_target_info target;
	struct pv_request_times chosen;
	struct pv_buffers table;
	PV_ARRAY(uint64_t) method_key;
	PV_ARRAY(uint64_t) class_key;
	struct pv_model *seed; /* empty, but with names if the log's beginning is gone */
	struct pv_plan plan;
	const struct pv_buffer_row *row; /* being read */
	struct pv_model *model;
	struct pv_ingest *again; /* reads everything, into its own model */
	struct pv_error error;
	uint64_t read, reported;
	uint64_t total;
	int64_t lag_ns;   /* of events reported with a delay */
	int64_t until_ns; /* together with `whole`: read by others once the job is done */
	bool whole;
};

static bool fail_nomem(struct pv_range_read *r)
{
	return pv_fail(&r->error, PV_ENOMEM, 0, "out of memory");
}

static int64_t plus(int64_t a, int64_t b)
{
	int64_t sum;
	if (!__builtin_add_overflow(a, b, &sum))
		return sum;
	return b > 0 ? INT64_MAX : INT64_MIN;
}

/* --- facts from the whole log's model */

static bool copy_keys(struct pv_range_read *r, const struct pv_names *n)
{
	if (!pv_reserve(&r->method_key, n->method.n))
		return false;
	for (size_t i = 0; i < n->method.n; i++)
		r->method_key.v[r->method_key.n++] = n->method.v[i].native ? 0 : n->method.v[i].key;
	if (!pv_reserve(&r->class_key, n->class_use.n))
		return false;
	for (size_t i = 1; i < n->class_use.n; i++)
		if (!n->class_use.v[i].other)
			r->class_key.v[r->class_key.n++] = n->class_use.v[i].key;
	return true;
}

static struct pv_restrict restriction(const struct pv_range_read *r)
{
	static const uint64_t none;
	return (struct pv_restrict){ .ranged = true,
		.from_ns = r->wish.from_ns,
		.to_ns = r->wish.to_ns,
		.threaded = r->wish.threaded,
		.threads = r->thread.v ? r->thread.v : &none,
		.thread_count = r->thread.n,
		.requests = r->wish.choose ? &r->chosen : NULL };
}

static bool make_seed(struct pv_range_read *r, const struct pv_model *m)
{
	const struct pv_restrict only = restriction(r);
	r->seed = pv_model_create(&only);
	return r->seed && (!pv_source_floor(r->in->source) || pv_model_copy_names(m, r->seed));
}

/* Copies facts from the log's model. With both locks held. */
static bool copy_all(struct pv_range_read *r, struct pv_model *m)
{
	const struct pv_buffers *t = r->in->table;
	r->target = m->target;
	r->lag_ns = m->kinds[PV_KIND_EXT_WAITED] ? PV_WAITED_NS : 0;
	return make_seed(r, m) && pv_known_copy(m, t ? &t->address_log : NULL, &r->known) &&
	       (!t || pv_buffers_copy(t, &r->table)) && copy_keys(r, &m->names);
}

static bool choose(struct pv_range_read *r, struct pv_model *m)
{
	return !r->wish.choose || r->wish.choose(m, r->requests, &r->chosen, &r->error);
}

static bool copy_from_shown(struct pv_range_read *r)
{
	struct pv_ingest *in = r->in;
	pthread_mutex_lock(&in->life);
	bool other = in->model != in->shown, ok = false;
	if (!other) {
		pv_model_lock(in->model);
		ok = choose(r, in->model) && copy_all(r, in->model);
		pv_model_unlock(in->model);
	}
	pthread_mutex_unlock(&in->life);
	if (other)
		return pv_fail(&r->error, PV_EUSAGE, 0, "another recording has begun");
	if (!ok)
		return r->error.code != PV_OK ? false : fail_nomem(r);
	r->until_ns = (int64_t)((uint64_t)r->known.last_ns - (uint64_t)r->known.zero_ns);
	r->whole = r->table.unusable[0] || r->table.row.n == 0;
	return true;
}

/* --- from the overlapping buffers */

static bool on_range_buffer(void *ctx, const struct mlpd_buffer_header *h, const struct pv_batch *b)
{
	struct pv_range_read *r = ctx;
	size_t at = 0;
	(void)h;
	pv_model_lock(r->model);
	bool ok = pv_model_apply(r->model, b, &at, 0);
	pv_model_unlock(r->model);
	r->read += b->bytes_len + MLPD_BUFFER_HEADER;
	if (r->read - r->reported > TELL_BYTES) {
		r->reported = r->read;
		pv_background_report(&r->job, NULL, r->read, r->total, true);
	}
	if (!ok)
		return fail_nomem(r);
	return !pv_background_stopping(&r->job);
}

static void tell_damage(struct pv_range_read *r, const struct pv_buffer_row *row)
{
	const struct pv_buffer_damage *d = &r->table.damage.v[row->change];
	pv_model_damage(r->model, d->offset, d->bytes, d->reason);
}

/* A pipe's spool moves on during reading: a margin above the floor is left out. */
static void look_at_floor(struct pv_range_read *r)
{
	uint64_t floor = pv_source_floor(r->in->source);
	r->plan.floor = floor && floor < r->table.end ? floor + (r->table.end - floor) / 64 : floor;
}

/* The next part to read; false when there is no more, or on failure. */
static bool on_next(void *ctx, struct pv_reread_part *ret)
{
	struct pv_range_read *r = ctx;
	bool ok = !r->row || pv_plan_done(&r->plan, r->row);
	look_at_floor(r);
	while (ok && (r->row = pv_plan_next(&r->plan, &ok)) != NULL) {
		pv_model_lock(r->model);
		ok = pv_plan_set_threads(&r->plan, r->model, r->row);
		if (ok && r->row->flags & PV_BUFFER_DAMAGE)
			tell_damage(r, r->row);
		pv_model_unlock(r->model);
		if (!ok)
			break;
		if (!(r->row->flags & PV_BUFFER_DAMAGE)) {
			*ret = (struct pv_reread_part){ r->row->offset, r->row->bytes };
			return true;
		}
		ok = pv_plan_done(&r->plan, r->row);
	}
	if (!ok)
		fail_nomem(r);
	return false;
}

static bool begin_model(struct pv_range_read *r)
{
	r->model = r->seed;
	r->seed = NULL;
	if (!pv_model_begin(r->model, &r->target))
		return fail_nomem(r);
	pv_model_know(r->model, &r->known);
	return true;
}

/* Marks everything that the log uses as known, even if its buffers were left out. */
static bool use_all(struct pv_range_read *r)
{
	struct pv_names *n = &r->model->names;
	bool ok = true;
	for (size_t i = 1; ok && i < r->method_key.n; i++)
		ok = !r->method_key.v[i] ||
		     pv_names_method(n, r->method_key.v[i], r->known.zero_ns) != 0;
	for (size_t i = 0; ok && i < r->class_key.n; i++)
		ok = pv_names_class(n, r->class_key.v[i], r->known.zero_ns) != 0;
	return ok;
}

/* Nothing of chosen requests lies outside of their times. */
static void set_plan(struct pv_range_read *r)
{
	const int64_t from = plus(r->known.zero_ns, r->wish.from_ns);
	const int64_t to = plus(r->known.zero_ns, r->wish.to_ns);
	const struct pv_request_times *c = r->wish.choose ? &r->chosen : NULL;
	r->plan = (struct pv_plan){ .table = &r->table,
		.method_key = r->method_key.v,
		.from_ns = c && c->from_ns > from ? c->from_ns : from,
		.to_ns = c && c->to_ns < to ? c->to_ns : to,
		.lag_ns = r->lag_ns };
}

static bool read_parts(struct pv_range_read *r)
{
	set_plan(r);
	struct pv_reread to = {
		.ctx = r, .buffer = on_range_buffer, .next = on_next, .err = &r->error
	};
	look_at_floor(r);
	if (!begin_model(r) || !pv_plan_bytes(&r->plan, &r->total))
		return fail_nomem(r);
	pv_background_report(&r->job, NULL, 0, r->total, true);
	if (!pv_reread_parts(&to, r->source, &r->table.format) || r->error.code != PV_OK)
		return false;
	pv_background_report(&r->job, NULL, r->read, r->total, true);
	pv_model_lock(r->model);
	r->model->gone = r->plan.gone;
	bool ok = pv_plan_set_threads(&r->plan, r->model, NULL) && use_all(r) &&
		  pv_model_know_end(r->model, &r->known);
	pv_model_unlock(r->model);
	return ok || fail_nomem(r);
}

/* --- from the whole input */

static bool read_whole(struct pv_range_read *r)
{
	struct pv_ingest_options o = { .jobs = r->in->options.jobs,
		.names = pv_source_floor(r->in->source) ? r->seed : NULL,
		.only = restriction(r) };
	struct pv_source *source = r->source;
	struct pv_ingest_status s;
	o.only.zero_known = true;
	o.only.zero_ns = r->known.zero_ns;
	r->source = NULL;
	r->again = pv_ingest_start(source, &o, &r->error);
	if (!r->again)
		return false;
	for (;;) {
		pv_ingest_status(r->again, &s);
		pv_background_report(&r->job, NULL, s.source.input_read, s.source.file_bytes, true);
		if (s.state == PV_INGEST_ENDED || s.state == PV_INGEST_FAILED)
			break;
		struct pollfd p[] = { { .fd = r->job.stop_fd, .events = POLLIN },
			{ .fd = pv_ingest_fd(r->again), .events = POLLIN } };
		if ((poll(p, 2, -1) < 0 && errno != EINTR) || p[0].revents)
			return false;
		pv_ingest_clear(r->again);
	}
	if (s.state == PV_INGEST_FAILED) {
		r->error = s.error;
		return false;
	}
	r->model = pv_ingest_adopt(r->again);
	pv_model_lock(r->model);
	pv_gc_take_allocated(&r->model->gc, r->known.collections.v, r->known.collections.n);
	pv_model_unlock(r->model);
	return true;
}

/* --- life */

static void *work_on_range(void *arg)
{
	struct pv_range_read *r = arg;
	bool ok = copy_from_shown(r) && (r->whole ? read_whole(r) : read_parts(r)) &&
		  !pv_background_stopping(&r->job);
	pv_background_end(&r->job, ok, &r->error);
	return NULL;
}

static void destroy_range_read(struct pv_background *j)
{
	struct pv_range_read *r = PV_OF(j, struct pv_range_read, job);
	pv_background_finish(j);
	if (!r->again)
		pv_model_destroy(r->model);
	pv_ingest_destroy(r->again);
	pv_model_destroy(r->seed);
	pv_source_close(r->source);
	pv_plan_finish(&r->plan);
	pv_buffers_finish(&r->table);
	pv_known_finish(&r->known);
	pv_array_finish(&r->method_key);
	pv_array_finish(&r->class_key);
	pv_array_finish(&r->thread);
	pv_request_times_finish(&r->chosen);
	free(r->requests);
	free(r);
}

struct pv_range_read *pv_range_start(
	struct pv_ingest *in, const struct pv_range_wish *wish, struct pv_error *reterr)
{
	struct pv_source *source = pv_source_again(in->source, reterr);
	if (!source)
		return NULL;
	struct pv_range_read *r = calloc(1, sizeof *r);
	if (!r) {
		pv_source_close(source);
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
		return NULL;
	}
	r->in = in;
	r->source = source;
	r->wish = *wish;
	r->wish.thread = NULL;
	r->wish.requests = NULL;
	r->requests = wish->choose ? strdup(wish->requests) : NULL;
	const bool known = (r->requests || !wish->choose) && pv_reserve(&r->thread, wish->threads);
	for (size_t i = 0; known && wish->thread && i < wish->threads; i++)
		r->thread.v[r->thread.n++] = wish->thread[i];
	if (pv_background_init(&r->job, NULL, destroy_range_read) && known &&
		pv_background_start(&r->job, work_on_range, r))
		return r;
	destroy_range_read(&r->job);
	pv_fail(reterr, PV_ENOMEM, 0, "cannot read the range: out of threads or descriptors");
	return NULL;
}

struct pv_background *pv_range_job(struct pv_range_read *r)
{
	return r ? &r->job : NULL;
}

struct pv_model *pv_range_model(struct pv_range_read *r)
{
	return pv_background_done(&r->job) ? r->model : NULL;
}

int64_t pv_range_until_ns(struct pv_range_read *r)
{
	return pv_background_done(&r->job) ? r->until_ns : 0;
}

bool pv_range_whole(struct pv_range_read *r)
{
	return pv_background_done(&r->job) && r->whole;
}

uint64_t pv_range_requests(struct pv_range_read *r)
{
	return pv_background_done(&r->job) ? r->chosen.requests : 0;
}
