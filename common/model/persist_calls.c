/* SPDX-License-Identifier: MIT */
/* Stacks, the call tree and threads to bytes and back. */
#include <stdlib.h>

#include "common/model/persist_parts.h"

#define STACK_NODE(F, T)                                                                           \
	F(T, parent, OLDER)                                                                        \
	F(T, method, ID, PV_METHODS)
PV_SHAPE(stack_node, struct pv_stack_node, STACK_NODE)

#define STACKS(F, T)                                                                               \
	F(T, node, LIST, stack_node, PV_STACKS, 0)                                                 \
	F(T, child, MAP, SOME, PV_STACKS)                                                          \
	F(T, cap, LEFT_OUT)                                                                        \
	F(T, fold_at, FIGURE)                                                                      \
	F(T, folded, FIGURE)
PV_SHAPE_SHARED(stacks, struct pv_stacks, STACKS)

#define TREE_NODE(F, T)                                                                            \
	F(T, key, FIGURE)                                                                          \
	F(T, parent, OLDER)                                                                        \
	F(T, method, ID, PV_METHODS)                                                               \
	F(T, first_child, ID, PV_NODES)                                                            \
	F(T, next_sibling, CHAIN)                                                                  \
	F(T, recent, ID, PV_NODES)                                                                 \
	F(T, cell, LEFT_OUT)                                                                       \
	F(T, calls, FIGURE)                                                                        \
	F(T, self_ns, FIGURE)                                                                      \
	F(T, total_ns, FIGURE)                                                                     \
	F(T, max_ns, FIGURE)                                                                       \
	F(T, exc_leaves, FIGURE)                                                                   \
	F(T, samples, FIGURE)                                                                      \
	F(T, stack, ID, PV_STACKS)                                                                 \
	F(T, other, ID, PV_NODES)                                                                  \
	F(T, children, FIGURE)
PV_SHAPE(tree_node, struct pv_tree_node, TREE_NODE)

#define CALLS(F, T)                                                                                \
	F(T, node, TABLE, tree_node, PV_NODES, 0)                                                  \
	F(T, calls, FIGURE)                                                                        \
	F(T, samples, FIGURE)                                                                      \
	F(T, stray_leaves, FIGURE)                                                                 \
	F(T, missing_leaves, FIGURE)                                                               \
	F(T, unwound, FIGURE)                                                                      \
	F(T, gap_closed, FIGURE)                                                                   \
	F(T, folded, FIGURE)                                                                       \
	F(T, folds, FIGURE)                                                                        \
	F(T, cap, LEFT_OUT)                                                                        \
	F(T, looked_at, FIGURE)                                                                    \
	F(T, bar_ns, FIGURE)                                                                       \
	F(T, wide, MAP, SOME, PV_NODES)                                                            \
	F(T, of_method, LEFT_OUT_ALL)                                                              \
	F(T, next_of_method, LEFT_OUT_ALL)                                                         \
	F(T, of_folds, FIGURE)
PV_SHAPE_SHARED(calls, struct pv_calls, CALLS)

#define CPU_TIME(F, T)                                                                             \
	F(T, user_ns, FIGURE)                                                                      \
	F(T, kernel_ns, FIGURE)
PV_SHAPE(cpu_time, struct pv_cpu_time, CPU_TIME)

#define TREE_ENTRY(F, T)                                                                           \
	F(T, key, FIGURE)                                                                          \
	F(T, folds, FIGURE)                                                                        \
	F(T, parent, OLDER_1)                                                                      \
	F(T, node, FIGURE)
PV_SHAPE(tree_entry, struct pv_tree_entry, TREE_ENTRY)

#define TREE_SUMS(F, T)                                                                            \
	F(T, cpu, LIST, cpu_time, PV_NO_STORE, 0)                                                  \
	F(T, nodes, FIGURE)                                                                        \
	F(T, cpu_times, FIGURE)                                                                    \
	F(T, lost, FIGURE)                                                                         \
	F(T, entry, LIST, tree_entry, PV_NO_STORE, 0)                                              \
	F(T, path, LEFT_OUT_ALL)                                                                   \
	F(T, buffer, FIGURE)                                                                       \
	F(T, method, ID, PV_METHODS)                                                               \
	F(T, thread, ID, PV_THREADS)
PV_SHAPE_SHARED(tree_sums, struct pv_tree_sums, TREE_SUMS)

/* --- threads */

#define FRAME(F, T)                                                                                \
	F(T, node, ID, PV_NODES)                                                                   \
	F(T, enter_ns, FIGURE)
