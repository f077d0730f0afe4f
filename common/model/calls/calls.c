/* SPDX-License-Identifier: MIT */
/* Applies enters, leaves and samples to the call tree; finds and makes its nodes. */
#include "common/model/calls/calls.h"

#include <string.h>

#include "common/model/time/buckets_parts.h"
#include "common/model/calls/calls_open.h"
#include "common/model/ground/inside.h"
#include "common/model/ground/model_parts.h"
#include "common/model/names/inline_frames.h"
#include "common/model/names/names_parts.h"
#include "common/model/names/natives.h"
#include "common/model/names/thread_state.h"
#include "common/model/time/window_parts.h"

/* Frames compared one by one with the method that was left. */
enum { NEAR = 32 };
/* Samples that one event stands for; more is damage. */
enum { MOST_WAITED = 1 << 24 };

bool pv_calls_init(struct pv_calls *c)
{
	*c = (struct pv_calls){ .cap = PV_TREE_CAP };
	if (!pv_table_reserve(&c->node, 1024))
		return false;
	c->node.v[c->node.n++] = (struct pv_tree_node){ .key = UINT64_MAX };
	return true;
}

void pv_calls_finish(struct pv_calls *c)
{
	pv_table_finish(&c->node);
	pv_map_finish(&c->wide);
	pv_array_finish(&c->of_method);
	pv_array_finish(&c->next_of_method);
}

/* --- finding and making nodes */

static uint64_t wide_key(uint32_t parent, uint32_t method)
{
	return (uint64_t)parent << 32 | method;
}

/*
 * Searches the list of children, most recent first; a found child moves to the front. 0: not there.
 */
static uint32_t find_listed(struct pv_calls *c, uint32_t parent, uint32_t method)
{
	struct pv_tree_node *v = c->node.v;
	uint32_t before = 0;
	for (uint32_t at = v[parent].first_child; at; before = at, at = v[at].next_sibling) {
		if (v[at].method != method)
			continue;
		if (before) {
			v[before].next_sibling = v[at].next_sibling;
			v[at].next_sibling = v[parent].first_child;
			v[parent].first_child = at;
		}
		return at;
	}
	return 0;
}

static uint32_t find_child(struct pv_calls *c, uint32_t parent, uint32_t method)
{
	if (c->node.v[parent].children <= PV_CALLS_WIDE)
		return find_listed(c, parent, method);
	uint32_t at = pv_map_get(&c->wide, wide_key(parent, method));
	return at == PV_MAP_NONE ? 0 : at;
}

/* Indexes the children of a parent that has just become wide; later children one by one. */
bool pv_calls_index(struct pv_calls *c, uint32_t parent, uint32_t newest)
{
	const struct pv_tree_node *v = c->node.v;
	if (v[parent].children <= PV_CALLS_WIDE)
		return true;
	if (v[parent].children > PV_CALLS_WIDE + 1)
		return pv_map_set(&c->wide, wide_key(parent, v[newest].method), newest);
	for (uint32_t at = v[parent].first_child; at; at = v[at].next_sibling)
		if (!pv_map_set(&c->wide, wide_key(parent, v[at].method), at))
			return false;
	return true;
}

static uint32_t add_node(struct pv_model *m, uint32_t parent, uint64_t key, uint32_t method)
{
	struct pv_calls *c = &m->calls;
	if (!pv_table_reserve(&c->node, 1))
		return PV_MAP_NONE;
	uint32_t at = (uint32_t)c->node.n++;
	struct pv_tree_node *v = c->node.v;
	uint64_t place;
	pv_names_function_key(&m->names, key, &place);
	bool lasts = !place && !m->names.method.v[method].shared; /* the meaning of the key */
	v[at] = (struct pv_tree_node){ .key = lasts ? key : UINT64_MAX,
		.parent = parent,
		.method = method,
		.next_sibling = v[parent].first_child,
		.cell = pv_window_untouched(m) };
	v[parent].first_child = at;
	v[parent].children++;
	return pv_calls_index(c, parent, at) ? at : PV_MAP_NONE;
}

