/* SPDX-License-Identifier: MIT */
/*
 * Figures of a range from time buckets, while the range is being read: calls, self time and samples
 * of methods, allocations of classes, and both of threads, for whole buckets. All else is pending.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "common/base/status.h"
#include "common/base/text/units.h"
#include "common/model/time/buckets.h"
#include "common/model/model.h"
#include "common/query/groups/groups.h"
#include "common/query/groups/specs.h"

struct sum {
	uint64_t count, samples, allocations;
	int64_t amount, bytes; /* self ns, of classes bytes; bytes of threads */
};

struct answer {
	struct pv_build *b;
	struct pv_model *m;
	struct pv_bucket_sums buckets;
	struct sum *sum; /* by group, or by index of the thread */
	struct sum all;
	unsigned known;
};

/* A row with every cell still pending. */
static struct pv_cell *pending_row(struct answer *a, uint64_t id)
{
	struct pv_cell *c = pv_build_row(a->b, id);
	for (size_t i = 0; i < a->b->spec->columns; i++)
		c[i].state = PV_CELL_PENDING;
	return c;
}

static struct pv_cell *cell(const struct answer *a, struct pv_cell *row, const char *column)
{
	static struct pv_cell nowhere;
	int i = a->b->table ? pv_table_column(a->b->table, column) : -1;
	return i < 0 ? &nowhere : &row[i];
}

static void add_bucket_entry(struct answer *a, size_t at, const struct pv_bucket_entry *e)
{
	struct sum *s = &a->sum[at];
	switch ((enum pv_bucket_what)e->what) {
	case PV_BUCKET_METHOD_SAMPLES:
	case PV_BUCKET_THREAD_SAMPLES:
		s->samples += e->count;
		a->all.samples += e->count;
		break;
	case PV_BUCKET_THREAD_BYTES:
		s->allocations += e->count;
		s->bytes += e->amount;
		break;
	default:
		s->count += e->count;
		s->amount += e->amount;
		a->all.amount += e->amount;
	}
}

/* Sums up the entries of the kinds in `whats`; `g` NULL: ids are places in `sum`. */
static bool gather_entries(struct answer *a, const struct pv_groups *g, size_t n, unsigned whats)
{
	a->sum = calloc(n ? n : 1, sizeof *a->sum);
	if (!a->sum)
		return false;
	for (size_t i = 0; i < a->buckets.entry.n; i++) {
		const struct pv_bucket_entry *e = &a->buckets.entry.v[i];
		size_t at = g ? pv_group_of(g, e->id) : e->id;
		bool waits = e->what == PV_BUCKET_METHOD_SAMPLES && !a->b->query->waits &&
			     pv_lane_method_waits(a->m, e->id);
		if (whats >> e->what & 1 && at < n && !waits)
			add_bucket_entry(a, at, e);
	}
	return true;
}

static void put_bucket_method(struct answer *a, const struct pv_groups *g, uint32_t i)
{
	const struct sum *s = &a->sum[i];
	bool calls = a->known & PV_GROUP_CALLS, samples = a->known & PV_GROUP_SAMPLES;
	struct pv_cell *c = pending_row(a, g->row.v[i].id);
	pv_cell_share(
		cell(a, c, "self_percent"), (double)s->amount, calls ? (double)a->all.amount : 0);
	pv_cell_i_if(cell(a, c, "self_ns"), calls, s->amount);
	pv_cell_u_if(cell(a, c, "calls"), calls, s->count);
	pv_cell_share(cell(a, c, "samples_percent"), (double)s->samples,
		samples ? (double)a->all.samples : 0);
	pv_cell_error(cell(a, c, "samples_error"), a->b, s->samples,
		samples ? (double)a->all.samples : 0);
	pv_cell_u_if(cell(a, c, "samples_self"), samples, s->samples);
	pv_cell_s(cell(a, c, "name"), pv_group_name(a->b, g, i));
}

static bool methods(struct answer *a)
{
	struct pv_groups g;
	bool ok = pv_groups_methods(a->m, a->b, &g) && pv_lane_states(a->m) &&
		  gather_entries(
			  a, &g, g.row.n, 1u << PV_BUCKET_METHOD | 1u << PV_BUCKET_METHOD_SAMPLES);
	for (uint32_t i = 0; ok && i < g.row.n; i++)
		if (a->sum[i].count || a->sum[i].amount || a->sum[i].samples)
			put_bucket_method(a, &g, i);
	pv_groups_finish(&g);
	return ok;
}

