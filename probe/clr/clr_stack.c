/* The calling thread's managed frames, for events that carry a stack. */
#include <pthread.h>
#include <string.h>

#include "common/base/map.h"
#include "probe/clr/clr_runtime.h"
#include "probe/core/emit.h"
#include "probe/clr/host_clr.h"

static pthread_mutex_t tellers_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pv_map tellers; /* methods of event sources' own -> 1 */

struct walk {
	uint64_t *functions;
	size_t n, most;
};

static pvp_hr frame(uint64_t function, uint64_t ip, uint64_t info, uint32_t context_size,
	uint8_t *context, void *ctx)
{
	struct walk *w = ctx;
	(void)ip, (void)info, (void)context_size, (void)context;
	if (function)
		w->functions[w->n++] = function;
	return w->n == w->most;
}

/* Outermost first, without the `skip` innermost ones. */
static size_t keys_of(const struct walk *w, size_t skip, uint64_t keys[PVP_MANAGED_FRAMES])
{
	for (size_t i = 0; i + skip < w->n; i++)
		keys[i] = pvp_clr_method(w->functions[w->n - 1 - i]);
	return w->n - skip;
}

static void walk(struct walk *w)
{
	struct pvp_clr_info *info = pvp_clr.info;
	if (w->most)
		info->is->stack(info, 0, frame, 0, w, NULL, 0);
}

size_t pvp_clr_stack(uint64_t keys[PVP_MANAGED_FRAMES])
{
	uint64_t functions[PVP_MANAGED_FRAMES];
	struct walk w = { functions, 0, pvp_clr.options.m.frames };
	walk(&w);
	return keys_of(&w, 0, keys);
}

/* Whether a method only tells of events; these are never unloaded. */
static bool only_tells(uint64_t function)
{
	static const char space[] = "System.Diagnostics.Tracing.";
	char name[PVP_CLR_NAME];
	pthread_mutex_lock(&tellers_lock);
	uint32_t known = pv_map_get(&tellers, function);
	pthread_mutex_unlock(&tellers_lock);
	if (known != PV_MAP_NONE)
		return known;
	pvp_clr_method_name(function, name);
	bool tells = strncmp(name, space, sizeof space - 1) == 0;
	pthread_mutex_lock(&tellers_lock);
	if (tells)
		pv_map_set(&tellers, function, 1);
	pthread_mutex_unlock(&tellers_lock);
	return tells;
}

size_t pvp_clr_stack_noted(uint64_t keys[PVP_MANAGED_FRAMES], bool *ret_managed)
{
	uint64_t functions[PVP_MANAGED_FRAMES];
	unsigned most = pvp_clr.options.m.frames;
	struct walk w = { functions, 0, most ? most : 1 };
	walk(&w);
	*ret_managed = w.n && only_tells(functions[0]);
	return most ? keys_of(&w, 0, keys) : 0;
}

size_t pvp_clr_stack_of_work(uint64_t keys[PVP_MANAGED_FRAMES])
{
	uint64_t functions[PVP_MANAGED_FRAMES];
	struct walk w = { functions, 0, pvp_clr.options.m.frames };
	size_t skip = 0;
	walk(&w);
	while (skip < w.n && only_tells(functions[skip]))
		skip++;
	return keys_of(&w, skip, keys);
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