uint32_t pv_calls_child(struct pv_model *m, uint32_t parent, uint64_t key, uint32_t method)
{
	struct pv_calls *c = &m->calls;
	if (!method)
		method = pv_model_method(m, key);
	if (!method)
		return PV_MAP_NONE;
	uint32_t at = find_child(c, parent, method);
	if (!at) {
		if (c->node.n >= c->cap && !pv_calls_fold(m, &parent))
			return PV_MAP_NONE;
		if (c->node.n >= c->cap)
			return 0; /* everything is open */
		at = add_node(m, parent, key, method);
		if (at == PV_MAP_NONE)
			return at;
	}
	c->node.v[parent].recent = at;
	return at;
}

uint32_t pv_calls_stack(struct pv_model *m, uint32_t node)
{
	struct pv_tree_node *v = m->calls.node.v;
	if (node == 0 || v[node].stack)
		return v[node].stack;
	/* Up to the nearest ancestor with a stack, then down again: paths can be very deep. */
	struct pv_model_private *p = m->private;
	p->path.n = 0;
	for (uint32_t at = node; at && !v[at].stack; at = v[at].parent) {
		if (!pv_reserve(&p->path, 1))
			return PV_MAP_NONE;
		p->path.v[p->path.n++] = at;
	}
	while (p->path.n > 0) {
		struct pv_tree_node *x = &v[p->path.v[--p->path.n]];
		uint32_t stack = pv_stacks_child(&m->stacks, v[x->parent].stack, x->method);
		if (stack == PV_MAP_NONE)
			return PV_MAP_NONE;
		x->stack = stack;
	}
	return v[node].stack;
}

/* --- ends of calls */

static void pay_innermost(struct pv_context *x)
{
	struct pv_thread_calls *s = &x->thread->stack;
	if (s->stack.n) {
		uint32_t top = s->stack.v[s->stack.n - 1].node;
		pv_window_touch(x->m, top);
		x->m->calls.node.v[top].self_ns += pv_clipped(x->m, x->thread, s->last_ns, x->time);
	} else {
		s->bucketed_ns += x->time - s->last_ns;
	}
	s->last_ns = x->time;
}

static void end_frame(
	struct pv_model *m, const struct pv_thread *th, const struct pv_frame *f, int64_t time)
{
	struct pv_tree_node *n = &m->calls.node.v[f->node];
	int64_t ns = pv_clipped(m, th, f->enter_ns, time);
	n->total_ns += ns;
	if (ns > n->max_ns)
		n->max_ns = ns;
}

/* The innermost open call of the method, counted from 1; 0: none. */
static size_t find_open(const struct pv_model *m, struct pv_thread_calls *s, uint64_t key)
{
	const struct pv_method *method = m->names.method.v;
	size_t at = s->stack.n;
	while (at > 0 && method[m->calls.node.v[s->stack.v[at - 1].node].method].key != key) {
		at--;
		if (s->stack.n - at == NEAR && !pv_calls_may_be_open(m, s, key))
			return 0;
	}
	return at;
}

void pv_calls_leave(struct pv_context *x, uint64_t key, bool exceptional)
{
	struct pv_model *m = x->m;
	struct pv_thread_calls *s = &x->thread->stack;
	pay_innermost(x);
	if (s->too_deep) {
		s->too_deep--;
		return;
	}
	size_t at = find_open(m, s, key);
	if (at == 0) {
		m->calls.stray_leaves++;
		return;
	}
	uint64_t above = s->stack.n - at;
	*(exceptional ? &m->calls.unwound : &m->calls.missing_leaves) += above;
	for (size_t i = s->stack.n; i >= at; i--)
		end_frame(m, x->thread, &s->stack.v[i - 1], x->time);
	m->calls.node.v[s->stack.v[at - 1].node].exc_leaves += exceptional && x->counts;
	s->stack.n = at - 1;
}

void pv_calls_close(struct pv_model *m, struct pv_thread *th)
{
	struct pv_thread_calls *s = &th->stack;
	if (s->stack.n == 0)
		return;
	pv_window_pay(m, th, th->last_ns);
	for (size_t i = s->stack.n; i > 0; i--)
		end_frame(m, th, &s->stack.v[i - 1], th->last_ns);
	s->stack.n = 0;
	s->too_deep = 0;
}

/* --- samples */

/* Addresses without a known function are many native methods and one row. */
static bool is_same_method(const struct pv_model *m, uint32_t method, uint32_t other)
{
	uint32_t name = pv_names_method_name(&m->names, method);
	return method == other || (m->names.method.v[method].native && name &&
					  name == pv_names_method_name(&m->names, other));
}

