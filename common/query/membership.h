/* SPDX-License-Identifier: MIT */
/*
 * Private to the query layer: class, image, assembly and so on of a method or class. Under the
 * model's lock. A log names a method's class only as text; of several images with a class of the
 * name, the last one loaded is taken.
 *
 * Native code has no assembly, but the name of its file, without folder. Methods made while the
 * program ran are in "(dynamic)", unknown addresses in "(unknown code)".
 */
#ifndef PV_QUERY_MEMBERSHIP_H
#define PV_QUERY_MEMBERSHIP_H

#include "common/base/map.h"
#include "common/base/ranges.h"
#include "common/query/views.h"

/* Text without a NUL; len 0: the log does not say. Owned by the model, or a literal. */
struct pv_slice {
	const char *at;
	size_t len;
};

struct pv_membership {
	const struct pv_model *m;
	struct pv_map class_of;    /* hash of a class's name without type arguments -> class */
	struct pv_map assembly_of; /* image key -> the image's newest assembly */
	struct pv_ranges files;    /* of native code: address -> interned path */
};

/* False when out of memory; finish is fine then too. */
bool pv_membership_init(struct pv_membership *x, const struct pv_model *m);
void pv_membership_finish(struct pv_membership *x);

/* Of a method id, or of a class use. */
struct pv_slice pv_membership_method(const struct pv_membership *x, uint32_t method, enum pv_by by);
struct pv_slice pv_membership_class(
	const struct pv_membership *x, uint32_t class_use, enum pv_by by);

/*
 * The path of the image of a method's class (`ret_of_class`), or of the file with its native code,
 * as far as known; len 0: the log does not say.
 */
struct pv_slice pv_membership_file(
	const struct pv_membership *x, uint32_t method, bool *ret_of_class);

/* The class in a method's name, the namespace in a method's or class's name: within `name`. */
struct pv_slice pv_membership_class_in(const char *name);
struct pv_slice pv_membership_namespace_in(const char *name, bool method);

/* Whether `s` contains the part; ASCII case-insensitive. */
bool pv_slice_has(struct pv_slice s, const char *part);

#endif
