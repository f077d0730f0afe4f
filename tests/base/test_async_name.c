/* SPDX-License-Identifier: MIT */
/* The part that a frame has in running an async method, by names as probes, streams and compilers write them. */
#include <string.h>

#include "common/base/text/async_name.h"
#include "common/base/status.h"
#include "tests/kit/suite.h"

static const struct {
	enum pv_async_role role;
	const char *name;
} rows[] = {
	{ PV_ASYNC_BODY, "Shop.Cart/<TaxAsync>d__4:MoveNext ()" },
	{ PV_ASYNC_BODY, "Shop.Cart+<TaxAsync>d__4:MoveNext ()" },
	{ PV_ASYNC_BODY, "Shop.Cart/<TaxAsync>d__4<System.__Canon>:MoveNext ()" },
	{ PV_ASYNC_BODY, "Shop.Cart`1/<Tax>d__4`1<int>:MoveNext ()" },
	{ PV_ASYNC_BODY, "Shop.Cart/<Tax>c__asyncA:MoveNext ()" },
	{ PV_ASYNC_BODY, "Program/<>c/<<Main>b__0_0>d:MoveNext ()" },
	{ PV_ASYNC_BODY, "Program/<<Main>g__Local|0_0>d:MoveNext ()" },
	{ PV_ASYNC_BODY, "Shop_Shop_Cart__Tax_d__4__MoveNext" },
	{ PV_ASYNC_NONE, "Shop.Cart/<TaxAsync>d__4:SetStateMachine (object)" },
	{ PV_ASYNC_NONE, "Shop.Cart/<TaxAsync>d__4:System.Collections.IEnumerator.get_Current ()" },
	{ PV_ASYNC_NONE, "Shop.Cart/<>c__DisplayClass4_0:MoveNext ()" },
	{ PV_ASYNC_NONE, "System.Collections.Generic.List`1/Enumerator<int>:MoveNext ()" },
	{ PV_ASYNC_NONE, "Shop.Cart:MoveNext ()" },
	{ PV_ASYNC_NONE, "Shop.Cart:TaxAsync ()" },
	{ PV_ASYNC_NONE, "" },
	{ PV_ASYNC_NONE, ":" },
	{ PV_ASYNC_NONE, "/<" },
	{ PV_ASYNC_NONE, "/<:MoveNext " },
	{ PV_ASYNC_NONE, "_d__" },
	{ PV_ASYNC_RESUMED, "[resumed]" },
	{ PV_ASYNC_CONTEXT,
		"System.Threading.ExecutionContext:RunInternal (System.Threading.ExecutionContext)" },
	{ PV_ASYNC_CONTEXT, "System.Threading.ExecutionContext:Run (object)" },
	{ PV_ASYNC_NONE, "System.Threading.ExecutionContext:Capture ()" },
	{ PV_ASYNC_START, "System.Runtime.CompilerServices.AsyncTaskMethodBuilder:Start (!!0&)" },
	{ PV_ASYNC_START,
		"System.Runtime.CompilerServices.AsyncMethodBuilderCore:Start<Shop.Cart/<Tax>d__4> (Shop.Cart/<Tax>d__4&)" },
	{ PV_ASYNC_START,
		"System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1<int>:Start<Shop.X> (Shop.X&)" },
	{ PV_ASYNC_CONTINUES, "System.Threading.Tasks.Task:RunContinuations (object)" },
	{ PV_ASYNC_CONTINUES, "System.Threading.Tasks.Task:FinishContinuations ()" },
	{ PV_ASYNC_CONTINUES,
		"System.Threading.Tasks.AwaitTaskContinuation:RunOrScheduleAction (object,bool)" },
	{ PV_ASYNC_PLUMBING, "System.Threading.Tasks.Task`1<int>:TrySetResult (int)" },
	{ PV_ASYNC_PLUMBING,
		"System.Runtime.CompilerServices.AsyncTaskMethodBuilder:SetResult ()" },
	{ PV_ASYNC_PLUMBING,
		"System.Threading.Tasks.Task/WhenAllPromise:Invoke (System.Threading.Tasks.Task)" },
	{ PV_ASYNC_SETS, "System.Threading.Tasks.TaskCompletionSource`1<int>:SetResult (int)" },
	{ PV_ASYNC_NONE,
		"System.Threading.Tasks.Task:ExecuteWithThreadLocal (System.Threading.Tasks.Task&)" },
	{ PV_ASYNC_NONE, "System.Threading.Tasks.Task:Wait ()" },
	{ PV_ASYNC_SETS,
		"System.Threading.Tasks.Sources.ManualResetValueTaskSourceCore`1<int>:SetResult (int)" },
	{ PV_ASYNC_NONE, "System.Threading.ThreadPoolWorkQueue:Dispatch ()" },
	{ PV_ASYNC_SETS,
		"S_P_CoreLib_System_Threading_Tasks_TaskCompletionSource_1<Int32>__SetResult" },
	{ PV_ASYNC_CONTINUES, "S_P_CoreLib_System_Threading_Tasks_Task__RunContinuations" },
	{ PV_ASYNC_CONTEXT, "S_P_CoreLib_System_Threading_ExecutionContext__RunInternal" },
};

