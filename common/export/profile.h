/* SPDX-License-Identifier: MIT */
/*
 * Figures by (thread, stack, class), the source of every export of stacks: taken from one or
 * several models, as plain values that outlive them. One thread; false: out of memory only.
 */
#ifndef PV_EXPORT_PROFILE_H
#define PV_EXPORT_PROFILE_H

#include "common/base/intern.h"
#include "common/base/status.h"
#include "common/export/profile_frame.h"
#include "common/query/groups/name_filter.h"

struct pv_model;

/* Events with figures by stack. */
enum pv_profile_group {
	PV_GROUP_OF_SAMPLES, /* samples */
	PV_GROUP_OF_CALLS,   /* calls, self time */
	PV_GROUP_OF_ALLOCS,  /* objects, bytes */
	PV_GROUP_OF_WAITS,   /* contentions, time waited */
	PV_GROUP_OF_THROWS,  /* exceptions */
	PV_GROUP_OF_HEAP,    /* objects and bytes alive in a heap shot */
	PV_PROFILE_GROUPS
};

/* A figure: the `value`th of its group. */
struct pv_measure {
	const char *name;        /* of --measure, and in names of events: letters and underscores */
	const char *type, *unit; /* pprof's words, as in Go's own profiles where possible */
	const char *title;
	enum pv_profile_group group;
	uint8_t value;
};
enum { PV_MEASURES = 11, PV_VALUES = 2 };
extern const struct pv_measure pv_measures[PV_MEASURES];
/* Index of a name; -1: none. */
int pv_measure_of(const char *name);

/* Node 0 is the root; parents have smaller numbers than their children. */
struct pv_profile_node {
	uint32_t parent;
	uint32_t frame; /* in `frame`; PV_FRAME_CLASS: a class of objects, no function */
	uint32_t rank;  /* place in the order of texts, parents first; set by finish */
	uint32_t depth;
	uint64_t holds; /* terms of the filter that hold for the node or a caller */
};
#define PV_FRAME_CLASS (1u << 31)

struct pv_profile_row {
	uint32_t node;
	uint16_t thread,
		group; /* thread 0: all threads; after finish, figures of no other thread */
	uint64_t value[PV_VALUES];
};

/* A sample with a known time. */
struct pv_profile_sample {
	int64_t time_ns; /* since zero */
	uint64_t id;     /* native, of the thread */
	uint32_t node, samples;
	uint16_t thread;
};

struct pv_profile_thread {
	uint64_t id;      /* native */
	const char *name; /* as shown; in `arena` */
};

struct pv_profile {
	struct pv_intern text;
	struct pv_arena arena;
	struct pv_profile_frames frame;
	PV_ARRAY(struct pv_profile_node) node;
	struct pv_map child;                       /* parent << 32 | frame > node */
	PV_ARRAY(struct pv_profile_thread) thread; /* [0]: all threads */
	PV_ARRAY(struct pv_profile_row) row;       /* sorted by group, thread, rank after finish */
	PV_ARRAY(struct pv_profile_sample) sample; /* may lack some; in the order of reading */
	struct pv_map row_of;                      /* private */
	PV_ARRAY(uint32_t) order;                  /* nodes by rank; set by finish */
	uint64_t period_ns;                        /* between two samples of a thread; 0: unknown */
	bool wall;                                 /* in wall time, else in processor time */
	bool physical;                             /* stacks as recorded (logical.h); likewise */
	bool waits;      /* waiting time counts, too; to be set before adding */
	bool all_count;  /* private: the log does not know of any sample whether it ran */
	uint32_t under;  /* additions start at this node; 0: at the root */
	unsigned groups; /* bits: recorded, whether or not rows have any */
	enum pv_profile_lines lines;  /* likewise */
	bool raw_names;               /* frames have the log's names; to be set before adding */
	struct pv_filter *filter;     /* NULL, or the stacks wanted; set by pv_profile_filter() */
	PV_ARRAY(uint64_t) holds;     /* by text: terms that hold for the name in the log */
	struct pv_name_places places; /* for terms about the origin of code */
	uint64_t cut;                 /* stacks too deep to be written whole */
};

/* An empty profile, to be cleared also after false. */
bool pv_profile_init(struct pv_profile *p);
void pv_profile_clear(struct pv_profile *p); /* frees everything */

/*
 * Only stacks that the text (base/filter.h) lets through: before adding. False: PV_EUSAGE,
 * PV_ENOMEM.
 */
bool pv_profile_filter(struct pv_profile *p, const char *text, struct pv_error *reterr);
/* Notes the terms that hold for a frame by its name in the log; false: out of memory. */
bool pv_profile_holds(struct pv_profile *p, uint32_t frame, uint64_t terms);

/* The child of `parent` for a frame, made when new; false: out of memory. */
bool pv_profile_child(struct pv_profile *p, uint32_t parent, uint32_t frame, uint32_t *ret);
/* Adds to the figures of a node, by group. */
bool pv_profile_count(struct pv_profile *p, uint32_t node, unsigned thread, unsigned group,
	const uint64_t value[2]);

/* Adds a thread; *ret is its number for pv_profile_count() and pv_profile_add(). */
bool pv_profile_thread(struct pv_profile *p, uint64_t id, const char *name, unsigned *ret);

/* All figures of a model, whose lock is taken, as those of this thread. */
bool pv_profile_add(struct pv_profile *p, struct pv_model *m, unsigned thread);
/* In place of pv_profile_add(): objects by class of the heap shot with this number, from 0. */
bool pv_profile_add_shot(struct pv_profile *p, struct pv_model *m, uint32_t shot);

/*
 * After the last addition: leaves out all that the filter does, subtracts other threads' figures
 * from thread 0, and sorts. Equal logs give equal profiles, whatever the order of reading.
 */
bool pv_profile_finish(struct pv_profile *p);

/*
 * The frames of a node, outermost first, without a class; *ret_class: its class or 0. At most
 * PV_STACK_FRAMES: of deeper stacks the innermost frames, with PV_FRAME_CUT as the outermost.
 */
enum { PV_STACK_FRAMES = 512 };
#define PV_FRAME_CUT UINT32_MAX
size_t pv_profile_stack(const struct pv_profile *p, uint32_t node, uint32_t frame[PV_STACK_FRAMES],
	uint32_t *ret_class);

/* Rows of a group and a thread: *ret_first and count. */
size_t pv_profile_rows(
	const struct pv_profile *p, unsigned group, unsigned thread, size_t *ret_first);

/* Whether the log has the measure. */
bool pv_profile_has(const struct pv_profile *p, const struct pv_measure *m);

/* Sum of a measure over all rows; of one thread. */
uint64_t pv_profile_sum(const struct pv_profile *p, const struct pv_measure *m);
uint64_t pv_profile_sum_of(const struct pv_profile *p, const struct pv_measure *m, unsigned thread);

#endif
