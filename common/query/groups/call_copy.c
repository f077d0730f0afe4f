/* SPDX-License-Identifier: MIT */
/* Copies the call tree's figures from the model, subtracts probe costs and waits, and sums up. */
#include "common/query/groups/call_copy.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/saturate.h"
#include "common/model/model.h"
#include "common/model/names/thread_state.h"
#include "common/model/time/window.h"
#include "common/query/groups/code_kind.h"
#include "common/query/groups/logical.h"

static bool make_copy_room(struct pv_call_copy *c, size_t n)
{
	c->n = n;
	c->parent = calloc(n, sizeof *c->parent);
	c->first_child = calloc(n, sizeof *c->first_child);
	c->next_sibling = calloc(n, sizeof *c->next_sibling);
	c->group = calloc(n, sizeof *c->group);
	c->figures = calloc(n, sizeof *c->figures);
	c->ran = calloc(n, sizeof *c->ran);
	return c->parent && c->first_child && c->next_sibling && c->group && c->figures && c->ran;
}

void pv_call_copy_finish(struct pv_call_copy *c)
{
	free(c->parent);
	free(c->first_child);
	free(c->next_sibling);
	free(c->group);
	free(c->figures);
	free(c->ran);
	free(c->frame);
	free(c->usual);
	*c = (struct pv_call_copy){ 0 };
}

static bool has_no_figures(const struct pv_call_figures *f)
{
	return !f->calls && !f->samples && !f->self_ns && !f->total_ns && !f->exc_leaves;
}

/*
 * Links children in ascending order. A path on which nothing happened within the restriction is
 * left out.
 */
static void link_children(struct pv_call_copy *c)
{
	for (size_t i = c->n; i-- > 1;) {
		if (has_no_figures(&c->figures[i]) && !c->first_child[i])
			continue;
		uint32_t p = c->parent[i];
		c->next_sibling[i] = c->first_child[p];
		c->first_child[p] = (uint32_t)i;
	}
}

static void sum_up_figures(struct pv_call_copy *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct pv_call_figures *f = &c->figures[i];
		if (f->self_ns < 0) /* damage put times out of order */
			f->self_ns = 0;
		if (f->total_ns < 0)
			f->total_ns = 0;
		c->self_ns = pv_sat_add(c->self_ns, f->self_ns);
		c->samples += f->samples;
		f->samples_below = f->samples;
		if (c->window)
			f->total_ns = f->self_ns;
	}
	for (size_t i = c->n; i-- > 1;) {
		struct pv_call_figures *f = &c->figures[i], *up = &c->figures[c->parent[i]];
		up->samples_below += f->samples_below;
		if (c->window)
			up->total_ns = pv_sat_add(up->total_ns, f->total_ns);
	}
}

/*
 * Flags next to enum pv_ran of a node's samples. WITHIN: the node's calls are in a wait, by names.
 */
enum { WITHIN = 4, ASKED = 8, RAN_BITS = 3 }; /* ASKED: pv_lane_state.asked */

/* A copy in the making, under the model's lock. */
struct copying {
	struct pv_model *m;
	const struct pv_lane_state *state; /* by node */
	uint8_t *nameless;                 /* by method */
	struct pv_logical logical;
};

/* Judges names once a method: there are many more nodes. */
static bool begin_copy(
	struct pv_model *m, const struct pv_groups *g, const struct pv_query *q, struct copying *k)
{
	size_t n = m->names.method.n;
	*k = (struct copying){ .m = m, .state = pv_lane_states(m) };
	if (!pv_logical_calls(m, q, g, &k->logical))
		return false;
	k->nameless = calloc(n + 1, sizeof *k->nameless);
	for (uint32_t i = 1; k->nameless && m->names.native_of.n && i < n; i++)
		k->nameless[i] = pv_call_is_nameless(m, i);
	return k->state && k->nameless;
}

static void note_state(const struct copying *k, struct pv_call_copy *c, size_t at, uint32_t node)
{
	const struct pv_lane_state *s = &k->state[node];
	c->ran[at] = (uint8_t)(pv_ran_of(s->state) | (s->within != PV_STATE_RUNNING ? WITHIN : 0) |
			       (s->asked ? ASKED : 0));
}

