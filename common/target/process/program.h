/* SPDX-License-Identifier: MIT */
/*
 * The kind of program that a command runs, for the choice of the probe. Reads files; runs nothing.
 * Any thread.
 */
#ifndef PV_TARGET_PROGRAM_H
#define PV_TARGET_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/status.h"

enum pv_program_kind {
	PV_PROGRAM_NATIVE,
	PV_PROGRAM_MONO,       /* the runtime itself, or a script that ends in one */
	PV_PROGRAM_CLI,        /* an image for Mono */
	PV_PROGRAM_DOTNET,     /* `dotnet`, an apphost, a single file */
	PV_PROGRAM_DOTNET_CLI, /* an image for `dotnet` */
	PV_PROGRAM_SCRIPT,     /* a script whose end says nothing */
};

enum { PV_PROGRAM_PATH = 1024 };

struct pv_program {
	enum pv_program_kind kind;
	char path[PV_PROGRAM_PATH]; /* of the command's own file */
	char runs[PV_PROGRAM_PATH]; /* the final file: after scripts */
	bool aot;                   /* native code of .NET's ahead-of-time compiler, */
	bool streams;               /* with the event stream, an option of the compiler */
	const char *refused;        /* why no probe can be loaded, in a word; NULL: can */
};

/*
 * `word` is searched for as a shell does. False: PV_EIO (not found, cannot be executed:
 * *ret_missing says which), or PV_EUSAGE with the reason why no probe can be loaded: set-id,
 * static, another architecture.
 */
bool pv_program_look(
	const char *word, struct pv_program *ret, bool *ret_missing, struct pv_error *reterr);

/*
 * The program of a shell's line ("cd x && exec dotnet app.dll"): the first managed runtime, else
 * the last program outside the shell. False: not known.
 */
bool pv_program_of_line(const char *line, char *to, size_t room);

/*
 * Whether the open file `fd` is an ELF program that runs .NET: by the name in `path`, by the .dll
 * and .runtimeconfig.json next to it, or by its mark in the first 256 MiB. False, too, when not
 * readable.
 */
bool pv_program_is_dotnet(int fd, const char *path, bool siblings);

/* Whether the open file was compiled ahead of time by .NET: an ELF file with managed code. */
bool pv_program_is_aot(int fd);

/* Path of `word`, found as by a shell. False: none. */
bool pv_program_find(const char *word, char to[PV_PROGRAM_PATH]);

#endif
