#include "tui/app/options.h"
#include "tui/app/options_check.h"
#include "tui/app/options_set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/units.h"
#include "common/base/utf8.h"
#include "tui/draw/time_range.h"

enum { ALL = 0xffff, LIVE = UI_VERB_VIEW | UI_VERB_RUN | UI_VERB_ATTACH | UI_VERB_LISTEN };

/* Name that users see, and its meaning. */
static const struct {
	struct ui_option_row row;
	bool (*set)(const struct ui_parse *p, const char *value);
} rows[] = {
	{ .set = ui_set_follow,
		.row = { "--follow", 'f', NULL, UI_VERB_VIEW | UI_VERB_DUMP,
			"go on reading while FILE grows, is replaced, or is not there yet" } },
	{ .set = ui_set_record,
		.row = { "--record", 0, "FILE", LIVE, "keep what comes through a pipe in FILE" } },
	{ .set = ui_set_spool,
		.row = { "--spool", 0, "LIMIT",
			LIVE | UI_VERB_REPORT | UI_VERB_DIFF | UI_VERB_CHECK | UI_VERB_BRIEF,
			"at most that much of a pipe waits to be read, like 512MiB" } },
	{ .set = ui_set_readonly,
		.row = { "--readonly", 0, NULL, LIVE,
			"send nothing to the program, no heap shots" } },
	{ .set = ui_set_color,
		.row = { "--color", 0, "WHEN", LIVE,
			"auto (the default; minds NO_COLOR), always, never" } },
	{ .set = ui_set_glyphs,
		.row = { "--glyphs", 0, "SET", LIVE,
			"draw charts in block (the default), braille or ascii" } },
	{ .set = ui_set_ascii, .row = { "--ascii", 0, NULL, LIVE, "the same as --glyphs ascii" } },
	{ .set = ui_set_dump,
		.row = { "--dump", 0, NULL, UI_VERB_VIEW,
			"read to the end, print one frame as text, and exit" } },
	{ .set = ui_set_keys,
		.row = { "--keys", 0, "KEYS", LIVE,
			"press these first: j <Enter> <F1> <C-l>; <3j> is three times j" } },
	{ .set = ui_set_size,
		.row = { "--size", 0, "CxR", UI_VERB_VIEW,
			"columns and rows of that frame (80x24)" } },
	{ .set = ui_set_format,
		.row = { "--format", 0, "FORMAT",
			UI_VERB_REPORT | UI_VERB_PS | UI_VERB_DIFF | UI_VERB_CHECK | UI_VERB_BRIEF |
				UI_VERB_DUMP,
			"text (the default), json, csv or md; of ps text or json" } },
	{ .set = ui_set_section,
		.row = { "--section", 0, "NAME,...", UI_VERB_REPORT | UI_VERB_DIFF,
			"only these sections, named as in JSON; all; list names them" } },
	{ .set = ui_set_sort,
		.row = { "--sort", 0, "KEY", UI_VERB_REPORT,
			"sort by this JSON key where a section has it" } },
	{ .set = ui_set_names,
		.row = { "--names", 0, "HOW", UI_VERB_REPORT | UI_VERB_CONVERT | UI_VERB_DIFF,
			"readable (the default), or raw, as the log has them" } },
	{ .set = ui_set_my_code,
		.row = { "--just-my-code", 0, NULL, UI_VERB_REPORT | LIVE,
			"fold the methods of frameworks and libraries into what called them" } },
	{ .set = ui_set_waits,
		.row = { "--waits", 0, NULL,
			UI_VERB_REPORT | UI_VERB_CONVERT | UI_VERB_DIFF | UI_VERB_CHECK |
				UI_VERB_BRIEF | LIVE,
			"count the time in which threads waited, too, not only what ran" } },
	{ .set = ui_set_limit,
		.row = { "--limit", 0, "N", UI_VERB_REPORT | UI_VERB_DIFF,
			"rows of each list, 0 for all (text: 20)" } },
	{ .set = ui_set_filter,
		.row = { "--filter", 0, "TEXT",
			UI_VERB_REPORT | UI_VERB_CONVERT | UI_VERB_DIFF | UI_VERB_DUMP,
			"only what TEXT says: words, |, !, ( ), /regex/, class:x, self>10ms" } },
	{ .set = ui_set_group,
		.row = { "--group", 0, "KEY", UI_VERB_REPORT,
			"a row for each namespace, class, image, assembly or domain" } },
	{ .set = ui_set_split,
		.row = { "--split", 0, "KEY", UI_VERB_REPORT,
			"tell rows of one name apart by such a KEY" } },
	{ .set = ui_set_in,
		.row = { "--in", 0, "KEY:TEXT", UI_VERB_REPORT,
			"only what belongs to a KEY that holds TEXT" } },
	{ .set = ui_set_range,
		.row = { "--range", 0, "A..B",
			UI_VERB_VIEW | UI_VERB_REPORT | UI_VERB_CONVERT | UI_VERB_DIFF |
				UI_VERB_CHECK | UI_VERB_BRIEF | UI_VERB_DUMP,
			"only from A to B: 1.5s..00:01:12, 10s.., -10s.." } },
	{ .set = ui_set_thread,
		.row = { "--thread", 0, "ID|NAME",
			UI_VERB_REPORT | UI_VERB_CONVERT | UI_VERB_DIFF | UI_VERB_CHECK |
				UI_VERB_BRIEF | UI_VERB_DUMP,
			"only this thread" } },
	{ .set = ui_set_kind,
		.row = { "--kind", 0, "KIND,...", UI_VERB_DUMP,
			"only events of these kinds: method.jit, or gc for all of gc.*" } },
	{ .set = ui_set_process,
		.row = { "--process", 0, "PID|NAME",
			UI_VERB_VIEW | UI_VERB_REPORT | UI_VERB_CONVERT | UI_VERB_DIFF |
				UI_VERB_CHECK | UI_VERB_BRIEF | UI_VERB_DUMP,
			"of a folder this process, not the one that used most" } },
	{ .set = ui_set_per,
		.row = { "--per", 0, "UNIT", UI_VERB_DIFF | UI_VERB_VIEW,
			"divide figures by: none, share, second, sample, call:METHOD, counter:NAME" } },
	{ .set = ui_set_base_range,
		.row = { "--base-range", 0, "A..B", UI_VERB_DIFF | UI_VERB_VIEW,
			"of the base only from A to B (as --range)" } },
	{ .set = ui_set_all,
		.row = { "--all", 0, NULL, UI_VERB_DIFF, "list rows that did not change, too" } },
	{ .set = ui_set_via,
		.row = { "--via", 0, "WAY", UI_VERB_ATTACH,
			".NET: probe, events (its own stream, nothing is loaded), or auto" } },
	{ .set = ui_set_meter,
		.row = { "--meter", 0, "NAME", UI_VERB_ATTACH | UI_VERB_LISTEN,
			".NET's event stream: meters of the program, like 'Shop.*'" } },
	{ .set = ui_set_rules,
		.row = { "--rules", 0, "FILE", UI_VERB_CHECK, "rules to judge by, an INI file" } },
	{ .set = ui_set_rule,
		.row = { "--rule", 0, "RULE", UI_VERB_CHECK,
			"one more, like 'gc.pause max=50ms'" } },
	{ .set = ui_set_baseline,
		.row = { "--baseline", 0, "FILE", UI_VERB_CHECK,
			"what max-increase compares with: a log, or a saved baseline" } },
	{ .set = ui_set_require_baseline,
		.row = { "--require-baseline", 0, NULL, UI_VERB_CHECK,
			"without --baseline nothing is judged: exit 2" } },
	{ .set = ui_set_save_baseline,
		.row = { "--save-baseline", 0, "FILE", UI_VERB_CHECK, "keep the rules' figures" } },
	{ .set = ui_set_init,
		.row = { "--init", 0, NULL, UI_VERB_CHECK,
			"print a first file of rules and exit" } },
	{ .set = ui_set_shot,
		.row = { "--shot", 0, "N", UI_VERB_REPORT | UI_VERB_CONVERT,
			"this heap shot, from 0; convert writes it for Chrome (.heapsnapshot)" } },
	{ .set = ui_set_base,
		.row = { "--base", 0, "LOG|N", UI_VERB_REPORT | UI_VERB_VIEW,
			"show rows beside this log's; report: the heap shot that --shot is "
			"compared with" } },
	{ .set = ui_set_by,
		.row = { "--by", 0, "WHAT", UI_VERB_REPORT,
			"heap_diff: objects are the same by identity, address or class" } },
	{ .set = ui_set_object,
		.row = { "--object", 0, "0x...", UI_VERB_REPORT,
			"the object of heap_path, heap_references, heap_referrers, "
			"heap_dominators" } },
	{ .set = ui_set_method,
		.row = { "--method", 0, "NAME", UI_VERB_REPORT,
			"the method whose callers and callees are asked for" } },
	{ .set = ui_set_class,
		.row = { "--class", 0, "NAME", UI_VERB_REPORT,
			"the class of heap_merged_paths and heap_births" } },
	{ .set = ui_set_set,
		.row = { "--set", 0, "FILTER", UI_VERB_REPORT,
			"heap_sets: the objects that it lets through; may be repeated" } },
	{ .set = ui_set_retained,
		.row = { "--retained", 0, NULL, UI_VERB_REPORT,
			"heap_classes: what each class keeps alive, too" } },
	{ .set = ui_set_weak,
		.row = { "--weak", 0, NULL, UI_VERB_REPORT | UI_VERB_CONVERT,
			"weak references and handles keep objects alive, too" } },
	{ .set = ui_set_output,
		.row = { "--output", 'o', "FILE", UI_VERB_CONVERT,
			"the log to write; - is standard output" } },
	{ .set = ui_set_to,
		.row = { "--to", 0, "FORMAT", UI_VERB_CONVERT,
			"mlpd, folded, pprof, speedscope, callgrind, html, chrome, firefox, heapsnapshot" } },
	{ .set = ui_set_measure,
		.row = { "--measure", 0, "NAME", UI_VERB_CONVERT,
			"the figure of a format that has one: samples, cpu, calls, self, ..." } },
	{ .set = ui_set_data_version,
		.row = { "--data-version", 0, "N", UI_VERB_CONVERT,
			"write data version N, 1 to 17" } },
	{ .set = ui_set_jobs,
		.row = { "--jobs", 'j', "N",
			LIVE | UI_VERB_REPORT | UI_VERB_DIFF | UI_VERB_CHECK | UI_VERB_BRIEF,
			"decode with N threads" } },
	{ .set = ui_set_no_index,
		.row = { "--no-index", 0, NULL, UI_VERB_VIEW | UI_VERB_REPORT,
			"neither read nor keep an index" } },
	{ .set = ui_set_calls,
		.row = { "--calls", 0, NULL, UI_VERB_RUN | UI_VERB_ATTACH,
			"every call of a method or function" } },
	{ .set = ui_set_alloc,
		.row = { "--alloc", 0, "[=SIZE]", UI_VERB_RUN | UI_VERB_ATTACH,
			"every allocation; with SIZE one in so many bytes" } },
	{ .set = ui_set_sample,
		.row = { "--sample", 0, "[=HZ]", UI_VERB_RUN | UI_VERB_ATTACH | UI_VERB_LISTEN,
			"samples a second (100), 0 for none" } },
	{ .set = ui_set_heapshot,
		.row = { "--heapshot", 0, "[=MODE]", UI_VERB_RUN | UI_VERB_ATTACH | UI_VERB_LISTEN,
			"heap shots: at every major collection, 5gc, 1000ms" } },
	{ .set = ui_set_leaks,
		.row = { "--leaks", 0, NULL, UI_VERB_RUN,
			"who holds memory, by allocation stack; managed: heap shots each 5 s" } },
	{ .set = ui_set_probe,
		.row = { "--probe", 0, "OPTIONS", UI_VERB_RUN | UI_VERB_ATTACH,
			"further options of the probe, like filter=n:App" } },
	{ .set = ui_set_inject,
		.row = { "--inject", 0, NULL, UI_VERB_ATTACH,
			"a probe into a running Mono, by its attach agent" } },
	{ .set = ui_set_rules,
		.row = { "--check", 0, "RULES", UI_VERB_RUN,
			"judge the log by this file of rules when the program has ended" } },
	{ .set = ui_set_budget,
		.row = { "--budget", 0, "N", UI_VERB_BRIEF, "characters at most (4000)" } },
	{ .set = ui_set_help, .row = { "--help", 'h', NULL, ALL, "print this and exit" } },
	{ .set = ui_set_version,
		.row = { "--version", 'V', NULL, ALL, "print the version and exit" } },
};

