/*
 * Names of a text of stacks: functions and the files that they lie in, threads' names apart from them.
 * Private to the files of this folder; one thread uses it. False is out of memory.
 */
#ifndef PV_FORMAT_STACKS_NAMES_H
#define PV_FORMAT_STACKS_NAMES_H

#include "common/base/intern.h"
#include "common/format/event.h"

enum { PV_STACK_OBJECTS = 1 << 16, PV_STACK_COMMS = 1 << 16, PV_STACK_RECENT = 1 << 12 };

struct pv_stack_method {
	uint64_t key;
	uint32_t name;   /* in names; shown so */
	uint32_t object; /* in objects; 0: none */
	bool is_new;     /* nothing was said about it yet; of the last look-up */
	bool new_object;
	bool chain;   /* the name is "outer->inner" of code that a runtime made: it has no key */
	uint8_t tier; /* enum pv_tier, of a name that is written for the first time */
};

/* Of a name as it is written, the method it meant last. */
struct pv_stack_meant {
	uint32_t shown; /* + 1; 0: not looked at */
	uint32_t object;
	uint64_t key;
	uint8_t tier; /* enum pv_tier; 0: the name says none */
	bool chain;   /* it is several names in a row, none of them looked at */
};

struct pv_stack_names {
	struct pv_intern names, objects, comms;
	PV_ARRAY(struct pv_stack_meant) meant; /* by id in names */
	struct pv_map key_of;                  /* name << 16 | object */
	struct pv_map comm_of;                 /* thread -> its name, in comms */
	uint32_t keys;                         /* given out */
	uint32_t recent[PV_STACK_RECENT];      /* ids in names + 1, by some of their letters */
};

/* Frees all of it. */
void pv_stack_names_finish(struct pv_stack_names *x);

/*
 * Keys are numbers from 1; those of an object lie from its number << 32 on, so that an address
 * range, PV_STACK_OBJECT_SIZE long, is the object. Names and objects beyond the limits are "(other)"
 * and none.
 */
#define PV_STACK_OBJECT_SIZE (UINT64_C(1) << 32)
bool pv_stack_names_method(struct pv_stack_names *x, struct pv_text name, struct pv_text object,
	struct pv_stack_method *ret);

/* Whether a thread's name is new or another one; *ret: the name, "(no name)" for an empty one. */
bool pv_stack_names_thread(struct pv_stack_names *x, uint64_t thread, struct pv_text name,
	struct pv_text *ret, bool *ret_new);

/* "/tmp/perf-12.map", "/memfd:doublemapper": code that a runtime made. */
bool pv_stack_is_made_code(struct pv_text object);

#endif
