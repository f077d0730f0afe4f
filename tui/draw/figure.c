/* SPDX-License-Identifier: MIT */
/* Numbers with three significant digits and a unit, for cells of tables. */
#include "tui/draw/figure.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "common/base/text/units.h"

/* A point in the middle: a row of zeros is to be quiet. */
#define ZERO "\u00b7"

struct step {
	double size;
	const char *unit;
};

/* Three significant digits of what is below 999.5. */
static void put_digits(struct ui_figure *f, double v, const char *unit)
{
	const double size = fabs(v);
	const int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
	snprintf(f->digits, sizeof f->digits, "%.*f", decimals, v);
	snprintf(f->unit, sizeof f->unit, "%s", unit);
}

/* Scales `v` to the first step (sorted by size) that gives less than 999.5, else to the last. */
static void put_in_steps(struct ui_figure *f, double v, const struct step *step, size_t n)
{
	size_t i = 0;
	while (i + 1 < n && fabs(v) / step[i].size >= 999.5)
		i++;
	put_digits(f, v / step[i].size, step[i].unit);
}

static struct ui_figure count_figure(double n)
{
	static const struct step steps[] = { { 1e3, "k" }, { 1e6, "M" }, { 1e9, "G" },
		{ 1e12, "T" }, { 1e15, "P" }, { 1e18, "E" } };
	struct ui_figure f = { .unit = "" };
	if (fabs(n) < 1000)
		snprintf(f.digits, sizeof f.digits, "%.0f", n);
	else
		put_in_steps(&f, n, steps, PV_COUNT_OF(steps));
	return f;
}

struct ui_figure ui_figure_count(uint64_t n)
{
	return count_figure((double)n);
}

/* As pv_units_bytes() has them. */
struct ui_figure ui_figure_bytes(uint64_t bytes)
{
	struct ui_figure f = { .unit = "" };
	char text[PV_UNIT_MAX];
	const char *unit = strchr(pv_units_bytes(text, sizeof text, bytes), ' ');
	const int n = unit ? (int)(unit - text) : (int)strlen(text);
	snprintf(f.digits, sizeof f.digits, "%.*s", n, text);
	snprintf(f.unit, sizeof f.unit, "%s", unit ? unit + 1 : "");
	return f;
}

struct ui_figure ui_figure_ns(int64_t ns)
{
	static const struct step steps[] = { { 1e3, "us" }, { 1e6, "ms" }, { 1e9, "s" },
		{ 60e9, "min" }, { 3600e9, "h" }, { 86400e9, "d" } };
	struct ui_figure f = { .unit = "ns" };
	if (ns > -1000 && ns < 1000)
		snprintf(f.digits, sizeof f.digits, "%" PRId64, ns);
	else
		put_in_steps(&f, (double)ns, steps, PV_COUNT_OF(steps));
	return f;
}

/* --- cells --- */

static struct ui_figure percent_figure(double v, bool differs)
{
	struct ui_figure f = { .unit = "" };
	const double size = fabs(v);
	if (!isfinite(v))
		snprintf(f.digits, sizeof f.digits, "-");
	else if (size < 0.05)
		snprintf(f.digits, sizeof f.digits, "%s", differs ? "0.0" : "<0.1");
	else
		snprintf(f.digits, sizeof f.digits, "%.*f", size < 99.95, v);
	return f;
}

static struct ui_figure number_figure(const struct pv_cell *cell)
{
	enum pv_unit unit;
	struct ui_figure f = { .unit = "" };
	const double v = pv_scaled((enum pv_scale)cell->scale, cell->d, &unit);
	if (unit == PV_UNIT_NS && fabs(v) < 9e18)
		return ui_figure_ns((int64_t)v);
	if (unit == PV_UNIT_BYTES && v >= 0 && v < 9e18)
		return ui_figure_bytes((uint64_t)v);
	pv_cell_text(cell, PV_UNIT_NUMBER, f.digits, sizeof f.digits);
	return f;
}

/* A difference gets a sign. */
static struct ui_figure signed_figure(struct ui_figure f, bool less)
{
	struct ui_figure to = f;
	snprintf(to.digits, sizeof to.digits, "%s%.*s", less ? "-" : "+", (int)sizeof to.digits - 2,
		f.digits);
	return to;
}

