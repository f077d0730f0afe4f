/* SPDX-License-Identifier: MIT */
/* Rooms: their table, their views in turn, what they say of a log that lacks their data. */
#include "tests/kit/fake_screen.h"

#include "tui/panes/rooms.h"

START_TEST(every_pane_stands_in_one_room)
{
	size_t seen_views = 0;
	for (int i = 0; i < UI_ROOMS; i++) {
		char key = ui_room_key(i);
		ck_assert_int_eq(key, i == 9 ? '0' : '1' + i);
		ck_assert_int_eq(
			ui_command_of_key(key, UI_SCOPE_ANY | UI_SCOPE_LIST), ui_rooms[i].command);
		ck_assert_uint_eq(ui_room_first(i), seen_views);
		ck_assert_uint_ge(ui_room_views(i), 1);
		for (size_t k = 0; k < ui_room_views(i); k++)
			ck_assert_int_eq(ui_room_of_pane(seen_views + k), i);
		seen_views += ui_room_views(i);
	}
	ck_assert_uint_eq(seen_views, ui_pane_count);
	for (size_t i = 0; i < ui_pane_count; i++) {
		ck_assert(ui_opens_pane(ui_pane_defs[i].command));
		bool records = false;
		for (int by = 0; by < PV_RECORDERS; by++)
			records |= ui_pane_defs[i].records[by] != NULL;
		ck_assert(!ui_pane_defs[i].needs == !records);
	}
}
END_TEST

START_TEST(the_names_fit_80_columns)
{
	ck_assert(ui_screen_resize(&screen, 80, 24));
	static const char keys[] = "1234567890";
	for (const char *k = keys; *k; k++) {
		ui_screen_key(&screen, *k);
		show();
		for (int i = 0; i < UI_ROOMS; i++)
			ck_assert_msg(seen(ui_rooms[i].name), "%c: %s", *k, ui_rooms[i].name);
		ck_assert(!seen("Events…") && !seen("[0 Events\n"));
	}
}
END_TEST

/* Below 80 columns names go one by one, first those of rooms without data. */
START_TEST(rooms_without_data_shrink_first)
{
	world->summary.recorded = PV_GROUP_CALLS | PV_GROUP_GC;
	world->summary.enabled = 0;
	world->generation++;
	ck_assert(ui_screen_resize(&screen, 79, 24));
	press("1");
	int names = 0;
	for (int i = 0; i < UI_ROOMS; i++)
		names += seen(ui_rooms[i].name);
	ck_assert_int_eq(names, UI_ROOMS - 1);
	ck_assert(seen("[1 Home]2 CPU") && seen("5 GC"));
	ck_assert(ui_screen_resize(&screen, 60, 24));
	show();
	ck_assert(seen("[1 Home]2 CPU") && seen("5 GC"));
	ck_assert(seen("6 Waits") && !seen("7 Requests") && !seen("8 Errors"));
}
END_TEST

START_TEST(a_digit_again_is_the_next_view)
{
	press("4");
	ck_assert(seen("[Shots]Growth Diff Objects Roots"));
	press("4");
	ck_assert(seen(" Shots[Growth]Diff Objects Roots"));
	press("444");
	ck_assert(seen(" Shots Growth Diff Objects[Roots]"));
	press("4");
	ck_assert(seen("[Shots]Growth"));
	press("K2"); /* a room is as it was left */
	ck_assert(seen("[Methods]Tree"));
	press("4");
	ck_assert(seen("[Roots]"));
	press("?"); /* a digit first closes what lies above */
	press("4");
	ck_assert(seen("[Roots]"));
}
END_TEST

START_TEST(small_screens_name_the_view)
{
	ck_assert(ui_screen_resize(&screen, 40, 10));
	press("2");
	ck_assert(seen("1[2 CPU]3 4 5 6 7 8 9 0"));
	press("2");
	ck_assert(seen("1[2 CPU: Tree]3 4 5 6 7 8 9 0"));
	press("`");
	ck_assert(seen("Rooms") && seen("2 CPU"));
	press("jjjj<Enter>");
	ck_assert(seen("[6 Waits]"));
}
END_TEST

START_TEST(a_room_without_data_says_what_records_it)
{
	world->summary.recorded = PV_GROUP_CALLS;
	world->summary.enabled = 0;
	world->rows = 0;
	world->generation++;
	show();
	ck_assert(ui_room_can(1, ui_groups(&screen.shared)));
	ck_assert(!ui_room_can(2, ui_groups(&screen.shared)));
	press("3");
	ck_assert(seen("the log has none of this"));
	ck_assert(seen("profview run --alloc records it"));
	press("`");
	ck_assert(seen("3 Alloc  needs --alloc"));
	press("<Esc>");
	static const struct {
		enum pv_recorder by;
		const char *keys, *words;
	} says[] = {
		{ PV_RECORDER_MONO, ":routes<Enter>", "Mono has nothing that records it" },
		{ PV_RECORDER_DOTNET, ":coverage<Enter>", ".NET has nothing that records it" },
		{ PV_RECORDER_STOCK, ":coverage<Enter>",
			"Mono's own profiler does not record it; profview run --probe coverage" },
		{ PV_RECORDER_STOCK, ":locks<Enter>", "mono --profile=log:monitor records it" },
		{ PV_RECORDER_NATIVE, ":locks<Enter>",
			"profview attach --via outside PID records it" },
		{ PV_RECORDER_NATIVE, ":roots<Enter>", "a native program has nothing of the kind" },
		{ PV_RECORDER_EVENTS, ":shots<Enter>",
			"profview attach --via events --heapshot PID asks for it" },
	};
	for (size_t i = 0; i < PV_COUNT_OF(says); i++) {
		world->summary.recorder = says[i].by;
		world->generation++;
		show();
		press(says[i].keys);
		ck_assert_msg(seen(says[i].words), "%s", says[i].words);
	}
	world->summary.recorder = PV_RECORDER_MONO;
	press("3");
	world->summary.recorded |= PV_GROUP_ALLOC;
	world->generation++;
	show();
	ck_assert(!seen("the log has none of this"));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("rooms");
	TCase *t = tcase_create("rooms");
	tcase_add_checked_fixture(t, open_screen, close_screen);
	tcase_add_test(t, every_pane_stands_in_one_room);
	tcase_add_test(t, the_names_fit_80_columns);
	tcase_add_test(t, rooms_without_data_shrink_first);
	tcase_add_test(t, a_digit_again_is_the_next_view);
	tcase_add_test(t, small_screens_name_the_view);
	tcase_add_test(t, a_room_without_data_says_what_records_it);
	suite_add_tcase(s, t);
	return run_suite(s);
}
