/* SPDX-License-Identifier: MIT */
/* Rules about the collector: cost, frequency, and use. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/sample_period.h"
#include "common/base/saturate.h"
#include "common/base/text/units.h"
#include "common/model/model.h"
#include "common/query/findings/rule.h"

static bool enough_time(const struct pv_judge *j, struct pv_finding *f, double seconds)
{
	if (j->wall_ns >= seconds * 1e9)
		return true;
	pv_finding_skip(f, "recorded for less than %.0f s", seconds);
	return false;
}

/* Stops, the longest first, and how much of them was computing. */
struct stops {
	struct pv_table *t;
	uint64_t period_ns; /* of samples of processor time; 0: none, or none in stops */
	double part;        /* of the long stops together: the computing part, 0 to 1 */
	double share;       /* share of stops in all time, as on an otherwise idle machine */
};

enum { LOOKED_AT = 100, PERIODS = 5 }; /* a shorter stop has too few samples */

/* Processor time used within a stop, from samples in the cells around. */
static double used_within(struct pv_model *m, double from_ns, double length, uint64_t period)
{
	pv_model_lock(m);
	const struct pv_timeline *t = &m->timeline;
	const double origin = (double)pv_sat_span(m->zero_ns, t->origin_ns);
	uint64_t samples = 0;
	for (size_t i = 0; i < t->used; i++) {
		const double at = origin + (double)i * (double)t->width_ns;
		if (at < from_ns + length && at + (double)t->width_ns > from_ns)
			samples += t->cell[PV_TRACK_SAMPLES][i];
	}
	pv_model_unlock(m);
	const double used = (double)samples * (double)period;
	return used < length ? used : length;
}

static double computed_in(const struct pv_judge *j, const struct stops *s, size_t row)
{
	const double length = pv_judge_value(s->t, row, "duration_ns");
	if (!s->period_ns || length < PERIODS * (double)s->period_ns)
		return length;
	return used_within(j->m, pv_judge_value(s->t, row, "start_ns"), length, s->period_ns);
}

/*
 * The share of stops on an otherwise idle machine. When others want the processors, stops and the
 * computing in between last longer by the same factor: both are scaled back alike.
 */
static double share_if_idle(const struct pv_judge *j, const struct stops *s)
{
	const double stopped = (double)j->sum.pause_ns, between = j->wall_ns - stopped;
	if (!s->period_ns || s->part >= 1 || !(stopped > 0))
		return j->pause_part;
	const double computed = s->part * stopped;
	const double taken = (double)j->sum.samples / j->sum.sample_weight * (double)s->period_ns;
	const double used = taken > computed ? taken - computed : 0;
	double rest = between - used * (1 / s->part - 1); /* without waiting for a processor */
	rest = rest > used ? rest : used < between ? used : between;
	return computed + rest > 0 ? computed / (computed + rest) : 0;
}

/*
 * A collector waiting for a processor is the machine's load, not the program's objects. If samples
 * are of wall time, or the sampler does not see collectors, all of a stop counts.
 */
static bool read_stops(const struct pv_judge *j, struct pv_finding *f, struct stops *ret)
{
	const double seen = 0.1; /* sampled share of the long stops, at least */
	bool wall = false;
	double all = 0, used = 0;
	*ret = (struct stops){ .part = 1 };
	ret->t = pv_judge_table(j, f, &pv_spec_pauses, PV_VIEW_PAUSES, "duration_ns", 0);
	if (!ret->t)
		return false;
	pv_model_lock(j->m);
	ret->period_ns = pv_sample_period(j->m->target.args ? j->m->target.args : "", &wall);
	pv_model_unlock(j->m);
	ret->period_ns = wall ? 0 : ret->period_ns;
	for (size_t i = 0; ret->period_ns && i < ret->t->rows && i < LOOKED_AT; i++) {
		const double length = pv_judge_value(ret->t, i, "duration_ns");
		if (length < PERIODS * (double)ret->period_ns)
			break;
		all += length;
		used += computed_in(j, ret, i);
	}
	if (used < seen * all)
		ret->period_ns = 0;
	else if (all > 0)
		ret->part = used / all;
	ret->share = share_if_idle(j, ret);
	return true;
}

