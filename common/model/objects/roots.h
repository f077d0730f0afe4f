/* SPDX-License-Identifier: MIT */
/*
 * GC roots: how many slots held an object, by kind, and by the registered area around the slot. Up
 * to data version 14 a root states its kind; from 15 on a root is a slot's address, and the areas
 * have the kind.
 *
 * A list is all roots between two beginnings of collections. Areas may be registered in buffers
 * that come later in the file than the roots in them: such slots wait for their area. A thread
 * unregisters its stack while the collector goes on to scan it (seen with the helper threads of the
 * log profiler itself in the last collection): such slots count for the stack.
 *
 * Part of the model: written by the ingest thread, read under the lock.
 */
#ifndef PV_MODEL_ROOTS_H
#define PV_MODEL_ROOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"
#include "common/base/order.h"

/* The numbers of data version 15 on, then kinds of older logs only. */
enum pv_root_source {
	PV_ROOT_EXTERNAL,
	PV_ROOT_STACK,
	PV_ROOT_FINALIZER,
	PV_ROOT_STATIC,
	PV_ROOT_THREAD_STATIC,
	PV_ROOT_CONTEXT_STATIC,
	PV_ROOT_HANDLE,
	PV_ROOT_JIT,
	PV_ROOT_THREADING,
	PV_ROOT_DOMAIN,
	PV_ROOT_REFLECTION,
	PV_ROOT_MARSHAL,
	PV_ROOT_THREAD_POOL,
	PV_ROOT_DEBUGGER,
	PV_ROOT_HANDLE_STACK,
	PV_ROOT_EPHEMERON,
	PV_ROOT_TOGGLEREF,
	PV_ROOT_OTHER,
	PV_ROOT_MISC,
	PV_ROOT_UNKNOWN, /* in no registered area, or of an unknown number */
	PV_ROOT_SOURCES
};

enum { PV_ROOT_AREAS_CAP = 1 << 16, PV_ROOT_WAITING_CAP = 1 << 16, PV_ROOT_GONE = 64 };

struct pv_root_count {
	uint64_t all;    /* within the restriction */
	uint64_t newest; /* in the list `list` */
	uint64_t list;
};

struct pv_root_area {
	uint64_t start, size; /* bytes; 0 or 1: a pseudo area */
	uint64_t key;         /* thread id, vtable or domain id, as the source says */
	uint32_t name;        /* interned */
	uint8_t source;       /* enum pv_root_source */
	uint8_t number;       /* as on the wire */
	bool live;            /* registered now */
	int64_t registered_ns, unregistered_ns; /* log clock; PV_NEVER while registered */
	struct pv_root_count roots;
};

struct pv_root_sum {
	struct pv_root_count roots;
	uint64_t registered, unregistered; /* areas, within the restriction */
	uint64_t live, live_bytes;         /* registered now */
	/* flags of the roots before data version 15, of `all` */
	uint64_t pinning, weak, interior;
};

/* A slot in no area so far, or in an area that had ended by then. */
struct pv_root_waiting {
	uint64_t slot;
	int64_t time_ns;
	uint32_t counted; /* index + 1 of the area the slot was counted for; 0: none */
	uint32_t next;    /* of an unused entry: index + 1 of the next */
	struct pv_root_count roots;
};

struct pv_roots {
	struct pv_root_sum source[PV_ROOT_SOURCES];
	PV_ARRAY(struct pv_root_area) area; /* in file order */
	uint64_t list, lists;               /* number of the newest; how many there were */
	bool old_form, flags;               /* met: roots that state their kind; with flags */
	uint64_t stray_unregistered;        /* ends of areas that were not registered */
	uint64_t folded;                    /* areas, or slots, beyond what is kept */

	/* private */
	struct pv_order live, ended; /* areas, by start, up to their last byte */
	int64_t latest_end_ns;       /* greatest unregistered_ns */
	bool any_end;
	PV_ARRAY(struct pv_root_waiting) waiting;
	uint32_t unused;       /* index + 1 of the first unused entry of `waiting` */
	uint32_t freed;        /* likewise, while an area is registered */
	struct pv_order slots; /* waiting slots, up to their time */
	uint32_t recent;       /* area found last */
	/* Stacks that ended last and whose place no other area has taken: index + 1. */
	uint32_t gone[PV_ROOT_GONE];
	uint32_t gone_next;
};

/* Kind of roots before data version 15: the low byte of their type, and its flags. */
enum { PV_ROOT_OLD_PINNING = 0x100, PV_ROOT_OLD_WEAK = 0x200, PV_ROOT_OLD_INTERIOR = 0x400 };
enum pv_root_source pv_root_old_source(uint8_t rules, uint64_t type);
static inline unsigned pv_root_old_flags(uint64_t type)
{
	return (unsigned)type & 0x700;
}

#endif
