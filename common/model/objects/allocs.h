/* SPDX-License-Identifier: MIT */
/*
 * Allocations: per class and per (class, stack). Where a probe wrote only some of them, each counts
 * for as many as it stands for. Part of the model: written by the ingest thread, read under the
 * lock.
 */
#ifndef PV_MODEL_ALLOCS_H
#define PV_MODEL_ALLOCS_H

#include "common/model/calls/sites.h"

struct pv_class_allocs {
	uint64_t count, bytes;
	double variance;                 /* of bytes; 0 when they are exact */
	uint64_t shot_count, shot_bytes; /* of `count` and `bytes`: up to the shot pv_allocs.shot */
};

enum { PV_ALLOC_SIZES = 48 }; /* the last size class has no upper end */

/* Objects from 2^i to below 2^(i + 1) bytes; [0] has empty ones, too. */
struct pv_alloc_size {
	uint64_t count, bytes;
};

struct pv_allocs {
	PV_ARRAY(struct pv_class_allocs) class_use; /* by id in names; may be shorter */
	/* amount = bytes; without backtraces the stack is the thread's current call path */
	struct pv_sites sites;
	struct pv_alloc_size size[PV_ALLOC_SIZES];
	uint32_t shot; /* number + 1 of the newest shot that shot_count is about; 0: none */
	uint64_t count, bytes;
	uint64_t period;         /* bytes between two recorded allocations, 0: all were recorded */
	uint64_t samples;        /* events */
	double variance, carry;  /* carry is private: the rest from rounding */
	uint64_t with_backtrace; /* events that brought their own stack */
	uint64_t with_path;      /* events placed on their thread's current call path */
};

/* The index in pv_allocs.size of an object of `size` bytes; any thread, pure. */
static inline unsigned pv_alloc_size_of(uint64_t size)
{
	unsigned bit = 63 - (unsigned)__builtin_clzll(size | 1);
	return bit < PV_ALLOC_SIZES ? bit : PV_ALLOC_SIZES - 1;
}

struct pv_shot;
/*
 * Private to the model: a shot has ended, and the figures up to the shot are kept. A shot that
 * lists next to nothing is left out: the way through all classes would not be worth the time.
 */
void pv_allocs_note_shot(struct pv_allocs *a, const struct pv_shot *shot);

#endif
