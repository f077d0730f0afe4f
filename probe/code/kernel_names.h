/*
 * Names of the kernel's functions, from /proc/kallsyms: read as a whole when the first is asked
 * for, and again for addresses of modules that were loaded since, at most every ten seconds. Some
 * 2.5 MB, bounded. The writer's thread only.
 */
#ifndef PV_PROBE_KERNEL_NAMES_H
#define PV_PROBE_KERNEL_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * "do_sys_poll [kernel]", "btrfs_read_folio [btrfs]"; "[kernel]" where the system hides addresses
 * (kptr_restrict), without memory, and of code that the file does not have; never NULL. Good until
 * the next call.
 */
const char *pvp_kernel_name(uint64_t address);

/* Whether the function is where the timer's interrupt begins, which is the sampling's own. */
bool pvp_kernel_is_tick(uint64_t address);

void pvp_kernel_names_finish(void); /* gives the memory back */

#endif
