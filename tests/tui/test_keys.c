/* SPDX-License-Identifier: MIT */
/*
 * Every row of commands.def, by each of its keys: pressed where it holds, the frame is another
 * one afterwards, or the caller is asked for something.
 */
#include "tests/kit/fake_stream.h"

#include "tests/kit/fake_heap.h"

/* Keys that lead to where the command has something to do; "2" where nothing else is said. */
static const struct {
	enum ui_command cmd;
	const char *first;
} ways[] = {
	{ UI_CMD_HOME, "2" },
	{ UI_CMD_CPU, "1" },
	{ UI_CMD_UP, "2G" },
	{ UI_CMD_PAGE_UP, "2G" },
	{ UI_CMD_HALF_UP, "2G" },
	{ UI_CMD_TOP, "2G" },
	{ UI_CMD_LEFT, "2<Right>" },
	{ UI_CMD_BACK, "2<Enter>" },
	{ UI_CMD_SEARCH_NEXT, "2/lib<Enter>" },
	{ UI_CMD_SEARCH_PREV, "2/lib<Enter>" },
	{ UI_CMD_UNFILTER, "2\\lib<Enter>" },
	{ UI_CMD_SORT_2, "2I" },
	{ UI_CMD_UNFOLD, "22*" },
	{ UI_CMD_FOLD, "22" },
	{ UI_CMD_FOLD_ALL, "22" },
	{ UI_CMD_HOT_PATH, "22*" },
	{ UI_CMD_BASE, "4g" },
	{ UI_CMD_RETAINED, "4" },
	{ UI_CMD_SCHEDULE, "4" },
	{ UI_CMD_MATCH, "444" },
	{ UI_CMD_ROWS, "444" },
	{ UI_CMD_AGAIN, "444" },
	{ UI_CMD_KEPT_BY, "444" },
	{ UI_CMD_CANCEL, "2/lib" },
	{ UI_CMD_QUIT, "2<Enter>" },
	{ UI_CMD_RANGE_CLEAR, "2[" },
	{ UI_CMD_HEAP_CLASSES, "4444d" },
	{ UI_CMD_BIGGEST, "4444" },
	{ UI_CMD_DOMINATORS, "4444" },
	{ UI_CMD_KEEPERS, "4444" },
	{ UI_CMD_AWAITS, "4444" },
	{ UI_CMD_DUPLICATES, "4444" },
	{ UI_CMD_PATHS, "4444" },
	{ UI_CMD_FIND_OBJECT, "4444" },
	{ UI_CMD_UNREACHABLE, "4444" },
	{ UI_CMD_WEAK, "4444" },
	{ UI_CMD_HEAP_BACK, "4444d" },
	{ UI_CMD_HEAP_FORWARD, "4444d(" },
	{ UI_CMD_SET_KEEP, "4444" },
	{ UI_CMD_SETS, "4444a<Enter>" },
	{ UI_CMD_SET_UNION, "4444a<Enter>" },
	{ UI_CMD_SET_COMMON, "4444a<Enter>" },
	{ UI_CMD_SET_WITHOUT, "4444a<Enter>" },
	{ UI_CMD_MACHINE, "2<C-s>" },
	{ UI_CMD_MEASURE, "222" },
	{ UI_CMD_BOTTOM_UP, "222" },
	{ UI_CMD_SANDWICH, "222j" },
	{ UI_CMD_LEAVE_OUT, "222j" },
	{ UI_CMD_ONLY, "222jj" },
	{ UI_CMD_RECURSION, "222" },
	{ UI_CMD_ORDER, "222" },
	{ UI_CMD_UPSIDE_DOWN, "222" },
	{ UI_CMD_SUM_MORE, "222" },
	{ UI_CMD_SUM_LESS, "222+" },
	{ UI_CMD_UNDO, "222j<Enter>" },
	{ UI_CMD_REDO, "222j<Enter>(" },
	{ UI_CMD_CELL_LEFT, "D<Right>" },
	{ UI_CMD_CELL_RIGHT, "D" },
	{ UI_CMD_CELLS_LEFT, "D>" },
	{ UI_CMD_CELLS_RIGHT, "D" },
	{ UI_CMD_CHANGE_BEFORE, "D>" },
	{ UI_CMD_CHANGE_AFTER, "D" },
	{ UI_CMD_ZOOM_IN, "D" },
	{ UI_CMD_ZOOM_OUT, "D++" },
	{ UI_CMD_ZOOM_ALL, "D++" },
	{ UI_CMD_TIME_END, "D" },
	{ UI_CMD_THIS_TIME, "D" },
	{ UI_CMD_THIS_ROUTE, "7" },
	{ UI_CMD_SPAN_FLAME, "7" },
	{ UI_CMD_SAME_THREAD, "0" },
	{ UI_CMD_SAME_KIND, "0" },
	{ UI_CMD_STEP_BACK, "2p" },
	{ UI_CMD_STEP_ON, "2p," },
};

