/* SPDX-License-Identifier: MIT */
/* Applies starts, ends and names of threads; finds the epoch of an id at a time. */
#include "common/model/calls/threads.h"

#include <stdlib.h>
#include <string.h>

#include "common/model/calls/calls_open.h"
#include "common/model/ground/model_parts.h"
#include "common/model/ground/request_times.h"
#include "common/model/names/early_definitions.h"

bool pv_threads_init(struct pv_threads *t)
{
	*t = (struct pv_threads){ .cap = PV_THREADS_CAP };
	if (!pv_reserve(&t->thread, 16))
		return false;
	t->thread.v[t->thread.n++] = NULL;
	return true;
}

void pv_threads_finish(struct pv_threads *t)
{
	for (size_t i = 1; i < t->thread.n; i++) {
		pv_array_finish(&t->thread.v[i]->stack.stack);
		pv_array_finish(&t->thread.v[i]->wait);
		pv_array_finish(&t->thread.v[i]->thrown);
		pv_array_finish(&t->thread.v[i]->edge);
		pv_open_index_free(t->thread.v[i]->stack.open);
		free(t->thread.v[i]);
	}
	pv_array_finish(&t->thread);
	pv_array_finish(&t->touched);
	pv_map_finish(&t->newest);
}

static struct pv_thread *newest_epoch(const struct pv_threads *t, uint64_t id)
{
	uint32_t at = pv_map_get(&t->newest, id);
	return at == PV_MAP_NONE ? NULL : t->thread.v[at];
}

/*
 * Names may come after their use: the name counts that the thread has in a model of the whole log.
 */
static bool selected(const struct pv_model *m, const struct pv_thread *th)
{
	const struct pv_restrict *r = &m->only;
	if (r->requests && !th->of_requests)
		return false;
	if (!r->threaded)
		return true;
	for (size_t i = 0; r->threads && i < r->thread_count; i++)
		if (r->threads[i] == th->id)
			return true;
	if (r->threads)
		return false;
	if (!r->thread_name)
		return th->id == r->thread_id;
	if (!r->scout)
		return false;
	const struct pv_threads *t = &r->scout->threads;
	const struct pv_thread *known = newest_epoch(t, th->id);
	while (known && known->epoch > th->epoch)
		known = known->before ? t->thread.v[known->before] : NULL;
	return known && known->name &&
	       strcmp(pv_intern_text(&r->scout->names.text, known->name), r->thread_name) == 0;
}

/* Too many epochs: the new epoch uses the row of the epoch before. */
static struct pv_thread *reopen(struct pv_model *m, struct pv_thread *th)
{
	m->threads.folded++;
	th->start_ns = th->end_ns = PV_NEVER;
	th->named = false;
	th->outside = 0;
	th->wait.n = th->thrown.n = 0;
	th->stop = 0;
	return th;
}

static struct pv_thread *open_epoch(struct pv_model *m, uint64_t id);

/* The thread for every new id beyond the cap. */
static struct pv_thread *other_thread(struct pv_model *m)
{
	struct pv_threads *t = &m->threads;
	t->folded++;
	if (!t->other) {
		uint32_t at = (uint32_t)t->thread.n;
		if (!open_epoch(m, PV_THREAD_OTHER))
			return NULL;
		t->other = at;
	}
	return t->thread.v[t->other];
}

static struct pv_thread *open_epoch(struct pv_model *m, uint64_t id)
{
	struct pv_threads *t = &m->threads;
	uint32_t before = pv_map_get(&t->newest, id);
	struct pv_thread *old = before == PV_MAP_NONE ? NULL : t->thread.v[before];
	if (old)
		pv_calls_close(m, old);
	if (t->thread.n > t->cap && (old || id != PV_THREAD_OTHER))
		return old ? reopen(m, old) : other_thread(m);
	struct pv_thread *th = calloc(1, sizeof *th);
	uint32_t at = (uint32_t)t->thread.n;
	if (!th || !pv_reserve(&t->thread, 1) || !pv_map_set(&t->newest, id, at)) {
		free(th);
		return NULL;
	}
	th->id = id;
	th->epoch = old ? old->epoch + 1 : 1;
	th->before = old ? before : 0;
	th->index = at;
	th->name = old ? old->name : 0; /* until a start shows that it is another thread */
	th->start_ns = th->end_ns = th->first_ns = th->last_ns = PV_NEVER;
	th->of_requests = m->only.requests ? pv_request_times_thread(m->only.requests, id) : 0;
	th->selected = selected(m, th);
	t->thread.v[t->thread.n++] = th;
	return th;
}

