/* SPDX-License-Identifier: MIT */
/*
 * The index that an ingest writes and begins with (index_file.h): the reading position, the access
 * points of a gzip file, the model. There are two kinds. Most are of a position where a buffer
 * begins, before the end of the input was dealt with: reading goes on from there, with or without
 * more input. If there is no such position (a damaged tail, a log of another family) the index is
 * of the whole finished file, and valid only while the file is unchanged.
 */
#include <string.h>

#include "common/ingest/index_file.h"
#include "common/ingest/ingest_parts.h"
#include "common/model/persist.h"

/* Smaller logs have no index: reading them takes no noticeable time. */
#define LEAST_STREAM (UINT64_C(1) << 20)
#define EVERY_NS     (INT64_C(60) * 1000000000)

enum { YIELD = 1 << 20 }; /* bytes written before the model's lock is released for others */

struct index_state {
	struct mlpd_format format;
	uint64_t start_time_ms;
	uint32_t pid;
	uint32_t trials;
	uint64_t offset; /* in the inflated stream, from where reading goes on */
	uint64_t recordings;
	uint8_t says;
	bool joined, damaged;
	bool finished; /* of the whole file; reading does not go on */
	bool complete, compressed_cut;
	bool table; /* with the table of buffers */
	PV_ARRAY(struct pv_source_point) points;
};

enum { MEANING = 4 }; /* raised whenever written data changes in meaning */

/* --- the fields, and their checks */

enum { LARGEST_POINTER = 8 /* bytes */ };

#define FORMAT(F, T)                                                                               \
	F(T, data_version, AT_MOST, MLPD_NEWEST)                                                   \
	F(T, header_major, FIGURE)                                                                 \
	F(T, pointer_size, AT_MOST, LARGEST_POINTER)                                               \
	F(T, layout, FIGURE)
PV_SHAPE(format, struct mlpd_format, FORMAT)

#define POINT(F, T)                                                                                \
	F(T, out, RISING)                                                                          \
	F(T, in, RISING)                                                                           \
	F(T, bits, BELOW, 8)                                                                       \
	F(T, window_n, AT_MOST, PV_GZIP_WINDOW)                                                    \
	F(T, window, FIGURES, uint8_t)
PV_SHAPE(point, struct pv_source_point, POINT)

#define STATE(F, T)                                                                                \
	F(T, format, PART, format)                                                                 \
	F(T, start_time_ms, FIGURE)                                                                \
	F(T, pid, FIGURE)                                                                          \
	F(T, trials, FIGURE)                                                                       \
	F(T, offset, FIGURE)                                                                       \
	F(T, recordings, FIGURE)                                                                   \
	F(T, says, AT_MOST, MLPD_NEWEST)                                                           \
	F(T, joined, BOOL)                                                                         \
	F(T, damaged, BOOL)                                                                        \
	F(T, finished, BOOL)                                                                       \
	F(T, complete, BOOL)                                                                       \
	F(T, compressed_cut, BOOL)                                                                 \
	F(T, table, BOOL)                                                                          \
	F(T, points, LIST, point, 0, PV_SOURCE_POINTS)
PV_SHAPE(state, struct index_state, STATE)

#define ROW(F, T)                                                                                  \
	F(T, offset, FIGURE)                                                                       \
	F(T, bytes, FIGURE)                                                                        \
	F(T, flags, AT_MOST, PV_BUFFER_STATE | PV_BUFFER_ALL | PV_BUFFER_DAMAGE)                   \
	F(T, change, FIGURE)
PV_SHAPE(row, struct pv_buffer_row, ROW)

#define CHANGE(F, T)                                                                               \
	F(T, thread, FIGURE)                                                                       \
	F(T, min_ns, FIGURE)                                                                       \
	F(T, max_ns, FIGURE)                                                                       \
	F(T, last_ns, FIGURE)                                                                      \
	F(T, too_deep, FIGURE)                                                                     \
	F(T, keep, FIGURE)                                                                         \
	F(T, frames, FIGURE)                                                                       \
	F(T, frame, FIGURE)
PV_SHAPE(change, struct pv_buffer_change, CHANGE)

PV_NUMBERS(frame, uint32_t, PV_FIGURE, 0)

#define DAMAGE(F, T)                                                                               \
	F(T, offset, FIGURE)                                                                       \
	F(T, bytes, FIGURE)                                                                        \
	F(T, reason, CHARS)
