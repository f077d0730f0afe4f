#include "tui/app/options.h"
#include "tui/app/options_check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/units.h"
#include "tui/draw/time_range.h"

enum { ALL = 255, MAX_SIDE = 1000, LIVE = UI_VERB_VIEW | UI_VERB_RUN | UI_VERB_ATTACH };

struct parse {
	struct ui_options *o;
	struct pv_error *err;
	const char *name; /* of the option at hand */
};

static bool bad_value(const struct parse *p, const char *wants, const char *value)
{
	return pv_fail(p->err, PV_EUSAGE, 0, "%s wants %s, not \"%.60s\"", p->name, wants, value);
}

static bool set_help(const struct parse *p, const char *value)
{
	(void)value;
	return p->o->help = true;
}

static bool set_version(const struct parse *p, const char *value)
{
	(void)value;
	return p->o->version = true;
}

static bool set_follow(const struct parse *p, const char *value)
{
	(void)value;
	return p->o->follow = true;
}

static bool set_no_index(const struct parse *p, const char *value)
{
	(void)value;
	return p->o->no_index = true;
}

static bool set_readonly(const struct parse *p, const char *value)
{
	(void)value;
	return p->o->readonly = true;
}

static bool set_ascii(const struct parse *p, const char *value)
{
	(void)value;
	return p->o->ascii = true;
}

static bool set_dump(const struct parse *p, const char *value)
{
	(void)value;
	return p->o->dump = true;
}

static bool set_record(const struct parse *p, const char *value)
{
	p->o->record = value;
	return true;
}

static bool set_keys(const struct parse *p, const char *value)
{
	p->o->keys = value;
	return true;
}

static bool set_spool(const struct parse *p, const char *value)
{
	return (pv_units_parse_bytes(value, &p->o->spool_limit) && p->o->spool_limit > 0) ||
	       bad_value(p, "a size like 512MiB", value);
}

static bool set_color(const struct parse *p, const char *value)
{
	static const char *const words[] = { "auto", "always", "never" };
	for (size_t i = 0; i < PV_COUNT_OF(words); i++) {
		if (strcmp(words[i], value) == 0) {
			p->o->color = (enum ui_color)i;
			return true;
		}
	}
	return bad_value(p, "auto, always or never", value);
}

static bool set_size(const struct parse *p, const char *value)
{
	char *end;
	long w = strtol(value, &end, 10), h = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
	if (*end || w < 1 || h < 1 || w > MAX_SIDE || h > MAX_SIDE)
		return bad_value(p, "COLUMNSxROWS, like 120x36", value);
	p->o->w = (int)w;
	p->o->h = (int)h;
	return true;
}

static bool number(const char *text, unsigned long max, unsigned long *ret)
{
	char *end;
	errno = 0;
	unsigned long n = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || n > max)
		return false;
	*ret = n;
	return true;
}

static bool set_jobs(const struct parse *p, const char *value)
{
	unsigned long n;
	if (!number(value, 1024, &n) || n < 1)
		return bad_value(p, "a number from 1 on", value);
	p->o->jobs = (unsigned)n;
	return true;
}

static bool set_format(const struct parse *p, const char *value)
{
	if (p->o->verb == UI_VERB_PS && strcmp(value, "text") != 0 && strcmp(value, "json") != 0)
		return bad_value(p, "text or json", value);
	return pv_report_format_of(value, &p->o->report.format) ||
	       bad_value(p, "text, json, csv or md", value);
}

static bool set_section(const struct parse *p, const char *value)
{
	p->o->report.sections = value;
	return true;
}

static bool set_sort(const struct parse *p, const char *value)
{
	p->o->report.sort = value;
	return true;
}

static bool set_filter(const struct parse *p, const char *value)
{
	p->o->report.filter = value;
	return true;
}

static bool set_group(const struct parse *p, const char *value)
{
	p->o->report.group = value;
	return true;
}

static bool set_split(const struct parse *p, const char *value)
{
	p->o->report.split = value;
	return true;
}

static bool set_in(const struct parse *p, const char *value)
{
	p->o->report.in = value;
	return true;
}

static bool set_limit(const struct parse *p, const char *value)
{
	unsigned long n;
	if (!number(value, 1000000000, &n))
		return bad_value(p, "a number of rows, 0 for all", value);
	p->o->report.limit = n;
	p->o->report.limited = true;
	return true;
}

