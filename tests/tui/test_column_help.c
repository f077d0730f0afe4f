/* SPDX-License-Identifier: MIT */
/* Every column that a pane can show is explained, and no explanation is in vain. */
#include <check.h>
#include <string.h>

#include "common/base/status.h"
#include "common/query/views.h"
#include "tests/kit/suite.h"
#include "tui/panes/column_help.h"
#include "tui/panes/pane.h"

static const struct {
	const char *id, *text;
} rows[] = {
#define COLUMN(id, text) { id, text },
#include "tui/columns.def"
#undef COLUMN
};

static bool used[PV_COUNT_OF(rows)];

static void use(const struct pv_column *c)
{
	for (size_t i = 0; !c->help && i < PV_COUNT_OF(rows); i++)
		used[i] = used[i] || strcmp(rows[i].id, c->id) == 0;
}

static void look_at(enum pv_view view)
{
	size_t n;
	const struct pv_column *c = pv_view_columns(view, &n);
	const char *name = pv_view_name(view);
	for (size_t i = 0; i < n; i++) {
		if (c[i].flags & PV_COLUMN_HIDE_SCREEN)
			continue;
		const char *text = ui_column_help(&c[i]);
		ck_assert_msg(
			text && strlen(text) > 5 && strlen(text) < 90, "%s of %s", c[i].id, name);
		use(&c[i]);
	}
}

START_TEST(columns_are_explained)
{
	/* Lists that change their view. */
	static const enum pv_view others[] = { PV_VIEW_HEAP_OBJECTS, PV_VIEW_HEAP_KEPT,
		PV_VIEW_HEAP_AWAITS, PV_VIEW_HEAP_KEEPERS, PV_VIEW_HEAP_DUPLICATES,
		PV_VIEW_HEAP_MERGED, PV_VIEW_HEAP_DIFF_SITES, PV_VIEW_HEAP_DIFF_THREADS };
	for (size_t i = 0; i < ui_pane_count; i++)
		for (int k = 0; k < ui_pane_defs[i].parts; k++)
			if (ui_pane_defs[i].kind == UI_PANE_LISTS)
				look_at(ui_pane_defs[i].part[k].view);
	for (size_t i = 0; i < PV_COUNT_OF(others); i++)
		look_at(others[i]);
	for (size_t i = 0; i < PV_COUNT_OF(rows); i++)
		ck_assert_msg(used[i], "no pane has %s", rows[i].id);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("column help");
	TCase *t = tcase_create("columns");
	tcase_add_test(t, columns_are_explained);
	suite_add_tcase(s, t);
	return run_suite(s);
}
