/* SPDX-License-Identifier: MIT */
/* Modules loaded into this process, and names of their functions. The writer's thread only. */
#ifndef PV_PROBE_MODULES_H
#define PV_PROBE_MODULES_H

#include "probe/ground/host.h"

/* Reads the list of loaded modules; reports the ranges of unloaded modules. */
void pvp_modules_refresh(void (*gone)(void *ctx, uint64_t from, uint64_t to), void *ctx);

/*
 * The function at the address. Functions with the same name are distinguished by source file or
 * module: "init (a.c)", "init [libb.so]"; static functions of libraries always by module. Functions
 * without a symbol are "module+0xoffset"; a module's first address stands for all code outside of
 * known functions, "unresolved in module". False: in no module.
 */
bool pvp_modules_method(uint64_t address, struct pvp_method *ret);

/* The base name of the file at the address, good until the next refresh; NULL: no file. */
const char *pvp_modules_file(uint64_t address);

/* The range of the library at the address. False: none, or the program's file. */
bool pvp_modules_library(uint64_t address, uint64_t *ret_from, uint64_t *ret_to);

/*
 * The start of the function at the address, by symbol, else by unwind table, else the module's
 * start. 0: in no module.
 */
uint64_t pvp_modules_start(uint64_t address);

/*
 * The key of a caller's place: the address itself if the file's debug information may name
 * functions inlined there, else as pvp_modules_start().
 */
uint64_t pvp_modules_place(uint64_t address);

/*
 * Walks the modules, *at from 0 on, `again` or only new modules: code and size cover the whole
 * module, the name is the file's path. False: no more modules.
 */
bool pvp_modules_next(size_t *at, bool again, struct pvp_method *ret);

/*
 * The build id, as in the log, of the module at place `at` of pvp_modules_next(); NULL: none. Good
 * until the next refresh.
 */
const char *pvp_modules_build_id(size_t at);

/* Refreshes the modules, without a report of modules that are gone. */
void pvp_modules_look(void);

/* As pvp_modules_method(), after a refresh if need be. False: no module holds the address. */
bool pvp_modules_method_now(uint64_t key, struct pvp_method *ret);

/* Writes the modules as symbols into a log with samples. False: not written. */
struct pvp_writer;
struct pvp_out_buffer;
bool pvp_modules_tell(struct pvp_writer *w, struct pvp_out_buffer *page, bool again);

void pvp_modules_finish(void); /* frees all modules */

#endif
