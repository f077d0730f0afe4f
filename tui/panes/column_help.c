/* SPDX-License-Identifier: MIT */
/* The help of columns, from tui/columns.def. */
#include "tui/panes/column_help.h"

#include <stddef.h>
#include <string.h>

#include "common/base/status.h"
#include "common/query/table.h"

static const struct {
	const char *id, *text;
} rows[] = {
#define COLUMN(id, text) { id, text },
#include "tui/columns.def"
#undef COLUMN
};

const char *ui_column_help(const struct pv_column *c)
{
	for (size_t i = 0; !c->help && i < PV_COUNT_OF(rows); i++)
		if (strcmp(rows[i].id, c->id) == 0)
			return rows[i].text;
	return c->help;
}
