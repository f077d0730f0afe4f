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

static void load_entries(struct pv_archive *a, struct pv_model *m, int64_t time, size_t n)
{
	struct pv_bucket_entry *v = n ? pv_buckets_room(m, time, n) : NULL;
	a->failed |= n > 0 && !v;
	pv_archive_bytes(a, v, n * sizeof *v);
	for (size_t i = 0; i < n && !a->failed; i++)
		a->failed = !is_sane(m, &v[i]);
	if (n && !a->failed)
		a->failed = !pv_buckets_filled(m, n);
}

/* Entries of one bucket; `time` is any in it. */
static void archive_entries(struct pv_archive *a, struct pv_model *m, int64_t time,
	const struct pv_bucket_entry *v, size_t n)
{
	_Static_assert(sizeof *v % 8 == 0, "else there is padding between them");
	pv_archive_value(a, time); /* when loading, the saved one */
	n = pv_archive_count(a, n, (a->loading ? (size_t)a->left : SIZE_MAX) / sizeof *v);
	if (!a->loading)
		pv_archive_bytes(a, (void *)(uintptr_t)v, n * sizeof *v);
	else if (m->buckets)
		load_entries(a, m, time, n);
	for (size_t i = 0; i < n && a->loading && !m->buckets && !a->failed; i++) {
		struct pv_bucket_entry dropped;
		pv_archive_value(a, dropped);
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
