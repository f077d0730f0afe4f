/* SPDX-License-Identifier: MIT */
/* Chooses the buffers of a range, and follows the stacks of threads over those left out. */
#include "common/ingest/again/range_plan.h"

#include "common/base/saturate.h"

void pv_plan_finish(struct pv_plan *p)
{
	for (size_t i = 0; i < p->thread.n; i++)
		pv_array_finish(&p->thread.v[i].key);
	pv_array_finish(&p->thread);
	pv_map_finish(&p->thread_at);
}

static struct pv_plan_thread *thread_of(struct pv_plan *p, uint64_t id)
{
	uint32_t at = pv_map_get(&p->thread_at, id);
	if (at != PV_MAP_NONE)
		return &p->thread.v[at];
	at = (uint32_t)p->thread.n;
	if (!pv_reserve(&p->thread, 1) || !pv_map_set(&p->thread_at, id, at))
		return NULL;
	p->thread.v[p->thread.n++] =
		(struct pv_plan_thread){ .id = id, .oldest_ns = INT64_MAX, .newest_ns = INT64_MIN };
	return &p->thread.v[at];
}

static size_t changes_end(const struct pv_buffers *t, const struct pv_buffer_row *r)
{
	for (r++; r < t->row.v + t->row.n; r++)
		if (!(r->flags & PV_BUFFER_DAMAGE))
			return r->change;
	return t->change.n;
}

/*
 * Whether the range has no part of the change and the time since the thread's last call event: both
 * lie before the range, or both after.
 */
static bool is_outside(const struct pv_plan *p, const struct pv_buffer_change *c, int64_t last_ns)
{
	if (c->min_ns > c->max_ns)
		return true;
	int64_t until_ns = pv_sat_add(p->to_ns, p->lag_ns);
	return (c->max_ns < p->from_ns && last_ns < p->from_ns) ||
	       (c->min_ns >= until_ns && last_ns >= until_ns);
}

static bool is_needed(struct pv_plan *p, const struct pv_buffer_row *r, bool *ret_ok)
{
	const struct pv_buffers *t = p->table;
	*ret_ok = true;
	if (r->flags)
		return true;
	for (size_t i = r->change, end = changes_end(t, r); i < end; i++) {
		const struct pv_plan_thread *th = thread_of(p, t->change.v[i].thread);
		*ret_ok = th != NULL;
		if (!th || !is_outside(p, &t->change.v[i], th->last_ns))
			return true;
	}
	return false;
}

/* Sets the thread's stack to that after the change. */
static bool follow_change(struct pv_plan *p, const struct pv_buffer_change *c, bool was_read)
{
	struct pv_plan_thread *th = thread_of(p, c->thread);
	if (!th)
		return false;
	if (th->key.n > c->keep)
		th->key.n = c->keep;
	if (th->known > c->keep)
		th->known = c->keep;
	if (!pv_reserve(&th->key, c->frames))
		return false;
	for (size_t i = 0; i < c->frames; i++)
		th->key.v[th->key.n++] = p->method_key[p->table->frame.v[c->frame + i]];
	th->too_deep = c->too_deep;
	th->last_ns = c->last_ns;
	th->oldest_ns = c->min_ns < th->oldest_ns ? c->min_ns : th->oldest_ns;
	th->newest_ns = c->max_ns > th->newest_ns ? c->max_ns : th->newest_ns;
	if (was_read)
		th->known = th->key.n;
	else
		th->skipped = true;
	return true;
}

static bool follow_row(struct pv_plan *p, const struct pv_buffer_row *r, bool was_read)
{
	for (size_t i = r->change, end = changes_end(p->table, r); i < end; i++)
		if (!follow_change(p, &p->table->change.v[i], was_read))
			return false;
	return true;
}

const struct pv_buffer_row *pv_plan_next(struct pv_plan *p, bool *ret_ok)
{
	*ret_ok = true;
	for (; p->row < p->table->row.n; p->row++) {
		const struct pv_buffer_row *r = &p->table->row.v[p->row];
		bool needed = is_needed(p, r, ret_ok);
		if (needed && r->offset < p->floor && !(r->flags & PV_BUFFER_DAMAGE)) {
			needed = false;
			p->gone = r->offset + r->bytes;
		}
		if (*ret_ok && needed) {
			p->row++;
			return r;
		}
		*ret_ok = *ret_ok && follow_row(p, r, false);
		if (!*ret_ok)
			return NULL;
	}
	return NULL;
}

static bool finish_thread(struct pv_model *m, struct pv_plan_thread *th)
{
	if (!th->skipped)
		return true;
	const struct pv_stand s = { .thread = th->id,
		.keep = th->known,
		.keys = th->key.v + th->known,
		.n = th->key.n - th->known,
		.too_deep = th->too_deep,
		.last_ns = th->last_ns,
		.oldest_ns = th->oldest_ns,
		.newest_ns = th->newest_ns };
	th->skipped = false;
	th->known = th->key.n;
	return pv_model_stand(m, &s);
}

bool pv_plan_set_threads(struct pv_plan *p, struct pv_model *m, const struct pv_buffer_row *r)
{
	bool ok = true;
	if (!r || r->flags & (PV_BUFFER_ALL | PV_BUFFER_DAMAGE)) {
		for (size_t i = 0; ok && i < p->thread.n; i++)
			ok = finish_thread(m, &p->thread.v[i]);
		return ok;
	}
	for (size_t i = r->change, end = changes_end(p->table, r); ok && i < end; i++) {
		struct pv_plan_thread *th = thread_of(p, p->table->change.v[i].thread);
		ok = th && finish_thread(m, th);
	}
	return ok;
}

bool pv_plan_done(struct pv_plan *p, const struct pv_buffer_row *r)
{
	if (!(r->flags & PV_BUFFER_DAMAGE))
		return follow_row(p, r, true);
	for (size_t i = 0; i < p->thread.n; i++)
		p->thread.v[i].key.n = p->thread.v[i].known = 0;
	return true;
}

bool pv_plan_bytes(const struct pv_plan *p, uint64_t *ret)
{
	struct pv_plan walk = { .table = p->table,
		.method_key = p->method_key,
		.from_ns = p->from_ns,
		.to_ns = p->to_ns,
		.lag_ns = p->lag_ns,
		.floor = p->floor };
	const struct pv_buffer_row *r;
	uint64_t bytes = 0;
	bool ok;
	while ((r = pv_plan_next(&walk, &ok)) != NULL && ok) {
		bytes += r->flags & PV_BUFFER_DAMAGE ? 0 : r->bytes;
		ok = pv_plan_done(&walk, r);
		if (!ok)
			break;
	}
	pv_plan_finish(&walk);
	*ret = bytes;
	return ok;
}