PV_SHAPE(frame, struct pv_frame, FRAME)

#define THREAD_CALLS(F, T)                                                                         \
	F(T, stack, LIST, frame, PV_NO_STORE, PV_STACK_DEPTH)                                      \
	F(T, last_ns, FIGURE)                                                                      \
	F(T, bucketed_ns, FIGURE)                                                                  \
	F(T, too_deep, FIGURE)                                                                     \
	F(T, open, LEFT_OUT)
PV_SHAPE(thread_calls, struct pv_thread_calls, THREAD_CALLS)

#define WAIT(F, T)                                                                                 \
	F(T, object, FIGURE)                                                                       \
	F(T, start_ns, FIGURE)                                                                     \
	F(T, holder, FIGURE)                                                                       \
	F(T, lock, FIGURE)                                                                         \
	F(T, class_use, FIGURE)                                                                    \
	F(T, stack, FIGURE)                                                                        \
	F(T, place, FIGURE)
PV_SHAPE(wait, struct pv_wait, WAIT)

#define THROWN(F, T)                                                                               \
	F(T, object, FIGURE)                                                                       \
	F(T, time_ns, FIGURE)                                                                      \
	F(T, class_use, FIGURE)                                                                    \
	F(T, stack, FIGURE)                                                                        \
	F(T, left, BOOL)
PV_SHAPE(thrown, struct pv_thrown, THROWN)

#define EDGE(F, T)                                                                                 \
	F(T, time_ns, FIGURE)                                                                      \
	F(T, generation, BELOW, PV_GC_GENERATIONS)                                                 \
	F(T, end, BOOL)
PV_SHAPE(edge, struct pv_gc_edge, EDGE)

#define THREAD(F, T)                                                                               \
	F(T, id, FIGURE)                                                                           \
	F(T, outside, LEFT_OUT)                                                                    \
	F(T, epoch, FIGURE)                                                                        \
	F(T, before, ID, PV_THREADS)                                                               \
	F(T, index, ID, PV_THREADS)                                                                \
	F(T, name, ID, PV_TEXTS)                                                                   \
	F(T, start_ns, FIGURE)                                                                     \
	F(T, end_ns, FIGURE)                                                                       \
	F(T, first_ns, FIGURE)                                                                     \
	F(T, last_ns, FIGURE)                                                                      \
	F(T, events, FIGURE)                                                                       \
	F(T, allocations, FIGURE)                                                                  \
	F(T, allocated_bytes, FIGURE)                                                              \
	F(T, lock_wait_ns, FIGURE)                                                                 \
	F(T, samples, FIGURE)                                                                      \
	F(T, cpu_ns, FIGURE)                                                                       \
	F(T, calls, FIGURE)                                                                        \
	F(T, own, BOOL)                                                                            \
	F(T, named, BOOL)                                                                          \
	F(T, selected, BOOL)                                                                       \
	F(T, of_requests, LEFT_OUT)                                                                \
	F(T, touched, LEFT_OUT)                                                                    \
	F(T, stack, PART, thread_calls)                                                            \
	F(T, wait, LIST, wait, PV_NO_STORE, PV_WAITS_MAX)                                          \
	F(T, thrown, LIST, thrown, PV_NO_STORE, PV_THROWS_OPEN)                                    \
	F(T, stop, FIGURE)                                                                         \
	F(T, stop_ns, FIGURE)                                                                      \
	F(T, stood_ns, FIGURE)                                                                     \
	F(T, edge, LIST, edge, PV_NO_STORE, PV_EDGES_MAX)                                          \
	F(T, began, BOOL)                                                                          \
	F(T, collected, BOOL)                                                                      \
	F(T, finalizing, LEFT_OUT)                                                                 \
	F(T, piece, ID_1, PV_PIECES)                                                               \
	F(T, forces, BOOL)                                                                         \
	F(T, forced, BOOL)                                                                         \
	F(T, stop_forced, BOOL)
PV_SHAPE(thread, struct pv_thread, THREAD)

#define THREADS(F, T)                                                                              \
	F(T, thread, LEFT_OUT_ALL)                                                                 \
	F(T, newest, MAP, ID, PV_THREADS)                                                          \
	F(T, touched, LEFT_OUT_ALL)                                                                \
	F(T, ended, FIGURE)                                                                        \
	F(T, ends_out_of_order, FIGURE)                                                            \
	F(T, folded, FIGURE)                                                                       \
	F(T, other, ID, PV_THREADS)                                                                \
	F(T, cap, LEFT_OUT)
PV_SHAPE_SHARED(threads, struct pv_threads, THREADS)

