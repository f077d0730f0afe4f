/* SPDX-License-Identifier: MIT */
/* Address ranges of methods' code. Any thread; under a single lock, never held for long. */
#ifndef PV_PROBE_CODE_RANGES_H
#define PV_PROBE_CODE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

/* Replaces all ranges it overlaps. */
void pvp_ranges_add(uint64_t start, uint64_t size, uint64_t method);

/* Whether a range of this method begins there. */
bool pvp_ranges_is(uint64_t start, uint64_t method);

/* The method whose code holds the address; 0: none. */
uint64_t pvp_ranges_find(uint64_t ip);

/* The beginning of the range at the address; 0: none. */
uint64_t pvp_ranges_start(uint64_t ip);

/* Whether any method has code in the address's page (4 KiB). */
bool pvp_ranges_near(uint64_t ip);

/* The method's code is gone. */
void pvp_ranges_drop(uint64_t method);

void pvp_ranges_forget(void); /* all of them */

#endif
