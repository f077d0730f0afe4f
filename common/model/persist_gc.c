/* SPDX-License-Identifier: MIT */
/* Collections, heap shots, finalizers and roots to bytes and back. */
#include "common/model/persist_parts.h"

/* --- collections */

#define COLLECTION(F, T)                                                                           \
	F(T, start_ns, RISING)                                                                     \
	F(T, end_ns, FIGURE)                                                                       \
	F(T, duration_ns, FIGURE)                                                                  \
	F(T, pause_ns, FIGURE)                                                                     \
	F(T, over_ns, FIGURE)                                                                      \
	F(T, allocated, FIGURE)                                                                    \
	F(T, merged, FIGURE)                                                                       \
	F(T, generation, BELOW, PV_GC_GENERATIONS)                                                 \
	F(T, concurrent, BOOL)                                                                     \
	F(T, phases, AT_MOST, PV_COLLECTION_ALL)                                                   \
	F(T, with_shot, BOOL)                                                                      \
	F(T, mark_ns, FIGURE)                                                                      \
	F(T, sweep_ns, FIGURE)                                                                     \
	F(T, heap_before, FIGURE)                                                                  \
	F(T, number, FIGURE)                                                                       \
	F(T, stand_ns, FIGURE)                                                                     \
	F(T, moved, FIGURE)                                                                        \
	F(T, why, BELOW, PV_WHYS)                                                                  \
	F(T, how, BELOW, PV_HOWS)                                                                  \
	F(T, left, FIGURES, uint64_t)                                                              \
	F(T, promoted, FIGURES, uint64_t)                                                          \
	F(T, start_stop, FIGURE)                                                                   \
	F(T, end_stop, FIGURE)                                                                     \
	F(T, start_pause_ns, FIGURE)                                                               \
	F(T, end_pause_ns, FIGURE)                                                                 \
	F(T, start_stand_ns, FIGURE)                                                               \
	F(T, end_stand_ns, FIGURE)                                                                 \
	F(T, came, LEFT_OUT)
PV_SHAPE(collection, struct pv_collection, COLLECTION)

#define PAUSE(F, T)                                                                                \
	F(T, start_ns, RISING)                                                                     \
	F(T, duration_ns, FIGURE)                                                                  \
	F(T, merged, FIGURE)                                                                       \
	F(T, came, LEFT_OUT)
PV_SHAPE(pause, struct pv_pause, PAUSE)

#define HEAP_SIZE(F, T)                                                                            \
	F(T, time_ns, RISING)                                                                      \
	F(T, bytes, FIGURE)                                                                        \
	F(T, after, BOOL)                                                                          \
	F(T, came, LEFT_OUT)
PV_SHAPE(heap_size, struct pv_heap_size, HEAP_SIZE)

#define EXIT(F, T)                                                                                 \
	F(T, stop, FIGURE)                                                                         \
	F(T, from_ns, FIGURE)                                                                      \
	F(T, to_ns, FIGURE)                                                                        \
	F(T, over_ns, FIGURE)                                                                      \
	F(T, counts, BOOL)
PV_SHAPE(gc_exit, struct pv_gc_exit, EXIT)

