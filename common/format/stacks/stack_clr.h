/* SPDX-License-Identifier: MIT */
/*
 * Names of .NET's compiled methods in its perf map:
 * "instance int32 [app] Space.Outer+Inner::Do(int32,string)[Tier0]". Pure: any thread.
 */
#ifndef PV_FORMAT_STACK_CLR_H
#define PV_FORMAT_STACK_CLR_H

#include "common/format/event.h"

enum { PV_STACK_CLR_ROOM = 8192 };

/*
 * Writes the name in the probes' notation; returns the length. 0: no such name, or too long.
 * *ret_tier: the tier, if the name has one.
 */
size_t pv_stack_clr_name(struct pv_text name, char room[PV_STACK_CLR_ROOM], enum pv_tier *ret_tier);

#endif
