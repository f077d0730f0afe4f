/* SPDX-License-Identifier: MIT */
/* Names the type of a file that is no log, for an error message. Pure: any thread. */
#ifndef PV_FORMAT_FILE_TYPE_HINTS_H
#define PV_FORMAT_FILE_TYPE_HINTS_H

#include <stddef.h>
#include <stdint.h>

/* First bytes, always enough. */
enum { PV_HINT_BYTES = 512 };

/* A constant half sentence, "it is like a ..."; never NULL. */
const char *pv_file_type_hint(const uint8_t *bytes, size_t n);

/*
 * The first line of a plain text as `: "..."`, shortened, in the caller's `room`; "" for other
 * files.
 */
enum { PV_HINT_LINE = 96 };
const char *pv_file_first_line(const uint8_t *bytes, size_t n, char room[PV_HINT_LINE]);

#endif
