/* SPDX-License-Identifier: MIT */
/*
 * Rules that lead from a function to its caller, for every address of a loaded file: rows sorted by
 * address, made once from the file's .eh_frame and never changed. x86-64 (DWARF registers of the
 * System V ABI, figure 3.36); .eh_frame is described in the Linux Standard Base, 10.6, and its
 * programs in DWARF 5, 6.4. Nothing in a table points into the file.
 *
 * Building allocates and is for any ordinary thread; pvp_unwind_find() is async-signal-safe.
 */
#ifndef PV_PROBE_UNWIND_TABLE_H
#define PV_PROBE_UNWIND_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rules for the canonical frame address (CFA); the return address is at CFA - 8. */
enum pvp_rule {
	PVP_RULE_NONE,   /* no function is known here: padding, or code without .eh_frame */
	PVP_RULE_SP,     /* rsp + 8 * cfa */
	PVP_RULE_FP,     /* rbp + 8 * cfa */
	PVP_RULE_AT_SP,  /* stands at rsp + 8 * cfa */
	PVP_RULE_AT_FP,  /* stands at rbp + 8 * cfa: a realigned stack */
	PVP_RULE_PLT,    /* rsp + 8, and 8 more from byte `cfa` of each 16 on */
	PVP_RULE_SIGNAL, /* a signal's frame: a ucontext stands at rsp */
	PVP_RULE_END,    /* the outermost function */
	PVP_RULE_OTHER   /* a rule not expressible in these rows */
};

/* Rules for the caller's rbp: at CFA + 8 * fp if negative, else: */
enum { PVP_FP_KEPT = 0, PVP_FP_AT_FP = 1, PVP_FP_LOST = 2 };

struct pvp_row {
	uint32_t pc; /* from here on, counted from the file's first address */
	int16_t cfa;
	uint8_t rule; /* enum pvp_rule */
	int8_t fp;
};

/* Built in a single block. */
struct pvp_unwind_table {
	struct pvp_row *rows; /* by pc, each unlike the row before; the last is PVP_RULE_NONE */
	uint32_t *index;      /* the row at the first address of each 2^shift bytes */
	uint32_t *starts;     /* starts of functions, by address */
	uint32_t n, n_index, n_starts;
	unsigned shift;
	size_t bytes; /* of the whole block */
};

/* Bytes of a loaded file, and their address. */
struct pvp_eh_part {
	const uint8_t *at;
	size_t n;
	uint64_t address;
};

struct pvp_eh {
	struct pvp_eh_part header; /* .eh_frame_hdr; may be empty */
	struct pvp_eh_part frames; /* .eh_frame, and the bytes after */
	uint64_t base, span;       /* of the file in memory, in bytes */
};

/* The place of .eh_frame, from .eh_frame_hdr. False: an impossible header. */
bool pvp_eh_frames(const struct pvp_eh_part *header, uint64_t *ret_address);

/*
 * The header's search table: offset in the header, and number of entries of 8 bytes. False: not of
 * the usual kind. Async-signal-safe, like pvp_eh_frames().
 */
struct pvp_eh_table {
	size_t at;
	uint32_t n;
};
bool pvp_eh_search_table(const struct pvp_eh_part *header, struct pvp_eh_table *ret);

/*
 * NULL: out of memory, no function is described, or work or memory out of proportion to the bytes.
 * Time and memory are linear in frames.n. To be freed with free().
 */
struct pvp_unwind_table *pvp_unwind_build(const struct pvp_eh *eh);

/* The row for the address `pc`, counted as in a row; NULL: none. */
const struct pvp_row *pvp_unwind_find(const struct pvp_unwind_table *t, uint64_t pc);

/* The function at the address: start, and end (may be NULL). */
bool pvp_unwind_function(
	const struct pvp_unwind_table *t, uint64_t pc, uint64_t *ret_start, uint64_t *ret_end);

#endif
