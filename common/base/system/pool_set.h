/* SPDX-License-Identifier: MIT */
/*
 * Names that readers give to counters of the workers wanted by .NET's thread pool: this text, then
 * the reason of a change. Views report the change and the reason. Any thread.
 */
#ifndef PV_BASE_POOL_SET_H
#define PV_BASE_POOL_SET_H

#define PV_POOL_SET_TO "thread pool set to, by "

#endif
