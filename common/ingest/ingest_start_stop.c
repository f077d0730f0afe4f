/* SPDX-License-Identifier: MIT */
/* The beginning and the end of an ingest, on its caller's thread. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/base/system/thread.h"
#include "common/ingest/ingest_parts.h"
#include "common/model/persist.h"
#include "common/model/time/window.h"

static unsigned workers(unsigned jobs)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	if (jobs == 0)
		jobs = cores > 1 ? (unsigned)cores : 1;
	return jobs - 1;
}

static bool start_thread(struct pv_ingest *in)
{
	in->started = pv_thread_start(&in->thread, pv_ingest_thread, in);
	return in->started;
}

static bool create_model(struct pv_ingest *in)
{
	in->model = in->shown = pv_model_create(&in->options.only);
	if (in->model && in->options.no_window)
		pv_window_off(in->model);
	return in->model &&
	       (!in->options.names || pv_model_copy_names(in->options.names, in->model));
}

struct pv_ingest *pv_ingest_start(
	struct pv_source *source, const struct pv_ingest_options *options, struct pv_error *reterr)
{
	struct pv_ingest *in = calloc(1, sizeof *in);
	if (!in) {
		pv_source_close(source);
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
		return NULL;
	}
	in->source = source;
	in->options = *options;
	in->status.lag_ns = -1;
	pthread_mutex_init(&in->life, NULL);
	pthread_mutex_init(&in->lock, NULL);
	in->changed_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	in->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	in->cut_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pv_source_info(source, &in->status.source);
	bool ok = in->changed_fd >= 0 && in->stop_fd >= 0 && in->cut_fd >= 0 &&
		  (in->pool = pv_decode_pool_create(workers(options->jobs), options->give_way)) &&
		  create_model(in) && pv_ingest_renew_table(in) && start_thread(in);
	if (ok)
		return in;
	pv_ingest_destroy(in);
	pv_fail(reterr, PV_ENOMEM, 0, "cannot start reading: out of memory or threads");
	return NULL;
}

void pv_ingest_leave(struct pv_ingest *in)
{
	pv_decode_pool_destroy(in->pool);
	in->pool = NULL;
	pv_stream_finish(&in->stream);
	pv_reorder_finish(&in->reorder);
	pv_array_finish(&in->carry);
	pv_thread_numbers_finish(&in->numbers);
}

void pv_ingest_destroy(struct pv_ingest *in)
{
	if (!in)
		return;
	if (in->started) {
		__atomic_store_n(&in->stop, true, __ATOMIC_RELEASE);
		pv_ingest_signal(in->stop_fd);
		pthread_join(in->thread, NULL);
	}
	pv_ingest_leave(in);
	if (in->shown != in->model)
		pv_model_destroy(in->shown);
	pv_model_destroy(in->model);
	pv_buffers_destroy(in->table);
	pv_source_close(in->replay);
	pv_source_close(in->source);
	close(in->changed_fd);
	close(in->stop_fd);
	close(in->cut_fd);
	pthread_mutex_destroy(&in->lock);
	pthread_mutex_destroy(&in->life);
	free(in);
}
