/* SPDX-License-Identifier: MIT */
/*
 * The unwind tables of all loaded files. The writer's thread makes them; a walk, also in a signal's
 * handler, reads the present set without a lock: a set is never changed but replaced, and memory
 * that a walk might still read is freed only when no walk is under way.
 */
#ifndef PV_PROBE_UNWIND_SET_H
#define PV_PROBE_UNWIND_SET_H

#include "probe/unwind/unwind_table.h"

enum { PVP_UNWIND_STAMP = 16 };

struct pvp_unwind_module {
	uint64_t from, to;      /* addresses */
	uint64_t header, owner; /* .eh_frame_hdr; the loader's own record, 0: not known */
	uint64_t hash;          /* of .eh_frame_hdr */
	uint64_t stamp_at;      /* address of bytes unique to the file; 0: none */
	uint8_t stamp[PVP_UNWIND_STAMP];
	struct pvp_unwind_table *table; /* NULL: none of use */
};

struct pvp_unwind_set {
	uint64_t number; /* unique in the process, never 0 */
	size_t n;
	struct pvp_unwind_module v[]; /* by address */
};

/*
 * The writer's thread, or the only thread of the process: makes tables for newly loaded files and
 * forgets unloaded files. Tables take at most 64 MiB together; further files have none. True:
 * something was loaded or unloaded. finish: no tables from now on, until the next refresh.
 */
bool pvp_unwind_refresh(void);
void pvp_unwind_finish(void);

/* In a child of fork: the unfinished work of the parent's writer is left as it is. */
void pvp_unwind_forget(void);

/* The function at the address, by the file's table. Any ordinary thread. */
bool pvp_unwind_function_at(uint64_t address, uint64_t *ret_start, uint64_t *ret_size);

/* Around a walk. Async-signal-safe; NULL: there are no tables. */
const struct pvp_unwind_set *pvp_unwind_enter(void);
void pvp_unwind_leave(void);

/*
 * The file at the address. *ret_changed: the loader has another file there than the set; the writer
 * is asked to refresh. Async-signal-safe, between enter and leave.
 */
const struct pvp_unwind_module *pvp_unwind_module_at(
	const struct pvp_unwind_set *s, uint64_t address, bool *ret_changed);
/*
 * Whether the file itself is still the set's: another may have been loaded to the same place, with
 * the loader's records at the same addresses. For an unchanged result of pvp_unwind_module_at().
 * `live`: a call in the file is under way for sure, so the file cannot be unloaded; else another
 * thread might unload the file, and a system call compares. As above; errno is lost.
 */
bool pvp_unwind_is_there(const struct pvp_unwind_module *m, bool live);
/* The rule at an address without a valid rule in the set (unwind_fresh.h). As above. */
bool pvp_unwind_row_now(uint64_t address, struct pvp_row *ret);

#endif