static const char *way_to(enum ui_command cmd)
{
	for (size_t i = 0; i < PV_COUNT_OF(ways); i++)
		if (ways[i].cmd == cmd)
			return ways[i].first;
	return "2";
}

struct
try {
	enum ui_command cmd;
	size_t keys;
};

static void press_one(void *ctx, int key)
{
	struct try *t = ctx;
	char name[16];
	struct pv_heap heap;
	fake_heap(&heap, false);
	open_screen();
	const char *way = way_to(t->cmd);
	if (strncmp(way, "4444", 4) == 0) {
		press("4444");
		ui_browser_use(&screen, &heap, NULL);
		show();
		way += 4;
	}
	if (way[0] == '0') {
		press("0");
		fake_stream(true, false);
		way++;
	}
	press(way);
	char *before = frame();
	unsigned reply = ui_screen_key(&screen, key) & ~(unsigned)UI_HANDLED;
	show();
	char *after = frame();
	ck_assert_msg(reply || strcmp(before, after) != 0, "%s (%s) changes nothing",
		ui_command_row(t->cmd)->name, ui_key_name(key, name, sizeof name));
	ck_assert_msg(!seen("nothing changes by it here"), "%s (%s) has no case",
		ui_command_row(t->cmd)->name, ui_key_name(key, name, sizeof name));
	free(before);
	free(after);
	close_screen();
	pv_heap_finish(&heap);
	t->keys++;
}

START_TEST(every_key_does_something)
{
	struct try t = { .keys = 0 };
	for (t.cmd = 1; t.cmd < UI_CMD_COUNT; t.cmd++)
		ui_command_each_key(t.cmd, press_one, &t);
	ck_assert_uint_gt(t.keys, 70);
}
END_TEST

/* The labels in the function bar match what the keys do. */
START_TEST(the_function_bar_is_true)
{
	open_screen();
	press("2");
	for (int x = 0; x < 120; x++) {
		unsigned scopes = ui_screen_scopes(&screen);
		enum ui_command cmd =
			ui_frame_key_at(screen.layout.keys, scopes, &screen.shared, x);
		if (cmd != UI_CMD_NONE)
			ck_assert(ui_command_row(cmd)->scope & scopes);
	}
	ck_assert(seen("F1Help") && seen("F5Tree"));
	press("5");
	ck_assert(!seen("F5Tree"));
	close_screen();
}
END_TEST

START_TEST(help_shows_what_holds_here)
{
	open_screen();
	press("4h");
	ck_assert(seen("Mark the shot as base"));
	ck_assert(!seen("(:hot-path)"));
	press("q:tree<Enter>?");
	ck_assert(seen("(:hot-path)"));
	ck_assert(!seen("Mark the shot as base"));
	press("/everywhere<Enter>");
	char *text = frame();
	ck_assert_ptr_nonnull(strstr(text, "Everywhere"));
	free(text);
	press("nN<Esc>G");
	ck_assert(seen("Mouse"));
	press("gq");
	ck_assert(seen("[Tree]"));
	ck_assert(!seen("(:hot-path)"));
	close_screen();
}
END_TEST