PV_SHAPE(damage, struct pv_buffer_damage, DAMAGE)

#define ADDRESS_LOG_CLASS(F, T)                                                                    \
	F(T, place, RISING)                                                                        \
	F(T, class_use, FIGURE)
PV_SHAPE(address_log_class, struct pv_address_log_class, ADDRESS_LOG_CLASS)

#define ADDRESS_LOG_MOVE(F, T)                                                                     \
	F(T, place, RISING)                                                                        \
	F(T, from, FIGURE)                                                                         \
	F(T, to, FIGURE)                                                                           \
	F(T, class_use, FIGURE)                                                                    \
	F(T, time_ns, FIGURE)
PV_SHAPE(address_log_move, struct pv_address_log_move, ADDRESS_LOG_MOVE)

#define ADDRESS_LOG(F, T)                                                                          \
	F(T, classes, LIST, address_log_class, 0, PV_ADDRESS_LOG_MOST)                             \
	F(T, moves, LIST, address_log_move, 0, PV_ADDRESS_LOG_MOST)                                \
	F(T, full, BOOL)
PV_SHAPE(address_log, struct pv_address_log, ADDRESS_LOG)

/* The figures of threads are computed anew. */
#define TABLE(F, T)                                                                                \
	F(T, row, LIST, row, 0, 0)                                                                 \
	F(T, change, LIST, change, 0, 0)                                                           \
	F(T, frame, LIST, frame, 0, 0)                                                             \
	F(T, damage, LIST, damage, 0, 0)                                                           \
	F(T, end, FIGURE)                                                                          \
	F(T, per_row, FIGURE)                                                                      \
	F(T, in_row, FIGURE)                                                                       \
	F(T, unusable, CHARS)                                                                      \
	F(T, format, PART, format)                                                                 \
	F(T, address_log, PART, address_log)                                                       \
	F(T, limit, LEFT_OUT)                                                                      \
	F(T, thread, LEFT_OUT_ALL)                                                                 \
	F(T, thread_at, LEFT_OUT_ALL)                                                              \
	F(T, epochs, FIGURE)                                                                       \
	F(T, folds, FIGURE)                                                                        \
	F(T, logged, FIGURE)                                                                       \
	F(T, run, LEFT_OUT)
PV_SHAPE(table, struct pv_buffers, TABLE)

static uint64_t layout(void)
{
	uint64_t h = pv_hash(pv_model_layout() ^ MEANING);
	h = pv_hash(h ^ pv_shape_hash(&state_shape));
	return pv_hash(h ^ pv_shape_hash(&table_shape));
}

/* Whether rows follow one another, and the parts of each row too. */
static bool rows_hold(const struct pv_buffers *b)
{
	uint64_t at = 0, change = 0;
	for (size_t i = 0; i < b->row.n; i++) {
		const struct pv_buffer_row *r = &b->row.v[i];
		if (r->offset < at || r->offset > b->end || r->bytes > b->end - r->offset)
			return false;
		at = r->offset + r->bytes;
		if (r->flags & PV_BUFFER_DAMAGE) {
			if (r->change >= b->damage.n)
				return false;
			continue;
		}
		if (r->change < change || r->change > b->change.n)
			return false;
		change = r->change;
	}
	return true;
}

/*
 * Whether each frame is part of one change: following all of them takes no more room than exists.
 */
static bool changes_hold(const struct pv_buffers *b, const struct pv_model *m)
{
	uint64_t all = 0;
	bool ok = true;
	for (size_t i = 0; i < b->change.n; i++) {
		const struct pv_buffer_change *c = &b->change.v[i];
		ok &= c->frame <= b->frame.n && c->frames <= b->frame.n - c->frame;
		all += c->frames;
	}
	ok &= all <= b->frame.n;
	for (size_t i = 0; i < b->frame.n; i++)
		ok &= b->frame.v[i] < m->names.method.n;
	return ok;
}

static bool address_log_holds(const struct pv_address_log *r, const struct pv_model *m)
{
	bool ok = true;
	for (size_t i = 0; i < r->classes.n; i++)
		ok &= r->classes.v[i].class_use < m->names.class_use.n;
	for (size_t i = 0; i < r->moves.n; i++)
		ok &= r->moves.v[i].class_use < m->names.class_use.n;
	return ok;
}

