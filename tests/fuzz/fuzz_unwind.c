/* SPDX-License-Identifier: MIT */
/*
 * Bytes -> unwind tables of a file that has them as .eh_frame_hdr and .eh_frame: any input must
 * end, in time and memory linear in the bytes, and what was built can be searched.
 *
 * Bit 0 of the first byte: the file is small. Then 16 bits, little-endian: the size of .eh_frame_hdr;
 * its bytes; those of .eh_frame, which follows it in the file.
 */
#include <stdlib.h>
#include <string.h>

#include "probe/unwind/unwind_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static bool same(const struct pvp_row *a, const struct pvp_row *b)
{
	return a->rule == b->rule && a->cfa == b->cfa && a->fp == b->fp;
}

static void check_rows(const struct pvp_unwind_table *t, size_t n)
{
	enum { FOR_A_BYTE = 512, FOR_NOTHING = 1 << 16 };
	must(t->n >= 2 && t->rows[t->n - 1].rule == PVP_RULE_NONE);
	must(t->bytes < n * FOR_A_BYTE + FOR_NOTHING);
	for (uint32_t i = 0; i + 1 < t->n; i++) {
		must(t->rows[i].pc < t->rows[i + 1].pc && t->rows[i].rule <= PVP_RULE_OTHER);
		must(!same(&t->rows[i], &t->rows[i + 1]));
	}
	for (uint32_t i = 0; i + 1 < t->n_starts; i++)
		must(t->starts[i] < t->starts[i + 1]);
}

static void check_found(const struct pvp_unwind_table *t)
{
	for (uint32_t i = 0; i + 1 < t->n; i++) {
		uint64_t start, end, pc = t->rows[i].pc;
		must(pvp_unwind_find(t, pc) == &t->rows[i]);
		must(pvp_unwind_find(t, t->rows[i + 1].pc - 1) == &t->rows[i]);
		if (pvp_unwind_function(t, pc, &start, &end))
			must(start <= pc && pc < end);
		else
			must(t->rows[i].rule == PVP_RULE_NONE);
	}
	must(!pvp_unwind_find(t, UINT64_MAX) && !pvp_unwind_find(t, t->rows[t->n - 1].pc));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	enum { FRONT = 3, ADDRESS = 0x1000, SMALL = 1 << 16, WORD = 4 };
	if (n < FRONT)
		return 0;
	size_t header = bytes[1] | (size_t)bytes[2] << 8;
	header = header < n - FRONT ? header : n - FRONT;
	uint64_t frames = ADDRESS + (header + WORD - 1) / WORD * WORD, found;
	struct pvp_eh eh = { { bytes + FRONT, header, ADDRESS },
		{ bytes + FRONT + header, n - FRONT - header, frames }, 0,
		bytes[0] & 1 ? SMALL : UINT32_MAX };
	pvp_eh_frames(&eh.header, &found);
	struct pvp_unwind_table *t = pvp_unwind_build(&eh);
	if (t) {
		check_rows(t, n);
		check_found(t);
	}
	free(t);
	return 0;
}