static bool set_shot(const struct parse *p, const char *value)
{
	unsigned long n;
	if (!number(value, UINT32_MAX - 1, &n))
		return bad_value(p, "the number of a heap shot, counted from 0", value);
	p->o->report.shot.index = (uint32_t)n;
	return p->o->report.has_shot = true;
}

static bool set_base(const struct parse *p, const char *value)
{
	unsigned long n;
	if (!number(value, UINT32_MAX - 1, &n))
		return bad_value(p, "the number of a heap shot, counted from 0", value);
	p->o->report.base = (uint32_t)n;
	return p->o->report.has_base = true;
}

static bool set_by(const struct parse *p, const char *value)
{
	return pv_report_match_of(value, &p->o->report.by) ||
	       bad_value(p, "identity, address or class", value);
}

static bool set_names(const struct parse *p, const char *value)
{
	return pv_report_names_of(value, &p->o->report.raw_names) ||
	       bad_value(p, "readable or raw", value);
}

static bool set_my_code(const struct parse *p, const char *value)
{
	(void)value;
	return p->o->report.my_code = true;
}

static bool set_object(const struct parse *p, const char *value)
{
	char *end;
	errno = 0;
	p->o->report.object = strtoull(value, &end, 16);
	if (strncmp(value, "0x", 2) != 0 || !value[2] || *end || errno)
		return bad_value(p, "an address, 0x...", value);
	return p->o->report.has_object = true;
}

static bool set_retained(const struct parse *p, const char *value)
{
	(void)value;
	return p->o->report.shot.retained = true;
}

static bool set_weak(const struct parse *p, const char *value)
{
	(void)value;
	return p->o->report.shot.weak = true;
}

static bool set_thread(const struct parse *p, const char *value)
{
	p->o->thread = value;
	return value[0] || bad_value(p, "a thread's id or name", value);
}

static bool set_output(const struct parse *p, const char *value)
{
	p->o->output = value;
	return value[0] || bad_value(p, "a file's name, or - for standard output", value);
}

static bool set_to(const struct parse *p, const char *value)
{
	p->o->to = value;
	return true;
}

static bool set_measure(const struct parse *p, const char *value)
{
	p->o->measure = value;
	return true;
}

static bool set_data_version(const struct parse *p, const char *value)
{
	unsigned long n;
	if (!number(value, 17, &n) || n < 1)
		return bad_value(p, "a number from 1 to 17", value);
	p->o->data_version = (unsigned)n;
	return true;
}

static bool set_range(const struct parse *p, const char *value)
{
	struct ui_range r;
	if (!ui_range_parse(value, &r))
		return bad_value(p, "FROM..TO, like 1.5s..00:01:12, 10s.. or -10s..", value);
	p->o->ranged = true;
	p->o->from_ns = r.from_ns;
	p->o->to_ns = r.to_ns;
	p->o->from_end = r.from_end;
	return true;
}

static bool set_calls(const struct parse *p, const char *value)
{
	(void)value;
	return p->o->calls = true;
}

static bool set_alloc(const struct parse *p, const char *value)
{
	uint64_t bytes;
	p->o->alloc = value ? value : "";
	return !value || (pv_units_parse_bytes(value, &bytes) && bytes > 0) ||
	       bad_value(p, "a size like 512k", value);
}

static bool set_sample(const struct parse *p, const char *value)
{
	unsigned long hz;
	p->o->sample = value ? value : "";
	return !value || number(value, 100000, &hz) ||
	       bad_value(p, "a number of times a second", value);
}

static bool set_heapshot(const struct parse *p, const char *value)
{
	p->o->heapshot = value ? value : "";
	return !value || (*value && !strpbrk(value, ", ")) ||
	       bad_value(p, "a mode, like 5gc or 1000ms", value);
}

static bool set_inject(const struct parse *p, const char *value)
{
	(void)value;
	return p->o->inject = true;
}

static bool set_probe(const struct parse *p, const char *value)
{
	p->o->probe = value;
	return (*value && !strpbrk(value, " \"'")) || bad_value(p, "words without blanks", value);
}