#define GC(F, T)                                                                                   \
	F(T, collections, LIST, collection, PV_NO_STORE, PV_GC_LIST)                               \
	F(T, pauses, LIST, pause, PV_NO_STORE, PV_GC_LIST)                                         \
	F(T, sizes, LIST, heap_size, PV_NO_STORE, PV_GC_LIST)                                      \
	F(T, started, FIGURES, uint64_t)                                                           \
	F(T, pause_count, FIGURE)                                                                  \
	F(T, pause_ns, FIGURE)                                                                     \
	F(T, pause_max_ns, FIGURE)                                                                 \
	F(T, resizes, FIGURE)                                                                      \
	F(T, max_heap_bytes, FIGURE)                                                               \
	F(T, heap_bytes, FIGURE)                                                                   \
	F(T, heap_ns, FIGURE)                                                                      \
	F(T, moved, FIGURE)                                                                        \
	F(T, moved_between, FIGURE)                                                                \
	F(T, folded, FIGURE)                                                                       \
	F(T, forced, FIGURE)                                                                       \
	F(T, with_shots, FIGURE)                                                                   \
	F(T, folded_pauses, FIGURES, uint64_t)                                                     \
	F(T, folded_pause_max_ns, FIGURES, int64_t)                                                \
	F(T, stops, FIGURE)                                                                        \
	F(T, exit, PART, gc_exit)                                                                  \
	F(T, pending, LEFT_OUT)                                                                    \
	F(T, folded_max_ns, FIGURES, int64_t)                                                      \
	F(T, folded_total_ns, FIGURES, int64_t)                                                    \
	F(T, roots_since_gc, FIGURE)                                                               \
	F(T, phase_ns, FIGURES, int64_t)                                                           \
	F(T, unsorted, LEFT_OUT)                                                                   \
	F(T, latest_ns, LEFT_OUT)                                                                  \
	F(T, by_start, LEFT_OUT_ALL)                                                               \
	F(T, of_generation, LEFT_OUT_ALL)
PV_SHAPE_SHARED(gc, struct pv_gc, GC)

/* --- bytes that wait for their collection: threads are pointers in the model, and indices here */

struct run {
	int64_t first_ns, last_ns;
	uint64_t bytes;
	uint32_t thread;
};
#define RUN(F, T)                                                                                  \
	F(T, first_ns, FIGURE)                                                                     \
	F(T, last_ns, FIGURE)                                                                      \
	F(T, bytes, FIGURE)                                                                        \
	F(T, thread, ID, PV_THREADS)
PV_SHAPE(run, struct run, RUN)

#define GC_RUN(F, T)                                                                               \
	F(T, first_ns, FIGURE)                                                                     \
	F(T, last_ns, FIGURE)                                                                      \
	F(T, bytes, FIGURE)                                                                        \
	F(T, thread, LEFT_OUT)
PV_SHAPE(gc_run, struct pv_gc_run, GC_RUN) /* a new field there needs another in struct run */

#define GC_END(F, T)                                                                               \
	F(T, time_ns, FIGURE)                                                                      \
	F(T, pause_ns, FIGURE)                                                                     \
	F(T, over_ns, FIGURE)                                                                      \
	F(T, stand_ns, FIGURE)                                                                     \
	F(T, stop, FIGURE)                                                                         \
	F(T, generation, BELOW, PV_GC_GENERATIONS)
PV_SHAPE(gc_end, struct pv_gc_end, GC_END)

struct pending {
	PV_ARRAY(struct run) run;
	PV_ARRAY(struct pv_gc_end) early;
};
#define PENDING(F, T)                                                                              \
	F(T, run, LIST, run, PV_NO_STORE, 2 * PV_GC_LIST)                                          \
	F(T, early, LIST, gc_end, PV_NO_STORE, PV_GC_EARLY_ENDS)
PV_SHAPE(pending, struct pending, PENDING)

static bool take_pending(struct pending *to, const struct pv_gc_pending *from)
{
	if (!pv_reserve(&to->run, from->run.n) || !pv_reserve(&to->early, from->ends))
		return false;
	for (size_t i = 0; i < from->run.n; i++) {
		const struct pv_gc_run *r = &from->run.v[i];
		to->run.v[to->run.n++] = (struct run){ r->first_ns, r->last_ns, r->bytes,
			r->thread ? r->thread->index : 0 };
	}
	for (size_t i = 0; i < from->ends; i++)
		to->early.v[to->early.n++] = from->early[i];
	return true;
}

static bool give_pending(
	struct pv_gc_pending *to, const struct pending *from, const struct pv_threads *t)
{
	if (!pv_reserve(&to->run, from->run.n))
		return false;
	for (size_t i = 0; i < from->run.n; i++) {
		const struct run *r = &from->run.v[i];
		to->run.v[to->run.n++] = (struct pv_gc_run){ r->first_ns, r->last_ns, r->bytes,
			r->thread ? t->thread.v[r->thread] : NULL };
	}
	for (size_t i = 0; i < from->early.n; i++)
		to->early[to->ends++] = from->early.v[i];
	return true;
}