static bool add_thread(struct pv_threads *t)
{
	struct pv_thread *th = calloc(1, sizeof *th);
	if (th && pv_reserve(&t->thread, 1)) {
		t->thread.v[t->thread.n++] = th;
		return true;
	}
	free(th);
	return false;
}

/* Checks the open waits; entries of ended waits are unused. */
static bool waits_hold(const struct pv_archive *a, const struct pv_thread *th)
{
	bool ok = true;
	for (size_t i = 0; i < th->wait.n; i++)
		ok &= th->wait.v[i].lock < a->store[PV_LOCKS] &&
		      th->wait.v[i].class_use < a->store[PV_CLASS_USES] &&
		      th->wait.v[i].stack < a->store[PV_STACKS];
	return ok;
}

static bool throws_hold(const struct pv_archive *a, const struct pv_thread *th)
{
	bool ok = true;
	for (size_t i = 0; i < th->thrown.n; i++)
		ok &= th->thrown.v[i].class_use < a->store[PV_CLASS_USES] &&
		      th->thrown.v[i].stack < a->store[PV_STACKS];
	return ok;
}

/* Thread by thread; [0] is NULL, and every id in the map is a thread. */
void pv_threads_archive(struct pv_archive *a, struct pv_threads *t)
{
	size_t n = pv_archive_count(a, t->thread.n, PV_THREADS_CAP + 2, PV_THREADS);
	pv_archive_check(a, n > 0);
	for (size_t i = 1; i < n && !a->failed && a->mode != PV_ARCHIVE_COUNT; i++) {
		if (a->mode == PV_ARCHIVE_LOAD && !add_thread(t)) {
			a->failed = true;
			return;
		}
		struct pv_thread *th = t->thread.v[i];
		pv_archive_shape(a, &thread_shape, th);
		pv_archive_check(a, th->index == i && th->before < i && waits_hold(a, th) &&
					    throws_hold(a, th));
		a->failed |= pv_archive_loads(a) && !pv_threads_touch(t, th);
	}
	for (size_t i = 0; pv_archive_loads(a) && t->newest.slots && i <= t->newest.mask; i++)
		pv_archive_check(a, t->newest.slots[i].value != 0);
}

/* --- invariants between them, checked after loading */

/* Each child is in its parent's list, and a parent has as many children as counted. */
static bool tree_holds(const struct pv_calls *c)
{
	const struct pv_tree_node *v = c->node.v;
	uint32_t *children = calloc(c->node.n, sizeof *children);
	bool ok = children != NULL;
	for (size_t i = 1; ok && i < c->node.n; i++)
		children[v[i].parent]++;
	for (size_t i = 0; ok && i < c->node.n; i++) {
		const struct pv_tree_node *x = &v[i];
		ok = x->children == children[i] && (x->children > 0) == (x->first_child > 0) &&
		     (!x->first_child || v[x->first_child].parent == i) &&
		     (!x->next_sibling || (i && v[x->next_sibling].parent == x->parent)) &&
		     (!x->recent || v[x->recent].parent == i) &&
		     (!x->other || (v[x->other].parent == i && v[x->other].method == 0));
	}
	free(children);
	return ok;
}

static bool frames_hold(const struct pv_thread_calls *s, const struct pv_calls *c)
{
	bool ok = true;
	for (size_t i = 0; i < s->stack.n; i++) {
		uint32_t node = s->stack.v[i].node;
		ok &= node != 0 && c->node.v[node].parent == (i ? s->stack.v[i - 1].node : 0);
	}
	return ok;
}

/* Entries of the last buffer; nodes renumbered by a fold are found again later. */
static bool entries_hold(const struct pv_tree_sums *t, const struct pv_calls *c)
{
	bool ok = true;
	for (size_t i = 0; i < t->entry.n; i++)
		ok &= t->entry.v[i].folds != c->folds || t->entry.v[i].node < c->node.n;
	return ok;
}

void pv_calls_check(struct pv_archive *a, const struct pv_model *m)
{
	if (!pv_archive_loads(a))
		return;
	pv_archive_check(a, m->stacks.node.n > 0 && m->calls.node.n > 0 &&
				    m->calls.looked_at <= m->calls.node.n &&
				    m->tree_sums.cpu.n <= m->names.method.n &&
				    tree_holds(&m->calls) &&
				    entries_hold(&m->tree_sums, &m->calls));
	for (size_t i = 1; pv_archive_loads(a) && i < m->threads.thread.n; i++)
		pv_archive_check(a, frames_hold(&m->threads.thread.v[i]->stack, &m->calls));
}
