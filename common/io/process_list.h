/*
 * Reads which processes a recording in a folder has: its index.json, or the logs that there are.
 * Any thread; every call reads anew.
 */
#ifndef PV_IO_PROCESS_LIST_H
#define PV_IO_PROCESS_LIST_H

#include "common/base/processes.h"
#include "common/base/status.h"

enum {
	PV_PROCESS_INDEX_MOST = 16 << 20, /* bytes of an index that is read */
	PV_PROCESSES_MOST = 50000,        /* rows that are kept */
	PV_PROCESS_ARGS_MOST = 4096,      /* bytes of a command line that are kept */
};

/* Links are followed; "-" is none. */
bool pv_is_folder(const char *path);

/*
 * The list, to be freed with pv_processes_destroy(). In a folder without an index every file
 * *.mlpd is a row; `pid_of` (may be NULL) says whose log a path is, 0: not known. NULL: PV_EIO,
 * PV_ECORRUPT and PV_ETRUNCATED with the byte, PV_EVERSION, PV_ENOMEM.
 */
struct pv_processes *pv_process_list_read(
	const char *folder, uint32_t (*pid_of)(const char *path), struct pv_error *reterr);

/*
 * A mark that changes whenever the folder's index is another one, for readers that poll; of a
 * folder without an index that of the folder. 0: neither can be looked at.
 */
uint64_t pv_process_list_mark(const char *folder);

#endif
