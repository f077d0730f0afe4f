/* SPDX-License-Identifier: MIT */
/*
 * Joining a running program: reports everything that exists now. From then on the runtime reports
 * news, and answers about the rest when asked.
 */
#include <unistd.h>

#include "probe/clr/host_clr.h"

enum { SOME = 64 };

struct function {
	uint64_t function, body;
};

/* Passes the items of an enumeration in pieces; `size` bytes each. */
static void each(struct pvp_clr_enum *e, size_t size, void (*take)(const void *one))
{
	struct function room[SOME]; /* room for the largest item */
	uint32_t n = 0;
	if (!e)
		return;
	while (e->is->next(e, SOME, room, &n) >= 0 && n > 0 && n <= SOME) {
		for (uint32_t i = 0; i < n; i++)
			take((const char *)room + i * size);
		if (n < SOME)
			break;
	}
	e->is->unknown.release(e);
}

static void take_module(const void *one)
{
	pvp_clr_module_there(*(const uint64_t *)one);
}

static void take_thread(const void *one)
{
	struct pvp_clr_info *info = pvp_clr.info;
	uint64_t thread = *(const uint64_t *)one;
	uint32_t native = 0;
	if (info->is->thread_info(info, thread, &native) >= 0 && native)
		pvp_clr_thread_there(thread, native);
}

static void take_function(const void *one)
{
	pvp_clr_compiled(((const struct function *)one)->function, 0);
}

void pvp_clr_tell_all(void)
{
	struct pvp_clr_info *info = pvp_clr.info;
	struct pvp_clr_enum *e = NULL;
	if (info->is->enum_modules(info, &e) >= 0)
		each(e, sizeof(uint64_t), take_module);
	e = NULL;
	if (info->is->enum_threads(info, &e) >= 0)
		each(e, sizeof(uint64_t), take_thread);
	e = NULL;
	if (info->is->enum_functions(info, &e) >= 0)
		each(e, sizeof(struct function), take_function);
}
