/* SPDX-License-Identifier: MIT */
/* Judges changes: from figures to verdicts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/compare/diff_parts.h"
#include "common/compare/chance.h"

/*
 * Least change, as a part of the figure and as a part of all. Times depend on the machine's state;
 * counts do not.
 */
struct threshold {
	double relative, of_all;
};
static const struct threshold timed = { 0.10, 0.01 }, counted = { 0.01, 0.005 };

enum {
	FEW_RUNS = 4,     /* from so many on each side, runs are tested statistically */
	FEW_SAMPLES = 10, /* of both sides together; with fewer there is no verdict */
	SURE_SAMPLES = 30,
	DRIFT_ROWS = 5,  /* rows needed to separate a common change from single changes */
	LOST_PERCENT = 1 /* of events; beyond, losses may be the difference */
};

struct sums {                           /* of a row, by side */
	double raw[PV_DIFF_SIDES];      /* of all logs, as recorded */
	double variance[PV_DIFF_SIDES]; /* of the mean, by sampling */
	double noise[PV_DIFF_SIDES];    /* samples of allocations / 3.84 */
	double bytes[PV_DIFF_SIDES];    /* of allocations, as recorded */
	double calls[PV_DIFF_SIDES];
};

struct judging {
	struct pv_diff *d;
	const struct pv_diff_measure *m;
	struct pv_diff_judged *ret;
	size_t logs[PV_DIFF_SIDES], rows;
	double *value[PV_DIFF_SIDES];  /* row * logs + log, divided */
	double *factor[PV_DIFF_SIDES]; /* by log */
	double *all[PV_DIFF_SIDES];    /* recorded total of each log */
	struct sums *sums;
	double excess;               /* variation of most rows beyond chance: 1, or more */
	double total[PV_DIFF_SIDES]; /* divided, mean of the logs */
};

static struct threshold threshold_of(const struct judging *j)
{
	return j->m->kind == PV_DIFF_SAMPLED || j->m->kind == PV_DIFF_TIMED ? timed : counted;
}

/* --- comparable or not --- */

static unsigned bit_of(const struct pv_diff_measure *m)
{
	return 1u << (m - pv_diff_measures);
}

static const char *const side_name[] = { "the base", "the new log" };

static bool say_why(struct judging *j, const char *what, enum pv_diff_side side)
{
	j->ret->why = pv_arena_printf(&j->d->arena, "%s %s", what, side_name[side]);
	return j->ret->why != NULL;
}

static bool loses(const struct pv_diff_log *l)
{
	return l->damaged || (double)l->lost * 100 > (double)(l->lost + l->events) * LOST_PERCENT;
}

static bool find_why(struct judging *j)
{
	bool wall[PV_DIFF_SIDES] = { false }, absent[PV_DIFF_SIDES] = { false };
	for (unsigned s = 0; s < PV_DIFF_SIDES; s++) {
		for (size_t i = 0; i < j->logs[s]; i++) {
			const struct pv_diff_log *l = &j->d->log[s].v[i];
			absent[s] = absent[s] || l->absent & bit_of(j->m);
			wall[s] = wall[s] || l->wall;
			if (loses(l) && j->ret->per != PV_PER_SHARE &&
				!say_why(j, "events are missing in", s))
				return false;
		}
		j->ret->recorded = j->ret->recorded || !absent[s];
	}
	if (j->m->kind == PV_DIFF_SAMPLED && wall[0] != wall[1]) {
		j->ret->why = "one side was sampled in wall time, the other in processor time";
		return true;
	}
	if (absent[PV_DIFF_BASE] || absent[PV_DIFF_NEW])
		return say_why(
			j, "not recorded in", absent[PV_DIFF_BASE] ? PV_DIFF_BASE : PV_DIFF_NEW);
	return true;
}

/* --- figures --- */

static uint32_t joined_row(const struct judging *j, uint32_t row)
{
	uint32_t as = j->d->rows[j->m->list].name.v[row].same_as;
	return as ? as - 1 : row;
}

static double factor_of(const struct judging *j, enum pv_diff_side s, size_t log)
{
	const struct pv_diff_log *l = &j->d->log[s].v[log], *first = &j->d->log[PV_DIFF_BASE].v[0];
	double scale = j->m->kind == PV_DIFF_SAMPLED && l->period_ns && first->period_ns
			       ? (double)l->period_ns / (double)first->period_ns
			       : 1;
	switch (j->ret->per) {
	case PV_PER_SHARE:
		return j->all[s][log] > 0 ? 100 / j->all[s][log] : 0;
	case PV_PER_SECOND:
		return scale * 1e9 / (double)l->duration_ns;
	case PV_PER_SAMPLE:
		return scale / (double)l->samples;
	case PV_PER_CALL:
	case PV_PER_COUNTER:
		return scale / l->units;
	default:
		return scale;
	}
}

