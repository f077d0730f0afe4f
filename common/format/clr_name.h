/* SPDX-License-Identifier: MIT */
/*
 * Names of .NET's methods and types from the runtime's parts of them. Pure: any thread. Nothing is
 * kept; functions return the length written to the caller's `to`. A name is cut to the room.
 */
#ifndef PV_FORMAT_CLR_NAME_H
#define PV_FORMAT_CLR_NAME_H

#include "common/format/event.h"

/* "Space.Outer+Inner`1[System.Int32]" as `Space.Outer/Inner<int>`. */
size_t pv_clr_type_name(struct pv_text type, char *to, size_t room);

/* "Space.Outer", "Do" and "instance void  (int32)" as `Space.Outer:Do (int)`. */
size_t pv_clr_method_name(struct pv_text class, struct pv_text method, struct pv_text signature,
	char *to, size_t room);

#endif
