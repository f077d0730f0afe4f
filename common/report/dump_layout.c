#include "common/report/dump_layout.h"

#include "common/format/block07/block07.h"
#include "common/format/mlpd/framer.h"
#include "common/format/mlpd/mlpd_layout.h"
#include "common/io/source.h"

struct look {
	struct mlpd_framer framer;
	struct pv_dump_layout found;
	uint8_t says;
	unsigned trials;
	bool over; /* nothing is to be found, or it was */
};

static void look_at_header(struct look *l)
{
	l->says = l->framer.header.format.data_version;
	l->trials = MLPD_TRIALS;
	l->over = !mlpd_has_layouts(l->says);
}

static void look_at_buffer(struct look *l)
{
	struct mlpd_framer *f = &l->framer;
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

static void look(struct look *l)
{
	while (!l->over) {
		switch (mlpd_framer_next(&l->framer)) {
		case MLPD_MORE:
			return;
		case MLPD_HEADER:
			look_at_header(l);
			break;
		case MLPD_BUFFER:
			look_at_buffer(l);
			break;
		case MLPD_DAMAGE:
			break;
		case MLPD_FAILED:
			l->over = true;
			break;
		}
	}
}

static void look_through(struct look *l, struct pv_source *s)
{
	struct pv_error e;
	bool chosen = false;
	while (!l->over) {
		size_t room;
		uint64_t n = 0;
		uint8_t *to = mlpd_framer_room(&l->framer, &room);
		if (!to || pv_source_read(s, to, room, &n, &e) != PV_READ_BYTES)
			break;
		mlpd_framer_filled(&l->framer, (size_t)n);
		enum b07_sniffed is = chosen ? B07_NO
					     : b07_sniff(l->framer.window + l->framer.start,
						       l->framer.filled - l->framer.start);
		chosen = is == B07_NO;
		l->over = is == B07_YES;
		if (chosen)
			look(l);
	}
	if (!l->over && chosen) {
		mlpd_framer_end(&l->framer);
		look(l);
	}
}

struct pv_dump_layout pv_dump_find_layout(const struct pv_source *file)
{
	struct look l = { .framer = { .may_join = true } };
	struct pv_error e;
	struct pv_source *s = pv_source_again(file, &e);
	if (s && mlpd_framer_init(&l.framer))
		look_through(&l, s);
	mlpd_framer_finish(&l.framer);
	pv_source_close(s);
	return l.found;
}
