/*
 * Stretches of calls that a decode worker summed up, into the call tree. A buffer has some hundred
 * nodes for its ten thousand events, and most were there in the buffer before: each is looked for
 * by a hash of its path, which needs nothing of the tree, so that the memory it stands in is asked
 * for long before it is used.
 */
#include "common/model/stretch.h"

#include <string.h>

#include "common/model/model_parts.h"
#include "common/model/window_parts.h"

enum {
	FIRST_HINTS = 1 << 12,
	SLOT_AHEAD = 16, /* nodes: their place in the hints is fetched ... */
	NODE_AHEAD = 8,  /* ... and then what stands there */
};

void pv_stretches_finish(struct pv_stretches *s)
{
	pv_array_finish(&s->hash_of);
	pv_array_finish(&s->hint);
	pv_array_finish(&s->hash);
	for (size_t i = 0; i < PV_STRETCH_MAPS; i++)
		pv_array_finish(&s->map[i].node);
	pv_map_finish(&s->described);
}

static uint32_t path_hash(uint32_t parent, uint64_t key)
{
	return (uint32_t)((key + parent) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* The hash of a node of the tree; they are computed when asked for. */
static bool path_hash_of(struct pv_model *m, uint32_t node, uint32_t *ret)
{
	struct pv_stretches *p = &m->private->stretches;
	if (node >= p->hash_of.n) {
		if (!pv_reserve(&p->hash_of, m->calls.node.n - p->hash_of.n))
			return false;
		for (size_t i = p->hash_of.n; i < m->calls.node.n; i++) {
			const struct pv_tree_node *n = &m->calls.node.v[i];
			p->hash_of.v[i] = i ? path_hash(p->hash_of.v[n->parent], n->key) : 0;
		}
		p->hash_of.n = m->calls.node.n;
	}
	*ret = p->hash_of.v[node];
	return true;
}

/* Twice as many hints as nodes, in pairs; what they held is found again soon. */
static bool make_hints(struct pv_model *m)
{
	struct pv_stretches *p = &m->private->stretches;
	size_t n = p->hint.n ? p->hint.n : FIRST_HINTS;
	while (n < 2 * m->calls.node.n)
		n *= 2;
	if (n == p->hint.n)
		return true;
	pv_array_finish(&p->hint);
	if (!pv_reserve(&p->hint, n))
		return false;
	p->hint.n = n;
	memset(p->hint.v, 0, n * sizeof *p->hint.v);
	return true;
}

static uint32_t *pair_of(struct pv_stretches *p, uint32_t hash)
{
	return &p->hint.v[hash & (p->hint.n - 1) & ~(size_t)1];
}

static bool is_child(const struct pv_tree_node *v, uint32_t at, uint32_t parent, uint64_t key)
{
	return at != 0 && v[at].key == key && v[at].parent == parent;
}

/* PV_MAP_NONE when out of memory. A hint may be about a tree that has changed since. */
static uint32_t find(struct pv_model *m, uint32_t *pair, uint32_t parent, uint64_t key)
{
	const struct pv_tree_node *v = m->calls.node.v;
	size_t n = m->calls.node.n;
	if (pair[0] < n && is_child(v, pair[0], parent, key))
		return pair[0];
	uint32_t at = pair[1];
	if (at >= n || !is_child(v, at, parent, key)) {
		at = pv_calls_child(m, parent, key, 0);
		if (at == PV_MAP_NONE || at == 0)
			return PV_MAP_NONE;
	}
	pair[1] = pair[0];
	pair[0] = at;
	return at;
}

static void add(struct pv_model *m, uint32_t at, const struct pv_digest_node *more)
{
	pv_window_touch(m, at);
	struct pv_tree_node *n = &m->calls.node.v[at];
	n->calls += more->calls;
	n->self_ns += (int64_t)more->self_ns;
	n->total_ns += (int64_t)more->total_ns;
	if (more->max_ns > n->max_ns)
		n->max_ns = more->max_ns;
	n->exc_leaves += more->exc_leaves;
}

static void fetch(struct pv_model *m, const uint32_t *pair)
{
	if (pair[0] >= m->calls.node.n)
		return;
	const char *at = (const char *)&m->calls.node.v[pair[0]];
	__builtin_prefetch(at, 1);
	__builtin_prefetch(at + sizeof(struct pv_tree_node) - 1, 1);
}

/* The thread's own, or the one that has not been used for longest. */
static struct pv_stretch_map *map_of(struct pv_stretches *p, const struct pv_thread *th)
{
	if (p->map[p->map_at].thread == th)
		return &p->map[p->map_at];
	for (size_t i = 0; i < PV_STRETCH_MAPS; i++) {
		if (p->map[i].thread == th) {
			p->map_at = i;
			return &p->map[i];
		}
	}
	return NULL;
}

static struct pv_stretch_map *make_map(struct pv_stretches *p, const struct pv_thread *th)
{
	struct pv_stretch_map *map = map_of(p, th);
	if (map)
		return map;
	p->map_at = p->map_next;
	p->map_next = (p->map_next + 1) % PV_STRETCH_MAPS;
	map = &p->map[p->map_at];
	map->thread = th;
	map->node.n = 0;
	return map;
}

/* Nodes 1 .. n - 1 of a stretch that stands on map->node.v[0]. */
static bool merge(struct pv_model *m, const struct pv_digest_node *v,
	const struct pv_stretch_map *map, size_t n)
{
	struct pv_stretches *p = &m->private->stretches;
	uint32_t *hash = p->hash.v, *to = map->node.v, first = map->first;
	for (size_t i = 1; i < n; i++)
		hash[i] = path_hash(hash[v[i].parent - first], v[i].key);
	for (size_t i = 1; i < n; i++) {
		if (i + SLOT_AHEAD < n)
			__builtin_prefetch(pair_of(p, hash[i + SLOT_AHEAD]), 1);
		if (i + NODE_AHEAD < n)
			fetch(m, pair_of(p, hash[i + NODE_AHEAD]));
		to[i] = find(m, pair_of(p, hash[i]), to[v[i].parent - first], v[i].key);
		if (to[i] == PV_MAP_NONE)
			return false;
		add(m, to[i], &v[i]);
	}
	return true;
}

/* What was open gets its self time before, and the stretch's part of it. */
static uint32_t pay(struct pv_context *x, const struct pv_stretch *s, int64_t self_ns)
{
	struct pv_thread_calls *t = &x->thread->stack;
	int64_t ns = s->from_ns - t->last_ns + self_ns;
	t->last_ns = s->to_ns;
	if (t->stack.n == 0) {
		t->told_ns += ns;
		return 0;
	}
	uint32_t top = t->stack.v[t->stack.n - 1].node;
	pv_window_touch(x->m, top);
	x->m->calls.node.v[top].self_ns += ns;
	return top;
}

bool pv_stretch_apply(struct pv_context *x, const struct pv_stretch *s)
{
	struct pv_model *m = x->m;
	struct pv_stretches *p = &m->private->stretches;
	const struct pv_digest *d = &x->batch->digest;
	const struct pv_digest_node *v = &d->node.v[s->node];
	struct pv_thread_calls *t = &x->thread->stack;
	struct pv_stretch_map *map = make_map(p, x->thread);
	map->node.n = p->hash.n = 0;
	map->first = s->node;
	m->private->use_ns = s->from_ns;
	if (!make_hints(m) || !pv_reserve(&map->node, s->nodes) ||
		!pv_reserve(&p->hash, s->nodes) || !pv_reserve(&t->stack, s->opens))
		return false;
	map->node.v[0] = pay(x, s, (int64_t)v[0].self_ns);
	if (!path_hash_of(m, map->node.v[0], &p->hash.v[0]) || !merge(m, v, map, s->nodes))
		return false;
	map->node.n = s->nodes;
	for (uint32_t i = 0; i < s->opens; i++) {
		const struct pv_digest_open *o = &d->open.v[s->open + i];
		uint32_t node = map->node.v[o->node - s->node];
		t->stack.v[t->stack.n++] = (struct pv_frame){ node, o->enter_ns };
	}
	return true;
}

const struct pv_stretch_map *pv_stretch_map_of(struct pv_model *m, const struct pv_thread *th)
{
	return map_of(&m->private->stretches, th);
}

bool pv_model_digests(const struct pv_model *m, struct pv_digest *ret)
{
	if (m->only.ranged || m->only.threaded || m->timeline.width_ns == 0)
		return false;
	ret->wanted = true;
	ret->cell_origin_ns = m->timeline.origin_ns;
	ret->cell_ns = m->timeline.width_ns;
	/* No cell of the window is narrower. */
	ret->stretch_ns = m->window->off ? PV_STRETCH_ANY
					 : (int64_t)PV_WINDOW_CELL_MS * 1000000;
	return true;
}

/* --- methods whose key has several meanings: one node must not stand for two of them */

static size_t shared_bit(uint64_t key)
{
	return pv_hash(key) % PV_SHARED_BITS;
}

static void note_shared(struct pv_model *m)
{
	struct pv_stretches *p = &m->private->stretches;
	memset(p->shared_key, 0, sizeof p->shared_key);
	for (size_t i = 1; i < m->names.method.n; i++) {
		size_t bit = shared_bit(m->names.method.v[i].key);
		if (m->names.method.v[i].shared)
			p->shared_key[bit / 64] |= UINT64_C(1) << bit % 64;
	}
	p->shared_known = true;
}

static bool is_steady(
	const struct pv_model *m, const struct pv_batch *b, const struct pv_stretch *s)
{
	const struct pv_digest_node *v = b->digest.node.v;
	const uint64_t *shared = m->private->stretches.shared_key;
	for (uint32_t i = s->node + 1; i < s->node + s->nodes; i++) {
		size_t bit = shared_bit(v[i].key);
		if ((shared[bit / 64] >> bit % 64 & 1) &&
			!pv_names_method_steady(&m->names, v[i].key, s->from_ns, s->to_ns))
			return false;
	}
	return true;
}

/* A method described again, under another name or in this very run. */
static bool is_renamed(struct pv_model *m, const struct pv_event *e)
{
	struct pv_map *seen = &m->private->stretches.described;
	uint32_t id = pv_map_get(&m->names.method_of, e->jit.method);
	if (pv_map_get(seen, e->jit.method) != PV_MAP_NONE || !pv_map_set(seen, e->jit.method, 0))
		return true;
	if (id == PV_MAP_NONE || !m->names.method.v[id].name)
		return false;
	const char *name = pv_intern_text(&m->names.text, m->names.method.v[id].name);
	size_t n = strlen(name);
	return m->names.method.v[id].shared || e->kind != PV_KIND_METHOD_JIT ||
	       n != e->jit.name.len || memcmp(name, e->jit.name.at, n) != 0;
}

/* Events by which a key may get another meaning amid the run. */
static bool changes_names(struct pv_model *m, const struct pv_batch *b)
{
	for (size_t i = 0; i < b->rare.n; i++) {
		const struct pv_event *e = &b->rare.v[i];
		switch (e->kind) {
		case PV_KIND_METHOD_JIT:
		case PV_KIND_METHOD_NAME:
			if (is_renamed(m, e))
				return true;
			break;
		case PV_KIND_METHOD_FREE:
		case PV_KIND_CLASS_UNLOAD:
		case PV_KIND_IMAGE_UNLOAD:
		case PV_KIND_ASSEMBLY_UNLOAD:
		case PV_KIND_DOMAIN_UNLOAD:
			return true;
		}
	}
	return false;
}

static bool is_unambiguous(struct pv_model *m, const struct pv_batch *const *b, size_t n)
{
	if (!m->private->stretches.shared_known)
		note_shared(m);
	pv_map_clear(&m->private->stretches.described);
	for (size_t i = 0; i < n; i++) {
		if (!b[i]->told && changes_names(m, b[i]))
			return false;
		for (size_t k = 0; k < b[i]->digest.stretch.n; k++)
			if (!is_steady(m, b[i], &b[i]->digest.stretch.v[k]))
				return false;
	}
	return true;
}

/* The thread's calls can be applied, though other batches come before. */
static bool thread_goes_on(const struct pv_model *m, const struct pv_batch *b, size_t depth)
{
	uint32_t at = pv_map_get(&m->threads.newest, b->thread);
	if (at == PV_MAP_NONE)
		return m->threads.thread.n <= m->threads.cap;
	const struct pv_thread *th = m->threads.thread.v[at];
	return th->end_ns == PV_NEVER && !th->stack.too_deep &&
	       th->stack.stack.n + depth < PV_STACK_DEPTH;
}

/* Whether a batch tells of another thread's life that has calls in the run. */
static bool tells_of_others(const struct pv_batch *b, const struct pv_batch *const *all, size_t n)
{
	for (size_t i = 0; i < b->rare.n; i++) {
		const struct pv_event *e = &b->rare.v[i];
		bool life = e->kind == PV_KIND_THREAD_START || e->kind == PV_KIND_THREAD_END;
		if (!life || e->meta.key == b->thread)
			continue;
		for (size_t k = 0; k < n; k++)
			if (all[k]->thread == e->meta.key)
				return true;
	}
	return false;
}

bool pv_model_takes(struct pv_model *m, const struct pv_batch *const *b, size_t n)
{
	size_t stretches = 0, depth = 0, more = 0;
	for (size_t i = 0; i < n; i++) {
		stretches += b[i]->digest.stretch.n;
		depth += b[i]->digest.depth;
		/* Samples may add nodes, too. */
		more += b[i]->digest.node.n + b[i]->pool.n + b[i]->rare.n;
	}
	if (stretches == 0)
		return true;
	if (m->calls.node.n + more >= m->calls.cap ||
		m->names.method.n + more >= m->names.method_cap)
		return false;
	if (m->threads.thread.n + n > m->threads.cap && n > 1)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!thread_goes_on(m, b[i], depth) || (n > 1 && tells_of_others(b[i], b, n)))
			return false;
	return is_unambiguous(m, b, n);
}
