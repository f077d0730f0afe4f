/* SPDX-License-Identifier: MIT */
/* Tagged rows: what they sum up to, rows that are left, and where tags end. */
#include <inttypes.h>
#include <unistd.h>

#include "tests/kit/fake_screen.h"
#include "tui/draw/settings.h"

START_TEST(tagged_rows_are_summed_up)
{
	press("2G:sort count<Enter>g");
	const struct ui_list *l = ui_screen_list(&screen);
	int calls = pv_table_column(l->table, "count");
	ck_assert(calls >= 0 && l->table->rows > 3);
	uint64_t sum = l->table->row[0].cell[calls].u + l->table->row[2].cell[calls].u;
	char want[64];
	press("<Space>j<Space>");
	ck_assert_uint_eq(l->tagged.n, 2);
	snprintf(want, sizeof want, "CALLS %" PRIu64, sum);
	ck_assert(seen("2 tagged: ") && seen(want));
	press("<Up><Space>");
	ck_assert_uint_eq(l->tagged.n, 1);
	press("_");
	ck_assert(!seen(" tagged"));
	press("_");
	ck_assert(seen("no row is tagged; Space tags one"));
}
END_TEST

START_TEST(only_tagged_rows_are_left)
{
	press("2g<Space><Space>;");
	const struct ui_list *l = ui_screen_list(&screen);
	ck_assert_uint_eq(l->table->rows, 2);
	uint64_t id[2] = { l->table->row[0].id, l->table->row[1].id };
	press("I");
	ck_assert_uint_eq(l->table->rows, 2);
	ck_assert_uint_eq(l->table->row[0].id, id[1]);
	press("g<Space>"); /* the last but one is untagged and gone */
	ck_assert_uint_eq(l->table->rows, 1);
	ck_assert_uint_eq(l->table->row[0].id, id[0]);
	press(";");
	ck_assert(l->table->rows > 2 && seen("1 tagged: "));
	press(";<Space>");
	ck_assert(l->table->rows > 2 && !seen(" tagged"));
}
END_TEST

START_TEST(filter_and_tags_both_hold)
{
	press("2g\\lib<Enter>g<Space><Space><Del>g");
	const struct ui_list *l = ui_screen_list(&screen);
	size_t all = l->table->rows;
	ck_assert(all > 2 && l->tagged.n == 2);
	press(";\\sort<Enter>");
	ck_assert_uint_eq(l->table->rows, 1);
	ck_assert_str_eq(cursor(), "Lib.Sort(int[])");
	ck_assert(seen("2 tagged, 1 of them here: "));
	press("<Del>");
	ck_assert_uint_eq(l->table->rows, 2);
}
END_TEST

START_TEST(in_a_tree_what_leads_to_them_stays)
{
	press("22:tree<Enter>**g<Down>");
	const struct ui_list *l = ui_screen_list(&screen);
	const struct pv_row *row = ui_list_row(l);
	ck_assert(row && row->depth > 0);
	uint64_t id = row->id;
	press("<Space>;");
	ck_assert(l->table->rows >= 2 && l->table->row[0].depth == 0);
	ck_assert_uint_eq(l->table->row[l->table->rows - 1].id, id);
}
END_TEST

START_TEST(a_frozen_picture_keeps_its_figures)
{
	press("2gp<Space>;");
	const struct ui_list *l = ui_screen_list(&screen);
	ck_assert_uint_eq(l->table->rows, 1);
	press(";");
	ck_assert(l->table->rows > 1);
}
END_TEST

START_TEST(rows_of_another_kind_are_not_tagged)
{
	press("2<Space>:group namespace<Enter>");
	ck_assert(!seen(" tagged") && ui_screen_list(&screen)->tagged.n == 0);
	press(":shots<Enter><Tab><Space>");
	ck_assert(seen("1 tagged"));
	press("<Shift-Tab><Up><Tab>"); /* classes of another shot */
	ck_assert(!seen(" tagged"));
}
END_TEST

/* The text of a file, which is taken away. */
static char *written(const char *path)
{
	static char text[4096];
	FILE *in = fopen(path, "r");
	ck_assert_ptr_nonnull(in);
	text[fread(text, 1, sizeof text - 1, in)] = 0;
	fclose(in);
	ck_assert_int_eq(remove(path), 0);
	return text;
}

/* A name below TMPDIR that is not there yet. */
static const char *free_name(const char *ending)
{
	static char path[256];
	const char *tmp = getenv("TMPDIR");
	snprintf(path, sizeof path, "%s/pv-rows-%d%s", tmp ? tmp : "/tmp", (int)getpid(), ending);
	return path;
}

START_TEST(tagged_rows_go_to_a_file)
{
	char keys[300];
	const char *path = free_name(".csv");
	press("2g<Space>");
	snprintf(keys, sizeof keys, "e%s<Enter>", path);
	press(keys);
	ck_assert(seen("1 row written to "));
	press(keys);
	ck_assert(seen("exists"));
	ck_assert_str_eq(written(path), "share,count,time,delta,half,third,name,class\r\n"
					"30,300,500,0,150,100,App.Work(int),\r\n");
	path = free_name(".json");
	snprintf(keys, sizeof keys, "_:export %s<Enter>", path);
	press(keys);
	ck_assert(seen("4 rows written to "));
	ck_assert_ptr_nonnull(strstr(written(path), "\"name\":\"Lib.Sort(int[])\""));
	path = free_name(".md");
	snprintf(keys, sizeof keys, "\\sort<Enter>e%s<Enter>", path);
	press(keys);
	ck_assert(seen("1 row written to "));
	ck_assert_ptr_nonnull(strstr(written(path), "| Lib.Sort(int\\[\\]) |"));
	press("efile.zip<Enter>");
	ck_assert(seen("the ending says the format: .csv, .json, .md, .txt, or .frame"));
	press("e/nowhere/at/all.csv<Enter>");
	ck_assert(seen("/nowhere/at/all.csv"));
}
END_TEST

