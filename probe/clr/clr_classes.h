/*
 * Classes of the .NET runtime that are known to be loaded, with small numbers as their keys in the
 * log: given at first sight and never again, however often the runtime uses an id again.
 *
 * The interface has calls that find a class by its definition, but they load it when it is not
 * loaded, which is not allowed on a thread that is not the runtime's own: it ends the process. So a
 * class is only ever found here, among those that the runtime has shown by itself: in
 * ClassLoadFinished, as the class of an object, as the class of a compiled function, and
 * as elements, arguments and ancestors of those.
 *
 * The runtime is never called under a lock of this file's that a callback may want, except while
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

/* A type with its arguments. */
struct pvp_clr_type {
	uint64_t id, module;
	uint32_t token; /* of its definition in the module */
	uint32_t n;
	struct pvp_clr_argument of[PVP_CLR_ARGUMENTS];
};

/* The shape of every class that is no structure: a reference. */
#define PVP_CLR_REFERENCE UINT64_C(1)

/* The shape of a structure; 0: that of an argument is not known. */
uint64_t pvp_clr_shape(const struct pvp_clr_type *t);

/*
 * A loaded type of this definition and these arguments; 0: none is known. Needs all arguments' ids.
 */
uint64_t pvp_clr_class_find(const struct pvp_clr_type *t);
/* A loaded structure of this definition and shape, whatever its arguments are. */
uint64_t pvp_clr_class_alike(uint64_t module, uint32_t token, uint64_t shape);

/* The runtime's description of a loaded class; false: it is an array, or there is none. */
bool pvp_clr_type_of(uint64_t id, struct pvp_clr_type *ret);

/*
 * Keys; 0: out of memory, or id 0. class: named in the log before this returns. note: a class that
 * is loaded and stays so during the call; named later, by the agent. reserve: the same, and asks
 * the runtime nothing, for moments when it stands still.
 */
uint64_t pvp_clr_class(uint64_t id);
uint64_t pvp_clr_class_note(uint64_t id);
uint64_t pvp_clr_class_if_met(uint64_t id); /* asks nothing; 0: not met, or gone */
uint64_t pvp_clr_class_reserve(uint64_t id);

/* The entity for a generic definition itself, of which no instance may be known. */
void pvp_clr_class_open(uint64_t module, uint32_t token, const char *text, size_t len);

/* The class of a key, without arguments; false: unloaded, an array, or unknown. */
bool pvp_clr_class_at(uint64_t key, struct pvp_clr_type *ret);

/* The greatest key given so far. */
uint64_t pvp_clr_classes_newest(void);

/* The agent's, and the shutdown's: names those noted or reserved. Whether there are any. */
void pvp_clr_classes_name(void);
bool pvp_clr_classes_waiting(void);

/*
 * Questions about a class that no object holds must not overlap with its unloading: unloads wait,
 * for a bounded time.
 */
void pvp_clr_unloads_hold(void);
void pvp_clr_unloads_release(void);

/* A class is unloaded; all of a module; all of them. */
void pvp_clr_class_gone(uint64_t id);
void pvp_clr_classes_gone(uint64_t module); /* all of a module */
void pvp_clr_classes_forget(void);

#endif
