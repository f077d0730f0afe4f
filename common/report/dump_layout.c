/* SPDX-License-Identifier: MIT */
/* Reads a log ahead to find the layout of a development build's events. */
#include "common/report/dump_layout.h"

#include "common/format/mlpd/framer.h"
#include "common/format/mlpd/mlpd_layout.h"
#include "common/format/readers/readers.h"
#include "common/io/source.h"

struct look {
	struct pv_stream stream;
	struct pv_dump_layout found;
	uint8_t says;
	unsigned trials;
	bool over; /* found, or nothing to find */
};

static void look_at_header(struct look *l)
{
	const struct mlpd_framer *f = l->stream.framer;
	l->over = !f; /* other families have a single layout */
	if (!f)
		return;
	l->says = f->header.format.data_version;
	l->trials = MLPD_TRIALS;
	l->over = !mlpd_has_layouts(l->says);
}

static void look_at_buffer(struct look *l)
{
	struct mlpd_framer *f = l->stream.framer;
	struct mlpd_format *format = &f->header.format;
	struct mlpd_layout_probe t = { .says = l->says, .partial = !f->last_piece || !f->whole };
	if (f->continues)
		return;
	mlpd_bases_init(&t.start, &f->buffer);
	uint8_t before = format->layout;
	l->over = !mlpd_choose_layout(f->payload, f->payload_len, &t, format, &l->trials) ||
		  l->trials == 0;
	if (format->layout == before || format->layout == 0)
		return;
	l->found = (struct pv_dump_layout){ l->says, *format };
	l->over = true;
}

static void look_at_pieces(struct look *l)
{
	while (!l->over) {
		switch (pv_stream_next(&l->stream)) {
		case PV_PIECE_MORE:
			return;
		case PV_PIECE_BUFFER:
			look_at_buffer(l);
			break;
		case PV_PIECE_DAMAGE:
			break;
		case PV_PIECE_HEADER:
			look_at_header(l);
			break;
		default:
			l->over = true;
		}
	}
}

static void look_through(struct look *l, struct pv_source *s)
{
	struct pv_error e;
	while (!l->over) {
		size_t room;
		uint64_t n = 0;
		uint8_t *to = pv_stream_room(&l->stream, &room);
		if (!to || pv_source_read(s, to, room, &n, &e) != PV_READ_BYTES)
			break;
		pv_stream_filled(&l->stream, (size_t)n);
		look_at_pieces(l);
	}
	pv_stream_end(&l->stream);
	look_at_pieces(l);
}

struct pv_dump_layout pv_dump_find_layout(const struct pv_source *file)
{
	struct look l = { 0 };
	struct pv_error e;
	struct pv_source *s = pv_source_again(file, &e);
	if (s)
		look_through(&l, s);
	pv_stream_finish(&l.stream);
	pv_source_close(s);
	return l.found;
}
