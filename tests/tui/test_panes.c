/* SPDX-License-Identifier: MIT */
/* Panes under keys, the mouse and a model that goes on. */
#include "tests/kit/fake_screen.h"

#include "tui/panes/flame_pane.h"
#include "tui/panes/sections.h"

START_TEST(lists_sort_and_invert)
{
	press("2");
	ck_assert_str_eq(cursor(), "App.Work(int)");
	press("I");
	ck_assert_str_eq(cursor(), "App.Main()");
	press("I#"); /* Shift-3: by time */
	ck_assert_str_eq(cursor(), "App.Main()");
	ck_assert(seen("TIME▼"));
	press("#"); /* the same again turns it round */
	ck_assert_str_eq(cursor(), "Lib.Read()");
	press("<lt>");
	ck_assert(seen("CALLS▼"));
	press("<F6>jj<Enter>");
	ck_assert(seen("CHANGE▼"));
	press("<F6>k<Esc>");
	ck_assert(seen("CHANGE▼"));
	press(":sort name<Enter>");
	ck_assert_str_eq(cursor(), "App.Main()");
	press(":sort nonsense<Enter>");
	ck_assert(seen("no column nonsense here"));
}
END_TEST

START_TEST(the_cursor_keeps_to_its_row)
{
	const int64_t after_a_key = INT64_C(5000000000);
	press("2jj");
	ck_assert_str_eq(cursor(), "Lib.Read()");
	fake_find(world, PV_VIEW_METHODS, 4)->count = 999;
	fake_add(
		world, (struct fake_row){ PV_VIEW_METHODS, 9, 0, "Late.Comer()", 500, 1, 0, NULL });
	show();
	ck_assert_str_eq(cursor(), "Lib.Read()");
	ck_assert_uint_eq(ui_screen_list(&screen)->at, 2); /* it was just moved: rows stay */
	now_ns += after_a_key;
	show();
	ck_assert_str_eq(cursor(), "Lib.Read()");
	ck_assert_uint_eq(ui_screen_list(&screen)->at, 0);
	press("jj>"); /* another order begins with its first row */
	ck_assert_uint_eq(ui_screen_list(&screen)->at, 0);
	press("jjI");
	ck_assert_uint_eq(ui_screen_list(&screen)->at, 0);
	/* A cursor on top that was not moved there stays on top. */
	press(":sort count<Enter>g");
	ck_assert_str_eq(cursor(), "Lib.Read()");
	fake_find(world, PV_VIEW_METHODS, 9)->count = 2000;
	world->generation++;
	now_ns += after_a_key;
	show();
	ck_assert_str_eq(cursor(), "Late.Comer()");
}
END_TEST

START_TEST(keys_need_no_frames_between_them)
{
	static const char keys[] = "2jj23\tI2"
				   "4m\r";
	for (const char *at = keys; *at; at++)
		ui_screen_key(&screen, *at);
	show();
	ck_assert(seen("[4 Heap]"));
	ck_assert_int_eq(screen.pane[screen.current].focus, 1);
	ui_screen_key(&screen, '2');
	ui_screen_key(&screen, 'g');
	ui_screen_key(&screen, 'j');
	ui_screen_key(&screen, 'j');
	show();
	ck_assert_str_eq(cursor(), "Lib.Sort(int[])");
}
END_TEST

/* Few logs are damaged. */
START_TEST(a_rare_list_shows_once_it_has_rows)
{
	press("i<Tab>");
	ck_assert(seen("The log itself"));
	ck_assert(seen("Events read"));
	ck_assert(!seen("Damage"));
	fake_add(world, (struct fake_row){ PV_VIEW_DAMAGE, 1, 0, "torn", 1, 5, 0, NULL });
	show();
	ck_assert(seen("Damage"));
	ck_assert(!seen("Events read"));
	press("<Tab><Tab>"); /* the third takes the second's place */
	ck_assert(seen("Events read"));
	ck_assert(!seen("Damage"));
}
END_TEST

