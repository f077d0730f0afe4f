/* SPDX-License-Identifier: MIT */
#include "tests/kit/suite.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "probe/ground/probe_args.h"
#include "probe/ground/probe_clock.h"

START_TEST(defaults)
{
	struct pvp_config c;
	ck_assert(pvp_args_parse(NULL, &c, NULL));
	ck_assert_str_eq(c.output, "output.mlpd");
	ck_assert(c.calls && c.alloc && !c.marks);
	ck_assert_uint_eq(c.buffer, 64 << 20);
	ck_assert_uint_eq(c.linger_ms, 500);
	ck_assert(pvp_args_parse(",,", &c, NULL));
	ck_assert_str_eq(c.output, "output.mlpd");
}
END_TEST

START_TEST(every_key)
{
	struct pvp_config c;
	ck_assert(pvp_args_parse(
		"output=/tmp/a b.mlpd,calls=off,alloc=no,marks,buffer=1M,linger=0", &c, NULL));
	ck_assert_str_eq(c.output, "/tmp/a b.mlpd");
	ck_assert(!c.calls && !c.alloc && c.marks);
	ck_assert_uint_eq(c.buffer, 1 << 20);
	ck_assert_uint_eq(c.linger_ms, 0);
	ck_assert(pvp_args_parse("buffer=300k,buffer=2g,marks=on,marks=0,calls=1", &c, NULL));
	ck_assert_uint_eq(c.buffer, (size_t)2 << 30);
	ck_assert(c.calls && !c.marks);
}
END_TEST

START_TEST(path_holds_the_pid)
{
	struct pvp_config c;
	char want[64];
	snprintf(want, sizeof want, "a-%ld.%%", (long)getpid());
	ck_assert(pvp_args_parse("output=a-%p.%%", &c, NULL));
	ck_assert_str_eq(c.output, want);
}
END_TEST

START_TEST(outputs_as_the_stock_profiler_has_them)
{
	struct pvp_config c;
	char want[64];
	snprintf(want, sizeof want, "name.%ld", (long)getpid());
	ck_assert(pvp_args_parse("output=+name", &c, NULL));
	ck_assert_str_eq(c.output, want);
	ck_assert(c.own_sinks);
	ck_assert(pvp_args_parse("output=a-%t", &c, NULL));
	ck_assert(!c.own_sinks);
	ck_assert_uint_eq(strlen(c.output), 2 + 14);
	ck_assert_uint_eq(strspn(c.output + 2, "0123456789"), 14);
	ck_assert(pvp_args_parse("output=|gzip >x%p", &c, NULL));
	ck_assert(c.own_sinks);
	ck_assert_int_eq(*c.output, '|');
	ck_assert(pvp_args_parse("output=#5,zip,maxsize=10m", &c, NULL));
	ck_assert_str_eq(c.output, "#5");
	ck_assert(c.zip && !c.own_sinks);
	ck_assert_uint_eq(c.maxsize, 10 << 20);
	ck_assert(pvp_args_parse("ring=1g,zip=off", &c, NULL));
	ck_assert(!c.zip);
	ck_assert_uint_eq(c.ring, 1 << 30);
}
END_TEST

static const struct {
	const char *text, *culprit;
	unsigned offset;
} refused[] = {
	{ "colour", "unknown option \"colour\"", 0 },
	{ "marks,sample=100", "unknown option \"sample=100\"", 6 },
	{ "call=on", "unknown option \"call=on\"", 0 },
	{ "calls=maybe", "bad value in \"calls=maybe\"", 0 },
	{ "calls,output=", "bad value in \"output=\"", 6 },
	{ "output=%q", "bad value in \"output=%q\"", 0 },
	{ "output=%", "bad value in \"output=%\"", 0 },
	{ "buffer=", "bad value in \"buffer=\"", 0 },
	{ "buffer=k", "bad value in \"buffer=k\"", 0 },
	{ "buffer=12k", "bad value in \"buffer=12k\"", 0 },
	{ "buffer=1x", "bad value in \"buffer=1x\"", 0 },
	{ "buffer=-1", "bad value in \"buffer=-1\"", 0 },
	{ "buffer=99999999999999999999", "bad value in \"buffer=99999999999999999999\"", 0 },
	{ "buffer=18446744073709551615g", "bad value in \"buffer=18446744073709551615g\"", 0 },
	{ "ring=1k", "bad value in \"ring=1k\"", 0 },
	{ "maxsize=", "bad value in \"maxsize=\"", 0 },
	{ "zip=9", "bad value in \"zip=9\"", 0 },
	{ "ring=1m,maxsize=1m", "maxsize and ring exclude each other", 0 },
	{ "linger=60001", "bad value in \"linger=60001\"", 0 },
};