START_TEST(a_file_below_home)
{
	char path[300], keys[64];
	const char *home = getenv("TMPDIR");
	ck_assert_int_eq(setenv("HOME", home ? home : "/tmp", 1), 0);
	snprintf(path, sizeof path, "%s/pv-home-%d.csv", getenv("HOME"), (int)getpid());
	snprintf(keys, sizeof keys, "2e~/pv-home-%d.csv<Enter>", (int)getpid());
	press(keys);
	ck_assert(seen("4 rows written to "));
	written(path);
	char home_of_many[200];
	snprintf(home_of_many, sizeof home_of_many, "/%0120d", 0);
	ck_assert_int_eq(setenv("HOME", home_of_many, 1), 0);
	press(keys + 1);
	ck_assert(seen("the file's name is too long"));
}
END_TEST

START_TEST(columns_are_chosen_from_a_list)
{
	static struct ui_settings settings;
	screen.shared.settings = &settings;
	press("2");
	const struct ui_list *l = ui_screen_list(&screen);
	const size_t calls = (size_t)pv_table_column(l->table, "count");
	ck_assert(ui_list_shows(l, calls));
	press("<F2>");
	ck_assert(seen("[x] CALLS") && seen("[x] TIME") && !seen("[x] METHOD"));
	press("<Down><Enter>");
	ck_assert(seen("[ ] CALLS") && seen("[x] TIME") && seen(":save keeps them"));
	press("<Esc>");
	ck_assert(!ui_list_shows(l, calls));
	press("<F2><Down><Enter><Esc>");
	ck_assert(ui_list_shows(l, calls));
	press("1<F2>");
	ck_assert(!screen.menu.open);
}
END_TEST

static bool always(enum pv_view view)
{
	return view == PV_VIEW_METHODS;
}

static struct pv_table *own(struct pv_against *of, struct pv_model *now, enum pv_view view,
	const struct pv_query *q, unsigned figure)
{
	(void)of;
	(void)figure;
	return pv_view_table(now, view, q);
}

START_TEST(columns_with_a_base_are_always_the_same)
{
	static struct ui_settings settings;
	static const struct ui_against against = { .has = always, .table = own };
	char why[100];
	screen.shared.settings = &settings;
	ck_assert(ui_settings_columns(&settings, PV_VIEW_METHODS, "time", why, sizeof why));
	press("2");
	const struct ui_list *l = ui_screen_list(&screen);
	const size_t calls = (size_t)pv_table_column(l->table, "count");
	ck_assert(!ui_list_shows(l, calls));
	screen.shared.against = &against;
	press("j");
	ck_assert(ui_list_shows(l, calls));
	press("<F2>");
	ck_assert(!screen.menu.open && seen("beside a base the columns are always the same"));
	screen.shared.against = NULL;
}
END_TEST

/* Ten items where six lines are. */
START_TEST(a_click_takes_the_item_that_is_drawn_there)
{
	struct ui_menu m = { .open = true, .title = "Of ten", .n = 10, .at = 9 };
	for (size_t i = 0; i < m.n; i++)
		m.item[i] = "item";
	ui_menu_draw(&m, &screen.canvas, (struct ui_rect){ 0, 0, 40, 8 });
	ck_assert_int_eq(ui_menu_click(&m, m.drawn.x + 2, m.drawn.y + 1), UI_MENU_CHOSEN);
	ck_assert_uint_eq(m.at, m.n - (size_t)(m.drawn.h - 2));
}
END_TEST

START_TEST(a_frame_goes_to_a_file)
{
	char keys[300];
	const char *path = free_name(".frame");
	press("2");
	char *want = frame();
	snprintf(keys, sizeof keys, ":export %s<Enter>", path);
	press(keys);
	ck_assert(seen("the frame is written to "));
	ck_assert_str_eq(written(path), want);
	free(want);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("tags");
	TCase *t = tcase_create("tags");
	tcase_add_checked_fixture(t, open_screen, close_screen);
	tcase_add_test(t, tagged_rows_are_summed_up);
	tcase_add_test(t, only_tagged_rows_are_left);
	tcase_add_test(t, filter_and_tags_both_hold);
	tcase_add_test(t, in_a_tree_what_leads_to_them_stays);
	tcase_add_test(t, a_frozen_picture_keeps_its_figures);
	tcase_add_test(t, tagged_rows_go_to_a_file);
	tcase_add_test(t, a_frame_goes_to_a_file);
	tcase_add_test(t, a_file_below_home);
	tcase_add_test(t, columns_are_chosen_from_a_list);
	tcase_add_test(t, columns_with_a_base_are_always_the_same);
	tcase_add_test(t, a_click_takes_the_item_that_is_drawn_there);
	tcase_add_test(t, rows_of_another_kind_are_not_tagged);
	suite_add_tcase(s, t);
	return run_suite(s);
}
