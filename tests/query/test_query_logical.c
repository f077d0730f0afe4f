/* SPDX-License-Identifier: MIT */
/* Logical stacks: what is shown above an async method that goes on after an await, and what is not. */
#include <stdio.h>
#include <string.h>

#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

/* Frames, by the letters of the stacks below. */
static const struct {
	char letter;
	const char *name;
} frames[] = {
	{ 'p', "System.Threading.ThreadPoolWorkQueue:Dispatch ()" },
	{ 'b', "System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1/AsyncStateMachineBox`1<X>:MoveNext ()" },
	{ 'x', "System.Threading.ExecutionContext:RunInternal (object)" },
	{ 'c', "System.Threading.Tasks.Task:RunContinuations (object)" },
	{ 's', "System.Runtime.CompilerServices.AsyncMethodBuilderCore:Start (!!0&)" },
	{ 't', "System.Threading.Tasks.TaskCompletionSource:SetResult ()" },
	{ 'F', "Shop/<Find>d__1:MoveNext ()" },
	{ 'f', "Shop:Find ()" },
	{ 'O', "Shop/<Carts>d__2:MoveNext ()" },
	{ 'o', "Shop:Carts ()" },
	{ 'S', "Shop/<Serve>d__3:MoveNext ()" },
	{ 'T', "Shop/<Twice>d__4:MoveNext ()" },
	{ 'U', "Shop/<Thrice>d__5:MoveNext ()" },
	{ 'h', "Shop:Helper ()" },
	{ 'w', "Shop:Work ()" },
};

static uint64_t key_of(char letter)
{
	return 0x100 + (uint64_t)letter * 0x10;
}

static struct kit new_kit(void)
{
	struct kit k = kit_new("log:nodefaults,sample,calls,alloc");
	for (size_t i = 0; i < PV_COUNT_OF(frames); i++)
		kit_method(&k, key_of(frames[i].letter), frames[i].name);
	return k;
}

/* Samples with this stack, outermost first. */
static void sample(struct kit *k, const char *stack, int times)
{
	uint64_t inner_first[40] = { 0 };
	const size_t n = strlen(stack);
	for (size_t i = 0; i < n; i++)
		inner_first[i] = key_of(stack[n - 1 - i]);
	for (int i = 0; i < times; i++)
		kit_sample(k, 0x10, inner_first[0] + 1, inner_first);
}

static void alloc(struct kit *k, const char *stack)
{
	uint64_t outer_first[40] = { 0 };
	for (size_t i = 0; stack[i]; i++)
		outer_first[i] = key_of(stack[i]);
	kit_alloc(k, 0x900, 0x9000, 24, outer_first);
}

static void has_rows(struct kit *k, enum pv_view view, const struct pv_query *q,
	const char *const *columns, const char *const *rows)
{
	struct pv_table *t = kit_view(k, view, q);
	size_t n = 0;
	for (; rows[n]; n++) {
		ck_assert_uint_gt(t->rows, n);
		ck_assert_str_eq(kit_text(t, n, columns), rows[n]);
	}
	ck_assert_uint_eq(t->rows, n);
	pv_table_destroy(t);
}

static const char *const tree[] = { "method", "samples", "samples_total", "usual_percent", NULL };
static const struct pv_query all_open = { .open_all = true, .sort = "method" };

/* Serve awaits Carts, which awaits Find: each is resumed from within the end of the one it awaited. */
static struct kit shop(void)
{
	struct kit k = new_kit();
	sample(&k, "pbxFw", 7);
	sample(&k, "pbxFcbxOw", 2);
	sample(&k, "pbxFcbxOcbxSw", 1);
	return k;
}

