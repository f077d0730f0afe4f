/* SPDX-License-Identifier: MIT */
/*
 * Nodes of methods whose key has come to have several meanings: the key finds no node any more
 * without the time. The nodes of a method are listed when asked for, each node once.
 */
#include <string.h>

#include "common/model/ground/model_parts.h"

static bool make_zeros(struct pv_calls *c, size_t methods)
{
	size_t n = c->of_method.n;
	if (methods <= n)
		return true;
	if (!pv_reserve(&c->of_method, methods - n))
		return false;
	memset(c->of_method.v + n, 0, (methods - n) * sizeof *c->of_method.v);
	c->of_method.n = methods;
	return true;
}

/* Lists all nodes by their methods; false when out of memory. */
static bool list_nodes(struct pv_model *m)
{
	struct pv_calls *c = &m->calls;
	if (c->of_folds != c->folds) /* nodes have other numbers since */
		c->of_method.n = c->next_of_method.n = 0;
	c->of_folds = c->folds;
	if (!make_zeros(c, m->names.method.n) ||
		!pv_reserve(&c->next_of_method, c->node.n - c->next_of_method.n))
		return false;
	for (size_t i = c->next_of_method.n; i < c->node.n; i++) {
		uint32_t *first = &c->of_method.v[c->node.v[i].method];
		c->next_of_method.v[c->next_of_method.n++] = *first;
		*first = (uint32_t)i;
	}
	return true;
}

static void drop_key_lookups(struct pv_model *m)
{
	for (size_t i = 1; i < m->calls.node.n; i++)
		if (m->names.method.v[m->calls.node.v[i].method].shared)
			m->calls.node.v[i].key = UINT64_MAX;
	memset(m->private->method, 0, sizeof m->private->method);
	m->private->segments.shared_known = false;
}

/* Node 0, the root, has no method: 0 ends the lists. */
static void drop_lookup(struct pv_model *m, uint32_t method)
{
	struct pv_calls *c = &m->calls;
	uint64_t key = m->names.method.v[method].key;
	for (uint32_t at = c->of_method.v[method]; at; at = c->next_of_method.v[at])
		c->node.v[at].key = UINT64_MAX;
	pv_model_forget_method(m, key);
	pv_summaries_note_shared(m, key);
}

void pv_calls_drop_key_lookup(struct pv_model *m)
{
	const struct pv_names *n = &m->names;
	bool all = n->all_shared || !list_nodes(m);
	if (all)
		drop_key_lookups(m);
	for (size_t i = 0; i < n->newly_shared.n && !all; i++)
		drop_lookup(m, n->newly_shared.v[i]);
	m->private->memo_n = 0;
	m->private->spans.turn++;
	m->private->segments.changes++;
}
