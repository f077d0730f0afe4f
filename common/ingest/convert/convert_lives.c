/* SPDX-License-Identifier: MIT */
/* Lives of threads with the same native id: finds the life with the wanted name. */
#include "common/ingest/convert/convert_parts.h"

static struct pv_convert_life *newest_life(struct pv_convert *c, uint64_t id)
{
	uint32_t at = pv_map_get(&c->life_of, id);
	return at == PV_MAP_NONE ? NULL : &c->lives.v[at];
}

static struct pv_convert_life *add_life(struct pv_convert *c, uint64_t id, int64_t from)
{
	uint32_t at = (uint32_t)c->lives.n, before = pv_map_get(&c->life_of, id);
	if (!pv_reserve(&c->lives, 1) || !pv_map_set(&c->life_of, id, at))
		return NULL;
	c->lives.v[c->lives.n++] = (struct pv_convert_life){ .from = from, .before = before };
	return &c->lives.v[at];
}

static bool wanted_name(const struct pv_convert *c, struct pv_text name)
{
	const char *want = c->options->thread;
	return want && strlen(want) == name.len && memcmp(want, name.at, name.len) == 0;
}

/* A start opens a life, except for a thread met before its start was reported. */
bool pv_convert_live(struct pv_convert *c, const struct pv_event *e)
{
	struct pv_convert_life *life = newest_life(c, e->meta.key);
	bool over = life && (life->ended || (life->started && e->kind == PV_KIND_THREAD_START));
	if (!life)
		life = add_life(c, e->meta.key, INT64_MIN);
	else if (over && e->kind != PV_KIND_THREAD_END)
		life = add_life(c, e->meta.key, (int64_t)e->time);
	if (!life)
		return false;
	life->started |= e->kind == PV_KIND_THREAD_START;
	life->ended |= e->kind == PV_KIND_THREAD_END;
	if (e->kind == PV_KIND_THREAD_NAME && wanted_name(c, e->meta.name))
		life->wanted = c->named = true;
	return true;
}

bool pv_convert_thread(const struct pv_convert *c, uint64_t id, uint64_t time)
{
	if (!c->options->thread)
		return true;
	if (c->by_id)
		return id == c->id;
	uint32_t at = pv_map_get(&c->life_of, id);
	while (at != PV_MAP_NONE && c->lives.v[at].from > (int64_t)time &&
		c->lives.v[at].before != PV_MAP_NONE)
		at = c->lives.v[at].before;
	return at != PV_MAP_NONE && c->lives.v[at].wanted;
}
