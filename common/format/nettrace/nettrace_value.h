/* SPDX-License-Identifier: MIT */
/*
 * Types and values of the fields of described events. Private to this folder; one thread at a time.
 */
#ifndef PV_FORMAT_NETTRACE_VALUE_H
#define PV_FORMAT_NETTRACE_VALUE_H

#include "common/format/nettrace/nettrace_state.h"

/* System.TypeCode and its additions: arrays in version 5, from VAR_SIGNED on in version 6. */
enum nt_type {
	NT_OBJECT_TYPE = 1,
	NT_BOOLEAN = 3, /* of 4 bytes */
	NT_UTF16_UNIT,
	NT_I8,
	NT_U8,
	NT_I16,
	NT_U16,
	NT_I32,
	NT_U32,
	NT_I64,
	NT_U64,
	NT_F32,
	NT_F64,
	NT_DECIMAL,
	NT_DATE, /* of 8 bytes: 100 ns since 1601 */
	NT_GUID,
	NT_STRING, /* UTF-16, ended by a zero */
	NT_ARRAY,
	NT_VAR_SIGNED,
	NT_VAR_UNSIGNED,
	NT_FIXED_ARRAY,
	NT_UTF8_UNIT,
	NT_RELATIVE,
	NT_ABSOLUTE,
	NT_BOOLEAN8,
	NT_END_OF_TYPES
};

struct nt_scalar {
	enum { NT_SIGNED, NT_UNSIGNED, NT_REAL, NT_RAW } is;
	int64_t i;
	uint64_t u;
	double f;
	const uint8_t *raw; /* 16 bytes, borrowed from the input */
};

/* Reads a value without parts. False: another type, or the input ends. */
bool nt_scalar(struct pv_cursor *c, uint8_t type, struct nt_scalar *ret);
double nt_double(const struct nt_scalar *v);
/* All fields as " name=value name=value" into `room` bytes, cut if longer; returns the length. */
size_t nt_fields_text(struct nettrace *d, const struct nt_blob *b, char *to, size_t room);
/* Skips the value of the kind's field *at, and moves *at to the next field. False: malformed. */
bool nt_skip_value(struct nettrace *d, const struct nt_blob *b, struct pv_cursor *c, uint32_t *at);

#endif
