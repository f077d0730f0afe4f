/* SPDX-License-Identifier: MIT */
/*
 * Functions that a compiler inlined at an address, by the debug information (DWARF) of one file.
 * Nothing is read before the first question, for which the file's units are listed; a unit's
 * functions are listed when an address in the unit is asked for. Debug information may be of any
 * size, and damaged: a budget for all files of a log bounds the amount passed over. One thread at a
 * time.
 */
#ifndef PV_MODEL_INLINED_H
#define PV_MODEL_INLINED_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/model/names/symbols.h"

enum { PV_INLINED_LEVELS = 128 };

/*
 * Remaining debug information that may be passed over: bytes, ranges of addresses kept, bytes of
 * line programs (libdw makes up to 40 bytes of memory of each), and bytes to which sections may be
 * unpacked.
 */
struct pv_inlined_budget {
	uint64_t bytes, ranges, lines, unpacked;
};

/* 512 MiB: some seconds; a million ranges take 24 MB; 16 MiB of lines at most 640 MiB. */
#define PV_INLINED_BUDGET                                                                          \
	((struct pv_inlined_budget){ UINT64_C(512) << 20, 1 << 20, 16 << 20, UINT64_C(4) << 30 })

struct pv_inlined; /* debug information of one file */

/* NULL: nothing. */
void pv_inlined_free(struct pv_inlined *x);

/*
 * The names of the functions inlined at the address, outermost first, as the linker would know them
 * where the file has linkage names: at most PV_INLINED_DEPTH, deeper ones are left out. They live
 * as long as `in`. Returns their number. 0: none are known, or the budget is used up, then with
 * bytes or ranges 0. *x is made when NULL.
 */
size_t pv_inlined_find(struct pv_inlined **x, Dwfl_Module *in, uint64_t address,
	struct pv_inlined_budget *budget, const char *ret_names[PV_INLINED_DEPTH]);

/*
 * Likewise the lines of the calls of inlined functions, by the file table of the unit, whose lines
 * are paid for. *ret_start: the line where the innermost function is declared. Lines 0: not known.
 */
size_t pv_inlined_calls(struct pv_inlined **x, Dwfl_Module *in, Dwarf_Die *unit, uint64_t address,
	struct pv_inlined_budget *budget, struct pv_source_line ret[PV_INLINED_DEPTH],
	uint32_t *ret_start);

/*
 * The unit of the address, for files without .debug_aranges; *ret_bias: from the unit's addresses
 * to addresses in memory. False: no known unit.
 */
bool pv_inlined_unit(struct pv_inlined **x, Dwfl_Module *in, uint64_t address,
	struct pv_inlined_budget *budget, Dwarf_Die *ret, uint64_t *ret_bias);

/*
 * Takes the line program of the unit from the budget; to be called once before libdw runs the
 * program. False: there is none, or the rest of the budget is smaller, and becomes 0.
 */
bool pv_inlined_pay_lines(const Dwarf_Die *unit, struct pv_inlined_budget *budget);

#endif
