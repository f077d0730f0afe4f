/* SPDX-License-Identifier: MIT */
/* Finds async methods in a heap graph, and who waits for whom: edges for the tree of awaits. */
#include "common/heap/awaits.h"

#include <stdlib.h>
#include <string.h>

#include "common/heap/awaits_parts.h"

#define CONTINUATION "System.Runtime.CompilerServices.Continuation"

/* A way from a task to a waiter is a few objects long: action, wrapper, list, array. */
enum { MOST_DEEP = 8, DELEGATE = 8 /* references of one */ };

/* --- the field that leads to the waiter --- */

struct field {
	uint32_t offset; /* NONE: not known */
	uint8_t link;    /* enum pv_await_link */
};

static bool is_task(const struct pv_await_graph *a, uint32_t node)
{
	const uint8_t role = pv_await_role_of(a, node);
	return role == PV_ROLE_METHOD || role == PV_ROLE_PROMISE;
}

static bool refers(const struct pv_graph *g, uint32_t edge, uint32_t end, uint32_t to)
{
	for (uint32_t e = edge; e < end; e++)
		if (g->to[e] == to)
			return true;
	return false;
}

/* True if `to` may lead to a waiter: a box keeps the action that continues itself, too. */
static bool may_lead(const struct pv_await_graph *a, uint32_t node, uint32_t to)
{
	const struct pv_graph *g = a->g;
	const uint8_t role = pv_await_role_of(a, to);
	const uint32_t few = g->first[to] + DELEGATE, end = g->first[to + 1];
	return role && to != node &&
	       !(role == PV_ROLE_ACTION && refers(g, g->first[to], few < end ? few : end, node));
}

/*
 * All tasks inherit the field: the name decides, else the least offset that can lead to a waiter.
 */
static struct field find_field(const struct pv_await_graph *a)
{
	const struct pv_graph *g = a->g;
	struct field first = { PV_GRAPH_NONE, PV_AWAIT_BY_ORDER };
	for (uint32_t i = 0; i < g->nodes; i++) {
		if (pv_await_role_of(a, i) != PV_ROLE_METHOD)
			continue;
		for (uint32_t e = g->first[i]; e < g->first[i + 1]; e++) {
			const uint32_t at = g->offset[e];
			if (at == PV_GRAPH_NONE || (at >= first.offset && !g->field.n) ||
				!may_lead(a, i, g->to[e]))
				continue;
			const struct pv_graph_field *f = pv_graph_field(g, g->class_of[i], at);
			if (f && strcmp(f->name, "m_continuationObject") == 0)
				return (struct field){ at, PV_AWAIT_NAMED };
			if (at < first.offset)
				first = (struct field){ at, PV_AWAIT_BY_OFFSET };
		}
	}
	return first;
}

/*
 * Fields of the task come first, fields of its method last; in between the task refers to itself.
 * An object referred to on both sides is awaited by the method, and no waiter.
 */
static uint32_t by_order(const struct pv_await_graph *a, uint32_t node)
{
	const struct pv_graph *g = a->g;
	uint32_t found = PV_GRAPH_NONE, e = g->first[node];
	for (; e < g->first[node + 1] && g->to[e] != node; e++)
		if (found == PV_GRAPH_NONE && may_lead(a, node, g->to[e]))
			found = g->to[e];
	return found != PV_GRAPH_NONE && refers(g, e, g->first[node + 1], found) ? PV_GRAPH_NONE
										 : found;
}

/* The object in the waiter's field; NONE: none. */
static uint32_t continuation(const struct pv_await_graph *a, uint32_t node, struct field f)
{
	const struct pv_graph *g = a->g;
	if (f.offset == PV_GRAPH_NONE)
		return by_order(a, node);
	for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++)
		if (g->offset[e] == f.offset)
			return g->to[e];
	return PV_GRAPH_NONE;
}

/* Once for each task: a task's references may be many, and so may its waiters. */
static bool know_done(struct pv_await_graph *a, struct field f)
{
	a->done = calloc((size_t)a->g->nodes + 1, sizeof *a->done);
	for (uint32_t i = 0; a->done && i < a->g->nodes; i++) {
		const uint32_t to = is_task(a, i) ? continuation(a, i, f) : PV_GRAPH_NONE;
		a->done[i] = to != PV_GRAPH_NONE && pv_await_role_of(a, to) == PV_ROLE_DONE;
	}
	return a->done != NULL;
}

/* --- waiters --- */

