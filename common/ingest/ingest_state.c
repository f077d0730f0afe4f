/* SPDX-License-Identifier: MIT */
/* State and errors of an ingest, and the signal to its user. */
#include "common/ingest/ingest_parts.h"

#include <errno.h>
#include <unistd.h>

void pv_ingest_signal(int fd)
{
	uint64_t one = 1;
	while (write(fd, &one, sizeof one) < 0 && errno == EINTR)
		;
}

void pv_ingest_set_state(struct pv_ingest *in, enum pv_ingest_state state)
{
	pthread_mutex_lock(&in->lock);
	bool changed = in->status.state != state;
	in->status.state = state;
	pthread_mutex_unlock(&in->lock);
	if (changed)
		pv_ingest_signal(in->changed_fd);
}

bool pv_ingest_fail(struct pv_ingest *in, const struct pv_error *error)
{
	pthread_mutex_lock(&in->lock);
	in->status.error = *error;
	pthread_mutex_unlock(&in->lock);
	pv_ingest_set_state(in, PV_INGEST_FAILED);
	return false;
}

bool pv_ingest_fail_nomem(struct pv_ingest *in)
{
	struct pv_error e;
	pv_fail(&e, PV_ENOMEM, in->stream.offset, "out of memory");
	return pv_ingest_fail(in, &e);
}
