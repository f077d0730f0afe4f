/*
 * A stream that is gzipped on its way into another, without a name or a time in it: equal bytes give
 * equal files. One thread.
 */
#ifndef PV_EXPORT_GZIP_OUT_H
#define PV_EXPORT_GZIP_OUT_H

#include <stdbool.h>
#include <stdio.h>

/* Into `out`, which stays the caller's; pv_gzip_end() closes it. NULL: out of memory. */
FILE *pv_gzip_begin(FILE *out);
/* False: it could not be written whole, errno says why. */
bool pv_gzip_end(FILE *f);

/* Whether a file of that name is to be gzipped on top: what ends in .gz, but .pb.gz, which is so by itself. */
bool pv_gzip_wanted(const char *path);

#endif
