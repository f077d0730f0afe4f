/* SPDX-License-Identifier: MIT */
/* The tree of call stacks. */
#include "common/model/calls/stacks.h"

static uint32_t add_stack_node(struct pv_stacks *s, uint32_t parent, uint32_t method)
{
	uint32_t at = (uint32_t)s->node.n;
	uint64_t key = (uint64_t)parent << 32 | method;
	if (!pv_reserve(&s->node, 1) || !pv_map_set(&s->child, key, at))
		return PV_MAP_NONE;
	s->node.v[s->node.n++] = (struct pv_stack_node){ parent, method };
	return at;
}

bool pv_stacks_init(struct pv_stacks *s)
{
	*s = (struct pv_stacks){ .cap = PV_STACKS_CAP };
	if (!pv_reserve(&s->node, 64))
		return false;
	s->node.v[s->node.n++] = (struct pv_stack_node){ 0, 0 };
	return true;
}

void pv_stacks_finish(struct pv_stacks *s)
{
	pv_array_finish(&s->node);
	pv_map_finish(&s->child);
}

uint32_t pv_stacks_child(struct pv_stacks *s, uint32_t parent, uint32_t method)
{
	uint32_t at = pv_map_get(&s->child, (uint64_t)parent << 32 | method);
	if (at != PV_MAP_NONE)
		return at;
	if (s->node.n < s->cap)
		return add_stack_node(s, parent, method);
	s->folded++;
	if (parent == 0 || s->node.v[parent].method != 0) {
		at = pv_map_get(&s->child, (uint64_t)parent << 32);
		if (at == PV_MAP_NONE && s->node.n < s->cap + s->cap / 4)
			at = add_stack_node(s, parent, 0);
		return at == PV_MAP_NONE ? parent : at;
	}
	return parent; /* frames deeper than "other" are other, too */
}
