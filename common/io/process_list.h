/* SPDX-License-Identifier: MIT */
/*
 * Reads the list of processes of a recording in a folder: from its index.json, or from the names of
 * logs. Any thread; every call reads anew.
 */
#ifndef PV_IO_PROCESS_LIST_H
#define PV_IO_PROCESS_LIST_H

#include "common/base/system/processes.h"
#include "common/base/status.h"

enum {
	PV_PROCESS_INDEX_MOST = 16 << 20, /* largest index */
	PV_PROCESSES_MOST = 50000,        /* rows kept */
	PV_PROCESS_ARGS_MOST = 4096,      /* longest command line kept */
};

/* Whether the path is a folder; links are followed, "-" is none. */
bool pv_is_folder(const char *path);

/*
 * The list, to be freed with pv_processes_destroy(). In a folder without an index every file *.mlpd
 * is a row; `pid_of` (may be NULL) gives the pid of a log, 0: unknown. NULL: PV_EIO, PV_ECORRUPT
 * and PV_ETRUNCATED with the byte, PV_EVERSION, PV_ENOMEM.
 */
struct pv_processes *pv_process_list_read(
	const char *folder, uint32_t (*pid_of)(const char *path), struct pv_error *reterr);

/*
 * A mark that changes with the folder's index, for readers that poll; without an index, with the
 * folder. 0: neither is accessible.
 */
uint64_t pv_process_list_mark(const char *folder);

#endif
