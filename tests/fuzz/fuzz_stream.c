/* SPDX-License-Identifier: MIT */
/*
 * Bytes -> framer -> decoder: any input must end, in bounded memory, without reading past it, and
 * the fast loop must find what the rows say, event by event. A libFuzzer target with -Dfuzz=enabled
 * (clang); else a driver that replays files, so that every input that once crashed stays in the
 * suite.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/format/mlpd/framer.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static bool is_call(uint8_t kind)
{
	return kind == PV_KIND_METHOD_ENTER || kind == PV_KIND_METHOD_LEAVE ||
	       kind == PV_KIND_METHOD_EXC_LEAVE;
}

/* A batch holds what one event after the other gives by its row. */
static void compare_with_rows(const struct pv_batch *b, const struct mlpd_framer *f, size_t used)
{
	struct pv_cursor c = { .at = b->bytes.v, .end = b->bytes.v + b->bytes.n };
	struct pv_batch pools = { 0 };
	struct mlpd_bases bases;
	struct pv_event e;
	enum mlpd_status s = MLPD_OK;
	mlpd_bases_init(&bases, &f->buffer);
	for (size_t i = 0; i < b->n && s == MLPD_OK; i++) {
		s = mlpd_decode(&c, &bases, &f->header.format, &pools, &e);
		if (s == MLPD_NOMEM)
			break;
		if (s != MLPD_OK || b->time[i] != e.time || b->kind[i] != e.kind ||
			(is_call(e.kind) && b->key[i] != e.call.method))
			abort();
	}
	if (s == MLPD_OK && (c.at != b->bytes.v + used || pools.pool.n != b->pool.n))
		abort();
	if (s == MLPD_OK && (c.at != c.end || b->damaged) &&
		mlpd_decode(&c, &bases, &f->header.format, &pools, &e) == MLPD_OK)
		abort(); /* it stopped too early */
	pv_batch_finish(&pools);
}

static void decode(struct mlpd_framer *f, struct pv_batch *b)
{
	struct mlpd_bases bases;
	size_t used;
	pv_batch_reset(b);
	if (!pv_reserve(&b->bytes, f->payload_len + 1))
		return;
	if (f->payload_len)
		memcpy(b->bytes.v, f->payload, f->payload_len);
	b->bytes.n = f->payload_len;
	mlpd_bases_init(&bases, &f->buffer);
	if (!mlpd_decode_batch(b, &bases, &f->header.format, !f->whole, &used))
		return;
	if (used > b->bytes.n || b->n > b->room)
		abort();
	if (!f->continues)
		compare_with_rows(b, f, used);
	if (b->damaged && !f->continues)
		mlpd_framer_back(f, b->bytes.n - used);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct mlpd_framer f = { .may_join = n > 0 && (bytes[0] & 1) };
	struct pv_batch batch = { 0 };
	size_t fed = 0, step = n > 1 ? 1 + bytes[1] * 16u : 1;
	if (!mlpd_framer_init(&f))
		return 0;
	for (;;) {
		enum mlpd_piece p = mlpd_framer_next(&f);
		if (p == MLPD_BUFFER)
			decode(&f, &batch);
		if (p == MLPD_FAILED || (p == MLPD_MORE && f.ended))
			break;
		if (p != MLPD_MORE)
			continue;
		size_t room, part = n - fed < step ? n - fed : step;
		uint8_t *to = mlpd_framer_room(&f, &room);
		if (!to)
			break;
		if (part)
			memcpy(to, bytes + fed, part);
		mlpd_framer_filled(&f, part);
		fed += part;
		if (fed == n)
			mlpd_framer_end(&f);
	}
	pv_batch_finish(&batch);
	mlpd_framer_finish(&f);
	return 0;
}
