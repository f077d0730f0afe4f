/*
 * The unwind tables of all files that are loaded. The writer's thread makes them; a walk, also one
 * in a signal's handler, reads what is there at that moment without a lock: a set is never changed,
 * a new one takes its place, and what a walk might still read is freed only once none is under way.
 */
#ifndef PV_PROBE_UNWIND_SET_H
#define PV_PROBE_UNWIND_SET_H

#include "probe/code/unwind_table.h"

enum { PVP_UNWIND_STAMP = 16 };

struct pvp_unwind_module {
	uint64_t from, to;      /* addresses */
	uint64_t header, owner; /* .eh_frame_hdr; the loader's own record, 0: not known */
	uint64_t hash;          /* of .eh_frame_hdr */
	uint64_t stamp_at;      /* bytes of the file that no other has; 0: none */
	uint8_t stamp[PVP_UNWIND_STAMP];
	struct pvp_unwind_table *table; /* NULL: it has none that is of use */
};

struct pvp_unwind_set {
	uint64_t number; /* no two of a process have the same, none has 0 */
	size_t n;
	struct pvp_unwind_module v[]; /* by address */
};

/*
 * The writer's thread, or the only one of the process: makes tables for what was loaded since and
 * forgets what is no longer there. Tables take at most 64 MiB together; files for which there is no
 * room have none. True: something was loaded or unloaded. finish: no tables from now on, until the
 * next refresh.
 */
bool pvp_unwind_refresh(void);
void pvp_unwind_finish(void);

/* In a child of fork: what the parent's writer was at is left as it is. */
void pvp_unwind_forget(void);

/* The function that holds the address, by its file's table. The writer's thread only. */
bool pvp_unwind_function_at(uint64_t address, uint64_t *ret_start, uint64_t *ret_size);

/* Around a walk. Async-signal-safe; NULL: there are no tables. */
const struct pvp_unwind_set *pvp_unwind_enter(void);
void pvp_unwind_leave(void);

/*
 * The file that holds the address. *ret_changed: what the loader has there is not what the set
 * knows; the writer is asked to look. Async-signal-safe, between enter and leave.
 */
const struct pvp_unwind_module *pvp_unwind_module_at(
	const struct pvp_unwind_set *s, uint64_t address, bool *ret_changed);
/*
 * Whether the file itself is the one that the set knows: another may have been loaded to its place,
 * with all records of the loader where the first one's were. For what pvp_unwind_module_at() has just
 * given, not changed. `live`: a call in it is under way for sure, so that it cannot be unloaded;
 * else another thread may, meanwhile, and a system call compares. As above; errno is lost.
 */
bool pvp_unwind_is_there(const struct pvp_unwind_module *m, bool live);
/* The rule at an address for which the set has none that holds (unwind_fresh.h). As above. */
bool pvp_unwind_row_now(uint64_t address, struct pvp_row *ret);

#endif
