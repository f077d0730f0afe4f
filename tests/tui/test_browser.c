/* SPDX-License-Identifier: MIT */
/* The object browser: where keys lead in a heap shot, and what its sets hold. */
#include "tests/kit/fake_screen.h"

#include "tests/kit/fake_heap.h"
#include "tui/panes/sections.h"
#include "tui/screen/browser.h"

static struct pv_heap heap, heap_weak;

/* The same as snapshot_loader.c does, at once. */
static void bring(void)
{
	if (!screen.browser.asked)
		return;
	screen.browser.asked = false;
	heap.graph.shot = heap_weak.graph.shot = screen.shared.heap.shot;
	ui_browser_use(&screen, screen.shared.heap.weak ? &heap_weak : &heap, NULL);
	show();
}

static void go(const char *keys)
{
	press(keys);
	bring();
	show();
}

static void open_browser(void)
{
	fake_heap(&heap, false);
	fake_heap(&heap_weak, true);
	open_screen();
	go("4444");
}

static void close_browser(void)
{
	close_screen();
	pv_heap_finish(&heap);
	pv_heap_finish(&heap_weak);
}

/* The address in the cursor's row, 0 when there is none. */
static uint64_t at(void)
{
	const struct ui_list *l = ui_screen_list(&screen);
	const struct pv_row *row = ui_list_row(l);
	int column = l->table ? pv_table_column(l->table, "address") : -1;
	return row && column >= 0 ? row->cell[column].u : 0;
}

static size_t rows(void)
{
	const struct ui_list *l = ui_screen_list(&screen);
	return l->table ? l->table->rows : 0;
}

START_TEST(it_reads_the_selected_shot)
{
	fake_heap(&heap, false);
	open_screen();
	press("4g:objects<Enter>");
	ck_assert(screen.browser.asked);
	ck_assert_uint_eq(screen.shared.heap.shot, 0);
	ck_assert(seen("heap shot 0: reading"));
	ck_assert(seen("Esc or z stops"));
	screen.shared.heap.phase = "dominators";
	screen.shared.heap.step = 3;
	screen.shared.heap.steps = 4;
	show();
	ck_assert(seen("dominators 75 %"));
	press("z");
	ck_assert(screen.browser.cancelled);
	ui_browser_use(&screen, NULL, "cancelled");
	show();
	ck_assert(!seen("75 %"));
	press(":shots<Enter>G:objects<Enter>"); /* the newest one */
	ck_assert_uint_eq(screen.shared.heap.shot, 1);
	bring();
	ck_assert(seen("shot 1 ▸ classes"));
	ck_assert(seen("RETAINED"));
	close_screen();
	pv_heap_finish(&heap);
}
END_TEST

START_TEST(it_waits_for_the_first_shot)
{
	open_screen();
	struct pv_model *later = world;
	world = NULL;
	screen.shared.all.shots = 0;
	screen.summed_up = false;
	press(":objects<Enter>");
	ck_assert(seen("no heap shot so far"));
	ck_assert(!screen.browser.asked);
	world = later;
	show();
	ck_assert(screen.browser.asked);
	ck_assert_uint_eq(screen.shared.heap.shot, 1);
	show();
	ck_assert(seen("heap shot 1: reading"));
	close_screen();
}
END_TEST

START_TEST(classes_lead_to_objects_and_these_to_what_they_keep)
{
	open_browser();
	ck_assert_str_eq(cursor(), "0x71e"); /* both tiles together retain most */
	press("/0x71e5<Enter><Enter>");
	ck_assert(seen("objects: 0x71e5"));
	ck_assert_uint_eq(at(), FAKE_TILES);
	press("<Enter>");
	ck_assert(seen("the roots / 0xca / 0x71e5"));
	ck_assert_uint_eq(at(), FAKE_TILE); /* 0x3100 has another way */
	ck_assert_uint_eq(rows(), 1);
	press("<Backspace>"); /* out, to the row it is */
	ck_assert_uint_eq(at(), FAKE_TILES);
	press("<Backspace>");
	ck_assert_uint_eq(at(), FAKE_CACHE);
	ck_assert(seen("kept by the roots"));
	ck_assert_uint_eq(rows(), 3);
	press("(((");
	ck_assert(seen("objects: 0x71e5"));
	press(")");
	ck_assert(seen("/ 0x71e5"));
	press("(((((((");
	ck_assert(seen("▸ classes"));
	close_browser();
}
END_TEST

