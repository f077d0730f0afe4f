/* SPDX-License-Identifier: MIT */
/* Rules about objects kept alive: classes that only grow, finalizers, handles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/units.h"
#include "common/heap/heap.h"
#include "common/model/model.h"
#include "common/query/coverage/coverage.h"
#include "common/query/findings/rule.h"
#include "common/query/heap/heap_rows.h"

/* --- classes that grow from shot to shot --- */

enum { SHOTS = 6, FEWEST_SHOTS = 3, CLASSES = 256 };

struct growth {
	uint64_t id;
	double bytes[SHOTS], first, objects; /* objects at the first and the last shot */
	char name[PV_FINDING_SUBJECT];
};

static size_t read_classes(struct growth *g, size_t n, const struct pv_table *t, size_t shot)
{
	for (size_t i = 0; i < t->rows; i++) {
		size_t k = 0;
		while (k < n && g[k].id != t->row[i].id)
			k++;
		if (k == n && n == CLASSES)
			continue;
		if (k == n) {
			g[n] = (struct growth){ .id = t->row[i].id };
			snprintf(g[n++].name, sizeof g->name, "%s", pv_judge_text(t, i, "name"));
		}
		g[k].bytes[shot] = pv_judge_value(t, i, "bytes");
		g[k].objects = pv_judge_value(t, i, "objects");
		g[k].first = shot == 0 ? g[k].objects : g[k].first;
	}
	return n;
}

/* The first shot with the class. */
static size_t first_with(const struct growth *g, size_t shots)
{
	size_t first = 0;
	while (first < shots && g->bytes[first] <= 0)
		first++;
	return first;
}

/* The number of shots with more of the class than the shot before, with the first. */
static size_t grown_at(const struct growth *g, size_t shots)
{
	size_t n = 1;
	for (size_t i = first_with(g, shots) + 1; i < shots; i++)
		n += g->bytes[i] > g->bytes[i - 1];
	return n;
}

/*
 * Counts from the first shot with the class: a program may begin to use a class later. Two shots
 * may be equal, when the program did nothing in between, as at its end.
 */
static bool only_grew(const struct growth *g, size_t shots)
{
	const size_t first = first_with(g, shots), n = grown_at(g, shots);
	if (shots - first < FEWEST_SHOTS || n < FEWEST_SHOTS || 2 * n < shots - first)
		return false;
	for (size_t i = first + 1; i < shots; i++)
		if (g->bytes[i] < g->bytes[i - 1])
			return false;
	/* A class that has almost stopped growing was being filled. */
	const double last = g->bytes[shots - 1], middle = g->bytes[first + (shots - first) / 2];
	return last - middle >= 0.01 * (last - g->bytes[first]);
}

/* A C# keyword, as .NET's stream names types of the runtime; arrays included. */
static bool is_keyword(const char *name)
{
	static const char *const list[] = { "bool", "byte", "sbyte", "char", "short", "ushort",
		"int", "uint", "long", "ulong", "nint", "nuint", "float", "double", "decimal",
		"string", "object", NULL };
	const size_t n = strcspn(name, "[*");
	for (const char *const *at = list; *at; at++)
		if (strlen(*at) == n && memcmp(*at, name, n) == 0)
			return true;
	return false;
}

bool pv_is_program_class(const char *name)
{
	return !is_keyword(name) && strncmp(name, "System.", 7) != 0 &&
	       strncmp(name, "Microsoft.", 10) != 0 && strncmp(name, "Mono.", 5) != 0 &&
	       strncmp(name, "Interop", 7) != 0;
}

static double bytes_grown(const struct growth *g, size_t shots)
{
	return g->bytes[shots - 1] - g->bytes[0];
}

/* The class with the most growth, and growth at every shot; `own`: of the program's classes. */
static const struct growth *worst(const struct growth *g, size_t n, size_t shots, bool own)
{
	const struct growth *most = NULL;
	for (size_t i = 0; i < n; i++) {
		if (!only_grew(&g[i], shots) || (own && !pv_is_program_class(g[i].name)))
			continue;
		if (!most || bytes_grown(&g[i], shots) > bytes_grown(most, shots))
			most = &g[i];
	}
	return most;
}

/*
 * Strings and arrays of the library grow with the objects around: names the program's class if
 * there are as many objects, or if the class is a good part of the growth.
 */
