/* SPDX-License-Identifier: MIT */
/* Counters, notes, events of a runtime, the timeline and the buckets to bytes and back. */
#include <string.h>

#include "common/model/persist_parts.h"

/* --- counters */

#define COUNTER_SAMPLE(F, T)                                                                       \
	F(T, time_ns, FIGURE)                                                                      \
	F(T, u, FIGURE)
PV_SHAPE(counter_sample, struct pv_counter_sample, COUNTER_SAMPLE)

#define COUNTER(F, T)                                                                              \
	F(T, index, FIGURE)                                                                        \
	F(T, section, FIGURE)                                                                      \
	F(T, type, FIGURE)                                                                         \
	F(T, unit, FIGURE)                                                                         \
	F(T, variance, FIGURE)                                                                     \
	F(T, name, ID, PV_TEXTS)                                                                   \
	F(T, section_name, ID, PV_TEXTS)                                                           \
	F(T, unit_name, ID, PV_TEXTS)                                                              \
	F(T, role, AT_MOST, PV_COUNTER_ENDED)                                                      \
	F(T, described, BOOL)                                                                      \
	F(T, samples, LIST, counter_sample, PV_NO_STORE, PV_COUNTER_LIST)                          \
	F(T, seen, FIGURE)                                                                         \
	F(T, raw, FIGURE)                                                                          \
	F(T, base, FIGURE)
PV_SHAPE(counter, struct pv_counter, COUNTER)

#define COUNTERS(F, T)                                                                             \
	F(T, counter, LIST, counter, PV_COUNTERS, PV_COUNTERS_CAP + 2)                             \
	F(T, of, MAP, ID, PV_COUNTERS)                                                             \
	F(T, routes, BOOL)                                                                         \
	F(T, folded, FIGURE)                                                                       \
	F(T, cap, LEFT_OUT)                                                                        \
	F(T, total, LEFT_OUT)                                                                      \
	F(T, strings, FIGURE)
PV_SHAPE_SHARED(counters, struct pv_counters, COUNTERS)

/* --- notes */

#define MARK(F, T)                                                                                 \
	F(T, time_ns, FIGURE)                                                                      \
	F(T, thread, FIGURE)                                                                       \
	F(T, text, ID, PV_TEXTS)
PV_SHAPE(mark, struct pv_mark, MARK)

#define NATIVE(F, T)                                                                               \
	F(T, address, FIGURE)                                                                      \
	F(T, size, FIGURE)                                                                         \
	F(T, file_offset, FIGURE)                                                                  \
	F(T, time_ns, FIGURE)                                                                      \
	F(T, name, ID, PV_TEXTS)                                                                   \
	F(T, binary, BOOL)
PV_SHAPE(native, struct pv_native, NATIVE)

#define UNREAD(F, T)                                                                               \
	F(T, events, FIGURE)                                                                       \
	F(T, name, ID, PV_TEXTS)                                                                   \
	F(T, known, BOOL)
PV_SHAPE(unread, struct pv_unread, UNREAD)

#define NOTES(F, T)                                                                                \
	F(T, mark, LIST, mark, PV_NO_STORE, PV_MARKS_CAP)                                          \
	F(T, native, LIST, native, PV_NO_STORE, PV_NATIVES_CAP)                                    \
	F(T, marks, FIGURE)                                                                        \
	F(T, symbols, FIGURE)                                                                      \
	F(T, binaries, FIGURE)                                                                     \
	F(T, sync, FIGURES, uint64_t)                                                              \
	F(T, hits, FIGURES, uint64_t)                                                              \
	F(T, unread, LIST, unread, PV_NO_STORE, PV_UNREAD_CAP)
PV_SHAPE_SHARED(notes, struct pv_notes, NOTES)

/* --- events of a runtime */