START_TEST(nothing_new_asks_nothing)
{
	press("2");
	unsigned asked = world->asked;
	show();
	show();
	ck_assert_uint_eq(world->asked, asked);
	world->generation++;
	show();
	ck_assert_uint_gt(world->asked, asked);
}
END_TEST

START_TEST(callers_and_callees_follow_and_lead)
{
	press("2");
	ck_assert(seen("Called by App.Work(int)"));
	ck_assert(seen("Calls of App.Work(int)"));
	press("<Tab><Tab>");
	ck_assert_str_eq(cursor(), "Lib.Sort(int[])");
	press("<Enter>");
	ck_assert(seen("Called by Lib.Sort(int[])"));
	ck_assert_str_eq(cursor(), "Lib.Sort(int[])");
	ck_assert_int_eq(screen.pane[screen.current].focus, 0);
	press("<Backspace>");
	ck_assert(seen("Called by App.Work(int)"));
	ck_assert_int_eq(screen.pane[screen.current].focus, 2);
	press("<Backspace>");
	ck_assert(seen("nothing to go back to"));
}
END_TEST

START_TEST(the_selection_goes_from_pane_to_pane)
{
	press("2jj");
	ck_assert_str_eq(cursor(), "Lib.Read()");
	press(":tree<Enter>");
	ck_assert_str_eq(cursor(), "Lib.Read()");
	press("gjj:methods<Enter>");
	ck_assert_str_eq(cursor(), "Lib.Sort(int[])");
	press("<F5>");
	ck_assert(seen("[Tree]"));
	ck_assert_str_eq(cursor(), "Lib.Sort(int[])");
	press("<F5>");
	ck_assert(seen("[2 CPU]"));
}
END_TEST

START_TEST(trees_fold)
{
	press(":tree<Enter>");
	/* At first the heaviest path is open. */
	ck_assert(seen("Lib.Sort(int[])"));
	ck_assert(!seen("Lib.Pa"));
	press("*");
	ck_assert(!seen("App.Work(int)"));
	press("+");
	ck_assert(seen("App.Work(int)"));
	press("-");
	ck_assert(!seen("App.Work(int)"));
	press("<Right>");
	ck_assert(seen("App.Work(int)"));
	press("<Right>");
	ck_assert_str_eq(cursor(), "App.Work(int)");
	press("<Left>");
	ck_assert_str_eq(cursor(), "App.Main()");
	press("<Left>");
	ck_assert(!seen("App.Work(int)"));
	press("l");
	ck_assert(seen("Lib.Sort(int[])"));
	press("*");
	press("*");
	ck_assert(seen("Lib.Parse()"));
}
END_TEST

START_TEST(search_goes_while_typing_and_into_folds)
{
	press(":tree<Enter>/pars");
	ck_assert_str_eq(cursor(), "Lib.Parse()");
	press("<Enter>");
	ck_assert_str_eq(cursor(), "Lib.Parse()");
	press(":methods<Enter>/lib.<Enter>");
	ck_assert_str_eq(cursor(), "Lib.Sort(int[])");
	press("n");
	ck_assert_str_eq(cursor(), "Lib.Read()");
	press("n");
	ck_assert_str_eq(cursor(), "Lib.Sort(int[])");
	press("N");
	ck_assert_str_eq(cursor(), "Lib.Read()");
	press("/main");
	ck_assert_str_eq(cursor(), "App.Main()");
	press("<Esc>");
	ck_assert_str_eq(cursor(), "Lib.Read()");
	press("/zzz");
	ck_assert(seen("not found"));
}
END_TEST

