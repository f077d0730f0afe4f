/* SPDX-License-Identifier: MIT */
/*
 * GC handles: how many of each type were made, freed and are alive, and their makers. Number and
 * type identify a handle; numbers are used again. The class is that of the object's address.
 *
 * With two threads' buffers a handle's end may come before its beginning, the next beginning before
 * the end, or a handle before its object: times decide, not the order in the file.
 *
 * Part of the model: written by the ingest thread, read under the lock. Times are ns, log clock.
 */
#ifndef PV_MODEL_HANDLES_H
#define PV_MODEL_HANDLES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/objects/unresolved.h"

enum { PV_HANDLE_TYPES = 5, PV_HANDLES_CAP = 1 << 20, PV_HANDLE_SITES_CAP = 1 << 17 };

/* The numbers of the wire; unknown types are counted as OTHER. */
enum pv_handle_type {
	PV_HANDLE_WEAK,
	PV_HANDLE_WEAK_TRACK,
	PV_HANDLE_NORMAL,
	PV_HANDLE_PINNED,
	PV_HANDLE_OTHER
};

struct pv_handle_sum {
	uint64_t created, destroyed;
	uint64_t live; /* created within the restriction and not destroyed since */
	uint64_t most; /* alive at once, in the order of the file */
};

/* Handles of a type for objects of a class, made by a stack. */
struct pv_handle_site {
	uint8_t type;
	bool other;         /* sites beyond the cap */
	uint32_t class_use; /* id in names; 0 = class not recorded */
	uint32_t stack;     /* id in stacks; 0 = no stack was recorded */
	uint64_t created, live;
};

struct pv_handle {
	uint32_t site;    /* of the present handle */
	uint32_t owed;    /* ends of earlier handles that are still to come */
	uint32_t early;   /* ends that came before their beginnings, the last at since_ns */
	int64_t since_ns; /* else: alive since */
	bool alive;
};

struct pv_handles {
	struct pv_handle_sum type[PV_HANDLE_TYPES];
	PV_ARRAY(struct pv_handle_site) site;
	uint64_t unknown_class, without_stack; /* of the created handles */
	uint64_t owed;                         /* handles made again without an end in between */
	uint64_t folded;                       /* created beyond the cap: counted only by type */
	uint64_t folded_sites;                 /* created by sites that became "other" */

	/* private */
	struct pv_unresolved waiting; /* for classes: site, handle's index (UINT32_MAX: too many) */
	PV_ARRAY(struct pv_handle) handle; /* by number met */
	struct pv_map handle_of;           /* type << 32 | number -> index */
	struct pv_map site_of;
	uint32_t last;        /* index of the last site looked up */
	size_t cap, site_cap; /* the caps above, less in tests */
};

#endif
