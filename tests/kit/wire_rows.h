/* SPDX-License-Identifier: MIT */
/* Events made from the rows themselves: every field has a value of its own, every list entries. */
#ifndef PV_TESTS_WIRE_ROWS_H
#define PV_TESTS_WIRE_ROWS_H

#include "common/format/mlpd/mlpd.h"

/* Whether the encoder would write an event of this row in this format. */
bool wire_row_is_written(const struct mlpd_row *row, const struct mlpd_format *f);

/*
 * An event of the row with values that its format can hold. `salt` (small) makes two events of a
 * row differ; lists and their entries grow the pools.
 */
struct pv_event wire_row_event(const struct mlpd_row *row, const struct mlpd_format *f,
	unsigned salt, struct pv_batch *pools);

#endif