/* Name that users see, and its meaning. */
static const struct {
	struct ui_option_row row;
	bool (*set)(const struct parse *p, const char *value);
} rows[] = {
	{ .set = set_follow,
		.row = { "--follow", 'f', NULL, UI_VERB_VIEW | UI_VERB_DUMP,
			"go on reading while FILE grows, is replaced, or is not there yet" } },
	{ .set = set_record,
		.row = { "--record", 0, "FILE", LIVE, "keep what comes through a pipe in FILE" } },
	{ .set = set_spool,
		.row = { "--spool", 0, "LIMIT", LIVE | UI_VERB_REPORT,
			"at most that much of a pipe waits to be read, like 512MiB" } },
	{ .set = set_readonly,
		.row = { "--readonly", 0, NULL, LIVE,
			"send nothing to the program, no heap shots" } },
	{ .set = set_color,
		.row = { "--color", 0, "WHEN", LIVE,
			"auto (the default; minds NO_COLOR), always, never" } },
	{ .set = set_ascii, .row = { "--ascii", 0, NULL, LIVE, "draw with ASCII alone" } },
	{ .set = set_dump,
		.row = { "--dump", 0, NULL, UI_VERB_VIEW,
			"read to the end, print one frame as text, and exit" } },
	{ .set = set_keys,
		.row = { "--keys", 0, "KEYS", LIVE,
			"press these first: j <Enter> <F1> <C-l>; <3j> is three times j" } },
	{ .set = set_size,
		.row = { "--size", 0, "CxR", UI_VERB_VIEW,
			"columns and rows of that frame (80x24)" } },
	{ .set = set_format,
		.row = { "--format", 0, "FORMAT", UI_VERB_REPORT | UI_VERB_PS,
			"text (the default), json, csv or md; of ps text or json" } },
	{ .set = set_section,
		.row = { "--section", 0, "NAME,...", UI_VERB_REPORT,
			"only these sections, named as in JSON; all" } },
	{ .set = set_sort,
		.row = { "--sort", 0, "KEY", UI_VERB_REPORT,
			"sort by this JSON key where a section has it" } },
	{ .set = set_names,
		.row = { "--names", 0, "HOW", UI_VERB_REPORT,
			"readable (the default), or raw, as the log has them" } },
	{ .set = set_my_code,
		.row = { "--just-my-code", 0, NULL, UI_VERB_REPORT | LIVE,
			"fold the methods of frameworks and libraries into what called them" } },
	{ .set = set_limit,
		.row = { "--limit", 0, "N", UI_VERB_REPORT,
			"rows of each list, 0 for all (text: 20)" } },
	{ .set = set_filter,
		.row = { "--filter", 0, "TEXT", UI_VERB_REPORT | UI_VERB_CONVERT,
			"only rows whose name holds TEXT; convert: stacks with such a frame" } },
	{ .set = set_group,
		.row = { "--group", 0, "KEY", UI_VERB_REPORT,
			"a row for each namespace, class, image, assembly or domain" } },
	{ .set = set_split,
		.row = { "--split", 0, "KEY", UI_VERB_REPORT,
			"tell rows of one name apart by such a KEY" } },
	{ .set = set_in,
		.row = { "--in", 0, "KEY:TEXT", UI_VERB_REPORT,
			"only what belongs to a KEY that holds TEXT" } },
	{ .set = set_range,
		.row = { "--range", 0, "A..B", UI_VERB_VIEW | UI_VERB_REPORT | UI_VERB_CONVERT,
			"only from A to B: 1.5s..00:01:12, 10s.., -10s.." } },
	{ .set = set_thread,
		.row = { "--thread", 0, "ID|NAME", UI_VERB_REPORT | UI_VERB_CONVERT,
			"only this thread" } },
	{ .set = set_shot,
		.row = { "--shot", 0, "N", UI_VERB_REPORT | UI_VERB_CONVERT,
			"this heap shot, from 0; convert writes it for Chrome (.heapsnapshot)" } },
	{ .set = set_base,
		.row = { "--base", 0, "N", UI_VERB_REPORT,
			"heap_diff: the heap shot that --shot is compared with (the first)" } },
	{ .set = set_by,
		.row = { "--by", 0, "WHAT", UI_VERB_REPORT,
			"heap_diff: objects are the same by identity, address or class" } },
	{ .set = set_object,
		.row = { "--object", 0, "0x...", UI_VERB_REPORT,
			"the object whose path to a root heap_path gives" } },
	{ .set = set_retained,
		.row = { "--retained", 0, NULL, UI_VERB_REPORT,
			"heap_classes: what each class keeps alive, too" } },
	{ .set = set_weak,
		.row = { "--weak", 0, NULL, UI_VERB_REPORT | UI_VERB_CONVERT,
			"weak references and handles keep objects alive, too" } },
	{ .set = set_output,
		.row = { "--output", 'o', "FILE", UI_VERB_CONVERT,
			"the log to write; - is standard output" } },
	{ .set = set_to,
		.row = { "--to", 0, "FORMAT", UI_VERB_CONVERT,
			"mlpd, folded, pprof, speedscope, callgrind, html, heapsnapshot" } },
	{ .set = set_measure,
		.row = { "--measure", 0, "NAME", UI_VERB_CONVERT,
			"the figure of a format that has one: samples, cpu, calls, self, ..." } },
	{ .set = set_data_version,
		.row = { "--data-version", 0, "N", UI_VERB_CONVERT,
			"write data version N, 1 to 17" } },
	{ .set = set_jobs,
		.row = { "--jobs", 'j', "N", LIVE | UI_VERB_REPORT, "decode with N threads" } },
	{ .set = set_no_index,
		.row = { "--no-index", 0, NULL, UI_VERB_VIEW | UI_VERB_REPORT,
			"neither read nor keep an index" } },
	{ .set = set_calls,
		.row = { "--calls", 0, NULL, UI_VERB_RUN | UI_VERB_ATTACH,
			"every call of a method or function" } },
	{ .set = set_alloc,
		.row = { "--alloc", 0, "[=SIZE]", UI_VERB_RUN | UI_VERB_ATTACH,
			"every allocation; with SIZE one in so many bytes" } },
	{ .set = set_sample,
		.row = { "--sample", 0, "[=HZ]", UI_VERB_RUN | UI_VERB_ATTACH,
			"samples a second (100), 0 for none" } },
	{ .set = set_heapshot,
		.row = { "--heapshot", 0, "[=MODE]", UI_VERB_RUN | UI_VERB_ATTACH,
			"heap shots: at every major collection, 5gc, 1000ms" } },
	{ .set = set_probe,
		.row = { "--probe", 0, "OPTIONS", UI_VERB_RUN | UI_VERB_ATTACH,
			"further options of the probe, like filter=n:App" } },
	{ .set = set_inject,
		.row = { "--inject", 0, NULL, UI_VERB_ATTACH,
			"a probe into a running Mono, by its attach agent" } },
	{ .set = set_help, .row = { "--help", 'h', NULL, ALL, "print this and exit" } },
	{ .set = set_version,
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
	{ "dump", "profview dump", UI_VERB_DUMP },
	{ "convert", "profview convert", UI_VERB_CONVERT },
	{ "run", "profview run", UI_VERB_RUN },
	{ "attach", "profview attach", UI_VERB_ATTACH },
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
static bool parse_option(struct parse *p, int argc, char *const argv[], int *at)
{
	const char *value, *arg = argv[*at];
	int i = find_row(arg, &value);
	if (i < 0)
		return pv_fail(
			p->err, PV_EUSAGE, 0, "there is no option %.60s; see profview --help", arg);
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

static bool take_pid(struct parse *p, const char *text)
{
	unsigned long pid;
	if (p->o->pid)
		return pv_fail(p->err, PV_EUSAGE, 0, "one process at a time");
	if (!number(text, INT32_MAX, &pid) || pid == 0)
		return pv_fail(p->err, PV_EUSAGE, 0, "\"%.60s\" is no process number", text);
	p->o->pid = (long)pid;
	return true;
}

static bool take_file(struct parse *p, const char *path)
{
	if (p->o->verb == UI_VERB_PS)
		return pv_fail(p->err, PV_EUSAGE, 0, "profview ps takes no \"%.60s\"", path);
	if (p->o->verb & (UI_VERB_CTL | UI_VERB_ATTACH))
		return take_pid(p, path);
	if (p->o->path)
		return pv_fail(p->err, PV_EUSAGE, 0, "one file at a time, not both %.60s and %.60s",
			p->o->path, path);
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
static void take_words(struct parse *p, char *const *words, int n)
{
	p->o->words = words;
	p->o->n_words = n;
}

bool ui_options_parse(int argc, char *const argv[], struct ui_options *ret, struct pv_error *reterr)
{
	struct ui_options o = { .verb = verb_of(argc > 1 ? argv[1] : NULL) };
	struct parse p = { .o = &o, .err = reterr };
	bool only_files = false;
	for (int i = o.verb == UI_VERB_VIEW ? 1 : 2; i < argc; i++) {
		const char *arg = argv[i];
		bool is_option = !only_files && arg[0] == '-' && arg[1];
		bool ends = is_option && strcmp(arg, "--") == 0;
		if (o.verb == UI_VERB_RUN && (ends || !is_option)) {
			take_words(&p, argv + i + ends, argc - i - ends);
			break;
		}
		if (o.verb == UI_VERB_CTL && o.pid) {
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
	return true;
}
