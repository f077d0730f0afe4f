/* SPDX-License-Identifier: MIT */
/* The Mono module's options: words of the stock log profiler mean what they mean there. */
#include "tests/kit/suite.h"

#include <limits.h>
#include <string.h>

#include "common/base/status.h"
#include "probe/managed/managed_args.h"

static struct pvp_managed_options parsed(const char *text)
{
	struct pvp_managed_options o;
	memset(&o, 0, sizeof o);
	ck_assert_msg(pvp_managed_parse(text, &o), "%s", text);
	return o;
}

static unsigned groups(const char *text)
{
	return parsed(text).groups;
}

/* Every word of its usage text. */
START_TEST(every_word_is_taken)
{
	static const char *const words[] = { "exception", "monitor", "gc", "gcalloc", "gcmove",
		"gcroot", "gchandle", "finalization", "counter", "counters", "jit", "alloc",
		"legacy", "nolegacy", "noalloc", "nocalls", "calls", "sample", "sample=250",
		"sample=cycles/1000", "heapshot", "heapshot=5gc", "heapshot=200ms",
		"heapshot=ondemand", "heapshot-on-shutdown", "maxframes=8", "calldepth=100",
		"callspec=all", "output=a.mlpd", "output=+a", "output=|cat", "zip", "report",
		"port=0", "maxsamples=100", "debug", "help", "nodefaults" };
	for (size_t i = 0; i < PV_COUNT_OF(words); i++)
		parsed(words[i]);
	struct pvp_managed_options o;
	ck_assert(!pvp_managed_parse("calldepth=", &o));
	ck_assert(!pvp_managed_parse("calldepth=many", &o));
	ck_assert(!pvp_managed_parse("heapshot=5", &o));
	ck_assert(!pvp_managed_parse("sample=fast", &o));
	ck_assert(!pvp_managed_parse("sample=10001", &o)); /* it would do nothing else any more */
	ck_assert(!pvp_managed_parse("sample-real=fast", &o));
	ck_assert(!parsed("sample=50").sample_real);
	o = parsed("nodefaults,sample-real=50");
	ck_assert(o.sample_real && o.sample_hz == 50 && o.groups == PVP_MANAGED_SAMPLES);
	ck_assert_str_eq(o.words, "sample-real=50");
	ck_assert(!parsed("stock,sample-real").sample_real); /* its events are not known there */
}
END_TEST

START_TEST(groups_of_words)
{
	ck_assert_uint_eq(groups("nodefaults"), 0);
	ck_assert_uint_eq(groups("nodefaults,gcalloc"), PVP_MANAGED_ALLOC);
	/* The launcher's own words come first: what is asked for besides holds. */
	ck_assert_uint_eq(parsed("nodefaults,alloc=512k,gcalloc").alloc_period, 0);
	ck_assert_uint_eq(parsed("nodefaults,alloc=512k,alloc").alloc_period, 0);
	ck_assert_uint_eq(parsed("nodefaults,alloc,alloc=64k").alloc_period, 64 << 10);
	ck_assert_str_eq(parsed("nodefaults,alloc=512k,alloc=off,gc").words, "gc");
	ck_assert_str_eq(parsed("nodefaults,alloc=512k,noalloc").words, "");
	ck_assert_uint_eq(
		groups("nodefaults,alloc"), PVP_MANAGED_ALLOC | PVP_MANAGED_GC | PVP_MANAGED_MOVES);
	ck_assert_uint_eq(groups("nodefaults,counters"), PVP_MANAGED_COUNTERS);
	ck_assert_uint_eq(groups("nodefaults,nogcmove,alloc"), PVP_MANAGED_ALLOC | PVP_MANAGED_GC);
	ck_assert_uint_eq(
		groups("nodefaults,legacy,noalloc") & (PVP_MANAGED_GC | PVP_MANAGED_MOVES), 0);
	ck_assert_uint_eq(groups("") & PVP_MANAGED_CALLS, 0);
	ck_assert_uint_eq(groups("stock,lines,sample") & PVP_MANAGED_LINES, 0);
	const unsigned extensions = PVP_MANAGED_CLASS_OF | PVP_MANAGED_MESSAGES;
	ck_assert_uint_eq(groups("") & extensions, 0);
	ck_assert_uint_eq(groups("classof,messages"), groups("") | extensions);
	ck_assert_uint_eq(groups("stock,classof,messages") & extensions, 0);
	ck_assert_uint_eq(groups("nomessages,classof,messages") & extensions, PVP_MANAGED_CLASS_OF);
	ck_assert_uint_eq(groups("calls") & PVP_MANAGED_CALLS, PVP_MANAGED_CALLS);
}
END_TEST

START_TEST(values)
{
	struct pvp_managed_options o = parsed("sample=cycles/1000,maxframes=500,calldepth=7");
	ck_assert_uint_eq(o.sample_hz, 1000);
	ck_assert_uint_eq(o.frames, PVP_MANAGED_FRAMES);
	ck_assert(strstr(o.words, "maxframes=64"));
	ck_assert_ptr_null(strstr(parsed("").words, "maxframes"));
	ck_assert_uint_eq(o.call_depth, 7);
	o = parsed("heapshot=3gc,heapshot-on-shutdown");
	ck_assert(o.shot_at_end);
	ck_assert_uint_eq(o.shot_collections, 3);
	ck_assert(strstr(o.words, "heapshot=3gc,heapshot-on-shutdown"));
	ck_assert(strstr(parsed("heapshot=2000ms").words, "heapshot=2000ms"));
	ck_assert(strstr(parsed("heapshot=ondemand").words, "heapshot=ondemand"));
	ck_assert_str_eq(parsed("nodefaults,heapshot").words, "gc,heapshot");
	ck_assert_uint_eq(o.call_depth, UINT_MAX);
	o = parsed("calls,calldepth=7");
	ck_assert(strstr(o.words, "calls") && strstr(o.words, "calldepth=7"));
}
END_TEST

/* Commas inside quotes are text; the runtime reads the specification itself. */
START_TEST(quotes_and_backslashes)
{
	ck_assert_str_eq(parsed("callspec='N:A,-M:B:c',calls").callspec, "N:A,-M:B:c");
	ck_assert_str_eq(parsed("callspec=\"program,wrapper\"").callspec, "program,wrapper");
	ck_assert_str_eq(parsed("callspec=a\\,b").callspec, "a,b");
	ck_assert_str_eq(parsed("callspec=").callspec, "");
	ck_assert_str_eq(parsed("output=a b,zip").rest, "output=a b,zip");
}
END_TEST

START_TEST(a_report_in_place_of_the_log)
{
	ck_assert_str_eq(parsed("report").rest, "output=|mprof-report -");
	ck_assert_str_eq(
		parsed("output=r.txt,zip,report").rest, "zip,output=|mprof-report '--out=r.txt' -");
	ck_assert_str_eq(
		parsed("report,zip,output=r.txt").rest, "zip,output=|mprof-report '--out=r.txt' -");
	struct pvp_managed_options o;
	ck_assert(!pvp_managed_parse("report,output=|cat", &o));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("mono args");
	TCase *t = tcase_create("mono args");
	tcase_add_test(t, every_word_is_taken);
	tcase_add_test(t, groups_of_words);
	tcase_add_test(t, values);
	tcase_add_test(t, quotes_and_backslashes);
	tcase_add_test(t, a_report_in_place_of_the_log);
	suite_add_tcase(s, t);
	return run_suite(s);
}
