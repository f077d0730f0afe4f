/* SPDX-License-Identifier: MIT */
/*
 * A figure by call paths: a tree of nodes as wide as their weight. Weights are sums of own figures,
 * so children together never weigh more than their parent, even in a damaged log. The recording's
 * tree is made once for each measure; an answer is a small copy of the nodes wide enough to be
 * seen.
 */
#ifndef PV_QUERY_FLAME_FLAME_H
#define PV_QUERY_FLAME_FLAME_H

#include "common/query/views.h"

enum pv_flame_measure {
	PV_FLAME_SAMPLES,
	PV_FLAME_TIME, /* own time of calls, ns */
	PV_FLAME_BYTES,
	PV_FLAME_OBJECTS,
	PV_FLAME_HELD, /* bytes held by a native program at present */
	PV_FLAME_WAIT, /* ns */
	PV_FLAME_CONTENTIONS,
	PV_FLAME_EXCEPTIONS,
	PV_FLAME_LIVE, /* bytes of objects listed by a heap shot; for queries with `identity` */
	PV_FLAME_MEASURES
};
/* The word for exports' --measure, the words for people, and the unit. */
const char *pv_flame_name(enum pv_flame_measure m);
const char *pv_flame_title(enum pv_flame_measure m);
enum pv_unit pv_flame_unit(enum pv_flame_measure m);
bool pv_flame_of(const char *name, enum pv_flame_measure *ret);
/* Whether a log with these groups (bits of enum pv_group) has the measure. */
bool pv_flame_recorded(unsigned groups, enum pv_flame_measure m);
/* Whether the rolling window has the measure, else figures are since the start. */
bool pv_flame_windowed(enum pv_flame_measure m);

/* Away from the root a frame is called by its parent, or (UP) calls it. */
enum pv_flame_way { PV_FLAME_DOWN, PV_FLAME_UP };

/* A frame's key follows from its name: the same in every model. */
struct pv_flame_path {
	enum pv_flame_way way;
	uint64_t focus; /* the path begins at all places of this frame; 0: at the root */
	PV_ARRAY(uint64_t) key;
};
/* Takes a subtree out, or everything else. */
struct pv_flame_cut {
	struct pv_flame_path at;
	bool keep;
};

/* Borrowed while the question is answered. */
struct pv_flame_wish {
	const struct pv_flame_path *zoom;
	const struct pv_flame_cut *cut;
	size_t cuts;
	const char *filter; /* base/filter.h: keeps paths that pass; NULL or "": all */
	const char *find;   /* marks frames with this text; NULL or "": none */
	bool fold;          /* merges a frame that calls itself */
	bool by_name;       /* siblings by name, not by weight */
	uint32_t parts;     /* sums up siblings lighter than this part of the zoomed frame */
};

enum pv_flame_flags {
	PV_FLAME_CLASS = 1, /* a class of objects, not a function */
	PV_FLAME_HIT = 2,   /* has the text to find */
	PV_FLAME_MORE = 4,  /* more children are left out: zooming shows them */
};

struct pv_flame_cell {
	const char *name,
		*shown; /* of the log; for people. Live as long as the model; as the answer */
	uint64_t key;
	uint64_t weight, self; /* self: weight outside of all children */
	uint64_t base;         /* part of `weight` from the base (pv_flame_tree_pair()) */
	uint64_t thin_weight;  /* of children left out, and */
	uint64_t everywhere;   /* weight of the frame at all places, no path counted twice */
	uint32_t places;       /* number of such places */
	uint32_t thin;         /* their number */
	uint32_t parent;       /* cell 0 is the zoomed frame */
	uint32_t child, children;
	uint16_t depth;
	uint8_t kind, flags; /* enum pv_code_kind; enum pv_flame_flags */
};

/* An answer. Cells stand level by level, a cell's children next to each other. */
struct pv_flame {
	struct pv_flame_cell *cell;
	size_t cells;
	uint64_t all;   /* of the recording, before leaving out */
	uint64_t total; /* of the paths left by the wish */
	uint64_t hits;  /* of call paths with a frame to find */
	uint64_t generation;
	enum pv_time_of time_of; /* of samples or call times */
	bool lost;               /* the zoomed frame does not exist any more: this is the root */
	bool pair;    /* of a base and a new log; weights are `grain` times the new log's figures */
	double scale; /* factor on the base's figures, to compare them with the new log's */
	uint32_t grain;
	const char *coverage;
	struct pv_arena arena; /* private */
};

struct pv_flame_tree;

/*
 * Takes the model's lock, and as much memory as the call tree. Uses the query's window and options
 * of calls and names; PV_FLAME_LIVE uses the identity. The tree has one reference; any thread may
 * take and drop others, one at a time may ask. NULL when out of memory.
 */
struct pv_flame_tree *pv_flame_tree_make(
	struct pv_model *m, enum pv_flame_measure which, const struct pv_query *q);
struct pv_flame_tree *pv_flame_tree_take(struct pv_flame_tree *t);
void pv_flame_tree_drop(struct pv_flame_tree *t); /* NULL is fine */
uint64_t pv_flame_tree_generation(const struct pv_flame_tree *t);

/*
 * Merges two trees: a frame has the weights of both, the base's times `scale`, so that gone frames
 * are as wide as new frames. `key` gives the name by which frames are the same, in `room` of
 * PV_FLAME_KEY_MAX bytes. Both models must live as long as the tree. NULL: out of memory. The pair
 * has references of its own to both trees.
 */
enum { PV_FLAME_KEY_MAX = 4096 };
typedef const char *pv_flame_key(const char *name, bool is_class, char *room);
struct pv_flame_tree *pv_flame_tree_pair(
	struct pv_flame_tree *base, struct pv_flame_tree *now, pv_flame_key *key, double scale);
uint64_t pv_flame_tree_weight(const struct pv_flame_tree *t); /* of all paths */

/*
 * Answers a wish; the caller destroys the answer. NULL when out of memory. Names are the model's,
 * valid while the model lives.
 */
struct pv_flame *pv_flame_ask(struct pv_flame_tree *t, const struct pv_flame_wish *w);
void pv_flame_destroy(struct pv_flame *f);

#endif
