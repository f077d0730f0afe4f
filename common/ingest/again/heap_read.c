/* SPDX-License-Identifier: MIT */
/*
 * Reads a heap shot again and makes its graph: from the shot's place, or from the beginning of the
 * log.
 */
#include "common/ingest/again/heap_read.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/heap/graph_build.h"
#include "common/ingest/ingest_parts.h"
#include "common/ingest/again/reread.h"

enum { SIGNAL_NS = 50 * 1000 * 1000 };

struct pv_heap_read {
	struct pv_ingest *in; /* borrowed */
	struct pv_heap_read_options options;
	struct pv_source *source;
	struct pv_background job;

	/* only for the job's thread */
	struct pv_model *model; /* borrowed */
	struct pv_target_info target;
	struct pv_shot place; /* position; the lists are not used */
	uint64_t stream_bytes, read;
	struct pv_graph_build *build;
	bool right; /* the current recording is the model's */
	bool part_given;
	int64_t signalled_ns;
	struct pv_error error;
	struct pv_heap heap;
};

/* Reports progress; false when cancelled. */
static bool heap_goes_on(void *ctx, const char *phase, uint64_t done, uint64_t total)
{
	struct pv_heap_read *r = ctx;
	int64_t now = pv_ingest_now();
	bool wake = now - r->signalled_ns > SIGNAL_NS;
	if (wake)
		r->signalled_ns = now;
	pv_background_report(&r->job, phase, done, total, wake);
	return !pv_background_stopping(&r->job);
}

static bool cancelled(struct pv_heap_read *r)
{
	return pv_fail(&r->error, PV_ECANCELLED, 0, "cancelled");
}

/* --- the shot and its place */

static bool no_such_shot(struct pv_error *err, uint32_t asked, uint32_t shots)
{
	if (shots == 0)
		return pv_fail(err, PV_EUSAGE, 0,
			"there is no heap shot %" PRIu32 ": the log has none", asked);
	return pv_fail(err, PV_EUSAGE, 0,
		"there is no heap shot %" PRIu32 ": the log has %" PRIu32 ", counted from 0", asked,
		shots);
}

/* Finds the place of the shot. With the model's lock held. */
static bool find_shot(struct pv_heap_read *r)
{
	const struct pv_heap_shots *s = &r->model->shots;
	r->place = (struct pv_shot){ .at = UINT64_MAX };
	if (r->options.shot >= s->next_index)
		return no_such_shot(&r->error, r->options.shot, s->next_index);
	for (size_t i = 0; i < s->shot.n; i++) {
		if (s->shot.v[i].index != r->options.shot)
			continue;
		if (s->shot.v[i].open && !r->model->ended)
			return pv_fail(&r->error, PV_EUSAGE, 0,
				"heap shot %" PRIu32 " is still being read", r->options.shot);
		r->place.at = s->shot.v[i].at;
		r->place.skip = s->shot.v[i].skip;
		r->place.start_ns = s->shot.v[i].start_ns;
		r->place.summary = s->shot.v[i].summary;
	}
	if (r->place.summary)
		return pv_fail(&r->error, PV_EUSAGE, 0,
			"heap shot %" PRIu32 " is a summary: it lists no objects", r->options.shot);
	return true;
}

static bool look_at_recording(struct pv_heap_read *r)
{
	struct pv_ingest *in = r->in;
	pthread_mutex_lock(&in->lock);
	r->stream_bytes = in->status.stream_bytes;
	pthread_mutex_unlock(&in->lock);
	pthread_mutex_lock(&in->life);
	r->model = in->shown;
	pv_model_lock(r->model);
	r->target = r->model->target;
	bool ok = find_shot(r);
	pv_model_unlock(r->model);
	pthread_mutex_unlock(&in->life);
	return ok;
}

static uint8_t rules(const struct pv_heap_read *r)
{
	return r->target.rules ? r->target.rules : r->target.data_version;
}

/* --- reading */

static bool on_heap_header(void *ctx, const struct mlpd_header *h)
{
	struct pv_heap_read *r = ctx;
	bool right = r->target.logging2007 ||
		     (h->pid == r->target.pid && h->start_time_ms == r->target.start_time_ms);
	if (!right)
		pv_graph_build_reset(r->build);
	r->right = right;
	return true;
}

static bool on_heap_buffer(void *ctx, const struct mlpd_buffer_header *h, const struct pv_batch *b)
{
	struct pv_heap_read *r = ctx;
	(void)h;
	r->read += b->bytes_len + MLPD_BUFFER_HEADER;
	if (r->right && !pv_graph_build_add(r->build, b, &r->error))
		return false;
	uint64_t left = r->part_given ? r->stream_bytes - r->place.at : r->stream_bytes;
	if (!heap_goes_on(r, "reading", r->read, r->read < left ? left : 0))
		return cancelled(r);
	return !pv_graph_build_done(r->build);
}

/* One part: from the shot's buffer to the end. */
static bool on_next(void *ctx, struct pv_reread_part *ret)
{
	struct pv_heap_read *r = ctx;
	if (r->part_given || r->place.at >= r->stream_bytes)
		return false;
	r->part_given = true;
	*ret = (struct pv_reread_part){ r->place.at, r->stream_bytes - r->place.at };
	return true;
}

