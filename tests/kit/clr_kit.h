/* SPDX-License-Identifier: MIT */
/*
 * The .NET module loaded by the fake runtime, for one test at a time: `path` is its log, `profiler`
 * its table of callbacks. For the test's main file only, after tests/kit/suite.h.
 */
#ifndef PV_TESTS_CLR_KIT_H
#define PV_TESTS_CLR_KIT_H

#include <stdio.h>
#include <stdlib.h>

#include "common/base/coreclr.h"
#include "probe/clr/clr_heap.h"
#include "probe/clr/clr_runtime.h"
#include "probe/clr/host_clr.h"
#include "probe/managed/managed_names.h"
#include "probe/control/session.h"
#include "tests/kit/fake_clr.h"
#include "tests/kit/probe_kit.h"

static char path[PROBE_PATH];
static struct fake_profiler *profiler;

static inline void setup(void)
{
	probe_setup();
	probe_path(path, "log.mlpd");
	pvp_clr = (struct pvp_clr){ 0 };
	fake = (struct fake){ .version = 15 };
	profiler = fake_load();
}

static inline void teardown(void)
{
	pvp_clr_leave_ending();
	pvp_session_stop();
	pvp_clr_agent_end();
	pvp_clr_agent_joining(false);
	pvp_names_forget();
	pvp_clr_forget();
	pvp_clr_heap_forget();
	pvp_clr_contexts_forget();
	pvp_clr_spans_forget();
	probe_teardown();
}

/* As at the start of a program; what Initialize answers. */
static inline pvp_hr begin(const char *words)
{
	char options[PROBE_PATH + 200];
	snprintf(options, sizeof options, "%s,output=%s", words, path);
	setenv(PV_CORECLR_OPTIONS, options, 1);
	return FAKE_CALL(profiler, Initialize, (void *, struct pvp_clr_unknown *), fake_runtime());
}

/* The end of the program; its log has nothing lost. */
static inline void end(struct probe_log *log)
{
	FAKE_CALL(profiler, Shutdown, (void *, int), 0);
	probe_log_read(log, path);
	probe_log_check(log);
	ck_assert_uint_eq(log->lost, 0);
}

#endif
