/* SPDX-License-Identifier: MIT */
/*
 * The command line, from the rows of tui/options.def. Pure: nothing is opened and nothing printed.
 * Any thread.
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
#include "tui/terminal/term.h"

struct ui_folder;
struct ui_against;
struct ui_far;

enum {
#define VERB(symbol, ...) UI_AT_##symbol,
#define OPTION(...)
#define OPTION_OF(...)
#include "tui/options.def"
};

enum ui_verb {
#define VERB(symbol, ...) UI_VERB_##symbol = 1 << UI_AT_##symbol,
#define OPTION(...)
#define OPTION_OF(...)
#include "tui/options.def"
};

struct ui_conf;

enum { UI_ATTACH_MOST = 64 }; /* processes joined at once */

/* Values of a repeatable option. */
struct ui_texts {
	const char *at[32];
	int n;
};

/* Types of the members declared by the rows, by kind. */
#define UI_MEMBER_FLAG(member)   bool member
#define UI_MEMBER_TEXT(member)   const char *member /* NULL: not given; "": without a value */
#define UI_MEMBER_WORD(member)   const char *member /* NULL: not given */
#define UI_MEMBER_NUMBER(member) unsigned member    /* 0: not given */
#define UI_MEMBER_BYTES(member)  uint64_t member    /* 0: not given */
#define UI_MEMBER_LIST(member)   struct ui_texts member

struct ui_options {
	const struct ui_conf *conf; /* of the user, borrowed; NULL: none */
	enum ui_verb verb;
	const char *path;         /* "-": standard input; NULL only with help or version */
	struct ui_folder *folder; /* folder of `path`, borrowed; NULL: none */
	const char *path_new;     /* of diff, where `path` is the base; NULL: the same */
#define VERB(...)
#define OPTION(kind, member, ...) UI_MEMBER_##kind(member);
#define OPTION_OF(...)
#include "tui/options.def"
	enum ui_color color;
	enum ui_background background;
	bool background_given;
	enum ui_glyphs glyphs;
	bool glyphs_given;
	int w, h; /* of --size, 0 = not given */
	struct pv_report_options report;
	struct pv_named_set set[UI_SETS]; /* report.sets */
	/* Terms about requests in --filter and --base-filter, borrowed. NULL: all; base: as `requests`. */
	const char *requests, *base_requests;
	bool ranged;
	unsigned relative; /* see feed.h */
	int64_t from_ns, to_ns;
	bool base_ranged;
	unsigned base_relative; /* of diff, likewise */
	int64_t base_from_ns, base_to_ns;
	const struct ui_against *against; /* of base_path, borrowed */
	long pid;                         /* for ctl, and attach to one process */
	const char *program; /* ctl: name or path; else the joined program's name; NULL */
	const char *join[UI_ATTACH_MOST]; /* for attach: valid numbers, names, paths */
	int n_joins;
	struct ui_far *far; /* a log that comes by --on, borrowed; NULL: this machine's */
	const char *socket; /* path of the joined process's socket; NULL */
	char *const *words; /* the line of ctl, the command of run; ends with NULL */
	int n_words;
	const char *heapshot; /* NULL = not given, "" = without a value */
	char shot_period[24]; /* heapshot points here for a time, always in ms */
};

enum ui_option_kind {
	UI_OPTION_FLAG,   /* no value; a bool becomes true */
	UI_OPTION_TEXT,   /* a text: is() holds; without is() not empty; without `wants` any */
	UI_OPTION_LIST,   /* likewise, `most` times at most: struct ui_texts */
	UI_OPTION_WORD,   /* a text of `choices` */
	UI_OPTION_CHOICE, /* index in `choices`: an enum, or a bool (false for the first) */
	UI_OPTION_NUMBER, /* decimal, from `least` to `most` */
	UI_OPTION_BYTES,  /* a size like 512MiB, not 0 */
	UI_OPTION_OWN,    /* read() knows the value and the member */
};

struct ui_parse;

struct ui_option_row {
	enum ui_option_kind kind;
	size_t at, size;      /* offset and size of the member in struct ui_options */
	const char *name;     /* with dashes */
	unsigned verbs;       /* bits of enum ui_verb */
	char letter;          /* 0 = none */
	const char *argument; /* NULL: none; "[=X]": optional */
	const char *choices;  /* "auto|always|never" */
	const char *wants;    /* in the refusal; NULL: the choices are, or nothing is refused */
	uint64_t least, most;
	size_t given; /* offset of a bool that becomes true, too; 0: none */
	bool (*is)(const char *value);
	bool (*read)(const struct ui_parse *p, const char *value);
	const char *help;
};

/* The i-th row of the table, a constant; NULL past the end. */
const struct ui_option_row *ui_option_row(size_t i);

/* The verb's row for "--name", "--name=value" (whose name is `len` long) or "-n", a constant; NULL: none. */
const struct ui_option_row *ui_option_find(enum ui_verb verb, const char *arg, size_t len);

struct ui_verb_row {
	enum ui_verb verb;
	const char *name; /* "profview report" */
	const char *arguments, *help;
};

/* Likewise. */
const struct ui_verb_row *ui_verb_row(size_t i);

/* Texts in *ret are borrowed from argv. False: PV_EUSAGE with one clear line. */
bool ui_options_parse(
	int argc, char *const argv[], struct ui_options *ret, struct pv_error *reterr);

/* The text of this verb's --help, to free(). NULL: out of memory. */
char *ui_options_help(enum ui_verb verb);

#endif
