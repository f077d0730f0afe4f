/* SPDX-License-Identifier: MIT */
/* Cells of a table as text. */
#include "common/query/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/units.h"
#include "common/query/groups/groups_shared.h"

void pv_table_destroy(struct pv_table *t)
{
	if (!t)
		return;
	pv_arena_finish(&t->arena);
	pv_array_finish(&t->shown);
	for (size_t i = 0; i < PV_TABLE_HELD; i++)
		pv_groups_shared_give_back(t->held[i]);
	free(t->row);
	free(t);
}

int pv_table_column(const struct pv_table *t, const char *id)
{
	for (size_t i = 0; id && i < t->columns; i++)
		if (strcmp(t->column[i].id, id) == 0)
			return (int)i;
	return -1;
}

static const char *signed_text(char *buf, size_t size, int64_t v, enum pv_unit unit)
{
	char digits[PV_UNIT_MAX];
	uint64_t magnitude = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	if (unit == PV_UNIT_DELTA_BYTES)
		pv_units_bytes(digits, sizeof digits, magnitude);
	else
		pv_units_count(digits, sizeof digits, magnitude);
	snprintf(buf, size, "%s%s", v < 0 ? "-" : v > 0 ? "+" : "", digits);
	return buf;
}

/* Frames on one line, outermost first; the innermost stay when there is no room for all. */
static const char *list_text(char *buf, size_t size, const char *list)
{
	static const char between[] = " > ", cut[] = "... > ";
	size_t need = 1;
	for (const char *p = list; *p; p++)
		need += *p == '\n' ? sizeof between - 1 : 1;
	const char *from = list;
	size_t lead = 0;
	while (need + lead > size) {
		const char *next = strchr(from, '\n');
		if (!next)
			break;
		need -= (size_t)(next - from) + sizeof between - 1;
		from = next + 1;
		lead = sizeof cut - 1;
	}
	size_t at = (size_t)snprintf(buf, size, "%s", lead ? cut : "");
	for (const char *p = from; *p && at + 1 < size; p++) {
		if (*p == '\n')
			at += (size_t)snprintf(buf + at, size - at, "%s", between);
		else
			buf[at++] = *p;
	}
	buf[at < size ? at : size - 1] = 0;
	return buf;
}

/* Three significant figures, but the whole part in full; whole numbers (counts, ids) are exact. */
static const char *number_text(char *buf, size_t size, double v)
{
	if (v - v != 0)
		snprintf(buf, size, "-");
	else if (v == floor(v) && fabs(v) < 9e15)
		snprintf(buf, size, "%.0f", v);
	else if (fabs(v) < 999.5 || fabs(v) >= 1e12)
		snprintf(buf, size, "%.3g", v);
	else
		snprintf(buf, size, "%.0f", v);
	return buf;
}

double pv_scaled(enum pv_scale scale, double v, enum pv_unit *ret_unit)
{
	switch (scale) {
	case PV_SCALE_BYTES:
		*ret_unit = PV_UNIT_BYTES;
		return v;
	case PV_SCALE_US:
		*ret_unit = PV_UNIT_NS;
		return v * 1000;
	case PV_SCALE_100NS:
		*ret_unit = PV_UNIT_NS;
		return v * 100;
	case PV_SCALE_MS:
		*ret_unit = PV_UNIT_NS;
		return v * 1e6;
	case PV_SCALE_S:
		*ret_unit = PV_UNIT_NS;
		return v * 1e9;
	case PV_SCALE_MB:
		*ret_unit = PV_UNIT_BYTES;
		return v * 1e6;
	case PV_SCALE_PERCENT:
		*ret_unit = PV_UNIT_PERCENT;
		return v;
	default:
		*ret_unit = PV_UNIT_NUMBER;
		return v;
	}
}

/* A value too large for the unit is shown as a plain number. */
static const char *scaled_text(char *buf, size_t size, const struct pv_cell *c)
{
	enum pv_unit unit;
	char number[PV_UNIT_MAX];
	double v = pv_scaled((enum pv_scale)c->scale, c->d, &unit);
	if (!(fabs(v) < 9e18))
		return number_text(buf, size, c->d);
	switch (unit) {
	case PV_UNIT_BYTES:
		buf[0] = '-';
		return v < 0 && size > 1 ? (pv_units_bytes(buf + 1, size - 1, (uint64_t)-v), buf)
					 : pv_units_bytes(buf, size, v < 0 ? 0 : (uint64_t)v);
	case PV_UNIT_NS:
		return pv_units_ns(buf, size, (int64_t)v);
	case PV_UNIT_PERCENT:
		snprintf(buf, size, "%s %%", number_text(number, sizeof number, v));
		return buf;
	default:
		return number_text(buf, size, v);
	}
}

enum { PV_KERNEL_THREADS = 1 << 22 }; /* PID_MAX_LIMIT of Linux */

const char *pv_cell_text(const struct pv_cell *c, enum pv_unit unit, char *buf, size_t size)
{
	if (size == 0)
		return "";
	if (c->state == PV_CELL_NULL)
		return "-";
	if (c->state == PV_CELL_PENDING)
		return "...";
	switch (unit) {
	case PV_UNIT_TEXT:
		return c->s ? c->s : "-";
	case PV_UNIT_COUNT:
		return pv_units_count(buf, size, c->u);
	case PV_UNIT_EXACT:
		return pv_units_exact(buf, size, c->u);
	case PV_UNIT_BYTES:
		return pv_units_bytes(buf, size, c->u);
	case PV_UNIT_NS:
		return pv_units_ns(buf, size, c->i);
	case PV_UNIT_TIME:
		return pv_units_clock(buf, size, c->i);
	case PV_UNIT_PERCENT:
		snprintf(buf, size, "%.1f", c->d);
		return buf;
	case PV_UNIT_THREAD:
		snprintf(buf, size, c->u <= PV_KERNEL_THREADS ? "%" PRIu64 : "0x%" PRIx64, c->u);
		return buf;
	case PV_UNIT_ADDRESS:
		snprintf(buf, size, "0x%" PRIx64, c->u);
		return buf;
	case PV_UNIT_BOOL:
		return c->u ? "yes" : "no";
	case PV_UNIT_NUMBER:
		return scaled_text(buf, size, c);
	case PV_UNIT_DELTA_COUNT:
	case PV_UNIT_DELTA_BYTES:
		return signed_text(buf, size, c->i, unit);
	case PV_UNIT_LIST:
		return list_text(buf, size, c->s ? c->s : "");
	}
	return "-";
}
