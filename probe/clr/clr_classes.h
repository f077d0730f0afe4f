/* SPDX-License-Identifier: MIT */
/*
 * Loaded classes of the .NET runtime, with small numbers as keys in the log: given at first sight
 * and never again, however often the runtime reuses an id.
 *
 * Functions of the interface that find a class by definition load the class if needed, which ends
 * the process on threads unknown to the runtime. So classes are only found here, among classes
 * shown by the runtime itself: in ClassLoadFinished, as the class of an object, as the class of a
 * compiled function, and as elements, arguments and ancestors of such classes.
 *
 * The runtime is never called under a lock of this file that a callback may want, except while
 * unloads are held off (bounded).
 */
#ifndef PV_PROBE_CLR_CLASSES_H
#define PV_PROBE_CLR_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PVP_CLR_ARGUMENTS = 16 /* of a generic type, most */ };

/* An argument of a generic type. Types of equal shape have their fields at the same places. */
struct pvp_clr_argument {
	uint64_t id;    /* 0: not known, or not loaded */
	uint64_t shape; /* 0: not known */
};

/* A type with arguments. */
struct pvp_clr_type {
	uint64_t id, module;
	uint32_t token; /* of the definition in the module */
	uint32_t n;
	struct pvp_clr_argument of[PVP_CLR_ARGUMENTS];
};

/* The shape of every class except structures: a reference. */
#define PVP_CLR_REFERENCE UINT64_C(1)

/* The shape of a structure; 0: an argument's shape is unknown. */
uint64_t pvp_clr_shape(const struct pvp_clr_type *t);

/*
 * A loaded type of this definition and these arguments; 0: none is known. Needs all arguments' ids.
 */
uint64_t pvp_clr_class_find(const struct pvp_clr_type *t);
/* A loaded structure of this definition and shape, with any arguments. */
uint64_t pvp_clr_class_alike(uint64_t module, uint32_t token, uint64_t shape);

/* The runtime's description of a loaded class; false: an array, or no such class. */
bool pvp_clr_type_of(uint64_t id, struct pvp_clr_type *ret);

/*
 * Keys; 0: out of memory, or id 0. class: named in the log before the return. note: for a class
 * that stays loaded during the call; named later, by the agent. reserve: like note, but asks the
 * runtime nothing, for moments when the runtime stands still.
 */
uint64_t pvp_clr_class(uint64_t id);
uint64_t pvp_clr_class_note(uint64_t id);
uint64_t pvp_clr_class_if_met(uint64_t id); /* asks nothing; 0: not met, or gone */
uint64_t pvp_clr_class_reserve(uint64_t id);

/* Names a generic definition itself, maybe without a known instance. */
void pvp_clr_class_open(uint64_t module, uint32_t token, const char *text, size_t len);

/* The class of a key, without arguments; false: unloaded, an array, or unknown. */
bool pvp_clr_class_at(uint64_t key, struct pvp_clr_type *ret);

/* The greatest key given so far. */
uint64_t pvp_clr_classes_newest(void);

/* The agent's, and the shutdown's: names classes noted or reserved. Whether any are waiting. */
void pvp_clr_classes_name(void);
bool pvp_clr_classes_waiting(void);

/*
 * Questions about a class without objects must not overlap with its unloading: unloads wait, for a
 * bounded time.
 */
void pvp_clr_unloads_hold(void);
void pvp_clr_unloads_release(void);

/* A class is unloaded; all of a module; all of them. */
void pvp_clr_class_gone(uint64_t id);
void pvp_clr_classes_gone(uint64_t module); /* all of a module */
void pvp_clr_classes_forget(void);

#endif