const struct ui_option_row *ui_option_row(size_t i)
{
	return i < PV_COUNT_OF(rows) ? &rows[i].row : NULL;
}

/* The row of "--name", "--name=value" or "-n"; -1 when there is none. */
static int find_row(const char *arg, const char **ret_value)
{
	size_t len = strcspn(arg, "=");
	*ret_value = arg[len] ? arg + len + 1 : NULL;
	for (size_t i = 0; i < PV_COUNT_OF(rows); i++) {
		const struct ui_option_row *row = &rows[i].row;
		if (strlen(row->name) == len && strncmp(row->name, arg, len) == 0)
			return (int)i;
		if (row->letter && arg[1] == row->letter && arg[2] == 0)
			return (int)i;
	}
	return -1;
}

static const struct {
	const char *word, *name;
	enum ui_verb verb;
} verbs[] = {
	{ "report", "profview report", UI_VERB_REPORT },
	{ "diff", "profview diff", UI_VERB_DIFF },
	{ "check", "profview check", UI_VERB_CHECK },
	{ "brief", "profview brief", UI_VERB_BRIEF },
	{ "dump", "profview dump", UI_VERB_DUMP },
	{ "convert", "profview convert", UI_VERB_CONVERT },
	{ "run", "profview run", UI_VERB_RUN },
	{ "attach", "profview attach", UI_VERB_ATTACH },
	{ "listen", "profview listen", UI_VERB_LISTEN },
	{ "ps", "profview ps", UI_VERB_PS },
	{ "ctl", "profview ctl", UI_VERB_CTL },
};

