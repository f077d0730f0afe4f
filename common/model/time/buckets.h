/* SPDX-License-Identifier: MIT */
/*
 * Time buckets: figures of each method, class and thread over time, for the whole recording.
 * Sparse, with a common width, which begins at the width of the rolling window's cells and doubles
 * when the 64 MiB are full. Self time is split at the buckets' edges, whichever order the buffers
 * come in.
 *
 * Buckets answer at once for any range, but for whole buckets only; totals, longest calls and trees
 * need the events read again.
 */
#ifndef PV_MODEL_BUCKETS_H
#define PV_MODEL_BUCKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"

enum { PV_BUCKETS_BYTES = 64 << 20, PV_BUCKETS_MOST = 16384 };

struct pv_model;

/* Subject of an entry, and the meaning of its `count` and `amount`. */
enum pv_bucket_what {
	PV_BUCKET_METHOD,         /* id in names; enters, self ns */
	PV_BUCKET_METHOD_SAMPLES, /* id in names, of the innermost frame; hits */
	PV_BUCKET_CLASS,          /* class use in names; allocations, bytes */
	PV_BUCKET_THREAD,         /* index in threads; enters, self ns */
	PV_BUCKET_THREAD_SAMPLES, /* index in threads, of the thread that was hit; hits */
	PV_BUCKET_THREAD_BYTES,   /* index in threads; allocations, bytes */
	PV_BUCKET_THROWS,         /* class use in names; exceptions thrown */
	PV_BUCKET_WHATS
};

struct pv_bucket_entry {
	uint32_t what, id;
	uint64_t count;
	int64_t amount;
};

/* Each (what, id) once, ascending. */
struct pv_bucket_sums {
	PV_ARRAY(struct pv_bucket_entry) entry;
	int64_t from_ns, to_ns; /* log clock: the range covered, whole buckets */
};

/*
 * Sums all buckets that share any time with [from_ns, to_ns) of the log's clock. Open frames count
 * up to their thread's last event. The caller holds the model's lock. False when out of memory.
 * Without buckets the answer is empty, and covers nothing (from_ns == to_ns).
 */
bool pv_buckets_sum(
	const struct pv_model *m, int64_t from_ns, int64_t to_ns, struct pv_bucket_sums *ret);
/*
 * Calls `each` for the entries of all buckets that share any time with [from_ns, to_ns), with the
 * begin of the bucket, then for the figures in the window that are not in buckets yet, with the
 * begin of the bucket at to_ns. Without the time of open frames. With the lock. False when out of
 * memory.
 */
bool pv_buckets_each(const struct pv_model *m, int64_t from_ns, int64_t to_ns,
	void (*each)(void *ctx, int64_t time_ns, const struct pv_bucket_entry *e), void *ctx);
int64_t pv_buckets_width(const struct pv_model *m); /* ns; 0: no buckets */
void pv_bucket_sums_finish(struct pv_bucket_sums *s);

#endif
