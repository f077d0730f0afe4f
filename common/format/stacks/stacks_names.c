/* SPDX-License-Identifier: MIT */
/* Maps names to keys. A name is parsed once: its meaning is kept by its number. */
#include "common/format/stacks/stacks_names.h"

#include <string.h>

#include "common/format/stacks/stack_clr.h"
#include "common/format/stacks/stacks_text.h"

void pv_stack_names_finish(struct pv_stack_names *x)
{
	pv_intern_finish(&x->names);
	pv_intern_finish(&x->objects);
	pv_intern_finish(&x->comms);
	pv_array_finish(&x->meant);
	pv_map_finish(&x->key_of);
	pv_map_finish(&x->comm_of);
}

bool pv_stack_is_made_code(struct pv_text object)
{
	static const char map[] = ".map", memfd[] = "/memfd:doublemapper";
	const char *slash = object.len ? memrchr(object.at, '/', object.len) : NULL;
	if (!slash)
		return false;
	size_t n = (size_t)(object.at + object.len - slash);
	if (n == sizeof memfd - 1 && memcmp(slash, memfd, n) == 0)
		return true;
	return n > 6 && memcmp(slash, "/perf-", 6) == 0 &&
	       memcmp(object.at + object.len - 4, map, 4) == 0;
}

static bool object_of(struct pv_stack_names *x, struct pv_text path, struct pv_stack_method *ret)
{
	size_t known = x->objects.text.n;
	if (path.len == 0 || known >= PV_STACK_OBJECTS)
		return true;
	if (!pv_intern_add(&x->objects, path.at, path.len, &ret->object))
		return false;
	ret->new_object = x->objects.text.n != known;
	return true;
}

/* Decides how a new name is shown. */
static bool decide_shown_name(
	struct pv_stack_names *x, uint32_t raw, struct pv_text name, struct pv_text object)
{
	char room[PV_STACK_CLR_ROOM];
	uint32_t shown = raw;
	enum pv_tier tier = PV_TIER_UNKNOWN;
	bool made = pv_stack_is_made_code(object);
	/* Up to its NUL: further bytes are not part of the interned name. */
	bool chain = made && memmem(name.at, strnlen(name.at, name.len), "->", 2);
	size_t n = made && !chain ? pv_stack_clr_name(name, room, &tier) : 0;
	if (n && !pv_intern_add(&x->names, room, n, &shown))
		return false;
	while (x->meant.n < x->names.text.n || x->meant.n <= raw) {
		if (!pv_reserve(&x->meant, 1))
			return false;
		x->meant.v[x->meant.n++] = (struct pv_stack_meant){ .shown = 0 };
	}
	x->meant.v[raw] = (struct pv_stack_meant){
		.shown = shown + 1, .tier = (uint8_t)tier, .chain = chain
	};
	return true;
}

static bool key_of_pair(
	struct pv_stack_names *x, uint32_t name, uint32_t object, uint64_t *ret, bool *ret_new)
{
	uint64_t pair = (uint64_t)name << 16 | object;
	uint32_t number = pv_map_get(&x->key_of, pair);
	*ret_new = number == PV_MAP_NONE;
	if (*ret_new && !pv_map_set(&x->key_of, pair, number = ++x->keys))
		return false;
	*ret = object * PV_STACK_OBJECT_SIZE + number;
	return true;
}

/* An entry of the cache, by the length and eight letters each at the beginning, middle and end. */
static uint32_t *recent_of(struct pv_stack_names *x, struct pv_text name)
{
	uint64_t part[3];
	memcpy(&part[0], name.at, sizeof part[0]);
	memcpy(&part[1], name.at + name.len / 2 - 4, sizeof part[1]);
	memcpy(&part[2], name.at + name.len - sizeof part[2], sizeof part[2]);
	uint64_t h = pv_hash(part[0] ^ part[1] * 3 ^ part[2] * 5 ^ name.len);
	return &x->recent[h % PV_STACK_RECENT];
}

/* The name's number; most names have come recently. */
static bool raw_of(struct pv_stack_names *x, struct pv_text name, uint32_t *ret)
{
	if (name.len < sizeof(uint64_t) || name.len > PV_INTERN_LESS)
		return pv_intern_add(&x->names, name.at, name.len, ret);
	uint32_t *recent = recent_of(x, name);
	const char *text = *recent ? pv_intern_text(&x->names, *recent - 1) : "";
	*ret = *recent - 1;
	if (strlen(text) == name.len && memcmp(text, name.at, name.len) == 0)
		return true;
	if (!pv_intern_add(&x->names, name.at, name.len, ret))
		return false;
	*recent = *ret + 1;
	return true;
}

bool pv_stack_names_method(struct pv_stack_names *x, struct pv_text name, struct pv_text object,
	struct pv_stack_method *ret)
{
	static const struct pv_text other = { "(other)", 7 }, nameless = { "(no name)", 9 };
	uint32_t raw;
	bool again = false;
	*ret = (struct pv_stack_method){ .is_new = false };
	if (x->keys >= PV_STACK_TEXT_NAMES || x->names.text.n >= PV_STACK_TEXT_NAMES ||
		x->names.arena.bytes >= PV_STACK_TEXT_NAME_BYTES) {
		name = other;
		object.len = 0;
	}
	if (name.len == 0 || !*name.at) /* names end at a NUL */
		name = nameless;
	if (!raw_of(x, name, &raw))
		return false;
	again = raw < x->meant.n && x->meant.v[raw].shown;
	if (!again && !decide_shown_name(x, raw, name, object))
		return false;
	struct pv_stack_meant *m = &x->meant.v[raw];
	ret->name = m->shown - 1;
	ret->chain = m->chain;
	/* Nearly all names come again with the same file. */
	if (m->chain || (m->key && pv_intern_is(&x->objects, m->object, object.at, object.len))) {
		ret->key = m->key;
		ret->object = m->object;
		return true;
	}
	if (!object_of(x, object, ret))
		return false;
	m->object = ret->object;
	if (!key_of_pair(x, ret->name, ret->object, &m->key, &ret->is_new))
		return false;
	ret->key = m->key;
	ret->tier = again ? PV_TIER_UNKNOWN : m->tier;
	return true;
}

bool pv_stack_names_thread(struct pv_stack_names *x, uint64_t thread, struct pv_text name,
	struct pv_text *ret, bool *ret_new)
{
	uint32_t id = 0, known = pv_map_get(&x->comm_of, thread);
	*ret_new = false;
	if (name.len == 0 || !*name.at)
		name = (struct pv_text){ "(no name)", 9 };
	if (known != PV_MAP_NONE && pv_intern_is(&x->comms, known, name.at, name.len))
		return true;
	if ((known == PV_MAP_NONE && x->comm_of.n >= PV_STACK_COMMS) ||
		x->comms.text.n >= PV_STACK_COMMS)
		return true;
	if (!pv_intern_add(&x->comms, name.at, name.len, &id) ||
		!pv_map_set(&x->comm_of, thread, id))
		return false;
	*ret_new = true;
	const char *text = pv_intern_text(&x->comms, id);
	*ret = (struct pv_text){ text, strlen(text) };
	return true;
}