void pv_judge_gc_time(const struct pv_judge *j, struct pv_finding *f)
{
	char stopped[PV_UNIT_MAX], wall[PV_UNIT_MAX], of[PV_UNIT_MAX];
	struct stops s;
	if (j->pause_part < 0) {
		pv_finding_skip(f, "how long the program was stopped is not recorded");
		return;
	}
	if (!enough_time(j, f, 1) || !read_stops(j, f, &s))
		return;
	const double computed = s.part * (double)j->sum.pause_ns;
	pv_finding_say(f, pv_scale_score(s.share, 0.05, 0.10, 0.30),
		"for %.1f %% of the time collections stopped the program, %s of %s%s%s",
		100 * j->pause_part, pv_units_ns(stopped, sizeof stopped, (int64_t)j->sum.pause_ns),
		pv_units_ns(wall, sizeof wall, (int64_t)j->wall_ns),
		s.part < 0.9 ? ", computing for " : "",
		s.part < 0.9 ? pv_units_ns(of, sizeof of, (int64_t)computed) : "");
	pv_table_destroy(s.t);
}

/* The longest computing time in a stop; 0: no stop. */
static double worst_stop(const struct pv_judge *j, const struct stops *s, size_t *ret_row)
{
	double most = 0;
	for (size_t i = 0; i < s->t->rows && i < LOOKED_AT; i++) {
		if (pv_judge_value(s->t, i, "duration_ns") <= most)
			break;
		const double computed = computed_in(j, s, i);
		*ret_row = computed > most ? i : *ret_row;
		most = computed > most ? computed : most;
	}
	return most;
}

void pv_judge_long_pause(const struct pv_judge *j, struct pv_finding *f)
{
	struct stops s;
	if (!read_stops(j, f, &s))
		return;
	const struct pv_table *t = s.t;
	char most[PV_UNIT_MAX], tail[PV_UNIT_MAX], when[PV_UNIT_MAX], of[PV_UNIT_MAX];
	char first[PV_UNIT_MAX], longest[80] = "";
	size_t row = 0;
	const double computed = worst_stop(j, &s, &row);
	const double half = s.period_ns ? 1 : 0.5; /* the rest may have waited for a processor */
	const double length = pv_judge_value(t, row, "duration_ns");
	if (row) /* the longest stop was mostly waiting for a processor */
		snprintf(longest, sizeof longest, ", the longest %s, but computed for less of it",
			pv_units_ns(
				first, sizeof first, (int64_t)pv_judge_value(t, 0, "duration_ns")));
	const double p99 = t->rows >= 100 ? pv_judge_value(t, t->rows / 100, "duration_ns") : 0;
	double score = pv_scale_score(half * computed, 100e6, 250e6, 1000e6);
	double often = pv_scale_score(half * p99, 50e6, 100e6, 300e6);
	f->from_ns = (int64_t)pv_judge_value(t, row, "start_ns");
	f->to_ns = pv_sat_add(f->from_ns, (int64_t)length);
	if (t->rows == 0)
		pv_finding_say(f, 0, "the program was never stopped");
	else
		pv_finding_say(f, score > often ? score : often, "%s took %s%s%s, at %s%s%s%s",
			row ? "a stop" : "the longest stop",
			pv_units_ns(most, sizeof most, (int64_t)length),
			computed < length ? ", computing for " : "",
			computed < length ? pv_units_ns(of, sizeof of, (int64_t)computed) : "",
			pv_units_clock(when, sizeof when, f->from_ns), longest,
			p99 > 0 ? "; one in a hundred " : "",
			p99 > 0 ? pv_units_ns(tail, sizeof tail, (int64_t)p99) : "");
	pv_table_destroy(s.t);
}

/* --- full collections --- */

struct full {
	struct pv_table *t; /* of all collections, by time */
	uint8_t *is;        /* by row: a full collection, not made for a heap shot */
	unsigned generation;
	size_t n, others, shots; /* full ones, others, full ones with a heap shot in the stop */
	double pause_ns;
};

