/* SPDX-License-Identifier: MIT */
/* The command line: subcommands, options before and after the file, and one clear line if wrong. */
#include "tests/kit/suite.h"

#include <string.h>

#include "common/export/export.h"
#include "tui/app/options.h"
#include "tui/draw/time_range.h"

enum { WORDS = 32 };

static struct ui_options o;
static struct pv_error err;
static char line[256]; /* parsed options point into it */

static bool parse(const char *words)
{
	static char *argv[WORDS + 1];
	memset(argv, 0, sizeof argv);
	argv[0] = line;
	int argc = 0;
	snprintf(line, sizeof line, "profview %s", words);
	for (char *word = strtok(line, " "); word && argc < WORDS; word = strtok(NULL, " "))
		argv[argc++] = word;
	err = (struct pv_error){ 0 };
	return ui_options_parse(argc, argv, &o, &err);
}

static void expect_error(const char *words, const char *part)
{
	ck_assert_msg(!parse(words), "%s is taken", words);
	ck_assert_int_eq(err.code, PV_EUSAGE);
	ck_assert_msg(strstr(err.what, part) != NULL, "%s: %s", words, err.what);
}

static bool joins(const char *one)
{
	return o.n_joins == 1 && strcmp(o.join[0], one) == 0;
}

START_TEST(viewing)
{
	ck_assert(parse("app.mlpd"));
	ck_assert_int_eq(o.verb, UI_VERB_VIEW);
	ck_assert_str_eq(o.path, "app.mlpd");
	ck_assert(!o.follow);
	ck_assert(parse("--follow --record=out.mlpd /tmp/pipe --spool 1MiB --readonly --ascii"));
	ck_assert(o.follow && o.readonly && o.glyphs == UI_GLYPHS_ASCII);
	ck_assert_str_eq(o.record, "out.mlpd");
	ck_assert_uint_eq(o.spool_limit, 1 << 20);
	ck_assert(parse("-f - --color never"));
	ck_assert_str_eq(o.path, "-");
	ck_assert_int_eq(o.color, UI_COLOR_NEVER);
	ck_assert(!o.background_given);
	ck_assert(parse("--source /src=/here x --source=a=b"));
	ck_assert_int_eq(o.source.n, 2);
	ck_assert_str_eq(o.source.at[1], "a=b");
	expect_error("x --source /src", "FROM=TO, two paths");
	expect_error("x --source =/here", "FROM=TO, two paths");
	ck_assert(parse("x --background light"));
	ck_assert(o.background_given && o.background == UI_BACKGROUND_LIGHT);
	ck_assert(parse("x --dump --size 40x10 --keys 2j<Enter> --jobs 3 --no-index"));
	ck_assert(o.dump && o.no_index);
	ck_assert_int_eq(o.w, 40);
	ck_assert_int_eq(o.h, 10);
	ck_assert_str_eq(o.keys, "2j<Enter>");
	ck_assert_uint_eq(o.jobs, 3);
	ck_assert(parse("-- --odd-name"));
	ck_assert_str_eq(o.path, "--odd-name");
}
END_TEST

