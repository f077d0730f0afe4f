/* SPDX-License-Identifier: MIT */
/* Keys of allocation events to ids of stacks, in a model that only the caller uses. */
#include "common/model/identity/identity_use.h"

#include "common/model/ground/model_parts.h"

uint32_t pv_identity_stack(
	struct pv_model *m, int64_t time_ns, const struct pv_batch *b, struct pv_span stack)
{
	m->private->use_ns = time_ns;
	if (stack.n == 0)
		return 0;
	return b->frames.n ? pv_model_frame(m, b, stack.at)
			   : pv_model_stack(m, b->pool.v + stack.at, stack.n);
}

void pv_identity_batch(struct pv_model *m)
{
	pv_model_forget_frames(m);
}

uint32_t pv_identity_path(struct pv_model *m, uint64_t thread)
{
	uint32_t at = pv_map_get(&m->threads.newest, thread);
	const struct pv_thread *th = at == PV_MAP_NONE ? NULL : m->threads.thread.v[at];
	return th && th->stack.stack.n
		       ? pv_calls_stack(m, th->stack.stack.v[th->stack.stack.n - 1].node)
		       : 0;
}

uint32_t pv_identity_enter(struct pv_model *m, int64_t time_ns, uint32_t path, uint64_t method)
{
	m->private->use_ns = time_ns;
	uint32_t id = pv_model_method(m, method);
	return id ? pv_stacks_child(&m->stacks, path, id) : PV_MAP_NONE;
}

/* A return without its call pops nothing, as everywhere. */
uint32_t pv_identity_leave(struct pv_model *m, int64_t time_ns, uint32_t path, uint64_t method)
{
	m->private->use_ns = time_ns;
	uint32_t id = pv_model_method(m, method), at = path;
	while (at && m->stacks.node.v[at].method != id)
		at = m->stacks.node.v[at].parent;
	return !id ? PV_MAP_NONE : at ? m->stacks.node.v[at].parent : path;
}