START_TEST(culprits_are_named)
{
	struct pvp_config c = { .linger_ms = 77 };
	struct pv_error e = { PV_OK, 0, "" };
	ck_assert(!pvp_args_parse(refused[_i].text, &c, &e));
	ck_assert_int_eq(e.code, PV_EUSAGE);
	ck_assert_str_eq(e.what, refused[_i].culprit);
	ck_assert_uint_eq(e.offset, refused[_i].offset);
	ck_assert_uint_eq(c.linger_ms, 77);
}
END_TEST

START_TEST(long_paths_are_refused)
{
	char text[3000] = "output=";
	struct pvp_config c;
	memset(text + 7, 'x', sizeof text - 8);
	ck_assert(!pvp_args_parse(text, &c, NULL));
	text[7 + 900] = 0;
	ck_assert(pvp_args_parse(text, &c, NULL));
	ck_assert_uint_eq(strlen(c.output), 900);
}
END_TEST

START_TEST(description_fits)
{
	struct pvp_config c;
	char text[200], want[200], little[12];
	cpu_set_t usable;
	ck_assert(pvp_args_parse("output=x.mlpd,marks,alloc=off", &c, NULL));
	size_t n = pvp_args_describe(&c, "fake", NULL, text, sizeof text);
	ck_assert_int_eq(sched_getaffinity(0, sizeof usable, &usable), 0);
	snprintf(want, sizeof want,
		"profview:fake,calls,marks,cpus=%d,buffer=67108864,output=x.mlpd",
		CPU_COUNT(&usable));
	ck_assert_str_eq(text, want);
	ck_assert_uint_eq(n, strlen(text));
	ck_assert_uint_eq(pvp_args_turn(text, sizeof text, "y.mlpd", "z"), n);
	ck_assert_uint_eq(pvp_args_turn(text, sizeof text, "x.mlpd", "longer.mlpd"), n + 5);
	ck_assert_str_eq(strrchr(text, '='), "=longer.mlpd");
	ck_assert_uint_eq(pvp_args_turn(text, n + 6, "longer.mlpd", "twelve.mlpd1"), n + 5);
	size_t more = n + 5;
	pvp_args_joined(text, sizeof text, &more, pvp_monotonic() - UINT64_C(3600000000000));
	ck_assert_msg(strncmp(text + n + 5, ",joined=3600", 12) == 0, "%s", text);
	pvp_args_joined(text, sizeof text, &more, pvp_monotonic());
	ck_assert_uint_eq(more, strlen(text));
	ck_assert_str_ne(strrchr(text, ','), ",joined=3600000");
	ck_assert_uint_eq(pvp_args_turn(text, sizeof text, "longer.mlpd", "x.mlpd"), n);
	ck_assert_str_eq(strrchr(text, '='), "=x.mlpd");
	ck_assert_uint_eq(pvp_args_describe(&c, "fake", NULL, little, sizeof little), 11);
	ck_assert_str_eq(little, "profview:fa");
}
END_TEST

/* The line of this process, its words apart, and nothing in it that ends a word of the list. */
START_TEST(command_line_is_a_word)
{
	struct pvp_config c = { .calls = true };
	char line[sizeof c.command] = "", text[1200], *to = line;
	FILE *f = fopen("/proc/self/cmdline", "r");
	ck_assert_ptr_nonnull(f);
	size_t n = fread(line, 1, sizeof line - 1, f);
	fclose(f);
	ck_assert_uint_gt(n, 1);
	pvp_args_find_command(&c, 0);
	ck_assert_ptr_null(strpbrk(c.command, ",= "));
	for (size_t i = 0; c.command[i]; i++) {
		unsigned byte = (uint8_t)c.command[i];
		if (byte == '%') {
			ck_assert_int_eq(sscanf(&c.command[i + 1], "%2x", &byte), 1);
			i += 2;
		}
		ck_assert_uint_eq((uint8_t)*to, byte == ' ' ? 0 : byte);
		to++;
	}
	ck_assert_uint_eq((size_t)(to - line), n - 1); /* all but the last 0 */
	snprintf(c.output, sizeof c.output, "x.mlpd");
	pvp_args_describe(&c, "fake", NULL, text, sizeof text);
	ck_assert_ptr_nonnull(strstr(text, ",command="));
	ck_assert_str_eq(strrchr(text, ','), ",output=x.mlpd");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("probe_args");
	TCase *t = tcase_create("args");
	tcase_add_test(t, defaults);
	tcase_add_test(t, command_line_is_a_word);
	tcase_add_test(t, every_key);
	tcase_add_test(t, path_holds_the_pid);
	tcase_add_test(t, outputs_as_the_stock_profiler_has_them);
	tcase_add_loop_test(t, culprits_are_named, 0, (int)PV_COUNT_OF(refused));
	tcase_add_test(t, long_paths_are_refused);
	tcase_add_test(t, description_fits);
	suite_add_tcase(s, t);
	return run_suite(s);
}
