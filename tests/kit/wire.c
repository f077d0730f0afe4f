/* SPDX-License-Identifier: MIT */
#include "tests/kit/wire.h"

#include <check.h>

/* Check writes a line to a file at each ck_assert, which is dear at half a million events. */
static void must(bool held, const char *what)
{
	if (!held)
		ck_abort_msg("%s", what);
}

void wire_init(struct wire *w)
{
	*w = (struct wire){ .format = { 17, 3, 8, 0 }, .now = 1000000, .step = 10 };
}

void wire_finish(struct wire *w)
{
	pv_array_finish(&w->out);
	pv_array_finish(&w->events);
}

void wire_header(struct wire *w, uint32_t pid, uint64_t start_ms)
{
	struct mlpd_header h = { .format = w->format,
		.pid = pid,
		.start_time_ms = start_ms,
		.startup_ns = w->now,
		.args = { "log:nodefaults,calls", 20 },
		.arch = { "x86-64", 6 },
		.os = { "linux", 5 } };
	wire_end_buffer(w);
	ck_assert(pv_reserve(&w->out, 256));
	w->out.n += mlpd_put_header(w->out.v + w->out.n, 256, &h);
}

void wire_end_buffer(struct wire *w)
{
	if (w->events.n == 0)
		return;
	w->head.length = (uint32_t)w->events.n;
	ck_assert(pv_reserve(&w->out, MLPD_BUFFER_HEADER + w->events.n));
	w->out.n += mlpd_put_buffer_header(w->out.v + w->out.n, &w->head);
	memcpy(w->out.v + w->out.n, w->events.v, w->events.n);
	w->out.n += w->events.n;
	w->events.n = 0;
}

void wire_buffer(struct wire *w, uint64_t thread)
{
	wire_end_buffer(w);
	w->head = (struct mlpd_buffer_header){ .time_base = w->now,
		.ptr_base = 0x1000,
		.obj_base = 0x2000,
		.thread = thread,
		.method_base = 0x5000 };
	mlpd_bases_init(&w->bases, &w->head);
}

void wire_event(struct wire *w, const struct pv_event *e, const struct pv_batch *pools)
{
	struct pv_event at = *e;
	w->now += w->step;
	at.time = w->now;
	size_t max = mlpd_encode_max(&at, pools);
	must(pv_reserve(&w->events, max), "memory");
	size_t n = mlpd_encode(w->events.v + w->events.n, max, &w->bases, &w->format, &at, pools);
	must(n > 0, "event that does not fit its format");
	w->events.n += n;
}

void wire_name(struct wire *w, uint64_t method, const char *name)
{
	struct pv_event e = { .kind = PV_KIND_METHOD_JIT,
		.jit = { .method = method,
			.code = method * 16,
			.size = 32,
			.name = { name, strlen(name) } } };
	wire_event(w, &e, NULL);
}

void wire_enter(struct wire *w, uint64_t method)
{
	wire_event(w, &(struct pv_event){ .kind = PV_KIND_METHOD_ENTER, .call = { method } }, NULL);
}

void wire_leave(struct wire *w, uint64_t method)
{
	wire_event(w, &(struct pv_event){ .kind = PV_KIND_METHOD_LEAVE, .call = { method } }, NULL);
}
