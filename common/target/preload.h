/* LD_PRELOAD with a probe in it. Any thread. */
#ifndef PV_TARGET_PRELOAD_H
#define PV_TARGET_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>

enum { PV_PRELOAD_NAME = 64 };

/*
 * The list `before` (NULL or "": none; between its names are blanks or colons) with the library in
 * front, so that an allocator in it does not come before the probe; only the runtimes of
 * sanitizers, which end the program when they are not first, stay before it. Owned by the caller,
 * free() it; NULL: out of memory.
 */
char *pv_preload_with(const char *before, const char *library);

/*
 * The library's name for LD_PRELOAD of a whole tree of programs, so that loaders which cannot load it say
 * nothing: by a folder "platforms" next to it, and by a link in a private folder where its path has a blank or
 * a colon, which would end it. False: there is no such folder.
 */
bool pv_preload_path(const char *library, char *to, size_t room);

/*
 * The runtime of a sanitizer that the program (an ELF file of 64 bits) is linked with: its name in
 * `to`, which has to be in front of everything. False: there is none, or the file is no such.
 */
bool pv_preload_sanitizer(const char *program, char to[PV_PRELOAD_NAME]);

/*
 * The newest version 2.x of glibc that an ELF file of 64 bits names: of a library what it asks for, of
 * libc.so.6 what it has. 0: it names none.
 */
unsigned pv_preload_glibc(const char *path);

/*
 * Whether the C library that the program runs on has the version that the library asks for; else the
 * program would not start with it. True also if either is not known (*ret_has: 0).
 */
bool pv_preload_loads(
	const char *library, const char *program, unsigned *ret_asks, unsigned *ret_has);

#endif
