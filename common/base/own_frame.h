/* SPDX-License-Identifier: MIT */
/* The frame's name for time spent by the probes themselves. */
#ifndef PV_BASE_OWN_FRAME_H
#define PV_BASE_OWN_FRAME_H

#define PV_OWN_FRAME "[profview probe]"

#endif
