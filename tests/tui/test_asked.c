/* SPDX-License-Identifier: MIT */
/* The screen while its questions are answered on another thread, at once or delayed. */
#include "tests/kit/fake_screen.h"

#include <poll.h>
#include <pthread.h>

#include "tui/panes/flame_pane.h"
#include "tui/panes/timeline_pane.h"
#include "tui/screen/evidence.h"

enum { DEADLINE_MS = 60000 };

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static _Atomic unsigned at_gate;

static void pass_gate(void)
{
	at_gate++;
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	at_gate--;
}

static void run_nothing(struct ui_job *j)
{
	(void)j;
}

static void drop_mark(struct ui_job *j)
{
	free(j);
}

/* Waits until what has been asked for so far is answered, and draws. */
static void answers(void)
{
	struct ui_request slot = { 0 };
	struct ui_job *mark = calloc(1, sizeof *mark), *done;
	ck_assert_ptr_nonnull(mark);
	*mark = (struct ui_job){ .run = run_nothing, .drop = drop_mark };
	ui_query_worker_post(worker, &slot, mark);
	while (!(done = ui_slot_take(&slot))) {
		struct pollfd p = { .fd = ui_query_worker_fd(worker), .events = POLLIN };
		ck_assert_int_eq(poll(&p, 1, DEADLINE_MS), 1);
		ui_query_worker_clear(worker);
	}
	free(done);
	show();
}

/* The gate holds it from then on. */
static void wait_until_one_runs(void)
{
	for (int ms = 0; at_gate == 0; ms++) {
		ck_assert_int_lt(ms, DEADLINE_MS);
		poll(NULL, 0, 1);
	}
}

/* Until nothing more is asked: an answer may lead to another question. */
static void calm(void)
{
	unsigned asked;
	do {
		answers();
		asked = world->asked;
		answers();
	} while (world->asked != asked);
}

static void open_asked(void)
{
	fake_gate = pass_gate;
	worker = ui_query_worker_create();
	ck_assert_ptr_nonnull(worker);
	open_screen();
	calm();
}

static void close_asked(void)
{
	struct pv_model *kept = world;
	world = NULL;
	ui_screen_finish(&screen);
	ui_query_worker_destroy(worker);
	worker = NULL;
	fake_gate = NULL;
	free(kept);
}

static void press_calmly(const char *keys)
{
	unsigned times;
	int key;
	for (size_t n; (n = ui_key_parse(keys, &key, &times)) > 0; keys += n) {
		for (; times > 0; times--) {
			ui_screen_key(&screen, key);
			show();
			calm();
		}
	}
}

/* The screen once all answers are there does not depend on who gives them. */
START_TEST(the_same_frames_as_at_once)
{
	static const char *const stories[] = { "2jj", "2\\lib<Enter>I", "3*", "3**", "3l",
		"3/pars<Enter>", "3+jj-", "2/lib.<Enter>n", "2j<Tab>j<Enter>", "5j<Enter><Enter>",
		"6", "7gmj", "Ljj<Tab>", "X<Enter><Enter>q", "C+jj", "i<Tab>", "2w", "2p3w", "2G#I",
		"1<Tab><Tab><Enter>", "2jt", "2/zzz", "3/zzz<Enter>n", "2:search read<Enter>",
		"2:search zzz<Enter>" };
	for (size_t i = 0; i < PV_COUNT_OF(stories); i++) {
		open_asked();
		press_calmly(stories[i]);
		char *delayed = frame();
		close_asked();
		open_screen();
		press(stories[i]);
		char *at_once = frame();
		ck_assert_msg(
			strcmp(delayed, at_once) == 0, "%s:\n%s\n%s", stories[i], delayed, at_once);
		close_screen();
		free(delayed);
		free(at_once);
	}
}
END_TEST

