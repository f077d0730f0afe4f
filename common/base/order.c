/* SPDX-License-Identifier: MIT */
/* A treap over the elements of an array: adding, removing, finding by key and reach. */
#include "common/base/order.h"

#include "common/base/map.h"
#include "common/base/seed.h"

/*
 * The rank decides which of two nodes is above; the keys' author cannot foresee ranks: paths are
 * some dozens long, so the functions below may recurse.
 */
static uint64_t rank(uint32_t link)
{
	return pv_hash(link ^ pv_seed);
}

static struct pv_order_node *order_node(const struct pv_order *o, uint32_t link)
{
	return &o->node.v[link - 1];
}

static int64_t most_of(const struct pv_order *o, uint32_t link)
{
	return link ? order_node(o, link)->most : INT64_MIN;
}

static void sum_up_node(struct pv_order *o, struct pv_order_node *n)
{
	int64_t a = most_of(o, n->before), b = most_of(o, n->after), most = a > b ? a : b;
	n->most = most > n->reach ? most : n->reach;
}

bool pv_order_reserve(struct pv_order *o, uint32_t numbers)
{
	if (numbers <= o->node.n)
		return true;
	if (!pv_reserve(&o->node, numbers - o->node.n))
		return false;
	o->node.n = numbers;
	return true;
}

static bool stands_before(const struct pv_order *o, uint32_t a, uint32_t b)
{
	int64_t x = order_node(o, a)->key, y = order_node(o, b)->key;
	return x != y ? x < y : a < b;
}

/* Parts a subtree: what is before `by`, and what is after. */
static void split_tree(
	struct pv_order *o, uint32_t link, uint32_t by, uint32_t *few, uint32_t *more)
{
	if (link == 0) {
		*few = *more = 0;
		return;
	}
	struct pv_order_node *n = order_node(o, link);
	if (stands_before(o, link, by)) {
		*few = link;
		split_tree(o, n->after, by, &n->after, more);
	} else {
		*more = link;
		split_tree(o, n->before, by, few, &n->before);
	}
	sum_up_node(o, n);
}

bool pv_order_add(struct pv_order *o, uint32_t number, int64_t key, int64_t reach)
{
	return pv_order_add_to(o, &o->root, number, key, reach);
}

bool pv_order_add_to(
	struct pv_order *o, uint32_t *place, uint32_t number, int64_t key, int64_t reach)
{
	uint32_t link = number + 1;
	if (!pv_order_reserve(o, number + 1))
		return false;
	struct pv_order_node *n = order_node(o, link);
	*n = (struct pv_order_node){ .key = key, .reach = reach };
	while (*place && rank(*place) >= rank(link)) {
		struct pv_order_node *other = order_node(o, *place);
		other->most = other->most > reach ? other->most : reach;
		place = stands_before(o, *place, link) ? &other->after : &other->before;
	}
	split_tree(o, *place, link, &n->before, &n->after);
	sum_up_node(o, n);
	*place = link;
	return true;
}

/* Joins two subtrees; all of `a` stands before all of `b`. */
static uint32_t join_trees(struct pv_order *o, uint32_t a, uint32_t b)
{
	if (a == 0 || b == 0)
		return a ? a : b;
	bool first = rank(a) > rank(b);
	struct pv_order_node *n = order_node(o, first ? a : b);
	if (first)
		n->after = join_trees(o, n->after, b);
	else
		n->before = join_trees(o, a, n->before);
	sum_up_node(o, n);
	return first ? a : b;
}

/* The subtree at `in` without the node `link`. */
static uint32_t without(struct pv_order *o, uint32_t in, uint32_t link)
{
	if (in == 0)
		return 0;
	struct pv_order_node *n = order_node(o, in);
	if (in == link)
		return join_trees(o, n->before, n->after);
	uint32_t *part = stands_before(o, in, link) ? &n->after : &n->before;
	*part = without(o, *part, link);
	sum_up_node(o, n);
	return in;
}

void pv_order_remove(struct pv_order *o, uint32_t number)
{
	o->root = without(o, o->root, number + 1);
}

void pv_order_remove_from(struct pv_order *o, uint32_t *root, uint32_t number)
{
	*root = without(o, *root, number + 1);
}

bool pv_order_has(const struct pv_order *o, uint32_t root, uint32_t number)
{
	uint32_t link = number < o->node.n ? root : 0;
	while (link && link != number + 1)
		link = stands_before(o, link, number + 1) ? order_node(o, link)->after
							  : order_node(o, link)->before;
	return link != 0;
}

uint32_t pv_order_after(const struct pv_order *o, uint32_t root, uint32_t number)
{
	uint32_t best = 0;
	for (uint32_t link = root; link;) {
		bool after = stands_before(o, number + 1, link);
		best = after ? link : best;
		link = after ? order_node(o, link)->before : order_node(o, link)->after;
	}
	return best - 1;
}

uint32_t pv_order_at_most_in(const struct pv_order *o, uint32_t root, int64_t key)
{
	uint32_t best = 0;
	for (uint32_t link = root; link;) {
		const struct pv_order_node *n = order_node(o, link);
		best = n->key <= key ? link : best;
		link = n->key <= key ? n->after : n->before;
	}
	return best - 1;
}

uint32_t pv_order_at_least_in(const struct pv_order *o, uint32_t root, int64_t key)
{
	uint32_t best = 0;
	for (uint32_t link = root; link;) {
		const struct pv_order_node *n = order_node(o, link);
		best = n->key >= key ? link : best;
		link = n->key >= key ? n->before : n->after;
	}
	return best - 1;
}

static bool look_in(const struct pv_order *o, uint32_t link, const struct pv_order_look *look)
{
	if (link == 0 || order_node(o, link)->most < look->reach)
		return true;
	const struct pv_order_node *n = order_node(o, link);
	if (n->key <= look->to && !look_in(o, n->after, look))
		return false;
	bool meant = n->key >= look->from && n->key <= look->to && n->reach >= look->reach;
	if (meant && !look->visit(look->ctx, link - 1))
		return false;
	return n->key < look->from || look_in(o, n->before, look);
}

void pv_order_look(const struct pv_order *o, const struct pv_order_look *look)
{
	look_in(o, o->root, look);
}

void pv_order_clear(struct pv_order *o)
{
	o->node.n = 0;
	o->root = 0;
}

void pv_order_finish(struct pv_order *o)
{
	pv_array_finish(&o->node);
	o->root = 0;
}