static const struct growth *holder(
	const struct growth *most, const struct growth *own, size_t shots)
{
	if (!own || own == most)
		return most;
	bool many = own->objects - own->first >= 0.4 * (most->objects - most->first);
	return many || bytes_grown(own, shots) >= 0.1 * bytes_grown(most, shots) ? own : most;
}

/* ", kept by static Cache.all" if the open shot says so, else "". */
static const char *kept_by(
	const struct pv_judge *j, const struct growth *named, char *to, size_t size)
{
	char name[PV_KEEPER_TEXT];
	const struct pv_heap *h = j->query->heap;
	const uint32_t klass = h ? pv_graph_class_of_id(&h->graph, named->id) : PV_GRAPH_NONE;
	const struct pv_keeper *k = klass != PV_GRAPH_NONE ? pv_keepers_most_of(h, klass) : NULL;
	*to = 0;
	if (k)
		snprintf(to, size, ", kept by %s", pv_keeper_text(h, k, name, sizeof name));
	return to;
}

static void say_growth(const struct pv_judge *j, struct pv_finding *f, const struct growth *most,
	const struct growth *named, const double *heap, size_t shots, size_t all, double span_ns)
{
	char by[80], of_all[48] = "", with[PV_FINDING_TEXT];
	if (all > shots)
		snprintf(of_all, sizeof of_all, " that were looked at of %zu", all);
	char more[PV_UNIT_MAX], now[PV_UNIT_MAX], n[PV_UNIT_MAX];
	const double grown = heap[shots - 1] - heap[0];
	const double minutes = span_ns > 0 ? span_ns / 60e9 : 1;
	/* By the growth of the heap, if the class is a part of the growth. */
	double score = pv_scale_score(heap[0] > 0 ? grown / heap[0] : 0, 0.05, 0.20, 1.0);
	if (bytes_grown(most, shots) < 0.02 * grown || bytes_grown(most, shots) < 64 << 10)
		score = score < 24 ? score : 24;
	pv_finding_say(f, score,
		"heap %s%s a minute, now %s: %s grew at each of %zu shots%s, now %s objects%s%s%s",
		grown < 0 ? "-" : "+",
		pv_units_bytes(
			more, sizeof more, (uint64_t)((grown < 0 ? -grown : grown) / minutes)),
		pv_units_bytes(now, sizeof now, (uint64_t)heap[shots - 1]), named->name,
		grown_at(named, shots), of_all,
		pv_units_count(n, sizeof n, (uint64_t)named->objects),
		kept_by(j, named, by, sizeof by), named == most ? "" : ", with them ",
		named == most ? "" : pv_judge_class(j, most->name, with, sizeof with));
	snprintf(f->subject, sizeof f->subject, "%s", named->name);
}

/* The classes of up to SHOTS shots, evenly spread, the last among them. */
static void judge_shots(
	const struct pv_judge *j, struct pv_finding *f, const struct pv_table *shots)
{
	struct growth *g = calloc(CLASSES, sizeof *g);
	double heap[SHOTS];
	const size_t used = shots->rows < SHOTS ? shots->rows : SHOTS;
	size_t n = 0, first = 0;
	for (size_t s = 0; g && s < used; s++) {
		size_t row = (s + 1) * shots->rows / used - 1;
		first = s == 0 ? row : first;
		struct pv_query q = { .groups = j->query->groups,
			.inner = true,
			.sort = "bytes",
			.limit = CLASSES,
			.select = shots->row[row].id };
		struct pv_table *t =
			pv_spec_table(j->m, &pv_spec_heap_shot_classes, PV_VIEW_SHOT_CLASSES, &q);
		if (!t) {
			free(g);
			pv_finding_skip(f, "out of memory");
			return;
		}
		heap[s] = pv_judge_value(shots, row, "bytes");
		n = read_classes(g, n, t, s);
		pv_table_destroy(t);
	}
	const struct growth *most = g ? worst(g, n, used, false) : NULL;
	double span = pv_judge_value(shots, shots->rows - 1, "time_ns") -
		      pv_judge_value(shots, first, "time_ns");
	if (!g)
		pv_finding_skip(f, "out of memory");
	else if (most)
		say_growth(j, f, most, holder(most, worst(g, n, used, true), used), heap, used,
			shots->rows, span);
	else
		pv_finding_say(f, 0, "no class grew at each of %zu shots", used);
	free(g);
}

