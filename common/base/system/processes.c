/* SPDX-License-Identifier: MIT */
/* Rows of processes: parents, ids, sums over trees, and search. */
#include "common/base/system/processes.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/saturate.h"

void pv_processes_destroy(struct pv_processes *list)
{
	if (!list)
		return;
	pv_array_finish(&list->row);
	pv_arena_finish(&list->arena);
	free(list);
}

const char *pv_process_name(const struct pv_process *p)
{
	const char *slash = strrchr(p->exe, '/');
	const char *name = slash ? slash + 1 : p->exe;
	return *name ? name : *p->args ? p->args : "?";
}

/* --- parents --- */

/* Places of rows by pid, then start, then image. */
struct by_pid {
	const struct pv_process *row;
	size_t *place;
	size_t n;
};

static int compare_places(const void *a, const void *b, void *arg)
{
	const struct pv_process *row = arg;
	size_t i = *(const size_t *)a, k = *(const size_t *)b;
	if (row[i].pid != row[k].pid)
		return row[i].pid < row[k].pid ? -1 : 1;
	if (row[i].start_ns != row[k].start_ns)
		return row[i].start_ns < row[k].start_ns ? -1 : 1;
	if (row[i].image != row[k].image)
		return row[i].image < row[k].image ? -1 : 1;
	return i < k ? -1 : i > k;
}

/*
 * The last row of this pid that began no later than `start_ns`, else the first; PV_PROCESS_ROOT: no
 * such pid.
 */
static size_t starter(const struct by_pid *order, uint32_t pid, int64_t start_ns)
{
	size_t low = 0, high = order->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct pv_process *p = &order->row[order->place[mid]];
		if (p->pid < pid || (p->pid == pid && p->start_ns <= start_ns))
			low = mid + 1;
		else
			high = mid;
	}
	if (low > 0 && order->row[order->place[low - 1]].pid == pid)
		return order->place[low - 1];
	if (low < order->n && order->row[order->place[low]].pid == pid)
		return order->place[low];
	return PV_PROCESS_ROOT;
}

/* The parent of an image is the image before; of a first image, the process that started it. */
static void find_parents(struct pv_processes *list, const struct by_pid *order)
{
	for (size_t i = 0; i < order->n; i++) {
		struct pv_process *p = &list->row.v[order->place[i]];
		struct pv_process *before = i > 0 ? &list->row.v[order->place[i - 1]] : NULL;
		if (before && before->pid == p->pid && p->image > before->image) {
			p->parent = order->place[i - 1];
			before->replaced = true;
		} else {
			p->parent = p->ppid == p->pid ? PV_PROCESS_ROOT
						      : starter(order, p->ppid, p->start_ns);
		}
	}
}

/*
 * A hostile list may say that two processes started each other. Each walk up ends at a row met by
 * an earlier walk; a walk that comes back to a row of its own makes its last row a root.
 */
static void cut_circles(struct pv_processes *list, size_t *walk_of)
{
	for (size_t i = 0; i < list->row.n; i++) {
		size_t at = i, last = PV_PROCESS_ROOT;
		while (at != PV_PROCESS_ROOT && walk_of[at] == 0) {
			walk_of[at] = i + 1;
			last = at;
			at = list->row.v[at].parent;
		}
		if (at != PV_PROCESS_ROOT && walk_of[at] == i + 1)
			list->row.v[last].parent = PV_PROCESS_ROOT;
	}
}

/*
 * Ids from the pid and the row's number among the rows of this pid, by start and image: the same in
 * every reading of the recording.
 */
static void give_ids(struct pv_processes *list, const struct by_pid *order)
{
	uint64_t same = 0;
	for (size_t i = 0; i < order->n; i++) {
		struct pv_process *p = &list->row.v[order->place[i]];
		const struct pv_process *before = i > 0 ? &list->row.v[order->place[i - 1]] : NULL;
		same = before && before->pid == p->pid ? same + 1 : 1;
		p->id = (uint64_t)p->pid << 32 | same;
	}
}

