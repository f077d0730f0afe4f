/*
 * Private to the query layer: figures of methods by row of a grouping. Those of whole recordings
 * stay with the grouping while the model is the same, as Home asks for them three times. They do
 * not change once made, and live until their last reference is dropped, on any thread.
 */
#ifndef PV_QUERY_METHOD_SUMS_H
#define PV_QUERY_METHOD_SUMS_H

#include "common/model/calls/calls.h"
#include "common/query/groups.h"

struct pv_method_sums {
	uint64_t generation; /* of the model, where kept */
	uint32_t refs;       /* atomic */
	struct pv_method_sum v[];
};

/* All 0, with one reference, the caller's. NULL when out of memory. */
struct pv_method_sums *pv_method_sums_create(const struct pv_groups *g);
/*
 * Of all that was recorded, open calls included (pv_calls_flat()), with a reference for the caller.
 * Under the model's lock. NULL when out of memory.
 */
struct pv_method_sums *pv_method_sums_whole(const struct pv_model *m, const struct pv_groups *g);
/*
 * Figures of methods that have a row together, each stack counted once: of that row `row_of` gives of
 * the name; other numbers than those below `rows` are no row. `ret` has rows + 1 entries. It takes the
 * model's lock; false when out of memory.
 */
bool pv_method_totals(struct pv_model *m, uint32_t (*row_of)(void *ctx, const char *name),
	void *ctx, size_t rows, struct pv_method_sum *ret);
/* NULL is fine. */
void pv_method_sums_give_back(struct pv_method_sums *s);

#endif
