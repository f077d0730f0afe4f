/* SPDX-License-Identifier: MIT */
/* The rows of words against the probes' own parsers, and the programs that a command line starts. */
#include "tests/kit/suite.h"

#include <stdio.h>
#include <string.h>

#include "common/target/process/starter.h"
#include "common/target/process/words.h"
#include "probe/corprof/clr_args.h"
#include "probe/managed/managed_args.h"
#include "probe/native/native_args.h"
#include "probe/ground/probe_args.h"

/* Values that any of the words could have; "" stands for none. */
static const char *const values[] = { "", "=on", "=off", "=1", "=0", "=512k", "=1m", "=300000",
	"=5q", "=x", "=100", "=20000", "=5gc", "=nogc", "=200ms", "=ondemand", "=onshutdown",
	"=cpu", "=files", "=site", "=size", "=n:App", "=-c:Test*+il:9", "=App", "=" };

static bool core_takes(const char *rest)
{
	struct pvp_config c;
	return pvp_args_parse(rest, &c, NULL);
}

static bool takes(enum pv_host host, const char *word)
{
	static struct pvp_native_options n;
	static struct pvp_managed_options m;
	static struct pvp_clr_options d;
	char why[PVP_CLR_WHY];
	switch (host) {
	case PV_HOST_NATIVE:
		return pvp_native_parse(word, &n) && core_takes(n.rest);
	case PV_HOST_MONO:
		return pvp_managed_parse(word, &m) && core_takes(m.rest);
	default:
		return pvp_clr_parse(word, true, &d, why) && core_takes(d.m.rest);
	}
}

/* Whatever the table lets through the probe understands: nothing is refused after the start. */
START_TEST(no_word_is_refused_by_the_probe)
{
	char why[PV_WORDS_WHY], known[PV_WORDS_WHY], text[100], *rest = NULL;
	const char *last = "";
	unsigned taken = 0;
	ck_assert(!pv_words_check("?", PV_HOST_NATIVE | PV_HOST_MONO | PV_HOST_DOTNET, known));
	char *word = strstr(known, "it knows: ");
	ck_assert_ptr_nonnull(word);
	for (word = strtok_r(word + strlen("it knows: "), " ", &rest); word;
		word = strtok_r(NULL, " ", &rest)) {
		for (size_t k = 0; k < PV_COUNT_OF(values) * 6; k++) {
			enum pv_host host = 1u << k % 3;
			snprintf(text, sizeof text, "%s%s%s", k / 3 % 2 ? "no" : "", word,
				values[k / 6]);
			if (!pv_words_check(text, host, why))
				continue;
			taken++;
			ck_assert_msg(takes(host, text), "%s by host %d", text, (int)host);
		}
		ck_assert_str_ne(word, last); /* once each */
		last = word;
	}
	ck_assert_str_eq(last, "zip"); /* nothing was cut off */
	ck_assert_uint_gt(taken, 100);
}
END_TEST

static const struct {
	const char *words;
	unsigned hosts;
	const char *why; /* NULL: understood */
} asked[] = {
	{ "fields,sample=200", PV_HOST_MONO, NULL },
	{ "sample-real=50", PV_HOST_MONO, NULL },
	{ "sample-real,sample-real=200", PV_HOST_NATIVE, NULL },
	{ "sample-real=20000", PV_HOST_NATIVE, "a number from 1 to 10000" },
	{ "sample=20000", PV_HOST_MONO, "a number from 1 to 10000" },
	{ "sample=1000000", PV_HOST_DOTNET, "a number from 1 to 10000" },
	{ "sample=10000", PV_HOST_DOTNET | PV_HOST_MONO, NULL },
	{ "fields", PV_HOST_NATIVE, "fields is a word of .NET and Mono" },
	{ "free", PV_HOST_MONO, "free is a word of native programs" },
	{ "free,alloc=512k", PV_HOST_NATIVE, "add --alloc" },
	{ "free,alloc", PV_HOST_NATIVE, NULL },
	{ "nonsense", PV_HOST_DOTNET, "\"nonsense\" is no word of the probe" },
	{ "filter=App", PV_HOST_MONO, "n:App" },
	{ "filter=n:App+-c:X", PV_HOST_DOTNET, NULL },
	{ "suspend,coverage", PV_HOST_MONO | PV_HOST_DOTNET, NULL },
	{ "heapshot=5gc", PV_HOST_NATIVE, "no collections" },
	{ "heapshot=5gc", PV_HOST_DOTNET, NULL },
	{ "heapshot=2000ms", PV_HOST_NATIVE, NULL },
	{ "heapshot=0ms", PV_HOST_NATIVE, "1000ms" },
	{ "heapshot=nogc", PV_HOST_DOTNET, NULL },
	{ "heapshot=nogc", PV_HOST_MONO, "no value, 5gc" },
	{ "output=x", PV_HOST_DOTNET, "--record" },
	{ "noexception,alloc=off", PV_HOST_DOTNET, NULL },
	{ "noexception", PV_HOST_NATIVE, "is a word of .NET and Mono" },
	{ "noalloc,nocalls,nocpu", PV_HOST_NATIVE, NULL },
	{ "maxsize=1m,ring=1m", PV_HOST_NATIVE, "exclude" },
};