/* Inclusive figures are parts of the sum of the measure without callees. */
static unsigned value_of_all(const struct pv_diff_measure *m)
{
	if (m->list != PV_DIFF_METHODS)
		return m->value;
	return m->value == 1 ? 0 : m->value == 3 ? 2 : m->value;
}

static bool is_of_allocations(const struct pv_diff_measure *m)
{
	return m->list == PV_DIFF_CLASSES || m->list == PV_DIFF_SITES;
}

static bool gather_values(struct judging *j)
{
	const struct pv_diff_rows *r = &j->d->rows[j->m->list];
	j->rows = r->name.n;
	j->sums = calloc(j->rows + 1, sizeof *j->sums);
	for (unsigned s = 0; s < PV_DIFF_SIDES; s++) {
		j->value[s] = calloc(j->rows * j->logs[s] + 1, sizeof *j->value[s]);
		j->factor[s] = calloc(j->logs[s] + 1, sizeof *j->factor[s]);
		j->all[s] = calloc(j->logs[s] + 1, sizeof *j->all[s]);
		if (!j->value[s] || !j->factor[s] || !j->all[s] || !j->sums)
			return false;
	}
	unsigned whole = value_of_all(j->m);
	for (size_t i = 0; i < r->entry.n; i++)
		j->all[r->entry.v[i].side][r->entry.v[i].log] += r->entry.v[i].value[whole];
	for (unsigned s = 0; s < PV_DIFF_SIDES; s++) {
		for (size_t i = 0; i < j->logs[s]; i++) {
			j->factor[s][i] = factor_of(j, s, i);
			j->total[s] += j->all[s][i] * j->factor[s][i] / (double)j->logs[s];
		}
	}
	for (size_t i = 0; i < r->entry.n; i++) {
		const struct pv_diff_entry *e = &r->entry.v[i];
		uint32_t row = joined_row(j, e->row);
		double v = e->value[j->m->value], f = j->factor[e->side][e->log],
		       n = (double)j->logs[e->side], all = j->all[e->side][e->log];
		struct sums *sum = &j->sums[row];
		j->value[e->side][row * j->logs[e->side] + e->log] += v * f;
		sum->raw[e->side] += v;
		sum->calls[e->side] += j->m->list == PV_DIFF_METHODS ? e->value[4] : 0;
		sum->bytes[e->side] += is_of_allocations(j->m) ? e->value[0] : 0;
		if (j->m->kind == PV_DIFF_SAMPLED) {
			double p = j->ret->per == PV_PER_SHARE && all > v ? 1 - v / all : 1;
			double w = j->d->log[e->side].v[e->log].sample_weight;
			sum->variance[e->side] += f * f * v * w * p / n / n;
		} else if (e->error > 0 && e->value[0] > 0) {
			double sd = e->error / 1.96 * v / e->value[0];
			sum->variance[e->side] += f * f * sd * sd / n / n;
			sum->noise[e->side] += e->value[0] * e->value[0] / e->error / e->error;
		}
	}
	return true;
}

/*
 * With the same work on both sides a phase is part of the work, and no row's samples count for less
 * by the row's own phases. But a sampler in step with the program makes lumps in most rows: the
 * median of all rows holds for each.
 */
static double common_effect(const struct judging *j, double *effect)
{
	size_t n = 0;
	for (size_t row = 0; row < j->rows; row++)
		if (j->sums[row].raw[0] >= SURE_SAMPLES && j->sums[row].raw[1] >= SURE_SAMPLES)
			effect[n++] = effect[row];
	return n >= DRIFT_ROWS ? pv_noise_median(effect, n) : 1;
}

/* Samples of methods themselves count for less if they come in lumps. */
static bool weigh_lumps(struct judging *j)
{
	const struct pv_diff_measure *m = j->m;
	if (m->kind != PV_DIFF_SAMPLED || m->value != 0)
		return true;
	bool same_work = j->ret->per == PV_PER_NONE;
	double *effect = pv_diff_design_effects(j->d);
	double common = effect && same_work ? common_effect(j, effect) : 1;
	for (size_t row = 0; effect && row < j->rows; row++) {
		double by = same_work ? common : effect[row];
		j->sums[row].variance[0] *= by;
		j->sums[row].variance[1] *= by;
	}
	bool ok = effect != NULL;
	free(effect);
	return ok;
}