/* The node to count samples for: the caller where nothing is known of the method. */
static uint32_t counted_at(const struct copying *k, uint32_t node)
{
	const struct pv_tree_node *n = &k->m->calls.node.v[node];
	return n->parent && k->nameless[n->method] ? n->parent : node;
}

static void add_samples(struct pv_call_copy *c, size_t at, uint64_t samples)
{
	c->figures[at].samples += samples;
	c->sampled[c->ran[at] & RAN_BITS] += samples;
}

/* The number of the model's node in a copy of the whole recording. */
static uint32_t copied_node(const struct copying *k, uint32_t node)
{
	return pv_logical_at(&k->logical, node);
}

/* Copies frames that await, and makes room for percents of the nodes below them. */
static bool copy_awaiting(
	const struct copying *k, const struct pv_groups *g, struct pv_call_copy *c)
{
	const struct pv_logical *l = &k->logical;
	if (!l->caller)
		return true;
	c->awaiting = l->awaiting;
	c->usual = calloc(c->n, sizeof *c->usual);
	for (uint32_t i = 1; c->usual && i <= l->awaiting; i++) {
		c->parent[i] = l->frame[i].parent;
		c->group[i] = pv_group_of(g, l->frame[i].method);
		c->usual[i] = l->frame[i].percent;
		c->ran[i] = PV_RAN;
	}
	return c->usual != NULL;
}

static void copy_place(const struct copying *k, const struct pv_groups *g, struct pv_call_copy *c,
	uint32_t node, uint32_t to)
{
	c->group[to] = pv_group_of(g, k->m->calls.node.v[node].method);
	note_state(k, c, to, node);
	if (c->usual)
		c->usual[to] = k->logical.percent[node];
}

/*
 * Code resumed within a call counts for its awaiter's time, not for the call's. The longest call of
 * the awaiter is not known: at most the total.
 */
static void turn_totals(const struct copying *k, struct pv_call_copy *c)
{
	const struct pv_tree_node *v = k->m->calls.node.v;
	struct pv_call_figures *f = c->figures + c->awaiting;
	for (uint32_t i = 1; i < k->m->calls.node.n; i++)
		if (v[i].parent)
			f[v[i].parent].total_ns =
				pv_sat_span(f[i].total_ns, f[v[i].parent].total_ns);
	for (size_t i = c->n; i-- > 1;) {
		struct pv_call_figures *mine = &c->figures[i], *above = &c->figures[c->parent[i]];
		if (c->parent[i])
			above->total_ns = pv_sat_add(above->total_ns, mine->total_ns);
		if (mine->max_ns > mine->total_ns)
			mine->max_ns = mine->total_ns > 0 ? mine->total_ns : 0;
	}
}

static bool add_open_calls(const struct copying *k, struct pv_call_copy *c)
{
	struct pv_open_calls open = { 0 };
	bool ok = pv_calls_open(k->m, &open);
	for (size_t i = 0; ok && i < open.call.n; i++) {
		const struct pv_open_call *o = &open.call.v[i];
		struct pv_call_figures *f = &c->figures[copied_node(k, o->node)];
		f->self_ns = pv_sat_add(f->self_ns, o->self_ns);
		f->total_ns = pv_sat_add(f->total_ns, o->total_ns);
		if (o->max_ns > f->max_ns)
			f->max_ns = o->max_ns;
	}
	pv_open_calls_finish(&open);
	return ok;
}

static bool copy_all(const struct copying *k, const struct pv_groups *g, struct pv_call_copy *c)
{
	const struct pv_calls *calls = &k->m->calls;
	if (!make_copy_room(c, (calls->node.n ? calls->node.n : 1) + k->logical.awaiting) ||
		!copy_awaiting(k, g, c))
		return false;
	if (calls->node.n) {
		note_state(k, c, 0, 0);
		add_samples(c, 0, calls->node.v[0].samples);
	}
	for (uint32_t i = 1; i < calls->node.n; i++) {
		const struct pv_tree_node *n = &calls->node.v[i];
		const uint32_t to = copied_node(k, i);
		copy_place(k, g, c, i, to);
		c->parent[to] = pv_logical_caller(&k->logical, i, n->parent);
		c->figures[to].calls = n->calls;
		c->figures[to].exc_leaves = n->exc_leaves;
		c->figures[to].self_ns = n->self_ns;
		c->figures[to].total_ns = n->total_ns;
		c->figures[to].max_ns = n->max_ns;
		add_samples(c, copied_node(k, counted_at(k, i)), n->samples);
	}
	bool ok = add_open_calls(k, c);
	if (ok && k->logical.caller)
		turn_totals(k, c);
	return ok;
}

