/* SPDX-License-Identifier: MIT */
/* Stacks of events, and whose code a place is. */
#include <mono/metadata/appdomain.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/loader.h>
#include <stdatomic.h>
#include <string.h>

#include "probe/managed/managed_walk.h"
#include "probe/mono/host_mono.h"
#include "probe/mono/mono_methods.h"

extern void mono_free(void *);

enum { THROWING = 32 };

struct walk {
	uint64_t *keys, *places;
	size_t n, most;
};

/* Some are only ever seen here, and may be freed before anybody else asks for their names. */
static uint64_t named_key(MonoMethod *method)
{
	uint64_t key = pvp_mono_method(method);
	if (!pvp_mono_seen(key))
		pvp_mono_name_method(key);
	return key;
}

static mono_bool managed_frame(
	MonoMethod *method, int32_t native, int32_t il, mono_bool managed, void *ctx)
{
	struct walk *w = ctx;
	(void)native, (void)il;
	if (managed && method)
		w->places[w->n] = 0; /* the offset is in code of which the start is not said */
	if (managed && method)
		w->keys[w->n++] = pvp_mono_method(method);
	return w->n == w->most;
}

static size_t runtime_walk(uint64_t *keys, uint64_t *places, size_t most)
{
	struct walk w = { keys, places, 0, most };
	mono_stack_walk_no_il(managed_frame, &w);
	for (size_t i = 0; i < w.n; i++)
		named_key(pvp_mono_method_of(keys[i]));
	return w.n;
}

/* Code that throws, made by Mono at its start. */
static struct {
	uintptr_t start, size;
} throwing[THROWING];
static _Atomic size_t throwing_n;

void pvp_mono_code_throws(const void *start, size_t size)
{
	size_t n = atomic_load(&throwing_n);
	if (n == THROWING)
		return;
	throwing[n].start = (uintptr_t)start;
	throwing[n].size = size;
	atomic_store(&throwing_n, n + 1);
}

static bool throws(uintptr_t pc, struct pvp_managed_code *ret)
{
	for (size_t i = atomic_load(&throwing_n); i-- > 0;) {
		*ret = (struct pvp_managed_code){
			.start = throwing[i].start, .leaves = true, .throws = true
		};
		if (pc - 1 - throwing[i].start < throwing[i].size)
			return true;
	}
	return false;
}

/* Wrappers lead into native code and stand on no stack; methods made at run time may go at any time. */
static bool code(uintptr_t pc, struct pvp_managed_code *ret)
{
	static const char wrapper[] = "(wrapper ", made[] = "(wrapper dynamic-method)";
	MonoDomain *domain = mono_domain_get();
	MonoJitInfo *info = domain ? mono_jit_info_table_find(domain, (char *)pc - 1) : NULL;
	if (!info)
		return throws(pc, ret);
	MonoMethod *method = mono_jit_info_get_method(info);
	char *name = method ? mono_method_full_name(method, 1) : NULL;
	if (!name)
		return false;
	bool wraps = strncmp(name, wrapper, sizeof wrapper - 1) == 0;
	bool goes = strncmp(name, made, sizeof made - 1) == 0;
	mono_free(name);
	*ret = (struct pvp_managed_code){ .start = (uintptr_t)mono_jit_info_get_code_start(info),
		.key = wraps ? 0 : named_key(method),
		.leaves = wraps };
	return !goes;
}

size_t pvp_mono_stack(uint64_t keys[PVP_MANAGED_FRAMES], bool thrown)
{
	const struct pvp_managed_walker walker = { runtime_walk, code, thrown };
	uint64_t places[PVP_MANAGED_FRAMES];
	return pvp_managed_stack(&walker, keys, places, pvp_mono.options.frames);
}
