/* Logs of the 2007 logging profiler: decoded in order on the owner's thread. */
#include <string.h>

#include "common/format/families/family.h"
#include "common/format/mlpd/mlpd.h"
#include "common/ingest/ingest_parts.h"

bool pv_input07_choose(struct pv_ingest *in, bool ended)
{
	struct mlpd_framer *f = &in->framer;
	const uint8_t *bytes = f->window + f->start;
	size_t n = f->filled - f->start, room = 0;
	enum pv_family family = pv_family_of(bytes, n, ended);
	if (family == PV_FAMILY_UNSURE || family == PV_FAMILY_MLPD)
		return family == PV_FAMILY_MLPD;
	if (!pv_family_init(family, &in->old))
		return true;
	for (size_t done = 0; done < n;) {
		uint8_t *to = b07_room(&in->old, &room);
		if (!to) {
			b07_finish(&in->old);
			return true;
		}
		size_t part = n - done < room ? n - done : room;
		memcpy(to, bytes + done, part);
		b07_filled(&in->old, part);
		done += part;
	}
	return in->is_old = true;
}

/* Events of other families have the meaning of the newest logs. */
static bool begin_other(struct pv_ingest *in, const struct b07_header *h)
{
	const struct pv_target_info t = { .text = h->text,
		.data_version = MLPD_NEWEST,
		.header_major = 3,
		.startup_ns = h->start_ns,
		.start_time_ms = h->start_us / 1000,
		.promises_end = h->promises_end,
		.pid = h->pid,
		.pointer_size = h->pointer_size,
		.args = h->args ? h->args : "",
		.arch = "",
		.os = "" };
	return pv_ingest_begin(in, &t, false);
}

static bool begin(struct pv_ingest *in)
{
	const struct b07_header *h = &in->old.header;
	const struct pv_target_info t = { .logging2007 = true,
		.stage = b07_stage_name(h->stage),
		.event_mask = h->flags,
		.start_time_ms = h->start_us / 1000,
		.startup_ns = h->start_us * 1000,
		.args = "",
		.arch = "",
		.os = "" };
	if (in->options.record && !in->recording) {
		in->recording = true;
		pv_source_record(in->source, 0, NULL, 0, NULL);
	}
	return h->text ? begin_other(in, h) : pv_ingest_begin(in, &t, false);
}

static bool batch(struct pv_ingest *in)
{
	const char *stage = b07_stage_name(in->old.stage);
	if (!in->model->target.text &&
		in->model->target.stage != stage) { /* a directive has said more */
		pv_model_lock(in->model);
		in->model->target.stage = stage;
		pv_model_unlock(in->model);
	}
	/* Never kept: its texts are the decoder's, which uses their memory again. */
	in->as_run = true;
	in->old.batch.damaged = in->old.batch.damaged && !in->quiet;
	return pv_ingest_take(in, &in->old.batch);
}

bool pv_input07_frame(struct pv_ingest *in)
{
	for (;;) {
		enum b07_piece piece = b07_next(&in->old);
		in->pieces += piece != B07_MORE;
		switch (piece) {
		case B07_MORE:
			return true;
		case B07_HEADER:
			if (!begin(in))
				return false;
			break;
		case B07_BATCH:
			if (!batch(in))
				return false;
			break;
		case B07_DAMAGE:
			if (!in->quiet) /* incomplete data waits for more */
				pv_ingest_damage(in, in->old.damage.offset, in->old.damage.bytes,
					in->old.damage.reason);
			break;
		case B07_FAILED: /* more of the text may make it one that is read */
			return in->quiet || pv_ingest_fail(in, &in->old.error);
		}
		if (pv_ingest_stopping(in))
			return false;
	}
}