/* Whether the access points are within the covered part of the log. */
static bool points_hold(const struct index_state *s, uint64_t covers)
{
	bool ok = true;
	for (size_t i = 0; i < s->points.n; i++)
		ok &= s->points.v[i].out <= s->offset && s->points.v[i].in <= covers;
	return ok;
}

static bool table_holds(const struct pv_buffers *b, const struct pv_model *m)
{
	return b->per_row > 0 && (b->per_row & (b->per_row - 1)) == 0 && rows_hold(b) &&
	       changes_hold(b, m) && address_log_holds(&b->address_log, m) &&
	       b->logged <= b->address_log.classes.n + b->address_log.moves.n;
}

static bool wanted(const struct pv_ingest *in, const struct pv_source_info *info)
{
	const struct pv_restrict *only = &in->options.only;
	return in->options.index && !only->ranged && !pv_restricts_threads(only) &&
	       (info->kind == PV_SOURCE_FILE || info->kind == PV_SOURCE_GROWING) &&
	       !info->waiting && strcmp(info->path, "-") != 0;
}

static uint64_t least_stream(const struct pv_ingest *in)
{
	return in->options.index_least ? in->options.index_least : LEAST_STREAM;
}

/* --- saving */

struct polite {
	struct pv_index_out *out;
	const struct pv_ingest *in;
	size_t since; /* bytes since the lock was released */
};

/*
 * Lets queries in between: only the owner applies, so nothing that is saved changes meanwhile.
 * Gives up when the user quits: the next start reads the log again.
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

static bool take_points(struct index_state *s, const struct pv_source *source)
{
	const struct pv_source_point *v;
	size_t n = pv_source_points(source, &v);
	if (!pv_reserve(&s->points, n))
		return false;
	if (n)
		memcpy(s->points.v, v, n * sizeof *v);
	s->points.n = n;
	return true;
}

static bool save(struct pv_ingest *in, struct index_state *s, const struct pv_source_info *info)
{
	struct pv_index_out out;
	uint64_t covers = s->finished        ? info->file_bytes
			  : info->compressed ? info->input_read
					     : s->offset;
	if (!pv_index_create(&out))
		return false;
	struct pv_archive a = { .write = pv_index_write, .ctx = &out };
	a.failed = !take_points(s, in->source);
	pv_archive_shape(&a, &state_shape, s);
	if (s->table)
		pv_archive_shape(&a, &table_shape, in->table);
	bool ok = !a.failed && save_model(in, &out) &&
		  pv_index_commit(&out, layout(), covers, info->path);
	pv_index_abandon(&out);
	pv_array_finish(&s->points);
	return ok;
}

bool pv_ingest_save_index(struct pv_ingest *in, bool finished)
{
	struct pv_source_info info;
	pv_source_info(in->source, &info);
	struct index_state s = { .finished = finished };
	/* Batches held back until their definitions are known would be missing from the model. */
	bool held = in->reorder.kept.n > in->reorder.first;
	bool place = finished || (!held && pv_stream_resting(&in->stream, &s.offset));
	if (finished)
		s.offset = in->status.stream_bytes;
	if (!wanted(in, &info) || !place || s.offset < least_stream(in) ||
		s.offset == in->indexed || in->model->recordings == 0 ||
		(finished && info.kind != PV_SOURCE_FILE))
		return place;
	s.format = in->format;
	s.pid = in->model->target.pid;
	s.start_time_ms = in->model->target.start_time_ms;
	s.trials = in->trials;
	s.says = in->says;
	s.joined = in->stream.framer && in->stream.framer->joined;
	s.table = in->table != NULL;
	s.compressed_cut = info.compressed_cut;
	pthread_mutex_lock(&in->lock);
	s.recordings = in->status.recordings;
	s.damaged = in->status.damaged;
	s.complete = in->status.complete;
	pthread_mutex_unlock(&in->lock);
	save(in, &s, &info); /* after a failure the log is read again: nothing is lost */
	in->indexed = s.offset;
	in->indexed_ns = pv_ingest_now();
	return true;
}

bool pv_ingest_index_due(const struct pv_ingest *in)
{
	return in->options.index && pv_ingest_now() - in->indexed_ns >= EVERY_NS;
}

/* --- loading */

