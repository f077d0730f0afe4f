/* SPDX-License-Identifier: MIT */
/* Filters typed on the screen: what they show, mistakes, completion, and those that Enter sets. */
#include "tests/kit/fake_screen.h"

START_TEST(a_filter_is_an_expression)
{
	press("2\\lib | !sort");
	ck_assert(seen("Lib.Read()") && seen("Lib.Sort(int[])"));
	press("<C-U>(lib)  !so");
	ck_assert(seen("Lib.Read()") && !seen("  Lib.Sort(int[])"));
	press("<C-U>count=200");
	ck_assert_uint_eq(ui_screen_list(&screen)->table->rows, 1);
	ck_assert_str_eq(cursor(), "Lib.Sort(int[])");
	press("<C-U>Lib<Enter>\\<C-U>lIb<Enter>");
	ck_assert(seen("nothing matches the filter"));
	press("\\<Up><Up>");
	ck_assert_str_eq(screen.prompt.text, "Lib");
	ck_assert(seen("Lib.Read()"));
}
END_TEST

START_TEST(enter_on_a_thread_leads_to_its_events)
{
	press("0\\kind:gc<Enter>:threads<Enter>j<Enter>");
	ck_assert(seen("[Stream]"));
	ck_assert(seen("filter: thread:worker"));
	press("<Backspace>");
	ck_assert(seen("[Threads]"));
	ck_assert_str_eq(cursor(), "worker");
	press("0");
	ck_assert(seen("filter: kind:gc"));
}
END_TEST

/* A row of this view whose name is its class, too; the last row tells that the filter holds. */
static void add_class(enum pv_view view, uint64_t id, const char *name, uint64_t count)
{
	ck_assert_uint_lt(world->rows, FAKE_ROWS);
	world->row[world->rows++] = (struct fake_row){
		.view = view, .id = id, .name = name, .count = count, .of = name
	};
	world->generation++;
}

static void enter_class(enum pv_view view, const char *keys, const char *pane)
{
	add_class(view, 71, "App.Cart", 900);
	add_class(view, 72, "App.Book", 800);
	press("2\\lib<Enter>");
	press(keys);
	press("<Del>g");
	ck_assert_str_eq(cursor(), "App.Cart");
	press("j");
	ck_assert_str_eq(cursor(), "App.Book");
	press("<Enter>");
	ck_assert(seen(pane) && seen("filter: class:=App.Book"));
	ck_assert_str_eq(screen.shared.filter, "class:=App.Book");
	ck_assert_uint_eq(screen.pane[screen.current].list[0].table->rows, 1);
	ck_assert_int_eq(screen.pane[screen.current].focus, 1);
	press("<Backspace>");
	ck_assert(seen(pane) && !seen("filter:"));
	ck_assert_int_eq(screen.pane[screen.current].focus, 0);
	ck_assert_str_eq(cursor(), "App.Book");
	press("<Tab>");
	ck_assert_str_eq(screen.shared.filter, ""); /* to see its details only */
}

START_TEST(enter_on_a_class_makes_it_the_filter)
{
	enter_class(PV_VIEW_CLASSES, "3", "[Classes]");
}
END_TEST

START_TEST(enter_on_an_exception_makes_it_the_filter)
{
	enter_class(PV_VIEW_EXCEPTIONS, "8", "[Exceptions]");
}
END_TEST

START_TEST(enter_on_a_lock_makes_its_class_the_filter)
{
	enter_class(PV_VIEW_LOCKS, "L", "[Locks]");
}
END_TEST

START_TEST(a_class_is_no_filter_of_the_methods_it_leads_to)
{
	add_class(PV_VIEW_CLASSES, 71, "App.Cart", 900);
	world->row[world->rows++] = (struct fake_row){ .view = PV_VIEW_CLASS_STACKS,
		.id = 90,
		.name = "Lib.Read()",
		.count = 5,
		.select = 71 };
	world->generation++;
	press("3g<Enter>");
	ck_assert_str_eq(screen.shared.filter, "class:=App.Cart");
	press("<Enter>");
	ck_assert(seen("[Methods]"));
	ck_assert_str_eq(cursor(), "Lib.Read()");
	ck_assert_str_eq(screen.shared.filter, "");
	press("<Backspace>");
	ck_assert_str_eq(screen.shared.filter, "class:=App.Cart");
	press("<Enter>");
	ck_assert_str_eq(cursor(), "Lib.Read()");
	press("<Backspace><Backspace>");
	ck_assert_str_eq(screen.shared.filter, "");
	ck_assert_str_eq(cursor(), "App.Cart");
}
END_TEST