static void finish_full(struct full *c)
{
	free(c->is);
	pv_table_destroy(c->t);
}

/* Whether a heap shot lies in the stop: before a collection with Mono's own profiler, or after. */
static bool is_of_shots(const struct pv_table *t, size_t row, const struct pv_table *shots)
{
	const double start = pv_judge_value(t, row, "start_ns");
	const double stop = pv_judge_value(t, row, "pause_ns");
	const double lasts = pv_judge_value(t, row, "duration_ns");
	for (size_t i = 0; i < shots->rows; i++) {
		const double at = pv_judge_value(shots, i, "time_ns");
		if (at >= start - stop && at <= start + (lasts > stop ? lasts : stop))
			return true;
	}
	return false;
}

/* Finds collections of the highest generation met: the whole heap, unless a nursery. */
static bool read_full(const struct pv_judge *j, struct pv_finding *f, struct full *ret)
{
	*ret = (struct full){ 0 };
	ret->t = pv_judge_table(j, f, &pv_spec_collections, PV_VIEW_COLLECTIONS, "start_ns", 0);
	struct pv_table *shots =
		ret->t ? pv_judge_table(j, f, &pv_spec_heap_shots, PV_VIEW_SHOTS, "index", 0)
		       : NULL;
	ret->is = shots ? calloc(ret->t->rows + 1, 1) : NULL;
	if (!ret->is) {
		pv_table_destroy(shots);
		finish_full(ret);
		pv_finding_skip(f, "out of memory");
		return false;
	}
	pv_model_lock(j->m);
	const bool own = pv_gc_shots_have_their_own(j->m);
	pv_model_unlock(j->m);
	for (size_t i = 0; i < ret->t->rows; i++) {
		unsigned g = (unsigned)pv_judge_value(ret->t, i, "generation");
		if (g > ret->generation)
			ret->generation = g;
	}
	for (size_t i = 0; i < ret->t->rows; i++) {
		bool full = ret->generation > 0 &&
			    (unsigned)pv_judge_value(ret->t, i, "generation") == ret->generation;
		ret->is[i] = full && !(own && is_of_shots(ret->t, i, shots));
		ret->shots += full && !ret->is[i];
		ret->n += ret->is[i];
		ret->others += !full;
		if (ret->is[i])
			ret->pause_ns += pv_judge_value(ret->t, i, "pause_ns");
	}
	pv_table_destroy(shots);
	return true;
}

void pv_judge_full_collections(const struct pv_judge *j, struct pv_finding *f)
{
	enum { FEWEST = 5 };
	struct full c;
	if (!read_full(j, f, &c))
		return;
	const double part = c.n + c.others ? (double)c.n / (double)(c.n + c.others) : 0;
	double score = c.n >= FEWEST ? pv_scale_score(part, 0.10, 0.30, 1) : 0;
	/* Full collections without cost do not matter. */
	const double cost = j->wall_ns > 0 ? c.pause_ns / j->wall_ns : 0;
	const double most = 25 + pv_scale_score(cost, 0.01, 0.05, 0.15);
	char left_out[80] = "";
	if (c.shots)
		snprintf(left_out, sizeof left_out, "; %zu with a heap shot %s left out", c.shots,
			c.shots == 1 ? "is" : "are");
	pv_finding_say(f, score < most ? score : most, "%zu of %zu collections were full ones%s",
		c.n, c.n + c.others, left_out);
	finish_full(&c);
}

