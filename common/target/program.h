/*
 * Kind of program that a command runs, so that it gets the right probe. Reads files; runs
 * nothing. Any thread.
 */
#ifndef PV_TARGET_PROGRAM_H
#define PV_TARGET_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/status.h"

enum pv_program_kind {
	PV_PROGRAM_NATIVE,
	PV_PROGRAM_MONO,       /* the runtime itself, or a script that ends in it */
	PV_PROGRAM_CLI,        /* an image that Mono can run */
	PV_PROGRAM_DOTNET,     /* `dotnet`, an apphost, a single file */
	PV_PROGRAM_DOTNET_CLI, /* an image that `dotnet` can run */
	PV_PROGRAM_SCRIPT,     /* a script whose end says nothing */
};

enum { PV_PROGRAM_PATH = 1024 };

struct pv_program {
	enum pv_program_kind kind;
	char path[PV_PROGRAM_PATH]; /* of the command's own file */
	char runs[PV_PROGRAM_PATH]; /* the file that runs in the end: after scripts */
	const char *refused;        /* in a word, why no probe can get into it; NULL */
};

/*
 * `word` is looked for as a shell does. False: PV_EIO (not found, cannot be executed: *ret_missing
 * says which), or PV_EUSAGE with the reason why no probe can get into it: set-id, static, of
 * another architecture.
 */
bool pv_program_look(
	const char *word, struct pv_program *ret, bool *ret_missing, struct pv_error *reterr);

/*
 * Program that a shell's line ("cd x && exec dotnet app.dll") runs: the first managed runtime, else
 * the last that is none of the shell's own. False: it does not say.
 */
bool pv_program_of_line(const char *line, char *to, size_t room);

/*
 * Whether the open file `fd` is an ELF program that runs .NET: by the name in `path`, by whether
 * its .dll and .runtimeconfig.json stand next to it, or by its mark in the first 256 MiB. False,
 * too, where it cannot be read.
 */
bool pv_program_is_dotnet(int fd, const char *path, bool siblings);

/* Path of `word`, as a shell finds it. False: there is none. */
bool pv_program_find(const char *word, char to[PV_PROGRAM_PATH]);

#endif
