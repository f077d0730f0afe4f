/* What is loaded into this process, and the names of its functions. The writer's thread only. */
#ifndef PV_PROBE_MODULES_H
#define PV_PROBE_MODULES_H

#include "probe/host.h"

/* Looks at what is loaded; reports the ranges of modules that are no longer. */
void pvp_modules_refresh(void (*gone)(void *ctx, uint64_t from, uint64_t to), void *ctx);

/*
 * The function at the address. Functions of one name are told apart by source file or module:
 * "init (a.c)", "init [libb.so]"; static ones of libraries always by module. Addresses without a
 * symbol are "module+0xoffset". False when no module holds the address.
 */
bool pvp_modules_method(uint64_t address, struct pvp_method *ret);

void pvp_modules_finish(void);

#endif
