/* SPDX-License-Identifier: MIT */
/* Calls of an ingest's user, on the user's thread. */
#include <errno.h>
#include <unistd.h>

#include "common/ingest/ingest_parts.h"

struct pv_model *pv_ingest_adopt(struct pv_ingest *in)
{
	pthread_mutex_lock(&in->life);
	pthread_mutex_lock(&in->lock);
	struct pv_model *old = in->shown != in->model ? in->shown : NULL;
	in->shown = in->model;
	struct pv_model *m = in->shown;
	pthread_mutex_unlock(&in->lock);
	pv_model_destroy(old);
	pthread_mutex_unlock(&in->life);
	return m;
}

void pv_ingest_cut(struct pv_ingest *in)
{
	uint64_t one = 1;
	while (write(in->cut_fd, &one, sizeof one) < 0 && errno == EINTR)
		;
}

/* With the lock held. */
static void copy_status(struct pv_ingest *in, struct pv_ingest_status *ret)
{
	*ret = in->status;
	pv_meter_rates(&in->meter, pv_ingest_now(), &ret->bytes_per_s, &ret->events_per_s);
}

void pv_ingest_status(struct pv_ingest *in, struct pv_ingest_status *ret)
{
	pthread_mutex_lock(&in->lock);
	copy_status(in, ret);
	pthread_mutex_unlock(&in->lock);
}

bool pv_ingest_status_now(struct pv_ingest *in, struct pv_ingest_status *ret)
{
	if (pthread_mutex_trylock(&in->lock) != 0)
		return false;
	copy_status(in, ret);
	pthread_mutex_unlock(&in->lock);
	return true;
}

int pv_ingest_fd(const struct pv_ingest *in)
{
	return in->changed_fd;
}

void pv_ingest_record_wait(struct pv_ingest *in)
{
	struct pv_source_info info;
	pv_source_record_wait(in->source);
	pv_source_info(in->source, &info);
	pthread_mutex_lock(&in->lock);
	in->status.source = info;
	pthread_mutex_unlock(&in->lock);
}

void pv_ingest_clear(struct pv_ingest *in)
{
	uint64_t n;
	while (read(in->changed_fd, &n, sizeof n) < 0 && errno == EINTR)
		;
}
