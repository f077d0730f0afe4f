#include "common/query/counter_value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/model/names/names.h"

static bool is_unsigned(const struct pv_counter *k)
{
	return k->type == PV_COUNTER_UINT || k->type == PV_COUNTER_ULONG;
}

double pv_counter_number(const struct pv_counter *k, const struct pv_counter_sample *s)
{
	if (k->type == PV_COUNTER_STRING)
		return NAN;
	if (k->type == PV_COUNTER_DOUBLE)
		return s->d;
	return is_unsigned(k) ? (double)s->u : (double)s->i;
}

enum pv_scale pv_counter_scale(const struct pv_counter *k)
{
	if (k->type == PV_COUNTER_TIME_INTERVAL)
		return PV_SCALE_US; /* whatever its unit says */
	switch (k->unit) {
	case 1 << 24:
		return PV_SCALE_BYTES;
	case 2 << 24:
		return PV_SCALE_100NS;
	case 4 << 24:
		return PV_SCALE_PERCENT;
	default:
		return PV_SCALE_NONE;
	}
}

bool pv_counter_exact(
	const struct pv_counter *k, const struct pv_counter_sample *s, char *buf, size_t size)
{
	if (k->type == PV_COUNTER_STRING)
		return false;
	if (k->type != PV_COUNTER_DOUBLE) {
		snprintf(buf, size, is_unsigned(k) ? "%" PRIu64 : "%" PRId64, s->u);
		return true;
	}
	if (!isfinite(s->d))
		return false;
	if (s->d == floor(s->d) && fabs(s->d) < 1e18) {
		snprintf(buf, size, "%.0f", s->d);
		return true;
	}
	snprintf(buf, size, "%.15g", s->d);
	if (strtod(buf, NULL) != s->d)
		snprintf(buf, size, "%.17g", s->d);
	return true;
}
