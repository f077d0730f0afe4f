/* SPDX-License-Identifier: MIT */
/*
 * The facts of one recording, built by applying batches in file order. Memory is bounded by names
 * and living objects, never by the log's length. Nothing here formats text or knows columns.
 *
 * Threads: only the ingest thread writes, under the lock, in slices of at most 5 ms. Any other may
 * read under the lock: all fields but `private`, and no store's part that its header calls private.
 * Memory reached from here is the model's and may change once the lock is released. A NULL pointer
 * inside, where not said otherwise, is never met between pv_model_create() and pv_model_destroy().
 *
 * Times are ns on the log's clock (zero_ns: the recording's zero there), sizes and offsets bytes.
 */
#ifndef PV_MODEL_MODEL_H
#define PV_MODEL_MODEL_H

#include "common/base/status.h"
#include "common/format/batch.h"
#include "common/model/objects/allocs.h"
#include "common/model/calls/calls.h"
#include "common/model/time/counters.h"
#include "common/model/time/lanes.h"
#include "common/model/time/sample_times.h"
#include "common/model/ground/ending.h"
#include "common/model/names/fields.h"
#include "common/model/objects/gc.h"
#include "common/model/names/jit.h"
#include "common/model/names/line_tables.h"
#include "common/model/calls/places.h"
#include "common/model/names/loads.h"
#include "common/model/locks/locks.h"
#include "common/model/names/names.h"
#include "common/model/time/notes.h"
#include "common/model/ground/restrict.h"
#include "common/model/objects/runtime.h"
#include "common/model/objects/shots.h"
#include "common/model/calls/stacks.h"
#include "common/model/ground/target_info.h"
#include "common/model/calls/threads.h"
#include "common/model/objects/exceptions.h"
#include "common/model/time/timeline.h"
#include "common/model/calls/tree_sums.h"

struct pv_address_log;
struct pv_buckets;
struct pv_model_private;
struct pv_window;
struct pv_damage_entry {
	uint64_t offset, bytes;
	char reason[80];
};
enum { PV_DAMAGE_LIST = 4096 };

struct pv_model {
	struct pv_target_info target;
	struct pv_restrict only;
	int64_t zero_ns; /* log clock: startup ns, else smallest time_base of the first second */
	bool have_zero;
	int64_t first_ns, last_ns; /* least and greatest event time met (log clock) */
	uint64_t kinds[PV_KIND_COUNT];
	uint64_t buffers, bytes, events;
	uint64_t generation; /* read through pv_model_generation() */
	uint64_t recordings;

	PV_ARRAY(struct pv_damage_entry) damage; /* first PV_DAMAGE_LIST */
	uint64_t damaged, damaged_bytes;
	uint64_t lost_events; /* said by the probe's counter "lost events" */
	uint64_t dropped;     /* bytes of a pipe dropped unread, as its spool was full */
	uint64_t pauses;      /* said by the probe's counter "paused" */
	uint64_t sync_points;
	uint32_t aot_id; /* interned in names.text, 0 = none */
	bool cut;        /* reading was stopped after cut_at of cut_of bytes of the input */
	uint64_t cut_at, cut_of;
	uint64_t gone;        /* bytes of the stream's beginning that are not kept */
	bool ended, complete; /* the input has ended; without damage, at a buffer's end */
	struct pv_ending ending;

	struct pv_names names;
	struct pv_stacks stacks;
	struct pv_calls calls;
	struct pv_tree_sums tree_sums;
	struct pv_allocs allocs;
	struct pv_gc gc;
	struct pv_handles handles;
	struct pv_finalizers finalizers;
	struct pv_held held;
	struct pv_roots roots;
	struct pv_heap_shots shots;
	struct pv_threads threads;
	struct pv_locks locks;
	struct pv_exceptions throws;
	struct pv_counters counters;
	struct pv_window *window;
	struct pv_buckets *buckets;         /* NULL: none */
	struct pv_address_log *address_log; /* NULL: none; the ingest's */
	struct pv_timeline timeline;
	struct pv_lanes lanes;
	struct pv_sample_times sample_times;
	struct pv_helpers helpers;
	struct pv_lines lines;
	struct pv_places places;
	struct pv_fields fields;
	struct pv_loads loads;
	struct pv_notes notes;
	struct pv_runtime runtime;
	struct pv_model_private *private;
	uint64_t id; /* from 1, unique in this process */
};

/* The caller owns the model. NULL: out of memory. */
struct pv_model *pv_model_create(const struct pv_restrict *only);
void pv_model_destroy(struct pv_model *m);

/* Any thread. The lock is not recursive. */
void pv_model_lock(struct pv_model *m);
void pv_model_unlock(struct pv_model *m);

/* Any thread, no lock. Changes after every applied slice. */
uint64_t pv_model_generation(const struct pv_model *m);

/*
 * Ingest thread only, with the lock, from here on. False when out of memory: the model then stays
 * usable with its facts so far, and the caller stops.
 *
 * begin: a recording's header. The same pid and start time again continues (stacks are reset);
 * another must go to a new model.
 */
bool pv_model_begin(struct pv_model *m, const struct pv_target_info *target);
bool pv_model_process(struct pv_model *m, const char *command, const char *arch, const char *os);
/*
 * Ingest thread only; takes the lock. Renews a model of a 2007 log that has begun and got no events
 * since. False: events have come, or the log is not of 2007.
 */
bool pv_model_restart(struct pv_model *m);
/* The events turned out to follow another data version's rules than the header's. */
void pv_model_rules(struct pv_model *m, uint8_t data_version);

/*
 * Applies events from *at on until the batch ends or about `budget_ns` passed (0: no limit); *at
 * moves. True when done with the batch or the budget is used; check *at == batch->n. With a budget
 * the lock is released and retaken in long work, as at a cap.
 */
bool pv_model_apply(
	struct pv_model *m, const struct pv_batch *batch, size_t *at, uint64_t budget_ns);
/* Notes bytes that could not be read; frames open on every thread close here. */
void pv_model_damage(struct pv_model *m, uint64_t offset, uint64_t bytes, const char *reason);
void pv_model_end(struct pv_model *m, bool complete);
/* With the model's lock: more came after that end; sets a thread's number in our pid namespace. */
void pv_model_resume(struct pv_model *m);
void pv_model_number_thread(struct pv_model *m, uint64_t id, uint32_t outside);

#endif