static double mean(const double *v, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return n ? sum / (double)n : 0;
}

static double variance_of_mean(const double *v, size_t n)
{
	double m = mean(v, n), sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += (v[i] - m) * (v[i] - m);
	return n > 1 ? sum / (double)(n - 1) / (double)n : 0;
}

static bool overlap(const double *a, size_t n, const double *b, size_t m)
{
	double low = INFINITY, high = -INFINITY, from = INFINITY, to = -INFINITY;
	for (size_t i = 0; i < n; i++) {
		low = fmin(low, a[i]);
		high = fmax(high, a[i]);
	}
	for (size_t i = 0; i < m; i++) {
		from = fmin(from, b[i]);
		to = fmax(to, b[i]);
	}
	return low <= to && from <= high;
}

/*
 * A class without a sample may have been allocated all the same. `ret_expected`: the samples that a
 * side without any would have, if it allocated what the other side did; as many are the variance of
 * the difference. 0: no such side, or all of its allocations are in the logs.
 */
static double variance_unseen(const struct judging *j, size_t row, double *ret_expected)
{
	const struct sums *s = &j->sums[row];
	enum pv_diff_side none = s->raw[0] > 0 ? PV_DIFF_NEW : PV_DIFF_BASE, other = !none;
	double value = mean(j->value[other] + row * j->logs[other], j->logs[other]), relative = 0;
	double n = (double)j->logs[none], logs = (double)j->logs[other];
	*ret_expected = 0;
	if (s->raw[none] > 0 || s->bytes[other] <= 0 || j->factor[other][0] <= 0)
		return 0;
	for (size_t i = 0; i < j->logs[none]; i++) {
		double by = j->factor[none][i] / j->factor[other][0];
		double period = (double)j->d->log[none].v[i].alloc_period;
		double one = by * period * logs / s->bytes[other];
		relative += one / n / n;
		*ret_expected += one > 0 ? 1 / one : 0;
	}
	return value * value * relative;
}

/* --- verdicts --- */

static bool is_tested(const struct judging *j)
{
	return j->logs[0] >= FEW_RUNS && j->logs[1] >= FEW_RUNS;
}

/* Whether there are too few samples for a verdict. */
static bool too_few(const struct judging *j, const struct sums *s)
{
	if (j->m->kind == PV_DIFF_SAMPLED)
		return s->raw[0] + s->raw[1] < FEW_SAMPLES;
	double sampled = 3.84 * (s->noise[0] + s->noise[1]), expected;
	if (sampled <= 0) {
		variance_unseen(j, (size_t)(s - j->sums), &expected);
		sampled = expected;
	}
	return sampled > 0 && sampled < FEW_SAMPLES;
}

static void measure_row(const struct judging *j, size_t row, struct pv_diff_change *c)
{
	double *a = j->value[0] + row * j->logs[0], *b = j->value[1] + row * j->logs[1];
	const struct sums *s = &j->sums[row];
	double expected, unseen = variance_unseen(j, row, &expected);
	double variance = fmax(s->variance[0] + s->variance[1], unseen);
	c->row = (uint32_t)row;
	c->base = mean(a, j->logs[0]);
	c->now = mean(b, j->logs[1]);
	c->change = c->now - c->base;
	c->p = c->interval = -1;
	if (is_tested(j)) {
		variance = variance_of_mean(a, j->logs[0]) + variance_of_mean(b, j->logs[1]);
		variance = fmax(variance, unseen);
		c->p = pv_noise_ranks(a, j->logs[0], b, j->logs[1]);
		if (unseen > 0)
			c->p = fmax(c->p, pv_noise_p(c->change, sqrt(unseen)));
		c->interval = 1.96 * sqrt(variance);
	} else if (variance > 0) {
		c->p = pv_noise_p(c->change, sqrt(variance));
		c->interval = 1.96 * sqrt(variance);
	}
}

static bool matters(const struct judging *j, double base, double now)
{
	struct threshold t = threshold_of(j);
	double change = fabs(now - base), all = fmax(j->total[0], j->total[1]);
	return change > 0 && change >= t.relative * fmax(base, now) && change >= t.of_all * all;
}

