/* SPDX-License-Identifier: MIT */
/*
 * IL places of sampled code (`lines`): the writer notes each body once, the agent asks the runtime
 * for the map of the body (4 us), and the log has the map before or soon after the samples. Finding
 * lines is the reader's work: no symbols are read here.
 */
#include <pthread.h>
#include <stdlib.h>

#include "common/base/map.h"
#include "probe/clr/clr_heap.h"
#include "probe/clr/clr_lines.h"
#include "probe/clr/host_clr.h"
#include "probe/managed/code_ranges.h"
#include "probe/managed/managed_names.h"
#include "probe/managed/managed_places.h"

enum {
	QUEUE = 4096,  /* bodies at once; of others a later sample tells */
	STEPS = 16384, /* of a map; a longer map is cut */
	PLACES = 1 << 18,
	MET = 8192,     /* addresses whose body was noted, as far as they are remembered */
	SINCE = 9,      /* version of the interface */
	ROW = 0xffffff, /* of a token; 0: made at run time */
};

struct body {
	uint64_t start, method;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct body queue[QUEUE];
static size_t queued;
static struct pv_map noted; /* start of a body -> lower half of the method */
static uint64_t met[MET];   /* hashes; the writer's */
static struct pv_map
	places; /* of callers, in the log: address -> the method's lower half; likewise */

bool pvp_clr_lines_waiting(void)
{
	pthread_mutex_lock(&lock);
	bool some = queued > 0;
	pthread_mutex_unlock(&lock);
	return some;
}

bool pvp_clr_lines_note(uint64_t ip, uint64_t method)
{
	const struct body b = { pvp_ranges_start(ip), method };
	if (!(pvp_clr_groups() & PVP_MANAGED_LINES))
		return true;
	pthread_mutex_lock(&lock);
	bool there = pv_map_get(&noted, b.start) == (uint32_t)method;
	if (!there && queued < QUEUE && pv_map_set(&noted, b.start, (uint32_t)method)) {
		queue[queued++] = b;
		there = true;
	}
	pthread_mutex_unlock(&lock);
	return there;
}

void pvp_clr_lines_met(uint64_t ip, uint64_t method)
{
	const uint64_t mark = pv_hash(ip ^ pv_hash(method));
	if (met[mark % MET] != mark && pvp_clr_lines_note(ip, method))
		met[mark % MET] = mark;
}

uint64_t pvp_clr_lines_place(struct pvp_writer *w, uint64_t address, uint64_t method, uint64_t time)
{
	if (!(pvp_clr_groups() & PVP_MANAGED_LINES) || method <= PVP_CLR_UNKNOWN)
		return method;
	if (pv_map_get(&places, address) == (uint32_t)method)
		return address;
	const struct pv_event ev = {
		.kind = PV_KIND_EXT_PLACE, .time = time, .code_place = { address, method }
	};
	bool said = places.n < PLACES && pvp_out_buffer_add(w, &w->page, &ev, NULL) &&
		    pv_map_set(&places, address, (uint32_t)method);
	return said ? address : method;
}

static bool note_place(uint64_t address, uint64_t method)
{
	return pvp_ranges_start(address) && pvp_clr_lines_note(address, method);
}

uint64_t pvp_clr_lines_called(uint64_t address, uint64_t method)
{
	if (!(pvp_clr_groups() & PVP_MANAGED_LINES) || method <= PVP_CLR_UNKNOWN ||
		pvp_clr.version < SINCE)
		return method;
	return pvp_managed_place(address, method, note_place);
}

void pvp_clr_lines_again(void)
{
	pv_map_finish(&places);
}

/* --- the agent's */

struct steps {
	uint64_t pair[2 * STEPS]; /* offset in the code, in the IL */
	size_t n;
};

static int by_code_range(const void *a, const void *b)
{
	const struct pvp_clr_il_range *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end); /* empty ranges first: the other counts */
}

static void sort(struct pvp_clr_il_range *at, uint32_t n, struct steps *ret)
{
	ret->n = 0;
	qsort(at, n, sizeof *at, by_code_range);
	for (uint32_t i = 0; i < n; i++) {
		if (i + 1 < n && at[i + 1].start == at[i].start)
			continue;
		ret->pair[ret->n++] = at[i].start;
		ret->pair[ret->n++] = (uint64_t)(int64_t)at[i].il;
	}
}

static void define_il_map(
	const struct body *b, uint64_t size, uint64_t module, uint32_t token, const struct steps *s)
{
	const struct pv_batch pools = { .pool = { (uint64_t *)(uintptr_t)s->pair, s->n, s->n } };
	struct pv_event ev = { .kind = PV_KIND_EXT_IL_MAP,
		.il_map = { .code = b->start,
			.size = size,
			.method = b->method,
			.image = pvp_clr_key(module),
			.token = token,
			.pairs = { 0, (uint32_t)s->n } } };
	pvp_names_define_list(&ev, &pools);
}

static void ask_il_map(const struct body *b)
{
	static struct pvp_clr_il_range range[STEPS]; /* a single agent */
	static struct steps steps;
	struct pvp_clr_info *info = pvp_clr.info;
	struct pvp_clr_code piece;
	uint64_t function = pvp_clr_function(b->method), type, module = 0;
	uint32_t n = 0, pieces = 0, token = 0;
	if (!function ||
		info->is->function_info(info, function, 0, &type, &module, &token, 0, &n, NULL) <
			0 ||
		!module || !(token & ROW))
		return;
	n = 0;
	if (info->is->il_map(info, b->start, STEPS, &n, range) < 0 ||
		info->is->code_ranges(info, b->start, 1, &pieces, &piece) < 0 || !pieces)
		return;
	sort(range, n < STEPS ? n : STEPS, &steps);
	if (steps.n && piece.start == b->start)
		define_il_map(b, piece.size, module, token, &steps);
}

void pvp_clr_lines_resolve(void)
{
	bool some = true;
	while (some) {
		struct body b;
		pthread_mutex_lock(&lock);
		some = queued > 0;
		if (some)
			b = queue[--queued];
		pthread_mutex_unlock(&lock);
		if (some && pvp_clr.version >= SINCE)
			ask_il_map(&b);
	}
}

void pvp_clr_lines_forget(void)
{
	pthread_mutex_lock(&lock);
	pv_map_finish(&noted);
	queued = 0;
	pv_map_finish(&places);
	pthread_mutex_unlock(&lock);
	for (size_t i = 0; i < MET; i++)
		met[i] = 0;
	pvp_managed_places_forget();
}
