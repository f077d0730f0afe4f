/* SPDX-License-Identifier: MIT */
/*
 * Source lines of native addresses, found in the files of this machine (symbols.h) on demand, and
 * remembered. Any thread, with the model's lock.
 */
#ifndef PV_MODEL_PLACE_LINES_H
#define PV_MODEL_PLACE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pv_model;
struct pv_place_lines; /* the answers so far */

enum { PV_LINES_AT_PLACE = 33 };

struct pv_line_at {
	uint32_t file, line; /* interned in names.text; line from 1, 0: not known */
	uint32_t method;     /* id in names of the line's function; 0: as that of the place */
	uint32_t start;      /* line where the function begins; 0: not known */
};

/*
 * The lines at a native address: first the line in the innermost inlined function, then the lines
 * that call it, up to the function itself. Good until the next call. *ret_n 0: none are known.
 * NULL: out of memory.
 */
const struct pv_line_at *pv_place_lines_native(struct pv_model *m, uint64_t address, size_t *ret_n);

/* A native function on this machine. Plain data. */
struct pv_native_code {
	uint64_t start, size; /* in the memory of the process */
	uint64_t in_file;     /* the address that the file has for `start` */
	char name[256];       /* as the linker knows the function, maybe cut */
	char path[1024];
};

/* The function around an address. False: not native, its file is not here, or its size not known. */
bool pv_place_code(struct pv_model *m, uint64_t address, struct pv_native_code *ret);

/* True if the log names files that may have lines. */
bool pv_place_lines_any(const struct pv_model *m);

/* NULL: nothing. */
void pv_place_lines_free(struct pv_place_lines *l);

#endif
