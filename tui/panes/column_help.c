#include "tui/panes/column_help.h"

#include <stddef.h>
#include <string.h>

#include "common/base/status.h"

static const struct {
	const char *view, *id, *text;
} rows[] = {
#define COLUMN(view, id, text) { view, id, text },
#include "tui/columns.def"
#undef COLUMN
};

static const char *find(const char *view, const char *id)
{
	for (size_t i = 0; i < PV_COUNT_OF(rows); i++)
		if (strcmp(rows[i].id, id) == 0 && strcmp(rows[i].view, view) == 0)
			return rows[i].text;
	return NULL;
}

const char *ui_column_help(const char *view, const char *id)
{
	const char *text = find(view, id);
	return text ? text : find("", id);
}