#define STOP_SUM(F, T)                                                                             \
	F(T, count, FIGURE)                                                                        \
	F(T, failed, FIGURE)                                                                       \
	F(T, wait_ns, FIGURE)                                                                      \
	F(T, wait_max_ns, FIGURE)                                                                  \
	F(T, stopped_ns, FIGURE)                                                                   \
	F(T, stopped_max_ns, FIGURE)
PV_SHAPE(stop_sum, struct pv_stop_sum, STOP_SUM)

#define BODY(F, T)                                                                                 \
	F(T, time_ns, FIGURE)                                                                      \
	F(T, code, FIGURE)                                                                         \
	F(T, size, FIGURE)                                                                         \
	F(T, version, FIGURE)                                                                      \
	F(T, method, ID, PV_METHODS)                                                               \
	F(T, tier, BELOW, PV_TIERS)
PV_SHAPE(body, struct pv_body, BODY)

#define TIER_SUM(F, T)                                                                             \
	F(T, count, FIGURE)                                                                        \
	F(T, bytes, FIGURE)
PV_SHAPE(tier_sum, struct pv_tier_sum, TIER_SUM)

#define TRANSITION(F, T)                                                                           \
	F(T, method, ID, PV_METHODS)                                                               \
	F(T, count, FIGURES, uint64_t)                                                             \
	F(T, total_ns, FIGURES, int64_t)                                                           \
	F(T, max_ns, FIGURES, int64_t)
PV_SHAPE(transition, struct pv_transitions, TRANSITION)

#define SURVIVED(F, T)                                                                             \
	F(T, time_ns, FIGURE)                                                                      \
	F(T, generation, FIGURE)                                                                   \
	F(T, ranges, FIGURE)                                                                       \
	F(T, bytes, FIGURE)                                                                        \
	F(T, moved_ranges, FIGURE)                                                                 \
	F(T, moved_bytes, FIGURE)
PV_SHAPE(survived, struct pv_survived, SURVIVED)

#define WORK(F, T)                                                                                 \
	F(T, start_ns, FIGURE)                                                                     \
	F(T, took_ns, FIGURE)                                                                      \
	F(T, id, FIGURE)                                                                           \
	F(T, parent, FIGURE)                                                                       \
	F(T, thread, FIGURE)                                                                       \
	F(T, what, ID, PV_TEXTS)                                                                   \
	F(T, name, ID, PV_TEXTS)                                                                   \
	F(T, stack, ID, PV_STACKS)                                                                 \
	F(T, failed, BOOL)
PV_SHAPE(work, struct pv_work, WORK)

#define PIECE(F, T)                                                                                \
	F(T, from_ns, FIGURE)                                                                      \
	F(T, to_ns, FIGURE)                                                                        \
	F(T, thread, FIGURE)                                                                       \
	F(T, owner, FIGURE)                                                                        \
	F(T, until, FIGURE)                                                                        \
	F(T, allocations, FIGURE)                                                                  \
	F(T, bytes, FIGURE)                                                                        \
	F(T, wait_ns, FIGURE)                                                                      \
	F(T, ran, FIGURE)                                                                          \
	F(T, waited, FIGURE)                                                                       \
	F(T, unsure, FIGURE)                                                                       \
	F(T, waits, FIGURE)                                                                        \
	F(T, thrown, FIGURE)                                                                       \
	F(T, before, OLDER_1)
PV_SHAPE(piece, struct pv_work_piece, PIECE)

#define WORK_HIT(F, T)                                                                             \
	F(T, time_ns, FIGURE)                                                                      \
	F(T, thread, ID, PV_THREADS)                                                               \
	F(T, node, ID, PV_NODES)                                                                   \
	F(T, samples, FIGURE)
PV_SHAPE(work_hit, struct pv_work_hit, WORK_HIT)

#define WORKS(F, T)                                                                                \
	F(T, piece, LIST, piece, PV_PIECES, PV_PIECES_LIST)                                        \
	F(T, hit, LIST, work_hit, PV_NO_STORE, PV_WORK_HITS)                                       \
	F(T, beyond, FIGURE)                                                                       \
	F(T, begun, FIGURE)                                                                        \
	F(T, ended, FIGURE)                                                                        \
	F(T, ended_id, FIGURE)                                                                     \
	F(T, ended_parent, FIGURE)                                                                 \
	F(T, exact, LEFT_OUT)