static bool is_zero(const struct pv_cell *cell, enum pv_unit unit)
{
	if (unit == PV_UNIT_PERCENT)
		return fabs(cell->d) <= 0; /* not of NAN */
	return cell->u == 0;
}

static bool is_amount(enum pv_unit unit)
{
	return unit == PV_UNIT_COUNT || unit == PV_UNIT_BYTES || unit == PV_UNIT_NS ||
	       unit == PV_UNIT_PERCENT || unit == PV_UNIT_DELTA_COUNT ||
	       unit == PV_UNIT_DELTA_BYTES;
}

/* The figure of the amount; for a difference without the sign. */
static struct ui_figure size_of(const struct pv_cell *cell, enum pv_unit unit, bool differs)
{
	switch (unit) {
	case PV_UNIT_COUNT:
		return count_figure(differs ? fabs((double)cell->i) : (double)cell->u);
	case PV_UNIT_BYTES:
		return ui_figure_bytes(
			differs && cell->i < 0 ? 0 - (uint64_t)cell->i : (uint64_t)cell->u);
	case PV_UNIT_NS:
		return ui_figure_ns(
			differs && cell->i < 0 && cell->i > INT64_MIN ? -cell->i : cell->i);
	case PV_UNIT_DELTA_COUNT:
		return count_figure(fabs((double)cell->i));
	case PV_UNIT_DELTA_BYTES:
		return ui_figure_bytes(cell->i < 0 ? 0 - (uint64_t)cell->i : (uint64_t)cell->i);
	default:
		return percent_figure(differs ? fabs(cell->d) : cell->d, differs);
	}
}

static bool is_less(const struct pv_cell *cell, enum pv_unit unit)
{
	return unit == PV_UNIT_PERCENT ? cell->d < 0 : cell->i < 0;
}

static bool is_difference(enum pv_unit unit, unsigned flags)
{
	return unit == PV_UNIT_DELTA_COUNT || unit == PV_UNIT_DELTA_BYTES ||
	       (flags & PV_COLUMN_SIGNED && is_amount(unit));
}

struct ui_figure ui_figure_of(const struct pv_cell *cell, enum pv_unit unit, unsigned flags)
{
	struct ui_figure f = { .unit = "" };
	const bool differs = is_difference(unit, flags);
	if (cell->state == PV_CELL_VALUE && unit == PV_UNIT_NUMBER) {
		f = number_figure(cell);
		return flags & PV_COLUMN_SIGNED && cell->d > 0 ? signed_figure(f, false) : f;
	}
	if (cell->state != PV_CELL_VALUE || !is_amount(unit)) {
		char text[UI_DIGITS_MAX];
		snprintf(f.digits, sizeof f.digits, "%s",
			pv_cell_text(cell, unit, text, sizeof text));
		return f;
	}
	if (is_zero(cell, unit)) {
		snprintf(f.digits, sizeof f.digits, ZERO);
		return f;
	}
	f = size_of(cell, unit, differs);
	return differs ? signed_figure(f, is_less(cell, unit)) : f;
}

bool ui_figure_is_amount(const struct ui_figure *f)
{
	return f->digits[strcspn(f->digits, "123456789")] != 0;
}

struct ui_figure_cells ui_figure_cells(enum pv_unit unit, unsigned flags)
{
	const int sign = is_difference(unit, flags);
	switch (unit) {
	case PV_UNIT_COUNT:
	case PV_UNIT_DELTA_COUNT:
	case PV_UNIT_BYTES:
	case PV_UNIT_DELTA_BYTES:
	case PV_UNIT_NS:
		return (struct ui_figure_cells){ UI_DIGITS + sign, UI_UNIT };
	case PV_UNIT_PERCENT:
		return (struct ui_figure_cells){ sign ? 0 : UI_DIGITS, 0 };
	case PV_UNIT_NUMBER:
		return (struct ui_figure_cells){ 0, UI_UNIT };
	default:
		return (struct ui_figure_cells){ 0, 0 };
	}
}

const char *ui_figure_text(const struct ui_figure *f, int unit, char *buf, size_t size)
{
	snprintf(buf, size, "%*s %-*s", UI_DIGITS, f->digits, unit, f->unit);
	return buf;
}
