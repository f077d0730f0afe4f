/* SPDX-License-Identifier: MIT */
/* Fills time buckets, merges their entries and keeps them within their memory. */
#include "common/model/time/buckets.h"

#include <stdlib.h>
#include <string.h>

#include "common/model/time/buckets_parts.h"

enum {
	MERGE_FROM = 64, /* fewer entries are not worth merging */
	GATHERED_MOST = 1 << 15,
};

struct pv_buckets *pv_buckets_create(int64_t width)
{
	struct pv_buckets *b = calloc(1, sizeof *b);
	if (!b)
		return NULL;
	b->width = width;
	b->limit = PV_BUCKETS_BYTES;
	b->most = PV_BUCKETS_MOST;
	return b;
}

void pv_buckets_destroy(struct pv_buckets *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->bucket.n; i++)
		pv_array_finish(&b->bucket.v[i].entry);
	pv_array_finish(&b->bucket);
	pv_array_finish(&b->gathered);
	pv_bucket_places_finish(&b->places);
	free(b);
}

static int64_t bucket_number(const struct pv_buckets *b, int64_t time)
{
	int64_t n = time / b->width;
	return n - (time % b->width < 0);
}

/* --- merging */

static bool make_places(struct pv_bucket_places *p, const struct pv_bucket_entry *v, size_t n)
{
	size_t need[PV_BUCKET_WHATS] = { 0 };
	for (size_t i = 0; i < n; i++)
		if (v[i].id >= need[v[i].what])
			need[v[i].what] = (size_t)v[i].id + 1;
	for (size_t what = 0; what < PV_BUCKET_WHATS; what++) {
		size_t have = p->of[what].n;
		if (need[what] <= have)
			continue;
		if (!pv_reserve(&p->of[what], need[what] - have))
			return false;
		memset(p->of[what].v + have, 0, (need[what] - have) * sizeof *p->of[what].v);
		p->of[what].n = need[what];
	}
	return true;
}

void pv_bucket_places_finish(struct pv_bucket_places *p)
{
	for (size_t i = 0; i < PV_BUCKET_WHATS; i++)
		pv_array_finish(&p->of[i]);
}

bool pv_buckets_merge(struct pv_bucket_places *p, struct pv_bucket_entry *v, size_t *n)
{
	size_t to = 0;
	if (!make_places(p, v, *n))
		return false;
	for (size_t i = 0; i < *n; i++) {
		uint32_t *at = &p->of[v[i].what].v[v[i].id];
		if (*at < to && v[*at].what == v[i].what && v[*at].id == v[i].id) {
			v[*at].count += v[i].count;
			v[*at].amount += v[i].amount;
		} else {
			*at = (uint32_t)to;
			v[to++] = v[i];
		}
	}
	*n = to;
	return true;
}

static bool merge_bucket(struct pv_buckets *b, struct pv_bucket *x)
{
	bool ok = x->merged == x->entry.n || pv_buckets_merge(&b->places, x->entry.v, &x->entry.n);
	x->merged = ok ? x->entry.n : 0;
	return ok;
}

/* Returns the room that merging left unused; after a failing realloc the room stays. */
static void trim_bucket(struct pv_buckets *b, struct pv_bucket *x)
{
	if (x->entry.n == x->entry.room || x->entry.n == 0)
		return;
	void *v = realloc(x->entry.v, x->entry.n * sizeof *x->entry.v);
	if (!v)
		return;
	b->bytes -= (x->entry.room - x->entry.n) * sizeof *x->entry.v;
	x->entry.v = v;
	x->entry.room = x->entry.n;
}

static bool append_all(struct pv_buckets *b, struct pv_bucket *to, struct pv_bucket *from)
{
	size_t before = to->entry.room;
	if (!pv_reserve(&to->entry, from->entry.n))
		return false;
	b->bytes += (to->entry.room - before) * sizeof *to->entry.v;
	if (from->entry.n)
		memcpy(to->entry.v + to->entry.n, from->entry.v,
			from->entry.n * sizeof *from->entry.v);
	to->entry.n += from->entry.n;
	b->bytes -= from->entry.room * sizeof *from->entry.v;
	pv_array_finish(&from->entry);
	return true;
}

/* Merges neighbours to buckets of twice the width. On failure some figures are lost. */
static bool widen_buckets(struct pv_buckets *b)
{
	struct pv_bucket *v = b->bucket.v;
	bool ok = !__builtin_mul_overflow(b->width, 2, &b->width);
	size_t to = 0;
	for (size_t i = 0; i < b->bucket.n; i++) {
		v[i].number >>= 1;
		if (to && v[to - 1].number == v[i].number) {
			ok &= append_all(b, &v[to - 1], &v[i]) && merge_bucket(b, &v[to - 1]);
			trim_bucket(b, &v[to - 1]);
		} else {
			v[to++] = v[i];
		}
	}
	b->bucket.n = to;
	b->at = 0;
	return ok;
}

static bool shrink(struct pv_buckets *b)
{
	bool ok = true;
	for (size_t i = 0; i < b->bucket.n; i++) {
		ok &= merge_bucket(b, &b->bucket.v[i]);
		trim_bucket(b, &b->bucket.v[i]);
	}
	while (ok && b->bytes > b->limit / 4 * 3 && b->bucket.n > 1)
		ok = widen_buckets(b);
	/* A single bucket of very many names is not merged again for each new entry. */
	if (b->bytes > b->limit / 4 * 3)
		b->limit = b->bytes * 2;
	return ok;
}

bool pv_buckets_widen_to(struct pv_model *m, int64_t width)
{
	struct pv_buckets *b = m->buckets;
	bool ok = true;
	while (ok && b && b->width < width)
		ok = widen_buckets(b);
	return ok;
}

