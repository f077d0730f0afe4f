/* SPDX-License-Identifier: MIT */
/*
 * The object graph of one heap shot in flat arrays. Built once (graph_build.h), then never changed:
 * any thread may read. Nothing here knows of files, screens or text but names.
 *
 * A node is an object. Nodes are numbered by ascending address, so an address is found by bisection
 * and neighbours in memory are neighbours here. About 28 bytes a node and 8 a reference.
 */
#ifndef PV_HEAP_GRAPH_H
#define PV_HEAP_GRAPH_H

#include "common/base/mem.h"
#include "common/heap/graph_layout.h"
#include "common/model/objects/roots.h"

enum { PV_GRAPH_STRING_BYTES = 64 << 20 };

/* Classes of one name and image are one class, whatever their vtables. */
struct pv_graph_class {
	uint64_t id;        /* of the class's row in other tables of heap shots */
	uint32_t class_use; /* any of them, id in the model's names */
	const char *name;   /* lives as long as the model, or as the graph; never NULL */
	const char *image;  /* NULL: not known */
	uint64_t objects, bytes;
	uint32_t first_element, element_size; /* bytes; size 0: not known, or no arrays */
	uint32_t layout;                      /* index in layout + 1; 0: none is known */
};

enum pv_graph_root_flags {
	PV_GRAPH_WEAK = 1, /* keeps nothing alive: a weak root, or a weak GC handle's target */
	PV_GRAPH_PINNING = 2,
	PV_GRAPH_INTERIOR = 4, /* points into the object */
	PV_GRAPH_INFERRED = 8, /* not listed: nothing, or only a ring, refers to the object */
};

struct pv_graph_root {
	uint32_t node;
	uint32_t area;  /* index in area + 1; 0: none is known */
	uint64_t slot;  /* address of the slot; 0 before data version 15; handles: their number */
	uint8_t source; /* enum pv_root_source */
	uint8_t flags;  /* enum pv_graph_root_flags */
};

/* A registered range of root slots. */
struct pv_graph_area {
	uint64_t start, size; /* bytes */
	uint64_t key;         /* thread id, vtable or domain id, as the source says */
	const char *name;     /* lives as long as the model; "" without a name */
	const char *owner;    /* class of static fields, or NULL; likewise or as the graph */
	uint8_t source;       /* enum pv_root_source */
	uint32_t layout;      /* of static fields: index in layout + 1; 0: none is known */
};

/*
 * True if an area is a single static field; an area of thread statics is, with a name and without
 * a thread's key.
 */
bool pv_graph_area_is_field(const struct pv_graph_area *a);

/* The beginning of a string, where it is in the log. */
struct pv_graph_string {
	uint64_t address;
	const char *text; /* lives as long as the graph */
	uint32_t length;  /* characters (UTF-16 units) of the whole string */
	uint32_t order;   /* private */
};

struct pv_graph {
	uint32_t shot;   /* number, from 0 */
	int64_t time_ns; /* of its start, log clock */
	uint32_t nodes, edges;
	uint64_t *address;  /* [nodes] ascending, no two alike */
	uint64_t *size;     /* [nodes] bytes; 0: not recorded */
	uint32_t *class_of; /* [nodes] index in klass */
	uint32_t *first;    /* [nodes + 1] references of node i: first[i] to first[i + 1] */
	uint32_t *to;       /* [edges] nodes; in the order of the log */
	uint32_t *offset;   /* [edges] of the field in bytes from the object's start, or NONE */
	PV_ARRAY(struct pv_graph_class) klass;
	PV_ARRAY(struct pv_graph_root) root; /* by node, then slot */
	PV_ARRAY(struct pv_graph_area) area;
	PV_ARRAY(struct pv_graph_layout) layout;
	struct pv_graph_fields field, static_field; /* empty: not in the log */
	uint64_t bytes;                             /* of all objects */
	PV_ARRAY(struct pv_graph_string) string;    /* by address; PV_GRAPH_STRING_BYTES at most */
	uint64_t strings_left;                      /* in the log, too, but without room */
	bool inferred;           /* the log lists no roots for the shot: they are a guess */
	bool statics_only;       /* the log lists only static fields: the rest is a guess */
	bool torn;               /* the shot's end is missing */
	bool unsized;            /* of some objects size and class were not recorded */
	bool handles;            /* weak GC handles were followed */
	uint64_t duplicates;     /* objects listed again at an address: the first stays */
	uint64_t strays;         /* continuations of objects that were not listed */
	uint64_t unlisted;       /* references to addresses where no object is listed */
	uint64_t roots_unlisted; /* roots, likewise */
	struct pv_arena text;    /* private */
};

void pv_graph_finish(struct pv_graph *g); /* zeroed is fine */

/* The object that begins at the address; NONE: none. */
uint32_t pv_graph_find(const struct pv_graph *g, uint64_t address);
/* The first node at or after an address; `nodes` when there is none. */
uint32_t pv_graph_from(const struct pv_graph *g, uint64_t address);

/* The class with this row id; NONE when the shot has no object of the class. */
uint32_t pv_graph_class_of_id(const struct pv_graph *g, uint64_t id);

/* The roots of a node: indices *ret_first to the result in root.v. */
size_t pv_graph_roots_of(const struct pv_graph *g, uint32_t node, size_t *ret_first);

/* The beginning of the string at a node, owned by the graph; NULL: no string, or not in the log. */
const struct pv_graph_string *pv_graph_string(const struct pv_graph *g, uint32_t node);

#endif
