/* SPDX-License-Identifier: MIT */
/* Maps stacks of a log's events to stacks of the model. */
#include "common/model/ground/model_parts.h"
#include "common/model/names/inline_frames.h"
#include "common/model/names/names_parts.h"

/* Adds the functions inlined at the place below the function itself. */
static uint32_t with_inlined(struct pv_model *m, uint32_t stack, uint64_t place)
{
	size_t n = 0;
	const uint32_t *ids = pv_inline_frames_at(m, place, &n);
	if (!ids)
		return PV_MAP_NONE;
	for (size_t i = 0; i < n && stack != PV_MAP_NONE; i++)
		stack = pv_stacks_child(&m->stacks, stack, ids[i]);
	return stack;
}

/*
 * *ret_method: of the frame, 0: out of memory. *at: the node of the innermost place so far, and with
 * this frame.
 */
static uint32_t stack_child_below(
	struct pv_model *m, uint32_t stack, uint64_t key, uint32_t *ret_method, uint32_t *at)
{
	uint64_t place = 0;
	key = pv_names_function_key(&m->names, key, &place);
	*ret_method = pv_model_method(m, key);
	stack = *ret_method ? pv_stacks_child(&m->stacks, stack, *ret_method) : PV_MAP_NONE;
	if (!place || stack == PV_MAP_NONE)
		return stack;
	*at = pv_places_frame(&m->places, *at, *ret_method, place);
	if (*at == PV_MAP_NONE)
		return PV_MAP_NONE;
	return m->private->symbols ? with_inlined(m, stack, place) : stack;
}

uint32_t pv_model_stack(struct pv_model *m, const uint64_t *keys, size_t n)
{
	struct pv_model_private *p = m->private;
	size_t i = 0;
	while (i < n && i < p->memo_n && p->memo_key[i] == keys[i])
		i++;
	uint32_t stack = i ? p->memo_stack[i - 1] : 0, at = i ? p->memo_place[i - 1] : 0;
	if (i < n)
		p->memo_n = i;
	for (; i < n; i++) {
		uint32_t method;
		stack = stack_child_below(m, stack, keys[i], &method, &at);
		if (stack == PV_MAP_NONE) {
			p->memo_n = 0;
			return PV_MAP_NONE;
		}
		if (i < PV_STACK_MEMO && p->memo_n == i && !m->names.method.v[method].shared) {
			p->memo_key[i] = keys[i];
			p->memo_stack[i] = stack;
			p->memo_place[i] = at;
			p->memo_n = i + 1;
		}
	}
	p->stack_place = at;
	return stack;
}

/* Finds or makes the noted frames of p->path, the outermost (last) first. */
static uint32_t look_up_frames(struct pv_model *m, const struct pv_batch *b, uint32_t stack)
{
	struct pv_model_private *p = m->private;
	while (p->path.n && stack != PV_MAP_NONE) {
		uint32_t at = p->path.v[--p->path.n];
		uint32_t method = pv_model_method(m, b->frames.v[at].method);
		stack = method ? pv_stacks_child(&m->stacks, stack, method) : PV_MAP_NONE;
		p->frame.v[at] = stack;
	}
	return stack;
}

uint32_t pv_model_frame(struct pv_model *m, const struct pv_batch *b, uint32_t at)
{
	struct pv_model_private *p = m->private;
	size_t more = b->frames.n - p->frame.n;
	if (!pv_reserve(&p->frame, more))
		return PV_MAP_NONE;
	for (; p->frame.n < b->frames.n; p->frame.n++)
		p->frame.v[p->frame.n] = PV_MAP_NONE;
	p->path.n = 0;
	for (; p->frame.v[at] == PV_MAP_NONE; at = b->frames.v[at].caller - 1) {
		if (!pv_reserve(&p->path, 1))
			return PV_MAP_NONE;
		p->path.v[p->path.n++] = at;
		if (b->frames.v[at].caller == 0)
			return look_up_frames(m, b, 0);
	}
	return look_up_frames(m, b, p->frame.v[at]);
}

void pv_model_forget_frames(struct pv_model *m)
{
	m->private->frame.n = 0;
	m->private->spans.turn++;
}