START_TEST(what_awaits_stands_above_what_it_awaited)
{
	struct kit k = shop();
	has_rows(&k, PV_VIEW_CALL_TREE, &all_open, tree,
		(const char *const[]){ "Shop/<Serve>d__3:MoveNext () 0 1 -", "Shop:Work () 1 1 -",
			"Shop/<Serve>d__3:MoveNext () [awaits] 0 9 -",
			"Shop/<Carts>d__2:MoveNext () [awaits; usual, 100 %] 0 7 100",
			"Shop/<Find>d__1:MoveNext () [usual, 100 %] 0 7 100", "Shop:Work () 7 7 -",
			"Shop/<Carts>d__2:MoveNext () [usual, 100 %] 0 2 100", "Shop:Work () 2 2 -",
			NULL });
	kit_free(&k);
}
END_TEST

START_TEST(totals_are_of_what_awaits)
{
	struct kit k = shop();
	static const char *const figures[] = { "name", "samples_self", "samples_total", NULL };
	const struct pv_query by_name = { .sort = "name" };
	has_rows(&k, PV_VIEW_METHODS, &by_name, figures,
		(const char *const[]){ "Shop/<Carts>d__2:MoveNext () 0 9",
			"Shop/<Find>d__1:MoveNext () 0 7", "Shop/<Serve>d__3:MoveNext () 0 10",
			"Shop:Work () 10 10", NULL });
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, NULL);
	const struct pv_query find = {
		.select = kit_row(t, "name", "Shop/<Find>d__1:MoveNext ()")->id
	};
	has_rows(&k, PV_VIEW_CALLERS, &find, (const char *const[]){ "name", "samples", NULL },
		(const char *const[]){
			"Shop/<Carts>d__2:MoveNext () [awaits; usual, 100 %] 7", NULL });
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(physical_stacks_are_the_recorded_ones)
{
	struct kit k = shop();
	struct pv_query q = { .physical = true };
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, &q);
	static const char *const total[] = { "samples_total", NULL };
	const struct pv_row *find = kit_row(t, "name", "Shop/<Find>d__1:MoveNext ()");
	ck_assert_str_eq(kit_text(t, (size_t)(find - t->row), total), "10");
	pv_table_destroy(t);
	q.open_all = true;
	t = kit_view(&k, PV_VIEW_CALL_TREE, &q);
	ck_assert_uint_eq(t->row[0].depth, 0);
	ck_assert_str_eq(kit_text(t, 0, (const char *const[]){ "method", "samples_total", NULL }),
		"System.Threading.ThreadPoolWorkQueue:Dispatch () 10");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* Without a box's own frame, as optimized code has it. */
START_TEST(the_execution_context_resumes_too)
{
	struct kit k = new_kit();
	sample(&k, "pbxFcxOw", 3);
	sample(&k, "pbxFw", 1);
	has_rows(&k, PV_VIEW_CALL_TREE, &all_open, tree,
		(const char *const[]){ "Shop/<Carts>d__2:MoveNext () 0 3 -", "Shop:Work () 3 3 -",
			"Shop/<Carts>d__2:MoveNext () [awaits] 0 1 -",
			"Shop/<Find>d__1:MoveNext () [usual, 100 %] 0 1 100", "Shop:Work () 1 1 -",
			NULL });
	kit_free(&k);
}
END_TEST

/* Up to its first await a body is called: by its own method, which starts it, or that is inlined. */
START_TEST(what_is_called_teaches_who_awaits)
{
	struct kit k = new_kit();
	sample(&k, "pOfsFw", 2);
	sample(&k, "pbxFw", 5);
	has_rows(&k, PV_VIEW_CALL_TREE, &all_open, tree,
		(const char *const[]){ "Shop/<Carts>d__2:MoveNext () [awaits] 0 5 -",
			"Shop/<Find>d__1:MoveNext () [usual, 100 %] 0 5 100", "Shop:Work () 5 5 -",
			"System.Threading.ThreadPoolWorkQueue:Dispatch () 0 2 -",
			"Shop/<Carts>d__2:MoveNext () 0 2 -", "Shop:Find () 0 2 -",
			"Shop/<Find>d__1:MoveNext () 0 2 -", "Shop:Work () 2 2 -", NULL });
	kit_free(&k);
}
END_TEST

