/* SPDX-License-Identifier: MIT */
/* Open throws of a thread, paired with their catches, and catches by class and method. */
#include "common/model/objects/catches.h"

#include <string.h>

#include "common/model/calls/threads.h"

bool pv_thrown_push(struct pv_thread *th, struct pv_thrown thrown)
{
	if (th->thrown.n == PV_THROWS_OPEN) {
		memmove(th->thrown.v, th->thrown.v + 1,
			(PV_THROWS_OPEN - 1) * sizeof *th->thrown.v);
		th->thrown.n--;
	}
	if (!pv_reserve(&th->thrown, 1))
		return false;
	th->thrown.v[th->thrown.n++] = thrown;
	return true;
}

bool pv_thrown_pop(struct pv_thread *th, uint64_t object, bool exact, struct pv_thrown *ret)
{
	size_t at = th->thrown.n;
	if (at == 0)
		return false;
	while (at > 0 && th->thrown.v[at - 1].object != object)
		at--;
	if (at == 0 && exact)
		return false;
	at = at > 0 ? at - 1 : th->thrown.n - 1;
	*ret = th->thrown.v[at];
	th->thrown.n = at;
	return true;
}

bool pv_catches_add(struct pv_catches *c, uint32_t class_use, uint32_t method)
{
	if (c->one.n == 0) {
		if (!pv_reserve(&c->one, 1))
			return false;
		c->one.v[c->one.n++] = (struct pv_catch){ 0 };
	}
	uint64_t key = (uint64_t)class_use << 32 | method;
	uint32_t at = pv_map_get(&c->of, key);
	if (at == PV_MAP_NONE && c->one.n >= PV_CATCHES_CAP)
		at = 0;
	if (at == PV_MAP_NONE) {
		at = (uint32_t)c->one.n;
		if (!pv_reserve(&c->one, 1) || !pv_map_set(&c->of, key, at))
			return false;
		c->one.v[c->one.n++] =
			(struct pv_catch){ .class_use = class_use, .method = method };
	}
	c->one.v[at].count++;
	return true;
}

void pv_catches_finish(struct pv_catches *c)
{
	pv_array_finish(&c->one);
	pv_map_finish(&c->of);
}
