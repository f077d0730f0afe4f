/* SPDX-License-Identifier: MIT */
/* A sample with the stack it was walked on: written by kept_stacks.c, read by kept_check.c. */
#ifndef PV_TESTS_KEPT_STACK_H
#define PV_TESTS_KEPT_STACK_H

#include <stdint.h>

enum { KEPT_CALLERS = 128, KEPT_BYTES = 64 << 10, KEPT_SAMPLES = 500, KEPT_REGISTERS = 17 };

struct kept {
	uint64_t registers[KEPT_REGISTERS]; /* as DWARF numbers them; the last is pc */
	uint64_t caller[KEPT_CALLERS];
	uint32_t n, end; /* callers; enum pvp_walk_end */
	uint64_t from;   /* address of stack[0], in which `bytes` are there */
	uint64_t bytes;
	uint8_t stack[KEPT_BYTES];
};

struct kept_file {
	uint64_t n; /* samples asked for; those that found no room are left out */
	struct kept sample[KEPT_SAMPLES];
};

#endif