/* The innermost managed frame is not always the place of the sample: native code, or a leaf. */
static uint32_t at_address(struct pv_model *m, uint32_t node, uint64_t address)
{
	const struct pv_method *top = &m->names.method.v[m->calls.node.v[node].method];
	if (node && address >= top->code && address - top->code < top->code_size)
		return node;
	size_t known = m->names.method.n;
	uint32_t id = pv_names_ip(&m->names, address);
	if (m->names.method.n > known && m->private->symbols && !pv_natives_met(m, id))
		return PV_MAP_NONE;
	if (!id || (node && is_same_method(m, id, m->calls.node.v[node].method)))
		return node;
	const struct pv_method *there = &m->names.method.v[id];
	uint32_t child = pv_calls_child(m, node, there->native ? UINT64_MAX : there->key, id);
	return child ? child : node;
}

/* Adds the functions inlined at the address below the function itself. */
static uint32_t inlined_at(struct pv_model *m, uint32_t node, uint64_t address)
{
	size_t n;
	if (!m->private->symbols)
		return node;
	const uint32_t *ids = pv_inline_frames_at(m, address, &n);
	if (!ids)
		return PV_MAP_NONE;
	for (size_t i = 0; i < n; i++) {
		uint32_t child = pv_calls_child(m, node, m->names.method.v[ids[i]].key, ids[i]);
		if (child == PV_MAP_NONE)
			return PV_MAP_NONE;
		node = child ? child : node;
	}
	return node;
}

static struct pv_thread *thread_hit(struct pv_context *x, const struct pv_event *e)
{
	return e->hit.thread ? pv_threads_of(x->m, e->hit.thread, x->time) : x->thread;
}

/* Whether a wait counts: by thread, as waited() clips to a range; with requests also by time. */
static bool is_selected(struct pv_context *x, const struct pv_event *e)
{
	const struct pv_thread *hit = thread_hit(x, e);
	return hit && (x->m->only.requests ? pv_counts_at(x->m, hit, x->time) : hit->selected);
}

bool pv_samples_count(struct pv_context *x, const struct pv_event *e)
{
	const struct pv_thread *hit = thread_hit(x, e);
	return hit && pv_counts_at(x->m, hit, x->time);
}

/* A frame below the node, and the functions inlined at the place of its call. */
static uint32_t frame_at(struct pv_model *m, uint32_t node, uint64_t key)
{
	uint64_t place;
	uint32_t child = pv_calls_child(m, node, pv_names_function_key(&m->names, key, &place), 0);
	return place && child && child != PV_MAP_NONE ? inlined_at(m, child, place) : child;
}

/* The node of a hit's frames, 0 without; PV_MAP_NONE: out of memory. */
static uint32_t node_of_frames(struct pv_context *x, const struct pv_event *e)
{
	const uint64_t *pool = x->batch->pool.v;
	uint32_t node = 0;
	for (uint32_t i = e->hit.frames.n; i-- > 0;) {
		uint32_t child = frame_at(x->m, node, pool[e->hit.frames.at + i]);
		if (child == PV_MAP_NONE)
			return PV_MAP_NONE;
		node = child ? child : node;
	}
	return node;
}

/* Id of the frame that names the wait; the frame is named when met first. 0: out of memory. */
static uint32_t state_frame(struct pv_model *m, enum pv_thread_state state, uint64_t *ret_key)
{
	const char *name = pv_state_frame(state);
	const struct pv_text text = { name, strlen(name) };
	*ret_key = UINT64_MAX - 1 - state; /* no method's address */
	uint32_t id = pv_model_method(m, *ret_key);
	if (id && !m->names.method.v[id].name &&
		!pv_names_name_method(&m->names, *ret_key, &text, m->private->use_ns))
		return 0;
	return id;
}

/*
 * Runtimes sleep as they wait for locks, and some logs have only that a thread waited: then the
 * innermost managed method in which threads wait at all decides.
 */