START_TEST(programs)
{
	ck_assert(parse(
		"run --calls --alloc=64k --sample --record out.mlpd -- mono --debug a.exe -x"));
	ck_assert_int_eq(o.verb, UI_VERB_RUN);
	ck_assert(o.calls && !o.heapshot);
	ck_assert_str_eq(o.alloc, "64k");
	ck_assert_str_eq(o.sample, "");
	ck_assert_str_eq(o.record, "out.mlpd");
	ck_assert_int_eq(o.n_words, 4);
	ck_assert_str_eq(o.words[1], "--debug");
	ck_assert_str_eq(o.words[3], "-x");
	ck_assert(parse("run ./app --calls")); /* the program's own */
	ck_assert(!o.calls && o.n_words == 2);
	ck_assert(parse("ctl 12 set calls=off") && o.pid == 12 && o.n_words == 2);
	ck_assert(parse("ctl 12 --help") && !o.help && o.n_words == 1);
	ck_assert(parse("attach 12 --readonly") && joins("12") && o.readonly);
	ck_assert(parse("attach --heapshot --probe fields,strings=16 12") && joins("12"));
	ck_assert_str_eq(o.probe, "fields,strings=16");
	ck_assert_str_eq(o.heapshot, "");
	static const char *const modes[][2] = { { "2s", "2000ms" }, { "1.5s", "1500ms" },
		{ "300ms", "300ms" }, { "1m", "60000ms" }, { "5gc", "5gc" }, { "0s", "0s" },
		{ "ondemand", "ondemand" }, { "10", "10" } };
	for (size_t k = 0; k < sizeof modes / sizeof *modes; k++) {
		char words[64];
		snprintf(words, sizeof words, "run --heapshot=%s -- ./app", modes[k][0]);
		ck_assert(parse(words));
		ck_assert_str_eq(o.heapshot, modes[k][1]);
	}
	ck_assert(parse("ps --format json") && o.report.format == PV_REPORT_JSON);
	expect_error("run", "COMMAND");
	expect_error("run --", "COMMAND");
	ck_assert(parse("run --alloc=off -- a"));
	expect_error("run --alloc=much -- a", "--alloc");
	expect_error("run --sample=10001 -- a", "10000 at most");
	expect_error("run --sample=often -- a", "--sample");
	expect_error("run --probe a,b\"c -- a", "--probe");
	expect_error("run --section methods -- a", "--section");
	expect_error("ctl", "process number");
	expect_error("ctl 12", "line");
	expect_error("ctl 1x stats", "no process number");
	expect_error("attach 0", "no process number");
	expect_error("attach 1 x 0", "no process number");
	ck_assert(parse("attach 1 shop.exe 2 --record all/") && o.n_joins == 3);
	ck_assert_str_eq(o.join[1], "shop.exe");
	ck_assert(parse("ctl shop.exe stats"));
	expect_error("ps extra", "extra");
	expect_error("ps --format csv", "text or json");
}
END_TEST

START_TEST(reporting)
{
	ck_assert(parse("report app.mlpd --format json --section methods,gc --sort calls --limit 0 "
			"--filter Foo --thread 0x1f --jobs 1"));
	ck_assert_int_eq(o.verb, UI_VERB_REPORT);
	ck_assert_int_eq(o.report.format, PV_REPORT_JSON);
	ck_assert_str_eq(o.report.sections, "methods,gc");
	ck_assert_str_eq(o.report.sort, "calls");
	ck_assert_str_eq(o.report.filter, "Foo");
	ck_assert(o.report.limited);
	ck_assert_uint_eq(o.report.limit, 0);
	ck_assert_str_eq(o.thread, "0x1f");
	ck_assert(parse("report app.mlpd"));
	ck_assert(!o.report.limited && !o.ranged);
	ck_assert(parse("dump --follow log"));
	ck_assert_int_eq(o.verb, UI_VERB_DUMP);
	ck_assert(o.follow);
	/* Only the first word can be a subcommand. */
	ck_assert(parse("./report"));
	ck_assert_str_eq(o.path, "./report");
}
END_TEST

START_TEST(ranges)
{
	ck_assert(parse("report x --range 1.5s..00:01:12"));
	ck_assert(o.ranged && !o.relative);
	ck_assert_int_eq(o.from_ns, INT64_C(1500000000));
	ck_assert_int_eq(o.to_ns, INT64_C(72000000000));
	ck_assert(parse("report x --range -10s.."));
	ck_assert(o.relative);
	ck_assert_int_eq(o.from_ns, -INT64_C(10000000000));
	ck_assert_int_eq(o.to_ns, INT64_MAX);
	ck_assert(parse("report x --range ..200ms"));
	ck_assert(!o.relative);
	ck_assert_int_eq(o.from_ns, INT64_MIN);
	ck_assert(parse("report x --range @14:05:30.5..@2026-11-28T14:05"));
	ck_assert_uint_eq(o.relative, UI_RANGE_FROM_CLOCK | UI_RANGE_TO_CLOCK);
	ck_assert_int_eq(o.from_ns, INT64_C(50730500000000));
	expect_error("report x --range 2s..1s", "begins before it ends");
	expect_error("report x --range @14..", "FROM..TO");
	expect_error("report x --range @24:00..", "FROM..TO");
	expect_error("report x --range 5", "FROM..TO");
	expect_error("report x --range a..b", "FROM..TO");
}
END_TEST

