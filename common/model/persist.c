/* SPDX-License-Identifier: MIT */
/*
 * The model is one shape, made of the shapes of its stores (persist_*.c), so that no store can be
 * forgotten, nor a field of a store. Parts without a shape, such as pointers to threads, come
 * afterwards, and last the invariants between the stores.
 */
#include "common/model/persist.h"

#include <string.h>

#include "common/format/mlpd/mlpd.h"
#include "common/model/names/natives.h"
#include "common/model/persist_parts.h"

enum { LAYOUT = 12 }; /* to be raised when a field's meaning changes but no shape does */

#define TARGET(F, T)                                                                               \
	F(T, logging2007, BOOL)                                                                    \
	F(T, text, LEFT_OUT)                                                                       \
	F(T, stage, LEFT_OUT)                                                                      \
	F(T, event_mask, FIGURE)                                                                   \
	F(T, data_version, AT_MOST, MLPD_NEWEST)                                                   \
	F(T, header_major, FIGURE)                                                                 \
	F(T, header_minor, FIGURE)                                                                 \
	F(T, pointer_size, AT_MOST, 8)                                                             \
	F(T, rules, AT_MOST, MLPD_NEWEST)                                                          \
	F(T, start_time_ms, FIGURE)                                                                \
	F(T, startup_ns, FIGURE)                                                                   \
	F(T, timer_overhead_ns, FIGURE)                                                            \
	F(T, pid, FIGURE)                                                                          \
	F(T, port, FIGURE)                                                                         \
	F(T, args, LEFT_OUT)                                                                       \
	F(T, arch, LEFT_OUT)                                                                       \
	F(T, os, LEFT_OUT)                                                                         \
	F(T, command, LEFT_OUT)                                                                    \
	F(T, promises_end, BOOL)                                                                   \
	F(T, joined, BOOL)
PV_SHAPE(target, struct pv_target_info, TARGET)

#define DAMAGE(F, T)                                                                               \
	F(T, offset, FIGURE)                                                                       \
	F(T, bytes, FIGURE)                                                                        \
	F(T, reason, CHARS)
PV_SHAPE(damage, struct pv_damage_entry, DAMAGE)

/* The window and the look-up caches start empty after loading. */
#define OWN(F, T)                                                                                  \
	F(T, lock, LEFT_OUT_ALL)                                                                   \
	F(T, next, LEFT_OUT_ALL)                                                                   \
	F(T, yield, LEFT_OUT_ALL)                                                                  \
	F(T, fold, LEFT_OUT_ALL)                                                                   \
	F(T, addresses, LEFT_OUT_ALL)                                                              \
	F(T, said, LEFT_OUT_ALL)                                                                   \
	F(T, witnesses, LEFT_OUT_ALL)                                                              \
	F(T, slice_from, LEFT_OUT)                                                                 \
	F(T, slice_width, LEFT_OUT)                                                                \
	F(T, method, LEFT_OUT_ALL)                                                                 \
	F(T, site_hint, LEFT_OUT_ALL)                                                              \
	F(T, use_ns, LEFT_OUT)                                                                     \
	F(T, memo_n, LEFT_OUT)                                                                     \
	F(T, memo_key, LEFT_OUT_ALL)                                                               \
	F(T, memo_stack, LEFT_OUT_ALL)                                                             \
	F(T, memo_place, LEFT_OUT_ALL)                                                             \
	F(T, stack_place, LEFT_OUT)                                                                \
	F(T, spans, LEFT_OUT_ALL)                                                                  \
	F(T, frame, LEFT_OUT_ALL)                                                                  \
	F(T, path, LEFT_OUT_ALL)                                                                   \
	F(T, segments, LEFT_OUT_ALL)                                                               \
	F(T, ranged, LEFT_OUT)                                                                     \
	F(T, timed, LEFT_OUT)                                                                      \
	F(T, from_ns, LEFT_OUT)                                                                    \
	F(T, to_ns, LEFT_OUT)                                                                      \
	F(T, first_base_ns, FIGURE)                                                                \
	F(T, zero_open, BOOL)                                                                      \
	F(T, logged_moves, LEFT_OUT)                                                               \
	F(T, symbols, LEFT_OUT)                                                                    \
	F(T, place_lines, LEFT_OUT)                                                                \
	F(T, inlined, LEFT_OUT)                                                                    \
	F(T, on_objects, LEFT_OUT)                                                                 \
	F(T, on_stacks, LEFT_OUT)                                                                  \
	F(T, on_shared_key, LEFT_OUT)
PV_SHAPE(own, struct pv_model_private, OWN)