/* Takes over the state in an index. False: out of memory. */
static bool take_state(struct pv_ingest *in, const struct index_state *s, struct pv_model *m)
{
	const struct pv_text none = { "", 0 };
	struct mlpd_header h = { .format = s->format,
		.start_time_ms = s->start_time_ms,
		.pid = s->pid,
		.args = none,
		.arch = none,
		.os = none };
	h.format.data_version = s->says;
	if (!pv_stream_go_on(&in->stream, &h, s->offset))
		return false;
	in->format = s->format;
	in->trials = s->trials;
	in->says = s->says;
	in->indexed = s->offset;
	in->indexed_ns = pv_ingest_now();
	in->stream.framer->header.format = s->format;
	in->stream.framer->joined = s->joined;
	pthread_mutex_lock(&in->life);
	pthread_mutex_lock(&in->lock);
	in->model = m; /* `shown` is the empty one until the caller adopts this */
	in->status.models++;
	in->status.recordings = s->recordings;
	in->status.renewals = in->model->recordings ? in->model->recordings - 1 : 0;
	in->status.damaged = s->damaged;
	in->status.complete = s->finished && s->complete;
	in->status.stream_bytes = s->offset;
	pthread_mutex_unlock(&in->lock);
	pthread_mutex_unlock(&in->life);
	if (!s->joined)
		pv_source_set_target(in->source, s->pid);
	return true;
}

static void take_table(struct pv_ingest *in, struct pv_buffers *table)
{
	struct pv_buffers *old = table;
	pthread_mutex_lock(&in->life);
	if (in->options.ranges) {
		old = in->table;
		in->table = table;
		in->model->address_log = &table->address_log;
	}
	pthread_mutex_unlock(&in->life);
	pv_buffers_destroy(old);
}

/* The whole file is known: no reading is needed. */
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

/* Seeks the place from where reading goes on; false when the source cannot be brought there. */
static bool place_source(struct pv_ingest *in, const struct index_state *s, uint64_t covers)
{
	struct pv_source_info info;
	struct pv_error e;
	pv_source_info(in->source, &info);
	if (s->finished && (info.kind != PV_SOURCE_FILE || info.file_bytes != covers))
		return false;
	if (!pv_source_set_points(in->source, s->points.v, s->points.n) ||
		!pv_source_seek(in->source, s->finished ? 0 : s->offset, &e))
		return false;
	pv_source_info(in->source, &info);
	return s->finished || info.compressed || s->offset == covers;
}

static struct pv_model *load_model(
	struct pv_index_in *from, struct index_state *ret_state, struct pv_buffers **ret_table)
{
	struct pv_archive a = {
		.mode = PV_ARCHIVE_LOAD, .read = pv_index_read, .ctx = from, .left = from->bytes
	};
	pv_archive_shape(&a, &state_shape, ret_state);
	struct pv_buffers *table = a.failed ? NULL : pv_buffers_create();
	struct pv_model *m = table ? pv_model_create(NULL) : NULL;
	if (m && ret_state->table)
		pv_archive_shape(&a, &table_shape, table);
	else if (m)
		pv_buffers_invalidate(table, "the index was made without a table of buffers");
	if (!m || a.failed || !pv_model_load(m, pv_index_read, from, a.left) ||
		!table_holds(table, m) || !points_hold(ret_state, from->covers)) {
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
	struct index_state s = { 0 };
	struct pv_error e;
	pv_source_info(in->source, &info);
	if (!wanted(in, &info) || !pv_index_open(&from, info.path, layout(), &in->stop))
		return PV_INDEXED_NOT;
	struct pv_buffers *table = NULL;
	struct pv_model *m = load_model(&from, &s, &table);
	uint64_t covers = from.covers;
	pv_index_close(&from);
	if (m && place_source(in, &s, covers) && take_state(in, &s, m)) {
		pv_decode_pool_resume(in->pool);
		take_table(in, table);
		if (s.finished)
			take_finished(in, &s);
		pv_array_finish(&s.points);
		return s.finished ? PV_INDEXED_ALL : PV_INDEXED_SO_FAR;
	}
	pv_buffers_destroy(table);
	pv_model_destroy(m);
	pv_array_finish(&s.points);
	if (!pv_source_set_points(in->source, NULL, 0) || !pv_source_seek(in->source, 0, &e))
		pv_ingest_fail(in, &e);
	return PV_INDEXED_NOT;
}
