/* SPDX-License-Identifier: MIT */
/* The source's own state, for the status and the damage list. On the ingest thread. */
#include "common/ingest/ingest_parts.h"

static bool has_moved(const struct pv_source_info *from, const struct pv_source_info *to)
{
	return from->input_read != to->input_read || from->file_bytes != to->file_bytes ||
	       from->dropped != to->dropped || from->waiting != to->waiting;
}

/* Bytes that end no buffer change only this state: signalled before the next wait. */
void pv_ingest_note_source(struct pv_ingest *in)
{
	struct pv_source_info info;
	uint64_t bytes = in->stream.received;
	pv_source_info(in->source, &info);
	pthread_mutex_lock(&in->lock);
	if (bytes != in->status.stream_bytes || has_moved(&in->status.source, &info))
		in->signalled = false;
	in->status.source = info;
	in->status.stream_bytes = bytes;
	pthread_mutex_unlock(&in->lock);
}

void pv_ingest_process(struct pv_ingest *in, long pid)
{
	__atomic_store_n(&in->process, pid, __ATOMIC_RELEASE);
}

void pv_ingest_note_numbers(struct pv_ingest *in)
{
	const long said = __atomic_load_n(&in->process, __ATOMIC_ACQUIRE);
	const long pid = said ? said : in->status.source.writer;
	struct pv_thread_numbers *n = &in->numbers;
	if (!pid || !pv_thread_numbers_read(n, (pid_t)pid, pv_ingest_now() / 1000000))
		return;
	pv_model_lock(in->model);
	for (size_t i = 0; i < n->list.n; i++)
		pv_model_number_thread(in->model, n->list.v[i].theirs, n->list.v[i].ours);
	pv_model_unlock(in->model);
}

struct pv_source *pv_ingest_again(const struct pv_ingest *in, struct pv_error *reterr)
{
	if (pv_source_floor(in->source) == 0)
		return pv_source_again(in->source, reterr);
	pv_fail(reterr, PV_EUSAGE, 0,
		"more came through the pipe than the spool keeps (--spool): it cannot be read again");
	return NULL;
}

/* Whether a file has shrunk, and now ends with a whole buffer. */
static bool is_cut(const struct pv_ingest *in, const struct pv_source_info *info)
{
	uint64_t rests;
	return info->kind == PV_SOURCE_FILE && !info->compressed &&
	       info->input_read < info->file_bytes && pv_stream_resting(&in->stream, &rests) &&
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
		pv_ingest_damage(in, in->stream.received, info.damaged_bytes, reason);
}

/*
 * Notes that a development build's layout was found: earlier buffers were decoded wrongly. The log
 * is read anew, once, unless its pipe has outgrown the spool.
 */
void pv_ingest_note_layout(struct pv_ingest *in)
{
	if (in->found_says || in->format.layout == 0 || pv_source_floor(in->source) > 0)
		return;
	in->found = in->format;
	in->found_says = in->says;
	in->again = true;
}
