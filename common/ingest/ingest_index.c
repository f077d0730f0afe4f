/*
 * What an ingest keeps of a log (index_file.h) and begins with: where reading stands, the access
 * points of a gzip file, the model. There are two kinds. Most stand where a buffer begins, before the end of
 * the input was dealt with: reading goes on from there, whether or not more has come. Where there
 * is no such place (a damaged tail, a log of 2007) the index is that of the whole finished file,
 * and good for nothing longer.
 */
#include <string.h>

#include "common/ingest/index_file.h"
#include "common/ingest/ingest_parts.h"
#include "common/model/persist.h"

/* Smaller logs are read faster than anyone could notice: no index is kept of them. */
#define LEAST_STREAM (UINT64_C(1) << 20)
#define EVERY_NS (INT64_C(60) * 1000000000)

enum { YIELD = 1 << 20 }; /* bytes of the model written under one hold of its lock */

struct index_state {
	struct mlpd_format format;
	uint64_t start_time_ms;
	uint32_t pid;
	uint32_t trials;
	uint64_t offset;     /* in the inflated stream: where reading goes on */
	uint64_t recordings;
	uint8_t says;
	bool joined, damaged;
	bool finished;       /* of the whole file; reading does not go on */
	bool complete, compressed_cut;
	bool table;          /* of buffers, is among it */
};

enum { MEANING = 3 }; /* to be raised when what is written means something else */

/* All that is written as it lies in memory must lie the same way in the build that reads it. */
static uint64_t layout(void)
{
	const uint64_t sizes[] = { MEANING, sizeof(struct index_state), sizeof(struct pv_source_point),
		sizeof(struct pv_buffer_row), sizeof(struct pv_buffer_change),
		sizeof(struct pv_buffer_damage), sizeof(struct pv_recall_class),
		sizeof(struct pv_recall_move), sizeof(struct mlpd_format) };
	uint64_t h = pv_model_layout();
	for (size_t i = 0; i < PV_COUNT_OF(sizes); i++)
		h = pv_hash(h ^ pv_hash(sizes[i] + i));
	return h;
}

static bool wanted(const struct pv_ingest *in, const struct pv_source_info *info)
{
	const struct pv_restrict *only = &in->options.only;
	return in->options.index && !only->ranged && !only->threaded &&
		(info->kind == PV_SOURCE_FILE || info->kind == PV_SOURCE_GROWING) &&
		!info->waiting && strcmp(info->path, "-") != 0;
}

/* --- saving */

struct polite {
	struct pv_index_out *out;
	const struct pv_ingest *in;
	size_t since; /* bytes since the lock was let go */
};

/*
 * Lets queries in between: nothing that is saved changes meanwhile, as only the owner applies. And
 * who leaves does not wait: the next one reads the log again.
 */
static bool write_politely(void *ctx, const void *bytes, size_t n)
{
	struct polite *p = ctx;
	if (pv_ingest_stopping(p->in) || !pv_index_write(p->out, bytes, n))
		return false;
	p->since += n;
	if (p->since >= YIELD) {
		pv_model_unlock(p->in->model);
		pv_model_lock(p->in->model);
		p->since = 0;
	}
	return true;
}

static bool save_model(struct pv_ingest *in, struct pv_index_out *out)
{
	struct polite p = { out, in, 0 };
	pv_model_lock(in->model);
	bool ok = pv_model_save(in->model, write_politely, &p);
	pv_model_unlock(in->model);
	return ok;
}

static void archive_points(struct pv_archive *a, struct pv_source *s)
{
	const struct pv_source_point *v = NULL;
	size_t n = a->loading ? 0 : pv_source_points(s, &v);
	PV_ARRAY(struct pv_source_point) loaded = { 0 };
	n = pv_archive_count(a, n, PV_SOURCE_POINTS);
	if (a->loading && n && !a->failed && pv_reserve(&loaded, n)) {
		pv_archive_bytes(a, loaded.v, n * sizeof *loaded.v);
		a->failed |= !pv_source_set_points(s, loaded.v, n);
	} else if (a->loading && n) {
		a->failed = true;
	} else if (n) {
		pv_archive_bytes(a, (void *)(uintptr_t)v, n * sizeof *v);
	}
	pv_array_finish(&loaded);
}

