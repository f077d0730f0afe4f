/* SPDX-License-Identifier: MIT */
/*
 * Reads memory of this process (or of another: target.h) that may be missing, or vanish during the
 * read: the system copies, and fails in place of a signal.
 *
 * Any thread, in a signal handler too; errno may change. A descriptor of /proc/self/mem is held if
 * a filter refuses the faster call, and a new one in each child of fork.
 */
#ifndef PV_PROBE_OWN_MEMORY_H
#define PV_PROBE_OWN_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Bytes read, up to the first unreadable byte; -1: none. */
ssize_t pvp_memory_some(void *to, uintptr_t from, size_t n);

/* Whether all n bytes were read. */
static inline bool pvp_memory_read(void *to, uintptr_t from, size_t n)
{
	return pvp_memory_some(to, from, n) == (ssize_t)n;
}

/* From now on without process_vm_readv(2), through the file. Before anything is read. */
void pvp_memory_by_file(bool by_file);

#endif