PV_SHAPE(works, struct pv_works, WORKS)

#define SPANS_REST(F, T)                                                                           \
	F(T, count, FIGURE)                                                                        \
	F(T, failed, FIGURE)                                                                       \
	F(T, sum_ns, FIGURE)
PV_SHAPE(spans_rest, struct pv_spans_rest, SPANS_REST)

#define RUNTIME(F, T)                                                                              \
	F(T, stop, PART, stop_sum)                                                                 \
	F(T, stops, FIGURE)                                                                        \
	F(T, body, LIST, body, PV_NO_STORE, PV_BODIES_LIST)                                        \
	F(T, tier, PART, tier_sum)                                                                 \
	F(T, bodies, FIGURE)                                                                       \
	F(T, pitched, FIGURE)                                                                      \
	F(T, dynamic_gone, FIGURE)                                                                 \
	F(T, transitions, LIST, transition, PV_TRANSITIONS, 0)                                     \
	F(T, transitions_of, MAP, ID, PV_TRANSITIONS)                                              \
	F(T, crossings, FIGURE)                                                                    \
	F(T, survived, LIST, survived, PV_NO_STORE, PV_SURVIVED_LIST)                              \
	F(T, survivals, FIGURE)                                                                    \
	F(T, work, LIST, work, PV_NO_STORE, PV_SPANS_LIST)                                         \
	F(T, spans, FIGURE)                                                                        \
	F(T, works, PART, works)                                                                   \
	F(T, in_contexts, FIGURE)                                                                  \
	F(T, rest, PART, spans_rest)
PV_SHAPE_SHARED(runtime, struct pv_runtime, RUNTIME)

/* --- timeline */

#define TIMELINE(F, T)                                                                             \
	F(T, origin_ns, FIGURE)                                                                    \
	F(T, width_ns, WIDTH)                                                                      \
	F(T, used, AT_MOST, PV_TIMELINE_CELLS)                                                     \
	F(T, last_from_ns, LEFT_OUT)                                                               \
	F(T, last_width_ns, LEFT_OUT)                                                              \
	F(T, last, LEFT_OUT)                                                                       \
	F(T, cell, LEFT_OUT_ALL)
PV_SHAPE_SHARED(timeline, struct pv_timeline, TIMELINE)

/* Archives the cells in use; the width is 0 before the first cell. */
void pv_timeline_archive(struct pv_archive *a, struct pv_timeline *t)
{
	for (unsigned i = 0; i < PV_TRACKS && !a->failed; i++)
		pv_archive_numbers(a, t->cell[i], t->used, sizeof t->cell[i][0]);
}

/* --- lanes: cells with samples */

#define LANE_UNNAMED(F, T)                                                                         \
	F(T, node, ID, PV_NODES)                                                                   \
	F(T, lane, AT_MOST, PV_LANES_CAP)                                                          \
	F(T, cell, BELOW, PV_LANE_CELLS)                                                           \
	F(T, samples, FIGURE)
PV_SHAPE(lane_unnamed, struct pv_lane_unnamed, LANE_UNNAMED)

#define LANE(F, T)                                                                                 \
	F(T, thread, ID, PV_THREADS)                                                               \
	F(T, page, LEFT_OUT_ALL)
PV_SHAPE(lane, struct pv_lane, LANE)