static bool classes(struct answer *a)
{
	struct pv_groups g;
	bool ok = pv_groups_classes(a->m, a->b, &g) &&
		  gather_entries(a, &g, g.row.n, 1u << PV_BUCKET_CLASS);
	for (uint32_t i = 0; ok && i < g.row.n; i++) {
		const struct sum *s = &a->sum[i];
		if (s->count == 0)
			continue;
		struct pv_cell *c = pending_row(a, g.row.v[i].id);
		pv_cell_share(
			cell(a, c, "allocated_percent"), (double)s->amount, (double)a->all.amount);
		pv_cell_u(cell(a, c, "allocated_bytes"), (uint64_t)s->amount);
		pv_cell_u(cell(a, c, "allocations"), s->count);
		pv_cell_u(cell(a, c, "average_bytes"), (uint64_t)s->amount / s->count);
		pv_cell_s(cell(a, c, "name"), pv_group_name(a->b, &g, i));
	}
	pv_groups_finish(&g);
	return ok;
}

static bool threads(struct answer *a)
{
	const struct pv_threads *t = &a->m->threads;
	if (!gather_entries(a, NULL, t->thread.n,
		    1u << PV_BUCKET_THREAD | 1u << PV_BUCKET_THREAD_SAMPLES |
			    1u << PV_BUCKET_THREAD_BYTES))
		return false;
	for (size_t i = 1; i < t->thread.n; i++) {
		const struct pv_thread *th = t->thread.v[i];
		const struct sum *s = &a->sum[i];
		struct pv_cell *c = pending_row(a, i);
		const char *name = pv_intern_text(&a->m->names.text, th->name);
		pv_cell_u(cell(a, c, "id"), th->id);
		pv_cell_u_if(cell(a, c, "calls"), a->known & PV_GROUP_CALLS, s->count);
		pv_cell_u_if(cell(a, c, "samples"), a->known & PV_GROUP_SAMPLES, s->samples);
		pv_cell_u_if(cell(a, c, "allocations"), a->known & PV_GROUP_ALLOC, s->allocations);
		pv_cell_u_if(cell(a, c, "allocated_bytes"), a->known & PV_GROUP_ALLOC,
			(uint64_t)s->bytes);
		pv_cell_time(cell(a, c, "start_ns"), a->m, th->start_ns);
		pv_cell_time(cell(a, c, "end_ns"), a->m, th->end_ns);
		pv_cell_s(cell(a, c, "name"), th->name ? name : pv_build_hex(a->b, th->id));
	}
	return true;
}

/* Says which time the figures cover in fact, and that more is to come. */
static void say_bucket_range(struct answer *a, bool some)
{
	char from[PV_UNIT_MAX], to[PV_UNIT_MAX];
	const char *line;
	int64_t zero = a->m->zero_ns, begin = a->buckets.from_ns, end = a->buckets.to_ns;
	begin = begin < zero ? zero : begin;
	end = end > a->m->last_ns ? a->m->last_ns : end;
	if (some && a->m->buckets && end > begin)
		line = pv_build_printf(a->b, "to the bucket: %s to %s; the rest is being read",
			pv_units_clock(from, sizeof from, begin - zero),
			pv_units_clock(to, sizeof to, end - zero));
	else
		line = "... the range is being read";
	if (a->b->table)
		a->b->table->coverage = line;
}

static int64_t plus(int64_t a, int64_t b)
{
	int64_t sum;
	if (!__builtin_add_overflow(a, b, &sum))
		return sum;
	return b > 0 ? INT64_MAX : INT64_MIN;
}

void pv_bucket_view(struct pv_build *b, struct pv_model *m)
{
	struct answer a = { .b = b, .m = m, .known = pv_groups_known(m) };
	int64_t from = plus(m->zero_ns, b->query->from_ns), to = plus(m->zero_ns, b->query->to_ns);
	bool ok = pv_buckets_sum(m, from, to, &a.buckets), some = true;
	const enum pv_course course =
		ok && m->buckets ? pv_view_rows[b->view].course : PV_COURSE_NONE;
	if (course == PV_COURSE_METHODS)
		ok = methods(&a);
	else if (course == PV_COURSE_CLASSES)
		ok = classes(&a);
	else if (course == PV_COURSE_THREADS)
		ok = threads(&a);
	else
		some = false;
	if (!ok)
		pv_build_fail(b);
	say_bucket_range(&a, some);
	pv_bucket_sums_finish(&a.buckets);
	free(a.sum);
}
