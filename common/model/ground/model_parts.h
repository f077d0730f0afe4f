/* SPDX-License-Identifier: MIT */
/*
 * Private to the model: the context of applying events, and functions that several files share. All
 * run on the ingest thread under the model's lock. Times are ns on the log's clock. Functions that
 * return bool are false when out of memory only; pointers are the model's, until its next event.
 */
#ifndef PV_MODEL_MODEL_PARTS_H
#define PV_MODEL_MODEL_PARTS_H

#include "common/base/estimate.h"
#include "common/model/ground/model_stack.h"
#include "common/model/calls/segment.h"
#include "common/model/ground/lock_yield.h"
#include "common/model/ground/listen.h"
#include "common/model/model.h"
#include "common/model/objects/addresses.h"

enum { PV_KEY_CACHE = 4096, PV_STACK_MEMO = 64, PV_SITE_HINTS = 4096 };

struct pv_key_cache { /* direct-mapped: wire key -> method id */
	uint64_t key;
	uint32_t id; /* 0 = empty */
};

struct pv_model_private {
	pthread_mutex_t lock, next;
	struct pv_lock_yield yield;
	struct pv_overflow_scratch fold;
	struct pv_addresses addresses;
	struct pv_said said;
	struct pv_waits witnesses; /* see witnesses.h */

	/* Times in [slice_from, slice_from + slice_width) need no new window or timeline cell. */
	int64_t slice_from;
	uint64_t slice_width;

	struct pv_key_cache method[PV_KEY_CACHE];
	uint32_t site_hint[PV_SITE_HINTS]; /* by a hash, see allocs.c */
	int64_t use_ns; /* time of the key looked up: keys may mean several things */

	/* The last backtrace: a common prefix of the next needs no look-up. */
	size_t memo_n;
	uint64_t memo_key[PV_STACK_MEMO];
	uint32_t memo_stack[PV_STACK_MEMO], memo_place[PV_STACK_MEMO];
	uint32_t stack_place; /* innermost node in places of the stack found last; 0: none */

	struct pv_span_stacks spans;
	PV_ARRAY(uint32_t) frame; /* stacks of the present batch's frames; PV_MAP_NONE: not yet */
	PV_ARRAY(uint32_t) path;  /* scratch */
	struct pv_segments segments;
	/* The restriction on the log's clock; timed: to times of threads, or of all of them. */
	bool ranged, timed;
	int64_t from_ns, to_ns, first_base_ns; /* first_base_ns: time_base of the first buffer */
	bool zero_open;             /* zero may still move: within the first second of buffers */
	size_t logged_moves;        /* of only.address_log: number followed so far */
	struct pv_symbols *symbols; /* NULL until the log names a file */
	struct pv_place_lines *place_lines;                 /* NULL: nothing was asked */
	struct pv_inline_frames *inlined;                   /* NULL likewise */
	const struct pv_object_listener *const *on_objects; /* here and below up to NULL */
	const struct pv_stack_listener *const *on_stacks;
	void (*on_shared_key)(struct pv_model *m); /* a method's key has come to mean several */
};

struct pv_context {
	struct pv_model *m;
	const struct pv_batch *batch;
	struct pv_thread *thread; /* the writer of the batch */
	int64_t time;
	bool counts;              /* inside the restriction */
	uint64_t place;           /* in the log, see address_log.h; not for enters and leaves */
	struct pv_estimate alloc; /* weight of the last allocation */
	bool gap, amid;           /* gap: a counter after lost events of the thread */
	uint32_t node;            /* an allocation amid the last segment, in this call */
};

/* The method's id, made when new; 0: out of memory. The second drops a key's former meaning. */
uint32_t pv_model_method(struct pv_model *m, uint64_t key);
void pv_model_forget_method(struct pv_model *m, uint64_t key);

/* --- calls.c */
bool pv_calls_init(struct pv_calls *c);
void pv_calls_finish(struct pv_calls *c);

/*
 * The child of `parent` for this key, made when new: then every other node's number may change,
 * only the frames of open stacks follow. 0 when there is no room left, PV_MAP_NONE when out of
 * memory. `method` 0: look the key up.
 */
uint32_t pv_calls_child(struct pv_model *m, uint32_t parent, uint64_t key, uint32_t method);
/* Applies a leave that does not match the top frame. */
void pv_calls_leave(struct pv_context *x, uint64_t key, bool exceptional);
/* Ends every open frame of the thread at its last event. */
void pv_calls_close(struct pv_model *m, struct pv_thread *th);
/* Nodes of methods whose keys have become ambiguous are no longer found by their keys. */
void pv_calls_drop_key_lookup(struct pv_model *m);
/* The stack id of a node's path; PV_MAP_NONE when out of memory. */
uint32_t pv_calls_stack(struct pv_model *m, uint32_t node);
/* Makes room at the cap, if possible; *parent does not fold and follows its node. */
bool pv_calls_fold(struct pv_model *m, uint32_t *parent);
/* Indexes the children of a parent that has just become wide, or its newest child. */
enum { PV_CALLS_WIDE = 16 };
bool pv_calls_index(struct pv_calls *c, uint32_t parent, uint32_t newest);
/* True if a hit counts: by its own time and by the thread that was hit. */
bool pv_samples_count(struct pv_context *x, const struct pv_event *e);
bool pv_samples_apply(struct pv_context *x, const struct pv_event *e);
/*
 * Events of this thread are missing before the present event: everything open ends at its last
 * event instead of growing over the gap.
 */
void pv_model_gap(struct pv_model *m, struct pv_thread *th);

/* A buffer's time_base: zero may depend on it. */
void pv_model_time_base(struct pv_model *m, int64_t base);
void pv_model_note_damage(struct pv_model *m, uint64_t offset, uint64_t bytes, const char *reason);

/* --- threads.c */
bool pv_threads_init(struct pv_threads *t);
void pv_threads_finish(struct pv_threads *t);
/* The epoch of `id` for an event of its own buffers at `time`, opened when new. */
struct pv_thread *pv_threads_own(struct pv_model *m, uint64_t id, int64_t time);
/* Marks a thread before anything opens there (pv_threads_own()); pv_model_gap() of all marked. */
bool pv_threads_touch(struct pv_threads *t, struct pv_thread *th);
void pv_threads_gap(struct pv_model *m);
bool pv_threads_apply(struct pv_model *m, const struct pv_event *e);
/* The thread of a fact in another thread's buffer; NULL when out of memory. */
struct pv_thread *pv_threads_of(struct pv_model *m, uint64_t id, int64_t time);

/* Adds count and amount of `more` to the site of its class and stack. */
bool pv_sites_add(struct pv_context *x, struct pv_sites *s, const struct pv_site *more);
/* The event's backtrace, else (with calls traced) the thread's call path, else 0. */
uint32_t pv_stack_of(struct pv_context *x, struct pv_span backtrace);
/* Each store applies its own events; `finish` frees its memory. */
bool pv_shots_apply(struct pv_context *x, const struct pv_event *e);
void pv_shots_finish(struct pv_heap_shots *s);
bool pv_exceptions_apply(struct pv_context *x, const struct pv_event *e);
bool pv_locks_init(struct pv_locks *l);
void pv_locks_finish(struct pv_locks *l);
bool pv_locks_apply(struct pv_context *x, const struct pv_event *e);
bool pv_counters_init(struct pv_counters *c);
void pv_counters_finish(struct pv_counters *c);
bool pv_counters_apply(struct pv_context *x, const struct pv_event *e);

#endif
