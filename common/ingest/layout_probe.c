/* SPDX-License-Identifier: MIT */
/* Tries other layouts for a buffer that did not decode, and finds buffers in its tail. */
#include "common/ingest/layout_probe.h"

#include <stdio.h>

#include "common/format/mlpd/mlpd_layout.h"

bool pv_layout_probe_layout(struct pv_decode_task *t, uint8_t says, struct mlpd_format *format)
{
	const struct mlpd_layout_probe trial = {
		.says = says, .partial = t->partial, .start = t->start
	};
	struct mlpd_format found = t->format;
	bool changed;
	if (!mlpd_try_layouts(&t->batch, &trial, &found, &changed))
		return false;
	if (changed)
		*format = t->format = found;
	return true;
}

static bool feed(struct mlpd_framer *f, const uint8_t *bytes, size_t n)
{
	while (n) {
		size_t room;
		uint8_t *to = mlpd_framer_room(f, &room);
		if (!to)
			return false;
		if (room > n)
			room = n;
		memcpy(to, bytes, room);
		mlpd_framer_filled(f, room);
		bytes += room;
		n -= room;
	}
	mlpd_framer_end(f);
	return true;
}

void pv_layout_probe_shorten(struct pv_batch *b, uint64_t header, uint64_t bytes)
{
	b->damage_bytes = bytes;
	if (bytes > 0)
		return;
	b->damage_offset = header + 4;
	b->damage_bytes = 4;
	snprintf(
		b->damage_reason, sizeof b->damage_reason, "a buffer header states a wrong length");
}

bool pv_layout_probe_inside(struct pv_layout_probe *t, struct pv_batch *b,
	const struct mlpd_header *h, const struct mlpd_format *format)
{
	*t = (struct pv_layout_probe){ .format = *format, .piece = MLPD_MORE };
	size_t tail = b->damage_bytes < b->bytes.n ? (size_t)b->damage_bytes : b->bytes.n;
	bool to_the_end = b->damage_offset + tail == b->offset + MLPD_BUFFER_HEADER + b->bytes.n;
	if (tail < MLPD_BUFFER_HEADER || !to_the_end || !mlpd_framer_init(&t->framer))
		return false;
	mlpd_framer_inside(&t->framer, h, b->damage_offset);
	if (!feed(&t->framer, b->bytes.v + b->bytes.n - tail, tail))
		return false;
	uint64_t skipped = 0;
	t->piece = mlpd_framer_next(&t->framer);
	if (t->piece == MLPD_DAMAGE) {
		skipped = t->framer.damage.bytes;
		t->piece = mlpd_framer_next(&t->framer);
	}
	if (t->piece != MLPD_BUFFER)
		return false;
	pv_layout_probe_shorten(b, b->offset, skipped);
	return true;
}

static bool give_buffer(
	struct pv_layout_probe *t, struct pv_batch *b, const struct pv_layout_probe_sink *to)
{
	const struct mlpd_framer *f = &t->framer;
	struct mlpd_bases bases;
	size_t used;
	pv_batch_reset(b);
	if (!pv_reserve(&b->bytes, f->payload_len + 1))
		return false;
	if (f->payload_len)
		memcpy(b->bytes.v, f->payload, f->payload_len);
	b->bytes.n = b->bytes_len = f->payload_len;
	b->offset = f->payload_offset - MLPD_BUFFER_HEADER;
	b->thread = f->buffer.thread;
	b->time_base = f->buffer.time_base;
	b->bytes_lost_before = f->bytes_lost_before;
	mlpd_bases_init(&bases, &f->buffer);
	const uint64_t start = bases.time;
	if (!mlpd_decode_batch(b, &bases, &t->format, !f->whole, &used))
		return false;
	mlpd_level_times(b, start);
	return to->batch(to->ctx, b);
}

/* A tail has no payload of several pieces: the whole buffer came as one piece. */
bool pv_layout_probe_give(struct pv_layout_probe *t, const struct pv_layout_probe_sink *to)
{
	struct pv_batch b = { 0 };
	bool ok = true;
	while (ok && (t->piece == MLPD_BUFFER || t->piece == MLPD_DAMAGE)) {
		if (t->piece == MLPD_DAMAGE)
			to->damage(to->ctx, &t->framer.damage);
		else
			ok = give_buffer(t, &b, to);
		t->piece = mlpd_framer_next(&t->framer);
	}
	pv_batch_finish(&b);
	return ok;
}

void pv_layout_probe_finish(struct pv_layout_probe *t)
{
	mlpd_framer_finish(&t->framer);
}
