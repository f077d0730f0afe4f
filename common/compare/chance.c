/* SPDX-License-Identifier: MIT */
/* Tests of significance: normal, by ranks, and for many rows at once. */
#include "common/compare/chance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FALSE_ALARMS = 0.05;

static int ascending(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;
	return (a > b) - (a < b);
}

double pv_noise_p(double change, double sd)
{
	return sd > 0 ? erfc(fabs(change) / sd / sqrt(2)) : 1;
}

enum { EXACT = 12 };

/* The share of arrangements of n and m figures with at most `u` pairs in the wrong order. */
static double exact_p(size_t n, size_t m, size_t u)
{
	/* ways[i][k]: to choose i of the ranks so far with offsets of sum k */
	double ways[EXACT + 1][EXACT * EXACT + 1];
	size_t most = n * m;
	memset(ways, 0, sizeof ways);
	ways[0][0] = 1;
	for (size_t rank = 1; rank <= n + m; rank++)
		for (size_t i = rank < n ? rank : n; i >= 1; i--)
			for (size_t k = most + 1; k-- > 0;)
				if (rank - i <= k && rank >= i && rank - i <= m)
					ways[i][k] += ways[i - 1][k - (rank - i)];
	double all = 0, less = 0;
	for (size_t k = 0; k <= most; k++) {
		all += ways[n][k];
		less += k <= u ? ways[n][k] : 0;
	}
	return all > 0 ? less / all : 1;
}

double pv_noise_ranks(double *a, size_t n, double *b, size_t m)
{
	double u = 0;
	bool ties = false;
	qsort(a, n, sizeof *a, ascending);
	qsort(b, m, sizeof *b, ascending);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < m; k++) {
			u += a[i] > b[k] ? 1 : a[i] < b[k] ? 0 : 0.5;
			ties = ties || !(a[i] > b[k] || a[i] < b[k]);
		}
	}
	double pairs = (double)n * (double)m, least = u < pairs - u ? u : pairs - u;
	if (!ties && n <= EXACT && m <= EXACT)
		return fmin(1, 2 * exact_p(n, m, (size_t)least));
	double sd = sqrt(pairs * (double)(n + m + 1) / 12), away = pairs / 2 - least - 0.5;
	return away > 0 ? pv_noise_p(away, sd) : 1;
}

double pv_noise_limit(double *p, size_t n)
{
	double limit = 0;
	qsort(p, n, sizeof *p, ascending);
	for (size_t i = 0; i < n; i++)
		if (p[i] <= FALSE_ALARMS * (double)(i + 1) / (double)n)
			limit = p[i];
	return limit;
}

double pv_noise_median(double *v, size_t n)
{
	qsort(v, n, sizeof *v, ascending);
	return n == 0 ? 1 : n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}