START_TEST(the_command_line_completes_and_runs)
{
	open_screen();
	press(":meth<Tab>");
	ck_assert_str_eq(screen.prompt.text, "methods");
	press("<Enter>");
	ck_assert(seen("[2 CPU]"));
	press(":sor<Tab>");
	ck_assert_str_eq(screen.prompt.text, "sort");
	ck_assert(seen("sort-next"));
	press("<Tab>");
	ck_assert_str_eq(screen.prompt.text, "sort-next");
	press("<Tab><Tab><Tab>");
	ck_assert_str_eq(screen.prompt.text, "sort-1");
	press("<Shift-Tab>");
	ck_assert_str_eq(screen.prompt.text, "sort");
	press("<Esc>:sort <Tab><Tab>");
	ck_assert(seen("share  count  time"));
	ck_assert_str_eq(screen.prompt.text, "sort share");
	press("<Tab><Enter>");
	ck_assert_str_eq(ui_screen_list(&screen)->sort, "count");
	press(":group d<Tab>");
	ck_assert_str_eq(screen.prompt.text, "group domain");
	press("<Esc>:window <Tab>");
	ck_assert(seen("1  10  60  all"));
	press("<Esc>:sort zz<Tab>");
	ck_assert(seen("nothing begins so"));
	press("<Esc>:filter lib.r<Tab>");
	ck_assert_str_eq(screen.prompt.text, "filter Lib.Read()");
	press("<Esc>:threads<Enter>:threads <Tab><Tab>");
	char *thread = strdup(screen.prompt.text + strlen("threads "));
	press("<Enter>");
	ck_assert_str_eq(cursor(), thread);
	free(thread);
	press("2:filter Lib<Enter>");
	ck_assert(seen("filter: Lib"));
	press(":unf<Enter>");
	ck_assert(seen("no command unf"));
	press(":search Read<Enter>");
	ck_assert_str_eq(cursor(), "Lib.Read()");
	press(":search nowhere<Enter>");
	ck_assert(seen("not found: nowhere"));
	press("<Esc>");
	ck_assert(!seen("not found"));
	press("/elsewhere<Enter>");
	ck_assert(seen("not found: elsewhere"));
	press("<Esc>n");
	ck_assert(seen("not found: elsewhere"));
	press("/Lib.Read<Enter>n");
	ck_assert(seen("n: no other row has the text"));
	press("<F1>/elsewhere<Enter>");
	ck_assert(seen("not found: elsewhere"));
	press("<Esc>");
	press(":window 3<Enter>");
	ck_assert(seen("1, 10, 60 or all"));
	press(":hot<Enter>");
	ck_assert(seen("hot-path does nothing in this pane"));
	press(":overv<Enter>");
	ck_assert(seen("[1 Home]"));
	ck_assert_uint_eq(press(":quit!<Enter>"), UI_LEAVE);
	close_screen();
}
END_TEST

/* --- the mouse --- */

static unsigned click(int x, int y, enum ui_click how)
{
	unsigned reply = ui_screen_mouse(&screen, (struct ui_mouse){ x, y, how });
	show();
	return reply;
}

/* The place of a text on the screen. */
static void find(const char *part, int *ret_x, int *ret_y)
{
	char *text = frame();
	const char *at = strstr(text, part), *line = text;
	ck_assert_msg(at != NULL, "%s", part);
	int y = 0;
	for (const char *p = text; p < at; p++) {
		if (*p == '\n') {
			line = p + 1;
			y++;
		}
	}
	int x = 0;
	for (const char *p = line; p < at; p++)
		x += ((unsigned char)*p & 0xc0) != 0x80;
	*ret_x = x;
	*ret_y = y;
	free(text);
}

static void click_on(const char *part, enum ui_click how)
{
	int x, y;
	find(part, &x, &y);
	ck_assert_uint_ne(click(x, y, how), UI_IGNORED);
}

