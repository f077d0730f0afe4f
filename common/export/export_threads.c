/* SPDX-License-Identifier: MIT */
/* Lists a model's threads for exports. */
#include "common/export/export_threads.h"

#include <stdlib.h>
#include <string.h>

#include "common/model/model.h"

static uint64_t events_of(const struct pv_thread *t)
{
	return t->events + t->samples;
}

static bool add_export_thread(
	struct pv_export_threads *list, struct pv_map *at, const struct pv_model *m, uint32_t i)
{
	const struct pv_thread *t = m->threads.thread.v[i];
	if (!t->selected || events_of(t) == 0)
		return true;
	uint32_t place = pv_map_get(at, t->id);
	if (place == PV_MAP_NONE) {
		place = (uint32_t)list->thread.n;
		if (!pv_reserve(&list->thread, 1) || !pv_map_set(at, t->id, place))
			return false;
		list->thread.v[list->thread.n++] = (struct pv_export_thread){ .id = t->id };
	}
	struct pv_export_thread *to = &list->thread.v[place];
	const char *name = pv_intern_text(&m->names.text, t->name);
	to->events += events_of(t);
	if (*name || !to->name)
		to->name = pv_arena_copy(&list->arena, name, strlen(name));
	return to->name != NULL;
}

static int by_events(const void *a, const void *b)
{
	const struct pv_export_thread *x = a, *y = b;
	if (x->events != y->events)
		return x->events > y->events ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

bool pv_export_threads(struct pv_model *m, struct pv_export_threads *ret)
{
	struct pv_map at = { 0 };
	bool ok = true;
	*ret = (struct pv_export_threads){ 0 };
	pv_model_lock(m);
	for (uint32_t i = 1; ok && i < m->threads.thread.n; i++)
		ok = add_export_thread(ret, &at, m, i);
	pv_model_unlock(m);
	pv_map_finish(&at);
	if (ret->thread.n)
		qsort(ret->thread.v, ret->thread.n, sizeof *ret->thread.v, by_events);
	return ok;
}

void pv_export_threads_clear(struct pv_export_threads *t)
{
	pv_arena_finish(&t->arena);
	pv_array_finish(&t->thread);
}
