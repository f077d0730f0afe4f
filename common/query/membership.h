/*
 * Private to the query layer: class, image, assembly and so on of a method or class. Under the
 * model's lock. A log names a method's class only as text; where several images have classes of one
 * name the one loaded last is meant.
 *
 * Native code has no assembly: in its place there is the file that it lies in, without folder.
 * Methods that were made while the program ran are in "(dynamic)", addresses of which nothing is
 * known in "(unknown code)".
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
	struct pv_map assembly_of; /* image key -> newest assembly of it */
	struct pv_ranges files;    /* of native code: address -> interned path */
};

/* False when out of memory; finish is fine then too. */
bool pv_membership_init(struct pv_membership *x, const struct pv_model *m);
void pv_membership_finish(struct pv_membership *x);

/* Of a method id, of a class use. */
struct pv_slice pv_membership_method(const struct pv_membership *x, uint32_t method, enum pv_by by);
struct pv_slice pv_membership_class(
	const struct pv_membership *x, uint32_t class_use, enum pv_by by);

/*
 * The path of the image of its class (`ret_of_class`), or of the file that native code lies in, as
 * far as it is known; len 0: the log does not say.
 */
struct pv_slice pv_membership_file(
	const struct pv_membership *x, uint32_t method, bool *ret_of_class);

/* The class that a method's name has, the namespace of a method's or class's name: within `name`. */
struct pv_slice pv_membership_class_in(const char *name);
struct pv_slice pv_membership_namespace_in(const char *name, bool method);

/* Whether it contains the part; ASCII case-insensitive. */
bool pv_slice_has(struct pv_slice s, const char *part);

#endif