START_TEST(filters_act_while_typing_and_stay)
{
	press("2\\lib");
	ck_assert(seen("Lib.Read()"));
	ck_assert(!seen("  App.Main()"));
	press("<Enter>");
	ck_assert(seen("filter: lib"));
	press(":tree<Enter>4<Esc>:methods<Enter>");
	ck_assert(seen("filter: lib"));
	press("\\x<Esc>");
	ck_assert(seen("filter: lib"));
	press("<Del>");
	ck_assert(!seen("filter:"));
	ck_assert(seen("  App.Main()"));
	press("\\nothing of it");
	ck_assert(seen("nothing matches the filter"));
}
END_TEST

START_TEST(a_prompt_takes_every_printable_key)
{
	press("2\\qQ1?h:/ w");
	ck_assert_str_eq(ui_screen_list(&screen)->filter, "qQ1?h:/ w");
	ck_assert(screen.prompt.open);
}
END_TEST

START_TEST(pause_freezes_every_pane)
{
	press("2");
	now_ns = INT64_C(1000000000);
	show();
	press("p");
	now_ns = INT64_C(39000000000);
	fake_find(world, PV_VIEW_METHODS, 1)->count = 5000;
	fake_find(world, PV_VIEW_THREADS, 51)->name = "renamed";
	world->summary.events = 777777;
	world->generation++;
	show();
	ck_assert(seen("PAUSED at 00:01:01  lag 38.0 s"));
	ck_assert(!seen("as of now"));
	ck_assert_str_eq(cursor(), "App.Work(int)");
	ck_assert(!seen("5 000"));
	press(":threads<Enter>");
	ck_assert(seen("main") && !seen("renamed"));
	press("2I");
	ck_assert_str_eq(cursor(), "App.Main()"); /* still the least, as of the pause */
	press("\\sort<Enter>");
	ck_assert_str_eq(cursor(), "Lib.Sort(int[])");
	ck_assert_uint_eq(ui_screen_list(&screen)->table->rows, 1);
	press("<Del>");
	ck_assert_uint_eq(ui_screen_list(&screen)->table->rows, 4);
	/* Details of another row cannot be as of the pause; they say so. */
	press("/read<Enter>");
	ck_assert(seen("Called by Lib.Read()  (as of now, not of the pause)"));
	press("p");
	ck_assert(!seen("PAUSED"));
	press("<Del>g");
	press("I");
	ck_assert_str_eq(cursor(), "App.Main()"); /* now the greatest */
	ck_assert(seen("5 000"));
}
END_TEST

START_TEST(the_window_changes_figures)
{
	press("2");
	ck_assert(seen("300"));
	press("w");
	ck_assert(seen("last 60 s"));
	ck_assert(!seen("  300  ") && seen("150"));
	press("ww");
	ck_assert(seen("last 1 s"));
	press("w");
	ck_assert(seen("  300  "));
	press(":window 10<Enter>");
	ck_assert(seen("last 10 s"));
	ck_assert_uint_eq(press("R"), UI_ZERO);
}
END_TEST

START_TEST(shots_differ_from_their_base)
{
	press("4");
	ck_assert(seen("Classes of shot 1")); /* the last row */
	press("g");
	ck_assert(seen("Classes of shot 0"));
	press("m");
	ck_assert(seen("Classes of shot 0")); /* no difference to itself */
	press("j");
	ck_assert(seen("Difference from the base (B) to shot 1"));
	ck_assert(seen("+5 B"));
	press("km");
	ck_assert(seen("Classes of shot 0"));
	ck_assert_uint_eq(screen.shared.base_shot, 0);
	ck_assert_uint_eq(press("S"), UI_SHOOT);
	screen.shared.readonly = true;
	ck_assert_uint_eq(press("S"), 0);
	ck_assert(seen("read-only"));
}
END_TEST

START_TEST(stacks_lead_to_their_innermost_frame)
{
	press("X<Enter>");
	ck_assert_int_eq(screen.pane[screen.current].focus, 1);
	press("<Enter>");
	ck_assert(seen("[2 CPU]"));
	ck_assert_str_eq(cursor(), "Lib.Read()");
	press("q");
	ck_assert(seen("[8 Errors]"));
}
END_TEST

