/* SPDX-License-Identifier: MIT */
/* Frees the async facts that a grouping by name keeps. */
#include "common/query/async_kept.h"

#include <stdlib.h>

void pv_async_kept_finish(struct pv_async_kept *k)
{
	if (!k)
		return;
	free(k->role);
	free(k->usual);
	free(k);
}
