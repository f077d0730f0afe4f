/* SPDX-License-Identifier: MIT */
/*
 * Names of a text of stacks: functions with their files, and threads. Private to this folder; one
 * thread uses the tables. False is out of memory.
 */
#ifndef PV_FORMAT_STACKS_NAMES_H
#define PV_FORMAT_STACKS_NAMES_H

#include "common/base/intern.h"
#include "common/format/event.h"

enum { PV_STACK_OBJECTS = 1 << 16, PV_STACK_COMMS = 1 << 16, PV_STACK_RECENT = 1 << 12 };

struct pv_stack_method {
	uint64_t key;
	uint32_t name;   /* in names; as shown */
	uint32_t object; /* in objects; 0: none */
	bool is_new;     /* not known before this look-up */
	bool new_object;
	bool chain;   /* "outer->inner" in code made by a runtime: no key */
	uint8_t tier; /* enum pv_tier, at the name's first occurrence */
};

/* The last meaning of a name. */
struct pv_stack_meant {
	uint32_t shown; /* + 1; 0: not parsed yet */
	uint32_t object;
	uint64_t key;
	uint8_t tier; /* enum pv_tier; 0: unknown */
	bool chain;   /* several names in a row, none parsed */
};

struct pv_stack_names {
	struct pv_intern names, objects, comms;
	PV_ARRAY(struct pv_stack_meant) meant; /* by id in names */
	struct pv_map key_of;                  /* name << 16 | object */
	struct pv_map comm_of;                 /* thread -> name, in comms */
	uint32_t keys;                         /* number of keys */
	uint32_t recent[PV_STACK_RECENT];      /* ids in names + 1, by some letters */
};

/* Frees everything. */
void pv_stack_names_finish(struct pv_stack_names *x);

/*
 * Numbers keys from 1, in a range for each object: from the object's number << 32 on,
 * PV_STACK_OBJECT_SIZE long. Names beyond the limits are "(other)", objects beyond them none.
 */
#define PV_STACK_OBJECT_SIZE (UINT64_C(1) << 32)
bool pv_stack_names_method(struct pv_stack_names *x, struct pv_text name, struct pv_text object,
	struct pv_stack_method *ret);

/*
 * Sets *ret to the thread's name, "(no name)" if empty; *ret_new: the name is new or has changed.
 */
bool pv_stack_names_thread(struct pv_stack_names *x, uint64_t thread, struct pv_text name,
	struct pv_text *ret, bool *ret_new);

/* "/tmp/perf-12.map", "/memfd:doublemapper": code made by a runtime. */
bool pv_stack_is_made_code(struct pv_text object);

#endif
