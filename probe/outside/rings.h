/* SPDX-License-Identifier: MIT */
/* The rings of perf events, one a processor. One thread. Sizes are bytes. */
#ifndef PV_PROBE_OUTSIDE_RINGS_H
#define PV_PROBE_OUTSIDE_RINGS_H

#include <stdbool.h>

/*
 * PVO_RING and a page are granted to any user once for each processor (perf_event_mlock_kb). While
 * another recording has them, halves are asked for, down to PVO_RING_LEAST.
 */
enum { PVO_RING = 512 << 10, PVO_RING_LEAST = 64 << 10, PVO_RING_DEEP = 4 << 20 };

/*
 * For records that come in bursts, before the first ring: rings up to PVO_RING_DEEP, as far as all
 * of them have room in the locked memory that any user has.
 */
void pvo_rings_deepen(void);

/* Numbers of processors are below this. */
int pvo_rings_processors(void);

/* Leads an event into its processor's ring; the first event makes it. 0, or an errno value. */
int pvo_rings_join(int fd, int cpu);
bool pvo_rings_any(void);
void pvo_rings_close(void);

#endif
