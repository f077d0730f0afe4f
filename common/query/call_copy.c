#include "common/query/call_copy.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/saturate.h"
#include "common/model/model.h"
#include "common/model/names/names_find.h"
#include "common/model/names/thread_state.h"
#include "common/model/time/window.h"
#include "common/query/code_kind.h"

static bool make_room(struct pv_call_copy *c, size_t n)
{
	c->n = n;
	c->parent = calloc(n, sizeof *c->parent);
	c->first_child = calloc(n, sizeof *c->first_child);
	c->next_sibling = calloc(n, sizeof *c->next_sibling);
	c->group = calloc(n, sizeof *c->group);
	c->figures = calloc(n, sizeof *c->figures);
	if (c->ran)
		c->waits = calloc(n, sizeof *c->waits);
	return c->parent && c->first_child && c->next_sibling && c->group && c->figures &&
	       (c->waits || !c->ran);
}

void pv_call_copy_finish(struct pv_call_copy *c)
{
	free(c->parent);
	free(c->first_child);
	free(c->next_sibling);
	free(c->group);
	free(c->figures);
	free(c->waits);
	free(c->waiting);
	*c = (struct pv_call_copy){ 0 };
}

static bool is_empty(const struct pv_call_figures *f)
{
	return !f->calls && !f->samples && !f->self_ns && !f->total_ns && !f->exc_leaves;
}

/*
 * Children are linked so that they are met in ascending order. A path on which nothing happened
 * within the restriction is left out.
 */
static void link_children(struct pv_call_copy *c)
{
	for (size_t i = c->n; i-- > 1;) {
		if (is_empty(&c->figures[i]) && !c->first_child[i])
			continue;
		uint32_t p = c->parent[i];
		c->next_sibling[i] = c->first_child[p];
		c->first_child[p] = (uint32_t)i;
	}
}

