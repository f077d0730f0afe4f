/* SPDX-License-Identifier: MIT */
/*
 * glibc's <fts.h> without its functions: libdwfl walks folders with it for kernels and their modules, which profview
 * never asks for, and finds none here.
 */
#pragma once
#include <sys/stat.h>

typedef struct ftsent {
	int fts_info, fts_errno;
	char *fts_path, *fts_accpath, *fts_name;
	unsigned short fts_namelen, fts_pathlen;
	short fts_level;
	struct stat *fts_statp;
} FTSENT;
typedef struct fts FTS;

enum { FTS_D = 1, FTS_DEFAULT = 3, FTS_DNR, FTS_DP = 6, FTS_ERR, FTS_F, FTS_NS = 10, FTS_NSOK, FTS_SL, FTS_SLNONE };
enum { FTS_COMFOLLOW = 1, FTS_LOGICAL = 2, FTS_NOSTAT = 8, FTS_PHYSICAL = 16 };
#define FTS_SKIP 4

static inline FTS *fts_open(char *const *paths, int options, void *compare)
{
	return 0;
}
static inline FTSENT *fts_read(FTS *f)
{
	return 0;
}
static inline int fts_set(FTS *f, FTSENT *entry, int option)
{
	return 0;
}
static inline int fts_close(FTS *f)
{
	return 0;
}
