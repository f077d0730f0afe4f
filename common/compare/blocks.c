/* SPDX-License-Identifier: MIT */
/*
 * Samples are correlated in time: a phase of five seconds is one event and not five thousand. Each
 * log is divided into blocks of time. Where a method's shares differ from block to block by more
 * than independent samples would, the method's samples count for less by this factor. Not so for
 * phases at the same part of both logs' time, as the differences of blocks show.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/compare/diff_parts.h"
#include "common/query/facts.h"

enum { LEAST_BLOCKS = 5, LEAST_SAMPLES = 10 };

static bool add_block_samples(struct pv_diff *d, enum pv_diff_side side, const char *name,
	unsigned block, uint64_t samples)
{
	uint32_t row;
	if (!pv_diff_row(d, PV_DIFF_METHODS, *name ? name : "(not recorded)", "", &row))
		return false;
	size_t want = ((size_t)row + 1) * PV_DIFF_BLOCKS, have = d->block[side].n;
	if (want > have) {
		if (!pv_reserve(&d->block[side], want - have))
			return false;
		memset(d->block[side].v + have, 0, (want - have) * sizeof *d->block[side].v);
		d->block[side].n = want;
	}
	d->block[side].v[(size_t)row * PV_DIFF_BLOCKS + block] += (uint32_t)samples;
	return true;
}

static bool take_block(struct pv_diff *d, enum pv_diff_side side, struct pv_model *m,
	unsigned block, int64_t from_ns, int64_t to_ns)
{
	const struct pv_query *like = d->query[side];
	struct pv_query q = like ? *like
				 : (struct pv_query){ .waits = d->options->waits,
					   .physical = d->options->physical };
	q.window_ns = 0;
	q.bucketed = true;
	q.from_ns = from_ns;
	q.to_ns = to_ns;
	struct pv_table *t = pv_view_table(m, PV_VIEW_METHODS, &q);
	int name = t ? pv_table_column(t, "name") : -1,
	    samples = t ? pv_table_column(t, "samples_self") : -1;
	bool ok = t != NULL;
	for (size_t i = 0; ok && i < t->rows; i++) {
		const struct pv_cell *c = &t->row[i].cell[samples], *n = &t->row[i].cell[name];
		if (c->state == PV_CELL_VALUE && c->u)
			ok = add_block_samples(
				d, side, n->state == PV_CELL_VALUE ? n->s : "", block, c->u);
	}
	pv_table_destroy(t);
	return ok;
}

bool pv_diff_take_blocks(struct pv_diff *d, enum pv_diff_side side, struct pv_model *m)
{
	struct pv_facts f;
	bool ok = true;
	pv_view_facts(m, &f);
	for (unsigned b = 0; ok && b < PV_DIFF_BLOCKS && f.duration_ns > PV_DIFF_BLOCKS; b++) {
		int64_t width = f.duration_ns / PV_DIFF_BLOCKS, from = width * b,
			to = b + 1 == PV_DIFF_BLOCKS ? f.duration_ns + 1 : from + width;
		ok = take_block(d, side, m, b, from, to);
	}
	return ok;
}

/* --- */

struct blocks {
	double of[PV_DIFF_SIDES][PV_DIFF_BLOCKS];
};

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

/* Within one log: chi square by its degrees of freedom. */
static double within(const double k[PV_DIFF_BLOCKS], const double n[PV_DIFF_BLOCKS])
{
	double sum = 0, all = 0, chi = 0;
	unsigned blocks = 0;
	for (unsigned b = 0; b < PV_DIFF_BLOCKS; b++) {
		sum += k[b];
		all += n[b];
	}
	double p = share(sum, all);
	if (sum < LEAST_SAMPLES || p >= 1)
		return 1;
	for (unsigned b = 0; b < PV_DIFF_BLOCKS; b++) {
		if (!(n[b] > 0))
			continue;
		chi += (k[b] - n[b] * p) * (k[b] - n[b] * p) / (n[b] * p * (1 - p));
		blocks++;
	}
	return blocks >= LEAST_BLOCKS ? chi / (blocks - 1) : 1;
}

/* The same for the differences between the two logs' blocks. */
static double across(const struct blocks *k, const struct blocks *n)
{
	double p[PV_DIFF_SIDES], chi = 0, mean = 0;
	unsigned blocks = 0;
	for (unsigned s = 0; s < PV_DIFF_SIDES; s++) {
		double sum = 0, all = 0;
		for (unsigned b = 0; b < PV_DIFF_BLOCKS; b++) {
			sum += k->of[s][b];
			all += n->of[s][b];
		}
		p[s] = share(sum, all);
	}
	mean = p[1] - p[0];
	for (unsigned b = 0; b < PV_DIFF_BLOCKS; b++) {
		double m0 = n->of[0][b], m1 = n->of[1][b];
		if (!(m0 > 0) || !(m1 > 0))
			continue;
		double off = k->of[1][b] / m1 - k->of[0][b] / m0 - mean,
		       variance = p[0] * (1 - p[0]) / m0 + p[1] * (1 - p[1]) / m1;
		if (!(variance > 0))
			continue;
		chi += off * off / variance;
		blocks++;
	}
	return blocks >= LEAST_BLOCKS ? chi / (blocks - 1) : 1;
}

/* By row, with joined rows. */
static struct blocks *gather_blocks(const struct pv_diff *d, struct blocks *ret_all)
{
	const struct pv_diff_rows *r = &d->rows[PV_DIFF_METHODS];
	struct blocks *of = calloc(r->name.n + 1, sizeof *of);
	*ret_all = (struct blocks){ .of = { { 0 } } };
	for (unsigned s = 0; of && s < PV_DIFF_SIDES; s++) {
		for (size_t i = 0; i < d->block[s].n; i++) {
			size_t row = i / PV_DIFF_BLOCKS, b = i % PV_DIFF_BLOCKS;
			uint32_t as = r->name.v[row].same_as;
			of[as ? as - 1 : row].of[s][b] += d->block[s].v[i];
			ret_all->of[s][b] += d->block[s].v[i];
		}
	}
	return of;
}

/* The variance of weighed samples includes their weight already. */
static double largest_weight(const struct pv_diff *d)
{
	double weight = 1;
	for (unsigned s = 0; s < PV_DIFF_SIDES; s++)
		for (size_t i = 0; i < d->log[s].n; i++)
			weight = fmax(weight, d->log[s].v[i].sample_weight);
	return weight;
}

double *pv_diff_design_effects(const struct pv_diff *d)
{
	const double weight = largest_weight(d);
	size_t n = d->rows[PV_DIFF_METHODS].name.n;
	struct blocks all;
	double *ret = calloc(n + 1, sizeof *ret);
	struct blocks *of = ret ? gather_blocks(d, &all) : NULL;
	for (size_t row = 0; of && row < n; row++) {
		double own =
			fmax(within(of[row].of[0], all.of[0]), within(of[row].of[1], all.of[1]));
		ret[row] = fmax(1, fmin(own, across(&of[row], &all)) / weight);
	}
	if (!of) {
		free(ret);
		return NULL;
	}
	free(of);
	return ret;
}