START_TEST(errors_are_one_clear_line)
{
	expect_error("", "wants a FILE");
	expect_error("report", "profview report wants a FILE; see profview report --help");
	expect_error("--nonsense x", "no option --nonsense");
	expect_error("-z x", "no option -z");
	expect_error("x y", "one file at a time");
	expect_error("x --format json", "profview takes no --format");
	expect_error("dump x --limit 3", "profview dump takes no --limit");
	expect_error("report x --follow", "profview report takes no --follow");
	expect_error("x --record", "--record wants FILE");
	expect_error("x --follow=yes", "takes no argument");
	expect_error("x --dump --size 80", "COLUMNSxROWS");
	expect_error("x --dump --size 0x3", "COLUMNSxROWS");
	expect_error("x --dump --size 80x24x", "COLUMNSxROWS");
	expect_error("x --size 80x24", "--dump");
	expect_error("x --color red", "auto, always or never");
	expect_error("x --background grey", "auto, dark or light");
	expect_error("x --jobs 0", "a number");
	expect_error("x --jobs -1", "a number");
	expect_error("x --spool lots", "a size");
	expect_error("report x --limit -3", "a number");
	expect_error("report x --format xml", "text, json, csv, md or vim");
}
END_TEST

START_TEST(an_unknown_option_names_the_nearest)
{
	expect_error("report x --fromat json", "no option --fromat, the nearest is --format;");
	expect_error("x --folow", "the nearest is --follow; see profview --help");
	expect_error("report x --sect=gc", "the nearest is --section; see profview report --help");
	expect_error("check x --rles r", "the nearest is --rules;");
	expect_error("run --sectoin gc -- a", "no option --sectoin; see profview run --help");
	expect_error("convert x -o=y", "no option -o=y; see profview convert --help");
	expect_error(
		"x --an-option-that-is-longer-than-any-other-option-of-all-that-there-are", "see");
	expect_error("dump x --limit 3", "takes no --limit; see profview dump --help");
}
END_TEST

/* One name, another meaning. */
START_TEST(a_name_has_a_row_for_each_meaning)
{
	ck_assert(parse("x --base y"));
	ck_assert_str_eq(o.base_path, "y");
	ck_assert(parse("report x --base 3") && o.report.has_base && o.report.base == 3);
	ck_assert(parse("check x --format text --format junit=y") && o.formats.n == 2);
	expect_error("check x --format csv", "junit");
	expect_error("dump x --format md", "text, json or csv");
	expect_error("brief x --format text", "md or json");
	ck_assert(parse("brief x --format json") && o.report.format == PV_REPORT_JSON);
	ck_assert(parse("diff x y --names exact") && o.report.raw_names);
	ck_assert(parse("report x --names readable") && !o.report.raw_names);
	expect_error("report x --names exact", "readable or raw");
	ck_assert(parse("report x --by class") && o.report.by == PV_REPORT_CLASS);
}
END_TEST

/* A value too many is refused, none is forgotten. */
START_TEST(what_may_be_repeated_has_an_end)
{
	char words[256] = "attach 1";
	for (int i = 0; i < 8; i++)
		strcat(words, " --meter a");
	ck_assert(parse(words) && o.meter.n == 8);
	strcat(words, " --meter b");
	expect_error(words, "--meter: 8 times at most");
}
END_TEST

