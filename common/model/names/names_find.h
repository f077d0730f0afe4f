/* SPDX-License-Identifier: MIT */
/*
 * Names of ids and keys, asked at query time; names.h, which includes this file, has the rules. Any
 * thread, with the model's lock. Times are ns on the log's clock; texts are the names' or in `buf`,
 * never NULL.
 */
#ifndef PV_MODEL_NAMES_FIND_H
#define PV_MODEL_NAMES_FIND_H

#include "common/model/names/names.h"

/* The interned name of a method or class use, 0 while undefined; *_text: the key "0x..." then. */
uint32_t pv_names_method_name(const struct pv_names *n, uint32_t method);
uint32_t pv_names_class_name(const struct pv_names *n, uint32_t class_use);
const char *pv_names_method_text(const struct pv_names *n, uint32_t method, char buf[24]);
const char *pv_names_class_text(const struct pv_names *n, uint32_t class_use, char buf[24]);

enum { PV_NAME_RESUMED = 1 }; /* interned: the name of resumption.h */
/*
 * The caller of a frame of the method, with `caller` (a node of any tree) in the stack: 0 for a
 * resumption (resumption.h).
 */
static inline uint32_t pv_names_caller(const struct pv_names *n, uint32_t method, uint32_t caller)
{
	return caller && pv_names_method_name(n, method) == PV_NAME_RESUMED ? 0 : caller;
}

/* The method around a sampled bare address, once its code is known; else the id. */
uint32_t pv_names_resolved(const struct pv_names *n, uint32_t method);

/*
 * Callers in samples of native code have keys of their own for the places of their calls, described
 * with the function's code: each such key means the function. *ret_place: the address of the place
 * within the function (the key itself), 0 for any other key. Returns the function's key.
 */
uint64_t pv_names_function_key(const struct pv_names *n, uint64_t key, uint64_t *ret_place);
/*
 * True if a METHOD_JIT describes such a place: in a file that the log has named, and not used
 * before.
 */
bool pv_names_is_place(const struct pv_names *n, const struct pv_event *jit);
/*
 * True if the method was described and is no native function: those are described as methods when
 * samples meet them. A function lies in a file that the log has named, and its name is not
 * "Class:Method (arguments)". With `codeless` methods without known code count, too: logs of 2007,
 * and what was converted from them, have no addresses.
 */
bool pv_names_compiled(const struct pv_names *n, uint32_t method, bool codeless);

/*
 * Names of keys and addresses in an event at a time, whether or not they were used elsewhere:
 * interned, 0 unknown. A type is a vtable or a class, by the log's data version.
 */
uint32_t pv_names_key_method(const struct pv_names *n, uint64_t key, int64_t time);
uint32_t pv_names_key_type(const struct pv_names *n, uint64_t key, int64_t time);
uint32_t pv_names_address(const struct pv_names *n, uint64_t address);

/* The class of a use, past its vtable, as an id in entity[CLASS]; 0 unknown. */
uint32_t pv_names_class_entity(const struct pv_names *n, uint32_t class_use);

/* Id of a key of that kind at a time, by the rule of names.h; 0 unknown. */
uint32_t pv_names_entity(
	const struct pv_names *n, enum pv_entity_kind kind, uint64_t key, int64_t time);

/* The newest meaning that began by then, ended or not, else the oldest; 0: none. */
uint32_t pv_names_begun(
	const struct pv_names *n, enum pv_entity_kind kind, uint64_t key, int64_t time);

/* A single number for all uses of classes of one name and image: rows' ids. */
uint64_t pv_names_class_row(const struct pv_names *n, uint32_t class_use);
struct pv_class_said {
	uint64_t row;
	uint32_t name, image;
}; /* answers of _row() and the like */
struct pv_class_said pv_names_class_said(const struct pv_names *n, uint32_t class_use);

/* The image (module), in logs of 2007 the assembly, of a class use; interned, 0 unknown. */
uint32_t pv_names_class_image(const struct pv_names *n, uint32_t class_use);

#endif
