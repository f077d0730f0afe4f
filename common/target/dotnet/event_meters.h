/* SPDX-License-Identifier: MIT */
/* Meters that a session of .NET's event stream asks for. One thread. */
#ifndef PV_TARGET_EVENT_METERS_H
#define PV_TARGET_EVENT_METERS_H

#include <stddef.h>

enum { PV_EVENT_METER_ARGS = 1200 /* bytes, without those of `more` */ };

/* The arguments, another text each time; `more`: further meters, as of pv_event_options, or "". */
void pv_event_meter_args(char *to, size_t room, const char *more);

#endif
