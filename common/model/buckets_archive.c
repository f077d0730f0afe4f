/* Buckets to bytes and back: their entries merged, and what the window has not put away yet. */
#include "common/model/buckets_parts.h"
#include "common/model/window_parts.h"

/* Ids are places in the stores that were read before. */
static bool is_sane(const struct pv_model *m, const struct pv_bucket_entry *e)
{
	switch (e->what) {
	case PV_BUCKET_METHOD:
	case PV_BUCKET_METHOD_SAMPLES:
		return e->id < m->names.method.n;
	case PV_BUCKET_CLASS:
		return e->id < m->names.class_use.n;
	case PV_BUCKET_THREAD:
	case PV_BUCKET_THREAD_SAMPLES:
	case PV_BUCKET_THREAD_BYTES:
		return e->id < m->threads.thread.n;
	default:
		return false;
	}
}

/* Entries of one bucket; `time` is any in it. */
static void archive_entries(struct pv_archive *a, struct pv_model *m, int64_t time,
	const struct pv_bucket_entry *v, size_t n)
{
	pv_archive_value(a, time); /* when loading, the saved one */
	n = pv_archive_count(a, n, SIZE_MAX / sizeof *v);
	for (size_t i = 0; i < n && !a->failed; i++) {
		struct pv_bucket_entry e = { 0 };
		if (!a->loading)
			e = v[i];
		pv_archive_value(a, e);
		if (a->failed || !a->loading || !m->buckets)
			continue;
		a->failed = !is_sane(m, &e) || !pv_buckets_add(m, time, &e);
	}
}

static void archive_touched(struct pv_archive *a, struct pv_model *m)
{
	struct pv_bucket_sums s = { .from_ns = INT64_MIN, .to_ns = INT64_MAX };
	if (!a->loading && m->buckets && !pv_buckets_touched(m, &s))
		a->failed = true;
	archive_entries(a, m, m->window->present * m->window->width, s.entry.v, s.entry.n);
	pv_bucket_sums_finish(&s);
}

void pv_buckets_archive(struct pv_archive *a, struct pv_model *m)
{
	struct pv_buckets *b = m->buckets;
	int64_t width = b ? b->width : (int64_t)PV_WINDOW_CELL_MS * 1000000;
	size_t n = pv_archive_count(a, b ? b->bucket.n : 0, PV_BUCKETS_MOST);
	pv_archive_value(a, width);
	a->failed |= width <= 0;
	if (a->loading && b && !a->failed)
		b->width = width;
	for (size_t i = 0; i < n && !a->failed; i++) {
		struct pv_bucket *x = a->loading ? NULL : &b->bucket.v[i];
		if (x)
			archive_entries(a, m, x->number * width, x->entry.v, x->entry.n);
		else
			archive_entries(a, m, 0, NULL, 0);
	}
	archive_touched(a, m);
}
