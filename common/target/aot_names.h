/*
 * Names of a NativeAOT program's methods: its runtime writes none, but its ELF file, or the .dbg file
 * that stands with it, has a symbol for each. They are made a stream of .nettrace of their own, in
 * the runtime's form, so that a recording has them for all times. Any thread.
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
 * Of process `pid`, which numbers itself `inner`; at most 64 MiB. False: it has no symbols, cannot
 * be read, or memory ran out: then nothing is to be freed.
 */
bool pv_aot_names(struct pv_aot_names *ret, pid_t pid, uint32_t inner);

#endif
