/* SPDX-License-Identifier: MIT */
/* The fast decoder of consecutive plain events (pv_kind_is_plain). One thread a decoder. */
#ifndef PV_FORMAT_MLPD_WIDE_H
#define PV_FORMAT_MLPD_WIDE_H

#include "common/format/mlpd/mlpd_plain.h"

/*
 * Decodes plain events from the decoder's cursor on into its batch, as mlpd_decode_next() would;
 * returns how many. Stops before any other event, near the end of the payload, and without memory,
 * where mlpd_decode_next() goes on.
 */
size_t mlpd_wide_run(struct mlpd_decoder *d);

/* Whether the event at the cursor, which is not at the end, may be plain: else no need to try. */
static inline bool mlpd_may_be_plain(const struct mlpd_decoder *d)
{
	uint16_t row = d->rows ? d->rows[*d->c.at] : MLPD_NO_ROW;
	return row == MLPD_BY_SUB || (row != MLPD_NO_ROW && pv_kind_is_plain(mlpd_rows[row].kind));
}

#endif