static void find_stands_at_the_root(struct kit *k)
{
	struct pv_table *t = kit_view(k, PV_VIEW_CALL_TREE, &all_open);
	for (size_t i = 0; i < t->rows; i++) {
		const char *name = kit_text(t, i, (const char *const[]){ "method", NULL });
		ck_assert_msg(!strstr(name, "[awaits"), "%s", name);
	}
	pv_table_destroy(t);
}

/* Helper may do with Find's task what it likes; the source is Waiter's, and who sets it does not await. */
START_TEST(nothing_is_learned_through_other_code)
{
	struct kit k = new_kit();
	sample(&k, "pOhfsFw", 2);
	sample(&k, "pbxFtcbxOw", 2);
	sample(&k, "pbxFw", 5);
	find_stands_at_the_root(&k);
	kit_free(&k);
}
END_TEST

/* Optimized code has no frame of the source any more, and it is as if Carts awaited Find. */
START_TEST(one_that_is_set_is_not_awaited)
{
	struct kit k = new_kit();
	sample(&k, "pbxFtcbxOw", 1);
	sample(&k, "pbxFcbxOw", 20);
	sample(&k, "pbxFw", 5);
	find_stands_at_the_root(&k);
	kit_free(&k);
}
END_TEST

START_TEST(none_of_three_is_usual)
{
	struct kit k = new_kit();
	sample(&k, "pbxFcbxSw", 2);
	sample(&k, "pbxFcbxTw", 2);
	sample(&k, "pbxFcbxUw", 2);
	sample(&k, "pbxFw", 5);
	find_stands_at_the_root(&k);
	kit_free(&k);
}
END_TEST

START_TEST(most_of_two_is_usual)
{
	struct kit k = new_kit();
	sample(&k, "pbxFcbxSw", 3);
	sample(&k, "pbxFcbxTw", 1);
	sample(&k, "pbxFw", 5);
	has_rows(&k, PV_VIEW_CALL_TREE, &all_open, tree,
		(const char *const[]){ "Shop/<Serve>d__3:MoveNext () 0 3 -", "Shop:Work () 3 3 -",
			"Shop/<Serve>d__3:MoveNext () [awaits] 0 5 -",
			"Shop/<Find>d__1:MoveNext () [usual, 75 %] 0 5 75", "Shop:Work () 5 5 -",
			"Shop/<Twice>d__4:MoveNext () 0 1 -", "Shop:Work () 1 1 -", NULL });
	kit_free(&k);
}
END_TEST