void pv_gc_archive(struct pv_archive *a, struct pv_model *m)
{
	struct pending p = { 0 };
	if (a->mode == PV_ARCHIVE_SAVE)
		a->failed |= !take_pending(&p, m->gc.pending);
	pv_archive_shape(a, &pending_shape, &p);
	pv_archive_check(a, give_pending(m->gc.pending, &p, &m->threads));
	pv_archive_check(a, pv_gc_rebuild(&m->gc));
	pv_array_finish(&p.run);
	pv_array_finish(&p.early);
}

/* --- heap shots */

#define SHOT_CLASS(F, T)                                                                           \
	F(T, class_use, ID, PV_CLASS_USES)                                                         \
	F(T, objects, FIGURE)                                                                      \
	F(T, bytes, FIGURE)                                                                        \
	F(T, dead_objects, FIGURE)                                                                 \
	F(T, dead_bytes, FIGURE)
PV_SHAPE(shot_class, struct pv_shot_class, SHOT_CLASS)

#define SHOT(F, T)                                                                                 \
	F(T, index, FIGURE)                                                                        \
	F(T, start_ns, FIGURE)                                                                     \
	F(T, end_ns, FIGURE)                                                                       \
	F(T, objects, FIGURE)                                                                      \
	F(T, bytes, FIGURE)                                                                        \
	F(T, references, FIGURE)                                                                   \
	F(T, roots, FIGURE)                                                                        \
	F(T, dead_objects, FIGURE)                                                                 \
	F(T, dead_bytes, FIGURE)                                                                   \
	F(T, collection, FIGURE)                                                                   \
	F(T, unsized, FIGURE)                                                                      \
	F(T, classes, LIST, shot_class, PV_NO_STORE, 0)                                            \
	F(T, at, FIGURE)                                                                           \
	F(T, skip, FIGURE)                                                                         \
	F(T, summary, BOOL)                                                                        \
	F(T, open, BOOL)                                                                           \
	F(T, summarised, BOOL)                                                                     \
	F(T, torn, BOOL)                                                                           \
	F(T, generations, BOOL)                                                                    \
	F(T, classes_folded, BOOL)
PV_SHAPE(shot, struct pv_shot, SHOT)

#define SHOTS(F, T)                                                                                \
	F(T, shot, LIST, shot, PV_NO_STORE, PV_SHOTS_LIST)                                         \
	F(T, stray_objects, FIGURE)                                                                \
	F(T, discarded, FIGURE)                                                                    \
	F(T, folded, FIGURE)                                                                       \
	F(T, next_index, FIGURE)                                                                   \
	F(T, list_cap, LEFT_OUT)                                                                   \
	F(T, rows, LEFT_OUT)                                                                       \
	F(T, cap, LEFT_OUT)                                                                        \
	F(T, batch_at, FIGURE)                                                                     \
	F(T, in_batch, FIGURE)                                                                     \
	F(T, skipping, BOOL)                                                                       \
	F(T, open, FIGURE)                                                                         \
	F(T, row_of, LEFT_OUT_ALL)
PV_SHAPE_SHARED(shots, struct pv_heap_shots, SHOTS)

/* Finds the rows of the open shot by class; shots that ended get no more objects. */
static bool index_open(struct pv_heap_shots *s, size_t classes)
{
	struct pv_shot *x = s->open ? &s->shot.v[s->open - 1] : NULL;
	if (!x)
		return true;
	if (!pv_reserve(&s->row_of, classes))
		return false;
	while (s->row_of.n < classes)
		s->row_of.v[s->row_of.n++] = 0;
	for (size_t i = 0; i < x->classes.n && !x->summarised; i++)
		s->row_of.v[x->classes.v[i].class_use] = (uint32_t)i + 1;
	return true;
}

static bool shots_hold(struct pv_heap_shots *s)
{
	bool ok = s->open <= s->shot.n;
	for (size_t i = 0; i < s->shot.n; i++) {
		const struct pv_shot *x = &s->shot.v[i];
		ok &= x->open == (s->open == i + 1);
		if (x->open)
			continue;
		s->rows += x->classes.n;
		for (size_t k = 1; k < x->classes.n; k++)
			ok &= x->classes.v[k - 1].class_use < x->classes.v[k].class_use;
	}
	return ok;
}

