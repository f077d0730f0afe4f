/* SPDX-License-Identifier: MIT */
/*
 * Every key in every pane: the frame is another one afterwards, the caller is asked for something,
 * or the message line says why nothing has changed.
 */
#include "tests/kit/fake_screen.h"

#include <stdio.h>

#include "tests/kit/fake_heap.h"
#include "common/model/identity/identity.h"
#include "tui/draw/key.h"

/* Keys that come before the key, after the pane's own. */
static const char *const states[] = { "", "<Tab>", "p", "\\zzz<Enter>", "?" };

static struct pv_heap heap;
static unsigned silent; /* keys that changed nothing and said nothing */
static char which[4000];

static void go_to(const struct ui_pane_def *def)
{
	ui_screen_command(&screen, def->command);
	show();
	if (def->command == UI_CMD_OBJECTS) {
		ui_browser_use(&screen, &heap, NULL);
		show();
	}
}

static void try_key(int key, const struct ui_pane_def *def, const char *state)
{
	char name[16];
	char *before = frame();
	unsigned reply = ui_screen_key(&screen, key) & ~(unsigned)UI_HANDLED;
	show();
	char *after = frame();
	bool said = screen.message[0] != 0;
	if (!reply && !said && strcmp(before, after) == 0) {
		size_t n = silent++ ? strlen(which) : 0;
		snprintf(which + n, sizeof which - n, "\n  pane %s, after \"%s\": %s", def->tab,
			state, ui_key_name(key, name, sizeof name));
	}
	free(before);
	free(after);
}

/* `n`: of the states, so many. */
static void try_everywhere(int key, size_t n, enum ui_feed_state feed_state, bool empty)
{
	const int width = n > 1 ? 120 : 80, height = n > 1 ? 36 : 24;
	for (size_t i = 0; i < ui_pane_count; i++) {
		for (size_t k = 0; k < n; k++) {
			open_screen_unseen(empty ? 40 : width, empty ? 10 : height);
			feed.state = feed_state;
			if (empty)
				world->rows = 0;
			go_to(&ui_pane_defs[i]);
			press(states[k]);
			screen.message[0] = 0;
			show();
			try_key(key, &ui_pane_defs[i], states[k]);
			close_screen();
		}
	}
}

static const int special[] = { UI_KEY_TAB, UI_KEY_ENTER, UI_KEY_ESC, UI_KEY_BACKSPACE, UI_KEY_UP,
	UI_KEY_DOWN, UI_KEY_LEFT, UI_KEY_RIGHT, UI_KEY_HOME, UI_KEY_END, UI_KEY_PGUP, UI_KEY_PGDN,
	UI_KEY_DEL, UI_KEY_BACKTAB, UI_KEY_F0 + 1, UI_KEY_F0 + 2, UI_KEY_F0 + 3, UI_KEY_F0 + 4,
	UI_KEY_F0 + 5, UI_KEY_F0 + 6, UI_KEY_F0 + 7, UI_KEY_F0 + 8, UI_KEY_F0 + 9, UI_KEY_F0 + 10,
	UI_KEY_F0 + 11, 0xe9 };

static void try_all(size_t n, enum ui_feed_state state, bool empty)
{
	fake_heap(&heap, false);
	for (int key = 1; key < 127; key++)
		try_everywhere(key, n, state, empty);
	for (size_t i = 0; i < PV_COUNT_OF(special); i++)
		try_everywhere(special[i], n, state, empty);
	pv_heap_finish(&heap);
	ck_assert_msg(silent == 0, "%u keys change nothing and say nothing: %s", silent, which);
}

START_TEST(of_a_live_log)
{
#ifdef __SANITIZE_ADDRESS__
	try_all(1, UI_FEED_LIVE, false); /* memory is slow there, and what is said is the same */
#else
	try_all(PV_COUNT_OF(states), UI_FEED_LIVE, false);
#endif
}
END_TEST

START_TEST(of_one_that_has_ended)
{
	try_all(1, UI_FEED_ENDED, false);
}
END_TEST

START_TEST(of_one_without_rows)
{
	try_all(1, UI_FEED_ENDED, true);
}
END_TEST

START_TEST(why_is_said)
{
	static const struct {
		const char *keys, *words;
	} row[] = {
		{ "<F12>", "no command has the key F12; F1 shows those of this pane" },
		{ "P", "the log is of one process: only a folder of logs has a list of them" },
		{ "2W", "W: kept-by in diff and growth, paths in objects; not here" },
		{ "3m", "m: counted in methods and tree, base in shots, measure in flame, percentile in requests; not here" },
		{ "h\\", "\\: filter in lists; q closes this first" },
		{ "<Del>", "Del: there is no filter; \\ sets one" },
		{ "2k", "k: this is the first row" },
		{ "2Gj", "j: this is the last row" },
		{ "88", "8: this is the only view of the room" },
		{ "5b", "the rows of this pane are not grouped" },
		{ "2<Del>", "Del: there is no filter; \\ sets one" },
		{ "2<Left>", "Left: there are no columns further left" },
		{ "kk", "this is the first box" },
		{ "2<Esc>", "Esc: there is nothing to cancel" },
		{ "2:down<Enter>G:down<Enter>", "down: this is the last row" },
	};
	for (size_t i = 0; i < PV_COUNT_OF(row); i++) {
		open_screen();
		press(row[i].keys);
		ck_assert_str_eq(screen.message, row[i].words);
		ck_assert(seen(row[i].words));
		close_screen();
	}
}
END_TEST

