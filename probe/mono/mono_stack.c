#include <mono/metadata/loader.h>

#include "probe/mono/host_mono.h"
#include "probe/mono/mono_methods.h"

struct walk {
	uint64_t *keys;
	size_t n, most;
};

static mono_bool frame(MonoMethod *method, int32_t native, int32_t il, mono_bool managed, void *ctx)
{
	struct walk *w = ctx;
	(void)native, (void)il;
	if (managed && method)
		w->keys[w->n++] = pvp_mono_method(method);
	return w->n == w->most;
}

size_t pvp_mono_stack(uint64_t keys[PVP_MANAGED_FRAMES])
{
	struct walk w = { keys, 0, pvp_mono.options.frames };
	if (w.most)
		mono_stack_walk_no_il(frame, &w);
	/* Some are only ever seen here, and may be freed before anybody else asks for their names. */
	for (size_t i = 0; i < w.n; i++)
		if (!pvp_mono_seen(keys[i]))
			pvp_mono_name_method(keys[i]);
	for (size_t i = 0; i < w.n / 2; i++) {
		uint64_t k = keys[i];
		keys[i] = keys[w.n - 1 - i];
		keys[w.n - 1 - i] = k;
	}
	return w.n;
}
