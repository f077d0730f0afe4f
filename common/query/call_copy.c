#include "common/query/call_copy.h"

#include <stdarg.h>
#include <stdio.h>
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

/* Besides the enum pv_ran of a node's samples: its calls are within a wait, by names. */
enum { WITHIN = 4, ASKED = 8, RAN_BITS = 3 }; /* ASKED: pv_lane_state.asked */

/* Of the model while it is copied, under its lock. */
struct copying {
	struct pv_model *m;
	const struct pv_lane_state *state; /* by node */
	uint8_t *nameless;                 /* by method */
};

/* Names are looked at once a method: there are many more nodes. */
static bool begin(struct pv_model *m, struct copying *k)
{
	size_t n = m->names.method.n;
	*k = (struct copying){ .m = m, .state = pv_lane_states(m) };
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

/* The node that samples count for. */
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

static bool copy_all(const struct copying *k, const struct pv_groups *g, struct pv_call_copy *c)
{
	const struct pv_calls *calls = &k->m->calls;
	if (!make_room(c, calls->node.n ? calls->node.n : 1))
		return false;
	for (uint32_t i = 0; i < calls->node.n; i++)
		note_state(k, c, i, i);
	if (calls->node.n)
		add_samples(c, 0, calls->node.v[0].samples);
	for (uint32_t i = 1; i < calls->node.n; i++) {
		const struct pv_tree_node *n = &calls->node.v[i];
		c->parent[i] = n->parent;
		c->group[i] = pv_group_of(g, n->method);
		c->figures[i] = (struct pv_call_figures){ .calls = n->calls,
			.exc_leaves = n->exc_leaves,
			.self_ns = n->self_ns,
			.total_ns = n->total_ns,
			.max_ns = n->max_ns };
		add_samples(c, counted_at(k, i), n->samples);
	}
	struct pv_open_calls open = { 0 };
	bool ok = pv_calls_open(k->m, &open);
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

static bool copy_active(const struct copying *k, const struct pv_groups *g,
	const struct pv_window_sums *w, struct pv_call_copy *c)
{
	const struct pv_calls *calls = &k->m->calls;
	uint32_t n = 1, *number = number_active(calls, w, &n);
	bool ok = number && make_room(c, n);
	if (ok && calls->node.n)
		note_state(k, c, 0, 0);
	for (uint32_t i = 1; ok && i < calls->node.n; i++) {
		if (!number[i])
			continue;
		c->parent[number[i]] = number[calls->node.v[i].parent];
		c->group[number[i]] = pv_group_of(g, calls->node.v[i].method);
		note_state(k, c, number[i], i);
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
	bool ok = begin(m, &k) && (!q->my_code || ret->kind);
	if (ok && !q->window_ns) {
		ok = copy_all(&k, g, ret);
	} else if (ok) {
		struct pv_window_sums sums = { 0 };
		ok = pv_window_sum(m, q->window_ns, &sums) && copy_active(&k, g, &sums, ret);
		pv_window_sums_finish(&sums);
	}
	free(k.nameless);
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

/* Nothing is known of any of them, so that none can be left out. */
static bool is_wall(const struct pv_call_copy *c)
{
	return !c->sampled[PV_RAN] && !c->sampled[PV_WAITED] && c->sampled[PV_RAN_UNSURE];
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
		enum pv_ran ran = c->ran[i] & RAN_BITS;
		to->all += node[i].all + (ran != PV_RAN_UNSURE ? c->figures[i].samples : 0);
		to->waited += node[i].waited + (ran == PV_WAITED ? c->figures[i].samples : 0);
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

static void leave_out(struct pv_call_copy *c, int64_t *off)
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
	for (size_t i = 0; !is_wall(c) && i < c->n; i++)
		if ((c->ran[i] & RAN_BITS) != PV_RAN)
			c->figures[i].samples = 0;
}

/* With `waits` those of a frame that says nothing are its caller's. */
static void fold_asked(struct pv_call_copy *c)
{
	for (size_t i = 1; i < c->n; i++) {
		if (!(c->ran[i] & ASKED) || !c->parent[i])
			continue;
		c->figures[c->parent[i]].samples += c->figures[i].samples;
		c->figures[i].samples = 0;
	}
}

uint32_t pv_call_copy_at(const struct pv_call_copy *c, uint32_t node)
{
	return node < c->n && c->ran[node] & ASKED && c->parent[node] ? c->parent[node] : node;
}

bool pv_call_copy_counts(const struct pv_call_copy *c, uint32_t node)
{
	return c->waits || is_wall(c) || node >= c->n || (c->ran[node] & RAN_BITS) == PV_RAN;
}

bool pv_call_copy_ran(struct pv_call_copy *c)
{
	if (c->waits || is_wall(c))
		fold_asked(c);
	if (c->waits)
		return true;
	int64_t *off = calloc(c->n, sizeof *off);
	bool ok = off && leave_out_shares(c, off);
	if (ok)
		leave_out(c, off);
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
	c->figures[0].samples = 0; /* of no method: no row has them */
	link_children(c);
	sum_up(c);
}

/* --- the sentence about it */

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static void say(char *buf, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void say(char *buf, size_t size, const char *format, ...)
{
	size_t at = strlen(buf);
	va_list args;
	va_start(args, format);
	vsnprintf(buf + at, size - at, format, args);
	va_end(args);
}

static enum pv_time_of say_samples(const struct pv_call_copy *c, char *buf, size_t size)
{
	double waited = (double)c->sampled[PV_WAITED], unsure = (double)c->sampled[PV_RAN_UNSURE];
	double all = waited + unsure + (double)c->sampled[PV_RAN];
	if (is_wall(c))
		say(buf, size, "samples are WALL: of none it is known whether its thread ran");
	else if (c->waits && waited > 0)
		say(buf, size, "%.3g %% of samples waited, and count, too", percent(waited, all));
	else if (waited > 0)
		say(buf, size, "what ran: %.3g %% of samples waited", percent(waited, all));
	if (!is_wall(c) && unsure > 0)
		say(buf, size, "%s%.3g %% of samples ran or waited, which is not known",
			buf[0] ? ", " : "", percent(unsure, all));
	return c->waits && waited + unsure > 0 ? PV_TIME_WAITS_TOO
	       : is_wall(c)                    ? PV_TIME_WALL
					       : PV_TIME_RAN;
}

/* Times of calls are of wall clocks: names and samples tell how much of them waited. */
static enum pv_time_of say_times(const struct pv_call_copy *c, char *buf, size_t size)
{
	enum { LITTLE = 1 }; /* percent */
	double all = (double)c->self_ns + (double)c->waited_ns, untold = (double)c->untold_ns;
	if (c->waits)
		return PV_TIME_WAITS_TOO;
	if (all > 0 && !c->waited_ns && percent(untold, all) > 100 - LITTLE) {
		say(buf, size, "%stimes of calls are WALL: nothing tells how long they waited",
			buf[0] ? "; " : "");
		return PV_TIME_WALL;
	}
	if (c->waited_ns)
		say(buf, size, "%sof times of calls %.3g %% waited", buf[0] ? "; " : "",
			percent((double)c->waited_ns, all));
	if (c->tells && percent(untold, all) >= LITTLE)
		say(buf, size, "%s%.3g %% of them is WALL: too few samples tell",
			c->waited_ns ? ", "
			: buf[0]     ? "; of times of calls "
				     : "of times of calls ",
			percent(untold, all));
	return PV_TIME_RAN;
}

bool pv_call_copy_time(const struct pv_call_copy *c, bool times, bool samples,
	enum pv_time_of *ret_time, char *buf, size_t size)
{
	buf[0] = 0;
	*ret_time = samples ? say_samples(c, buf, size) : PV_TIME_NONE;
	if (times)
		*ret_time = say_times(c, buf, size);
	return buf[0] != 0;
}

void pv_call_copy_say(const struct pv_call_copy *c, bool times, bool samples, struct pv_build *b)
{
	char text[PV_TIME_TEXT];
	const uint64_t *n = c->sampled;
	double all = (double)n[PV_RAN] + (double)n[PV_WAITED] + (double)n[PV_RAN_UNSURE];
	double of_samples = samples ? percent((double)n[PV_WAITED], all) : 0;
	double waited = (double)c->waited_ns, of_times = 0;
	if (times)
		of_times = percent(waited, waited + (double)c->self_ns);
	enum pv_time_of time_of;
	bool says = pv_call_copy_time(c, times, samples, &time_of, text, sizeof text);
	if (!b->table)
		return;
	b->table->time_of = time_of;
	if (!c->waits)
		b->table->waited = (of_times > of_samples ? of_times : of_samples) / 100;
	if (!says || b->query->inner)
		return;
	const char *line = pv_build_printf(b, "%s; %s", b->table ? b->table->coverage : "", text);
	if (b->table)
		b->table->coverage = line;
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
