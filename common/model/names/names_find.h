/*
 * Names of ids and keys, asked at query time; the rules of names.h, which includes this. Any
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

/* The method a sampled bare address turned out to stand in, once its code is known; else the id. */
uint32_t pv_names_resolved(const struct pv_names *n, uint32_t method);

/*
 * Callers in samples of native code have keys of their own for the places that they call from, which
 * are described with the function's code: each such key means the function. The address of the place
 * within it is the key itself, or where *ret_place is 0 the key is no such. Returns the function's.
 */
uint64_t pv_names_function_key(const struct pv_names *n, uint64_t key, uint64_t *ret_place);
/* Whether a METHOD_JIT describes one: in a file that the log has named, and not used before. */
bool pv_names_is_place(const struct pv_names *n, const struct pv_event *jit);

/*
 * The same of keys and addresses as they stand in an event of that time, whether or not they were
 * used elsewhere: interned, 0 unknown. A type is a vtable or a class, as the log's data version has
 * it.
 */
uint32_t pv_names_key_method(const struct pv_names *n, uint64_t key, int64_t time);
uint32_t pv_names_key_type(const struct pv_names *n, uint64_t key, int64_t time);
uint32_t pv_names_address(const struct pv_names *n, uint64_t address);

/* The class a use is of, past its vtable, as an id in entity[CLASS]; 0 unknown. */
uint32_t pv_names_class_entity(const struct pv_names *n, uint32_t class_use);

/* Id of a key of that kind at a time, by the rule above; 0 unknown. */
uint32_t pv_names_entity(
	const struct pv_names *n, enum pv_entity_kind kind, uint64_t key, int64_t time);

/* The newest meaning that began by then, whether or not it had ended, else the oldest; 0: none. */
uint32_t pv_names_begun(
	const struct pv_names *n, enum pv_entity_kind kind, uint64_t key, int64_t time);

/* One number for all uses of a class of one name and image: rows' ids. */
uint64_t pv_names_class_row(const struct pv_names *n, uint32_t class_use);
struct pv_class_said {
	uint64_t row;
	uint32_t name, image;
}; /* answers of _row() and the like */
struct pv_class_said pv_names_class_said(const struct pv_names *n, uint32_t class_use);

/* The image (module), in logs of 2007 the assembly, of a class use; interned, 0 unknown. */
uint32_t pv_names_class_image(const struct pv_names *n, uint32_t class_use);

#endif
