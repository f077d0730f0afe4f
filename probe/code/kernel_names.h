/*
 * Names of the kernel's functions, from /proc/kallsyms: read as a whole when the first is asked
 * for, and again for addresses of modules that were loaded since, at most every ten seconds. Some
 * 2.5 MB, bounded. The writer's thread only.
 */
#ifndef PV_PROBE_KERNEL_NAMES_H
#define PV_PROBE_KERNEL_NAMES_H

#include <stdint.h>

/*
 * "do_sys_poll [kernel]", "btrfs_read_folio [btrfs]"; "[kernel]" where the system hides addresses
 * (kptr_restrict), without memory, and of code that the file does not have; never NULL. Good until
 * the next call.
 */
const char *pvp_kernel_name(uint64_t address);

/*
 * A stack that was met in the kernel, innermost first, the others return addresses: without the
 * kernel's functions if they are the interrupt of the sampling's own timer, whose last part may be
 * what was met. Then the program ran, and its place becomes the innermost. How many are left.
 */
uint32_t pvp_kernel_without_tick(uint64_t *at, uint32_t n);

void pvp_kernel_names_finish(void); /* gives the memory back */

#endif
