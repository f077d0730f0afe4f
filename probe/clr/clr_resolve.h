/* SPDX-License-Identifier: MIT */
/*
 * Types in signatures of metadata (ECMA-335 II.23.2), as ids of the runtime. On the program's
 * threads or the agent's.
 */
#ifndef PV_PROBE_CLR_RESOLVE_H
#define PV_PROBE_CLR_RESOLVE_H

#include <stdbool.h>

#include "probe/clr/clr_classes.h"

enum pvp_sig_kind {
	PVP_SIG_STRING = 0x0e,
	PVP_SIG_POINTER = 0x0f,
	PVP_SIG_REFERENCE = 0x10,
	PVP_SIG_VALUE = 0x11,
	PVP_SIG_CLASS = 0x12,
	PVP_SIG_TYPE_VAR = 0x13,
	PVP_SIG_ARRAY = 0x14,
	PVP_SIG_GENERIC = 0x15,
	PVP_SIG_FUNCTION = 0x1b,
	PVP_SIG_OBJECT = 0x1c,
	PVP_SIG_VECTOR = 0x1d,
	PVP_SIG_METHOD_VAR = 0x1e,
	PVP_SIG_REQUIRED = 0x1f,
	PVP_SIG_OPTIONAL = 0x20,
	PVP_SIG_SENTINEL = 0x41,
	PVP_SIG_PINNED = 0x45,
	PVP_SIG_SIMPLE = 0x1d, /* lower kinds may be types of the core library */
};

/* Rest of a signature. */
struct pvp_sig {
	const uint8_t *at, *end;
};

/* A compressed number; a truncated number is 0 and ends the signature. */
uint32_t pvp_sig_number(struct pvp_sig *s);

/*
 * The structure of a field of `in`, with all known arguments. False: not a structure, a simple type
 * such as int, or no structure of this shape is known to be loaded. ret->id is a structure of the
 * right shape, perhaps with other arguments.
 */
bool pvp_clr_structure(
	const struct pvp_clr_type *in, struct pvp_sig field, struct pvp_clr_type *ret);

/* The definition of this full name in the framework's own library; false: there is none. */
bool pvp_clr_core_type(const char *name, struct pvp_clr_type *ret);

/* A module is gone, or all are. */
void pvp_clr_resolve_forget(void);

#endif
