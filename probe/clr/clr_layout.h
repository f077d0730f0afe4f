/* SPDX-License-Identifier: MIT */
/*
 * Static fields of generic classes. The profiling interface searches a field in the open class,
 * which has no statics, and so finds none of an instance. From .NET 9 on the runtime exports a
 * description of its structures for diagnostic tools (docs/design/datacontracts of dotnet/runtime),
 * which leads from a class to the statics. The description is used only after it has given the same
 * places as the interface for other classes, and no different place. The agent's thread only.
 */
#ifndef PV_PROBE_CLR_LAYOUT_H
#define PV_PROBE_CLR_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

/* Offsets in bytes. */
struct pvp_clr_layout {
	uint64_t aux, class_or_canon, parent;  /* of a method table */
	uint64_t fields, instance_n, static_n; /* of the table's class */
	uint64_t statics_size, gc_statics;     /* of the data before the auxiliary data */
	uint64_t mask;                         /* of the pointer to the statics */
};

/* Reads the description; false: something is missing, or unknown here. */
bool pvp_clr_layout_read(const char *json, struct pvp_clr_layout *ret);

/* The interface has given `slot` for this field of the class. */
void pvp_clr_layout_compare(uint64_t type, uint32_t field, uint64_t slot);

/* The address of a field of a class; 0: unknown, or statics not set up. */
uint64_t pvp_clr_layout_slot(uint64_t type, uint32_t field);

void pvp_clr_layout_forget(void); /* the session is over */

#endif