/*
 * Numbers in the copy by the model's node; 0: not active. Numbers keep the order, so parents stay
 * before their children. *ret_n: first the numbers to leave free, then the count with the root.
 * NULL when out of memory.
 */
static uint32_t *number_active(
	const struct pv_calls *calls, const struct pv_window_sums *w, uint32_t *ret_n)
{
	uint32_t *number = calloc(calls->node.n + 1, sizeof *number), n = 1 + *ret_n;
	for (size_t i = 0; number && i < w->nodes.n; i++)
		for (uint32_t at = w->nodes.v[i].node; at && !number[at];
			at = calls->node.v[at].parent)
			number[at] = 1;
	for (size_t i = 1; number && i < calls->node.n; i++)
		if (number[i])
			number[i] = n++;
	*ret_n = n;
	return number;
}

static bool copy_active(const struct copying *k, const struct pv_groups *g,
	const struct pv_window_sums *w, struct pv_call_copy *c)
{
	const struct pv_calls *calls = &k->m->calls;
	const struct pv_logical *l = &k->logical;
	uint32_t n = l->awaiting, *number = number_active(calls, w, &n);
	bool ok = number && make_copy_room(c, n) && copy_awaiting(k, g, c);
	if (ok && calls->node.n)
		note_state(k, c, 0, 0);
	for (uint32_t i = 1; ok && i < calls->node.n; i++) {
		if (!number[i])
			continue;
		const uint32_t up = pv_logical_caller(l, i, calls->node.v[i].parent);
		c->parent[number[i]] = up <= l->awaiting ? up : number[up - l->awaiting];
		copy_place(k, g, c, i, number[i]);
	}
	for (size_t i = 0; ok && i < w->nodes.n; i++) {
		const struct pv_window_node *from = &w->nodes.v[i];
		struct pv_call_figures *f = &c->figures[number[from->node]];
		f->calls = from->calls;
		f->self_ns = from->self_ns;
		add_samples(c, number[counted_at(k, from->node)], from->samples);
	}
	free(number);
	return ok;
}

bool pv_call_copy(struct pv_model *m, const struct pv_groups *g, const struct pv_query *q,
	struct pv_call_copy *ret)
{
	struct copying k;
	*ret = (struct pv_call_copy){ .window = q->window_ns != 0,
		.waits = q->waits,
		.tells = pv_call_samples_wait(m) || m->kinds[PV_KIND_EXT_WAITED] };
	ret->kind = q->my_code ? pv_groups_kinds(g, m) : NULL;
	bool ok = begin_copy(m, g, q, &k) && (!q->my_code || ret->kind);
	if (ok && !q->window_ns) {
		ok = copy_all(&k, g, ret);
	} else if (ok) {
		struct pv_window_sums sums = { 0 };
		ok = pv_window_sum(m, q->window_ns, &sums) && copy_active(&k, g, &sums, ret);
		pv_window_sums_finish(&sums);
	}
	free(k.nameless);
	ret->frame = k.logical.frame;
	k.logical.frame = NULL;
	pv_logical_finish(&k.logical);
	return ok;
}

uint32_t pv_call_pair_ns(const struct pv_model *m)
{
	const char *args = m->target.args;
	return args && strncmp(args, "profview:", 9) == 0 ? m->target.timer_overhead_ns : 0;
}

static int64_t less(int64_t time, uint64_t cost)
{
	return time > 0 && (uint64_t)time > cost ? time - (int64_t)cost : 0;
}

/* Half pairs of an enter and leave within the node's own time. */
static uint64_t halves(const struct pv_call_copy *c, size_t i, const uint64_t *children)
{
	return c->figures[i].calls + children[i];
}

