/*
 * How readers name counters of the workers that .NET's thread pool wants, of which views tell when it
 * changed and why: the reason comes after this. Any thread.
 */
#ifndef PV_BASE_POOL_SET_H
#define PV_BASE_POOL_SET_H

#define PV_POOL_SET_TO "thread pool set to, by "

#endif