#define LANES(F, T)                                                                                \
	F(T, origin_ns, FIGURE)                                                                    \
	F(T, width_ns, FIGURE)                                                                     \
	F(T, used, AT_MOST, PV_LANE_CELLS)                                                         \
	F(T, period_ns, FIGURE)                                                                    \
	F(T, lane, LIST, lane, PV_NO_STORE, PV_LANES_CAP + 1)                                      \
	F(T, of, LEFT_OUT_ALL)                                                                     \
	F(T, unnamed, LIST, lane_unnamed, PV_NO_STORE, PV_LANES_UNNAMED)                           \
	F(T, shared, FIGURE)                                                                       \
	F(T, nowhere, FIGURE)                                                                      \
	F(T, guessed, FIGURE)                                                                      \
	F(T, judged, LEFT_OUT)                                                                     \
	F(T, cap, LEFT_OUT)                                                                        \
	F(T, unnamed_cap, LEFT_OUT)
PV_SHAPE_SHARED(lanes, struct pv_lanes, LANES)

static void archive_cell(struct pv_archive *a, struct pv_lanes *l, uint32_t lane, uint32_t cell)
{
	const uint32_t *at = a->mode == PV_ARCHIVE_SAVE ? pv_lane_at(&l->lane.v[lane], cell) : NULL;
	uint32_t samples[PV_STATES] = { 0 };
	if (at)
		memcpy(samples, at, sizeof samples);
	pv_archive_numbers(a, samples, PV_STATES, sizeof samples[0]);
	for (unsigned s = 0; pv_archive_loads(a) && s < PV_STATES; s++)
		if (samples[s])
			a->failed = !pv_lanes_put(l, lane, cell, s, samples[s]);
}

static void archive_page(struct pv_archive *a, struct pv_lanes *l, uint32_t lane, uint32_t page)
{
	uint8_t there = l->lane.v[lane].page[page] != NULL;
	pv_archive_value(a, there);
	for (uint32_t i = 0; there && i < PV_LANE_PAGE && !a->failed; i++)
		archive_cell(a, l, lane, page * PV_LANE_PAGE + i);
}

void pv_lanes_archive(struct pv_archive *a, struct pv_lanes *l)
{
	uint32_t used = l->used;
	for (uint32_t i = 0; i < l->lane.n && !a->failed; i++) {
		if (pv_archive_loads(a) && l->lane.v[i].thread)
			a->failed = !pv_lanes_own(l, i);
		for (uint32_t p = 0; p < PV_LANE_CELLS / PV_LANE_PAGE && !a->failed; p++)
			archive_page(a, l, i, p);
	}
	for (size_t i = 0; pv_archive_loads(a) && i < l->unnamed.n; i++)
		pv_archive_check(a, l->unnamed.v[i].lane < l->lane.n);
	pv_archive_check(a, l->lane.n == 0 || l->width_ns > 0);
	l->used = used;
}

/* --- buckets: merged entries, and figures of the window not yet flushed */

#define BUCKET_ENTRY(F, T)                                                                         \
	F(T, what, BELOW, PV_BUCKET_WHATS)                                                         \
	F(T, id, FIGURE)                                                                           \
	F(T, count, FIGURE)                                                                        \
	F(T, amount, FIGURE)
PV_SHAPE(bucket_entry, struct pv_bucket_entry, BUCKET_ENTRY)

struct bucket {
	int64_t time; /* any in the bucket */
	PV_ARRAY(struct pv_bucket_entry) entry;
};
#define BUCKET(F, T)                                                                               \
	F(T, time, FIGURE)                                                                         \
	F(T, entry, LIST, bucket_entry, PV_NO_STORE, 0)
PV_SHAPE(bucket, struct bucket, BUCKET)

/* Ids are places in the stores. */
static bool is_sane(const struct pv_model *m, const struct pv_bucket_entry *e)
{
	switch (e->what) {
	case PV_BUCKET_METHOD:
	case PV_BUCKET_METHOD_SAMPLES:
		return e->id < m->names.method.n;
	case PV_BUCKET_CLASS:
	case PV_BUCKET_THROWS:
		return e->id < m->names.class_use.n;
	default:
		return e->id < m->threads.thread.n;
	}
}

