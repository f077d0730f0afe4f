/*
 * Which functions a compiler inlined at an address, by the debug information (DWARF) of one file.
 * Nothing is read before the first question: that lists the file's units; a unit's functions are
 * listed when an address in it is asked for. Debug information may be of any size, and damaged: how
 * much of it is passed over, for all files of a log, is bounded by a budget. One thread at a time.
 */
#ifndef PV_MODEL_INLINED_H
#define PV_MODEL_INLINED_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/model/names/symbols.h"

enum { PV_INLINED_LEVELS = 128 };

/* Of debug information that may still be passed over: bytes, and ranges of addresses kept. */
struct pv_inlined_budget {
	uint64_t bytes, ranges;
};

/* 512 MiB: some seconds; a million ranges take 24 MB. */
#define PV_INLINED_BUDGET ((struct pv_inlined_budget){ UINT64_C(512) << 20, 1 << 20 })

struct pv_inlined; /* debug information of one file */

/* NULL: nothing. */
void pv_inlined_free(struct pv_inlined *x);

/*
 * The names of the functions inlined at the address, outermost first, as the linker would know them
 * where the file says so: at most PV_INLINED_DEPTH, deeper ones are left out. They live as long as
 * `in`. Returns how many. 0: none are known, or the budget is used up, which it then says (bytes or
 * ranges 0). *x is made when it is NULL.
 */
size_t pv_inlined_find(struct pv_inlined **x, Dwfl_Module *in, uint64_t address,
	struct pv_inlined_budget *budget, const char *ret_names[PV_INLINED_DEPTH]);

/*
 * The unit that the address is in, for files without .debug_aranges; *ret_bias: from its addresses
 * to those in memory. False: it is in none that is known.
 */
bool pv_inlined_unit(struct pv_inlined **x, Dwfl_Module *in, uint64_t address,
	struct pv_inlined_budget *budget, Dwarf_Die *ret, uint64_t *ret_bias);

#endif
