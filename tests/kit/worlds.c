/* SPDX-License-Identifier: MIT */
#include "tests/kit/worlds.h"

#include <check.h>
#include <stdlib.h>

enum { START = 1000000, CODE = 0x20000 };

static const char *lead = "";

void world_init(struct world *x, const struct mlpd_format *f, uint8_t says)
{
	*x = (struct world){ .high = f->pointer_size == 8 ? UINT64_C(0x7f1200000000)
							  : UINT64_C(0x71200000) };
	wire_init(&x->w);
	x->w.format = *f;
	x->w.now = START;
	struct mlpd_header h = { .format = *f,
		.header_minor = says <= 3    ? 2
				: says <= 12 ? 4
					     : 0,
		.pid = 4242,
		.start_time_ms = 1600000000000,
		.startup_ns = START,
		.timer_overhead_ns = 25,
		.args = world_text("log:nodefaults,alloc,calls"),
		.arch = world_text("x86-64"),
		.os = world_text("linux") };
	h.format.data_version = says;
	size_t room = 512 + 3 * strlen(lead);
	ck_assert(pv_reserve(&x->w.out, room));
	x->w.out.n = mlpd_put_header(x->w.out.v, room, &h);
}

void world_finish(struct world *x)
{
	wire_finish(&x->w);
	pv_batch_finish(&x->pools);
}

void world_buffer(struct world *x, uint64_t thread, int64_t us)
{
	x->w.now = (uint64_t)(START + us * 1000);
	wire_buffer(&x->w, thread ? x->high + thread : 0);
	x->w.head.ptr_base = x->high;
	x->w.head.obj_base = x->high >> 3;
	x->w.head.method_base = x->high;
	mlpd_bases_init(&x->w.bases, &x->w.head);
}

void world_put(struct world *x, int64_t us, struct pv_event e)
{
	bool stacked = false;
	if (!mlpd_row_for(&e, &x->w.format))
		return;
	x->w.step = 0;
	x->w.now = (uint64_t)(START + us * 1000);
	for (const struct mlpd_field *f = mlpd_row_for(&e, &x->w.format)->field; f->type; f++)
		stacked |= f->type >= MLPD_BT;
	wire_event(&x->w, &e, &x->pools);
	if (stacked)
		pv_batch_reset(&x->pools);
}

struct pv_span world_list(struct world *x, const uint64_t *values, size_t n)
{
	struct pv_span s = { (uint32_t)x->pools.pool.n, (uint32_t)n };
	ck_assert(pv_reserve(&x->pools.pool, n));
	for (size_t i = 0; i < n; i++)
		x->pools.pool.v[x->pools.pool.n++] = values[i];
	return s;
}

uint64_t world_method(const struct world *x, unsigned n)
{
	return x->high + 0x1000 + n * 0x100;
}

uint64_t world_object(const struct world *x, unsigned n)
{
	return x->high + 0x10000 + n * 0x40;
}

/* The class from 300 on, its vtable from 400 on. */
uint64_t world_type(const struct world *x, unsigned n)
{
	return x->high + (x->w.format.data_version >= 15 ? 0x400 : 0x300) + n * 0x40;
}

struct pv_text world_text(const char *text)
{
	size_t n = strlen(lead);
	if (!*text || n == 0)
		return (struct pv_text){ text, strlen(text) };
	char *whole = malloc(n + strlen(text) + 1); /* as long as the program runs */
	ck_assert_ptr_nonnull(whole);
	memcpy(whole, lead, n);
	strcpy(whole + n, text);
	return (struct pv_text){ whole, strlen(whole) };
}

void world_lead(const char *text)
{
	lead = text;
}

/* Names are there as long as the program runs. NOLINTBEGIN(clang-analyzer-unix.Malloc) */
void world_jit(struct world *x, int64_t us, unsigned method, uint64_t size, const char *name)
{
	world_put(x, us,
		(struct pv_event){ .kind = PV_KIND_METHOD_JIT_START,
			.jit = { world_method(x, method), 0, 0, world_text(name), 0 } });
	world_put(x, us,
		(struct pv_event){ .kind = PV_KIND_METHOD_JIT,
			.jit = { world_method(x, method), x->high + CODE + method * 0x1000, size,
				world_text(name), 0 } });
}

void world_class(struct world *x, int64_t us, unsigned n, const char *name)
{
	world_put(x, us,
		(struct pv_event){ .kind = PV_KIND_CLASS_LOAD,
			.meta = { .key = x->high + 0x300 + n * 0x40,
				.image = x->high + 0x200,
				.name = world_text(name) } });
	world_put(x, us,
		(struct pv_event){ .kind = PV_KIND_VTABLE_LOAD,
			.meta = { .key = x->high + 0x400 + n * 0x40,
				.domain = x->high + 0x100,
				.owner = x->high + 0x300 + n * 0x40 } });
}
/* NOLINTEND(clang-analyzer-unix.Malloc) */
