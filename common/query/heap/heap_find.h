/* SPDX-License-Identifier: MIT */
/* Searching objects by address or size. Class names are searched as text. Pure: any thread. */
#ifndef PV_QUERY_HEAP_FIND_H
#define PV_QUERY_HEAP_FIND_H

#include <stdbool.h>
#include <stdint.h>

struct pv_heap;

struct pv_find {
	enum pv_find_what { PV_FIND_ADDRESS, PV_FIND_EQUAL, PV_FIND_MORE, PV_FIND_LESS } what;
	uint64_t number;
};

/*
 * "0x7f..." is an address, anywhere in the object; "=24", ">1MiB" and "<64" are sizes in bytes.
 * False for other texts.
 */
bool pv_find_parse(const char *text, struct pv_find *ret);
/* Whether the object matches. */
bool pv_find_is(const struct pv_find *f, const struct pv_heap *h, uint32_t node);

#endif
