/* SPDX-License-Identifier: MIT */
/* Log times as cells of a table. */
#include "common/query/groups/specs.h"

void pv_cell_time(struct pv_cell *c, const struct pv_model *m, int64_t log_ns)
{
	if (log_ns == PV_NEVER)
		pv_cell_null(c);
	else
		pv_cell_i(c, (int64_t)((uint64_t)log_ns - (uint64_t)m->zero_ns));
}
