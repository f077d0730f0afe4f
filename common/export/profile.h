/*
 * Figures by (thread, stack, class), from which every export of stacks is made: taken from one
 * model or several, as plain values that outlive them. One thread; false is out of memory only.
 */
#ifndef PV_EXPORT_PROFILE_H
#define PV_EXPORT_PROFILE_H

#include "common/base/intern.h"
#include "common/base/status.h"
#include "common/query/name_filter.h"

struct pv_model;

/* Events that have figures by stack. */
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
	const char *type, *unit; /* pprof's words, of Go's own profiles where it has them */
	const char *title;
	enum pv_profile_group group;
	uint8_t value;
};
enum { PV_MEASURES = 11, PV_VALUES = 2 };
extern const struct pv_measure pv_measures[PV_MEASURES];
/* Index of a name; -1 when there is none. */
int pv_measure_of(const char *name);

/* Node 0 is the root; parents have smaller numbers than their children. */
struct pv_profile_node {
	uint32_t parent;
	uint32_t frame; /* in text; PV_FRAME_CLASS: a class of objects, no function */
	uint32_t rank;  /* place in the order of texts, parents first; set by finish */
	uint32_t depth;
	uint64_t holds; /* terms of the filter that hold for it or a caller */
};
#define PV_FRAME_CLASS (1u << 31)

struct pv_profile_row {
	uint32_t node;
	uint16_t thread,
		group; /* thread 0: all, after finish those that have no row of their own */
	uint64_t value[PV_VALUES];
};

/* A sample whose time is known. */
struct pv_profile_sample {
	int64_t time_ns; /* since zero */
	uint64_t id;     /* native, of its thread */
	uint32_t node, samples;
	uint16_t thread;
};

struct pv_profile_thread {
	uint64_t id;      /* native */
	const char *name; /* as it is shown; in `arena` */
};

struct pv_profile {
	struct pv_intern text;
	struct pv_arena arena;
	PV_ARRAY(struct pv_profile_node) node;
	struct pv_map child;                       /* parent << 32 | frame > node */
	PV_ARRAY(struct pv_profile_thread) thread; /* [0]: all of them */
	PV_ARRAY(struct pv_profile_row) row;       /* sorted by group, thread, rank after finish */
	PV_ARRAY(struct pv_profile_sample) sample; /* may lack some; as they were read */
	struct pv_map row_of;                      /* private */
	PV_ARRAY(uint32_t) order;                  /* nodes by rank; set by finish */
	uint64_t period_ns;                        /* between two samples of a thread; 0: unknown */
	bool wall;                                 /* in wall time, else in processor time */
	bool waits;      /* time that threads waited counts, too; to be set before any is added */
	bool all_count;  /* private: of no sample of the log is it known whether it ran */
	uint32_t under;  /* additions begin at this node; 0: at the root */
	unsigned groups; /* bits: recorded, whether or not rows have any */
	bool raw_names;  /* frames are called as in the log; to be set before any is added */
	struct pv_filter *filter; /* NULL, or which stacks there are; set by pv_profile_filter() */
	PV_ARRAY(uint64_t) holds; /* by text: terms of it that hold for its name in the log */
	struct pv_name_places places; /* for the terms that ask where code is from */
	uint64_t cut;                 /* stacks that were too deep to be written whole */
};

/* An empty profile, to be cleared also after false. */
bool pv_profile_init(struct pv_profile *p);
void pv_profile_clear(struct pv_profile *p); /* frees all of it */

/* Only stacks that a text (base/filter.h) lets through: before any are added. False: PV_EUSAGE, PV_ENOMEM. */
bool pv_profile_filter(struct pv_profile *p, const char *text, struct pv_error *reterr);
/* The terms that hold for the text of a frame by its name in the log; false: out of memory. */
bool pv_profile_holds(struct pv_profile *p, uint32_t frame, uint64_t terms);

/* The child of `parent` for a frame, made when new; false: out of memory. */
bool pv_profile_child(struct pv_profile *p, uint32_t parent, uint32_t frame, uint32_t *ret);
/* The frame of a function; | PV_FRAME_CLASS: of a class. */
bool pv_profile_frame(struct pv_profile *p, const char *name, uint32_t *ret);
/* Adds to the figures of a node, by group. */
bool pv_profile_count(struct pv_profile *p, uint32_t node, unsigned thread, unsigned group,
	const uint64_t value[2]);

/* Adds a thread; *ret is its number for pv_profile_count() and pv_profile_add(). */
bool pv_profile_thread(struct pv_profile *p, uint64_t id, const char *name, unsigned *ret);

/* All figures of a model, whose lock is taken, as those of this thread. */
bool pv_profile_add(struct pv_profile *p, struct pv_model *m, unsigned thread);
/* Instead: objects by class of the heap shot with that number from 0. */
bool pv_profile_add_shot(struct pv_profile *p, struct pv_model *m, uint32_t shot);

/*
 * After the last addition: leaves out what the filter does, takes off thread 0 what other threads
 * have, and sorts. Equal logs give equal profiles, in whatever order they were read.
 */
bool pv_profile_finish(struct pv_profile *p);

/* The text of a frame as it may be shown, to free(); NULL when out of memory. */
char *pv_profile_text(const struct pv_profile *p, uint32_t frame);

/*
 * The frames of a node, outermost first, without a class; *ret_class: its class or 0. At most
 * PV_STACK_FRAMES: of deeper ones the innermost, the outermost of them PV_FRAME_CUT.
 */
enum { PV_STACK_FRAMES = 512 };
#define PV_FRAME_CUT UINT32_MAX
size_t pv_profile_stack(const struct pv_profile *p, uint32_t node, uint32_t frame[PV_STACK_FRAMES],
	uint32_t *ret_class);

/* Rows of a group and a thread: from *ret_first on, so many. */
size_t pv_profile_rows(
	const struct pv_profile *p, unsigned group, unsigned thread, size_t *ret_first);

/* Whether the log has the measure at all. */
bool pv_profile_has(const struct pv_profile *p, const struct pv_measure *m);

/* Sum of a measure over all rows; of one thread. */
uint64_t pv_profile_sum(const struct pv_profile *p, const struct pv_measure *m);
uint64_t pv_profile_sum_of(const struct pv_profile *p, const struct pv_measure *m, unsigned thread);

#endif
