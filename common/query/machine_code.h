/* SPDX-License-Identifier: MIT */
/*
 * The instructions of a native function, by objdump (binutils), where that is installed. What was
 * read last is remembered. Any thread.
 */
#ifndef PV_QUERY_MACHINE_CODE_H
#define PV_QUERY_MACHINE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/mem.h"

/* Bytes of code of a function, at most. */
enum { PV_MACHINE_MOST = 1 << 20 };

struct pv_instruction {
	uint64_t address; /* in the file */
	const char *text; /* in machine_code.text */
};

struct pv_machine_code {
	PV_ARRAY(struct pv_instruction) one; /* ascending */
	char *text;                          /* owned */
	const char *why; /* no instructions, for this reason; NULL: read. In `said`, or constant */
	char said[160];
};

/*
 * The code of a file (an absolute path) from an address of the file on, `size` bytes. False: out of
 * memory; finish is fine in any case.
 */
bool pv_machine_code_read(
	const char *path, uint64_t from, uint64_t size, struct pv_machine_code *ret);
void pv_machine_code_finish(struct pv_machine_code *c);

/*
 * Private, for tests: cuts what objdump printed, `c->text` of `len` bytes, into instructions. False:
 * out of memory.
 */
bool pv_machine_code_cut(struct pv_machine_code *c, size_t len, uint64_t from, uint64_t size);

#endif
