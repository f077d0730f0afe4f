/* SPDX-License-Identifier: MIT */
/* The calling thread's managed frames, for events with a stack. */
#include <pthread.h>
#include <string.h>

#include "common/base/map.h"
#include "probe/clr/clr_lines.h"
#include "probe/clr/clr_runtime.h"
#include "probe/core/emit.h"
#include "probe/clr/host_clr.h"
#include "probe/managed/code_ranges.h"
#include "probe/managed/managed_walk.h"

static pthread_mutex_t tellers_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pv_map tellers; /* methods of event sources' own, by key -> 1 */

struct walk {
	uint64_t *keys, *places;
	size_t n, most;
};

static pvp_hr runtime_frame(uint64_t function, uint64_t ip, uint64_t info, uint32_t context_size,
	uint8_t *context, void *ctx)
{
	struct walk *w = ctx;
	(void)info, (void)context_size, (void)context;
	if (function) {
		w->places[w->n] = ip;
		w->keys[w->n++] = function;
	}
	return w->n == w->most;
}

static size_t runtime_walk(uint64_t *keys, uint64_t *places, size_t most)
{
	struct pvp_clr_info *info = pvp_clr.info;
	struct walk w = { keys, places, 0, most };
	info->is->stack(info, 0, runtime_frame, 0, &w, NULL, 0);
	for (size_t i = 0; i < w.n; i++)
		keys[i] = pvp_clr_method(keys[i]);
	return w.n;
}

/* The runtime leaves out code without metadata: methods made at run time, and its own stubs. */
static bool code(uintptr_t pc, struct pvp_managed_code *ret)
{
	bool hidden;
	uint64_t key = pvp_clr_method_in(pc - 1, &hidden);
	*ret = (struct pvp_managed_code){
		.start = pvp_ranges_start(pc - 1), .key = key, .hidden = hidden, .leaves = true
	};
	return key && ret->start;
}

static size_t walk_managed(uint64_t *keys, uint64_t *places, size_t most)
{
	static const struct pvp_managed_walker walker = { runtime_walk, code, false };
	return pvp_managed_stack(&walker, keys, places, most);
}

/* With `lines` frames are their places in the code. */
static size_t with_places(uint64_t *keys, const uint64_t *places, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (places[i])
			keys[i] = pvp_clr_lines_called(places[i] - 1, keys[i]);
	return n;
}

size_t pvp_clr_stack(uint64_t keys[PVP_MANAGED_FRAMES])
{
	uint64_t places[PVP_MANAGED_FRAMES];
	return with_places(keys, places, walk_managed(keys, places, pvp_clr.options.m.frames));
}

/* Whether a method only tells of events; these are never unloaded. */
static bool only_tells(uint64_t key)
{
	static const char space[] = "System.Diagnostics.Tracing.";
	char name[PVP_CLR_NAME];
	pthread_mutex_lock(&tellers_lock);
	uint32_t known = pv_map_get(&tellers, key);
	pthread_mutex_unlock(&tellers_lock);
	if (known != PV_MAP_NONE)
		return known;
	uint64_t function = pvp_clr_function(key);
	bool tells = function && pvp_clr_method_name(function, name) &&
		     strncmp(name, space, sizeof space - 1) == 0;
	pthread_mutex_lock(&tellers_lock);
	if (tells)
		pv_map_set(&tellers, key, 1);
	pthread_mutex_unlock(&tellers_lock);
	return tells;
}

size_t pvp_clr_stack_noted(uint64_t keys[PVP_MANAGED_FRAMES], bool *ret_managed)
{
	uint64_t places[PVP_MANAGED_FRAMES];
	unsigned most = pvp_clr.options.m.frames;
	size_t n = walk_managed(keys, places, most ? most : 1);
	*ret_managed = n && only_tells(keys[n - 1]);
	return most ? with_places(keys, places, n) : 0;
}

size_t pvp_clr_stack_of_work(uint64_t keys[PVP_MANAGED_FRAMES])
{
	uint64_t places[PVP_MANAGED_FRAMES];
	size_t n = walk_managed(keys, places, pvp_clr.options.m.frames);
	while (n > 0 && only_tells(keys[n - 1]))
		n--;
	return n;
}

void pvp_clr_with_stack(struct pv_event *ev, struct pv_span *stack, uint64_t object)
{
	uint64_t keys[PVP_MANAGED_FRAMES];
	size_t n = pvp_clr_stack(keys);
	const struct pv_batch pools = { .pool = { keys, n, n } };
	*stack = (struct pv_span){ 0, (uint32_t)n };
	pvp_event(ev, &pools, object);
}

void pvp_clr_stacks_forget(void)
{
	pthread_mutex_lock(&tellers_lock);
	pv_map_finish(&tellers);
	pthread_mutex_unlock(&tellers_lock);
}