START_TEST(keys_are_answered_while_the_model_is_not)
{
	open_asked();
	pthread_mutex_lock(&gate);
	press("2");
	ck_assert(seen("[2 CPU]"));
	ck_assert(!seen("App.Work(int)"));
	press(":tree<Enter>w");
	ck_assert(seen("[Tree]") && seen("last 60 s"));
	press("?");
	ck_assert(seen("In trees"));
	press("?:methods<Enter>\\lib<Enter>");
	ck_assert(seen("filter: lib"));
	ck_assert_uint_eq(press("Q"), UI_LEAVE);
	pthread_mutex_unlock(&gate);
	calm();
	ck_assert(seen("Lib.Read()"));
	ck_assert_uint_eq(ui_screen_list(&screen)->table->rows, 2);
	close_asked();
}
END_TEST

START_TEST(rows_at_hand_are_arranged_at_once)
{
	open_asked();
	press_calmly("2");
	pthread_mutex_lock(&gate);
	press("I");
	ck_assert_str_eq(cursor(), "App.Main()"); /* the least */
	press("\\lib");
	ck_assert(seen("Lib.Read()") && seen("Lib.Sort(int[])"));
	ck_assert_uint_eq(ui_screen_list(&screen)->table->rows, 2);
	pthread_mutex_unlock(&gate);
	calm();
	ck_assert_uint_eq(ui_screen_list(&screen)->table->rows, 2);
	press_calmly("<Enter><Del>:tree<Enter>");
	ck_assert(seen("Lib.Sort(int[])")); /* unfolded on the heaviest path */
	pthread_mutex_lock(&gate);
	press("g-");
	ck_assert(!seen("App.Work(int)"));
	ck_assert(seen("▶ App.Main()"));
	pthread_mutex_unlock(&gate);
	calm();
	ck_assert(!seen("App.Work(int)"));
	close_asked();
}
END_TEST

/* Rows of an earlier question say nothing of what the answer holds. */
START_TEST(a_search_waits_for_the_answer)
{
	open_asked();
	press_calmly("2\\lib<Enter>");
	pthread_mutex_lock(&gate);
	press("\\<C-u>app<Enter>/work<Enter>");
	ck_assert(!seen("not found"));
	pthread_mutex_unlock(&gate);
	calm();
	ck_assert(!seen("not found"));
	ck_assert_str_eq(cursor(), "App.Work(int)");
	press_calmly("/lib<Enter>");
	ck_assert(seen("not found: lib"));
	close_asked();
}
END_TEST

/* Eight letters of a filter while one question is under way are one question more, not eight. */
START_TEST(stale_questions_are_dropped)
{
	open_asked();
	press_calmly(":threads<Enter>");
	unsigned before = world->asked;
	pthread_mutex_lock(&gate);
	press("\\wwwwwwww");
	pthread_mutex_unlock(&gate);
	calm();
	ck_assert_uint_le(world->asked - before, 2);
	ck_assert(seen("nothing matches the filter"));
	close_asked();
}
END_TEST

START_TEST(keys_wait_for_the_first_rows_only)
{
	open_asked();
	pthread_mutex_lock(&gate);
	press("2");
	ck_assert(ui_screen_awaits(&screen, 'j'));
	ck_assert(ui_screen_awaits(&screen, '\r'));
	ck_assert(!ui_screen_awaits(&screen, '3'));
	ck_assert(!ui_screen_awaits(&screen, 'Q'));
	ck_assert(!ui_screen_awaits(&screen, '\\'));
	press(":sort");
	ck_assert(!ui_screen_awaits(&screen, 'x')); /* typing goes on, */
	ck_assert(ui_screen_awaits(&screen, '\r')); /* the command may be about rows */
	press("<Esc>");
	pthread_mutex_unlock(&gate);
	calm();
	ck_assert(!ui_screen_awaits(&screen, 'j'));
	world->generation++;
	pthread_mutex_lock(&gate);
	show();
	ck_assert(!ui_screen_awaits(&screen, 'j')); /* there are rows, of a moment ago */
	press("j");
	ck_assert_str_eq(cursor(), "Lib.Sort(int[])");
	pthread_mutex_unlock(&gate);
	calm();
	ck_assert_str_eq(cursor(), "Lib.Sort(int[])");
	close_asked();
}
END_TEST

