/* SPDX-License-Identifier: MIT */
/* Searches a table for the row or the function of an address. */
#include "probe/unwind/unwind_table.h"

/* The last row of [low, high] not above pc; rows[low] if none is. */
static uint32_t last_row(const struct pvp_row *rows, uint32_t low, uint32_t high, uint64_t pc)
{
	while (low < high) {
		uint32_t middle = low + (high - low + 1) / 2;
		if (rows[middle].pc <= pc)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

const struct pvp_row *pvp_unwind_find(const struct pvp_unwind_table *t, uint64_t pc)
{
	if (pc < t->rows[0].pc || pc >= t->rows[t->n - 1].pc)
		return NULL;
	uint64_t i = (pc - t->rows[0].pc) >> t->shift;
	uint32_t high = i + 1 < t->n_index ? t->index[i + 1] : t->n - 1;
	return &t->rows[last_row(t->rows, t->index[i], high, pc)];
}

bool pvp_unwind_function(
	const struct pvp_unwind_table *t, uint64_t pc, uint64_t *ret_start, uint64_t *ret_end)
{
	const struct pvp_row *row = pvp_unwind_find(t, pc), *end = t->rows + t->n;
	if (!row || row->rule == PVP_RULE_NONE)
		return false;
	uint32_t low = 0, high = t->n_starts - 1;
	while (low < high) {
		uint32_t middle = low + (high - low + 1) / 2;
		if (t->starts[middle] <= pc)
			low = middle;
		else
			high = middle - 1;
	}
	*ret_start = t->starts[low];
	uint64_t next = low + 1 < t->n_starts ? t->starts[low + 1] : UINT64_MAX;
	while (row < end && row->rule != PVP_RULE_NONE && row->pc < next)
		row++;
	if (ret_end)
		*ret_end = row < end && row->pc < next ? row->pc : next;
	return true;
}
