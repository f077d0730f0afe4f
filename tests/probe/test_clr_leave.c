/* SPDX-License-Identifier: MIT */
/* The .NET module without a reader: it leaves, or sleeps; and comes again. No runtime is needed. */
#include "tests/kit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "common/base/text/sdk_words.h"
#include "tests/kit/clr_kit.h"

/* Losses, pauses, discarded shots, forced collections, the farewell. */
enum { OWN_COUNTERS = 5 };

static pvp_hr attach(const char *words)
{
	char options[PROBE_PATH + 200];
	int n = snprintf(options, sizeof options, "%s,output=%s", words, path);
	return FAKE_CALL(profiler, InitializeForAttach,
		(void *, struct pvp_clr_unknown *, const void *, uint32_t), fake_runtime(), options,
		(uint32_t)n);
}

/* A pipe and somebody who reads it. */
static int open_reader(void)
{
	ck_assert(mkfifo(probe_path(path, "pipe"), 0600) == 0 || errno == EEXIST);
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	return fd;
}

static bool something_comes(int fd)
{
	char bytes[4096];
	return read(fd, bytes, sizeof bytes) > 0;
}

/* When its reader is gone it leaves the runtime; the next session knows nothing of the first. */
START_TEST(leaving_and_joining_again)
{
	for (int i = 0; i < 2; i++) {
		fake.refuse_detach = 0;
		int fd = open_reader();
		ck_assert_int_eq(attach("nodefaults,exception,sample=100,monitor"), 0);
		FAKE_CALL(profiler, ProfilerAttachComplete, (void *, int), 0);
		FAKE_CALL(profiler, ExceptionThrown, (void *, uint64_t), FAKE_OBJECT);
		PROBE_WAIT(something_comes(fd));
		close(fd);
		PROBE_WAIT(fake.detaches == (unsigned)i + 1);
		FAKE_CALL(profiler, ProfilerDetachSucceeded, (void *, int), 0);
		ck_assert(!pvp_session_recording());
		ck_assert_ptr_null(pvp_clr.info);
		ck_assert_uint_eq(fake.stopped_sessions, (unsigned)i + 1);
		profiler = fake_load();
	}
	struct probe_log log;
	probe_path(path, "log.mlpd");
	ck_assert_int_eq(attach("nodefaults,exception"), 0);
	FAKE_CALL(profiler, ProfilerAttachComplete, (void *, int), 0);
	FAKE_CALL(profiler, ExceptionThrown, (void *, uint64_t), FAKE_OBJECT);
	end(&log);
	ck_assert_uint_eq(log.n[PV_KIND_IMAGE_LOAD], 1 + 2);
	ck_assert_uint_eq(log.n[PV_KIND_METHOD_JIT], 3);
	probe_log_finish(&log);
}
END_TEST

/* A request to stop does the same; one that the runtime keeps sleeps. */
START_TEST(stopped_after_joining)
{
	ck_assert_int_eq(attach("nodefaults,exception"), 0);
	fake.refuse_detach = PVP_HR(0x80131372);
	ck_assert_int_eq(pvp_session_stop(), 0);
	PROBE_WAIT(fake.detaches == 1 && !(fake.low & PVP_CLR_EXCEPTIONS));
	ck_assert_ptr_nonnull(pvp_clr.info);
}
END_TEST

/* A module there from the start stays, costs little without a reader, and wakes up. */
START_TEST(asleep_without_a_reader)
{
	int fd = open_reader();
	ck_assert_int_eq(begin("exception,gc,monitor"), 0);
	uint32_t before = fake.low;
	PROBE_WAIT(something_comes(fd));
	close(fd);
	PROBE_WAIT(fake.low != before);
	ck_assert_uint_eq(fake.low & (PVP_CLR_EXCEPTIONS | PVP_CLR_SUSPENDS), 0);
	ck_assert_uint_ne(fake.low & PVP_CLR_MODULES, 0);
	PROBE_WAIT(atomic_load(&pvp_core.paused));
	ck_assert_uint_eq(fake.detaches, 0);
	fd = open_reader();
	PROBE_WAIT(fake.low == before && !atomic_load(&pvp_core.paused));
	PROBE_WAIT(something_comes(fd));
	ck_assert_int_eq(pvp_session_stop(), 0);
	close(fd);
}
END_TEST

static void wait_until_paused(void)
{
	PROBE_WAIT(atomic_load(&pvp_core.paused));
}

/* The writer may find that there is no reader while the runtime still takes us in. */
START_TEST(asleep_while_it_begins)
{
	ck_assert_int_eq(mkfifo(probe_path(path, "pipe"), 0600), 0);
	fake.starting = wait_until_paused;
	ck_assert_int_eq(begin("nodefaults,exception,alloc=512k"), 0);
	PROBE_WAIT(fake.masks == 2);
	ck_assert_uint_eq(fake.low & PVP_CLR_EXCEPTIONS, 0);
	ck_assert_uint_ne(fake.low & PVP_CLR_MODULES, 0);
	fake.starting = NULL;
	int fd = open_reader();
	PROBE_WAIT(fake.low & PVP_CLR_EXCEPTIONS && !atomic_load(&pvp_core.paused));
	PROBE_WAIT(something_comes(fd));
	ck_assert_int_eq(pvp_session_stop(), 0);
	close(fd);
}
END_TEST

static void flush(void)
{
	ck_assert_int_eq(pvp_session_flush(), 0);
}

/* And it tells of counters by then: each is described once, and its steps go on from there. */
START_TEST(reported_while_it_begins)
{
	struct probe_log log;
	fake.starting = flush;
	ck_assert_int_eq(begin("nodefaults,counter,alloc=512k"), 0);
	fake.starting = NULL;
	end(&log);
	ck_assert_uint_eq(log.n[PV_KIND_COUNTERS_DESCRIBE], 1 + OWN_COUNTERS);
	probe_log_finish(&log);
}
END_TEST

/* The SDK's own programs, by their command lines. */
START_TEST(words_of_the_sdk)
{
	static const struct {
		const char *words;
		size_t n;
		bool is;
	} rows[] = {
#define ROW(text, is) { text, sizeof text, is }
		ROW("dotnet\0run\0--project\0x", true),
		ROW("/usr/bin/dotnet\0--diagnostics\0build", true),
		ROW("dotnet\0app.dll\0run", false),
		ROW("dotnet\0exec\0--depsfile\0x.json\0/home/me/app.dll", false),
		ROW("dotnet\0exec\0/usr/share/dotnet/sdk/10.0.1/Roslyn/bincore/csc.dll", true),
		ROW("/usr/share/dotnet/sdk/10.0.1/Roslyn/bincore/csc", true),
		ROW("/home/me/bin/app\0run", false),
		ROW("dotnet", false),
#undef ROW
	};
	for (size_t i = 0; i < PV_COUNT_OF(rows); i++)
		ck_assert_msg(
			pv_words_are_sdks(rows[i].words, rows[i].n) == rows[i].is, "row %zu", i);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("leaving a .NET runtime");
	TCase *t = tcase_create("leaving a .NET runtime");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, leaving_and_joining_again);
	tcase_add_test(t, stopped_after_joining);
	tcase_add_test(t, asleep_without_a_reader);
	tcase_add_test(t, asleep_while_it_begins);
	tcase_add_test(t, reported_while_it_begins);
	tcase_add_test(t, words_of_the_sdk);
	suite_add_tcase(s, t);
	return run_suite(s);
}