START_TEST(every_row_is_sound)
{
	const struct ui_option_row *row, *next;
	size_t n = 0;
	for (; (row = ui_option_row(n)); n++) {
		bool chosen = row->kind == UI_OPTION_CHOICE || row->kind == UI_OPTION_WORD;
		ck_assert_msg(chosen == (row->choices != NULL), "%s", row->name);
		ck_assert_msg((row->kind == UI_OPTION_OWN) == (row->read != NULL), "%s", row->name);
		ck_assert_msg(row->kind != UI_OPTION_LIST ||
				      row->most <= sizeof o.rule.at / sizeof *o.rule.at,
			"%s", row->name);
		ck_assert_msg(row->kind != UI_OPTION_NUMBER || (row->most && row->wants), "%s",
			row->name);
		for (size_t i = n + 1; (next = ui_option_row(i)); i++)
			ck_assert_msg(
				strcmp(row->name, next->name) != 0 || !(row->verbs & next->verbs),
				"two rows %s of one verb", row->name);
	}
	ck_assert_uint_gt(n, 60);
}
END_TEST

/* The formats are listed in the table of exports, too. */
START_TEST(every_export_is_a_choice)
{
	char words[256];
	for (size_t i = 0; pv_export_format(i); i++) {
		snprintf(words, sizeof words, "convert x -o y --to %s", pv_export_format(i)->name);
		ck_assert_msg(parse(words), "%s: %s", words, err.what);
	}
	expect_error("convert x -o y --to pdf", "speedscope, callgrind");
}
END_TEST

/* Makes one line of what was wrapped; how many there were, each fit for a usual terminal. */
static size_t unwrap(char *text)
{
	size_t lines = 0;
	char *to = text;
	for (const char *at = text, *feed; (feed = strchr(at, '\n')); lines++) {
		ck_assert_msg(feed - at <= 80, "%.*s", (int)(feed - at), at);
		const char *from = at + strspn(at, " ");
		bool goes_on = from - at > 20;
		if (goes_on)
			to[-1] = ' ';
		else
			from = at;
		memmove(to, from, (size_t)(feed + 1 - from));
		to += feed + 1 - from;
		at = feed + 1;
	}
	*to = 0;
	return lines;
}

/* Those of the verb and no others, on one screen. */
START_TEST(help_is_the_verbs)
{
	const struct ui_option_row *row;
	const struct ui_verb_row *verb;
	for (size_t v = 0; (verb = ui_verb_row(v)); v++) {
		char *text = ui_options_help(verb->verb), spelled[64];
		ck_assert_ptr_nonnull(text);
		ck_assert_msg(strstr(text, verb->name) != NULL, "%s", text);
		ck_assert_uint_le(unwrap(text), 40);
		for (size_t i = 0; (row = ui_option_row(i)); i++) {
			snprintf(spelled, sizeof spelled, " %s", row->name);
			size_t len = strlen(spelled);
			const char *at = text;
			while ((at = strstr(at, spelled)) && at[len] != ' ' && at[len] != '[')
				at++;
			bool takes = row->verbs & verb->verb;
			ck_assert_msg(!takes || (at && strstr(text, row->help)), "%s", row->name);
		}
		const char *options = strstr(text, "\nOptions:");
		ck_assert_ptr_nonnull(options);
		bool other = strstr(options, "--section ") != NULL;
		ck_assert(other == !!(verb->verb & (UI_VERB_REPORT | UI_VERB_DIFF)));
		free(text);
	}
	ck_assert(parse("--help") && o.help);
	ck_assert(parse("report -h") && o.help && o.verb == UI_VERB_REPORT);
	ck_assert(parse("-V") && o.version);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("options");
	TCase *t = tcase_create("options");
	tcase_add_test(t, viewing);
	tcase_add_test(t, programs);
	tcase_add_test(t, reporting);
	tcase_add_test(t, ranges);
	tcase_add_test(t, errors_are_one_clear_line);
	tcase_add_test(t, an_unknown_option_names_the_nearest);
	tcase_add_test(t, a_name_has_a_row_for_each_meaning);
	tcase_add_test(t, what_may_be_repeated_has_an_end);
	tcase_add_test(t, every_row_is_sound);
	tcase_add_test(t, every_export_is_a_choice);
	tcase_add_test(t, help_is_the_verbs);
	suite_add_tcase(s, t);
	return run_suite(s);
}