static void sum_up(struct pv_call_copy *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct pv_call_figures *f = &c->figures[i];
		if (f->self_ns < 0) /* times that damage put out of order */
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

/* Timers of ours that count processor time: no sample of theirs is of a waiting thread. */
/* By its name, or as the log has it: bits of `waits`. */
enum { BY_NAME = 1, LOGGED = 2 };

static uint8_t is_waiting(const struct pv_model *m, uint32_t method)
{
	bool logged;
	enum pv_thread_state state = pv_call_state(m, method, &logged);
	return logged ? LOGGED : state == PV_STATE_RUNNING ? 0 : BY_NAME;
}

bool pv_call_any_waits(const struct pv_model *m)
{
	for (uint32_t i = 1; i < m->names.method.n; i++)
		if (is_waiting(m, i))
			return true;
	return false;
}

/*
 * Names are looked at once a method: there are many more nodes, and the lock is held. Where threads
 * wait in none there is nothing to leave out.
 */
static bool find_waiting(const struct pv_model *m, struct pv_call_copy *c)
{
	uint8_t found = 0;
	if (!c->ran)
		return true;
	c->waiting = calloc(m->names.method.n + 1, sizeof *c->waiting);
	for (uint32_t i = 1; c->waiting && i < m->names.method.n; i++)
		found |= c->waiting[i] = is_waiting(m, i);
	c->waits_logged = found & LOGGED;
	c->ran = found != 0;
	return c->waiting != NULL;
}

static void note_wait(struct pv_call_copy *c, size_t at, uint32_t method)
{
	if (c->waits)
		c->waits[at] = c->waiting[method];
}

static bool copy_all(const struct pv_model *m, const struct pv_groups *g, struct pv_call_copy *c)
{
	const struct pv_calls *calls = &m->calls;
	if (!make_room(c, calls->node.n ? calls->node.n : 1))
		return false;
	for (size_t i = 1; i < calls->node.n; i++) {
		const struct pv_tree_node *n = &calls->node.v[i];
		c->parent[i] = n->parent;
		c->group[i] = pv_group_of(g, n->method);
		note_wait(c, i, n->method);
		c->figures[i] = (struct pv_call_figures){ .calls = n->calls,
			.exc_leaves = n->exc_leaves,
			.samples = n->samples,
			.self_ns = n->self_ns,
			.total_ns = n->total_ns,
			.max_ns = n->max_ns };
	}
	struct pv_open_calls open = { 0 };
	bool ok = pv_calls_open(m, &open);
	for (size_t i = 0; ok && i < open.call.n; i++) {
		const struct pv_open_call *o = &open.call.v[i];
		struct pv_call_figures *f = &c->figures[o->node];
		f->self_ns = pv_sat_add(f->self_ns, o->self_ns);
		f->total_ns = pv_sat_add(f->total_ns, o->total_ns);
		if (o->max_ns > f->max_ns)
			f->max_ns = o->max_ns;
	}
	pv_open_calls_finish(&open);
	return ok;
}

/*
 * By the model's node: its number in the copy, 0 for those that were not active. Numbers keep the
 * order, so parents stay before their children. NULL when out of memory; *ret_n counts the root.
 */
static uint32_t *number_active(
	const struct pv_calls *calls, const struct pv_window_sums *w, uint32_t *ret_n)
{
	uint32_t *number = calloc(calls->node.n + 1, sizeof *number), n = 1;
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

static bool copy_active(const struct pv_model *m, const struct pv_groups *g,
	const struct pv_window_sums *w, struct pv_call_copy *c)
{
	const struct pv_calls *calls = &m->calls;
	uint32_t n = 1, *number = number_active(calls, w, &n);
	bool ok = number && make_room(c, n);
	for (size_t i = 1; ok && i < calls->node.n; i++) {
		if (!number[i])
			continue;
		c->parent[number[i]] = number[calls->node.v[i].parent];
		c->group[number[i]] = pv_group_of(g, calls->node.v[i].method);
		note_wait(c, number[i], calls->node.v[i].method);
	}
	for (size_t i = 0; ok && i < w->nodes.n; i++) {
		const struct pv_window_node *from = &w->nodes.v[i];
		c->figures[number[from->node]] = (struct pv_call_figures){
			.calls = from->calls, .samples = from->samples, .self_ns = from->self_ns
		};
	}
	free(number);
	return ok;
}

bool pv_call_copy(const struct pv_model *m, const struct pv_groups *g, const struct pv_query *q,
	struct pv_call_copy *ret)
{
	*ret = (struct pv_call_copy){ .window = q->window_ns != 0,
		.ran = q->ran,
		.waits_sampled = q->ran && pv_call_samples_wait(m) };
	if (!find_waiting(m, ret))
		return false;
	ret->kind = q->my_code ? pv_groups_kinds(g, m) : NULL;
	if (q->my_code && !ret->kind)
		return false;
	if (!q->window_ns)
		return copy_all(m, g, ret);
	struct pv_window_sums sums = { 0 };
	bool ok = pv_window_sum(m, q->window_ns, &sums) && copy_active(m, g, &sums, ret);
	pv_window_sums_finish(&sums);
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

/* Half pairs of an enter or leave that fall into the node's own time. */
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
 * Cost of an enter and leave in this log, in ns. The machine's load may differ from that at the
 * start, so the measured cost is scaled: no method's self time can be less than it, and small
 * methods do little else. If even the smallest is far from the measured cost there are no small
 * methods, and it stays.
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

/* Parents come first: a node waits if its method does or its parent. */
static void inherit_waits(struct pv_call_copy *c)
{
	for (size_t i = 1; i < c->n; i++)
		c->waits[i] |= c->waits[c->parent[i]];
}

/* Whether a node's samples are of waiting threads: where the log says it names count for nothing. */
static bool samples_waited(const struct pv_call_copy *c, size_t node)
{
	return c->waits[node] & LOGGED || (c->waits_sampled && c->waits[node]);
}

/* Samples in a group that has calls, and below it in groups that have none. */
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

/* Sampled stacks have frames that calls have not, so groups meet, not nodes. */
static void see_samples(const struct pv_call_copy *c, struct seen *node, struct seen *group)
{
	for (size_t i = 1; i < c->n; i++)
		group[c->group[i]].traced |= c->figures[i].calls > 0;
	for (size_t i = c->n; i-- > 1;) {
		struct seen *g = &group[c->group[i]];
		struct seen *to = g->traced ? g : &node[c->parent[i]];
		to->all += node[i].all + c->figures[i].samples;
		to->waited += node[i].waited + (samples_waited(c, i) ? c->figures[i].samples : 0);
	}
}

/*
 * A traced method may wait in methods that were not traced: the share of its samples that waited is
 * taken off its own time. An estimate, from ENOUGH samples on.
 */
static bool leave_out_shares(struct pv_call_copy *c, int64_t *off)
{
	enum { ENOUGH = 10 };
	struct seen *node = calloc(c->n, sizeof *node);
	struct seen *group = node ? calloc(groups_of(c), sizeof *group) : NULL;
	if (group)
		see_samples(c, node, group);
	for (size_t i = 1; group && i < c->n; i++) {
		struct pv_call_figures *f = &c->figures[i];
		const struct seen *g = &group[c->group[i]];
		if (c->waits[i] || f->self_ns <= 0 || g->all < ENOUGH)
			continue;
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

static void leave_out(struct pv_call_copy *c, int64_t *off)
{
	for (size_t i = 1; i < c->n; i++) {
		struct pv_call_figures *f = &c->figures[i];
		if (!c->waits[i])
			continue;
		if (!c->waits[c->parent[i]] && !c->window)
			off[c->parent[i]] = pv_sat_add(off[c->parent[i]], f->total_ns);
		c->waited_ns = pv_sat_add(c->waited_ns, f->self_ns > 0 ? f->self_ns : 0);
		f->self_ns = f->total_ns = f->max_ns = 0;
		if (samples_waited(c, i)) {
			c->waited_samples += f->samples;
			f->samples = 0;
		}
	}
}

bool pv_call_copy_ran(struct pv_call_copy *c)
{
	if (!c->waits)
		return true;
	int64_t *off = calloc(c->n, sizeof *off);
	if (!off)
		return false;
	inherit_waits(c);
	bool ok = (!c->waits_sampled && !c->waits_logged) || leave_out_shares(c, off);
	leave_out(c, off);
	for (size_t i = c->n; i-- > 1;) {
		off[c->parent[i]] = pv_sat_add(off[c->parent[i]], off[i]);
		c->figures[i].total_ns -=
			off[i] < c->figures[i].total_ns ? off[i] : c->figures[i].total_ns;
	}
	free(off);
	return ok;
}

void pv_call_copy_link(struct pv_call_copy *c)
{
	link_children(c);
	sum_up(c);
}

static double share(double part, double rest)
{
	return part > 0 ? part / (part + rest) : 0;
}

void pv_call_copy_say(const struct pv_call_copy *c, struct pv_build *b)
{
	double time = share((double)c->waited_ns, (double)c->self_ns);
	double samples = share((double)c->waited_samples, (double)c->samples);
	if (b->table)
		b->table->waited = time > samples ? time : samples;
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
