/* SPDX-License-Identifier: MIT */
/* Private to logical.c: async facts kept with a grouping by name, under the model's lock. */
#ifndef PV_QUERY_ASYNC_KEPT_H
#define PV_QUERY_ASYNC_KEPT_H

#include <stdbool.h>
#include <stdint.h>

struct pv_async_kept {
	uint8_t *role;          /* by group, enum pv_async_role */
	bool any;               /* some method is a body, or resumes bodies */
	struct pv_usual *usual; /* by group; NULL: not asked for yet */
	bool turned[2];         /* by stacks, by call tree: callers differ from the recorded ones */
	uint64_t generation;    /* of the model when `turned` was found */
};

void pv_async_kept_finish(struct pv_async_kept *k); /* NULL is fine */

#endif
