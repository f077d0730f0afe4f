/* SPDX-License-Identifier: MIT */
/*
 * Fields of the classes of a heap shot's graph. A class has its own fields once (its layout), and
 * refers to the layout of its parent class. Any thread may read a graph; returned pointers are the
 * graph's, and live as long.
 */
#ifndef PV_HEAP_GRAPH_LAYOUT_H
#define PV_HEAP_GRAPH_LAYOUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

struct pv_graph;
struct pv_graph_root;

#define PV_GRAPH_NONE UINT32_MAX /* no node, or a field whose offset was not recorded */

struct pv_graph_field {
	uint32_t layout; /* index */
	uint32_t offset; /* bytes from the object's start, or from the area's */
	uint32_t order;  /* private */
	const char
		*name; /* "list", in a structure's field "entry.key"; lives as long as the model */
};

struct pv_graph_range {
	uint32_t first, n;
};

/* The fields that a class declares, inherited fields left out. */
struct pv_graph_layout {
	const char *owner; /* the class; lives as long as the model; NULL: no name */
	struct pv_graph_range fields, statics; /* in field, in static_field; by offset */
	uint32_t parent; /* layout of the parent class: index + 1; 0: not known */
};

struct pv_graph_fields { /* by layout, then offset */
	struct pv_graph_field *v;
	size_t n, room;
};

/*
 * The element at an offset of an array. False: no element, or the place of the elements is not
 * known.
 */
struct pv_graph_element {
	uint32_t index;
	uint32_t inner;                     /* bytes from the element's start */
	const struct pv_graph_field *field; /* at that offset; NULL: not known, or the whole */
};
bool pv_graph_element(
	const struct pv_graph *g, uint32_t klass, uint32_t offset, struct pv_graph_element *ret);

/*
 * A field of objects of a class; NULL: not known, or an element. An offset of NONE is fine. At most
 * PV_GRAPH_CLASSES_DEEP classes are searched: the class, then its parents.
 */
enum { PV_GRAPH_CLASSES_DEEP = 64 };
const struct pv_graph_field *pv_graph_field(
	const struct pv_graph *g, uint32_t klass, uint32_t offset);
/* The static field of a root's slot; NULL: not known, or no static field. */
const struct pv_graph_field *pv_graph_static_field(
	const struct pv_graph *g, const struct pv_graph_root *r);

enum { PV_GRAPH_PLACE = 400 };
/* "list", "[3]", "[3].key"; NULL: not known. May be written to `buf`. */
const char *pv_graph_place(
	const struct pv_graph *g, uint32_t klass, uint32_t offset, char buf[PV_GRAPH_PLACE]);
/* The static field's name, NULL likewise. */
const char *pv_graph_root_field(const struct pv_graph *g, const struct pv_graph_root *r);

#endif
