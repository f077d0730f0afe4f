/* SPDX-License-Identifier: MIT */
/*
 * Identities of objects, from allocation through the collector's moves to the heap shots. Fed with
 * a log's events in time order; keeps the living objects, and for every shot
 * sums up the objects by their time. Built on demand, by one thread, from a log read again.
 *
 * An address used again is another object. An object missing in a shot is dead. All moves of a
 * collection are a batch: all sources are read before a target is written.
 *
 * Without recorded allocations or moves, objects are matched by address and class, and the rest by
 * class and size; figures that rest on such matches count as uncertain.
 */
#ifndef PV_MODEL_IDENTITY_H
#define PV_MODEL_IDENTITY_H

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/identity/identity_event.h"
#include "common/model/identity/identity_fate.h"

/* Shots that a ladder has rungs for (further shots are left out); cells of all rungs together. */
enum { PV_IDENTITY_STEPS = 64, PV_IDENTITY_CELLS = 8000000 };

#define PV_IDENTITY_NO_SHOT UINT32_MAX
/* Facts that objects allocated in one place share: class, stack and thread of the allocation. */
struct pv_life_site {
	uint32_t class_use; /* id in the names of the model */
	uint32_t stack;     /* id in the model's stacks; 0: not recorded */
	uint32_t thread;    /* index in the model's threads; 0: not recorded */
	bool allocated;     /* the allocation was recorded */
};

/* Objects of a site first listed by one shot (cohort: the shot's rung), at both ends of a diff. */
struct pv_life_row {
	uint32_t site, cohort;
	uint64_t base_objects, base_bytes; /* listed by the base shot */
	uint64_t kept_bytes;               /* of base_bytes, bytes of survivors */
	uint64_t shot_objects, shot_bytes; /* listed by the other shot; see pv_life_is_new() */
	uint64_t uncertain;                /* of both shots; an object of both counts once */
	uint64_t collections;              /* ages of shot_objects with an allocation, summed up */
	uint64_t aged;                     /* number of the objects in that sum */
	int64_t allocated_from_ns, allocated_to_ns; /* log clock; from > to: none is known */
};

/* Survivors of a class's cohort at one rung. */
struct pv_life_cell {
	uint32_t class_use;
	uint16_t cohort, step;
	uint64_t objects, bytes;
};

/* An object of the last shot. */
struct pv_life_object {
	uint64_t address;
	uint64_t base_address; /* in the base shot; 0: not listed there */
	int64_t allocated_ns;  /* log clock; PV_NEVER: the allocation was not recorded */
	uint32_t row;
	uint32_t collections; /* survived, from the allocation or first shot on */
};

struct pv_identity_shot {
	uint32_t index; /* number in the log */
	int64_t time_ns;
	uint64_t objects, bytes, allocations; /* allocations: seen up to the shot */
};

struct pv_identity_options {
	uint32_t base, shot;         /* numbers in the log; base < shot */
	const uint32_t *steps;       /* shots that are rungs, ascending; with base and shot */
	size_t n_steps;              /* up to PV_IDENTITY_STEPS */
	bool allocs, moves, sampled; /* all were recorded; `sampled`: only some allocations */
	bool by_address;             /* only addresses and classes are compared */
};

/* Private: an object that is, or may be, alive. */
struct pv_life_slot {
	int64_t allocated_ns;
	uint64_t size, base_size, base_address;
	uint32_t site;
	uint32_t allocated_at; /* collections before the allocation, or before the first listing */
	uint32_t seen;         /* last shot with the object; of a free slot: the next free slot */
	uint16_t cohort, flags;
};

struct pv_identity {
	struct pv_identity_options options; /* steps: owned */
	/* Results, once the last shot has ended. */
	PV_ARRAY(struct pv_life_site) site; /* [0] unused */
	PV_ARRAY(struct pv_life_row) row;
	PV_ARRAY(struct pv_life_cell) cell;     /* by step */
	PV_ARRAY(struct pv_life_object) object; /* by address */
	PV_ARRAY(struct pv_identity_shot) step;
	uint64_t collections;
	uint64_t uncertain, of; /* objects of unsure identity; of all in both shots */
	uint64_t no_allocation; /* listed, allocation missing though others were recorded */
	uint64_t mismatched;    /* listed with another class than was allocated there */
	uint64_t duplicates;    /* listed twice by one shot */
	uint64_t guessed;       /* matched only by class and size */
	uint64_t lost;          /* events missing by the log's own account */
	bool damaged;           /* a part of the log could not be read */
	bool unordered;         /* events are in the order of the file, not of their times */
	bool cut;               /* cells beyond PV_IDENTITY_CELLS were left out */
	bool done;              /* the shot was read to its end */
	uint64_t allocations;
	struct pv_life_fates fates;
	/* private */
	struct pv_map at; /* address -> life, PV_LIFE_GONE: nothing lives there */
	struct pv_map place_of, site_of, row_of, cell_of, written;
	uint32_t places;
	PV_ARRAY(struct pv_life_slot) life;
	uint32_t free;            /* head of the list of free lives */
	PV_ARRAY(uint64_t) pairs; /* of the collection under way: from, to */
	uint32_t alive;           /* lives not free */
	PV_ARRAY(uint32_t) listed;
	PV_ARRAY(uint64_t) where; /* address of listed[i] */
	uint64_t listed_at;       /* collections when the last shot ended */
	int64_t open_ns;
	uint32_t open; /* shot being listed, PV_IDENTITY_NO_SHOT without */
	uint32_t last; /* shot listed before `open` */
	uint32_t next_step;
};

/* False when out of memory. The steps of `o` are copied. */
bool pv_identity_init(struct pv_identity *l, const struct pv_identity_options *o);
void pv_identity_finish(struct pv_identity *l);

/* The events, in the order of their times. All are false when out of memory only. */
bool pv_identity_alloc(struct pv_identity *l, const struct pv_allocation_event *b);
bool pv_identity_moves(struct pv_identity *l, const uint64_t *pairs, size_t n); /* n addresses */
/* A collection begins: moves so far are of the one before. Or moves are made. False: no memory. */
bool pv_identity_collection(struct pv_identity *l);
bool pv_identity_apply_moves(struct pv_identity *l);
/* Prefetches memory for an event about this address that comes soon, or `near`. */
void pv_identity_expect(const struct pv_identity *l, uint64_t address, bool near);
bool pv_identity_shot_begins(struct pv_identity *l, uint32_t index, int64_t time_ns);
bool pv_identity_object(struct pv_identity *l, const struct pv_listed_object *o);
/* `whole`: false when the rest of the list is missing, so that the shot shows no object as dead. */
bool pv_identity_shot_ends(struct pv_identity *l, bool whole);

/* Cohorts up to the base's have survived, the others are new. */
static inline bool pv_life_is_new(const struct pv_identity *l, const struct pv_life_row *r)
{
	return l->step.v[r->cohort].index > l->options.base;
}

#endif