START_TEST(words)
{
	char why[PV_WORDS_WHY] = "";
	bool ok = pv_words_check(asked[_i].words, asked[_i].hosts, why);
	ck_assert_msg(ok == !asked[_i].why, "%s: %s", asked[_i].words, why);
	if (!ok)
		ck_assert_msg(strstr(why, asked[_i].why), "%s: %s", asked[_i].words, why);
}
END_TEST

START_TEST(of_several_hosts_each_gets_its_own)
{
	char to[100];
	ck_assert(pv_words_for("suspend,coverage,fields,free", PV_HOST_DOTNET, to, sizeof to));
	ck_assert_str_eq(to, "suspend,fields");
	ck_assert(pv_words_for("suspend,coverage,fields,free", PV_HOST_NATIVE, to, sizeof to));
	ck_assert_str_eq(to, "free");
	ck_assert(!pv_words_for("suspend,fields", PV_HOST_DOTNET, to, 8));
}
END_TEST

static const struct {
	const char *line; /* blanks part its words; '_' is a blank within one */
	enum pv_starter what;
	const char *command;
	bool cleans;
} lines[] = {
	{ "dotnet app.dll", PV_STARTER_NONE, "", false },
	{ "env A=1 -u B dotnet app.dll", PV_STARTER_FOUND, "dotnet", false },
	{ "env -i dotnet app.dll", PV_STARTER_FOUND, "dotnet", true },
	{ "env", PV_STARTER_NONE, "", false },
	{ "/usr/bin/timeout -k 5 10 nice -n 5 nohup prog x", PV_STARTER_FOUND, "prog", false },
	{ "timeout --signal=INT 10 prog", PV_STARTER_FOUND, "prog", false },
	{ "stdbuf -oL -e 0 prog", PV_STARTER_FOUND, "prog", false },
	{ "setsid -w prog", PV_STARTER_FOUND, "prog", false },
	{ "taskset 3 prog", PV_STARTER_FOUND, "prog", false },
	{ "bash -c exec_dotnet_app.dll", PV_STARTER_GUESSED, "dotnet", false },
	{ "sh -ec cd_/tmp;_A=1_mono_x.exe|tee_log", PV_STARTER_GUESSED, "mono", false },
	{ "sh -c prog_'a;b'&&true", PV_STARTER_GUESSED, "prog", false },
	{ "sh -c $PROG_x", PV_STARTER_UNKNOWN, "", false },
	{ "env bash -c exec_prog", PV_STARTER_GUESSED, "prog", false },
	{ "bash ./start.sh", PV_STARTER_GUESSED, "./start.sh", false },
	{ "bash", PV_STARTER_UNKNOWN, "", false },
	{ "make -j2 run", PV_STARTER_UNKNOWN, "", false },
	{ "nice make", PV_STARTER_UNKNOWN, "", false },
};

START_TEST(starters)
{
	char text[200], command[PV_STARTER_WORD] = "", *word[20], *save;
	size_t n = 0;
	bool cleans;
	snprintf(text, sizeof text, "%s", lines[_i].line);
	for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		for (char *c = w; *c; c++)
			*c = *c == '_' ? ' ' : *c;
		word[n++] = w;
	}
	word[n] = NULL;
	ck_assert_msg(pv_starter_look(word, command, &cleans) == lines[_i].what, "%s: %s",
		lines[_i].line, command);
	if (*lines[_i].command)
		ck_assert_str_eq(command, lines[_i].command);
	ck_assert_int_eq(cleans, lines[_i].cleans);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("words");
	TCase *t = tcase_create("words");
	tcase_add_test(t, no_word_is_refused_by_the_probe);
	tcase_add_loop_test(t, words, 0, PV_COUNT_OF(asked));
	tcase_add_test(t, of_several_hosts_each_gets_its_own);
	tcase_add_loop_test(t, starters, 0, PV_COUNT_OF(lines));
	suite_add_tcase(s, t);
	return run_suite(s);
}