START_TEST(back_is_everything_as_it_was)
{
	press("2");
	struct ui_list *l = &screen.pane[screen.current].list[0];
	press("><Down>");
	const char *sort = l->sort;
	bool invert = l->invert;
	uint64_t selected = l->selected;
	press("<Tab><Enter>"); /* a caller: the same list goes there */
	ck_assert_uint_ne(l->selected, selected);
	press("\\zzz<Enter>");
	ck_assert_str_eq(l->filter, "zzz");
	press("<Backspace>");
	ck_assert_str_eq(l->filter, "");
	ck_assert_str_eq(l->sort, sort);
	ck_assert_int_eq(l->invert, invert);
	ck_assert_uint_eq(l->selected, selected);
}
END_TEST

START_TEST(sites_are_those_of_the_selected_class)
{
	press("L<Tab><Tab><Tab><Tab>");
	ck_assert(seen("Where threads waited for App.Cache"));
	ck_assert(seen("App.Main()\\nLib.Re"));
	ck_assert(!seen("Lib.Pa")); /* of App.CacheEntry, which only begins alike */
	fake_find(world, PV_VIEW_LOCKS, 61)->name = "App.CacheEntry";
	world->generation++;
	show();
	ck_assert(seen("\\nLib.Pa"));
	ck_assert(!seen("Lib.Re"));
}
END_TEST

START_TEST(tab_goes_through_lists_and_panes)
{
	press("3<Tab>");
	ck_assert_int_eq(screen.pane[screen.current].focus, 1);
	press("<Tab>");
	ck_assert(seen("[Survival]"));
	press("<Tab><Tab>");
	ck_assert(seen("[4 Heap]"));
	press("<S-Tab>");
	ck_assert(seen("[3 Alloc]"));
	ck_assert_int_eq(screen.pane[screen.current].focus, 1);
	press("1<S-Tab><S-Tab>");
	ck_assert(seen("[0 Events]"));
}
END_TEST

START_TEST(loading_shows_how_far_it_is_and_stops)
{
	feed = (struct ui_feed_status){ .state = UI_FEED_LOADING,
		.lag_ns = -1,
		.bytes_read = 300 << 20,
		.bytes_total = UINT64_C(1000) << 20,
		.bytes_per_s = 100 << 20 };
	show();
	ck_assert(seen("300 MiB of 0.98 GiB  100 MiB/s  00:00:08 left  (z stops)"));
	ck_assert(seen("[━━") && seen("LOADING  30.0 %"));
	ck_assert_uint_eq(press("z"), UI_STOP);
	ck_assert(seen("loading stops"));
	press("2");
	ck_assert(ui_screen_resize(&screen, 80, 24));
	show();
	ck_assert(seen("300 MiB of 0.98 GiB  100 MiB/s  00:00:08 left"));
	feed.bytes_total = 0; /* not known */
	show();
	ck_assert(!seen("100 MiB/s  00"));
	feed.state = UI_FEED_LIVE;
	show();
	ck_assert_uint_eq(press("z"), 0);
	ck_assert(seen("nothing is being loaded"));
}
END_TEST

/* While it catches up the speed is the reader's. */
START_TEST(whose_speed_it_is)
{
	feed = (struct ui_feed_status){
		.state = UI_FEED_LIVE, .lag_ns = 3000000000, .events_per_s = 4000000
	};
	show();
	ck_assert(seen("lag 3000 ms") && seen("4.00 M read/s"));
	feed.lag_ns = 5000000;
	feed.events_per_s = 1000;
	show();
	ck_assert(seen("lag    5 ms") && seen("1.00 k ev/s") && !seen("read/s"));
}
END_TEST

