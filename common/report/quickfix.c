/* SPDX-License-Identifier: MIT */
/* Writes rows as lines for vim's quickfix list: FILE:LINE: TEXT. */
#include <string.h>

#include "common/base/text/showable.h"
#include "common/report/report_sections.h"

static const struct pv_cell *named_cell(const struct pv_table *t, size_t row, const char *id)
{
	int c = pv_table_column(t, id);
	const struct pv_cell *found = c < 0 ? NULL : &t->row[row].cell[c];
	return found && found->state == PV_CELL_VALUE ? found : NULL;
}

static void put_share(
	FILE *out, const struct pv_table *t, size_t row, const char *id, const char *title)
{
	const struct pv_cell *share = named_cell(t, row, id);
	if (share)
		fprintf(out, "%.1f %% %s, ", share->d, title);
}

static void put_place(FILE *out, const struct pv_table *t, size_t row)
{
	const struct pv_cell *line = named_cell(t, row, "line"), *file = named_cell(t, row, "file");
	const struct pv_cell *method = named_cell(t, row, "method");
	if (!line || !file)
		return;
	pv_showable_put(out, file->s);
	fprintf(out, ":%llu: ", (unsigned long long)line->u);
	put_share(out, t, row, "samples_self_percent", "self");
	put_share(out, t, row, "samples_percent", "total");
	pv_showable_put(out, method ? pv_cell_shown(t, method).s : "");
	putc('\n', out);
}

bool pv_report_quickfix(struct pv_report *r, struct pv_error *reterr)
{
	struct pv_table *t = pv_report_table(r, pv_section_only(&r->chosen), 0, reterr);
	for (size_t i = 0; t && i < t->rows; i++)
		put_place(r->out, t, i);
	pv_table_destroy(t);
	return t;
}