START_TEST(references_are_followed_both_ways)
{
	open_browser();
	press("f0x3108<Enter>"); /* into the object at 0x3100 */
	ck_assert_uint_eq(at(), FAKE_TILE + 0x100);
	ck_assert(seen("kept by the roots"));
	press("<Tab>");
	ck_assert(seen("+0x10"));
	press("<Enter>");
	ck_assert_uint_eq(at(), 0x4100);
	press("<Tab><Tab>");
	ck_assert_uint_eq(at(), FAKE_TILE + 0x100);
	press("<Enter><Tab><Tab>");
	ck_assert_uint_eq(rows(), 2); /* the array and the job refer to it */
	press("<Tab>");
	ck_assert(seen("Path to a root"));
	press("G");
	ck_assert(seen("stack"));
	press("<Enter>");
	ck_assert(seen("is a root, not an object"));
	close_browser();
}
END_TEST

START_TEST(objects_are_found_by_class_size_and_address)
{
	open_browser();
	press("f71e<Enter>");
	ck_assert_uint_eq(rows(), 3);
	press("f=64<Enter>");
	ck_assert_uint_eq(rows(), 2);
	press("f><Enter>"); /* no size: a class of that name */
	ck_assert_uint_eq(rows(), 0);
	press("f0x1<Enter>");
	ck_assert(seen("no object of the shot is at 0x1"));
	press("f0x6000<Enter>");
	ck_assert(seen("no root reaches"));
	ck_assert_uint_eq(at(), 0x6000);
	press("(");
	ck_assert_uint_eq(rows(), 0);
	press(":find<Space><lt>24<Enter>");
	ck_assert_uint_eq(rows(), 2);
	close_browser();
}
END_TEST

START_TEST(weak_references_count_when_asked)
{
	open_browser();
	press("U");
	ck_assert(seen("unreachable: 2 objects, 32 bytes"));
	ck_assert_uint_eq(rows(), 2);
	go("yd");
	ck_assert(seen("weak references count"));
	ck_assert_uint_eq(rows(), 4);
	go("yd");
	ck_assert_uint_eq(rows(), 3);
	close_browser();
}
END_TEST

START_TEST(sets_are_combined)
{
	open_browser();
	press("s");
	ck_assert(seen("there is no set yet"));
	press("f71e<Enter>akinds<Enter>"); /* the array and both tiles */
	ck_assert(seen("kinds: 3 objects"));
	press("B\\0x71e5<Enter>");
	ck_assert_uint_eq(rows(), 0);                /* it is an address to the filter */
	press("<Del>f0x1000<Enter><Enter>a<Enter>"); /* the cache's contents, itself included */
	ck_assert(seen("N2: 4 objects"));
	press("x<Enter>");
	ck_assert(seen("N2 & kinds: 2 objects"));
	ck_assert_uint_eq(rows(), 2);
	press("\"<Enter>");
	ck_assert(seen("0 objects"));
	press("((");
	ck_assert(seen("objects: N2"));
	press("u<Enter>");
	ck_assert(seen("N2 + kinds: 5 objects"));
	press("s<Esc>");
	ck_assert(seen("N2 + kinds"));
	press("s<Enter>");
	ck_assert(seen("objects: kinds"));
	press("W");
	ck_assert(seen("paths to kinds"));
	ck_assert(seen("KEPT BY"));
	ck_assert(seen("other"));
	press("<Backspace>");
	ck_assert(seen("objects: kinds"));
	close_browser();
}
END_TEST

START_TEST(a_class_of_a_shot_leads_here)
{
	open_browser();
	press(":shots<Enter>g<Tab><Enter>");
	ck_assert(seen("[Objects]"));
	ck_assert_int_eq(screen.browser.at.mode, UI_BROWSE_OBJECTS);
	ck_assert_uint_eq(screen.browser.at.klass, 21);
	press("<Backspace>");
	ck_assert_int_eq(screen.browser.at.mode, UI_BROWSE_CLASSES);
	press("<Backspace>");
	ck_assert(seen("[Shots]"));
	close_browser();
}
END_TEST

/* The model goes: nothing of the shot is left, and nothing asks for it. */
START_TEST(it_forgets)
{
	open_browser();
	press("f71e<Enter>akinds<Enter>W");
	ui_screen_forget(&screen);
	ck_assert_ptr_null(screen.shared.heap.heap);
	ck_assert_uint_eq(screen.browser.sets, 0);
	ck_assert_uint_eq(screen.browser.dead.n, 1);
	ui_browser_sweep(&screen.browser, NULL);
	show();
	press("BdcW(");
	close_browser();
}
END_TEST