/* True if a way goes on from an object of role `from` to an object of role `to`. */
static bool leads(uint8_t from, uint8_t to)
{
	switch (from) {
	case PV_ROLE_ACTION:
		return to == PV_ROLE_METHOD || to == PV_ROLE_STEP;
	case PV_ROLE_STEP:
		return to == PV_ROLE_ACTION || to == PV_ROLE_PROMISE;
	case PV_ROLE_LIST:
		return to == PV_ROLE_ARRAY;
	case PV_ROLE_ARRAY:
		return to != PV_ROLE_NONE && to != PV_ROLE_DONE && to != PV_ROLE_ARRAY;
	default:
		return false;
	}
}

static bool is_waiter(uint8_t role)
{
	return role == PV_ROLE_METHOD || role == PV_ROLE_PROMISE || role == PV_ROLE_THREAD;
}

static bool add_edge(struct pv_await_graph *a, uint32_t waiter, uint32_t awaited)
{
	if (!pv_reserve(&a->edge, 1))
		return false;
	a->edge.v[a->edge.n++] = (struct pv_await_edge){ waiter, awaited };
	return true;
}

/* Follows the ways from an object to all waiters, without recursion. */
static bool add_waiters(struct pv_await_graph *a, uint32_t awaited, uint32_t from)
{
	const struct pv_graph *g = a->g;
	struct {
		uint32_t node, edge;
	} way[MOST_DEEP];
	unsigned n = 0;
	for (uint32_t at = from;;) {
		const uint8_t role = pv_await_role_of(a, at);
		if (is_waiter(role)) {
			if (at != awaited && !a->done[at] && !add_edge(a, at, awaited))
				return false;
		} else if (n < MOST_DEEP) {
			way[n].node = at;
			way[n++].edge = g->first[at];
		}
		at = PV_GRAPH_NONE;
		while (n && at == PV_GRAPH_NONE) {
			const uint32_t node = way[n - 1].node;
			if (way[n - 1].edge == g->first[node + 1]) {
				n--;
				continue;
			}
			if (a->steps == 0) {
				a->to->cut = true;
				return true;
			}
			a->steps--;
			const uint32_t next = g->to[way[n - 1].edge++];
			if (leads(pv_await_role_of(a, node), pv_await_role_of(a, next)))
				at = next;
		}
		if (at == PV_GRAPH_NONE)
			return true;
	}
}

static bool add_task(struct pv_await_graph *a, uint32_t node, struct field f)
{
	const uint32_t to = continuation(a, node, f);
	const bool method = pv_await_role_of(a, node) == PV_ROLE_METHOD;
	const bool done = a->done[node];
	a->to->methods += method;
	a->to->methods_bytes += method ? a->g->size[node] : 0;
	a->to->finished += method && done;
	if (done)
		return true;
	/* A method without a waiter is a chain of its own. */
	if (method && !add_edge(a, PV_GRAPH_NONE, node))
		return false;
	return to == PV_GRAPH_NONE || add_waiters(a, node, to);
}

/* --- the whole graph --- */

/* Determines the roles of classes; *ret_any: there are async methods. */
static bool know_roles(struct pv_await_graph *a, bool *ret_any)
{
	const struct pv_graph *g = a->g;
	*ret_any = false;
	a->role = calloc(g->klass.n + 1, sizeof *a->role);
	for (size_t i = 0; a->role && i < g->klass.n; i++) {
		a->role[i] = (uint8_t)pv_await_role_of_class(g->klass.v[i].name);
		if (strcmp(g->klass.v[i].name, CONTINUATION) == 0)
			a->to->unnamed += g->klass.v[i].objects;
		*ret_any |= a->role[i] == PV_ROLE_METHOD;
	}
	return a->role != NULL;
}

bool pv_awaits_find(const struct pv_graph *g, struct pv_awaits *ret)
{
	*ret = (struct pv_awaits){ 0 };
	struct pv_await_graph a = {
		.g = g, .to = ret, .steps = 4 * ((uint64_t)g->nodes + g->edges)
	};
	bool any, ok = know_roles(&a, &any);
	if (ok && any) {
		const struct field f = find_field(&a);
		ret->link = f.link;
		ok = know_done(&a, f);
		for (uint32_t i = 0; ok && i < g->nodes; i++)
			ok = !is_task(&a, i) || add_task(&a, i, f);
		ok = ok && pv_await_tree(&a);
	}
	free(a.role);
	free(a.done);
	pv_array_finish(&a.edge);
	return ok;
}

void pv_awaits_finish(struct pv_awaits *a)
{
	pv_array_finish(&a->row);
}
