/* SPDX-License-Identifier: MIT */
/* Stacks, and the methods at their addresses. */
#include "common/format/nettrace/nettrace_parts.h"

enum { FEW = 4096 /* waiting addresses that are looked up after every new method */ };

/* --- stacks */

void nt_forget_stacks(struct nettrace *d)
{
	d->stack.n = d->frame.n = 0;
	pv_map_clear(&d->stack_of);
}

/* A stack of more than NT_CUT frames comes from a tool without this limit, and is whole. */
static bool keep_stack(struct nettrace *d, uint32_t id, struct pv_cursor *c, uint32_t frames)
{
	uint32_t n = frames < NT_FRAMES ? frames : NT_FRAMES;
	bool cut = frames == NT_CUT || frames > NT_FRAMES;
	if (d->frame.n + 2 * (size_t)n > NT_STACK_WORDS)
		return true; /* too many frames: events have no stack */
	if (!pv_reserve(&d->stack, 1) || !pv_reserve(&d->frame, 2 * (size_t)n) ||
		!pv_map_set(&d->stack_of, id, (uint32_t)d->stack.n)) {
		d->nomem = true;
		return false;
	}
	d->stack.v[d->stack.n++] = (struct nt_stack){ (uint32_t)d->frame.n, n, cut, UINT64_MAX };
	for (uint32_t i = 0; i < n; i++)
		d->frame.v[d->frame.n++] = nt_pointer(d, c);
	d->frame.n += n;
	return true;
}

const char *nt_stacks(struct nettrace *d, const uint8_t *bytes, size_t n)
{
	struct pv_cursor c = { .at = bytes, .end = bytes + n };
	uint32_t id = pv_get_u32(&c), left = pv_get_u32(&c);
	for (; left && pv_cursor_ok(&c); left--, id++) {
		uint32_t size = pv_get_u32(&c);
		const uint8_t *at = pv_get_bytes(&c, size);
		if (!at)
			break;
		struct pv_cursor one = { .at = at, .end = at + size };
		if (!keep_stack(d, id, &one, size / d->pointer))
			return NULL;
	}
	return pv_cursor_ok(&c) ? NULL : "a stack that goes beyond its block";
}

/* --- methods */

void nt_add_code(struct nettrace *d, uint64_t key, uint64_t start, uint32_t size, uint32_t name)
{
	uint32_t at = pv_map_get(&d->method_of, key);
	if (at == PV_MAP_NONE || d->method.v[at].name != name) {
		at = (uint32_t)d->method.n;
		if (at >= NT_METHODS)
			return;
		if (!pv_reserve(&d->method, 2) || !pv_map_set(&d->method_of, key, at ? at : 1)) {
			d->nomem = true;
			return;
		}
		if (at == 0) /* a range's value is not 0 */
			d->method.v[d->method.n++] = (struct nt_method){ 0 };
		at = (uint32_t)d->method.n;
		d->method.v[d->method.n++] = (struct nt_method){ .key = key, .name = name };
	}
	bool known = pv_ranges_find(&d->code, start) == at &&
		     (!size || pv_ranges_find(&d->code, start + size - 1) == at);
	if (!start || known || d->code.range.n >= NT_METHODS)
		return;
	d->nomem |= !pv_ranges_add(&d->code, start, size, at);
	d->ranges_added++;
}

static void say_name(struct pv_stream *s, uint64_t key, uint32_t name, uint64_t offset)
{
	struct nettrace *d = nt_of(s);
	const char *text = pv_intern_text(&d->text, name);
	struct pv_event *e = nt_add(s, PV_KIND_METHOD_NAME, offset);
	if (!e)
		return;
	e->meta.key = key;
	e->meta.name = (struct pv_text){ text, strlen(text) };
}

static void wait_for_name(struct nettrace *d, uint64_t address)
{
	if (d->waiting.n >= NT_ADDRESSES || pv_map_get(&d->waits, address) != PV_MAP_NONE)
		return;
	if (!pv_reserve(&d->waiting, 1) || !pv_map_set(&d->waits, address, 1))
		d->nomem = true;
	else
		d->waiting.v[d->waiting.n++] = address;
}

static uint64_t named_key(struct pv_stream *s, uint32_t at, uint64_t offset)
{
	struct nt_method *m = &nt_of(s)->method.v[at];
	if (!m->named) {
		m->named = true;
		say_name(s, m->key, m->name, offset);
	}
	return m->key;
}