#define ENDING(F, T)                                                                               \
	F(T, promised, BOOL)                                                                       \
	F(T, quiet, LEFT_OUT)                                                                      \
	F(T, written, LEFT_OUT)                                                                    \
	F(T, said, BOOL)                                                                           \
	F(T, abrupt, BOOL)                                                                         \
	F(T, inside, BOOL)                                                                         \
	F(T, unsealed, BOOL)                                                                       \
	F(T, full, BOOL)                                                                           \
	F(T, child, LEFT_OUT)                                                                      \
	F(T, signal, LEFT_OUT)
PV_SHAPE(ending, struct pv_ending, ENDING)

#define MODEL(F, T)                                                                                \
	F(T, target, PART, target)                                                                 \
	F(T, only, LEFT_OUT_ALL)                                                                   \
	F(T, zero_ns, FIGURE)                                                                      \
	F(T, have_zero, BOOL)                                                                      \
	F(T, first_ns, FIGURE)                                                                     \
	F(T, last_ns, FIGURE)                                                                      \
	F(T, kinds, FIGURES, uint64_t)                                                             \
	F(T, buffers, FIGURE)                                                                      \
	F(T, bytes, FIGURE)                                                                        \
	F(T, events, FIGURE)                                                                       \
	F(T, generation, LEFT_OUT)                                                                 \
	F(T, recordings, FIGURE)                                                                   \
	F(T, damage, LIST, damage, PV_NO_STORE, PV_DAMAGE_LIST)                                    \
	F(T, damaged, FIGURE)                                                                      \
	F(T, damaged_bytes, FIGURE)                                                                \
	F(T, lost_events, FIGURE)                                                                  \
	F(T, dropped, LEFT_OUT)                                                                    \
	F(T, pauses, FIGURE)                                                                       \
	F(T, sync_points, FIGURE)                                                                  \
	F(T, aot_id, ID, PV_TEXTS)                                                                 \
	F(T, cut, LEFT_OUT)                                                                        \
	F(T, cut_at, LEFT_OUT)                                                                     \
	F(T, cut_of, LEFT_OUT)                                                                     \
	F(T, gone, LEFT_OUT)                                                                       \
	F(T, ended, BOOL)                                                                          \
	F(T, complete, BOOL)                                                                       \
	F(T, ending, PART, ending)                                                                 \
	F(T, names, LEFT_OUT_ALL)                                                                  \
	F(T, stacks, PART, stacks)                                                                 \
	F(T, calls, PART, calls)                                                                   \
	F(T, tree_sums, PART, tree_sums)                                                           \
	F(T, allocs, PART, allocs)                                                                 \
	F(T, gc, PART, gc)                                                                         \
	F(T, handles, PART, handles)                                                               \
	F(T, finalizers, PART, finalizers)                                                         \
	F(T, held, PART, held)                                                                     \
	F(T, roots, PART, roots)                                                                   \
	F(T, shots, PART, shots)                                                                   \
	F(T, threads, PART, threads)                                                               \
	F(T, locks, PART, locks)                                                                   \
	F(T, throws, PART, throws)                                                                 \
	F(T, counters, PART, counters)                                                             \
	F(T, window, LEFT_OUT)                                                                     \
	F(T, buckets, LEFT_OUT)                                                                    \
	F(T, address_log, LEFT_OUT)                                                                \
	F(T, timeline, PART, timeline)                                                             \
	F(T, lanes, PART, lanes)                                                                   \
	F(T, sample_times, LEFT_OUT_ALL)                                                           \
	F(T, helpers, PART, helpers)                                                               \
	F(T, lines, PART, lines)                                                                   \
	F(T, places, PART, places)                                                                 \
	F(T, fields, PART, fields)                                                                 \
	F(T, loads, PART, loads)                                                                   \
	F(T, notes, PART, notes)                                                                   \
	F(T, runtime, PART, runtime)                                                               \
	F(T, private, LEFT_OUT)                                                                    \
	F(T, id, LEFT_OUT)
PV_SHAPE(model, struct pv_model, MODEL)

/* Constants and interned texts alike become texts of the loaded model. */
static void archive_target(struct pv_archive *a, struct pv_model *m)
{
	struct pv_target_info *t = &m->target;
	pv_archive_text(a, &m->names.text, &t->text);
	pv_archive_text(a, &m->names.text, &t->stage);
	pv_archive_text(a, &m->names.text, &t->args);
	pv_archive_text(a, &m->names.text, &t->arch);
	pv_archive_text(a, &m->names.text, &t->os);
	pv_archive_text(a, &m->names.text, &t->command);
	pv_archive_check(a, t->args && t->arch && t->os && t->command);
}