struct group_sum {
	uint64_t calls, halves, self_ns;
};

static struct group_sum *sum_groups(
	const struct pv_call_copy *c, const uint64_t *children, uint32_t *ret_n)
{
	uint32_t n = 1;
	for (size_t i = 1; i < c->n; i++)
		n = c->group[i] >= n ? c->group[i] + 1 : n;
	struct group_sum *sum = calloc(n, sizeof *sum);
	for (size_t i = 1; sum && i < c->n; i++) {
		const struct pv_call_figures *f = &c->figures[i];
		struct group_sum *g = &sum[c->group[i]];
		g->calls += f->calls;
		g->halves += halves(c, i, children);
		g->self_ns += f->self_ns > 0 ? (uint64_t)f->self_ns : 0;
	}
	*ret_n = sum ? n : 0;
	return sum;
}

/*
 * Cost of an enter and leave in this log, in ns. The machine's load may differ from the load at the
 * start, so the measured cost is scaled: no method's self time can be less, and small methods do
 * little else. If even the smallest is far from the measured cost there are no small methods, and
 * the measured cost stays.
 */
static uint64_t pair_found(const struct pv_call_copy *c, uint64_t pair_ns, const uint64_t *children)
{
	enum { MANY = 1000, PROBES_PERCENT = 90, FAR = 2 };
	uint32_t n;
	struct group_sum *sum = sum_groups(c, children, &n);
	uint64_t least = UINT64_MAX;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t most = sum[i].calls >= MANY ? 2 * sum[i].self_ns / sum[i].halves : least;
		least = most < least ? most : least;
	}
	free(sum);
	if (least == UINT64_MAX || least / FAR > pair_ns)
		return pair_ns;
	return least * PROBES_PERCENT / 100;
}

uint64_t pv_call_copy_net(struct pv_call_copy *c, uint64_t pair_ns)
{
	uint64_t *below = pair_ns ? calloc(c->n, sizeof *below) : NULL; /* calls in the subtree */
	uint64_t *children = below ? calloc(c->n, sizeof *children) : NULL;
	for (size_t i = c->n; children && i-- > 1;)
		children[c->parent[i]] += c->figures[i].calls;
	pair_ns = children ? pair_found(c, pair_ns, children) : 0;
	for (size_t i = c->n; children && i-- > 1;) {
		struct pv_call_figures *f = &c->figures[i];
		f->self_ns = less(f->self_ns, halves(c, i, children) * pair_ns / 2);
		f->total_ns = less(f->total_ns, f->calls * pair_ns / 2 + below[i] * pair_ns);
		below[c->parent[i]] += below[i] + f->calls;
	}
	free(below);
	free(children);
	return pair_ns;
}

/* Samples in a group with calls, and in groups without calls below. */
struct seen {
	uint64_t all, waited;
	bool traced;
};

static uint32_t groups_of(const struct pv_call_copy *c)
{
	uint32_t n = 1;
	for (size_t i = 1; i < c->n; i++)
		n = c->group[i] >= n ? c->group[i] + 1 : n;
	return n;
}

/* Sampled stacks have frames without calls, so groups are matched, not nodes. */
static void see_samples(const struct pv_call_copy *c, struct seen *node, struct seen *group)
{
	for (size_t i = 1; i < c->n; i++)
		group[c->group[i]].traced |= c->figures[i].calls > 0;
	for (size_t i = c->n; i-- > 1 + (size_t)c->awaiting;) {
		struct seen *g = &group[c->group[i]];
		struct seen *to = g->traced ? g : &node[c->parent[i]];
		enum pv_ran ran = c->ran[i] & RAN_BITS;
		to->all += node[i].all + (ran != PV_RAN_UNSURE ? c->figures[i].samples : 0);
		to->waited += node[i].waited + (ran == PV_WAITED ? c->figures[i].samples : 0);
	}
}

/*
 * A traced method may wait in methods that were not traced: the share of samples that waited is
 * taken off the method's own time. An estimate, from ENOUGH samples on.
 */
