/* SPDX-License-Identifier: MIT */
/* Names in which threads wait, as runtimes and the C library spell them. */
#include "common/base/status.h"
#include "common/model/names/thread_state.h"
#include "tests/kit/suite.h"

static const struct {
	const char *name;
	enum pv_thread_state state;
} methods[] = {
	{ "System.Threading.Thread:Sleep (int)", PV_STATE_SLEEP },
	{ "(wrapper managed-to-native) System.Threading.Thread:SleepInternal (int)",
		PV_STATE_SLEEP },
	{ "System.Threading.Thread:SleepX (int)", PV_STATE_RUNNING },
	{ "System.Threading.Thread:Slee", PV_STATE_RUNNING },
	{ "System.Threading.Monitor:Enter (object)", PV_STATE_LOCK },
	{ "System.Threading.Monitor:Exit (object)", PV_STATE_RUNNING },
	{ "System.Threading.Tasks.Task:Wait ()", PV_STATE_RUNNING }, /* it may run the task */
	{ "Interop/Sys:WaitForSocketEvents (intptr,Interop/Sys/SocketEvent*,int*)", PV_STATE_POLL },
	{ "(wrapper managed-to-native) Waits:poll (intptr,ulong,int)", PV_STATE_POLL },
	{ "(wrapper managed-to-native) Waits:compute (int)", PV_STATE_RUNNING },
	{ "(wrapper managed-to-native) object:__icall_wrapper_mono_monitor_enter_v4_internal "
	  "(object,intptr)",
		PV_STATE_LOCK },
	{ "(wrapper managed-to-native) object:__icall_wrapper_mono_monitor_enter_internal "
	  "(object)",
		PV_STATE_LOCK },
	{ "(wrapper managed-to-native) object:__icall_wrapper_mono_gc_alloc_vector (intptr)",
		PV_STATE_RUNNING },
	{ "(wrapper managed-to-native) object:__icall_wrapper_poll (int)", PV_STATE_RUNNING },
	{ "(wrapper managed-to-native) System.Threading.WaitHandle:SignalAndWait_Internal "
	  "(intptr,intptr,int)",
		PV_STATE_LOCK },
	{ "Waits:poll (intptr,ulong,int)", PV_STATE_RUNNING }, /* code of the program's */
	{ "My.System.Threading.Thread:Sleep (int)", PV_STATE_RUNNING },
	{ "(wrapper ", PV_STATE_RUNNING },
	{ "", PV_STATE_RUNNING },
}, symbols[] = {
	{ "__poll [libc.so.6]", PV_STATE_POLL },
	{ "poll@@GLIBC_2.2.5", PV_STATE_POLL },
	{ "__GI___lll_lock_wait [libc.so.6]", PV_STATE_LOCK },
	{ "__futex_abstimed_wait_common64", PV_STATE_LOCK },
	{ "clock_nanosleep", PV_STATE_SLEEP },
	{ "__nptl_death_event", PV_STATE_LOCK }, /* as stock logs call libc's futex wait */
	{ "polling", PV_STATE_RUNNING },
	{ "GI___", PV_STATE_RUNNING },
	{ "____", PV_STATE_RUNNING },
	{ "", PV_STATE_RUNNING },
};

START_TEST(methods_are_known)
{
	ck_assert_msg(
		pv_state_of_method(methods[_i].name) == methods[_i].state, "%s", methods[_i].name);
}
END_TEST

START_TEST(symbols_are_known)
{
	ck_assert_msg(
		pv_state_of_symbol(symbols[_i].name) == symbols[_i].state, "%s", symbols[_i].name);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("thread state");
	TCase *c = tcase_create("names");
	tcase_add_loop_test(c, methods_are_known, 0, (int)PV_COUNT_OF(methods));
	tcase_add_loop_test(c, symbols_are_known, 0, (int)PV_COUNT_OF(symbols));
	suite_add_tcase(s, c);
	return run_suite(s);
}
