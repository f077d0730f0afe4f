/* SPDX-License-Identifier: MIT */
/* Figures by thread, stack and class, and their sums. */
#include "common/export/profile.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/text/showable.h"

const struct pv_measure pv_measures[PV_MEASURES] = {
	{ "samples", "samples", "count", "samples", PV_GROUP_OF_SAMPLES, 0 },
	{ "cpu", "cpu", "nanoseconds", "time by samples", PV_GROUP_OF_SAMPLES, 1 },
	{ "calls", "calls", "count", "calls", PV_GROUP_OF_CALLS, 0 },
	{ "self", "self", "nanoseconds", "self time of calls", PV_GROUP_OF_CALLS, 1 },
	{ "alloc_objects", "alloc_objects", "count", "allocations", PV_GROUP_OF_ALLOCS, 0 },
	{ "alloc_bytes", "alloc_space", "bytes", "allocated bytes", PV_GROUP_OF_ALLOCS, 1 },
	{ "contentions", "contentions", "count", "contentions", PV_GROUP_OF_WAITS, 0 },
	{ "lock_wait", "delay", "nanoseconds", "time waited for locks", PV_GROUP_OF_WAITS, 1 },
	{ "exceptions", "exceptions", "count", "exceptions", PV_GROUP_OF_THROWS, 0 },
	{ "live_objects", "inuse_objects", "count", "objects alive", PV_GROUP_OF_HEAP, 0 },
	{ "live_bytes", "inuse_space", "bytes", "bytes alive", PV_GROUP_OF_HEAP, 1 },
};

int pv_measure_of(const char *name)
{
	for (int i = 0; i < PV_MEASURES; i++)
		if (strcmp(pv_measures[i].name, name) == 0)
			return i;
	return -1;
}

bool pv_profile_init(struct pv_profile *p)
{
	unsigned all;
	*p = (struct pv_profile){ 0 };
	if (!pv_reserve(&p->node, 1))
		return false;
	p->node.v[p->node.n++] = (struct pv_profile_node){ 0 };
	return pv_profile_thread(p, 0, "", &all);
}

void pv_profile_clear(struct pv_profile *p)
{
	pv_intern_finish(&p->text);
	pv_arena_finish(&p->arena);
	pv_profile_frames_finish(&p->frame);
	pv_array_finish(&p->node);
	pv_array_finish(&p->sample);
	pv_map_finish(&p->child);
	pv_filter_free(p->filter);
	pv_array_finish(&p->holds);
	pv_name_places_finish(&p->places);
	pv_array_finish(&p->thread);
	pv_array_finish(&p->row);
	pv_map_finish(&p->row_of);
	pv_array_finish(&p->order);
	*p = (struct pv_profile){ 0 };
}

bool pv_profile_thread(struct pv_profile *p, uint64_t id, const char *name, unsigned *ret)
{
	char *shown = pv_showable_text(name);
	const char *kept = shown ? pv_arena_copy(&p->arena, shown, strlen(shown)) : NULL;
	free(shown);
	if (!kept || !pv_reserve(&p->thread, 1))
		return false;
	*ret = (unsigned)p->thread.n;
	p->thread.v[p->thread.n++] = (struct pv_profile_thread){ id, kept };
	return true;
}

bool pv_profile_filter(struct pv_profile *p, const char *text, struct pv_error *reterr)
{
	struct pv_filter_error wrong;
	p->filter = pv_filter_make(text, PV_FILTER_WORDS, NULL, 0, &wrong);
	if (p->filter)
		return true;
	return pv_fail(reterr, wrong.no_memory ? PV_ENOMEM : PV_EUSAGE, 0,
		"--filter, character %zu: %s", wrong.at + 1, wrong.what);
}

bool pv_profile_holds(struct pv_profile *p, uint32_t frame, uint64_t terms)
{
	const uint32_t text = pv_profile_frame_of(p, frame)->text;
	if (p->holds.n <= text && !pv_reserve(&p->holds, text + 1 - p->holds.n))
		return false;
	while (p->holds.n <= text)
		p->holds.v[p->holds.n++] = 0;
	p->holds.v[text] |= terms;
	return true;
}