START_TEST(the_mouse_works)
{
	open_screen();
	click_on("2 CPU", UI_CLICK_PRESS);
	ck_assert(seen("[2 CPU]"));
	click_on("Lib.Sort(int[])", UI_CLICK_PRESS);
	ck_assert_str_eq(cursor(), "Lib.Sort(int[])");
	click_on("TIME", UI_CLICK_PRESS);
	ck_assert(seen("TIME▼"));
	click_on("TIME▼", UI_CLICK_PRESS);
	ck_assert(seen("TIME▲"));
	int x, y;
	find("App.Work(int)", &x, &y);
	press("g");
	click(x, y, UI_CLICK_WHEEL_DOWN);
	ck_assert_uint_eq(ui_screen_list(&screen)->at, 3);
	click(x, y, UI_CLICK_WHEEL_UP);
	ck_assert_uint_eq(ui_screen_list(&screen)->at, 0);
	click_on("App.Main()", UI_CLICK_DOUBLE);
	ck_assert(seen("[Tree]"));
	click_on("F1", UI_CLICK_PRESS);
	ck_assert(seen("In trees"));
	click_on("F1", UI_CLICK_PRESS);
	ck_assert(!seen("In trees"));
	click_on("F6", UI_CLICK_PRESS);
	ck_assert(seen("Sort by"));
	find("│ TIME", &x, &y);
	click(x + 3, y, UI_CLICK_PRESS);
	ck_assert(!seen("Sort by"));
	ck_assert(seen("TIME▼"));
	click_on("1 Home", UI_CLICK_PRESS);
	click_on("Held at", UI_CLICK_DOUBLE);
	ck_assert(seen("[4 Heap]"));
	close_screen();
}
END_TEST

/* Keys and clicks at random, at every size: nothing breaks, nothing is drawn outside. */
START_TEST(nothing_breaks_it)
{
	static const char keys[] = "1234567890`LXJCMijkgGIwpmRFhnN/\\:<>+-*l!@#$%^&"
				   "\t\r\x1b\x7f\x0c\x04\x15"
				   "abc";
	open_screen();
	unsigned seed = 12345;
	for (int i = 0; i < 20000; i++) {
		seed = seed * 1103515245 + 12345;
		unsigned dice = seed >> 16;
		if (dice % 97 == 0)
			ck_assert(ui_screen_resize(
				&screen, (int)(dice / 97 % 140), (int)(dice / 7 % 45)));
		else if (dice % 11 == 0)
			ui_screen_mouse(&screen,
				(struct ui_mouse){ (int)(dice / 11 % 130), (int)(seed >> 24 & 63),
					(enum ui_click)(seed >> 8 & 3) });
		else
			ui_screen_key(&screen, keys[dice % (sizeof keys - 1)]);
		if (dice % 3 == 0)
			show();
		if (dice % 31 == 0)
			world->generation++;
	}
	close_screen();
}
END_TEST

/* In sight at any place of the tree; with less room shorter, at last without its outer frames. */
START_TEST(a_tree_says_the_path_to_the_cursor)
{
	open_screen();
	press("2:tree<Enter>g");
	ck_assert(seen("▸ App.Main()") && !seen("▸ App.Main() ▸"));
	press("/Sort<Enter>");
	ck_assert(seen("▸ App.Main() ▸ App.Work(int) ▸ Lib.Sort(int[])"));
	ck_assert(ui_screen_resize(&screen, 44, 24));
	show();
	ck_assert(seen("▸ App.Main ▸ App.Work ▸ Lib.Sort(int[])"));
	ck_assert(!seen("▸ waits count ▸ App")); /* it has a line of its own */
	press(":methods<Enter>");
	ck_assert(!seen("▸ App.Main() ▸"));
	close_screen();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("keys");
	TCase *t = tcase_create("keys");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, every_key_does_something);
	tcase_add_test(t, the_function_bar_is_true);
	tcase_add_test(t, help_shows_what_holds_here);
	tcase_add_test(t, the_command_line_completes_and_runs);
	tcase_add_test(t, the_mouse_works);
	tcase_add_test(t, nothing_breaks_it);
	tcase_add_test(t, a_tree_says_the_path_to_the_cursor);
	suite_add_tcase(s, t);
	return run_suite(s);
}
