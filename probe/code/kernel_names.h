/* SPDX-License-Identifier: MIT */
/*
 * Names of the kernel's functions, from /proc/kallsyms: read as a whole for the first name, and
 * again for addresses in modules loaded since, at most every ten seconds. Some 2.5 MB, bounded. The
 * writer's thread only.
 */
#ifndef PV_PROBE_KERNEL_NAMES_H
#define PV_PROBE_KERNEL_NAMES_H

#include <stdint.h>

/*
 * "do_sys_poll [kernel]", "btrfs_read_folio [btrfs]"; "[kernel]" if the system hides addresses
 * (kptr_restrict), out of memory, or for code not in the file; never NULL. Good until the next
 * call.
 */
const char *pvp_kernel_name(uint64_t address);

/*
 * Removes the interrupt of the sampling's own timer from a stack sampled in the kernel (innermost
 * first, the others return addresses; the stack may begin in the last part of the interrupt): the
 * program ran then, and its place becomes the innermost. Returns the number of frames left.
 */
uint32_t pvp_kernel_without_tick(uint64_t *at, uint32_t n);

void pvp_kernel_names_finish(void); /* gives the memory back */

#endif