/* The key of the method at an address, which is named; without a method, the address. */
static uint64_t key_at(struct pv_stream *s, uint64_t address, uint64_t offset)
{
	struct nettrace *d = nt_of(s);
	uint32_t at = pv_ranges_find(&d->code, address);
	if (at)
		return named_key(s, at, offset);
	wait_for_name(d, address);
	return address;
}

uint64_t nt_method_key(struct pv_stream *s, uint64_t method, uint64_t address, uint64_t offset)
{
	uint32_t at = pv_map_get(&nt_of(s)->method_of, method);
	return at != PV_MAP_NONE ? named_key(s, at, offset) : key_at(s, address, offset);
}

void nt_name_addresses(struct pv_stream *s, uint64_t offset, bool all)
{
	struct nettrace *d = nt_of(s);
	uint64_t more = d->ranges_added - d->ranges_met;
	if (more == 0 || (!all && d->waiting.n > FEW && more < d->waiting.n / 2))
		return;
	size_t to = 0;
	for (size_t i = 0; i < d->waiting.n; i++) {
		uint64_t address = d->waiting.v[i];
		uint32_t at = pv_ranges_find(&d->code, address);
		if (at) {
			nt_il_known(s, address, offset);
			say_name(s, address, d->method.v[at].name, offset);
		} else {
			d->waiting.v[to++] = address;
		}
	}
	d->waiting.n = to;
	d->ranges_met = d->ranges_added;
}

/* --- frames of an event */

/* A calling frame lies before its return address, which may be the next method's. */
static void look_up_keys(struct pv_stream *s, struct nt_stack *k, uint64_t offset)
{
	struct nettrace *d = nt_of(s);
	uint64_t *ip = d->frame.v + k->at, *key = ip + k->n;
	for (uint32_t i = 0; i < k->n; i++)
		key[i] = key_at(s, i && ip[i] ? ip[i] - 1 : ip[i], offset);
	k->known = d->ranges_added;
}

static void say_cut(struct pv_stream *s, uint64_t offset)
{
	struct nettrace *d = nt_of(s);
	static const char text[] = "(frames that were cut off)";
	uint32_t name = nt_intern(d, text, sizeof text - 1);
	if (pv_map_get(&d->waits, NT_OUTER) != PV_MAP_NONE)
		return;
	d->nomem |= !pv_map_set(&d->waits, NT_OUTER, 1);
	say_name(s, NT_OUTER, name, offset);
}

uint32_t nt_stack_depth(const struct nettrace *d, const struct nt_blob *b)
{
	uint32_t at = b->stack ? pv_map_get(&d->stack_of, b->stack) : PV_MAP_NONE;
	return at == PV_MAP_NONE ? 0 : d->stack.v[at].n;
}

struct pv_span nt_stack(struct pv_stream *s, const struct nt_blob *b, bool outermost_first)
{
	struct nettrace *d = nt_of(s);
	struct pv_batch *to = &s->batch;
	uint32_t at = b->stack ? pv_map_get(&d->stack_of, b->stack) : PV_MAP_NONE;
	if (at == PV_MAP_NONE)
		return (struct pv_span){ 0, 0 };
	struct nt_stack *k = &d->stack.v[at];
	if (k->n == 0) /* else d->frame may have no memory */
		return (struct pv_span){ 0, 0 };
	if (k->known != d->ranges_added)
		look_up_keys(s, k, b->offset);
	uint32_t n = k->n, cut = k->cut;
	if (cut)
		say_cut(s, b->offset);
	if (!pv_reserve(&to->pool, (size_t)n + 1)) {
		d->nomem = true;
		return (struct pv_span){ 0, 0 };
	}
	const struct pv_span ret = { (uint32_t)to->pool.n, n + cut };
	const uint64_t *key = d->frame.v + k->at + k->n;
	if (cut && outermost_first)
		to->pool.v[to->pool.n++] = NT_OUTER;
	for (uint32_t i = 0; i < n; i++)
		to->pool.v[to->pool.n++] = key[outermost_first ? n - 1 - i : i];
	if (cut && !outermost_first)
		to->pool.v[to->pool.n++] = NT_OUTER;
	return ret;
}