bool pv_threads_know(struct pv_model *m, const struct pv_threads *from)
{
	for (size_t i = 1; i < from->thread.n; i++) {
		const struct pv_thread *known = from->thread.v[i];
		uint32_t at = pv_map_get(&from->newest, known->id);
		if (at != i || known->id == PV_THREAD_OTHER)
			continue;
		struct pv_thread *th = open_epoch(m, known->id);
		if (!th)
			return false;
		th->epoch = known->epoch;
		th->name = known->name;
		th->start_ns = known->start_ns;
		th->end_ns = known->end_ns;
		th->named = known->named;
		th->own = known->own;
	}
	return true;
}

struct pv_thread *pv_threads_own(struct pv_model *m, uint64_t id, int64_t time)
{
	struct pv_thread *th = newest_epoch(&m->threads, id);
	if (!th || (th->end_ns != PV_NEVER && time > th->end_ns))
		th = open_epoch(m, id);
	if (th)
		th->own = true;
	return th && pv_threads_touch(&m->threads, th) ? th : NULL;
}

bool pv_threads_touch(struct pv_threads *t, struct pv_thread *th)
{
	if (th->touched)
		return true;
	if (!pv_reserve(&t->touched, 1))
		return false;
	t->touched.v[t->touched.n++] = th->index;
	th->touched = true;
	return true;
}

/* Beginning of an epoch: the start, else the first event; PV_NEVER when neither is known. */
static int64_t began(const struct pv_thread *th)
{
	if (th->first_ns == PV_NEVER || th->start_ns == PV_NEVER)
		return th->first_ns == PV_NEVER ? th->start_ns : th->first_ns;
	return th->start_ns < th->first_ns ? th->start_ns : th->first_ns;
}

bool pv_threads_number(struct pv_threads *t, uint64_t id, uint32_t outside)
{
	struct pv_thread *th = newest_epoch(t, id);
	if (!th || th->end_ns != PV_NEVER || th->outside == outside)
		return false;
	th->outside = outside;
	return true;
}

uint32_t pv_threads_at(const struct pv_threads *t, uint64_t id, int64_t time_ns)
{
	uint32_t at = pv_map_get(&t->newest, id);
	return at == PV_MAP_NONE ? 0 : pv_threads_back(t, at, time_ns);
}

uint32_t pv_threads_back(const struct pv_threads *t, uint32_t at, int64_t time_ns)
{
	while (t->thread.v[at]->before && began(t->thread.v[at]) != PV_NEVER &&
		began(t->thread.v[at]) > time_ns)
		at = t->thread.v[at]->before;
	return at;
}

struct pv_thread *pv_threads_of(struct pv_model *m, uint64_t id, int64_t time)
{
	uint32_t at = pv_threads_at(&m->threads, id, time);
	return at ? m->threads.thread.v[at] : open_epoch(m, id);
}

/*
 * A start opens an epoch, unless the running epoch has had no start yet: threads write a few events
 * before their start, but no calls.
 */
static bool start_thread(struct pv_model *m, uint64_t id, int64_t time)
{
	struct pv_thread *th = newest_epoch(&m->threads, id);
	if (th && th->start_ns == time)
		return true; /* repeated */
	bool running = th && th->end_ns == PV_NEVER && th->start_ns == PV_NEVER &&
		       th->stack.stack.n == 0 && th->calls == 0;
	if (!running)
		th = open_epoch(m, id);
	if (!th)
		return false;
	th->start_ns = time;
	if (!th->named)
		th->name = 0;
	return true;
}

static bool end_thread(struct pv_model *m, uint64_t id, int64_t time)
{
	struct pv_thread *th = pv_threads_of(m, id, time);
	if (!th)
		return false;
	if (th->id == PV_THREAD_OTHER) /* other threads in this row go on */
		return true;
	if (th->end_ns == PV_NEVER) {
		m->threads.ended++;
		m->threads.ends_out_of_order += th->last_ns != PV_NEVER && th->last_ns > time;
	}
	th->end_ns = time;
	return true;
}

/* Notes the end of a thread whose earlier buffers may still come. */
static void end_early(struct pv_threads *t, uint64_t id, int64_t time)
{
	struct pv_thread *th = newest_epoch(t, id);
	if (!th || th->end_ns != PV_NEVER || began(th) == PV_NEVER || began(th) > time)
		return;
	if (th->last_ns != PV_NEVER && th->last_ns > time)
		return; /* after this time: reported with the event of the end */
	t->ended++;
	th->end_ns = time;
}

bool pv_threads_apply(struct pv_model *m, const struct pv_event *e)
{
	int64_t time = (int64_t)e->time;
	if (e->kind == PV_KIND_THREAD_START)
		return start_thread(m, e->meta.key, time);
	if (e->kind == PV_KIND_THREAD_END)
		return end_thread(m, e->meta.key, time);
	struct pv_thread *th = pv_threads_of(m, e->meta.key, time);
	if (th)
		th->named = true;
	return th && pv_intern_add(&m->names.text, e->meta.name.at, e->meta.name.len, &th->name);
}

void pv_model_end_early(struct pv_model *m, uint64_t thread, int64_t time)
{
	end_early(&m->threads, thread, time);
}
