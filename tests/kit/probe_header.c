/* SPDX-License-Identifier: MIT */
/*
 * The installed header as programs use it: compiled out (PROFVIEW_OFF), weak (PROFVIEW_WEAK), and
 * as C++. Exit code 0: the calls did nothing, or there are none; 3: the library is here.
 */
#include "probe/profview_probe.h"

int main(void)
{
#ifdef PROFVIEW_WEAK
	if (!profview_start)
		return 0;
	profview_stop();
	return 3;
#else
	profview_method region = profview_region("r");
	struct profview_counter *counter = profview_counter("c", PROFVIEW_COUNT);
	profview_class_id type = profview_class("t");
	int failed = profview_start("output=/no/such/place");
	profview_enter(region);
	profview_alloc(type, counter, 1);
	profview_mark("m");
	profview_thread_name("n");
	profview_counter_set(counter, 1);
	profview_counter_add(counter, 1);
	profview_leave(region);
	failed |= profview_flush() | profview_stop();
	return failed || region || type || counter ? 3 : 0;
#endif
}
