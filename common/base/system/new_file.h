/* SPDX-License-Identifier: MIT */
/*
 * A file that is there whole or not at all: the file has no name until it is whole, so that a
 * program that is ended leaves nothing. On a file system without nameless files it has a temporary
 * name in its folder. Never replaces a file. Any thread; not async-signal-safe.
 */
#ifndef PV_BASE_NEW_FILE_H
#define PV_BASE_NEW_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "common/base/status.h"

/* Flags of renameat2(), missing in some C libraries. */
enum { PV_RENAME_NOREPLACE = 1, PV_RENAME_EXCHANGE = 2 };

/* Like renameat2(): 0, or -1 with errno. */
int pv_rename(const char *from, const char *to, unsigned flags);

struct pv_new_file {
	const char *path; /* borrowed until pv_new_file_finish() */
	char temp[4096];  /* the temporary name, "" without */
	FILE *out;        /* to be written, not to be closed */
};

/*
 * Begins a file with mode 0666 less the process's umask. PV_EUSAGE: the file exists; PV_EOUTPUT:
 * cannot be made. After false there is nothing to finish.
 */
bool pv_new_file_begin(struct pv_new_file *f, const char *path, struct pv_error *reterr);

/*
 * With `ok` puts the file in its place, else removes it; true if the file is in place. PV_EOUTPUT:
 * could not be written, or another file came meanwhile; without `ok` `reterr` is unchanged.
 */
bool pv_new_file_finish(struct pv_new_file *f, bool ok, struct pv_error *reterr);

#endif
