/* SPDX-License-Identifier: MIT */
/* The host of plain C and C++ programs. Any thread. */
#ifndef PV_PROBE_HOST_NATIVE_H
#define PV_PROBE_HOST_NATIVE_H

/* As profview_start(), with the options of native_args.h too. */
int pvp_native_start(const char *text);

#endif