START_TEST(a_grouping_is_the_panes_own)
{
	open_screen();
	press("2bbbb");
	ck_assert(seen("grouped by assembly"));
	press("3");
	ck_assert(!seen("grouped by"));
	press("b2");
	ck_assert(seen("grouped by assembly"));
	press("1");
	ck_assert(!seen("grouped by"));
	close_screen();
	open_screen_of(40, 10);
	press("2b");
	ck_assert(seen("grouped by namespace"));
	press(":tree<Enter>");
	ck_assert(!seen("grouped by"));
	close_screen();
}
END_TEST

/* --- shots that come while two are compared --- */

START_TEST(reading_is_said_on_a_small_screen)
{
	open_screen_of(40, 10);
	press("Y");
	ck_assert(seen("looking for objects"));
	close_screen();
}
END_TEST

START_TEST(newer_shots_are_followed_or_said)
{
	struct pv_identity identity = { .options = { .shot = 1 } };
	open_screen();
	world->summary.shots = 2;
	world->generation++;
	show();
	press("Y");
	ck_assert(screen.compare.asked && screen.shared.identity.reading);
	press("W");
	ck_assert(seen("objects are still being followed"));
	ck_assert(seen("looking for objects")); /* the message does not hide how far it is */
	press("<Enter>");
	ck_assert(seen("objects are still being followed: the rows come then"));
	ck_assert(seen("looking for objects") && !seen("nothing behind"));
	screen.compare.asked = false;
	ui_compare_use(&screen, &identity, world, NULL);
	show();
	ck_assert(!screen.compare.asked && !seen("newer shot"));
	world->summary.shots = 3; /* it took no time: again */
	world->generation++;
	show();
	show();
	ck_assert(screen.compare.asked);
	screen.compare.asked = false;
	now_ns += 3000000000;
	show();
	ui_compare_use(&screen, &identity, world, NULL); /* it took 3 s */
	world->summary.shots = 5;
	world->generation++;
	show();
	show();
	ck_assert(!screen.compare.asked);
	ck_assert(seen("2 newer shots, u follows"));
	press(":diff<Enter>");
	ck_assert(seen("2 newer shots, u follows"));
	press("u");
	ck_assert(screen.compare.asked && !seen("newer shot"));
	close_screen();
}
END_TEST

/* --- words in other states --- */

static void end_the_log(void)
{
	feed.state = UI_FEED_ENDED;
	show();
}

START_TEST(hints_are_true)
{
	open_screen();
	press("4");
	ck_assert(seen("F9Shot") && seen("S takes a shot") && seen("m marks the base"));
	end_the_log();
	ck_assert(!seen("F9Shot") && !seen("S takes a shot") && seen("m marks the base"));
	press("S");
	ck_assert(seen("no heap shot: the recording has ended"));
	press("a");
	ck_assert(seen("no heap shots: the recording has ended"));
	press("T");
	ck_assert(seen("nothing is recorded any more"));
	press("5");
	ck_assert(!seen("follows the newest"));
	press("2?");
	ck_assert(seen("q closes the help") && !seen("Enter on a method"));
	close_screen();
	open_screen();
	screen.shared.readonly = true;
	press("4");
	ck_assert(!seen("F9Shot") && !seen("S takes a shot"));
	close_screen();
	open_screen();
	world->rows = 0;
	world->generation++;
	press("3");
	ck_assert(!seen("the stacks that allocate"));
	close_screen();
}
END_TEST

START_TEST(paused_after_the_end_counts_nothing)
{
	open_screen();
	press("p");
	now_ns = 3000000000;
	show();
	ck_assert(seen("PAUSED at") && seen("lag 3.00 s"));
	end_the_log();
	now_ns = 9000000000;
	show();
	ck_assert(seen("lag 3.00 s"));
	press("pp");
	now_ns = 20000000000;
	show();
	ck_assert(seen("PAUSED at") && !seen("lag"));
	close_screen();
}
END_TEST

START_TEST(the_window_of_an_ended_log_is_its_last_seconds)
{
	open_screen();
	press("2ww"); /* 10 s, which roll */
	ck_assert(seen("last 10 s") && !screen.shared.range.on);
	press("5"); /* which has no figures of that */
	ck_assert(!seen("last 10 s"));
	press("1");
	ck_assert(seen("methods and classes of the last 10 s"));
	press("2");
	end_the_log();
	ck_assert(seen("last 10 s of the recording"));
	ck_assert(screen.shared.range.on && screen.shared.range.relative && screen.range_asked);
	ck_assert_int_eq(screen.shared.range.from_ns, INT64_C(-10000000000));
	press("w");
	ck_assert(seen("last 1 s of the recording"));
	press("R");
	ck_assert(seen("nothing comes anew"));
	press("w");
	ck_assert(!screen.shared.range.on && seen("figures since the start"));
	press("w[");
	ck_assert(screen.shared.range.on && screen.shared.window_ns == 0);
	press("<C-r>");
	ck_assert(!screen.shared.range.on);
	press(":window 60<Enter>");
	ck_assert(seen("last 60 s of the recording"));
	close_screen();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("idle keys");
	TCase *t = tcase_create("idle keys");
	tcase_set_timeout(t, 120);
	tcase_add_test(t, of_a_live_log);
	tcase_add_test(t, of_one_that_has_ended);
	tcase_add_test(t, of_one_without_rows);
	tcase_add_test(t, why_is_said);
	tcase_add_test(t, a_grouping_is_the_panes_own);
	tcase_add_test(t, reading_is_said_on_a_small_screen);
	tcase_add_test(t, newer_shots_are_followed_or_said);
	tcase_add_test(t, hints_are_true);
	tcase_add_test(t, paused_after_the_end_counts_nothing);
	tcase_add_test(t, the_window_of_an_ended_log_is_its_last_seconds);
	suite_add_tcase(s, t);
	return run_suite(s);
}
