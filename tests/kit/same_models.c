/* SPDX-License-Identifier: MIT */
#include "tests/kit/same_models.h"

#include <check.h>

#include "common/model/time/buckets.h"
#include "common/model/objects/address_log.h"
#include "common/model/time/window.h"
#include "tests/kit/logkit.h"

/*
 * Numbers of nodes, stacks and methods are given as they are met, which is in another order where
 * calls come summed up. What they are in the other model:
 */
struct twins {
	const struct pv_model *a, *b;
	uint32_t node[1 << 16], stack[1 << 16];
};

static bool same_method(const struct twins *t, uint32_t a, uint32_t b)
{
	const struct pv_method *x = &t->a->names.method.v[a], *y = &t->b->names.method.v[b];
	return x->key == y->key && x->from_ns == y->from_ns && x->native == y->native;
}

static void find_twins(struct twins *t)
{
	const struct pv_calls *x = &t->a->calls, *y = &t->b->calls;
	ck_assert_uint_lt(x->node.n, PV_COUNT_OF(t->node));
	for (uint32_t i = 1; i < x->node.n; i++) {
		uint32_t k = y->node.v[t->node[x->node.v[i].parent]].first_child;
		while (k && !same_method(t, x->node.v[i].method, y->node.v[k].method))
			k = y->node.v[k].next_sibling;
		ck_assert_uint_ne(k, 0);
		t->node[i] = k;
	}
	const struct pv_stacks *s = &t->a->stacks, *o = &t->b->stacks;
	ck_assert_uint_lt(s->node.n, PV_COUNT_OF(t->stack));
	for (uint32_t i = 1; i < s->node.n; i++) {
		uint32_t parent = t->stack[s->node.v[i].parent], k = 1;
		while (k < o->node.n &&
			(o->node.v[k].parent != parent ||
				!same_method(t, s->node.v[i].method, o->node.v[k].method)))
			k++;
		ck_assert_uint_lt(k, o->node.n);
		t->stack[i] = k;
	}
}

static void same_calls(const struct twins *t)
{
	const struct pv_calls *x = &t->a->calls, *y = &t->b->calls;
	ck_assert_uint_eq(x->node.n, y->node.n);
	for (size_t i = 0; i < x->node.n; i++) {
		const struct pv_tree_node *n = &x->node.v[i], *o = &y->node.v[t->node[i]];
		ck_assert_uint_eq(n->calls, o->calls);
		ck_assert_int_eq(n->self_ns, o->self_ns);
		ck_assert_int_eq(n->total_ns, o->total_ns);
		ck_assert_int_eq(n->max_ns, o->max_ns);
		ck_assert_uint_eq(n->exc_leaves, o->exc_leaves);
		ck_assert_uint_eq(n->samples, o->samples);
		ck_assert_uint_eq(n->children, o->children);
	}
}

static void same_sums(const struct pv_calls *x, const struct pv_calls *y)
{
	ck_assert_uint_eq(x->calls, y->calls);
	ck_assert_uint_eq(x->samples, y->samples);
	ck_assert_uint_eq(x->stray_leaves, y->stray_leaves);
	ck_assert_uint_eq(x->missing_leaves, y->missing_leaves);
	ck_assert_uint_eq(x->unwound, y->unwound);
	ck_assert_uint_eq(x->gap_closed, y->gap_closed);
}

static void same_thread(const struct twins *t, const struct pv_thread *a, const struct pv_thread *b)
{
	ck_assert_uint_eq(a->id, b->id);
	ck_assert_int_eq(a->first_ns, b->first_ns);
	ck_assert_int_eq(a->last_ns, b->last_ns);
	ck_assert_uint_eq(a->events, b->events);
	ck_assert_uint_eq(a->calls, b->calls);
	ck_assert_uint_eq(a->allocated_bytes, b->allocated_bytes);
	ck_assert_int_eq(a->stack.last_ns, b->stack.last_ns);
	ck_assert_uint_eq(a->stack.stack.n, b->stack.stack.n);
	for (size_t i = 0; i < a->stack.stack.n; i++) {
		uint32_t node = a->stack.stack.v[i].node;
		if (t)
			ck_assert_uint_eq(t->node[node], b->stack.stack.v[i].node);
		ck_assert_int_eq(a->stack.stack.v[i].enter_ns, b->stack.stack.v[i].enter_ns);
	}
}

static void same_sites(const struct twins *t, const struct pv_sites *a, const struct pv_sites *b)
{
	ck_assert_uint_eq(a->site.n, b->site.n);
	for (size_t i = 1; i < a->site.n; i++) {
		ck_assert_uint_eq(a->site.v[i].class_use, b->site.v[i].class_use);
		ck_assert_uint_eq(t->stack[a->site.v[i].stack], b->site.v[i].stack);
		ck_assert_uint_eq(a->site.v[i].count, b->site.v[i].count);
		ck_assert_uint_eq(a->site.v[i].amount, b->site.v[i].amount);
	}
}

static void same_classes(const struct pv_allocs *a, const struct pv_allocs *b)
{
	ck_assert_uint_eq(a->class_use.n, b->class_use.n);
	for (size_t i = 0; i < a->class_use.n; i++) {
		const struct pv_class_allocs *x = &a->class_use.v[i], *y = &b->class_use.v[i];
		ck_assert_uint_eq(x->count, y->count);
		ck_assert_uint_eq(x->bytes, y->bytes);
	}
	ck_assert_uint_eq(a->count, b->count);
	ck_assert_uint_eq(a->bytes, b->bytes);
}

