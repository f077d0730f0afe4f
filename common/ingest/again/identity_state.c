/* SPDX-License-Identifier: MIT */
/* Errors and progress of matching objects. */
#include "common/ingest/again/identity_read_parts.h"

bool pv_identity_nomem(struct pv_identity_read *r)
{
	return pv_fail(&r->error, PV_ENOMEM, 0, "out of memory");
}

void pv_identity_report(
	struct pv_identity_read *r, const char *phase, uint64_t step, uint64_t steps)
{
	pv_background_report(&r->job, phase, step, steps, true);
}