const char *ui_verb_name(enum ui_verb verb)
{
	for (size_t i = 0; i < PV_COUNT_OF(verbs); i++)
		if (verbs[i].verb == verb)
			return verbs[i].name;
	return "profview";
}

/* Uses up one option, and the next word where that is its argument. */
static bool parse_option(struct ui_parse *p, int argc, char *const argv[], int *at)
{
	const char *value, *arg = argv[*at];
	int i = find_row(arg, &value);
	if (i < 0)
		return pv_fail(p->err, PV_EUSAGE, 0, "there is no option %s; see profview --help",
			PV_FIT(arg, 60));
	const struct ui_option_row *row = &rows[i].row;
	p->name = row->name;
	if (!(row->verbs & p->o->verb))
		return pv_fail(p->err, PV_EUSAGE, 0, "%s takes no %s; see profview --help",
			ui_verb_name(p->o->verb), row->name);
	if (!row->argument && value)
		return pv_fail(p->err, PV_EUSAGE, 0, "%s takes no argument", row->name);
	if (row->argument && *row->argument != '[' && !value) {
		if (*at + 1 >= argc)
			return pv_fail(
				p->err, PV_EUSAGE, 0, "%s wants %s", row->name, row->argument);
		value = argv[++*at];
	}
	return rows[i].set(p, value);
}

