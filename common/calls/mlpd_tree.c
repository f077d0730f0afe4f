/* SPDX-License-Identifier: MIT */
/* The tree of a stream's call paths: nodes, slots for their look-up, expected ends. */
#include "common/calls/mlpd_tree.h"

#include <string.h>

#include "common/format/mlpd/mlpd_call.h"

enum { FIRST_NODES = 256, FIRST_OPEN = 256, ROOM_KEPT = 1 << 17, LINE = 64 };

_Static_assert(sizeof(struct mlpd_node) == LINE, "one cache line");
_Static_assert(MLPD_TREE_MOST <= 1 << (31 - MLPD_TAG_BITS), "a slot has a node and a tag");

void mlpd_tree_finish(struct mlpd_tree *t)
{
	pv_table_free(t->node, t->node_room * sizeof *t->node);
	pv_table_free(t->place, t->place_room * sizeof *t->place);
	pv_table_free(t->slot, t->slots * sizeof *t->slot);
	t->node = NULL;
	t->place = NULL;
	t->slot = NULL;
	t->n = t->room = t->described = 0;
	t->node_room = t->place_room = 0;
	t->slots = 0;
	pv_array_finish(&t->touched);
	pv_array_finish(&t->open);
	pv_array_finish(&t->exc);
	pv_array_finish(&t->long_ns);
}

static void put_in_slot(struct mlpd_tree *t, uint32_t node)
{
	const struct mlpd_place *p = &t->place[node];
	uint32_t hash = mlpd_tree_hash(p->parent, p->key);
	size_t at = hash >> MLPD_TAG_BITS & (t->slots - 1);
	while (t->slot[at])
		at = (at + 1) & (t->slots - 1);
	t->slot[at] = mlpd_tree_tag(hash) | node;
}

/* Makes slots, twice as many as nodes. */
static bool make_slots(struct mlpd_tree *t, uint32_t nodes)
{
	size_t n = (size_t)nodes * 2;
	uint32_t *slot = pv_table_alloc(n * sizeof *slot);
	if (!slot)
		return false;
	pv_table_fill(slot, n * sizeof *slot);
	pv_table_free(t->slot, t->slots * sizeof *slot);
	t->slot = slot;
	t->slots = n;
	for (uint32_t i = MLPD_ROOT + 1; i < t->n; i++)
		put_in_slot(t, i);
	return true;
}

static bool grow_table(void *table, uint32_t *room, uint32_t want, size_t size)
{
	void **v = table;
	void *more = *room < want ? pv_table_grow(*v, *room * size, want * size) : *v;
	if (!more)
		return false;
	*v = more;
	*room = *room < want ? want : *room;
	return true;
}

static bool grow_tree(struct mlpd_tree *t)
{
	uint32_t room = t->room ? t->room * 2 : FIRST_NODES;
	if (!grow_table(&t->node, &t->node_room, room, sizeof *t->node) ||
		!grow_table(&t->place, &t->place_room, room, sizeof *t->place) ||
		!pv_reserve(&t->touched, room - t->touched.n) || !make_slots(t, room))
		return false;
	t->room = room;
	return true;
}

/* A step that leads nowhere, though an event may have the same bytes. */
static struct mlpd_step mlpd_no_step(void)
{
	struct mlpd_step s = mlpd_step(UINT8_MAX, UINT64_MAX, 5, 0);
	s.bytes += MLPD_STEP_LONG;
	return s;
}

/*
 * The event that ends the caller `parent` directly after a call; `difference`: between the methods.
 */
static struct mlpd_step step_up(uint64_t difference, uint32_t parent)
{
	uint64_t v = difference ^ (uint64_t)((int64_t)difference >> 63), bytes = 0;
	unsigned bits = v ? 65 - (unsigned)__builtin_clzll(v) : 1; /* with its sign */
	unsigned n = (bits + 6) / 7, most = n < 5 ? n : 5;
	for (unsigned i = 0; i < most; i++)
		bytes |= ((difference >> 7 * i & 0x7f) | (i + 1 < n ? 0x80 : 0)) << 8 * i;
	struct mlpd_step s = mlpd_step(MLPD_LEAVE, bytes, most, parent);
	s.bytes += n > most ? MLPD_STEP_LONG : 0;
	return s;
}

/* The caller has made room for the node. */
static uint32_t add_node(struct mlpd_tree *t, uint32_t parent, uint64_t key)
{
	uint32_t at = t->n++;
	struct mlpd_node *n = &t->node[at];
	uint64_t none = mlpd_no_step().bytes;
	t->place[at] = (struct mlpd_place){ key, parent, { 0, 0 }, { none, none } };
	*n = (struct mlpd_node){ .more_calls = UINT32_MAX };
	for (enum mlpd_way way = 0; way < MLPD_WAYS; way++)
		mlpd_expect(n, way, mlpd_no_step());
	if (parent != at && parent != MLPD_ROOT)
		mlpd_expect(n, MLPD_UP, step_up(t->place[parent].key - key, parent));
	return at;
}

void mlpd_tree_forget(struct mlpd_tree *t)
{
	if (t->n == 0)
		return;
	t->touched.n = t->exc.n = t->long_ns.n = 0;
	if (t->room > ROOM_KEPT || t->slots == 0) {
		mlpd_tree_finish(t);
		return;
	}
	t->n = t->described = 0;
	memset(t->slot, 0, t->slots * sizeof *t->slot);
}

bool mlpd_tree_begin(struct mlpd_tree *t)
{
	if (t->n)
		return true;
	if (!pv_reserve(&t->open, FIRST_OPEN) || (t->room == 0 && !grow_tree(t)))
		return false;
	t->n++;
	add_node(t, MLPD_ROOT, UINT64_MAX);
	t->described = t->n;
	return true;
}

uint32_t mlpd_tree_child(struct mlpd_tree *t, uint32_t parent, uint64_t key)
{
	uint32_t child = mlpd_tree_find(t, parent, key);
	if (child)
		return child;
	if (t->n >= MLPD_TREE_MOST || (t->n == t->room && !grow_tree(t)))
		return 0;
	child = add_node(t, parent, key);
	put_in_slot(t, child);
	return child;
}