/* By the ladder's score, if objects were followed from shot to shot. */
static bool judge_ladder(const struct pv_judge *j, struct pv_finding *f)
{
	char now[PV_UNIT_MAX];
	struct pv_table *t =
		pv_judge_table(j, f, &pv_spec_heap_ladder, PV_VIEW_HEAP_LADDER, "score", 16);
	if (!t)
		return true;
	size_t at = 0; /* of equally likely classes the program's before the library's */
	const double best = pv_judge_value(t, 0, "score");
	for (size_t i = 0; i < t->rows; i++) {
		if (pv_judge_value(t, i, "score") < best - 10)
			break;
		if (pv_is_program_class(pv_judge_text(t, i, "name"))) {
			at = i;
			break;
		}
	}
	bool any = t->rows > 0 && best >= 60;
	if (any)
		pv_finding_say(f, best, "%+.0f KiB, now %s: the young of %s do not die",
			pv_judge_value(t, at, "bytes_growth") / 1024,
			pv_units_bytes(now, sizeof now, (uint64_t)pv_judge_value(t, at, "bytes")),
			pv_judge_text(t, at, "name"));
	else
		pv_finding_say(f, best < 24 ? best : 24, "no class keeps all its young");
	if (any)
		snprintf(f->subject, sizeof f->subject, "%s", pv_judge_text(t, at, "name"));
	pv_table_destroy(t);
	return true;
}

/* --- by allocation stack, in native programs --- */

/* Inlined frames are mostly a library's inner steps. */
static bool is_inlined(const char *from, const char *end)
{
	static const char mark[] = " (inlined)";
	size_t n = sizeof mark - 1;
	return (size_t)(end - from) > n && memcmp(end - n, mark, n) == 0;
}

/*
 * The innermost frames of a stack without inlined ones; `text` has the outermost frame first, a
 * line each.
 */
static void say_stack(const char *text, char *to, size_t room)
{
	enum { FRAMES = 4 };
	size_t used = 0;
	const char *end = text + strlen(text);
	*to = 0;
	for (int i = 0; i < FRAMES && end > text && used < room;) {
		const char *from = end;
		while (from > text && from[-1] != '\n')
			from--;
		if (is_inlined(from, end)) {
			end = from > text ? from - 1 : text;
			continue;
		}
		int n = snprintf(to + used, room - used, "%s%.*s", i++ ? " < " : "",
			(int)(end - from), from);
		used += n > 0 ? (size_t)n : 0;
		end = from > text ? from - 1 : text;
	}
}

/* Judges the stack with the most growth in memory, if growing all the time. */
static bool judge_stacks(const struct pv_judge *j, struct pv_finding *f)
{
	enum { LEAST = 64 << 10 };
	char rate[PV_UNIT_MAX], held[PV_UNIT_MAX], n[PV_UNIT_MAX], stack[160];
	if (!(j->sum.recorded & PV_GROUP_HELD))
		return false;
	struct pv_table *t =
		pv_judge_table(j, f, &pv_spec_held, PV_VIEW_HELD, "growth_bytes_per_minute", 1);
	if (!t)
		return true;
	const double growth = pv_judge_value(t, 0, "growth_bytes_per_minute");
	const double bytes = pv_judge_value(t, 0, "held_bytes");
	const double share = pv_judge_value(t, 0, "held_percent") / 100;
	f->by_stack = true;
	struct pv_coverage c;
	pv_model_lock(j->m);
	pv_coverage_of(j->m, j->query->groups, PV_WHAT_ALLOCATIONS, &c);
	pv_model_unlock(j->m);
	if (c.state == PV_BYPASSED) {
		pv_finding_skip(f, "%s", c.detail);
		pv_table_destroy(t);
		return true;
	}
	if (t->rows == 0 || growth <= 0) {
		pv_finding_say(f, 0, "no allocation stack holds ever more");
		pv_table_destroy(t);
		return true;
	}
	double score = pv_scale_score(share, 0.02, 0.05, 0.20);
	const char *text = pv_judge_text(t, 0, "stack"), *last = strrchr(text, '\n');
	say_stack(text, stack, sizeof stack);
	pv_finding_say(f, bytes < LEAST && score > 24 ? 24 : score,
		"+%s a minute all the time, now %s in %s blocks from %s",
		pv_units_bytes(rate, sizeof rate, (uint64_t)growth),
		pv_units_bytes(held, sizeof held, (uint64_t)bytes),
		pv_units_count(n, sizeof n, (uint64_t)pv_judge_value(t, 0, "held_blocks")), stack);
	snprintf(f->subject, sizeof f->subject, "%s", last ? last + 1 : text);
	pv_table_destroy(t);
	return true;
}