START_TEST(one_filter_is_of_all_views)
{
	press("2\\lib<Enter>:tree<Enter>");
	ck_assert(seen("filter: lib"));
	ck_assert(seen("Lib.Read()") && !seen("App.Main()  "));
	ck_assert_str_eq(ui_screen_list(&screen)->filter, "lib");
	press("1");
	ck_assert(seen("filter: lib, of the other views"));
	press("<Del>");
	ck_assert(!seen("filter"));
	press("\\stack:x<Enter>2");
	ck_assert(seen("filter stack:x does not apply here: no stack"));
	ck_assert_str_eq(ui_screen_list(&screen)->filter, "");
	ck_assert(seen("App.Main()"));
	press("\\<Up>");
	ck_assert_str_eq(screen.prompt.text, "stack:x");
	press("<Esc>");
	ck_assert_str_eq(screen.shared.filter, "stack:x");
}
END_TEST

START_TEST(details_have_a_filter_of_their_own)
{
	press("2\\lib<Enter><Tab>\\app<Enter>");
	ck_assert(seen("filter: lib  filter of this list: app"));
	press(":tree<Enter>");
	ck_assert(seen("filter: lib") && !seen("of this list"));
	press(":methods<Enter><Del>");
	ck_assert(seen("filter: lib") && !seen("of this list"));
	press("<Del>");
	ck_assert(!seen("filter"));
}
END_TEST

START_TEST(back_brings_the_filter_back)
{
	press("2\\lib<Enter><Enter>");
	ck_assert(seen("[Tree]") && seen("filter: lib"));
	press("\\<C-U>app<Enter>");
	ck_assert(seen("filter: app"));
	press("<Backspace>");
	ck_assert(seen("[Methods]") && seen("filter: lib"));
}
END_TEST

START_TEST(a_wrong_filter_is_said_and_the_last_one_stays)
{
	press("2\\lib |");
	ck_assert(seen("Filter (5: nothing after |): lib |"));
	ck_assert_str_eq(ui_screen_list(&screen)->filter, "lib ");
	ck_assert(seen("Lib.Read()"));
	press(" app");
	ck_assert(seen("Filter: lib | app"));
	ck_assert(seen("  App.Main()"));
	press("<Enter>\\<C-U>(lib<Enter>");
	ck_assert(seen("no filter, character 1: this ( is never closed"));
	ck_assert_str_eq(ui_screen_list(&screen)->filter, "lib | app");
	press(":filter a )<Enter>");
	ck_assert(seen("no filter, character 3: no ( is open that this ) could close"));
	ck_assert_str_eq(ui_screen_list(&screen)->filter, "lib | app");
}
END_TEST

START_TEST(tab_knows_fields_and_columns)
{
	press("2\\lib !mod<Tab>");
	ck_assert_str_eq(screen.prompt.text, "lib !module:");
	press("<C-U>(cou<Tab>");
	ck_assert_str_eq(screen.prompt.text, "(count");
	press(">1)");
	ck_assert_str_eq(ui_screen_list(&screen)->filter, "(count>1)");
	press("<C-U>m<Tab>");
	ck_assert(seen("module:  method:"));
	press("<Tab><Tab>");
	ck_assert_str_eq(screen.prompt.text, "method:");
	press("main");
	ck_assert_str_eq(screen.shared.filter, "method:main"); /* these rows have none */
	ck_assert(seen("filter method:main does not apply here: no method"));
	press("<C-U>zz<Tab>");
	ck_assert(seen("nothing begins so"));
	press("<C-U>ns:<Tab>");
	ck_assert(seen("ns:  ns:="));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("filter keys");
	TCase *t = tcase_create("filter");
	tcase_add_checked_fixture(t, open_screen, close_screen);
	tcase_add_test(t, a_filter_is_an_expression);
	tcase_add_test(t, one_filter_is_of_all_views);
	tcase_add_test(t, details_have_a_filter_of_their_own);
	tcase_add_test(t, back_brings_the_filter_back);
	tcase_add_test(t, a_wrong_filter_is_said_and_the_last_one_stays);
	tcase_add_test(t, tab_knows_fields_and_columns);
	tcase_add_test(t, enter_on_a_thread_leads_to_its_events);
	tcase_add_test(t, enter_on_a_class_makes_it_the_filter);
	tcase_add_test(t, enter_on_an_exception_makes_it_the_filter);
	tcase_add_test(t, enter_on_a_lock_makes_its_class_the_filter);
	tcase_add_test(t, a_class_is_no_filter_of_the_methods_it_leads_to);
	suite_add_tcase(s, t);
	return run_suite(s);
}