static void archive_model(struct pv_archive *a, struct pv_model *m)
{
	if (a->mode == PV_ARCHIVE_COUNT)
		pv_gc_prepare(a, m);
	pv_names_archive(a, &m->names);
	pv_archive_shape(a, &model_shape, m);
	pv_archive_shape(a, &own_shape, m->private);
	archive_target(a, m);
	pv_timeline_archive(a, &m->timeline);
	pv_lanes_archive(a, &m->lanes);
	pv_threads_archive(a, &m->threads);
	pv_gc_archive(a, m);
	pv_addresses_archive(a, &m->private->addresses);
	pv_buckets_archive(a, m);
	pv_calls_check(a, m);
	pv_sites_check(a, m);
	pv_gc_check(a, m);
	a->failed |= pv_archive_loads(a) && !pv_fields_link(&m->fields);
	pv_rest_check(a, m);
}

/* --- in and out */

uint64_t pv_model_layout(void)
{
	uint64_t h = 0x70766964; /* reads differently in the other byte order */
	const uint8_t *bytes = (const uint8_t *)&h;
	h = pv_hash(h ^ bytes[0]);
	h = pv_hash(h ^ LAYOUT) ^ pv_shape_hash(&model_shape);
	h = pv_hash(h ^ pv_shape_hash(&names_shape)) ^ pv_shape_hash(&own_shape);
	for (const char *v = PV_VERSION; *v; v++)
		h = pv_hash(h ^ (uint8_t)*v);
	return h;
}

/* Counts everything first, so that references to a list can be checked wherever they are. */
static bool save(struct pv_archive *a, void (*archive)(struct pv_archive *a, void *of), void *of)
{
	struct pv_archive count = { .mode = PV_ARCHIVE_COUNT };
	archive(&count, of);
	memcpy(a->store, count.store, sizeof a->store);
	a->mode = PV_ARCHIVE_SAVE;
	a->failed = count.failed;
	pv_archive_stores(a);
	archive(a, of);
	return !a->failed;
}

static bool load_archived(
	struct pv_archive *a, void (*archive)(struct pv_archive *a, void *of), void *of)
{
	a->mode = PV_ARCHIVE_LOAD;
	pv_archive_stores(a);
	archive(a, of);
	return !a->failed && a->left == 0;
}

static void whole(struct pv_archive *a, void *of)
{
	archive_model(a, of);
}

static void only_names(struct pv_archive *a, void *of)
{
	pv_names_archive(a, of);
}

bool pv_model_save(const struct pv_model *m, pv_archive_write_fn write, void *ctx)
{
	struct pv_archive a = { .write = write, .ctx = ctx };
	return save(&a, whole, (struct pv_model *)m); /* sorts, but changes no fact */
}

/* --- only names */

struct memory {
	PV_ARRAY(uint8_t) bytes;
	size_t at;
};

static bool remember_bytes(void *ctx, const void *bytes, size_t n)
{
	struct memory *to = ctx;
	if (!pv_reserve(&to->bytes, n))
		return false;
	if (n)
		memcpy(to->bytes.v + to->bytes.n, bytes, n);
	to->bytes.n += n;
	return true;
}

static bool address_log(void *ctx, void *to, size_t n)
{
	struct memory *from = ctx;
	if (n > from->bytes.n - from->at)
		return false;
	if (n)
		memcpy(to, from->bytes.v + from->at, n);
	from->at += n;
	return true;
}

bool pv_model_copy_names(const struct pv_model *from, struct pv_model *to)
{
	struct memory bytes = { 0 };
	struct pv_archive out = { .write = remember_bytes, .ctx = &bytes };
	bool ok = save(&out, only_names, (struct pv_names *)&from->names); /* changes nothing */
	struct pv_archive in = { .read = address_log, .ctx = &bytes, .left = bytes.bytes.n };
	ok = ok && load_archived(&in, only_names, &to->names) &&
	     pv_threads_know(to, &from->threads);
	pv_array_finish(&bytes.bytes);
	return ok;
}

/* Nothing loaded is in the window yet. */
static void forget_window(struct pv_model *m)
{
	for (size_t i = 0; i < m->calls.node.n; i++)
		m->calls.node.v[i].cell = i ? pv_window_untouched(m) : 0;
	struct pv_sites *s = &m->allocs.sites;
	for (size_t i = 0; i < s->site.n; i++)
		s->site.v[i].cell = i ? pv_window_untouched(m) : 0;
}

bool pv_model_load(struct pv_model *m, pv_archive_read_fn read, void *ctx, uint64_t n)
{
	struct pv_archive a = { .read = read, .ctx = ctx, .left = n };
	if (!load_archived(&a, whole, m))
		return false;
	forget_window(m);
	m->generation++;
	return pv_natives_again(m);
}
