/* SPDX-License-Identifier: MIT */
/* Buffers of the writer's own events. */
#include "probe/core/writer.h"

static const struct mlpd_format format = { MLPD_NEWEST, 3, 8, 0 };

bool pvp_out_buffer_send(struct pvp_writer *w, struct pvp_out_buffer *p)
{
	uint8_t head[MLPD_BUFFER_HEADER];
	if (!p->n)
		return true;
	p->header.length = (uint32_t)p->n;
	struct iovec parts[2] = {
		{ head, mlpd_put_buffer_header(head, &p->header) },
		{ p->bytes, p->n },
	};
	p->n = 0;
	return pvp_writer_send(w, parts, 2);
}

/* Pages mostly hold definitions: the first class as base makes keys short; before it, base 0. */
static void begin_page(struct pvp_writer *w, struct pvp_out_buffer *p, const struct pv_event *ev)
{
	bool defines = pvp_group_of(ev->kind) == PVP_GROUP_NAMES;
	p->header = (struct mlpd_buffer_header){ .time_base = ev->time,
		.thread = w->tid,
		.ptr_base = defines ? w->first_class : 0,
		.method_base = ev->kind == PV_KIND_METHOD_JIT ? ev->jit.method : 0 };
	mlpd_bases_init(&p->bases, &p->header);
}

bool pvp_out_buffer_add(struct pvp_writer *w, struct pvp_out_buffer *p, const struct pv_event *ev,
	const struct pv_batch *pools)
{
	if (p->n && mlpd_encode_max(ev, pools) > sizeof p->bytes - p->n &&
		!pvp_out_buffer_send(w, p))
		return false;
	if (ev->kind == PV_KIND_CLASS_LOAD && !w->first_class)
		w->first_class = ev->meta.key;
	if (!p->n)
		begin_page(w, p, ev);
	size_t n =
		mlpd_encode(p->bytes + p->n, sizeof p->bytes - p->n, &p->bases, &format, ev, pools);
	enum pvp_group group = pvp_group_of(ev->kind);
	w->tally.events[group]++;
	w->tally.bytes[group] += n;
	p->n += n;
	return n > 0;
}
