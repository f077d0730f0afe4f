/* SPDX-License-Identifier: MIT */
/*
 * Samples of three methods of the file tests/golden/source/hot.cs, which was built elsewhere, and
 * of one whose file is nowhere.
 */
#include "tests/kit/worlds.h"

#include "common/base/status.h"

enum { RUN, MIX, SUM, GONE, CODE = 0x20000, STEP = 0x10 };

/* A method and the lines of its code, one each STEP bytes. */
static const struct {
	const char *name, *file;
	uint64_t line[4];
} methods[] = {
	[RUN] = { "Hot.Program:Run (int)", "/builds/hot/hot.cs", { 9, 10, 11, 12 } },
	[MIX] = { "Hot.Program:Mix (uint)", "/builds/hot/hot.cs", { 18, 19, 20, 21 } },
	[SUM] = { "Hot.Program:Sum (uint[])", "/builds/hot/hot.cs", { 27, 28, 29, 30 } },
	[GONE] = { "Elsewhere.Code:Work ()", "/nowhere/at/all/code.cs", { 5, 6, 7, 8 } },
};

/* Samples at a line of the innermost method, which Run calls but where it is innermost itself. */
static const struct {
	unsigned method, line, samples;
} met[] = {
	{ RUN, 1, 2 },
	{ MIX, 1, 40 },
	{ MIX, 2, 9 },
	{ SUM, 1, 21 },
	{ SUM, 2, 1 },
	{ GONE, 0, 7 },
};

static uint64_t address(const struct world *x, unsigned method, unsigned line)
{
	return x->high + CODE + method * 0x1000 + line * STEP + 4;
}

void world_lines(struct world *x)
{
	world_buffer(x, WORLD_MAIN, 0);
	for (unsigned i = 0; i < PV_COUNT_OF(methods); i++) {
		const uint64_t *l = methods[i].line;
		world_jit(x, 10, i, 4 * STEP, methods[i].name);
		world_put(x, 11,
			(struct pv_event){ .kind = PV_KIND_EXT_LINES,
				.lines = { .method = world_method(x, i),
					.file = world_text(methods[i].file),
					.pairs = WORLD_LIST(x, 0, l[0], STEP, l[1], 2 * STEP, l[2],
						3 * STEP, l[3]) } });
	}
	int64_t us = 1000;
	for (unsigned i = 0; i < PV_COUNT_OF(met); i++)
		for (unsigned n = 0; n < met[i].samples; n++, us += 1000) {
			const uint64_t ip = address(x, met[i].method, met[i].line);
			const uint64_t inner = world_method(x, met[i].method);
			const struct pv_span all =
				met[i].method == RUN
					? WORLD_LIST(x, ip, inner)
					: WORLD_LIST(x, ip, inner, world_method(x, RUN));
			world_put(x, us,
				(struct pv_event){ .kind = PV_KIND_SAMPLE_HIT,
					.hit = { .thread = x->high + WORLD_MAIN,
						.ips = { all.at, 1 },
						.frames = { all.at + 1, all.n - 1 } } });
		}
}