static enum pv_thread_state state_at(
	const struct pv_model *m, uint32_t node, enum pv_thread_state state)
{
	enum pv_thread_state named = PV_STATE_RUNNING;
	bool unknown = state == PV_STATE_WAITING;
	for (; (unknown || state == PV_STATE_LOCK) && node && named == PV_STATE_RUNNING;
		node = m->calls.node.v[node].parent) {
		uint32_t method = m->calls.node.v[node].method;
		const char *name = pv_intern_text(&m->names.text, m->names.method.v[method].name);
		named = name ? pv_state_of_method(name) : named;
	}
	bool better = unknown ? named != PV_STATE_RUNNING : named == PV_STATE_SLEEP;
	return better ? named : state;
}

static bool waited(struct pv_context *x, const struct pv_event *e)
{
	struct pv_model *m = x->m;
	uint32_t all = e->hit.times < MOST_WAITED ? (uint32_t)e->hit.times : MOST_WAITED;
	uint32_t times = all;
	uint64_t key;
	if (!pv_lanes_clip(m, &times, x->time))
		return false;
	if (!times)
		return true;
	uint32_t node = node_of_frames(x, e);
	if (node == PV_MAP_NONE)
		return false;
	enum pv_thread_state state = state_at(m, node, pv_state_of_wait(e->hit.state));
	uint32_t id = state_frame(m, state, &key);
	uint32_t leaf = id ? pv_calls_child(m, node, key, id) : PV_MAP_NONE;
	if (leaf == PV_MAP_NONE)
		return false;
	node = leaf ? leaf : node;
	m->calls.node.v[node].samples += times;
	m->calls.samples += times;
	struct pv_thread *of = e->hit.thread ? pv_threads_of(m, e->hit.thread, x->time) : NULL;
	if (m->runtime.works.begun && !pv_work_sample(m, of, node, times, x->time))
		return false;
	if (state == PV_STATE_UNSURE) /* names decide, and may come later */
		return pv_lanes_sample(m, of, node, times, x->time) &&
		       pv_window_sample(m, node, times, x->time);
	return pv_lanes_waited(m, of, state, all, x->time) &&
	       pv_window_sample(m, node, times, x->time);
}

bool pv_samples_apply(struct pv_context *x, const struct pv_event *e)
{
	struct pv_model *m = x->m;
	int64_t time = x->time;
	const uint64_t *pool = x->batch->pool.v;
	m->tree_sums.method = m->tree_sums.thread = 0;
	if (e->kind == PV_KIND_EXT_WAITED) {
		m->private->use_ns = time;
		return !is_selected(x, e) || waited(x, e);
	}
	if (!x->counts)
		return true;
	m->private->use_ns = time;
	uint64_t weight = e->hit.weight ? e->hit.weight : 1;
	uint32_t node = node_of_frames(x, e);
	if (node == PV_MAP_NONE)
		return false;
	if (e->hit.ips.n)
		node = at_address(m, node, pool[e->hit.ips.at]);
	if (node == PV_MAP_NONE)
		return false;
	const uint32_t leaf = node ? m->calls.node.v[node].method : 0;
	if (e->hit.ips.n)
		node = inlined_at(m, node, pool[e->hit.ips.at]);
	uint32_t place;
	if (node == PV_MAP_NONE || !pv_places_sampled(x, e, leaf, node, weight, &place))
		return false;
	m->calls.node.v[node].samples += weight;
	m->calls.samples += weight;
	struct pv_thread *hit = e->hit.thread ? pv_threads_of(m, e->hit.thread, time) : NULL;
	pv_tree_sums_sampled(x, node, hit ? hit->index : 0);
	if (hit)
		hit->samples += weight;
	const struct pv_bucket_entry bucket = { PV_BUCKET_THREAD_SAMPLES, hit ? hit->index : 0,
		weight, 0 };
	if ((hit && !pv_buckets_add(m, time, &bucket)) ||
		(m->runtime.works.begun && !pv_work_sample(m, hit, node, weight, time)) ||
		!pv_lanes_sample(m, hit, node, weight, time))
		return false;
	const struct pv_sample_time one = { time, e->hit.thread, node,
		weight < UINT32_MAX ? (uint32_t)weight : UINT32_MAX, place };
	if (m->only.sample_times && !pv_sample_times_add(&m->sample_times, &one))
		return false;
	pv_timeline_add(&m->timeline, PV_TRACK_SAMPLES, time, weight);
	return pv_window_sample(m, node, weight < UINT32_MAX ? (uint32_t)weight : UINT32_MAX, time);
}
