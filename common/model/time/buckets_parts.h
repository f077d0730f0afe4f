/* SPDX-License-Identifier: MIT */
/*
 * Private to the model: filling of buckets. The window fills them when it flushes a cell: with a
 * sum per (method or class, cell), not with events. Ingest thread, with the model's lock. Functions
 * that return bool are false when out of memory. Times are ns on the log's clock.
 */
#ifndef PV_MODEL_BUCKETS_PARTS_H
#define PV_MODEL_BUCKETS_PARTS_H

#include "common/model/time/buckets.h"
#include "common/model/model.h"

struct pv_bucket {
	int64_t number; /* covers number * width .. + width on the log's clock */
	PV_ARRAY(struct pv_bucket_entry) entry;
	size_t merged; /* number of entries after the last merge */
};

/*
 * Index of the latest entry of each id. Ids are few and dense, so equal entries find each other
 * without being sorted; an index of another entry is from an earlier merge.
 */
struct pv_bucket_places {
	PV_ARRAY(uint32_t) of[PV_BUCKET_WHATS];
};

struct pv_buckets {
	int64_t width;                     /* ns; the window's cells are never wider */
	size_t bytes, limit;               /* of the entries; PV_BUCKETS_BYTES, less in tests */
	size_t most;                       /* buckets; PV_BUCKETS_MOST, less in tests */
	size_t at;                         /* index of the bucket found last */
	PV_ARRAY(struct pv_bucket) bucket; /* by number */
	struct pv_bucket_places places;
	/* Entries that the present flush of the window has gathered, all of one time. */
	PV_ARRAY(struct pv_bucket_entry) gathered;
	int64_t gathered_ns;
};

/* Creates buckets, owned by the caller; NULL when out of memory. Width in ns. */
struct pv_buckets *pv_buckets_create(int64_t width);
void pv_buckets_destroy(struct pv_buckets *b);

/*
 * Merges equal entries into the first of them; *n becomes the number left. False when out of
 * memory, and then nothing has changed.
 */
bool pv_buckets_merge(struct pv_bucket_places *p, struct pv_bucket_entry *v, size_t *n);
void pv_bucket_places_finish(struct pv_bucket_places *p);

/* Adds to the bucket at `time`. False when out of memory; nothing to do without buckets. */
bool pv_buckets_add(struct pv_model *m, int64_t time, const struct pv_bucket_entry *e);

/*
 * The same for `n` entries of one time, without a copy: the first returns the place to write to,
 * the second, called before any other use of the buckets, adds them. NULL when out of memory. Only
 * with buckets.
 */
struct pv_bucket_entry *pv_buckets_room(struct pv_model *m, int64_t time, size_t n);
bool pv_buckets_filled(struct pv_model *m, size_t n);

/*
 * The same for many entries of one time: they are gathered, and equal ones merged, until they are
 * put into the bucket together.
 */
bool pv_buckets_gather(struct pv_model *m, int64_t time, const struct pv_bucket_entry *e);
bool pv_buckets_put_gathered(struct pv_model *m);

/* Self time of a method on a thread, split over the buckets from `from` to `to`. */
bool pv_buckets_span(
	struct pv_model *m, uint32_t method, uint32_t thread, int64_t from, int64_t to);

/* The window's cells became this wide: buckets become at least as wide. */
bool pv_buckets_widen_to(struct pv_model *m, int64_t width);

/* Appends the window's figures in the answer's range that are not flushed yet. */
bool pv_buckets_touched(const struct pv_model *m, struct pv_bucket_sums *s);

#endif
