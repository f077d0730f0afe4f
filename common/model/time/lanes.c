/* SPDX-License-Identifier: MIT */
/* Lanes of threads: judges states by log and names, and counts samples in cells. */
#include "common/model/time/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/sample_period.h"
#include "common/base/saturate.h"
#include "common/base/status.h"
#include "common/model/ground/inside.h"
#include "common/model/ground/model_parts.h"

enum { STEPS = 512 }; /* most cells of one wait */

void pv_lanes_init(struct pv_lanes *l)
{
	l->cap = PV_LANES_CAP;
	l->unnamed_cap = PV_LANES_UNNAMED;
}

void pv_lanes_finish(struct pv_lanes *l)
{
	for (size_t i = 0; i < l->lane.n; i++)
		for (size_t p = 0; p < PV_COUNT_OF(l->lane.v[i].page); p++)
			free(l->lane.v[i].page[p]);
	pv_array_finish(&l->lane);
	pv_array_finish(&l->of);
	pv_array_finish(&l->unnamed);
	if (l->judged) {
		free(l->judged->method);
		free(l->judged->node);
	}
	free(l->judged);
}

/* --- whether a thread waited */

bool pv_call_samples_wait(const struct pv_model *m)
{
	static const char word[] = "sample-timer=";
	const char *args = m->target.args ? m->target.args : "";
	const char *timer = strstr(args, word);
	if (pv_target_is_event_stream(&m->target))
		return true;
	if (strncmp(args, "profview:", 9) != 0)
		return true;
	if (timer)
		return strncmp(timer + sizeof word - 1, "mono:", 5) == 0;
	return strncmp(args + 9, "mono", 4) == 0 || strstr(args, "sample-real");
}

bool pv_call_is_nameless(const struct pv_model *m, uint32_t method)
{
	const struct pv_method *v = m->names.method.v;
	return v[method].native && v[pv_names_resolved(&m->names, method)].native &&
	       !pv_names_method_name(&m->names, method);
}

uint32_t pv_call_counted_at(const struct pv_model *m, uint32_t node)
{
	const struct pv_tree_node *n = &m->calls.node.v[node];
	return n->parent && pv_call_is_nameless(m, n->method) ? n->parent : node;
}

/* State by the method's own name only. */
static struct pv_lane_state state_of_method(const struct pv_model *m, uint32_t method)
{
	uint32_t text = pv_names_method_name(&m->names, method);
	const char *name = pv_intern_text(&m->names.text, text);
	bool native = m->names.method.v[pv_names_resolved(&m->names, method)].native;
	if (!text)
		return (struct pv_lane_state){
			.nameless = true, .unnamed = !native, .again = true
		};
	enum pv_thread_state frame = pv_state_of_frame(name);
	if (frame != PV_STATE_RUNNING)
		return (struct pv_lane_state){ .state = (uint8_t)frame, .logged = true };
	if (native)
		return (struct pv_lane_state){ .symbol = (uint8_t)pv_state_of_symbol(name) };
	return (struct pv_lane_state){ .managed = (uint8_t)pv_state_of_method(name),
		.idle = pv_state_spins_idle(name) };
}

/* Makes room; entries from `n` on are to be judged. */
static bool extend(struct pv_lane_state **v, size_t *n, size_t *room, size_t to)
{
	if (to > *room) {
		size_t more = to + to / 2;
		struct pv_lane_state *grown = realloc(*v, more * sizeof *grown);
		if (!grown)
			return false;
		*v = grown;
		*room = more;
	}
	for (; *n < to; ++*n)
		(*v)[*n] = (struct pv_lane_state){ .again = true };
	return true;
}

/* Judges methods; true when a known method has got its name. */
static bool judge_methods(struct pv_model *m, size_t known)
{
	struct pv_lane_judged *j = m->lanes.judged;
	bool changed = false;
	for (uint32_t i = 1; i < j->methods; i++) {
		struct pv_lane_state *s = &j->method[i];
		if (!s->again)
			continue;
		*s = state_of_method(m, i);
		changed |= i < known && !s->again;
	}
	j->method[0].again = false;
	return changed;
}

/* The rule, in its order. */
static enum pv_thread_state decide(const struct pv_lane_state *s, bool by_name, bool ran)
{
	bool said = s->logged && s->state != PV_STATE_UNSURE;
	if (said)
		return s->state;
	if (s->idle)
		return PV_STATE_LOCK;
	if (!by_name && !s->logged)
		return PV_STATE_RUNNING;
	if (s->within != PV_STATE_RUNNING)
		return s->within;
	return s->logged || (s->nameless && !ran) ? PV_STATE_UNSURE : PV_STATE_RUNNING;
}