/* --- finalizers */

#define FINALIZED(F, T)                                                                            \
	F(T, objects, FIGURE)                                                                      \
	F(T, timed, FIGURE)                                                                        \
	F(T, total_ns, FIGURE)                                                                     \
	F(T, max_ns, FIGURE)
PV_SHAPE(finalized, struct pv_finalized, FINALIZED)

#define FINALIZING(F, T)                                                                           \
	F(T, thread, FIGURE)                                                                       \
	F(T, epoch, FIGURE)                                                                        \
	F(T, object, FIGURE)                                                                       \
	F(T, class_use, ID, PV_CLASS_USES)                                                         \
	F(T, start_ns, FIGURE)                                                                     \
	F(T, older, LEFT_OUT)                                                                      \
	F(T, newer, LEFT_OUT)                                                                      \
	F(T, in_bucket, LEFT_OUT)                                                                  \
	F(T, before, LEFT_OUT)                                                                     \
	F(T, after, LEFT_OUT)                                                                      \
	F(T, at, ID, PV_THREADS)
PV_SHAPE(finalizing, struct pv_finalizing, FINALIZING)

#define FINALIZERS(F, T)                                                                           \
	F(T, runs, PART, finalized)                                                                \
	F(T, started, FIGURE)                                                                      \
	F(T, ended, FIGURE)                                                                        \
	F(T, unknown_class, FIGURE)                                                                \
	F(T, of_class, LIST, finalized, PV_NO_STORE, 0)                                            \
	F(T, open, LIST, finalizing, PV_NO_STORE, PV_FINALIZING_MAX)                               \
	F(T, last, LEFT_OUT_ALL)                                                                   \
	F(T, lasting, LEFT_OUT)                                                                    \
	F(T, oldest, LEFT_OUT)                                                                     \
	F(T, newest, LEFT_OUT)                                                                     \
	F(T, unused, LEFT_OUT)                                                                     \
	F(T, bucket, LEFT_OUT_ALL)
PV_SHAPE_SHARED(finalizers, struct pv_finalizers, FINALIZERS)

/* --- memory that native programs hold */

#define HELD_STACK(F, T)                                                                           \
	F(T, stack, ID, PV_STACKS)                                                                 \
	F(T, allocations, FIGURE)                                                                  \
	F(T, bytes, FIGURE)                                                                        \
	F(T, live, FIGURE)                                                                         \
	F(T, live_bytes, FIGURE)                                                                   \
	F(T, most_bytes, FIGURE)                                                                   \
	F(T, at_once, FIGURE)                                                                      \
	F(T, past, FIGURES, uint64_t)
PV_SHAPE(held_stack, struct pv_held_stack, HELD_STACK)

#define HELD(F, T)                                                                                 \
	F(T, one, LIST, held_stack, PV_HELD_STACKS, PV_HELD_CAP + 1)                               \
	F(T, of, MAP, ID, PV_HELD_STACKS)                                                          \
	F(T, live_bytes, FIGURE)                                                                   \
	F(T, most_bytes, FIGURE)                                                                   \
	F(T, readings, FIGURE)                                                                     \
	F(T, left_out, FIGURE)                                                                     \
	F(T, point_ns, FIGURES, int64_t)                                                           \
	F(T, points, AT_MOST, PV_HELD_POINTS)                                                      \
	F(T, step, FIGURE)                                                                         \
	F(T, since, FIGURE)                                                                        \
	F(T, latest_ns, FIGURE)
PV_SHAPE_SHARED(held, struct pv_held, HELD)

/* --- roots */

#define ROOT_COUNT(F, T)                                                                           \
	F(T, all, FIGURE)                                                                          \
	F(T, newest, FIGURE)                                                                       \
	F(T, list, FIGURE)
PV_SHAPE(root_count, struct pv_root_count, ROOT_COUNT)

