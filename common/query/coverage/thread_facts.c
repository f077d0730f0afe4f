/* SPDX-License-Identifier: MIT */
/* Tells threads of the program from threads of the profiler, and counts both. */
#include "common/query/groups/specs.h"

#include <string.h>

#include "common/base/mem.h"

/* Threads that stock Mono's profiler runs for itself (formats.md 1.12), and ours. */
bool pv_thread_is_internal(const char *name)
{
	static const char *const own[] = { "Profiler Helper", "Profiler Dumper", "Profiler Writer",
		"Profiler Sampler", "profview writer" };
	for (size_t i = 0; i < PV_COUNT_OF(own); i++)
		if (strcmp(name, own[i]) == 0)
			return true;
	return false;
}

/*
 * The profiler's own threads go on after the end made up for them at shutdown. The model has
 * another thread for the rest, though the thread is the same.
 */
bool pv_thread_is_continued(const struct pv_model *m, const struct pv_thread *t)
{
	return t->before && t->start_ns == PV_NEVER && !t->named &&
	       pv_thread_is_internal(pv_intern_text(&m->names.text, t->name));
}

bool pv_thread_is_meant(const struct pv_model *m, const struct pv_thread *t)
{
	return !(pv_restricts_threads(&m->only) && !t->selected) && !pv_thread_is_none(m, t) &&
	       !pv_thread_is_continued(m, t);
}

struct pv_thread_counts pv_threads_count(const struct pv_model *m)
{
	struct pv_thread_counts c = { 0, 0, 0 };
	for (size_t i = 1; i < m->threads.thread.n; i++) {
		const struct pv_thread *t = m->threads.thread.v[i];
		if (!pv_thread_is_meant(m, t))
			continue;
		bool internal = pv_thread_is_internal(pv_intern_text(&m->names.text, t->name));
		c.profiler += internal;
		c.program += !internal;
		c.ended += !internal && t->end_ns != PV_NEVER;
	}
	return c;
}