/* The table of buffers, where one is kept; what it keeps of threads is found anew. */
static void archive_table(struct pv_archive *a, struct pv_buffers *b)
{
	pv_archive_array(a, &b->row);
	pv_archive_array(a, &b->change);
	pv_archive_array(a, &b->frame);
	pv_archive_array(a, &b->damage);
	pv_archive_value(a, b->end);
	pv_archive_value(a, b->per_row);
	pv_archive_value(a, b->in_row);
	pv_archive_value(a, b->unusable);
	pv_archive_value(a, b->format);
	pv_archive_array(a, &b->recall.classes);
	pv_archive_array(a, &b->recall.moves);
	pv_archive_value(a, b->recall.full);
	pv_archive_value(a, b->epochs);
	pv_archive_value(a, b->folds);
	pv_archive_value(a, b->recalled);
}

static bool save(struct pv_ingest *in, struct index_state *s, const struct pv_source_info *info)
{
	struct pv_index_out out;
	uint64_t covers = s->finished ? info->file_bytes
		: info->compressed ? info->input_read : s->offset;
	if (!pv_index_create(&out))
		return false;
	struct pv_archive a = { .write = pv_index_write, .ctx = &out };
	pv_archive_value(&a, *s);
	archive_points(&a, in->source);
	if (s->table)
		archive_table(&a, in->table);
	bool ok = !a.failed && save_model(in, &out) &&
		pv_index_commit(&out, layout(), covers, info->path);
	pv_index_abandon(&out);
	return ok;
}

bool pv_ingest_save_index(struct pv_ingest *in, bool finished)
{
	struct pv_source_info info;
	pv_source_info(in->source, &info);
	struct index_state s;
	memset(&s, 0, sizeof s); /* padding, too, is written */
	s.finished = finished;
	/* What is held back until its definitions are known would be missing from the model. */
	bool held = in->hold.kept.n > in->hold.first;
	bool place = finished ||
		(!in->is_old && !held && mlpd_framer_resting(&in->framer, &s.offset));
	if (finished)
		s.offset = in->status.stream_bytes;
	if (!wanted(in, &info) || !place || s.offset < LEAST_STREAM || s.offset == in->indexed ||
		in->model->recordings == 0 || (finished && info.kind != PV_SOURCE_FILE))
		return place;
	s.format = in->format;
	s.pid = in->model->target.pid;
	s.start_time_ms = in->model->target.start_time_ms;
	s.trials = in->trials;
	s.says = in->says;
	s.joined = in->framer.joined;
	s.table = in->table != NULL;
	s.compressed_cut = info.compressed_cut;
	pthread_mutex_lock(&in->lock);
	s.recordings = in->status.recordings;
	s.damaged = in->status.damaged;
	s.complete = in->status.complete;
	pthread_mutex_unlock(&in->lock);
	save(in, &s, &info); /* without an index the log is read again: nothing is lost */
	in->indexed = s.offset;
	in->indexed_ns = pv_ingest_now();
	return true;
}

bool pv_ingest_index_due(const struct pv_ingest *in)
{
	return in->options.index && pv_ingest_now() - in->indexed_ns >= EVERY_NS;
}

/* --- loading */

static void take_state(struct pv_ingest *in, const struct index_state *s, struct pv_model *m)
{
	const struct pv_text none = { "", 0 };
	struct mlpd_header h = { .format = s->format, .start_time_ms = s->start_time_ms,
		.pid = s->pid, .args = none, .arch = none, .os = none };
	h.format.data_version = s->says;
	in->format = s->format;
	in->trials = s->trials;
	in->says = s->says;
	in->chosen = true;
	in->indexed = s->offset;
	in->indexed_ns = pv_ingest_now();
	mlpd_framer_go_on(&in->framer, &h, s->offset);
	in->framer.header.format = s->format;
	in->framer.joined = s->joined;
	pthread_mutex_lock(&in->life);
	pthread_mutex_lock(&in->lock);
	in->model = m; /* `shown` is the empty one until it is adopted */
	in->status.models++;
	in->status.recordings = s->recordings;
	in->status.renewals = in->model->recordings ? in->model->recordings - 1 : 0;
	in->status.damaged = s->damaged;
	in->status.complete = s->finished && s->complete;
	in->status.stream_bytes = s->offset;
	pthread_mutex_unlock(&in->lock);
	pthread_mutex_unlock(&in->life);
	if (!s->joined)
		pv_source_set_target(in->source, s->pid, s->start_time_ms);
}