/* From the leaves up: a row is done after all rows below. */
static void sum_up_trees(struct pv_processes *list, size_t *below, size_t *ready)
{
	size_t n = list->row.n, to = 0;
	struct pv_process *row = list->row.v;
	memset(below, 0, n * sizeof *below);
	for (size_t i = 0; i < n; i++) {
		row[i].tree_cpu_ns = row[i].cpu_ns;
		if (row[i].parent != PV_PROCESS_ROOT)
			below[row[i].parent]++;
	}
	for (size_t i = 0; i < n; i++)
		if (below[i] == 0)
			ready[to++] = i;
	for (size_t at = 0; at < to; at++) {
		size_t parent = row[ready[at]].parent;
		if (parent == PV_PROCESS_ROOT)
			continue;
		row[parent].tree_cpu_ns = (uint64_t)pv_sat_add(
			(int64_t)row[parent].tree_cpu_ns, (int64_t)row[ready[at]].tree_cpu_ns);
		if (--below[parent] == 0)
			ready[to++] = parent;
	}
}

bool pv_processes_link(struct pv_processes *list)
{
	size_t n = list->row.n;
	size_t *place = calloc(n + 1, sizeof *place), *walk_of = calloc(n + 1, sizeof *walk_of);
	bool ok = place && walk_of;
	bool known = false;
	for (size_t i = 0; ok && i < n; i++) {
		const struct pv_process *p = &list->row.v[i];
		place[i] = i;
		if (p->knows_start && (!known || p->start_ns < list->zero_ns))
			list->zero_ns = p->start_ns;
		known = known || p->knows_start;
	}
	if (ok && n > 1)
		qsort_r(place, n, sizeof *place, compare_places, list->row.v);
	const struct by_pid order = { list->row.v, place, n };
	if (ok) {
		give_ids(list, &order);
		find_parents(list, &order);
		cut_circles(list, walk_of);
		sum_up_trees(list, walk_of, place);
	}
	free(place);
	free(walk_of);
	return ok;
}

/* --- finding --- */

static bool is_heavier(const struct pv_process *a, const struct pv_process *b)
{
	if (a->cpu_ns != b->cpu_ns)
		return a->cpu_ns > b->cpu_ns;
	return a->log_bytes > b->log_bytes;
}

const struct pv_process *pv_processes_heaviest(const struct pv_processes *list)
{
	const struct pv_process *found = NULL;
	for (size_t i = 0; i < list->row.n; i++) {
		const struct pv_process *p = &list->row.v[i];
		if (p->log && (!found || is_heavier(p, found)))
			found = p;
	}
	return found;
}

const struct pv_process *pv_processes_by_id(const struct pv_processes *list, uint64_t id)
{
	for (size_t i = 0; i < list->row.n; i++)
		if (list->row.v[i].id == id)
			return &list->row.v[i];
	return NULL;
}

/*
 * How well a row fits: 3 by pid, 2 by the program's name, 1 by a part of the command line, 0 not.
 */
static int process_fits(
	const struct pv_process *p, const char *text, const char *end, unsigned long pid)
{
	if (*end == 0 && end != text && p->pid == pid)
		return 3;
	if (strcmp(pv_process_name(p), text) == 0 || strcmp(p->exe, text) == 0)
		return 2;
	return strstr(p->args, text) || strstr(p->exe, text);
}

const struct pv_process *pv_processes_find(const struct pv_processes *list, const char *text)
{
	const struct pv_process *found = NULL;
	int best = 0;
	char *end;
	unsigned long pid = strtoul(text, &end, 10);
	for (size_t i = 0; *text && i < list->row.n; i++) {
		const struct pv_process *p = &list->row.v[i];
		/* For an equal fit a recorded row goes before a row without a log. */
		int fit = process_fits(p, text, end, pid) * 2;
		fit += fit && p->log;
		if (!fit || fit < best)
			continue;
		if (fit > best || is_heavier(p, found))
			found = p;
		best = fit;
	}
	return found;
}

size_t pv_processes_recorded(const struct pv_processes *list)
{
	size_t n = 0;
	for (size_t i = 0; i < list->row.n; i++)
		n += list->row.v[i].log != NULL;
	return n;
}