static bool give_bucket(struct pv_model *m, const struct bucket *b)
{
	size_t n = b->entry.n;
	for (size_t i = 0; i < n; i++)
		if (!is_sane(m, &b->entry.v[i]))
			return false;
	if (n == 0 || !m->buckets)
		return true;
	struct pv_bucket_entry *v = pv_buckets_room(m, b->time, n);
	if (!v)
		return false;
	memcpy(v, b->entry.v, n * sizeof *v);
	return pv_buckets_filled(m, n);
}

static void archive_bucket(struct pv_archive *a, struct pv_model *m, struct bucket *b)
{
	pv_archive_shape(a, &bucket_shape, b);
	if (pv_archive_loads(a))
		a->failed = !give_bucket(m, b);
	if (a->mode == PV_ARCHIVE_LOAD)
		pv_array_finish(&b->entry);
}

static void archive_touched(struct pv_archive *a, struct pv_model *m)
{
	struct pv_bucket_sums s = { .from_ns = INT64_MIN, .to_ns = INT64_MAX };
	if (a->mode == PV_ARCHIVE_SAVE && m->buckets && !pv_buckets_touched(m, &s))
		a->failed = true;
	struct bucket b = { .time = m->window->present * m->window->width };
	b.entry.v = s.entry.v;
	b.entry.n = s.entry.n;
	archive_bucket(a, m, &b);
	pv_bucket_sums_finish(&s);
}

/* A model without buckets skips them in the bytes. */
void pv_buckets_archive(struct pv_archive *a, struct pv_model *m)
{
	struct pv_buckets *b = m->buckets;
	int64_t width = b ? b->width : (int64_t)PV_WINDOW_CELL_MS * 1000000;
	size_t n = pv_archive_count(a, b ? b->bucket.n : 0, PV_BUCKETS_MOST, PV_NO_STORE);
	pv_archive_value(a, width);
	pv_archive_check(a, width > 0);
	if (b && pv_archive_loads(a))
		b->width = width;
	for (size_t i = 0; i < n && !a->failed && a->mode != PV_ARCHIVE_COUNT; i++) {
		struct bucket one = { 0 };
		if (a->mode == PV_ARCHIVE_SAVE) {
			one.time = b->bucket.v[i].number * width;
			one.entry.v = b->bucket.v[i].entry.v;
			one.entry.n = b->bucket.v[i].entry.n;
		}
		archive_bucket(a, m, &one);
	}
	archive_touched(a, m);
}

void pv_rest_check(struct pv_archive *a, struct pv_model *m)
{
	if (!pv_archive_loads(a))
		return;
	pv_archive_check(a, m->counters.counter.n > 0);
	for (size_t i = 0; i < m->counters.counter.n; i++)
		m->counters.total += m->counters.counter.v[i].samples.n;
	pv_archive_check(a, m->counters.total <= PV_COUNTER_SAMPLES);
	for (size_t i = 0; i < m->lines.table.n && pv_archive_loads(a); i++) {
		const struct pv_line_table *t = &m->lines.table.v[i];
		pv_archive_check(
			a, t->first <= m->lines.line.n && t->n <= m->lines.line.n - t->first);
	}
	for (size_t i = 0; i < m->lines.il.map.n && pv_archive_loads(a); i++) {
		const struct pv_il_map *t = &m->lines.il.map.v[i];
		pv_archive_check(
			a, t->first <= m->lines.il.step.n && t->n <= m->lines.il.step.n - t->first);
	}
	/* Walks go to smaller numbers only, so they end. */
	for (size_t i = 1; i < m->places.node.n && pv_archive_loads(a); i++)
		pv_archive_check(a, m->places.node.v[i].parent < i);
	for (size_t i = 1; i < m->places.node.n && pv_archive_loads(a); i++) {
		const uint32_t same = m->places.node.v[i].same;
		pv_archive_check(a, !same || m->places.node.v[same].same < same);
	}
	for (size_t i = 1; i < m->places.place.n && pv_archive_loads(a); i++)
		pv_archive_check(a, m->places.place.v[i].before < i);
}
