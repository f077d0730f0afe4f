/* SPDX-License-Identifier: MIT */
/* Parses the command line by the rows of tui/options.def. */
#include "tui/app/options.h"
#include "tui/app/options_check.h"
#include "tui/app/options_set.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/utf8.h"

const char *ui_verb_name(enum ui_verb verb)
{
	size_t i = 0;
	while (ui_verb_row(i)->verb != verb)
		i++;
	return ui_verb_row(i)->name;
}

/* The word's verb; the viewer's if the word is no verb. */
static enum ui_verb verb_of(const char *word)
{
	const struct ui_verb_row *row;
	for (size_t i = 1; (row = ui_verb_row(i)); i++)
		if (strcmp(row->name + sizeof "profview", word) == 0)
			return row->verb;
	return UI_VERB_VIEW;
}

/* Whether "--name", "--name=value" or "-n" is the row's. */
static bool row_names(const struct ui_option_row *row, const char *arg, size_t len)
{
	return (strlen(row->name) == len && memcmp(row->name, arg, len) == 0) ||
	       (row->letter && arg[1] == row->letter && !arg[2]);
}

const struct ui_option_row *ui_option_find(enum ui_verb verb, const char *arg, size_t len)
{
	const struct ui_option_row *row;
	for (size_t i = 0; (row = ui_option_row(i)); i++)
		if (row_names(row, arg, len) && row->verbs & verb)
			return row;
	return NULL;
}

/* The row of this name, preferably the verb's own; NULL: none. */
static const struct ui_option_row *find_row(enum ui_verb verb, const char *arg, size_t len)
{
	const struct ui_option_row *row, *found = ui_option_find(verb, arg, len);
	for (size_t i = 0; !found && (row = ui_option_row(i)); i++)
		found = row_names(row, arg, len) ? row : NULL;
	return found;
}

/* Edit distance: letters put in, left out or changed; `arg` is not long. */
static unsigned distance(const char *name, const char *arg, size_t len)
{
	unsigned row[65] = { 0 };
	for (unsigned i = 1; i <= len; i++)
		row[i] = i;
	for (unsigned k = 1; name[k - 1]; k++) {
		unsigned before = row[0];
		row[0] = k;
		for (size_t i = 1; i <= len; i++) {
			unsigned changed = before + (arg[i - 1] != name[k - 1]);
			before = row[i];
			unsigned one = (row[i] < row[i - 1] ? row[i] : row[i - 1]) + 1;
			row[i] = changed < one ? changed : one;
		}
	}
	return row[len];
}

/* The verb's nearest option: begins so, or differs by the fewest letters, two at most; "": none. */
static const char *nearest(enum ui_verb verb, const char *arg, size_t len)
{
	const struct ui_option_row *row;
	const char *found = "";
	unsigned best = 3;
	for (size_t i = 0; len > 3 && len < 64 && (row = ui_option_row(i)); i++) {
		bool begun = strncmp(row->name, arg, len) == 0;
		unsigned n = begun ? 0 : distance(row->name, arg, len);
		if (row->verbs & verb && n < best) {
			best = n;
			found = row->name;
		}
	}
	return found;
}

/* `p->row` is NULL, or another verb's row of the same name. */
static bool refuse_option(const struct ui_parse *p, const char *arg, size_t len)
{
	const char *verb = ui_verb_name(p->o->verb);
	if (p->row)
		return pv_fail(p->err, PV_EUSAGE, 0, "%s takes no %s; see %s --help", verb,
			p->row->name, verb);
	const char *meant = nearest(p->o->verb, arg, len);
	return pv_fail(p->err, PV_EUSAGE, 0, "there is no option %s%s%s; see %s --help",
		PV_FIT(arg, 60), *meant ? ", the nearest is " : "", meant, verb);
}

/* Uses up one option, and the next word if the option's argument. */
static bool parse_option(struct ui_parse *p, int argc, char *const argv[], int *at)
{
	const char *arg = argv[*at];
	size_t len = strcspn(arg, "=");
	const char *value = arg[len] ? arg + len + 1 : NULL;
	const struct ui_option_row *row = p->row = find_row(p->o->verb, arg, len);
	if (!row || !(row->verbs & p->o->verb))
		return refuse_option(p, arg, len);
	if (!row->argument && value)
		return pv_fail(p->err, PV_EUSAGE, 0, "%s takes no argument", row->name);
	if (row->argument && *row->argument != '[' && !value) {
		if (*at + 1 >= argc)
			return pv_fail(
				p->err, PV_EUSAGE, 0, "%s wants %s", row->name, row->argument);
		value = argv[++*at];
	}
	return ui_option_set(p, value);
}

/* A process by number, path or name (no name begins with a digit); attach takes several. */
static bool take_process(struct ui_parse *p, const char *text)
{
	uint64_t pid = 0;
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

/* All further words are the program's, or the probe's. */
static void take_words(struct ui_parse *p, char *const *words, int n)
{
	p->o->words = words;
	p->o->n_words = n;
}

bool ui_options_parse(int argc, char *const argv[], struct ui_options *ret, struct pv_error *reterr)
{
	struct ui_options o = { .verb = verb_of(argc > 1 ? argv[1] : "") };
	struct pv_error err = { 0 };
	struct ui_parse p = { .o = &o, .err = &err };
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
			break;
	}
	if (err.code || !ui_options_check(&o, &err)) {
		*reterr = err;
		return false;
	}
	*ret = o;
	if (*o.shot_period)
		ret->heapshot = ret->shot_period;
	return true;
}
