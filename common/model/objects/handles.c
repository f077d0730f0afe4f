/* SPDX-License-Identifier: MIT */
/* Applies the making and freeing of GC handles, by type and site. */
#include "common/model/objects/handles.h"

#include "common/model/ground/inside.h"
#include "common/model/objects/gc_parts.h"
#include "common/model/objects/address_log_parts.h"
#include "common/model/calls/stacks_fold.h"

static enum pv_handle_type handle_type(const struct pv_event *e)
{
	return e->handle.type < PV_HANDLE_OTHER ? (enum pv_handle_type)e->handle.type
						: PV_HANDLE_OTHER;
}

/* Class and stack ids stay far below 2^30. */
static uint64_t site_key(const struct pv_handle_site *s)
{
	uint64_t who = s->other ? UINT64_MAX >> 4 : (uint64_t)s->class_use << 30 | s->stack;
	return (uint64_t)s->type << 60 | who;
}

/* Index of the site, made when new; PV_MAP_NONE when out of memory. */
static uint32_t site_of(struct pv_handles *h, struct pv_handle_site said)
{
	const struct pv_handle_site *last = h->last < h->site.n ? &h->site.v[h->last] : NULL;
	if (last && last->type == said.type && last->class_use == said.class_use &&
		last->stack == said.stack && !last->other && !said.other)
		return h->last;
	uint32_t at = pv_map_get(&h->site_of, site_key(&said));
	if (at == PV_MAP_NONE && h->site.n >= h->site_cap) {
		said = (struct pv_handle_site){ .type = said.type, .other = true };
		at = pv_map_get(&h->site_of, site_key(&said));
		h->folded_sites++;
	}
	if (at != PV_MAP_NONE)
		return h->last = at;
	at = (uint32_t)h->site.n;
	if (!pv_reserve(&h->site, 1) || !pv_map_set(&h->site_of, site_key(&said), at))
		return PV_MAP_NONE;
	h->site.v[h->site.n++] = said;
	return at;
}

/* The handle of this number; *ret NULL beyond the cap. False: out of memory. */
static bool handle_of(struct pv_handles *h, const struct pv_event *e, struct pv_handle **ret)
{
	uint64_t key = e->handle.type << 32 | (e->handle.handle & UINT32_MAX);
	uint32_t at = pv_map_get(&h->handle_of, key);
	*ret = at == PV_MAP_NONE ? NULL : &h->handle.v[at];
	if (*ret || h->handle.n >= h->cap)
		return true;
	at = (uint32_t)h->handle.n;
	if (!pv_reserve(&h->handle, 1) || !pv_map_set(&h->handle_of, key, at))
		return false;
	*ret = &h->handle.v[h->handle.n++];
	**ret = (struct pv_handle){ 0 };
	return true;
}

static void end_handle(struct pv_handles *h, struct pv_handle *x)
{
	struct pv_handle_site *s = &h->site.v[x->site];
	s->live--;
	h->type[s->type].live--;
	x->alive = false;
}

/* True if the handle made at `time` is alive as far as the log has been read. */
static bool begin_handle(struct pv_handles *h, struct pv_handle *x, int64_t time)
{
	if (x->early && time <= x->since_ns) {
		x->early--; /* the end of this handle came early */
		return false;
	}
	x->early = 0;
	if (!x->alive)
		return true;
	x->owed++; /* an end, of this handle or the one before, is in a buffer still to come */
	h->owed++;
	if (time < x->since_ns)
		return false;
	end_handle(h, x);
	return true;
}

/* --- objects whose allocation comes after their use */

/* Counts a handle as if its class had been known at once. */
static bool classify(struct pv_context *x, const struct pv_unresolved_event *w, uint32_t class_use)
{
	struct pv_handles *h = &x->m->handles;
	uint32_t from = w->what[0], number = w->what[1];
	struct pv_handle_site said = h->site.v[from];
	h->unknown_class -= w->unknown;
	said = (struct pv_handle_site){ said.type, false, class_use, said.stack, 0, 0 };
	uint32_t to = h->site.v[from].other ? from : site_of(h, said);
	if (to == PV_MAP_NONE)
		return false;
	struct pv_handle_site *old = &h->site.v[from], *site = &h->site.v[to];
	struct pv_handle *handle = number < h->handle.n ? &h->handle.v[number] : NULL;
	old->created--;
	site->created++;
	if (handle && handle->alive && handle->site == from && handle->since_ns == w->time_ns) {
		handle->site = to;
		old->live--;
		site->live++;
	}
	return true;
}