/* For frames from no log only the text is known. */
static uint64_t bits_held(const struct pv_profile *p, uint32_t parent, uint32_t frame)
{
	static const struct pv_column plain = { .unit = PV_UNIT_TEXT };
	if (!p->filter)
		return 0;
	const uint32_t text = pv_profile_frame_of(p, frame)->text;
	uint64_t own = text < p->holds.n ? p->holds.v[text] : 0;
	own |= pv_name_bits(p->filter, &plain, pv_intern_text(&p->text, text), NULL, NULL);
	return own | (p->node.v[parent].holds & ~pv_filter_bits_of(p->filter, PV_FILTER_SITE));
}

bool pv_profile_child(struct pv_profile *p, uint32_t parent, uint32_t frame, uint32_t *ret)
{
	uint64_t key = (uint64_t)parent << 32 | frame;
	*ret = pv_map_get(&p->child, key);
	if (*ret != PV_MAP_NONE)
		return true;
	*ret = (uint32_t)p->node.n;
	if (!pv_reserve(&p->node, 1) || !pv_map_set(&p->child, key, *ret))
		return false;
	p->node.v[p->node.n++] = (struct pv_profile_node){ .parent = parent,
		.frame = frame,
		.depth = p->node.v[parent].depth + 1,
		.holds = bits_held(p, parent, frame) };
	return true;
}

static uint64_t row_key(uint32_t node, unsigned thread, unsigned group)
{
	return (uint64_t)group << 48 | (uint64_t)thread << 32 | node;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

bool pv_profile_count(struct pv_profile *p, uint32_t node, unsigned thread, unsigned group,
	const uint64_t value[2])
{
	if ((!value[0] && !value[1]) ||
		(p->filter && !pv_filter_passes_bits(p->filter, p->node.v[node].holds)))
		return true;
	uint32_t at = pv_map_get(&p->row_of, row_key(node, thread, group));
	if (at == PV_MAP_NONE) {
		at = (uint32_t)p->row.n;
		if (!pv_reserve(&p->row, 1) ||
			!pv_map_set(&p->row_of, row_key(node, thread, group), at))
			return false;
		p->row.v[p->row.n++] = (struct pv_profile_row){
			.node = node, .thread = (uint16_t)thread, .group = (uint16_t)group
		};
	}
	for (unsigned i = 0; i < PV_VALUES; i++)
		p->row.v[at].value[i] = plus(p->row.v[at].value[i], value[i]);
	return true;
}

bool pv_profile_has(const struct pv_profile *p, const struct pv_measure *m)
{
	bool timed = m->group != PV_GROUP_OF_SAMPLES || m->value == 0 || p->period_ns;
	return p->groups & 1u << m->group && timed;
}

/* --- sums */

static uint32_t row_place(const struct pv_profile_row *r)
{
	return (uint32_t)r->group << 16 | r->thread;
}

size_t pv_profile_rows(
	const struct pv_profile *p, unsigned group, unsigned thread, size_t *ret_first)
{
	size_t from = 0, to = p->row.n, end;
	while (from < to) {
		size_t at = from + (to - from) / 2;
		if (row_place(&p->row.v[at]) < (group << 16 | thread))
			from = at + 1;
		else
			to = at;
	}
	*ret_first = from;
	for (end = from;
		end < p->row.n && p->row.v[end].group == group && p->row.v[end].thread == thread;
		end++)
		;
	return end - from;
}

uint64_t pv_profile_sum_of(const struct pv_profile *p, const struct pv_measure *m, unsigned thread)
{
	size_t first, n = pv_profile_rows(p, m->group, thread, &first);
	uint64_t sum = 0;
	for (size_t i = first; i < first + n; i++)
		sum = plus(sum, p->row.v[i].value[m->value]);
	return sum;
}

uint64_t pv_profile_sum(const struct pv_profile *p, const struct pv_measure *m)
{
	uint64_t sum = 0;
	for (unsigned t = 0; t < p->thread.n; t++)
		sum = plus(sum, pv_profile_sum_of(p, m, t));
	return sum;
}

/* --- stacks */

size_t pv_profile_stack(const struct pv_profile *p, uint32_t node, uint32_t frame[PV_STACK_FRAMES],
	uint32_t *ret_class)
{
	const struct pv_profile_node *v = p->node.v;
	*ret_class = 0;
	if (v[node].frame & PV_FRAME_CLASS) {
		*ret_class = v[node].frame;
		node = v[node].parent;
	}
	size_t n = v[node].depth < PV_STACK_FRAMES ? v[node].depth : PV_STACK_FRAMES;
	for (size_t i = n; i-- > 0; node = v[node].parent)
		frame[i] = v[node].frame;
	if (node)
		frame[0] = PV_FRAME_CUT;
	return n;
}
