/* SPDX-License-Identifier: MIT */
/* Types of the .NET runtime's published interfaces for profilers. */
#ifndef PV_PROBE_CLR_TYPES_H
#define PV_PROBE_CLR_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/coreclr.h"

typedef int32_t pvp_hr; /* negative: failure */
typedef uint16_t pvp_char;
typedef void (*pvp_clr_slot)(void);

#define PVP_HR(bits)        ((pvp_hr)UINT32_C(bits))
#define PVP_HR_NO_INTERFACE PVP_HR(0x80004002)
#define PVP_HR_NO_CLASS     PVP_HR(0x80040111)
#define PVP_HR_POINTER      PVP_HR(0x80004003)
#define PVP_HR_NOT_ATTACHED PVP_HR(0x8013136f) /* not for a running program */
#define PVP_HR_INCOMPLETE   PVP_HR(0x80131351) /* not yet: ask again */
#define PVP_HR_ARGUMENT     PVP_HR(0x80070057)
#define PVP_HR_FILTERED(n)  ((pvp_hr)(PV_CORECLR_FILTERED | (uint32_t)(n)))
#define PVP_HR_CANCEL       PVP_HR(0x80131375) /* of Initialize: runs on without us */

struct pvp_guid {
	uint32_t a;
	uint16_t b, c;
	uint8_t d[8];
};

/* A range of a generation. */
struct pvp_clr_range {
	uint32_t generation;
	uint64_t start, length, reserved;
};

/* Offset in an object, or in a value. */
struct pvp_clr_field {
	uint32_t token, offset;
};

struct pvp_clr_code {
	uint64_t start, size;
};

/* Offsets; il -1, -2, -3: no place, before the method's first, after the last. */
struct pvp_clr_il_range {
	int32_t il;
	uint32_t start, end; /* in the code */
};

struct pvp_clr_provider {
	const pvp_char *name;
	uint64_t keywords;
	uint32_t level;
	const pvp_char *filter;
};

/* Returns non-zero to stop; both are called on the calling thread. */
typedef pvp_hr pvp_clr_frame(uint64_t function, uint64_t ip, uint64_t frame, uint32_t context_size,
	uint8_t *context, void *ctx);
/* Return zero to stop. */
typedef int32_t pvp_clr_reference(uint64_t object, uint64_t *slot, void *ctx);
typedef int32_t pvp_clr_object(uint64_t object, void *ctx);

struct pvp_clr_unknown {
	const struct pvp_clr_unknown_table {
		pvp_hr (*query)(void *self, const struct pvp_guid *iid, void **ret);
		uint32_t (*add_ref)(void *self);
		uint32_t (*release)(void *self);
	} *is;
};

struct pvp_clr_enum {
	const struct pvp_clr_enum_table {
		struct pvp_clr_unknown_table unknown;
		pvp_clr_slot skip, reset, clone;
		pvp_hr (*count)(void *self, uint32_t *ret);
		pvp_hr (*next)(void *self, uint32_t room, void *ret, uint32_t *ret_n);
	} *is;
};

#endif