static void judge_node(struct pv_model *m, size_t i)
{
	struct pv_lane_judged *j = m->lanes.judged;
	const struct pv_tree_node *node = &m->calls.node.v[i];
	const struct pv_lane_state up =
		i ? j->node[node->parent] : (struct pv_lane_state){ .nameless = true };
	const struct pv_lane_state own = j->method[node->method];
	struct pv_lane_state s = own;
	if (s.managed == PV_STATE_RUNNING) {
		s.managed = up.managed;
		s.unnamed |= up.unnamed;
		s.again |= up.again;
	}
	s.symbol = s.symbol ? s.symbol : up.symbol;
	s.idle |= up.idle;
	s.nameless = !i || (own.nameless && (own.unnamed || up.nameless));
	s.within = s.managed ? s.managed : s.symbol;
	s.state = (uint8_t)decide(&s, j->by_name, j->ran);
	bool asked = own.logged && own.state == PV_STATE_UNSURE; /* left to names by the log */
	s.logged &= !asked;
	s.asked = asked;
	s.unnamed &= asked || (!s.logged && j->by_name);
	j->any |= s.state != PV_STATE_RUNNING || s.within != PV_STATE_RUNNING;
	j->node[i] = s;
}

bool pv_lane_method_waits(const struct pv_model *m, uint32_t method)
{
	const struct pv_lane_judged *j = m->lanes.judged;
	if (!j || method >= j->methods)
		return false;
	const struct pv_lane_state *s = &j->method[method];
	return s->logged || s->idle || (j->by_name && (s->managed || s->symbol));
}

bool pv_lane_states_differ(const struct pv_model *m)
{
	const struct pv_lane_judged *j = m->lanes.judged;
	return j && (j->any || (j->by_name && m->calls.node.n && m->calls.node.v[0].samples));
}

/* Judges each node once, but nodes that wait for names again when a name has come. */
const struct pv_lane_state *pv_lane_states(struct pv_model *m)
{
	if (!m->lanes.judged)
		m->lanes.judged = calloc(1, sizeof *m->lanes.judged);
	struct pv_lane_judged *j = m->lanes.judged;
	bool by_name = pv_call_samples_wait(m);
	/*
	 * An event stream with readings of CPU time marks samples as waiting until an interval's waiting
	 * time is used up. Rounding leaves plain samples in waits: a known wait is one, and the rest ran.
	 */
	bool ran = m->kinds[PV_KIND_EXT_WAITED] && pv_target_is_event_stream(&m->target);
	if (!j)
		return NULL;
	const bool same = by_name == j->by_name && ran == j->ran;
	size_t methods = j->methods, nodes = same ? j->nodes : 0;
	j->nodes = nodes;
	j->by_name = by_name;
	j->ran = ran;
	if (!extend(&j->method, &j->methods, &j->method_room,
		    m->names.method.n ? m->names.method.n : 1) ||
		!extend(&j->node, &j->nodes, &j->node_room, m->calls.node.n + 1))
		return NULL;
	if (judge_methods(m, methods) || j->renumbered)
		nodes = 0;
	j->any &= nodes > 0;
	j->nodes = m->calls.node.n;
	for (size_t i = nodes; i < j->nodes; i++)
		if (j->node[i].again)
			judge_node(m, i);
	j->renumbered = false;
	return j->node;
}

void pv_lanes_renumber(struct pv_model *m, const uint32_t *into)
{
	struct pv_lane_judged *j = m->lanes.judged;
	const struct pv_calls *c = &m->calls;
	if (!j)
		return;
	struct pv_lane_state *old = j->node;
	size_t n = j->nodes;
	j->node = NULL;
	j->nodes = j->node_room = 0;
	j->renumbered = true;
	bool ok = n && extend(&j->node, &j->nodes, &j->node_room, c->node.n);
	for (size_t i = 0; ok && i < n; i++)
		if (c->node.v[into[i]].method)
			j->node[into[i]] = old[i];
	free(old);
}

/* --- cells */