void pv_judge_leak(const struct pv_judge *j, struct pv_finding *f)
{
	if (!(j->sum.recorded & PV_GROUP_SHOTS) && judge_stacks(j, f))
		return;
	if (j->query->identity && judge_ladder(j, f))
		return;
	struct pv_table *shots =
		pv_judge_table(j, f, &pv_spec_heap_shots, PV_VIEW_SHOTS, "index", 0);
	if (!shots)
		return;
	/* A shot being read does not have all objects yet. */
	if (shots->rows && j->sum.shot_open)
		shots->rows--;
	if (shots->rows < FEWEST_SHOTS)
		pv_finding_skip(f, "fewer than 3 heap shots");
	else
		judge_shots(j, f, shots);
	pv_table_destroy(shots);
}

/* --- finalizers --- */

void pv_judge_finalizers(const struct pv_judge *j, struct pv_finding *f)
{
	char total[PV_UNIT_MAX], most[PV_UNIT_MAX];
	struct pv_table *t =
		pv_judge_table(j, f, &pv_spec_finalizers, PV_VIEW_FINALIZERS, "total_ns", 1);
	if (!t)
		return;
	const double longest = pv_judge_value(t, 0, "max_ns");
	const double part = j->wall_ns > 0 ? (double)j->totals.finalizing_ns / j->wall_ns : 0;
	double score = pv_scale_score(part, 0.01, 0.05, 0.20);
	double one = pv_scale_score(longest, 50e6, 100e6, 1e9);
	/* A single long run may have waited for a processor. */
	if (longest < 1e9 && (double)j->totals.finalizing_ns < 4 * longest)
		one = one < 24 ? one : 24;
	if (t->rows == 0)
		pv_finding_say(f, 0, "no finalizer ran");
	else if (j->way ==
		 PV_RECORDER_DOTNET) /* .NET logs only that an object is to be finalized */
		pv_finding_skip(f, ".NET does not say how long finalizers run; most are of %s",
			pv_judge_text(t, 0, "class"));
	else
		pv_finding_say(f, score > one ? score : one,
			"finalizers ran for %s, the longest %s; most in %s",
			pv_units_ns(total, sizeof total, j->totals.finalizing_ns),
			pv_units_ns(most, sizeof most, (int64_t)longest),
			pv_judge_text(t, 0, "class"));
	snprintf(f->subject, sizeof f->subject, "%s", pv_judge_text(t, 0, "class"));
	pv_table_destroy(t);
}

/* --- handles --- */

void pv_judge_handle_growth(const struct pv_judge *j, struct pv_finding *f)
{
	char live[PV_UNIT_MAX], created[PV_UNIT_MAX];
	struct pv_table *t = pv_judge_table(j, f, &pv_spec_handles, PV_VIEW_HANDLES, "live", 8);
	if (!t)
		return;
	double best = 0;
	size_t at = 0;
	for (size_t i = 0; i < t->rows; i++) {
		double n = pv_judge_value(t, i, "live"), made = pv_judge_value(t, i, "created");
		double most = pv_judge_value(t, i, "most_live");
		/* Most handles ever made are alive, near the peak: nothing frees handles. */
		double score = made > 0 && n > 0.9 * most && n > 0.5 * made
				       ? pv_scale_score(n, 1000, 10000, 100000)
				       : 0;
		if (score > best) {
			best = score;
			at = i;
		}
	}
	if (best > 0)
		pv_finding_say(f, best, "%s handles of type %s are alive, of %s that were made",
			pv_units_count(live, sizeof live, (uint64_t)pv_judge_value(t, at, "live")),
			pv_judge_text(t, at, "type"),
			pv_units_count(created, sizeof created,
				(uint64_t)pv_judge_value(t, at, "created")));
	else
		pv_finding_say(f, 0, "handles are given back");
	if (best > 0)
		snprintf(f->subject, sizeof f->subject, "%s", pv_judge_text(t, at, "type"));
	pv_table_destroy(t);
}
