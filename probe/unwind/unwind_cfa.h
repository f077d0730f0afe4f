/* SPDX-License-Identifier: MIT */
/*
 * The entries of .eh_frame, and their programs run: parts of unwind_build.c. Any thread. Sources:
 * unwind_table.h
 */
#ifndef PV_PROBE_UNWIND_CFA_H
#define PV_PROBE_UNWIND_CFA_H

#include "common/base/cursor.h"
#include "probe/unwind/unwind_table.h"

/* A rule for CFA, rbp and return address, as made by the instructions. */
struct pvp_cfa {
	uint8_t special; /* enum pvp_rule, or PVP_RULE_NONE: register and offset */
	uint8_t ra;      /* enum pvp_cfa_ra */
	int8_t fp;
	uint32_t reg;
	int64_t offset; /* bytes; for special rules as in a row */
};

/* A CIE: facts shared by the functions' programs. */
struct pvp_cie {
	uint64_t at;        /* offset in the section */
	bool signal, sized; /* sized: the augmentation of FDEs has a length */
	uint8_t encoding;   /* of addresses: DW_EH_PE_... */
	uint64_t code_align;
	int64_t data_align;
	struct pvp_cfa first;
};

/* A function's entry. */
struct pvp_fde {
	uint64_t cie;     /* offset of the CIE in the section */
	uint64_t pc, end; /* addresses */
	const uint8_t *program;
	size_t n;
};

/* Instructions left; each costs 1. */
struct pvp_cfa_budget {
	uint64_t left;
};

/* The entry at the offset `at` of the section. NONE: the section's end, or no entry. */
enum pvp_eh_kind { PVP_EH_NONE, PVP_EH_CIE, PVP_EH_FDE, PVP_EH_OTHER };
enum pvp_eh_kind pvp_eh_entry(
	const struct pvp_eh_part *frames, uint64_t at, uint64_t *ret_cie, uint64_t *ret_next);

/* False: damaged, or of another kind than compilers write for this machine. */
bool pvp_cie_read(const struct pvp_eh_part *frames, uint64_t at, struct pvp_cfa_budget *left,
	struct pvp_cie *ret);
bool pvp_fde_read(const struct pvp_eh_part *frames, uint64_t at, const struct pvp_cie *cie,
	struct pvp_fde *ret);

/*
 * Runs the program. For each part of the function, by address, calls `row` with the part's first
 * address. False: damaged, budget spent, or `row` said false.
 */
bool pvp_cfa_run(const struct pvp_cie *cie, const struct pvp_fde *fde, struct pvp_cfa_budget *left,
	bool (*row)(void *ctx, uint64_t pc, const struct pvp_cfa *cfa), void *ctx);

/* As a row; pc is left 0. */
struct pvp_row pvp_cfa_row(const struct pvp_cfa *c, bool signal);

/* A pointer as in exception tables; false: of a kind not used in .eh_frame. */
bool pvp_eh_pointer(struct pv_cursor *c, uint8_t encoding, uint64_t address, uint64_t *ret);

#endif
