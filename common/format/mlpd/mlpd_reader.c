/* SPDX-License-Identifier: MIT */
/*
 * The log profiler's row in the table of families: a framer gives buffers, decoded by several
 * threads.
 */
#include <stdlib.h>
#include <string.h>

#include "common/format/mlpd/framer.h"
#include "common/format/reader.h"

static bool mlpd_create(struct pv_stream *s)
{
	struct mlpd_framer *f = calloc(1, sizeof *f);
	s->state = s->framer = f;
	if (!f)
		return false;
	f->may_join = true;
	return mlpd_framer_init(f);
}

static void mlpd_finish(struct pv_stream *s)
{
	if (s->framer)
		mlpd_framer_finish(s->framer);
	free(s->framer);
	s->state = s->framer = NULL;
}

static uint8_t *room(struct pv_stream *s, size_t *ret_size)
{
	return mlpd_framer_room(s->framer, ret_size);
}

static void filled(struct pv_stream *s, size_t n)
{
	mlpd_framer_filled(s->framer, n);
}

static void gap(struct pv_stream *s, uint64_t bytes, const char *reason)
{
	mlpd_framer_gap(s->framer, bytes, reason);
}

static void mlpd_end(struct pv_stream *s, bool ended)
{
	if (ended)
		mlpd_framer_end(s->framer);
	else
		s->framer->ended = false;
}

static bool resting(const struct pv_stream *s, uint64_t *ret_offset)
{
	return mlpd_framer_resting(s->framer, ret_offset);
}

static enum pv_piece mlpd_next(struct pv_stream *s)
{
	static const enum pv_piece piece[] = {
		[MLPD_MORE] = PV_PIECE_MORE,
		[MLPD_HEADER] = PV_PIECE_HEADER,
		[MLPD_BUFFER] = PV_PIECE_BUFFER,
		[MLPD_DAMAGE] = PV_PIECE_DAMAGE,
		[MLPD_FAILED] = PV_PIECE_FAILED,
	};
	const struct mlpd_framer *f = s->framer;
	enum mlpd_piece is = mlpd_framer_next(s->framer);
	s->offset = f->offset;
	if (is == MLPD_DAMAGE) {
		s->damage = (struct pv_stream_damage){ f->damage.offset, f->damage.bytes, "" };
		memcpy(s->damage.reason, f->damage.reason, sizeof s->damage.reason);
	}
	if (is == MLPD_FAILED)
		s->error = f->error;
	return piece[is];
}

const struct pv_reader pv_reader_mlpd = { .name = "mlpd",
	.create = mlpd_create,
	.next = mlpd_next,
	.finish = mlpd_finish,
	.room = room,
	.filled = filled,
	.gap = gap,
	.end = mlpd_end,
	.resting = resting };