START_TEST(leaving_a_stock_pipe_asks)
{
	feed.stock_pipe = true;
	show();
	ck_assert_uint_eq(press("q"), 0);
	ck_assert(seen("Leave? (y/n)"));
	ck_assert_uint_eq(press("n"), 0);
	ck_assert(!seen("Leave?"));
	ck_assert_uint_eq(press("Qy"), UI_LEAVE);
}
END_TEST

START_TEST(a_dead_model_leaves_nothing_over)
{
	press("2jj:tree<Enter>jj4m");
	ui_screen_forget(&screen);
	struct pv_model *old = world;
	world = fake_world();
	free(old);
	show();
	press("2:tree<Enter>413");
	ck_assert(seen("System.String"));
}
END_TEST

START_TEST(no_model_draws_too)
{
	struct pv_model *kept = world;
	ui_screen_forget(&screen);
	world = NULL;
	press("12:tree<Enter>354:threads<Enter>LXJC2jG/x<Esc>\\y<Esc><Enter>Ip");
	ck_assert(seen("[2 CPU]"));
	world = kept;
}
END_TEST

START_TEST(from_a_method_to_the_flame)
{
	press("2/Lib.Read<Enter>");
	const char *name = cursor();
	ck_assert_str_eq(name, "Lib.Read()");
	press("f");
	ck_assert(seen("[Flame]"));
	ck_assert_str_eq(ui_pane_name(&screen.pane[screen.current]), "Lib.Read()");
	press("<Backspace>");
	ck_assert_str_eq(cursor(), "Lib.Read()");
}
END_TEST

START_TEST(which_says_what_a_key_does)
{
	press("2:which<Space>L<Enter>");
	ck_assert(seen("L: locks. Locks that threads waited for"));
	press(":which<Space>F5<Enter>");
	ck_assert(seen("F5: flip."));
	press("1:which<Space>F5<Enter>");
	ck_assert(seen("flip in methods, tree and flame; not here"));
	press(":which<Space>Ctrl-R<Enter>");
	ck_assert(seen("Ctrl-R: range-clear."));
	press(":which<Space>nonsense<Enter>");
	ck_assert(seen("there is no key nonsense"));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("panes");
	TCase *t = tcase_create("panes");
	tcase_add_checked_fixture(t, open_screen, close_screen);
	tcase_add_test(t, lists_sort_and_invert);
	tcase_add_test(t, the_cursor_keeps_to_its_row);
	tcase_add_test(t, keys_need_no_frames_between_them);
	tcase_add_test(t, a_rare_list_shows_once_it_has_rows);
	tcase_add_test(t, nothing_new_asks_nothing);
	tcase_add_test(t, callers_and_callees_follow_and_lead);
	tcase_add_test(t, the_selection_goes_from_pane_to_pane);
	tcase_add_test(t, trees_fold);
	tcase_add_test(t, search_goes_while_typing_and_into_folds);
	tcase_add_test(t, filters_act_while_typing_and_stay);
	tcase_add_test(t, a_prompt_takes_every_printable_key);
	tcase_add_test(t, pause_freezes_every_pane);
	tcase_add_test(t, the_window_changes_figures);
	tcase_add_test(t, shots_differ_from_their_base);
	tcase_add_test(t, stacks_lead_to_their_innermost_frame);
	tcase_add_test(t, back_is_everything_as_it_was);
	tcase_add_test(t, sites_are_those_of_the_selected_class);
	tcase_add_test(t, tab_goes_through_lists_and_panes);
	tcase_add_test(t, loading_shows_how_far_it_is_and_stops);
	tcase_add_test(t, leaving_a_stock_pipe_asks);
	tcase_add_test(t, whose_speed_it_is);
	tcase_add_test(t, a_dead_model_leaves_nothing_over);
	tcase_add_test(t, from_a_method_to_the_flame);
	tcase_add_test(t, which_says_what_a_key_does);
	tcase_add_test(t, no_model_draws_too);
	suite_add_tcase(s, t);
	return run_suite(s);
}