static bool handle_allocated(
	struct pv_context *x, uint64_t object, uint32_t class_use, bool *ret_same)
{
	(void)ret_same; /* only the row of a lock stays asked for */
	return pv_unresolved_resolve(x, &x->m->handles.waiting, object, class_use, classify);
}

const struct pv_object_listener pv_handles_listener = { handle_allocated, NULL };

/* --- events */

static bool created(struct pv_context *x, const struct pv_event *e)
{
	struct pv_handles *h = &x->m->handles;
	bool typed = pv_said_type(x, e->handle.object) != 0;
	if (!x->counts)
		return typed || pv_unresolved_add(x, &h->waiting, e->handle.object, 0, 0);
	struct pv_handle_site said = { .type = (uint8_t)handle_type(e),
		.class_use = pv_class_of_address_at(x, e->handle.object),
		.stack = pv_stack_of(x, e->handle.stack) };
	struct pv_handle *handle;
	if (said.stack == PV_MAP_NONE || !handle_of(h, e, &handle))
		return false;
	uint32_t site = site_of(h, said);
	if (site == PV_MAP_NONE)
		return false;
	struct pv_handle_sum *sum = &h->type[said.type];
	sum->created++;
	h->site.v[site].created++;
	h->unknown_class += said.class_use == 0;
	h->without_stack += said.stack == 0;
	uint32_t number = handle ? (uint32_t)(handle - h->handle.v) : UINT32_MAX;
	if (!typed && !pv_unresolved_add(x, &h->waiting, e->handle.object, site, number))
		return false;
	if (!handle) {
		h->folded++;
		return true;
	}
	if (!begin_handle(h, handle, x->time))
		return true;
	handle->alive = true;
	handle->site = site;
	handle->since_ns = x->time;
	h->site.v[site].live++;
	if (++sum->live > sum->most)
		sum->most = sum->live;
	return true;
}

/* Any thread may free a handle: a restriction to a thread concerns the handles that it made. */
static bool destroyed(struct pv_context *x, const struct pv_event *e)
{
	struct pv_handles *h = &x->m->handles;
	struct pv_handle *handle;
	h->type[handle_type(e)].destroyed += x->counts;
	if (!pv_in_range(x->m, x->time))
		return true;
	if (!handle_of(h, e, &handle))
		return false;
	if (!handle)
		return true;
	if (handle->alive && handle->since_ns <= x->time) {
		end_handle(h, handle);
	} else if (handle->owed) {
		handle->owed--;
		h->owed--;
	} else if (!handle->alive) {
		bool later = !handle->early || x->time > handle->since_ns;
		handle->since_ns = later ? x->time : handle->since_ns;
		handle->early++;
	}
	return true;
}

bool pv_handles_apply(struct pv_context *x, const struct pv_event *e)
{
	return e->kind == PV_KIND_GC_HANDLE_CREATED ? created(x, e) : destroyed(x, e);
}

void pv_handles_init(struct pv_handles *h)
{
	*h = (struct pv_handles){ .cap = PV_HANDLES_CAP, .site_cap = PV_HANDLE_SITES_CAP };
}

void pv_handles_finish(struct pv_handles *h)
{
	pv_array_finish(&h->site);
	pv_array_finish(&h->handle);
	pv_unresolved_finish(&h->waiting);
	pv_map_finish(&h->handle_of);
	pv_map_finish(&h->site_of);
}

/* Stacks in use here never fold: two sites never become one. */
static void renumbered(struct pv_model *m, const uint32_t *into)
{
	struct pv_handles *h = &m->handles;
	for (size_t i = 0; i < h->site.n; i++)
		h->site.v[i].stack = into[h->site.v[i].stack];
}

static bool rebuild(struct pv_model *m)
{
	struct pv_handles *h = &m->handles;
	pv_map_clear(&h->site_of);
	for (uint32_t i = 0; i < h->site.n; i++)
		if (!pv_map_set(&h->site_of, site_key(&h->site.v[i]), i))
			return false;
	return true;
}

const struct pv_stack_listener pv_handles_stacks = { renumbered, rebuild };
