/*
 * The buckets' side towards the model's own files. They are fed where the window puts a cell away:
 * what comes is a sum per (method or class, cell), not an event.
 */
#ifndef PV_MODEL_BUCKETS_PARTS_H
#define PV_MODEL_BUCKETS_PARTS_H

#include "common/base/archive.h"
#include "common/model/buckets.h"
#include "common/model/model.h"

struct pv_bucket {
	int64_t number; /* covers number * width .. + width on the log's clock */
	PV_ARRAY(struct pv_bucket_entry) entry;
	size_t merged; /* the first so many are sorted, each (what, id) once */
};

struct pv_buckets {
	int64_t width;                     /* ns; the window's cells are never wider */
	size_t bytes, limit;               /* of the entries; PV_BUCKETS_BYTES, less in tests */
	size_t most;                       /* buckets; PV_BUCKETS_MOST, less in tests */
	size_t at;                         /* of the bucket found last */
	PV_ARRAY(struct pv_bucket) bucket; /* by number */
};

struct pv_buckets *pv_buckets_create(int64_t width);
void pv_buckets_destroy(struct pv_buckets *b);

/* By (what, id). */
int pv_buckets_compare(const void *a, const void *b);
/* Sorts the entries and makes equal ones one; returns how many are left. */
size_t pv_buckets_merge(struct pv_bucket_entry *v, size_t n);

/* Adds to the bucket that holds `time`. False when out of memory; nothing to do without buckets. */
bool pv_buckets_add(struct pv_model *m, int64_t time, const struct pv_bucket_entry *e);

/* Self time of a method on a thread, split over the buckets from `from` to `to`. */
bool pv_buckets_span(
	struct pv_model *m, uint32_t method, uint32_t thread, int64_t from, int64_t to);

/* The window's cells became this wide: buckets are to be at least that. */
bool pv_buckets_widen_to(struct pv_model *m, int64_t width);

/* Appends what the window has gathered, within the answer's range, and not put away yet. */
bool pv_buckets_touched(const struct pv_model *m, struct pv_bucket_sums *s);

/* As the stores of persist.c. A model that keeps no buckets passes over those in the bytes. */
void pv_buckets_archive(struct pv_archive *a, struct pv_model *m);

#endif
