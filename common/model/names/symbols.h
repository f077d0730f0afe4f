/*
 * Native functions and source lines that are not in a log, from the files of this machine
 * (elfutils): symbol tables and DWARF of the file itself, of its .gnu_debugdata, or of its separate
 * debug file: found by build id, or by .gnu_debuglink if that one has the same build id. The log
 * says which file lay where. A file is believed when it is the user's or the system's, has the size
 * that was loaded, and the build id that the log says; where it says none, is not younger than the
 * recording. Files are opened when first asked about. Built without elfutils nothing is ever found.
 * elfutils has no limit of work but inlined.h's budget: it is given believed files only, on the
 * threads that apply a log (pv_thread_start(), as it has frames of 152 KiB), not the screen's. One thread
 * at a time.
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

/* *s may be NULL and is made when needed; pv_symbols_destroy() takes NULL. */
void pv_symbols_destroy(struct pv_symbols *s);

/* A file that was loaded there; a later one at its place replaces it. False: out of memory. */
bool pv_symbols_module(struct pv_symbols **s, uint64_t from, uint64_t size, const char *path);

/*
 * The build id of the file that lay there, in hex digits: of the files of this machine only one
 * with that id is then believed, whatever its time; else its debug file below
 * /usr/lib/debug/.build-id.
 */
void pv_symbols_build_id(struct pv_symbols *s, uint64_t from, const char *hex);

/* The recording began then (ms since 1970): younger files are others. */
void pv_symbols_before(struct pv_symbols *s, uint64_t ms);

/* The function that holds the address; false: not known. */
bool pv_symbols_find(struct pv_symbols *s, uint64_t address, struct pv_symbol *ret);

/*
 * The source file that the function at `start` begins in, good until the next call, and what of
 * [start, start + size) is which line of it: each(ctx, offset, line), in order; code inlined from
 * other files counts as the line before. NULL: no lines are known, or each() has returned false.
 */
const char *pv_symbols_lines(struct pv_symbols *s, uint64_t start, uint64_t size,
	bool (*each)(void *ctx, uint64_t offset, uint32_t line), void *ctx);

/*
 * The functions that a compiler inlined at the address, by debug information (inlined.h): names as
 * the linker would know them, outermost first, good while the file is the one there; returns how
 * many, at most PV_INLINED_DEPTH. *ret_path: of the file. all: false once there was more debug
 * information than is looked at. generation: another number whenever another file is somewhere.
 */
size_t pv_symbols_inlined(struct pv_symbols *s, uint64_t address,
	const char *ret_names[PV_INLINED_DEPTH], const char **ret_path);
bool pv_symbols_inlined_all(const struct pv_symbols *s);
uint64_t pv_symbols_generation(const struct pv_symbols *s);

#endif