static bool is_empty(const struct pv_window_node *n)
{
	return !n->calls && !n->self_ns && !n->samples;
}

static void same_window(const struct twins *t)
{
	static const uint64_t width[] = { 100000000, 1000000000, 10000000000 };
	for (size_t i = 0; i < PV_COUNT_OF(width); i++) {
		struct pv_window_sums x, y;
		struct pv_map in_b = { 0 };
		size_t left = 0;
		ck_assert(pv_window_sum(t->a, width[i], &x) && pv_window_sum(t->b, width[i], &y));
		ck_assert_uint_eq(x.sites.n, y.sites.n);
		for (size_t k = 0; k < y.nodes.n; k++) {
			ck_assert(pv_map_set(&in_b, y.nodes.v[k].node, (uint32_t)k));
			left += !is_empty(&y.nodes.v[k]);
		}
		for (size_t k = 0; k < x.nodes.n; k++) {
			const struct pv_window_node *n = &x.nodes.v[k];
			if (is_empty(n)) /* may be there or not */
				continue;
			uint32_t at = pv_map_get(&in_b, t->node[n->node]);
			ck_assert_uint_ne(at, PV_MAP_NONE);
			ck_assert_uint_eq(n->calls, y.nodes.v[at].calls);
			ck_assert_int_eq(n->self_ns, y.nodes.v[at].self_ns);
			ck_assert_uint_eq(n->samples, y.nodes.v[at].samples);
			left--;
		}
		ck_assert_uint_eq(left, 0);
		pv_map_finish(&in_b);
		pv_window_sums_finish(&x);
		pv_window_sums_finish(&y);
	}
}

/* By thread: others name methods by their numbers. */
static bool of_thread(const struct pv_bucket_entry *e)
{
	return (e->count || e->amount) &&
	       (e->what == PV_BUCKET_THREAD || e->what == PV_BUCKET_THREAD_BYTES ||
		       e->what == PV_BUCKET_THREAD_SAMPLES);
}

static size_t next_bucket(const struct pv_bucket_sums *s, size_t i)
{
	while (i < s->entry.n && !of_thread(&s->entry.v[i]))
		i++;
	return i;
}

static void same_buckets(const struct pv_model *a, const struct pv_model *b, int64_t from)
{
	struct pv_bucket_sums x, y;
	ck_assert(pv_buckets_sum(a, from, from + 300000000, &x));
	ck_assert(pv_buckets_sum(b, from, from + 300000000, &y));
	size_t i = next_bucket(&x, 0), k = next_bucket(&y, 0);
	while (i < x.entry.n && k < y.entry.n) {
		ck_assert_mem_eq(&x.entry.v[i], &y.entry.v[k], sizeof *x.entry.v);
		i = next_bucket(&x, i + 1);
		k = next_bucket(&y, k + 1);
	}
	ck_assert(i == x.entry.n && k == y.entry.n);
	pv_bucket_sums_finish(&x);
	pv_bucket_sums_finish(&y);
}

static void same_places(const struct pv_address_log *a, const struct pv_address_log *b)
{
	ck_assert_uint_eq(a->classes.n, b->classes.n);
	ck_assert_uint_eq(a->moves.n, b->moves.n);
	for (size_t i = 0; i < a->classes.n; i++) {
		ck_assert_uint_eq(a->classes.v[i].place, b->classes.v[i].place);
		ck_assert_uint_eq(a->classes.v[i].class_use, b->classes.v[i].class_use);
	}
	for (size_t i = 0; i < a->moves.n; i++)
		ck_assert_uint_eq(a->moves.v[i].place, b->moves.v[i].place);
}

void ck_same_models(const struct pv_model *a, const struct pv_model *b)
{
	static struct twins twins;
	struct twins *t = a->calls.folds || b->calls.folds ? NULL : &twins;
	twins = (struct twins){ .a = a, .b = b };
	same_sums(&a->calls, &b->calls);
	if (t) {
		find_twins(t);
		same_calls(t);
		same_sites(t, &a->allocs.sites, &b->allocs.sites);
		same_sites(t, &a->throws.sites, &b->throws.sites);
		if (a->buckets)
			same_window(t);
	}
	ck_assert_uint_eq(a->threads.thread.n, b->threads.thread.n);
	for (size_t i = 1; i < a->threads.thread.n; i++)
		same_thread(t, a->threads.thread.v[i], b->threads.thread.v[i]);
	ck_assert_mem_eq(a->kinds, b->kinds, sizeof a->kinds);
	ck_assert_mem_eq(&a->timeline, &b->timeline, sizeof a->timeline);
	ck_assert_uint_eq(a->events, b->events);
	ck_assert_int_eq(a->first_ns, b->first_ns);
	ck_assert_int_eq(a->last_ns, b->last_ns);
	ck_assert_uint_eq(a->damaged, b->damaged);
	ck_assert_uint_eq(a->stacks.node.n, b->stacks.node.n);
	ck_assert_uint_eq(a->names.method.n, b->names.method.n);
	ck_assert_uint_eq(a->allocs.with_path, b->allocs.with_path);
	same_classes(&a->allocs, &b->allocs);
	ck_assert_uint_eq(a->throws.unknown_class, b->throws.unknown_class);
	same_places(a->address_log, b->address_log);
	for (int64_t from = 0; from < 2000000000 && a->buckets; from += 500000000)
		same_buckets(a, b, LOGKIT_ZERO + from);
}