/* --- filling */

/* Index of the bucket with this number, or its place. */
static size_t bucket_index(const struct pv_buckets *b, int64_t number)
{
	size_t low = 0, high = b->bucket.n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (b->bucket.v[mid].number < number)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The bucket at this time, made when new; NULL when out of memory. */
static struct pv_bucket *bucket_of(struct pv_buckets *b, int64_t time)
{
	int64_t number = bucket_number(b, time);
	if (b->at < b->bucket.n && b->bucket.v[b->at].number == number)
		return &b->bucket.v[b->at];
	b->at = bucket_index(b, number);
	if (b->at < b->bucket.n && b->bucket.v[b->at].number == number)
		return &b->bucket.v[b->at];
	if (b->bucket.n >= b->most)
		return widen_buckets(b) ? bucket_of(b, time) : NULL;
	if (!pv_reserve(&b->bucket, 1))
		return NULL;
	struct pv_bucket *x = &b->bucket.v[b->at];
	memmove(x + 1, x, (b->bucket.n - b->at) * sizeof *x);
	*x = (struct pv_bucket){ .number = number };
	b->bucket.n++;
	return x;
}

/* The bucket at this time, with room for `n` further entries; NULL when out of memory. */
static struct pv_bucket *with_room(struct pv_buckets *b, int64_t time, size_t n)
{
	struct pv_bucket *x = bucket_of(b, time);
	if (!x)
		return NULL;
	if (x->entry.room - x->entry.n < n && x->entry.n >= MERGE_FROM && !merge_bucket(b, x))
		return NULL;
	size_t before = x->entry.room;
	/* A bucket that merging left nearly full grows, or it would be merged again at once. */
	size_t more = x->entry.n > before / 4 * 3 ? before - x->entry.n + 1 : 1;
	if (!pv_reserve(&x->entry, more > n ? more : n))
		return NULL;
	b->bytes += (x->entry.room - before) * sizeof *x->entry.v;
	return x;
}

/* Adds `n` entries of one time. */
static bool add_entries(
	struct pv_buckets *b, int64_t time, const struct pv_bucket_entry *e, size_t n)
{
	struct pv_bucket *x = with_room(b, time, n);
	if (!x)
		return false;
	memcpy(x->entry.v + x->entry.n, e, n * sizeof *e);
	x->entry.n += n;
	return b->bytes <= b->limit || shrink(b);
}

static bool add_entry(struct pv_buckets *b, int64_t time, const struct pv_bucket_entry *e)
{
	return add_entries(b, time, e, 1);
}

bool pv_buckets_add(struct pv_model *m, int64_t time, const struct pv_bucket_entry *e)
{
	return !m->buckets || add_entry(m->buckets, time, e);
}

struct pv_bucket_entry *pv_buckets_room(struct pv_model *m, int64_t time, size_t n)
{
	struct pv_bucket *x = with_room(m->buckets, time, n);
	return x ? x->entry.v + x->entry.n : NULL;
}

bool pv_buckets_filled(struct pv_model *m, size_t n)
{
	struct pv_buckets *b = m->buckets;
	b->bucket.v[b->at].entry.n += n;
	return b->bytes <= b->limit || shrink(b);
}

bool pv_buckets_put_gathered(struct pv_model *m)
{
	struct pv_buckets *b = m->buckets;
	if (!b || b->gathered.n == 0)
		return true;
	size_t n = b->gathered.n;
	bool ok = pv_buckets_merge(&b->places, b->gathered.v, &n) &&
		  add_entries(b, b->gathered_ns, b->gathered.v, n);
	b->gathered.n = 0;
	return ok;
}

bool pv_buckets_gather(struct pv_model *m, int64_t time, const struct pv_bucket_entry *e)
{
	struct pv_buckets *b = m->buckets;
	if (!b)
		return true;
	if (b->gathered.n >= GATHERED_MOST && !pv_buckets_put_gathered(m))
		return false;
	if (!pv_reserve(&b->gathered, 1))
		return false;
	b->gathered_ns = time;
	b->gathered.v[b->gathered.n++] = *e;
	return true;
}

static bool add_self(
	struct pv_buckets *b, uint32_t method, uint32_t thread, int64_t from, int64_t to)
{
	const struct pv_bucket_entry of_method = { PV_BUCKET_METHOD, method, 0, to - from };
	const struct pv_bucket_entry of_thread = { PV_BUCKET_THREAD, thread, 0, to - from };
	return add_entry(b, from, &of_method) && add_entry(b, from, &of_thread);
}

bool pv_buckets_span(struct pv_model *m, uint32_t method, uint32_t thread, int64_t from, int64_t to)
{
	struct pv_buckets *b = m->buckets;
	bool ok = true;
	if (!b || from == to)
		return true;
	/* Time may step back; and a span may be as long as the clock. */
	if (to < from) {
		const struct pv_bucket_entry of_method = { PV_BUCKET_METHOD, method, 0, to - from };
		const struct pv_bucket_entry of_thread = { PV_BUCKET_THREAD, thread, 0, to - from };
		return add_entry(b, to, &of_method) && add_entry(b, to, &of_thread);
	}
	while (ok && ((uint64_t)to - (uint64_t)from) / (uint64_t)b->width >= b->most / 4)
		ok = widen_buckets(b);
	while (ok && from < to) {
		int64_t edge =
			(int64_t)((uint64_t)(bucket_number(b, from) + 1) * (uint64_t)b->width);
		if (edge > to || edge <= from)
			edge = to;
		ok = add_self(b, method, thread, from, edge);
		from = edge;
	}
	return ok;
}
