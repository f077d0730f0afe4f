/*
 * Fields of the classes of a heap shot's graph. A class has those that it declares once (its
 * layout), and refers to the layout of the class that it derives from. Any thread may read a graph;
 * what is returned is the graph's, and lives as long as that.
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
		*name; /* "list", of a structure's field "entry.key"; lives as long as the model */
};

struct pv_graph_range {
	uint32_t first, n;
};

/* The fields that one class declares, inherited ones left out. */
struct pv_graph_layout {
	const char *owner; /* the class; lives as long as the model; NULL: it has no name */
	struct pv_graph_range fields, statics; /* in field, in static_field; by offset */
	uint32_t parent; /* that of the class it derives from: index + 1; 0: none is known */
};

struct pv_graph_fields { /* by layout, then offset */
	struct pv_graph_field *v;
	size_t n, room;
};

/*
 * The element at an offset of an array. False: it is none, or the place of its elements is not
 * known.
 */
struct pv_graph_element {
	uint32_t index;
	uint32_t inner;                     /* bytes from its start */
	const struct pv_graph_field *field; /* that lies there; NULL: not known, or the whole */
};
bool pv_graph_element(
	const struct pv_graph *g, uint32_t klass, uint32_t offset, struct pv_graph_element *ret);

/*
 * A field of objects of a class; NULL: not known, or an element. An offset of NONE is fine. Of a
 * class that derives from others the nearest PV_GRAPH_CLASSES_DEEP are looked at, itself included.
 */
enum { PV_GRAPH_CLASSES_DEEP = 64 };
const struct pv_graph_field *pv_graph_field(
	const struct pv_graph *g, uint32_t klass, uint32_t offset);
/* The static field that a root's slot is; NULL: not known, or it is none. */
const struct pv_graph_field *pv_graph_static_field(
	const struct pv_graph *g, const struct pv_graph_root *r);

enum { PV_GRAPH_PLACE = 400 };
/* "list", "[3]", "[3].key"; NULL: not known. It may stand in `buf`. */
const char *pv_graph_place(
	const struct pv_graph *g, uint32_t klass, uint32_t offset, char buf[PV_GRAPH_PLACE]);
/* The static field's name, NULL likewise. */
const char *pv_graph_root_field(const struct pv_graph *g, const struct pv_graph_root *r);

#endif