START_TEST(roles)
{
	for (size_t i = 0; i < PV_COUNT_OF(rows); i++)
		ck_assert_msg(pv_async_role_of(rows[i].name, strlen(rows[i].name)) == rows[i].role,
			"%s", rows[i].name);
}
END_TEST

/* A part of a name is one that ends there: nothing beyond is read, and no loop goes on. */
START_TEST(cut_names)
{
	char room[200];
	for (size_t i = 0; i < PV_COUNT_OF(rows); i++)
		for (size_t n = 0; n < strlen(rows[i].name); n++) {
			memset(room, '<', sizeof room);
			memcpy(room, rows[i].name, n);
			enum pv_async_role cut = pv_async_role_of(room, n);
			memset(room + n, '/', sizeof room - n);
			ck_assert_int_eq(pv_async_role_of(room, n), cut);
			ck_assert(!pv_async_is_method(room, n, room, n));
		}
}
END_TEST

START_TEST(methods_of_bodies)
{
	static const struct {
		bool is;
		const char *method, *body;
	} row[] = {
		{ true, "Shop.Cart:Tax (int)", "Shop.Cart/<Tax>d__4:MoveNext ()" },
		{ true, "Shop.Cart:Tax<int> (int)", "Shop.Cart/<Tax>d__4<int>:MoveNext ()" },
		{ true, "Program/<>c:<Main>b__0_0 ()", "Program/<>c/<<Main>b__0_0>d:MoveNext ()" },
		{ true, "Shop_Cart__Tax", "Shop_Cart__Tax_d__4__MoveNext" },
		{ false, "Shop.Cart:TaxFree (int)", "Shop.Cart/<Tax>d__4:MoveNext ()" },
		{ false, "Shop.Cart:Ta (int)", "Shop.Cart/<Tax>d__4:MoveNext ()" },
		{ false, "Shop.Cart:Tax", "Shop.Cart/<Tax>d__4:MoveNext ()" },
		{ false, "Shop_Cart__TaxFree", "Shop_Cart__Tax_d__4__MoveNext" },
		{ false, "Shop.Cart:MoveNext ()", "Shop.Cart:MoveNext ()" },
		{ false, "", "" },
	};
	for (size_t i = 0; i < PV_COUNT_OF(row); i++)
		ck_assert_msg(pv_async_is_method(row[i].method, strlen(row[i].method), row[i].body,
				      strlen(row[i].body)) == row[i].is,
			"%s of %s", row[i].method, row[i].body);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("async names");
	TCase *c = tcase_create("all");
	tcase_add_test(c, roles);
	tcase_add_test(c, cut_names);
	tcase_add_test(c, methods_of_bodies);
	suite_add_tcase(s, c);
	return run_suite(s);
}