static void widen_lane(struct pv_lane *l)
{
	enum { HALF = PV_LANE_PAGE / 2 };
	for (uint32_t i = 0; i < PV_COUNT_OF(l->page); i++) {
		struct pv_lane_page *from = l->page[i], **to = &l->page[i / 2];
		uint32_t at = i % 2 * HALF;
		if (!from)
			continue;
		l->page[i] = NULL;
		struct pv_lane_page sum = { 0 };
		for (uint32_t c = 0; c < PV_LANE_PAGE; c++)
			for (unsigned s = 0; s < PV_STATES; s++)
				sum.samples[at + c / 2][s] += from->samples[c][s];
		if (*to) { /* the first half is there */
			memcpy((*to)->samples[at], sum.samples[at], sizeof sum.samples[0] * HALF);
			free(from);
		} else {
			*from = sum;
			*to = from;
		}
	}
}

static void widen_lanes(struct pv_lanes *l)
{
	for (size_t i = 0; i < l->lane.n; i++)
		widen_lane(&l->lane.v[i]);
	for (size_t i = 0; i < l->unnamed.n; i++)
		l->unnamed.v[i].cell /= 2;
	l->width_ns *= 2;
	l->used = (l->used + 1) / 2;
}

static uint32_t cell_of(struct pv_lanes *l, int64_t time)
{
	uint64_t since = (uint64_t)time - (uint64_t)l->origin_ns;
	if (time < l->origin_ns)
		return 0;
	while (since / (uint64_t)l->width_ns >= PV_LANE_CELLS)
		widen_lanes(l);
	return (uint32_t)(since / (uint64_t)l->width_ns);
}

bool pv_lanes_put(struct pv_lanes *l, uint32_t lane, uint32_t cell, enum pv_thread_state state,
	uint32_t samples)
{
	struct pv_lane_page **p = &l->lane.v[lane].page[cell / PV_LANE_PAGE];
	if (!*p)
		*p = calloc(1, sizeof **p);
	if (!*p)
		return false;
	uint32_t *at = &(*p)->samples[cell % PV_LANE_PAGE][state];
	*at = *at > UINT32_MAX - samples ? UINT32_MAX : *at + samples;
	if (cell >= l->used)
		l->used = cell + 1;
	return true;
}

/* --- lanes */

static bool begin_lanes(struct pv_model *m)
{
	struct pv_lanes *l = &m->lanes;
	const struct pv_model_private *p = m->private;
	bool wall;
	if (!pv_reserve(&l->lane, 1))
		return false;
	l->lane.v[l->lane.n++] = (struct pv_lane){ 0 };
	l->width_ns = PV_LANE_FIRST_WIDTH;
	l->origin_ns = p->ranged && p->from_ns > m->zero_ns ? p->from_ns : m->zero_ns;
	l->period_ns = (int64_t)pv_sample_period(m->target.args ? m->target.args : "", &wall);
	return true;
}

static bool know_thread(struct pv_lanes *l, uint32_t index)
{
	if (index < l->of.n)
		return true;
	size_t more = index + 1 - l->of.n;
	if (!pv_reserve(&l->of, more))
		return false;
	memset(l->of.v + l->of.n, 0, more * sizeof *l->of.v);
	l->of.n += more;
	return true;
}

bool pv_lanes_own(struct pv_lanes *l, uint32_t lane)
{
	uint32_t index = l->lane.v[lane].thread;
	if (!know_thread(l, index))
		return false;
	l->of.v[index] = lane;
	return true;
}

/* UINT32_MAX: out of memory. */
static uint32_t lane_of(struct pv_lanes *l, const struct pv_thread *th)
{
	if (!know_thread(l, th->index))
		return UINT32_MAX;
	uint32_t *of = &l->of.v[th->index];
	if (*of || l->lane.n > l->cap)
		return *of;
	if (!pv_reserve(&l->lane, 1))
		return UINT32_MAX;
	*of = (uint32_t)l->lane.n;
	l->lane.v[l->lane.n++] = (struct pv_lane){ .thread = th->index };
	return *of;
}

static bool find_lane(
	struct pv_model *m, const struct pv_thread *th, uint64_t samples, uint32_t *ret)
{
	struct pv_lanes *l = &m->lanes;
	if (!l->lane.n && !begin_lanes(m))
		return false;
	*ret = lane_of(l, th);
	l->shared += *ret == 0 ? samples : 0;
	return *ret != UINT32_MAX;
}

