/*
 * Names of .NET's compiled methods as its perf map has them:
 * "instance int32 [app] Space.Outer+Inner::Do(int32,string)[Tier0]". Pure: any thread.
 */
#ifndef PV_FORMAT_STACK_CLR_H
#define PV_FORMAT_STACK_CLR_H

#include "common/format/event.h"

enum { PV_STACK_CLR_ROOM = 8192 };

/* The name as the probes write it, its length; 0: it is another's, or too long. The tier, if it has one. */
size_t pv_stack_clr_name(struct pv_text name, char room[PV_STACK_CLR_ROOM], enum pv_tier *ret_tier);

#endif
