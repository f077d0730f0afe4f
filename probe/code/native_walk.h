/* The stack by its frame pointers, from anywhere, also from a signal handler. */
#ifndef PV_PROBE_NATIVE_WALK_H
#define PV_PROBE_NATIVE_WALK_H

#include <stdbool.h>
#include <stdint.h>

/* Why it went no further. */
enum pvp_walk_end {
	PVP_WALK_WHOLE,      /* as far as the frame that the system started the thread with */
	PVP_WALK_BROKEN,     /* no frame where one should be */
	PVP_WALK_UNREADABLE, /* no memory is there */
	PVP_WALK_DEEP,       /* `most` */
	PVP_WALK_NO_TABLE,   /* a file without .eh_frame, and no frame pointers either */
	PVP_WALK_NO_ROW,     /* the file's table has nothing for this function */
	PVP_WALK_RULE,       /* the table's rule for this place cannot be followed */
	PVP_WALK_GENERATED,  /* code that no file holds, and no frame pointers */
	PVP_WALK_CHANGED,    /* a file that was loaded or unloaded since the tables were made */
	PVP_WALK_ENDS
};

/* The same with the place: an address within the function that has no known caller. */
struct pvp_walk_stop {
	enum pvp_walk_end end;
	uint64_t pc;
};

/*
 * Return addresses, innermost first, from the frame at `frame` on, which lies above `sp`; at most
 * `most`. A frame that cannot be one, because code without frame pointers was met, ends it. No
 * memory is read that might not be there. Async-signal-safe; keeps errno.
 * Code without frame pointers may pass on its caller's: such functions are left out unnoticed.
 * *ret_end (may be NULL): why it ended.
 */
unsigned pvp_native_walk(
	uintptr_t frame, uintptr_t sp, uint64_t *to, unsigned most, enum pvp_walk_end *ret_end);

/* Whether the word at the address can be read at this moment. Async-signal-safe; changes errno. */
bool pvp_readable(uintptr_t at);

#endif
