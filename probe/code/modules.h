/* Modules loaded into this process, and names of their functions. The writer's thread only. */
#ifndef PV_PROBE_MODULES_H
#define PV_PROBE_MODULES_H

#include "probe/core/host.h"

/* Reads the list of loaded modules; reports the ranges of modules that are no longer. */
void pvp_modules_refresh(void (*gone)(void *ctx, uint64_t from, uint64_t to), void *ctx);

/*
 * The function that holds the address. Functions of one name are distinguished by source file or
 * module: "init (a.c)", "init [libb.so]"; static ones of libraries always by module. Functions
 * without a symbol are "module+0xoffset"; a module's first address stands for all that are in no
 * known function, "unresolved in module". False when no module holds the address.
 */
bool pvp_modules_method(uint64_t address, struct pvp_method *ret);

/*
 * The base name of the file that holds the address, good until the next refresh; NULL: none does.
 */
const char *pvp_modules_file(uint64_t address);

/* The range of the library that holds the address. False: none does, or it is the program's file. */
bool pvp_modules_library(uint64_t address, uint64_t *ret_from, uint64_t *ret_to);

/*
 * The function's first address, by its symbol, else by its file's unwind table, else its module. 0:
 * no module holds the address.
 */
uint64_t pvp_modules_start(uint64_t address);

/*
 * The key of a caller that calls at the address: the address where the file's debug information may
 * say which functions were inlined there, else as pvp_modules_start().
 */
uint64_t pvp_modules_place(uint64_t address);

/*
 * Modules one after the other, *at from 0 on, `again` or only those that were not given yet: code
 * and size are those of all of it, the name is the path of its file. False: there is none left.
 */
bool pvp_modules_next(size_t *at, bool again, struct pvp_method *ret);

/*
 * How the log says the build id of the module at that place, of those that pvp_modules_next()
 * gives; NULL: it has none. Good until the next refresh.
 */
const char *pvp_modules_build_id(size_t at);

/* Those as symbols of a log that has samples. False: they could not be written. */
struct pvp_writer;
struct pvp_out_buffer;
bool pvp_modules_tell(struct pvp_writer *w, struct pvp_out_buffer *page, bool again);

void pvp_modules_finish(void); /* frees what is known of them */

#endif
