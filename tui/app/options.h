/*
 * The command line as rows: spelling, argument, who takes it, help. --help, the man page's test
 * and the parser all use them. Pure: nothing is opened and nothing printed. Any
 * thread.
 */
#ifndef UI_OPTIONS_H
#define UI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/query/views.h"
#include "common/report/report.h"
#include "tui/app/conf.h"
#include "tui/app/term.h"

struct ui_folder;
struct ui_against;

enum ui_verb {
	UI_VERB_VIEW = 1,
	UI_VERB_REPORT = 2,
	UI_VERB_DUMP = 4,
	UI_VERB_CONVERT = 8,
	UI_VERB_CTL = 16,
	UI_VERB_PS = 32,
	UI_VERB_RUN = 64,
	UI_VERB_ATTACH = 128,
	UI_VERB_DIFF = 256,
	UI_VERB_CHECK = 512,
	UI_VERB_BRIEF = 1024,
	UI_VERB_LISTEN = 2048,
};

struct ui_conf;

enum { UI_ATTACH_MOST = 64 }; /* processes joined at once */

struct ui_options {
	const struct ui_conf *conf; /* of the user, borrowed; NULL: none */
	enum ui_verb verb;
	const char *path;         /* "-": standard input; NULL only with help or version */
	const char *process;      /* of a folder, by pid or name; NULL = not given */
	struct ui_folder *folder; /* in which `path` is, borrowed; NULL: in none */
	const char *path_new;     /* of diff, where `path` is the base; NULL: the same */
	bool help, version;
	bool follow, no_index, readonly, dump;
	enum ui_glyphs glyphs;
	bool glyphs_given;
	const char *record;
	uint64_t spool_limit; /* 0 = the default */
	enum ui_color color;
	const char *keys;
	int w, h;      /* of --size, 0 = not given */
	unsigned jobs; /* 0 = as many as cores */
	struct pv_report_options report;
	struct pv_named_set set[UI_SETS]; /* report.sets */
	bool ranged;
	unsigned relative; /* see feed.h */
	int64_t from_ns, to_ns;
	const char *thread;
	const char *kind; /* of dump; NULL = not given */
	bool base_ranged;
	unsigned base_relative; /* of diff, likewise */
	int64_t base_from_ns, base_to_ns;
	const char *base_path;            /* of the viewer; NULL = not given */
	const struct ui_against *against; /* of that, borrowed */
	const char *per;                  /* of diff: figures are divided by it; NULL = not given */
	bool all;
	const char *rules, *baseline, *save_baseline; /* of check; `rules` of run, too */
	const char *rule[32], *format[8];             /* of check, as they were given */
	int n_rule, n_format;
	bool init, require_baseline;
	size_t budget;            /* characters of brief; 0 = not given */
	const char *output;       /* of convert */
	const char *to, *measure; /* likewise, NULL = not given */
	unsigned data_version;    /* 0 = the log's own */
	bool leaks;
	bool inject;          /* of attach */
	const char *via;      /* likewise: "auto", "probe", "events"; NULL = not given */
	const char *meter[8]; /* of attach and listen, as they were given */
	int n_meter;
	long pid;                         /* of ctl, and of attach to one process */
	const char *program;              /* of ctl by its name or path; NULL */
	const char *join[UI_ATTACH_MOST]; /* of attach: numbers, sound ones, names, paths */
	int n_joins;
	const char *socket; /* of the one that is joined, by its path; NULL */
	char *const *words; /* the line of ctl, the command of run; ends with NULL */
	int n_words;
	bool calls; /* of run; the others NULL = not given, "" = without a value */
	const char *alloc, *sample, *heapshot, *probe;
	char shot_period[24]; /* heapshot points here when it is a time, always in ms */
};

struct ui_option_row {
	const char *name;     /* with its dashes */
	char letter;          /* 0 = none */
	const char *argument; /* NULL: it takes none; "[=X]": it may have one */
	unsigned verbs;       /* bits of enum ui_verb */
	const char *help;
};

/* The i-th row of the table, a constant; NULL past the end. */
const struct ui_option_row *ui_option_row(size_t i);

/* Texts in *ret are borrowed from argv. PV_EUSAGE with one clear line. */
bool ui_options_parse(
	int argc, char *const argv[], struct ui_options *ret, struct pv_error *reterr);

/* Text that --help prints; free() it. NULL when out of memory. */
char *ui_options_help(void);

#endif