/* A picture that freezes takes the figures of all panes, those off the screen, too. */
START_TEST(no_set_of_another_shot_is_asked)
{
	open_browser();
	press("f71e<Enter>akinds<Enter>");
	const struct ui_list *l = &ui_browser_pane(&screen)->list[0];
	ck_assert_ptr_nonnull(l->set);
	press(":shots<Enter>gr");
	ck_assert_uint_eq(screen.browser.dead.n, 1);
	ui_browser_sweep(&screen.browser, NULL);
	bring();
	ck_assert_ptr_nonnull(screen.shared.heap.heap);
	press("p");
	ck_assert_ptr_null(l->set);
	close_browser();
}
END_TEST

/* The summary says so. */
static void shot_has(uint64_t objects)
{
	world->summary.shot_objects = objects;
	screen.summed_up = false;
	show();
}

/* The newest shot is opened for Home; its keeper leads into it, whatever the pane of shots has. */
START_TEST(home_says_who_keeps_memory)
{
	fake_heap(&heap, false);
	fake_heap(&heap_weak, true);
	open_screen();
	shot_has(9);
	ck_assert(screen.browser.asked && !screen.browser.visited);
	ck_assert_uint_eq(screen.shared.heap.shot, 1);
	bring();
	show();
	ck_assert(seen("Held by, shot 1"));
	ck_assert(seen("other: 0xca"));
	screen.overview.focus = UI_BLOCK_HELD;
	press("\r");
	ck_assert(!screen.browser.asked && screen.browser.visited);
	ck_assert(seen("shot 1 ▸ kept by the roots"));
	ck_assert_uint_eq(at(), FAKE_CACHE);
	go("o");
	ck_assert(seen("other: 0xca"));
	ck_assert_uint_eq(rows(), 2); /* and that of the stack */
	press("\r");
	ck_assert_uint_eq(at(), FAKE_CACHE);
	close_browser();
}
END_TEST

/* Whatever was read while the log was, at its end Home is about the newest shot, or says less. */
START_TEST(home_is_about_the_newest_shot)
{
	fake_heap(&heap, false);
	fake_heap(&heap_weak, true);
	open_screen();
	shot_has(9);
	ck_assert(screen.browser.asked);
	screen.browser.asked = false; /* it is being read */
	world->summary.shot = 2;
	shot_has(9);
	ck_assert(!screen.browser.asked);
	heap.graph.shot = 1;
	ui_browser_use(&screen, &heap, NULL);
	show(); /* no figure has changed since */
	ck_assert(seen("Held at the last shot"));
	ck_assert(screen.browser.asked);
	ck_assert_uint_eq(screen.shared.heap.shot, 2);
	bring();
	show();
	ck_assert(seen("Held by, shot 2"));
	world->summary.shot = 3;
	shot_has(100 * 1000 * 1000); /* too large to be read */
	show();
	ck_assert(seen("Held at the last shot"));
	close_browser();
}
END_TEST

/* A shot that is too large, or cannot be read, is left to those who ask for it. */
START_TEST(home_can_do_without)
{
	open_screen();
	shot_has(100 * 1000 * 1000);
	ck_assert(!screen.browser.asked);
	shot_has(9);
	ck_assert(screen.browser.asked);
	screen.browser.asked = false;
	ui_browser_use(&screen, NULL, "a pipe is read once");
	show();
	ck_assert(!screen.browser.asked);
	ck_assert(!seen("a pipe is read once"));
	ck_assert(seen("Held at the last shot"));
	close_screen();
}
END_TEST

START_TEST(nothing_breaks_it)
{
	static const char keys[] = "cBdotrWUy()asuxD\r\r\r\x7f\tjjkG g*+-f71e\r\x1b\\2\r9";
	open_browser();
	unsigned seed = 4711;
	for (int i = 0; i < 6000; i++) {
		seed = seed * 1103515245 + 12345;
		ui_screen_key(&screen, keys[(seed >> 16) % (sizeof keys - 1)]);
		bring();
		if (seed >> 24 & 1)
			show();
	}
	close_browser();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("browser");
	TCase *t = tcase_create("browser");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, it_reads_the_selected_shot);
	tcase_add_test(t, it_waits_for_the_first_shot);
	tcase_add_test(t, classes_lead_to_objects_and_these_to_what_they_keep);
	tcase_add_test(t, references_are_followed_both_ways);
	tcase_add_test(t, objects_are_found_by_class_size_and_address);
	tcase_add_test(t, weak_references_count_when_asked);
	tcase_add_test(t, sets_are_combined);
	tcase_add_test(t, a_class_of_a_shot_leads_here);
	tcase_add_test(t, it_forgets);
	tcase_add_test(t, no_set_of_another_shot_is_asked);
	tcase_add_test(t, home_says_who_keeps_memory);
	tcase_add_test(t, home_is_about_the_newest_shot);
	tcase_add_test(t, home_can_do_without);
	tcase_add_test(t, nothing_breaks_it);
	suite_add_tcase(s, t);
	return run_suite(s);
}