/* Its number, or a name, which no number is; several of attach. */
static bool take_process(struct ui_parse *p, const char *text)
{
	unsigned long pid = 0;
	bool number = !strchr(text, '/') && (!*text || (*text >= '0' && *text <= '9'));
	if (number && (!ui_number(text, INT32_MAX, &pid) || pid == 0))
		return pv_fail(
			p->err, PV_EUSAGE, 0, "\"%s\" is no process number", PV_FIT(text, 60));
	if (p->o->verb == UI_VERB_CTL) {
		p->o->pid = (long)pid;
		p->o->program = number ? NULL : text;
		return true;
	}
	if (p->o->n_joins == UI_ATTACH_MOST)
		return pv_fail(p->err, PV_EUSAGE, 0, "%d processes at most", UI_ATTACH_MOST);
	p->o->join[p->o->n_joins++] = text;
	return true;
}

static bool take_file(struct ui_parse *p, const char *path)
{
	if (p->o->verb == UI_VERB_PS)
		return pv_fail(
			p->err, PV_EUSAGE, 0, "profview ps takes no \"%s\"", PV_FIT(path, 60));
	if (p->o->verb & (UI_VERB_CTL | UI_VERB_ATTACH))
		return take_process(p, path);
	if (p->o->path && p->o->verb == UI_VERB_DIFF && !p->o->path_new && path[0]) {
		p->o->path_new = path;
		return true;
	}
	if (p->o->path)
		return pv_fail(p->err, PV_EUSAGE, 0, "one file at a time, not both %s and %s",
			PV_FIT(p->o->path, 60), PV_FIT(path, 60));
	if (!path[0])
		return pv_fail(p->err, PV_EUSAGE, 0, "the file's name is empty");
	p->o->path = path;
	return true;
}

static enum ui_verb verb_of(const char *word)
{
	for (size_t i = 0; word && i < PV_COUNT_OF(verbs); i++)
		if (strcmp(word, verbs[i].word) == 0)
			return verbs[i].verb;
	return UI_VERB_VIEW;
}

/* All that is left is the program's, or the probe's. */
static void take_words(struct ui_parse *p, char *const *words, int n)
{
	p->o->words = words;
	p->o->n_words = n;
}

bool ui_options_parse(int argc, char *const argv[], struct ui_options *ret, struct pv_error *reterr)
{
	struct ui_options o = { .verb = verb_of(argc > 1 ? argv[1] : NULL) };
	struct ui_parse p = { .o = &o, .err = reterr };
	bool only_files = false;
	for (int i = o.verb == UI_VERB_VIEW ? 1 : 2; i < argc; i++) {
		const char *arg = argv[i];
		bool is_option = !only_files && arg[0] == '-' && arg[1];
		bool ends = is_option && strcmp(arg, "--") == 0;
		if (o.verb == UI_VERB_RUN && (ends || !is_option)) {
			take_words(&p, argv + i + ends, argc - i - ends);
			break;
		}
		if (o.verb == UI_VERB_CTL && (o.pid || o.program)) {
			take_words(&p, argv + i, argc - i);
			break;
		}
		if (ends)
			only_files = true;
		else if (!(is_option ? parse_option(&p, argc, argv, &i) : take_file(&p, arg)))
			return false;
	}
	if (!ui_options_check(&o, reterr))
		return false;
	*ret = o;
	if (*o.shot_period)
		ret->heapshot = ret->shot_period;
	return true;
}