static bool leave_out_shares(struct pv_call_copy *c, int64_t *off)
{
	enum { ENOUGH = 10 };
	struct seen *node = calloc(c->n, sizeof *node);
	struct seen *group = node ? calloc(groups_of(c), sizeof *group) : NULL;
	if (group && c->tells)
		see_samples(c, node, group);
	for (size_t i = 1; group && i < c->n; i++) {
		struct pv_call_figures *f = &c->figures[i];
		const struct seen *g = &group[c->group[i]];
		if (c->ran[i] & WITHIN || f->self_ns <= 0)
			continue;
		if (g->all < ENOUGH) {
			c->untold_ns = pv_sat_add(c->untold_ns, f->self_ns);
			continue;
		}
		int64_t ns = (int64_t)((double)g->waited / (double)g->all * (double)f->self_ns);
		f->self_ns -= ns;
		c->waited_ns = pv_sat_add(c->waited_ns, ns);
		off[i] = pv_sat_add(off[i], ns);
	}
	bool ok = group != NULL;
	free(node);
	free(group);
	return ok;
}

static void leave_out_waits(struct pv_call_copy *c, int64_t *off)
{
	for (size_t i = 1; i < c->n; i++) {
		struct pv_call_figures *f = &c->figures[i];
		if (!(c->ran[i] & WITHIN))
			continue;
		if (!(c->ran[c->parent[i]] & WITHIN) && !c->window)
			off[c->parent[i]] = pv_sat_add(off[c->parent[i]], f->total_ns);
		c->waited_ns = pv_sat_add(c->waited_ns, f->self_ns > 0 ? f->self_ns : 0);
		f->self_ns = f->total_ns = f->max_ns = 0;
	}
	for (size_t i = 0; !pv_call_copy_is_wall(c) && i < c->n; i++)
		if ((c->ran[i] & RAN_BITS) != PV_RAN)
			c->figures[i].samples = 0;
}

/* With `waits`: a frame whose state the log leaves to names gives its samples to the caller. */
static void fold_asked(struct pv_call_copy *c)
{
	for (size_t i = 1; i < c->n; i++) {
		if (!(c->ran[i] & ASKED) || !c->parent[i])
			continue;
		c->figures[c->parent[i]].samples += c->figures[i].samples;
		c->figures[i].samples = 0;
	}
}

static uint32_t node_place(const struct pv_call_copy *c, uint32_t node)
{
	return node ? node + c->awaiting : 0;
}

uint32_t pv_call_copy_at(const struct pv_call_copy *c, uint32_t node)
{
	node = node_place(c, node);
	return node < c->n && c->ran[node] & ASKED && c->parent[node] ? c->parent[node] : node;
}

bool pv_call_copy_counts(const struct pv_call_copy *c, uint32_t node)
{
	node = node_place(c, node);
	return c->waits || pv_call_copy_is_wall(c) || node >= c->n ||
	       (c->ran[node] & RAN_BITS) == PV_RAN;
}

bool pv_call_copy_ran(struct pv_call_copy *c)
{
	if (c->waits || pv_call_copy_is_wall(c))
		fold_asked(c);
	if (c->waits)
		return true;
	int64_t *off = calloc(c->n, sizeof *off);
	bool ok = off && leave_out_shares(c, off);
	if (ok)
		leave_out_waits(c, off);
	for (size_t i = c->n; ok && i-- > 1;) {
		off[c->parent[i]] = pv_sat_add(off[c->parent[i]], off[i]);
		c->figures[i].total_ns -=
			off[i] < c->figures[i].total_ns ? off[i] : c->figures[i].total_ns;
	}
	free(off);
	return ok;
}

void pv_call_copy_link(struct pv_call_copy *c)
{
	c->figures[0].samples = 0; /* of no method: in no row */
	link_children(c);
	sum_up_figures(c);
}

void pv_call_walk(
	const struct pv_call_copy *c, pv_call_visit *enter, pv_call_visit *leave, void *ctx)
{
	uint32_t at = c->first_child[0];
	while (at) {
		enter(ctx, c, at);
		if (c->first_child[at]) {
			at = c->first_child[at];
			continue;
		}
		while (at) {
			leave(ctx, c, at);
			if (c->next_sibling[at]) {
				at = c->next_sibling[at];
				break;
			}
			at = c->parent[at];
		}
	}
}