/* Changes within the cost of the probe's calls are no changes of the program. */
static double probe_cost(const struct judging *j, size_t row)
{
	enum { USUAL_PAIR_NS = 20 };
	const struct pv_diff_log *l = &j->d->log[PV_DIFF_NEW].v[0];
	const struct sums *s = &j->sums[row];
	if (j->m->kind != PV_DIFF_TIMED || j->ret->per == PV_PER_SHARE)
		return 0;
	return fmax(s->calls[0] / (double)j->logs[0] * j->factor[0][0],
		       s->calls[1] / (double)j->logs[1] * j->factor[1][0]) *
	       (double)(l->pair_ns ? l->pair_ns : USUAL_PAIR_NS);
}

static enum pv_diff_verdict verdict_of(
	const struct judging *j, const struct pv_diff_change *c, double p_limit)
{
	const double *a = j->value[0] + c->row * j->logs[0], *b = j->value[1] + c->row * j->logs[1];
	double usual = c->base * j->ret->drift, cost = probe_cost(j, c->row);
	if (fabs(c->change) <= 0)
		return PV_DIFF_SAME;
	if (too_few(j, &j->sums[c->row]) || (c->p >= 0 && c->p > p_limit) || fabs(c->change) < cost)
		return PV_DIFF_NOISE;
	if (!is_tested(j) && j->logs[0] + j->logs[1] > 2 && overlap(a, j->logs[0], b, j->logs[1]))
		return PV_DIFF_NOISE;
	if (!matters(j, c->base, c->now))
		return PV_DIFF_SAME;
	bool other_way = (c->now > usual) != (c->change > 0);
	if (other_way || !matters(j, usual, c->now) || fabs(c->now - usual) < c->interval)
		return PV_DIFF_NOISE;
	return c->base <= 0       ? PV_DIFF_ADDED
	       : c->now <= 0      ? PV_DIFF_GONE
	       : c->now > c->base ? PV_DIFF_MORE
				  : PV_DIFF_LESS;
}

/*
 * A slower machine makes all times longer: the median change of single rows is shown with the
 * totals, and does not count as a change of a row.
 */
static bool find_drift(struct judging *j)
{
	bool times = j->m->kind == PV_DIFF_SAMPLED || j->m->kind == PV_DIFF_TIMED;
	double *ratio = calloc(j->ret->change.n + 1, sizeof *ratio);
	size_t n = 0;
	if (!ratio)
		return false;
	for (size_t i = 0; i < j->ret->change.n; i++) {
		const struct pv_diff_change *c = &j->ret->change.v[i];
		const struct sums *s = &j->sums[c->row];
		bool sure = j->m->kind == PV_DIFF_SAMPLED
				    ? s->raw[0] >= SURE_SAMPLES && s->raw[1] >= SURE_SAMPLES
				    : c->base > timed.of_all * j->total[0] && c->now > 0;
		if (sure)
			ratio[n++] = c->now / c->base;
	}
	j->ret->drift = times && j->ret->per != PV_PER_SHARE && n >= DRIFT_ROWS
				? pv_noise_median(ratio, n)
				: 1;
	free(ratio);
	return true;
}

/*
 * A sampler in step with the program varies more than by chance. The factor is the median of all
 * rows' squared differences, which few real changes do not move. Median of the squares of a normal
 * variable: 0.455.
 */
static bool find_excess(struct judging *j)
{
	const double usual = 0.455;
	double *square = calloc(j->ret->change.n + 1, sizeof *square), drift = j->ret->drift;
	size_t n = 0;
	j->excess = 1;
	if (!square)
		return false;
	for (size_t i = 0; i < j->ret->change.n && j->m->kind == PV_DIFF_SAMPLED; i++) {
		const struct pv_diff_change *c = &j->ret->change.v[i];
		const struct sums *s = &j->sums[c->row];
		double off = c->now - drift * c->base,
		       variance = s->variance[1] + drift * drift * s->variance[0];
		if (s->raw[0] + s->raw[1] >= SURE_SAMPLES && variance > 0)
			square[n++] = off * off / variance;
	}
	if (n >= DRIFT_ROWS)
		j->excess = fmax(1, pv_noise_median(square, n) / usual);
	free(square);
	return true;
}

static void widen_interval(const struct judging *j, struct pv_diff_change *c)
{
	if (is_tested(j) || c->interval <= 0)
		return;
	c->interval *= sqrt(j->excess);
	c->p = pv_noise_p(c->change, c->interval / 1.96);
}

