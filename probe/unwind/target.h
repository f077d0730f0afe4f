/* SPDX-License-Identifier: MIT */
/*
 * The program whose code is named and whose stacks are walked: this process, or another process,
 * with a host's functions for memory and files. Files are described as in dl_iterate_phdr(3).
 *
 * pvp_target is set once, before anything is read, and never changed; any thread may call the
 * functions, also several at a time. No function changes anything in the process.
 */
#ifndef PV_PROBE_TARGET_H
#define PV_PROBE_TARGET_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "probe/ground/loader_lock.h"

typedef int pvp_look_at_file(struct dl_phdr_info *info, size_t size, void *arg);

struct pvp_target {
	pid_t pid;
	/* Bytes read, up to the first unreadable byte; -1: none. */
	ssize_t (*read)(void *to, uintptr_t from, size_t n);
	/* As dl_iterate_phdr(); the program's own file has the name "". */
	int (*each_file)(pvp_look_at_file *look, void *arg);
	/* .eh_frame of a file, by its first address, if no program header names the section. */
	bool (*frames)(uint64_t from, uint64_t *ret_address, uint64_t *ret_bytes);
	/* The file of this name, as in each_file(); the caller closes it. -1: not there. */
	int (*open)(const char *name);
	/* The path of the program's own file, as seen by the program; false: unknown. */
	bool (*own_path)(char *to, size_t room);
};

/* Name of the vdso, mapped into every process, as the loader calls it. */
#define PVP_TARGET_VDSO "linux-vdso.so.1"

extern const struct pvp_target *pvp_target; /* NULL: this process */

/* As dl_iterate_phdr(), of the target. */
static inline int pvp_target_each_file(pvp_look_at_file *look, void *arg)
{
	if (pvp_target)
		return pvp_target->each_file(look, arg);
	pvp_loader_hold();
	int last = dl_iterate_phdr(look, arg);
	pvp_loader_release();
	return last;
}

#endif
