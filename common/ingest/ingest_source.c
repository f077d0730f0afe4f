/*
 * The source's own state, for the status and the damage list; and payloads. On the ingest thread.
 */
#include "common/ingest/ingest_parts.h"

#include <string.h>

static uint64_t stream_bytes(const struct pv_ingest *in)
{
	return in->is_old ? in->old.received
			  : in->framer.window_offset + in->framer.filled - in->framer.start;
}

static bool has_moved(const struct pv_source_info *from, const struct pv_source_info *to)
{
	return from->input_read != to->input_read || from->file_bytes != to->file_bytes ||
	       from->dropped != to->dropped || from->waiting != to->waiting;
}

/* Bytes that end no buffer change nothing but this: it is signalled before the next wait. */
void pv_ingest_note_source(struct pv_ingest *in)
{
	struct pv_source_info info;
	uint64_t bytes = stream_bytes(in);
	pv_source_info(in->source, &info);
	pthread_mutex_lock(&in->lock);
	if (bytes != in->status.stream_bytes || has_moved(&in->status.source, &info))
		in->signalled = false;
	in->status.source = info;
	in->status.stream_bytes = bytes;
	pthread_mutex_unlock(&in->lock);
}

struct pv_source *pv_ingest_again(const struct pv_ingest *in, struct pv_error *reterr)
{
	if (pv_source_floor(in->source) == 0)
		return pv_source_again(in->source, reterr);
	pv_fail(reterr, PV_EUSAGE, 0,
		"more came through the pipe than the spool keeps (--spool): it cannot be read again");
	return NULL;
}

bool pv_ingest_fill(const struct pv_ingest *in, struct pv_batch *b)
{
	const struct mlpd_framer *f = &in->framer;
	if (!f->continues && f->last_piece && f->whole && in->carry.n == 0) {
		pv_batch_borrow(b, f->block, f->payload, f->payload_len);
		return true;
	}
	if (!pv_reserve(&b->bytes, in->carry.n + f->payload_len + 1))
		return false;
	if (in->carry.n)
		memcpy(b->bytes.v, in->carry.v, in->carry.n);
	if (f->payload_len)
		memcpy(b->bytes.v + in->carry.n, f->payload, f->payload_len);
	b->bytes.n = in->carry.n + f->payload_len;
	return true;
}

/* Whether a file has become shorter than it was, so that it ends with a whole buffer. */
static bool is_cut(const struct pv_ingest *in, const struct pv_source_info *info)
{
	uint64_t rests;
	return info->kind == PV_SOURCE_FILE && !info->compressed && !in->is_old &&
	       info->input_read < info->file_bytes && mlpd_framer_resting(&in->framer, &rests) &&
	       rests == info->input_read;
}

void pv_ingest_stored_damage(struct pv_ingest *in)
{
	struct pv_source_info info;
	char reason[80];
	pv_source_info(in->source, &info);
	if (is_cut(in, &info))
		pv_ingest_damage(in, info.input_read, info.file_bytes - info.input_read,
			"the file was cut short while it was read");
	if (pv_source_damage(&info, reason, sizeof reason))
		pv_ingest_damage(in, stream_bytes(in), info.damaged_bytes, reason);
}

/*
 * A development build's layout has shown: what came before was read as something else. The log is
 * read anew, once, unless it came through a pipe and has outgrown the spool.
 */
void pv_ingest_note_layout(struct pv_ingest *in)
{
	if (in->found_says || in->format.layout == 0 || pv_source_floor(in->source) > 0)
		return;
	in->found = in->format;
	in->found_says = in->says;
	in->again = true;
}