/* Puts samples with known names into cells; `all`: the other samples, too. */
static bool judge_unnamed(struct pv_model *m, bool all)
{
	struct pv_lanes *l = &m->lanes;
	const struct pv_lane_state *of = pv_lane_states(m);
	size_t kept = 0;
	bool ok = of != NULL;
	for (size_t i = 0; ok && i < l->unnamed.n; i++) {
		struct pv_lane_unnamed u = l->unnamed.v[i];
		if (of[u.node].unnamed && !all) {
			l->unnamed.v[kept++] = u;
			continue;
		}
		l->guessed += of[u.node].unnamed ? u.samples : 0;
		ok = pv_lanes_put(l, u.lane, u.cell, of[u.node].state, u.samples);
	}
	if (ok)
		l->unnamed.n = kept;
	return ok;
}

bool pv_lanes_judge_all(struct pv_model *m)
{
	return m->lanes.unnamed.n == 0 || judge_unnamed(m, true);
}

static bool put_unnamed(struct pv_model *m, const struct pv_lane_unnamed *u)
{
	struct pv_lanes *l = &m->lanes;
	struct pv_lane_unnamed *last = l->unnamed.n ? &l->unnamed.v[l->unnamed.n - 1] : NULL;
	if (last && last->node == u->node && last->lane == u->lane && last->cell == u->cell &&
		last->samples < UINT32_MAX - u->samples) {
		last->samples += u->samples;
		return true;
	}
	if (l->unnamed.n >= l->unnamed_cap &&
		!(judge_unnamed(m, false) &&
			(l->unnamed.n < l->unnamed_cap / 2 || judge_unnamed(m, true))))
		return false;
	if (!pv_reserve(&l->unnamed, 1))
		return false;
	l->unnamed.v[l->unnamed.n++] = *u;
	if (u->cell >= l->used)
		l->used = u->cell + 1;
	return true;
}

bool pv_lanes_sample(struct pv_model *m, const struct pv_thread *th, uint32_t node,
	uint64_t samples, int64_t time)
{
	struct pv_lanes *l = &m->lanes;
	struct pv_lane_unnamed u = { .node = node };
	u.samples = samples < UINT32_MAX ? (uint32_t)samples : UINT32_MAX;
	if (!th) {
		l->nowhere += samples;
		return true;
	}
	if (!find_lane(m, th, samples, &u.lane))
		return false;
	u.cell = cell_of(l, time);
	return put_unnamed(m, &u);
}

/*
 * A wait is reported at its end, for many samples at once, which lie a period apart before the end;
 * but none earlier than a reader of a range reads.
 */
struct steps {
	uint32_t n, samples;
	int64_t each;
};

static struct steps steps_of(const struct pv_lanes *l, uint32_t samples)
{
	struct steps s = { .n = l->period_ns ? samples : 1, .samples = samples };
	s.n = s.n > STEPS ? STEPS : s.n;
	s.each = l->period_ns * (int64_t)(samples / s.n);
	if (s.each > PV_WAITED_NS / s.n)
		s.each = s.n > 1 ? PV_WAITED_NS / s.n : 0;
	return s;
}

static int64_t step_time(const struct steps *s, uint32_t i, int64_t time)
{
	int64_t back = s->each * (int64_t)i;
	return back > 0 ? pv_sat_add(time, -back) : time;
}

static uint32_t samples_of(const struct steps *s, uint32_t i)
{
	return s->samples / s->n + (i < s->samples % s->n);
}

bool pv_lanes_clip(struct pv_model *m, uint32_t *samples, int64_t time)
{
	uint32_t in = 0;
	if (!m->private->ranged || !*samples)
		return true;
	if (!m->lanes.lane.n && !begin_lanes(m))
		return false;
	struct steps s = steps_of(&m->lanes, *samples);
	for (uint32_t i = 0; i < s.n; i++)
		in += pv_in_range(m, step_time(&s, i, time)) ? samples_of(&s, i) : 0;
	*samples = in;
	return true;
}

bool pv_lanes_waited(struct pv_model *m, const struct pv_thread *th, enum pv_thread_state state,
	uint32_t samples, int64_t time)
{
	struct pv_lanes *l = &m->lanes;
	uint32_t lane, in = samples;
	if (!pv_lanes_clip(m, &in, time) || (th && !find_lane(m, th, in, &lane)))
		return false;
	if (!th) {
		l->nowhere += in;
		return true;
	}
	struct steps s = steps_of(l, samples);
	bool ok = true;
	for (uint32_t i = 0; i < s.n && ok; i++) {
		int64_t at = step_time(&s, i, time);
		if (pv_in_range(m, at))
			ok = pv_lanes_put(l, lane, cell_of(l, at), state, samples_of(&s, i));
	}
	return ok;
}
