/* SPDX-License-Identifier: MIT */
/*
 * A log with a text in every event of data version 17 that can hold one, extensions included: what
 * other worlds have, and the rest.
 */
#include "tests/kit/worlds.h"

#define EVENT(what, ...)                                                                           \
	(struct pv_event)                                                                          \
	{                                                                                          \
		.kind = PV_KIND_##what, __VA_ARGS__                                                \
	}

static void covered(struct world *x)
{
	static const enum pv_kind kinds[] = { PV_KIND_EXT_COVERED_ASSEMBLY,
		PV_KIND_EXT_COVERED_CLASS, PV_KIND_EXT_COVERED_METHOD };
	world_covered(x, 4000, kinds);
}

static void spans(struct world *x)
{
	world_put(x, 4010, EVENT(EXT_MARK, .ext = { .text = world_text("checkpoint") }));
	world_put(x, 4020,
		EVENT(EXT_SPAN, .span = { 500, 0, world_text("query"), world_text("SELECT 1"),
					WORLD_LIST(x, world_method(x, 1), world_method(x, 2)) }));
}

static void waited(struct world *x)
{
	struct pv_event e = EVENT(EXT_WAITED,
		.hit = { .thread = x->high + WORLD_MAIN, .state = PV_WAIT_LOCK, .times = 3 });
	/* The other methods went with their image: their names say whether they did. */
	e.hit.frames = WORLD_LIST(x, world_method(x, 1));
	world_put(x, 4022, e);
}

static void thrown(struct world *x)
{
	uint64_t error = world_object(x, 9);
	world_put(x, 4025, EVENT(EXCEPTION_THROW, .thrown = { error, { 0, 0 }, 0 }));
	world_put(x, 4025, EVENT(EXT_MESSAGE, .string = { error, 12, world_text("no more left") }));
}

static void runtime(struct world *x)
{
	world_put(x, 4030,
		EVENT(EXT_JIT_FAILED,
			.jit = { world_method(x, 5), 0, 0, world_text("Shop.Main:Odd ()"), 3000 }));
	world_put(x, 4031,
		EVENT(EXT_LOAD_FAILED,
			.meta = { .key = x->high + 0x900, .name = world_text("missing.dll") }));
	world_put(x, 4032,
		EVENT(EXT_CONTEXT_NAME,
			.meta = { .key = x->high + 0x180, .name = world_text("context") }));
	world_put(x, 4033,
		EVENT(EXT_LINES, .lines = { world_method(x, 1), world_text("Main.cs"),
					 WORLD_LIST(x, 0, 10, 8, 11) }));
}

void world_texts(struct world *x)
{
	world_every_kind(x);
	world_strings(x);
	world_buffer(x, WORLD_MAIN, 4000);
	covered(x);
	spans(x);
	waited(x);
	thrown(x);
	runtime(x);
}
