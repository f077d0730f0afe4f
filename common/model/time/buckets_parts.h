/*
 * Private to the model: how buckets are filled. That is done where the window flushes a cell: with
 * a sum per (method or class, cell), not with events. Ingest thread, with the model's lock.
 * Functions that return bool are false when out of memory. Times are ns on the log's clock.
 */
#ifndef PV_MODEL_BUCKETS_PARTS_H
#define PV_MODEL_BUCKETS_PARTS_H

#include "common/model/time/buckets.h"
#include "common/model/model.h"

struct pv_bucket {
	int64_t number; /* covers number * width .. + width on the log's clock */
	PV_ARRAY(struct pv_bucket_entry) entry;
	size_t merged; /* as many as there were when each (what, id) stood here once */
};

/*
 * Index of the latest entry of each id. Ids are few and dense, so equal entries find each other
 * without being sorted; an index that leads to another entry by now is from an earlier merge.
 */
struct pv_bucket_places {
	PV_ARRAY(uint32_t) of[PV_BUCKET_WHATS];
};

struct pv_buckets {
	int64_t width;                     /* ns; the window's cells are never wider */
	size_t bytes, limit;               /* of the entries; PV_BUCKETS_BYTES, less in tests */
	size_t most;                       /* buckets; PV_BUCKETS_MOST, less in tests */
	size_t at;                         /* of the bucket found last */
	PV_ARRAY(struct pv_bucket) bucket; /* by number */
	struct pv_bucket_places places;
	/* Entries that the present flush of the window has gathered, all of one time. */
	PV_ARRAY(struct pv_bucket_entry) gathered;
	int64_t gathered_ns;
};

/* The caller owns it; NULL when out of memory. Width in ns. */
struct pv_buckets *pv_buckets_create(int64_t width);
void pv_buckets_destroy(struct pv_buckets *b);

/*
 * Makes equal entries one, which stands where the first of them did; *n becomes how many are left.
 * False when out of memory, and then they are as before.
 */
bool pv_buckets_merge(struct pv_bucket_places *p, struct pv_bucket_entry *v, size_t *n);
void pv_bucket_places_finish(struct pv_bucket_places *p);

/* Adds to the bucket that holds `time`. False when out of memory; nothing to do without buckets. */
bool pv_buckets_add(struct pv_model *m, int64_t time, const struct pv_bucket_entry *e);

/*
 * The same for `n` at once, of one time, without a copy: where they go, and, before anything else
 * is done with the buckets, that they are there. NULL when out of memory. Only with buckets.
 */
struct pv_bucket_entry *pv_buckets_room(struct pv_model *m, int64_t time, size_t n);
bool pv_buckets_filled(struct pv_model *m, size_t n);

/*
 * The same for many of one time: they are gathered, and equal ones made one, until they are put
 * into the bucket together.
 */
bool pv_buckets_gather(struct pv_model *m, int64_t time, const struct pv_bucket_entry *e);
bool pv_buckets_put_gathered(struct pv_model *m);

/* Self time of a method on a thread, split over the buckets from `from` to `to`. */
bool pv_buckets_span(
	struct pv_model *m, uint32_t method, uint32_t thread, int64_t from, int64_t to);

/* The window's cells became this wide: buckets are to be at least that. */
bool pv_buckets_widen_to(struct pv_model *m, int64_t width);

/* Appends what the window has gathered within the answer's range and not flushed yet. */
bool pv_buckets_touched(const struct pv_model *m, struct pv_bucket_sums *s);

#endif
