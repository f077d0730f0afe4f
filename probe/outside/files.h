/* SPDX-License-Identifier: MIT */
/*
 * Memory and files of another process, as struct pvp_target. Memory is read by
 * process_vm_readv(2), else (where Yama allows only a parent) from the mapped files; the list of
 * files is /proc/PID/maps (proc_pid_maps(5)). All of this is foreign input, checked before use.
 */
#ifndef PV_PROBE_OUTSIDE_FILES_H
#define PV_PROBE_OUTSIDE_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Makes process `pid` the target: sets pvp_target. Called once, before any thread runs. */
void pvo_files_begin(pid_t pid);

/*
 * Reads the list of files again. One thread at a time; other threads may use pvp_target meanwhile.
 * False: unreadable, and the list stays as before.
 */
bool pvo_files_read(void);

/* Whether a file is mapped at this address, as of the last reading. Any thread. */
bool pvo_files_map(uint64_t address);

/* Forgets the list; the process stays the target. */
void pvo_files_finish(void);

#endif
