/* SPDX-License-Identifier: MIT */
/*
 * Native functions and source lines that are not in a log, from the files of this machine
 * (elfutils): symbol tables and DWARF of the file itself, of its .gnu_debugdata, or of its separate
 * debug file: found by build id, or by .gnu_debuglink if that file has the same build id. The log
 * has the place of each file. A file is believed when it is the user's or the system's, has the
 * size that was loaded, and the build id in the log; without an id in the log, a file that is not
 * younger than the recording. Files are opened when first asked about. Built without elfutils
 * nothing is ever found. inlined.h's budget and the size of unpacked sections bound the work of
 * elfutils, which gets believed files only, on the threads that apply a log (pv_thread_start(), as
 * it has frames of 152 KiB), not the screen's. One thread at a time.
 */
#ifndef PV_MODEL_SYMBOLS_H
#define PV_MODEL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PV_MODULES_CAP = 4096, PV_INLINED_DEPTH = 32 };

struct pv_symbols;

struct pv_symbol {
	uint64_t start, size; /* size 0: not known */
	const char *name;     /* as the linker knows it, unversioned; good until the next call */
};

struct pv_source_line {
	const char *file;
	uint32_t line;      /* from 1; 0: not known */
	uint32_t start;     /* line where the function around is declared; 0: not known */
	const char *folder; /* the unit's, base of a relative path; NULL: not known */
};

/* *s may be NULL and is made when needed; pv_symbols_destroy() takes NULL. */
void pv_symbols_destroy(struct pv_symbols *s);

/* A file was loaded at `from`; a later file at its place replaces it. False: out of memory. */
bool pv_symbols_module(struct pv_symbols **s, uint64_t from, uint64_t size, const char *path);

/*
 * The build id of the file at `from`, in hex digits: on this machine only a file with this id is
 * then believed, whatever its time; else its debug file below /usr/lib/debug/.build-id.
 */
void pv_symbols_build_id(struct pv_symbols *s, uint64_t from, const char *hex);

/* The recording began at `ms` (since 1970): younger files are others. */
void pv_symbols_before(struct pv_symbols *s, uint64_t ms);

/* The function around the address; false: not known. */
bool pv_symbols_find(struct pv_symbols *s, uint64_t address, struct pv_symbol *ret);

/*
 * The file of this machine with the code at an address, and the address that the file has for it.
 * False: not known, or only its debug file is here. The path is good while the file is the one there.
 */
bool pv_symbols_file(
	struct pv_symbols *s, uint64_t address, const char **ret_path, uint64_t *ret_in_file);

/*
 * The lines at an address, outermost first: the lines that call the functions of
 * pv_symbols_inlined(), then the innermost line. Line 0: not known. Files are good while the file
 * is the one there. Returns their number, 0: no lines are known. all: whether the lines asked for
 * last are within the budget.
 */
size_t pv_symbols_lines(
	struct pv_symbols *s, uint64_t address, struct pv_source_line ret[PV_INLINED_DEPTH + 1]);
bool pv_symbols_lines_all(const struct pv_symbols *s);

/*
 * The functions that a compiler inlined at the address, by debug information (inlined.h): names as
 * the linker would know them, outermost first, good while the file is the one there. Returns their
 * number, at most PV_INLINED_DEPTH. *ret_path: of the file. all: false once the budget was too
 * small. generation: another number whenever another file is somewhere.
 */
size_t pv_symbols_inlined(struct pv_symbols *s, uint64_t address,
	const char *ret_names[PV_INLINED_DEPTH], const char **ret_path);
bool pv_symbols_inlined_all(const struct pv_symbols *s);
uint64_t pv_symbols_generation(const struct pv_symbols *s);

#endif