/* The tree searches for the method that was picked elsewhere; who moves meanwhile keeps the place.
 */
START_TEST(a_delayed_hit_does_not_move_who_moved)
{
	open_asked();
	press_calmly(":tree<Enter>l:methods<Enter>/sort<Enter>:tree<Enter>");
	ck_assert_str_eq(cursor(), "Lib.Sort(int[])");
	press_calmly("g2/main<Enter>");
	pthread_mutex_lock(&gate);
	press(":tree<Enter>jj");
	pthread_mutex_unlock(&gate);
	calm();
	ck_assert_str_eq(cursor(), "Lib.Sort(int[])");
	close_asked();
}
END_TEST

START_TEST(pause_takes_the_figures_of_its_moment)
{
	open_asked();
	press_calmly("2");
	press_calmly("p");
	fake_find(world, PV_VIEW_METHODS, 1)->count = 5000;
	world->generation++;
	show();
	calm();
	ck_assert(!seen("5 000") && !seen("as of now"));
	press_calmly("\\main<Enter>");
	ck_assert(!seen("5 000") && seen("App.Main()"));
	press_calmly("p");
	ck_assert(seen("5 000"));
	close_asked();
}
END_TEST

/* The model may die as soon as nothing runs, though answers were never taken. */
START_TEST(a_model_dies_among_questions)
{
	open_asked();
	pthread_mutex_lock(&gate);
	press("2:tree<Enter>34");
	wait_until_one_runs();
	ui_screen_forget(&screen);
	struct pv_model *old = world, *fresh = fake_world();
	world = NULL;
	show();
	ck_assert(!ui_query_worker_idle(worker));
	pthread_mutex_unlock(&gate);
	answers();
	ck_assert(ui_query_worker_idle(worker));
	memset(old, 0xff, sizeof *old);
	free(old);
	world = fresh;
	show();
	calm();
	press_calmly("3");
	ck_assert(seen("System.String"));
	close_asked();
}
END_TEST

/* Views that were left wait for no answer from a range's model, which dies when another is set. */
START_TEST(nothing_is_asked_of_a_range_that_has_gone)
{
	open_asked();
	struct pv_model *range = fake_world();
	ui_screen_use(&screen, range);
	show();
	calm();
	struct ui_timeline *lanes = screen.pane[ui_goto_index(UI_CMD_TIMELINE)].timeline;
	struct ui_flame *flame = screen.pane[ui_goto_index(UI_CMD_FLAME)].flame;
	pthread_mutex_lock(&gate);
	press("2");
	wait_until_one_runs();
	press(":flame<Enter>D4");
	ck_assert(ui_slot_pending(&lanes->ask.slot) && ui_slot_pending(&flame->slot));
	ui_screen_use(&screen, NULL);
	ck_assert(!ui_slot_pending(&lanes->ask.slot) && !ui_slot_pending(&flame->slot));
	show();
	pthread_mutex_unlock(&gate);
	answers();
	memset(range, 0xff, sizeof *range);
	free(range);
	calm();
	ck_assert(seen("[Shots]"));
	close_asked();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("asked");
	TCase *t = tcase_create("asked");
	tcase_set_timeout(t, 120);
	tcase_add_test(t, the_same_frames_as_at_once);
	tcase_add_test(t, keys_are_answered_while_the_model_is_not);
	tcase_add_test(t, rows_at_hand_are_arranged_at_once);
	tcase_add_test(t, a_search_waits_for_the_answer);
	tcase_add_test(t, stale_questions_are_dropped);
	tcase_add_test(t, keys_wait_for_the_first_rows_only);
	tcase_add_test(t, pause_takes_the_figures_of_its_moment);
	tcase_add_test(t, a_model_dies_among_questions);
	tcase_add_test(t, nothing_is_asked_of_a_range_that_has_gone);
	tcase_add_test(t, a_delayed_hit_does_not_move_who_moved);
	suite_add_tcase(s, t);
	return run_suite(s);
}
