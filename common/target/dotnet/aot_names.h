/* SPDX-License-Identifier: MIT */
/*
 * Names of a NativeAOT program's methods. The runtime writes none, but the ELF file, or the .dbg
 * file next to the program, has a symbol for each. The names become a .nettrace stream in the
 * runtime's form, so that a recording has them for all times. Any thread.
 */
#ifndef PV_TARGET_AOT_NAMES_H
#define PV_TARGET_AOT_NAMES_H

#include <stdint.h>
#include <sys/types.h>

#include "common/base/mem.h"

struct pv_aot_names {
	PV_ARRAY(uint8_t) stream; /* whole; the caller's to free with pv_array_finish() */
	size_t methods;
};

/*
 * Names of process `pid`, whose number in its own namespace is `inner`; at most 64 MiB. False: the
 * process has no symbols, cannot be read, or memory ran out: then nothing is to be freed.
 */
bool pv_aot_names(struct pv_aot_names *ret, pid_t pid, uint32_t inner);

#endif
