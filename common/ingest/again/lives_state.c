#include "common/ingest/again/lives_read_parts.h"

bool pv_lives_nomem(struct pv_lives_read *r)
{
	return pv_fail(&r->error, PV_ENOMEM, 0, "out of memory");
}

void pv_lives_tell(struct pv_lives_read *r, const char *phase, uint64_t step, uint64_t steps)
{
	pthread_mutex_lock(&r->job.lock);
	r->status.phase = phase;
	r->status.step = step;
	r->status.steps = steps;
	pthread_mutex_unlock(&r->job.lock);
	pv_reading_changed(&r->job);
}