void pv_judge_futile_collections(const struct pv_judge *j, struct pv_finding *f)
{
	enum { FEWEST = 3 };
	struct full c;
	if (!read_full(j, f, &c))
		return;
	size_t futile = 0, known = 0;
	double cost = 0;
	for (size_t i = 0; i < c.t->rows; i++) {
		double before = pv_judge_value(c.t, i, "heap_before");
		if (!c.is[i] || before <= 0)
			continue;
		known++;
		if (pv_judge_value(c.t, i, "heap_after") <= 0.9 * before)
			continue;
		futile++;
		cost += pv_judge_value(c.t, i, "pause_ns");
	}
	double score = futile >= FEWEST && 2 * futile > c.n && j->wall_ns > 0
			       ? pv_scale_score(cost / j->wall_ns, 0.02, 0.05, 0.20)
			       : 0;
	if (c.n && !known)
		pv_finding_skip(f, "how large the heap was before collections is not in the log");
	else
		pv_finding_say(f, score,
			"%zu of %zu full collections freed less than a tenth of the heap", futile,
			c.n);
	finish_full(&c);
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/*
 * The median of the slopes between all pairs of points (Theil and Sen), in bytes a second: few
 * outliers do not matter. Of many points, some evenly spread.
 */
static double median_slope(const double *time, const double *bytes, size_t n)
{
	enum { POINTS = 64 };
	double slope[POINTS * (POINTS - 1) / 2];
	size_t k = 0, used = n < POINTS ? n : POINTS;
	for (size_t a = 0; a < used; a++) {
		for (size_t b = a + 1; b < used; b++) {
			size_t x = a * n / used, y = b * n / used;
			if (time[y] > time[x])
				slope[k++] = (bytes[y] - bytes[x]) * 1e9 / (time[y] - time[x]);
		}
	}
	qsort(slope, k, sizeof *slope, by_value);
	return k ? slope[k / 2] : 0;
}

static void say_slope(const struct pv_judge *j, struct pv_finding *f, const double *time,
	const double *bytes, size_t n)
{
	char rate[PV_UNIT_MAX], last[PV_UNIT_MAX];
	const double all = median_slope(time, bytes, n);
	const double recent = median_slope(time + n / 2, bytes + n / 2, n - n / 2);
	const double level = bytes[n / 2];
	/* A heap no longer growing was only filling up. */
	const double slope = recent < all ? recent : all;
	double score = pv_scale_score(level > 0 ? 60 * slope / level : 0, 0.02, 0.10, 0.60);
	const double grown = slope * j->wall_ns / 1e9;
	if (slope <= 0 || grown < 0.15 * level || grown < 1 << 20)
		score = score < 20 ? score : 20;
	if (slope <= 0)
		pv_finding_say(f, 0, "the heap after full collections does not rise");
	else
		pv_finding_say(f, score, "+%s a minute are left after full collections, now %s",
			pv_units_bytes(rate, sizeof rate, (uint64_t)(60 * slope)),
			pv_units_bytes(last, sizeof last, (uint64_t)bytes[n - 1]));
}

void pv_judge_rising_floor(const struct pv_judge *j, struct pv_finding *f)
{
	enum { FEWEST = 10 }; /* the second half has enough to show growth */
	struct full c;
	if (!enough_time(j, f, 10) || !read_full(j, f, &c))
		return;
	double *time = calloc(c.n + 1, 2 * sizeof *time), *bytes = time ? time + c.n + 1 : NULL;
	size_t n = 0;
	for (size_t i = 0; time && i < c.t->rows; i++) {
		double after = pv_judge_value(c.t, i, "heap_after");
		/*
		 * The program allocated during a concurrent collection: the heap after includes
		 * such objects.
		 */
		if (!c.is[i] || after <= 0 || pv_judge_value(c.t, i, "concurrent") > 0)
			continue;
		time[n] = pv_judge_value(c.t, i, "start_ns");
		bytes[n++] = after;
	}
	if (n < FEWEST)
		pv_finding_skip(f, time ? "fewer than 10 full collections that stopped the program"
					: "out of memory");
	else
		say_slope(j, f, time, bytes, n);
	free(time);
	finish_full(&c);
}

/* --- asked for by the program --- */

static const char collect[] = "System.GC:Collect";

/*
 * Whether a name in the log begins so: if not, no such method exists, and the table of methods, a
 * million at times, need not be made.
 */
static bool may_collect(const struct pv_judge *j)
{
	const struct pv_intern *in = &j->m->names.text;
	bool found = false;
	pv_model_lock(j->m);
	for (size_t i = 1; i < in->text.n && !found; i++)
		found = strncmp(in->text.v[i], collect, strlen(collect)) == 0;
	pv_model_unlock(j->m);
	return found;
}

/* The greatest figures of the overloads, as overloads call each other. False: out of memory. */
static bool count_collect(const struct pv_judge *j, double *ret_calls, double *ret_samples)
{
	struct pv_query q = { .groups = j->query->groups,
		.inner = true,
		.waits = true, /* callers wait while another thread collects */
		.filter = collect,
		.filter_way = PV_FILTER_AS_IT_IS };
	struct pv_table *t = pv_spec_table(j->m, &pv_spec_methods, PV_VIEW_METHODS, &q);
	if (!t)
		return false;
	for (size_t i = 0; i < t->rows; i++) {
		const char *name = pv_judge_text(t, i, "name");
		if (strncmp(name, collect, strlen(collect)) != 0)
			continue;
		double n = pv_judge_value(t, i, "calls"),
		       hits = pv_judge_value(t, i, "samples_total");
		*ret_calls = n > *ret_calls ? n : *ret_calls;
		*ret_samples = hits > *ret_samples ? hits : *ret_samples;
	}
	pv_table_destroy(t);
	return true;
}

/* Whether the collection was made for a heap shot, asked for by the profiler. */
static bool is_of_shot(const struct pv_model *m, const struct pv_collection *c)
{
	for (size_t i = 0; i < m->shots.shot.n; i++) {
		const struct pv_shot *s = &m->shots.shot.v[i];
		if (s->start_ns <= pv_sat_add(c->start_ns, c->duration_ns) &&
			(s->end_ns == PV_NEVER || s->end_ns >= c->start_ns))
			return true;
	}
	return false;
}

/*
 * Counts collections that the log says the program asked for. False: the log says nothing of
 * reasons.
 */
static bool count_asked(struct pv_model *m, double *ret)
{
	bool known = false;
	pv_model_lock(m);
	for (size_t i = 0; i < m->gc.collections.n; i++) {
		const struct pv_collection *c = &m->gc.collections.v[i];
		known |= (c->phases & PV_COLLECTION_WHY) != 0;
		bool asked = c->phases & PV_COLLECTION_WHY &&
			     (c->why == PV_WHY_FIRST + 1 || c->why == PV_WHY_FIRST + 7 ||
				     c->why == PV_WHY_FIRST + 10);
		*ret += asked && !is_of_shot(m, c);
	}
	pv_model_unlock(m);
	return known;
}

void pv_judge_explicit_gc(const struct pv_judge *j, struct pv_finding *f)
{
	double calls = 0, samples = 0, asked = 0;
	const bool said = count_asked(j->m, &asked);
	if (!said && !(j->totals.known & (PV_GROUP_CALLS | PV_GROUP_SAMPLES))) {
		char words[PV_FINDING_TEXT];
		pv_finding_skip(f, "who asked for collections is not recorded; %s",
			pv_judge_how(j, "explicit-gc", words, sizeof words));
		return;
	}
	if (may_collect(j) && !count_collect(j, &calls, &samples)) {
		pv_finding_skip(f, "out of memory");
		return;
	}
	const double minutes = j->wall_ns / 60e9;
	const double part = j->sum.samples ? samples / (double)j->sum.samples : 0;
	calls = asked > calls ? asked : calls;
	double score = calls > 0 && minutes > 0 ? pv_scale_score(calls / minutes, 5, 30, 300) : 0;
	const double sampled = pv_scale_score(part, 0.01, 0.05, 0.20);
	score = sampled > score ? sampled : score;
	if (calls < 3 && samples < 3)
		score = score < 24 ? score : 24;
	if (calls > 0)
		pv_finding_say(f, score,
			asked > 0 ? "the program asked for %.0f collection%s"
				  : "the program called GC.Collect %.0f time%s",
			calls, calls == 1 ? "" : "s");
	else if (samples > 0)
		pv_finding_say(f, score, "%.1f %% of samples are within GC.Collect", 100 * part);
	else
		pv_finding_say(f, 0, "GC.Collect was not met");
	if (calls > 0 || samples > 0)
		snprintf(f->subject, sizeof f->subject, "%s", collect);
}