static bool judge_rows(struct judging *j)
{
	double *p = calloc(j->rows + 1, sizeof *p);
	size_t tested = 0;
	bool ok = p != NULL;
	for (size_t row = 0; ok && row < j->rows; row++) {
		struct pv_diff_change c = { 0 };
		if (j->d->rows[j->m->list].name.v[row].same_as)
			continue;
		measure_row(j, row, &c);
		if (c.base <= 0 && c.now <= 0)
			continue;
		ok = pv_reserve(&j->ret->change, 1);
		if (ok)
			j->ret->change.v[j->ret->change.n++] = c;
	}
	ok = ok && find_drift(j) && find_excess(j);
	for (size_t i = 0; ok && i < j->ret->change.n; i++) {
		struct pv_diff_change *c = &j->ret->change.v[i];
		widen_interval(j, c);
		if (c->p >= 0 && !too_few(j, &j->sums[c->row]))
			p[tested++] = c->p;
	}
	double limit = ok ? pv_noise_limit(p, tested) : 0;
	for (size_t i = 0; ok && i < j->ret->change.n; i++) {
		struct pv_diff_change *c = &j->ret->change.v[i];
		c->verdict = j->ret->why ? PV_DIFF_INCOMPARABLE : verdict_of(j, c, limit);
		j->ret->verdicts[c->verdict]++;
	}
	free(p);
	return ok;
}

/* Samples are counts: the variance of their mean over the logs. */
static double variance_of_all(const struct judging *j, unsigned side, bool share)
{
	double sum = 0, n = (double)j->logs[side];
	for (size_t i = 0; i < j->logs[side]; i++) {
		double f = share ? 1 : j->factor[side][i];
		sum += f * f * j->all[side][i] / n / n;
	}
	return sum;
}

/* The total of all rows; shares are of the total, so the total stays as recorded. */
static void judge_total(struct judging *j)
{
	struct pv_diff_change *c = &j->ret->total;
	double variance = 0;
	bool share = j->ret->per == PV_PER_SHARE;
	for (unsigned s = 0; s < PV_DIFF_SIDES; s++)
		j->total[s] = share ? mean(j->all[s], j->logs[s]) : j->total[s];
	for (size_t row = 0; j->m->kind != PV_DIFF_SAMPLED && !share && row < j->rows; row++)
		variance += j->sums[row].variance[0] + j->sums[row].variance[1];
	for (unsigned s = 0; j->m->kind == PV_DIFF_SAMPLED && s < PV_DIFF_SIDES; s++)
		variance += variance_of_all(j, s, share);
	c->base = j->total[0];
	c->now = j->total[1];
	c->change = c->now - c->base;
	c->interval = variance > 0 ? 1.96 * sqrt(variance) : -1;
	c->p = -1;
	c->verdict = j->ret->why                     ? PV_DIFF_INCOMPARABLE
		     : fabs(c->change) <= 0          ? PV_DIFF_SAME
		     : fabs(c->change) < c->interval ? PV_DIFF_NOISE
		     : !matters(j, c->base, c->now)  ? PV_DIFF_SAME
		     : c->base <= 0                  ? PV_DIFF_ADDED
		     : c->now <= 0                   ? PV_DIFF_GONE
		     : c->change > 0                 ? PV_DIFF_MORE
						     : PV_DIFF_LESS;
}

static enum pv_diff_per per_of(const struct pv_diff *d, const struct pv_diff_measure *m)
{
	enum pv_diff_per per = d->options->per;
	if (per == PV_PER_USUAL)
		return m->kind == PV_DIFF_SAMPLED ? PV_PER_SHARE : PV_PER_NONE;
	return m->kind == PV_DIFF_LEVEL && per != PV_PER_SHARE ? PV_PER_NONE : per;
}

bool pv_diff_judge(struct pv_diff *d, const struct pv_diff_measure *m, struct pv_diff_judged *ret)
{
	*ret = (struct pv_diff_judged){ .measure = m, .per = per_of(d, m), .drift = 1 };
	struct judging j = { .d = d, .m = m, .ret = ret };
	for (unsigned s = 0; s < PV_DIFF_SIDES; s++)
		j.logs[s] = d->log[s].n;
	bool ok = find_why(&j) && gather_values(&j) && weigh_lumps(&j) && judge_rows(&j);
	if (ok)
		judge_total(&j);
	for (unsigned s = 0; s < PV_DIFF_SIDES; s++) {
		free(j.value[s]);
		free(j.factor[s]);
		free(j.all[s]);
	}
	free(j.sums);
	return ok;
}

void pv_diff_judged_clear(struct pv_diff_judged *j)
{
	pv_array_finish(&j->change);
}
