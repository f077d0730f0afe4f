/* SPDX-License-Identifier: MIT */
/* LD_PRELOAD with a probe in it. Any thread. */
#ifndef PV_TARGET_PRELOAD_H
#define PV_TARGET_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>

enum { PV_PRELOAD_NAME = 64 };

/*
 * The list `before` (NULL or "": none; separated by blanks or colons) with the library in front, so
 * that the probe comes before a preloaded allocator; only runtimes of sanitizers stay in front, as
 * they end the program otherwise. Owned by the caller, free(); NULL: out of memory.
 */
char *pv_preload_with(const char *before, const char *library);

/*
 * The library's name for LD_PRELOAD of a whole tree of programs, without complaints of loaders that
 * cannot load it: by a folder "platforms" next to the library, and a link in a private folder where
 * the path has a blank or a colon. False: no such folder.
 */
bool pv_preload_path(const char *library, char *to, size_t room);

/*
 * The runtime of a sanitizer that the program (a 64-bit ELF file) is linked with: its name in `to`,
 * to be put first. False: none, or no such file.
 */
bool pv_preload_sanitizer(const char *program, char to[PV_PRELOAD_NAME]);

/*
 * The newest glibc version 2.x named in a 64-bit ELF file: for a library the required one, for
 * libc.so.6 the provided one. 0: none named.
 */
unsigned pv_preload_glibc(const char *path);

/*
 * Whether the program's C library has the version that the library requires; else the program would
 * not start. True also if either is not known (*ret_has: 0).
 */
bool pv_preload_loads(
	const char *library, const char *program, unsigned *ret_asks, unsigned *ret_has);

#endif
