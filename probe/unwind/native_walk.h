/* SPDX-License-Identifier: MIT */
/* The stack by frame pointers, from anywhere, also from a signal handler. */
#ifndef PV_PROBE_NATIVE_WALK_H
#define PV_PROBE_NATIVE_WALK_H

#include <stdbool.h>
#include <stdint.h>

/* Why the walk ended. */
enum pvp_walk_end {
	PVP_WALK_WHOLE,      /* at the frame that the system started the thread with */
	PVP_WALK_BROKEN,     /* no frame where there should be a frame */
	PVP_WALK_UNREADABLE, /* no memory is there */
	PVP_WALK_DEEP,       /* `most` */
	PVP_WALK_NO_TABLE,   /* a file without .eh_frame, and no frame pointers either */
	PVP_WALK_NO_ROW,     /* the file's table has nothing for this function */
	PVP_WALK_RULE,       /* the table's rule for this place cannot be followed */
	PVP_WALK_GENERATED,  /* code in no file, and no frame pointers */
	PVP_WALK_CHANGED,    /* a file loaded or unloaded since the tables were made */
	PVP_WALK_NOT_COPIED, /* above what was copied of the stack */
	PVP_WALK_ENDS
};

/* The same with the place: an address in the function whose caller is unknown. */
struct pvp_walk_stop {
	enum pvp_walk_end end;
	uint64_t pc;
};

/*
 * Writes return addresses, innermost first, from the frame at `frame`, above `sp`; at most `most`.
 * An impossible frame, due to code without frame pointers, ends the walk. No memory is read that
 * might be missing. Async-signal-safe; keeps errno. Code without frame pointers may pass on the
 * caller's pointer: such functions are left out unnoticed. *ret_end (may be NULL): why the walk
 * ended.
 */
unsigned pvp_native_walk(
	uintptr_t frame, uintptr_t sp, uint64_t *to, unsigned most, enum pvp_walk_end *ret_end);

/* Whether the word at the address can be read at this moment. Async-signal-safe; changes errno. */
bool pvp_readable(uintptr_t at);

#endif