static void take_table(struct pv_ingest *in, struct pv_buffers *table)
{
	struct pv_buffers *old = table;
	pthread_mutex_lock(&in->life);
	if (in->options.ranges) {
		old = in->table;
		in->table = table;
		in->model->recall = &table->recall;
	}
	pthread_mutex_unlock(&in->life);
	pv_buffers_destroy(old);
}

/* The whole file is known: there is nothing to read. */
static void take_finished(struct pv_ingest *in, const struct index_state *s)
{
	struct pv_source_info info;
	pv_source_info(in->source, &info);
	info.compressed_cut = s->compressed_cut;
	info.input_read = info.file_bytes;
	pthread_mutex_lock(&in->lock);
	in->status.source = info;
	pthread_mutex_unlock(&in->lock);
}

/* The place from which reading goes on; false when the source cannot be brought there. */
static bool place_source(struct pv_ingest *in, const struct index_state *s, uint64_t covers)
{
	struct pv_source_info info;
	struct pv_error e;
	pv_source_info(in->source, &info);
	if (s->finished)
		return info.kind == PV_SOURCE_FILE && info.file_bytes == covers &&
			pv_source_seek(in->source, 0, &e);
	return pv_source_seek(in->source, s->offset, &e);
}

static struct pv_model *load(struct pv_ingest *in, struct pv_index_in *from,
	struct index_state *ret_state, struct pv_buffers **ret_table)
{
	struct pv_archive a = { .loading = true, .read = pv_index_read, .ctx = from,
		.left = from->bytes };
	pv_archive_value(&a, *ret_state);
	archive_points(&a, in->source);
	struct pv_buffers *table = pv_buffers_create();
	a.failed |= !table;
	if (!a.failed && ret_state->table)
		archive_table(&a, table);
	else if (!a.failed)
		pv_buffers_spoil(table, "the index was made without a table of buffers");
	struct pv_model *m = a.failed ? NULL : pv_model_create(NULL);
	if (!m || !pv_model_load(m, pv_index_read, from, a.left)) {
		pv_buffers_destroy(table);
		pv_model_destroy(m);
		return NULL;
	}
	*ret_table = table;
	return m;
}

bool pv_ingest_indexed(const char *path)
{
	struct pv_index_in from;
	if (!pv_index_open(&from, path, layout(), NULL))
		return false;
	pv_index_close(&from);
	return true;
}

enum pv_indexed pv_ingest_load_index(struct pv_ingest *in)
{
	struct pv_source_info info;
	struct pv_index_in from;
	struct index_state s;
	struct pv_error e;
	pv_source_info(in->source, &info);
	if (!wanted(in, &info) || !pv_index_open(&from, info.path, layout(), &in->stop))
		return PV_INDEXED_NOT;
	struct pv_buffers *table = NULL;
	struct pv_model *m = load(in, &from, &s, &table);
	uint64_t covers = from.covers;
	pv_index_close(&from);
	if (m && place_source(in, &s, covers)) {
		take_state(in, &s, m);
		take_table(in, table);
		if (s.finished)
			take_finished(in, &s);
		return s.finished ? PV_INDEXED_ALL : PV_INDEXED_SO_FAR;
	}
	pv_buffers_destroy(table);
	pv_model_destroy(m);
	if (!pv_source_seek(in->source, 0, &e))
		pv_ingest_fail(in, &e);
	return PV_INDEXED_NOT;
}