#define ROOT_AREA(F, T)                                                                            \
	F(T, start, FIGURE)                                                                        \
	F(T, size, FIGURE)                                                                         \
	F(T, key, FIGURE)                                                                          \
	F(T, name, ID, PV_TEXTS)                                                                   \
	F(T, source, BELOW, PV_ROOT_SOURCES)                                                       \
	F(T, number, FIGURE)                                                                       \
	F(T, live, BOOL)                                                                           \
	F(T, registered_ns, FIGURE)                                                                \
	F(T, unregistered_ns, FIGURE)                                                              \
	F(T, roots, PART, root_count)
PV_SHAPE(root_area, struct pv_root_area, ROOT_AREA)

#define ROOT_SUM(F, T)                                                                             \
	F(T, roots, PART, root_count)                                                              \
	F(T, registered, FIGURE)                                                                   \
	F(T, unregistered, FIGURE)                                                                 \
	F(T, live, FIGURE)                                                                         \
	F(T, live_bytes, FIGURE)                                                                   \
	F(T, pinning, FIGURE)                                                                      \
	F(T, weak, FIGURE)                                                                         \
	F(T, interior, FIGURE)
PV_SHAPE(root_sum, struct pv_root_sum, ROOT_SUM)

#define ROOT_WAITING(F, T)                                                                         \
	F(T, slot, FIGURE)                                                                         \
	F(T, time_ns, FIGURE)                                                                      \
	F(T, counted, ID_1, PV_ROOT_AREAS)                                                         \
	F(T, next, LEFT_OUT)                                                                       \
	F(T, roots, PART, root_count)
PV_SHAPE(root_waiting, struct pv_root_waiting, ROOT_WAITING)

#define ROOTS(F, T)                                                                                \
	F(T, source, PART, root_sum)                                                               \
	F(T, area, LIST, root_area, PV_ROOT_AREAS, PV_ROOT_AREAS_CAP)                              \
	F(T, list, FIGURE)                                                                         \
	F(T, lists, FIGURE)                                                                        \
	F(T, old_form, BOOL)                                                                       \
	F(T, flags, BOOL)                                                                          \
	F(T, stray_unregistered, FIGURE)                                                           \
	F(T, folded, FIGURE)                                                                       \
	F(T, live, LEFT_OUT_ALL)                                                                   \
	F(T, ended, LEFT_OUT_ALL)                                                                  \
	F(T, latest_end_ns, FIGURE)                                                                \
	F(T, any_end, BOOL)                                                                        \
	F(T, waiting, LIST, root_waiting, PV_NO_STORE, PV_ROOT_WAITING_CAP)                        \
	F(T, unused, LEFT_OUT)                                                                     \
	F(T, freed, LEFT_OUT)                                                                      \
	F(T, slots, LEFT_OUT_ALL)                                                                  \
	F(T, recent, ID_1, PV_ROOT_AREAS)                                                          \
	F(T, gone, IDS_1, uint32_t, PV_ROOT_AREAS)                                                 \
	F(T, gone_next, FIGURE)
PV_SHAPE_SHARED(roots, struct pv_roots, ROOTS)

/* --- lists that are sorted on demand, and tables derived from them */

void pv_gc_prepare(struct pv_archive *a, struct pv_model *m)
{
	pv_gc_sort(&m->gc);
	a->failed |= !pv_finalizers_order(m);
	pv_roots_pack(&m->roots);
	a->failed |= !pv_roots_link(&m->roots) || !pv_gc_unite_runs(m->gc.pending);
}

static bool finalizers_hold(const struct pv_finalizers *f)
{
	bool ok = true;
	for (size_t i = 0; i < f->open.n; i++)
		ok &= f->open.v[i].at != 0;
	return ok;
}

void pv_gc_check(struct pv_archive *a, struct pv_model *m)
{
	if (!pv_archive_loads(a))
		return;
	pv_archive_check(a, shots_hold(&m->shots) && finalizers_hold(&m->finalizers) &&
				    m->finalizers.of_class.n <= m->names.class_use.n &&
				    index_open(&m->shots, m->names.class_use.n));
	pv_archive_check(a, pv_roots_link(&m->roots));
	if (pv_archive_loads(a))
		pv_finalizers_link(m);
}