static bool begin_graph(struct pv_heap_read *r, uint32_t skip)
{
	pv_graph_build_destroy(r->build);
	r->read = 0;
	r->build = pv_graph_build_create(&(struct pv_graph_build_options){ .shot = r->options.shot,
		.skip = skip,
		.rules = rules(r),
		.handles = r->options.weak });
	return r->build || pv_fail(&r->error, PV_ENOMEM, 0, "out of memory");
}

/* Before 15 a shot's roots precede the shot; weak handles may come anywhere before. */
static bool can_begin_inside(const struct pv_heap_read *r)
{
	return r->place.at != UINT64_MAX && rules(r) >= 15 && !r->options.weak &&
	       rules(r) == r->target.data_version;
}

/* *ret_found: the shot is there. False: reading must not go on. */
static bool read_inside(struct pv_heap_read *r, struct pv_reread *to, bool *ret_found)
{
	const struct mlpd_format format = { rules(r), r->target.header_major,
		r->target.pointer_size, 0 };
	if (!begin_graph(r, r->place.skip))
		return false;
	r->right = true;
	pv_reread_parts(to, r->source, &format);
	*ret_found =
		pv_graph_build_done(r->build) && pv_graph_build_time(r->build) == r->place.start_ns;
	return r->error.code == PV_OK || *ret_found;
}

static bool read_shot(struct pv_heap_read *r)
{
	struct pv_reread to = { .ctx = r,
		.header = on_heap_header,
		.buffer = on_heap_buffer,
		.next = on_next,
		.err = &r->error };
	bool found = false;
	if (can_begin_inside(r) && (!read_inside(r, &to, &found) || found))
		return found;
	if (r->part_given) { /* not at its place */
		struct pv_source *again = pv_source_again(r->in->source, &r->error);
		if (!again)
			return false;
		pv_source_close(r->source);
		r->source = again;
		r->part_given = false;
	}
	if (!begin_graph(r, r->options.shot))
		return false;
	pv_reread_source(&to, r->source);
	if (pv_graph_build_begun(r->build) && r->error.code == PV_OK)
		return true;
	return r->error.code == PV_OK &&
	       pv_fail(&r->error, PV_EIO, 0, "heap shot %" PRIu32 " was not found again",
		       r->options.shot);
}

static bool make_heap(struct pv_heap_read *r)
{
	const struct pv_progress progress = { r, heap_goes_on };
	struct pv_graph graph;
	bool ok = pv_graph_build_finish(r->build, r->model, &progress, &graph, &r->error);
	pv_graph_build_destroy(r->build);
	r->build = NULL;
	return ok && pv_heap_init(&r->heap, &graph, r->options.weak, r->options.classes, &progress,
			     &r->error);
}

/* --- life */

static void *work_on_heap(void *arg)
{
	struct pv_heap_read *r = arg;
	bool ok = read_shot(r) && make_heap(r);
	pv_source_close(r->source);
	r->source = NULL;
	pv_background_end(&r->job, ok, &r->error);
	return NULL;
}

/*
 * Opens the input again. The shot may have left a pipe's spool; its beginning must still be there.
 */
static bool open_again(struct pv_heap_read *r)
{
	uint64_t floor = pv_source_floor(r->in->source);
	if (floor > (can_begin_inside(r) ? r->place.at : 0))
		return pv_fail(&r->error, PV_EUSAGE, 0,
			"heap shot %" PRIu32 " is no longer kept: more came through the pipe since "
			"than the spool holds (--spool, --record)",
			r->options.shot);
	r->source = pv_source_again(r->in->source, &r->error);
	return r->source != NULL;
}

static void destroy_heap_read(struct pv_background *j)
{
	struct pv_heap_read *r = PV_OF(j, struct pv_heap_read, job);
	pv_background_finish(j);
	pv_graph_build_destroy(r->build);
	pv_heap_finish(&r->heap);
	pv_source_close(r->source);
	free(r);
}

struct pv_heap_read *pv_heap_read_start(
	struct pv_ingest *in, const struct pv_heap_read_options *options, struct pv_error *reterr)
{
	struct pv_heap_read *r = calloc(1, sizeof *r);
	if (!r) {
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
		return NULL;
	}
	r->in = in;
	r->options = *options;
	if (!pv_background_init(&r->job, "reading", destroy_heap_read))
		pv_fail(&r->error, PV_ENOMEM, 0, "out of descriptors");
	else if (look_at_recording(r) && open_again(r) &&
		 pv_background_start(&r->job, work_on_heap, r))
		return r;
	else if (r->error.code == PV_OK)
		pv_fail(&r->error, PV_ENOMEM, 0, "out of threads");
	if (reterr)
		*reterr = r->error;
	destroy_heap_read(&r->job);
	return NULL;
}

struct pv_background *pv_heap_read_job(struct pv_heap_read *r)
{
	return r ? &r->job : NULL;
}

const struct pv_heap *pv_heap_read_heap(struct pv_heap_read *r)
{
	return pv_background_done(&r->job) ? &r->heap : NULL;
}
