/* SPDX-License-Identifier: MIT */
/* A counter's readings as numbers, and their unit. */
#include "common/query/counter_value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/status.h"
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

/* Units as programs name them: in UCUM, required by OpenTelemetry, and in EventCounters. */
static enum pv_scale named_scale(const char *unit)
{
	static const struct {
		const char *unit;
		enum pv_scale scale;
	} known[] = { { "By", PV_SCALE_BYTES }, { "B", PV_SCALE_BYTES },
		{ "bytes", PV_SCALE_BYTES }, { "MB", PV_SCALE_MB }, { "s", PV_SCALE_S },
		{ "ms", PV_SCALE_MS }, { "us", PV_SCALE_US }, { "%", PV_SCALE_PERCENT } };
	for (size_t i = 0; i < PV_COUNT_OF(known); i++)
		if (strcmp(known[i].unit, unit) == 0)
			return known[i].scale;
	return PV_SCALE_NONE;
}

enum pv_scale pv_counter_scale(const struct pv_model *m, const struct pv_counter *k)
{
	if (k->unit_name)
		return named_scale(pv_intern_text(&m->names.text, k->unit_name));
	if (k->type == PV_COUNTER_TIME_INTERVAL)
		return PV_SCALE_US; /* whatever unit is stated */
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
