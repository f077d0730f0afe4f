/*
 * Static fields that hold references, as roots of heap shots. Each is a slot of its own, in an
 * array that the runtime keeps for it and that does not move. Generic classes mostly give no slot:
 * their statics stay nameless. The agent's thread only.
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
 * Of the i-th slot the object it holds, 0: none, or its class is gone. The runtime stands, and
 * unloads are held off.
 */
size_t pvp_clr_statics_count(void);
uint64_t pvp_clr_static_object(size_t i, uint64_t *ret_slot);

void pvp_clr_statics_forget(void); /* all of them */

#endif
