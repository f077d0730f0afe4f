/*
 * A file that is there whole or not at all: it has no name until it is whole, so that nothing is left
 * of a program that is ended. A file system without files of that kind gives it a temporary name in
 * its folder. Never replaces a file. Any thread; not async-signal-safe.
 */
#ifndef PV_BASE_NEW_FILE_H
#define PV_BASE_NEW_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "common/base/status.h"

/* Of renameat2(), which not every C library has. */
enum { PV_RENAME_NOREPLACE = 1, PV_RENAME_EXCHANGE = 2 };

/* As renameat2() has it: 0, or -1 with errno. */
int pv_rename(const char *from, const char *to, unsigned flags);

struct pv_new_file {
	const char *path; /* borrowed until pv_new_file_finish() */
	char temp[4096];  /* the temporary name, "" without */
	FILE *out;        /* to be written, not to be closed */
};

/*
 * Its mode is 0666 without the process's umask. PV_EUSAGE: the file exists; PV_EOUTPUT: it cannot be
 * made. After false there is nothing to finish.
 */
bool pv_new_file_begin(struct pv_new_file *f, const char *path, struct pv_error *reterr);

/*
 * With `ok` puts the file in its place, else takes it away; true if it is there. PV_EOUTPUT: it
 * could not be written, or another one came there meanwhile; without `ok` `reterr` stays.
 */
bool pv_new_file_finish(struct pv_new_file *f, bool ok, struct pv_error *reterr);

#endif
