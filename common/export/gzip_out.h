/* SPDX-License-Identifier: MIT */
/*
 * A stream that is gzipped into another, without name or time: equal bytes give equal files. One
 * thread.
 */
#ifndef PV_EXPORT_GZIP_OUT_H
#define PV_EXPORT_GZIP_OUT_H

#include <stdbool.h>
#include <stdio.h>

/* Into `out`, which stays the caller's; pv_gzip_end() closes it. NULL: out of memory. */
FILE *pv_gzip_begin(FILE *out);
/* False: not written whole, with errno. */
bool pv_gzip_end(FILE *f);

/*
 * Whether a file with this name is to be gzipped: names in .gz but not .pb.gz, gzipped as a format.
 */
bool pv_gzip_wanted(const char *path);

#endif
