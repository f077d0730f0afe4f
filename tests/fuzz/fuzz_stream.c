/*
 * Bytes -> framer -> decoder: any input must end, in bounded memory, without reading past it.
 * Built as a libFuzzer target with -Dfuzz=enabled (clang), and always as a driver that replays
 * the files it is given, so that every input that once crashed stays in the suite.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/format/framer.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void decode(const struct mlpd_framer *f, struct pv_batch *b)
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