/* Carts and Find await each other, Find itself, too: each stack still ends, and counts once. */
START_TEST(recursion_ends)
{
	struct kit k = new_kit();
	sample(&k, "pbxFcbxFcbxFw", 4);
	sample(&k, "pbxFcbxOw", 3);
	sample(&k, "pbxOcbxFw", 2);
	struct pv_table *t = kit_view(&k, PV_VIEW_CALL_TREE, &all_open);
	uint64_t sum = 0;
	for (size_t i = 0; i < t->rows; i++) {
		ck_assert_uint_lt(t->row[i].depth, 4);
		sum += kit_cell(t, &t->row[i], "samples")->u;
	}
	ck_assert_uint_eq(sum, 9);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/*
 * Calls: Find goes on 10..90, from within whose end Carts goes on, 40..80: that is Carts' time, and
 * what Find does is time of what Carts awaits.
 */
START_TEST(times_of_calls)
{
	struct kit k = new_kit();
	static const struct {
		uint64_t us;
		char letter;
		bool enter;
	} step[] = { { 0, 'p', true }, { 10, 'F', true }, { 40, 'c', true }, { 40, 'O', true },
		{ 80, 'O', false }, { 85, 'c', false }, { 90, 'F', false }, { 100, 'p', false } };
	kit_at(&k, 0);
	kit_enter(&k, key_of('b'));
	for (size_t i = 0; i < PV_COUNT_OF(step); i++) {
		kit_at(&k, step[i].us);
		if (step[i].letter == 'F' && step[i].enter)
			kit_enter(&k, key_of('x'));
		if (step[i].letter == 'O' && step[i].enter)
			kit_enter(&k, key_of('b'));
		if (step[i].enter)
			kit_enter(&k, key_of(step[i].letter));
		else
			kit_leave(&k, key_of(step[i].letter));
		if (step[i].letter == 'F' && !step[i].enter)
			kit_leave(&k, key_of('x'));
		if (step[i].letter == 'O' && !step[i].enter)
			kit_leave(&k, key_of('b'));
	}
	kit_leave(&k, key_of('b'));
	struct pv_table *t = kit_view(&k, PV_VIEW_METHODS, NULL);
	static const char *const times[] = { "name", "calls", "self_ns", "total_ns", NULL };
	const struct pv_row *row = kit_row(t, "name", "Shop/<Carts>d__2:MoveNext ()");
	ck_assert_str_eq(kit_text(t, (size_t)(row - t->row), times),
		"Shop/<Carts>d__2:MoveNext () 1 40000 80000");
	row = kit_row(t, "name", "Shop/<Find>d__1:MoveNext ()");
	ck_assert_str_eq(kit_text(t, (size_t)(row - t->row), times),
		"Shop/<Find>d__1:MoveNext () 1 35000 40000");
	row = kit_row(t, "name", "System.Threading.ThreadPoolWorkQueue:Dispatch ()");
	ck_assert_str_eq(kit_text(t, (size_t)(row - t->row), times),
		"System.Threading.ThreadPoolWorkQueue:Dispatch () 1 20000 20000");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(sites)
{
	struct kit k = new_kit();
	alloc(&k, "pbxFw");
	alloc(&k, "pbxFw");
	alloc(&k, "pbxFcbxOw");
	has_rows(&k, PV_VIEW_ALLOCATION_SITES, NULL,
		(const char *const[]){ "allocations", "stack", NULL },
		(const char *const[]){ "2 Shop/<Carts>d__2:MoveNext () [awaits]\n"
				       "Shop/<Find>d__1:MoveNext () [usual, 100 %]\nShop:Work ()",
			"1 Shop/<Carts>d__2:MoveNext ()\nShop:Work ()", NULL });
	struct pv_query q = { .open_all = true };
	struct pv_table *t = kit_view(&k, PV_VIEW_CLASSES, NULL);
	q.select = t->row[0].id;
	pv_table_destroy(t);
	has_rows(&k, PV_VIEW_CLASS_STACKS, &q,
		(const char *const[]){ "method", "allocations", NULL },
		(const char *const[]){ "Shop:Work () 3", "Shop/<Find>d__1:MoveNext () 2",
			"Shop/<Carts>d__2:MoveNext () [awaits; usual, 100 %] 2",
			"Shop/<Carts>d__2:MoveNext () 1", NULL });
	q.physical = true;
	t = kit_view(&k, PV_VIEW_ALLOCATION_SITES, &q);
	ck_assert(strncmp(kit_text(t, 0, (const char *const[]){ "stack", NULL }),
			  "System.Threading.ThreadPoolWorkQueue:Dispatch ()\n", 49) == 0);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("logical stacks");
	TCase *c = tcase_create("all");
	tcase_add_test(c, what_awaits_stands_above_what_it_awaited);
	tcase_add_test(c, totals_are_of_what_awaits);
	tcase_add_test(c, physical_stacks_are_the_recorded_ones);
	tcase_add_test(c, the_execution_context_resumes_too);
	tcase_add_test(c, what_is_called_teaches_who_awaits);
	tcase_add_test(c, nothing_is_learned_through_other_code);
	tcase_add_test(c, one_that_is_set_is_not_awaited);
	tcase_add_test(c, none_of_three_is_usual);
	tcase_add_test(c, most_of_two_is_usual);
	tcase_add_test(c, recursion_ends);
	tcase_add_test(c, times_of_calls);
	tcase_add_test(c, sites);
	suite_add_tcase(s, c);
	return run_suite(s);
}
