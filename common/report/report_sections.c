/* SPDX-License-Identifier: MIT */
/* The sections of a report: the rows of views.def with a section. */
#include "common/report/report_sections.h"

#include "common/query/groups/row_filter.h"

#include <string.h>

_Static_assert((size_t)PV_VIEW_COUNT <= PV_SECTIONS_MAX, "chosen sections are bits");

const struct pv_view_row *pv_section_next(const struct pv_view_row *s)
{
	for (size_t i = s ? s->view + 1u : 0; i < PV_VIEW_COUNT; i++)
		if (pv_view_rows[i].section)
			return &pv_view_rows[i];
	return NULL;
}

const struct pv_view_row *pv_section_find(const char *name)
{
	const struct pv_view_row *s = NULL;
	while ((s = pv_section_next(s)) && strcmp(s->section, name) != 0)
		;
	return s;
}

void pv_section_keys(const struct pv_view_row *s, const char *ret[PV_MAX_KEYS])
{
	size_t columns, n = 0;
	const struct pv_column *c = pv_view_columns(s->view, &columns);
	const char *without = s->without ? s->without : "";
	if (s->flags & PV_SECTION_FIGURES)
		columns = 0;
	for (unsigned place = 1; place <= PV_MAX_KEYS; place++)
		for (size_t i = 0; i < columns; i++)
			if (c[i].json == place && !pv_is_one_of(c[i].id, without))
				ret[n++] = c[i].id;
	if (n < PV_MAX_KEYS)
		ret[n] = NULL;
}
