/* SPDX-License-Identifier: MIT */
/* Matching the objects of two heap shots: choice of the shots, both readings, the result. */
#include "common/ingest/again/identity_read.h"

#include <stdlib.h>

#include "common/ingest/ingest_parts.h"
#include "common/ingest/again/identity_read_parts.h"
#include "common/model/persist.h"

/* --- choice of the shots */

static bool is_listed(const struct pv_identity_read *r, uint32_t shot)
{
	return r->shot.v[shot].whole && r->shot.v[shot].objects > 0;
}

static bool check(struct pv_identity_read *r, uint32_t shot)
{
	if (shot >= r->shot.n)
		return pv_fail(&r->error, PV_EUSAGE, 0, "there is no heap shot %u: the log has %zu",
			shot, r->shot.n);
	if (!r->shot.v[shot].whole)
		return pv_fail(&r->error, PV_EUSAGE, 0, "heap shot %u is not complete", shot);
	return is_listed(r, shot) ||
	       pv_fail(&r->error, PV_EUSAGE, 0, "heap shot %u lists no objects", shot);
}

/* Chooses the first and the last shot by default. */
static bool choose_shots(struct pv_identity_read *r, uint32_t *ret_base, uint32_t *ret_shot)
{
	const struct pv_identity_read_options *o = &r->options;
	uint32_t first = PV_IDENTITY_NO_SHOT, last = PV_IDENTITY_NO_SHOT;
	for (uint32_t i = 0; i < r->shot.n; i++) {
		if (!is_listed(r, i))
			continue;
		if (first == PV_IDENTITY_NO_SHOT)
			first = i;
		last = i;
	}
	if (first == last && (!o->single || first == PV_IDENTITY_NO_SHOT))
		return pv_fail(&r->error, PV_EUSAGE, 0, "%s%s",
			first == PV_IDENTITY_NO_SHOT
				? "the log has no heap shot that lists objects"
				: "the log has only one heap shot that lists objects",
			pv_source_floor(r->in->source)
				? " and is still kept: more came through the pipe since than the "
				  "spool holds (--spool, --record)"
				: "");
	*ret_base = o->base == PV_IDENTITY_NO_SHOT ? first : o->base;
	*ret_shot = o->shot == PV_IDENTITY_NO_SHOT ? last : o->shot;
	if (o->single && *ret_base > *ret_shot)
		*ret_base = *ret_shot;
	if (!check(r, *ret_base) || !check(r, *ret_shot))
		return false;
	return *ret_base < *ret_shot || (o->single && *ret_base == *ret_shot) ||
	       pv_fail(&r->error, PV_EUSAGE, 0,
		       "the base, heap shot %u, is not before heap shot %u", *ret_base, *ret_shot);
}

/*
 * Rungs of the ladder: all shots up to the last, or some of them, evenly; both ends of
 * the diff.
 */
static size_t steps(const struct pv_identity_read *r, uint32_t base, uint32_t shot, uint32_t *to)
{
	size_t all = 0, n = 0, k = 0;
	for (uint32_t i = 0; i <= shot; i++)
		all += is_listed(r, i);
	for (uint32_t i = 0; i <= shot; i++) {
		if (!is_listed(r, i))
			continue;
		/* two are reserved for the ends */
		bool even =
			all <= PV_IDENTITY_STEPS || k * (PV_IDENTITY_STEPS - 2) / all !=
							    (k + 1) * (PV_IDENTITY_STEPS - 2) / all;
		if (even || i == base || i == shot)
			to[n++] = i;
		k++;
	}
	return n;
}

static bool begin_identity(struct pv_identity_read *r)
{
	uint32_t rung[PV_IDENTITY_STEPS + 2];
	struct pv_identity_options o = { .steps = rung,
		.allocs = r->allocs > 0 && !r->model->allocs.period,
		.sampled = r->model->allocs.period != 0,
		.moves = r->moves > 0 || r->collections == 0,
		.by_address = r->options.by_address };
	if (!choose_shots(r, &o.base, &o.shot))
		return false;
	o.n_steps = steps(r, o.base, o.shot, rung);
	if (!pv_identity_init(&r->identity, &o))
		return pv_identity_nomem(r);
	r->identity.lost = r->model->lost_events;
	r->identity.damaged = r->damaged || r->model->damaged;
	r->identity.unordered = r->other_family;
	return true;
}

/* --- life */

static bool look_at_ingest(struct pv_identity_read *r)
{
	struct pv_ingest *in = r->in;
	pthread_mutex_lock(&in->life);
	pv_model_lock(in->model);
	r->target = in->model->target;
	bool ok = true;
	if (pv_source_floor(in->source)) {
		r->seed = pv_model_create(NULL);
		ok = r->seed && pv_model_copy_names(in->model, r->seed);
	}
	pv_model_unlock(in->model);
	pthread_mutex_unlock(&in->life);
	return ok || pv_identity_nomem(r);
}

static bool read_identity(struct pv_identity_read *r)
{
	return look_at_ingest(r) && pv_identity_plan(r) && begin_identity(r) &&
	       pv_identity_merge(r) &&
	       (r->identity.done ||
		       pv_fail(&r->error, PV_EIO, 0, "the heap shot was not found again"));
}

static void *work_on_identity(void *arg)
{
	struct pv_identity_read *r = arg;
	bool ok = read_identity(r) && !pv_background_stopping(&r->job);
	pv_array_finish(&r->buffer);
	pv_array_finish(&r->writer);
	pv_map_finish(&r->writer_of);
	pv_background_end(&r->job, ok, &r->error);
	return NULL;
}

static void destroy_identity_read(struct pv_background *j)
{
	struct pv_identity_read *r = PV_OF(j, struct pv_identity_read, job);
	pv_background_finish(j);
	pv_identity_finish(&r->identity);
	pv_model_destroy(r->model);
	pv_model_destroy(r->seed);
	pv_array_finish(&r->shot);
	free(r);
}

struct pv_identity_read *pv_identity_read_start(struct pv_ingest *in,
	const struct pv_identity_read_options *options, struct pv_error *reterr)
{
	struct pv_source *source = pv_source_again(in->source, reterr);
	if (!source)
		return NULL;
	pv_source_close(source); /* can be read twice: each reading opens the source anew */
	struct pv_identity_read *r = calloc(1, sizeof *r);
	if (!r) {
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
		return NULL;
	}
	r->in = in;
	r->options = *options;
	if (pv_background_init(&r->job, "looking for objects", destroy_identity_read) &&
		pv_background_start(&r->job, work_on_identity, r))
		return r;
	destroy_identity_read(&r->job);
	pv_fail(reterr, PV_ENOMEM, 0, "cannot follow objects: out of threads or descriptors");
	return NULL;
}

struct pv_background *pv_identity_read_job(struct pv_identity_read *r)
{
	return r ? &r->job : NULL;
}

const struct pv_identity *pv_identity_read_result(struct pv_identity_read *r)
{
	return pv_background_done(&r->job) ? &r->identity : NULL;
}

struct pv_model *pv_identity_read_model(struct pv_identity_read *r)
{
	return pv_background_done(&r->job) ? r->model : NULL;
}
