/* SPDX-License-Identifier: MIT */
/*
 * Static fields with references, as roots of heap shots. Each has its own slot, in an array kept by
 * the runtime that does not move. Thread-static fields lie in arrays that move. Fields of generic
 * classes have no name before .NET 10. The agent's thread only.
 */
#ifndef PV_PROBE_CLR_STATICS_H
#define PV_PROBE_CLR_STATICS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Before the runtime stands: the slots of classes new since the last time, and what had none then.
 */
void pvp_clr_statics_find(void);

/*
 * The object in the i-th slot, 0: none, or the class is gone. While the runtime stands, and unloads
 * are held off.
 */
size_t pvp_clr_statics_count(void);
uint64_t pvp_clr_static_object(size_t i, uint64_t *ret_slot);

/*
 * For thread-static fields: `put` gets each object held, and a number in place of a slot's address.
 * While the runtime stands, and unloads are held off.
 */
typedef void pvp_clr_static_met(void *ctx, uint64_t slot, uint64_t object);
void pvp_clr_thread_statics(const uint64_t *threads, size_t n, pvp_clr_static_met *put, void *ctx);

void pvp_clr_statics_forget(void); /* all of them */

#endif
