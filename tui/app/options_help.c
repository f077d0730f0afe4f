/* SPDX-License-Identifier: MIT */
/* The text of --help. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/app/options.h"

enum { WIDTH = 80, OPTION_COLUMN = 27, VERB_COLUMN = 36 };

/* Prints two blanks, `left`, and `text` from `column` on, wrapped at WIDTH. */
static void print_entry(FILE *out, const char *left, int column, const char *text)
{
	fprintf(out, "  %-*s", column - 2, left);
	int at = column > (int)strlen(left) + 2 ? column : (int)strlen(left) + 2;
	for (const char *word = text; *word;) {
		int n = (int)strcspn(word, " ");
		bool first = word == text;
		if (!first && at + 1 + n > WIDTH)
			at = fprintf(out, "\n%*s%.*s", column + 1, "", n, word) - 1;
		else
			at += fprintf(out, " %.*s", n, word);
		word += n;
		word += strspn(word, " ");
	}
	fputc('\n', out);
}

static void print_options(FILE *out, enum ui_verb verb)
{
	fputs("Options:\n", out);
	for (size_t i = 0; ui_option_row(i); i++) {
		const struct ui_option_row *row = ui_option_row(i);
		char left[48], letter[8] = "    ";
		if (!(row->verbs & verb) || !*row->help)
			continue;
		if (row->letter)
			snprintf(letter, sizeof letter, "-%c, ", row->letter);
		bool apart = row->argument && *row->argument != '[';
		snprintf(left, sizeof left, "%s%s%s%s", letter, row->name, apart ? " " : "",
			row->argument ? row->argument : "");
		print_entry(out, left, OPTION_COLUMN, row->help);
	}
}

/* The viewer's own help has a line for each verb. */
char *ui_options_help(enum ui_verb verb)
{
	static const char end[] =
		"Exit codes: 0 ok, 1 a rule is broken, 2 usage, 3 input unreadable, 4 damaged but\n"
		"shown, 5 no answer to a rule, 125 our own failure, 128+n signal n; profview(1).\n";
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	if (verb == UI_VERB_VIEW)
		fputs("profview " PV_VERSION " - a profiler you can watch in a terminal\n", out);
	const struct ui_verb_row *row;
	for (size_t i = 0; (row = ui_verb_row(i)); i++) {
		char left[48];
		snprintf(left, sizeof left, "%s %s", row->name, row->arguments);
		if (verb == UI_VERB_VIEW || verb == row->verb)
			print_entry(out, left, VERB_COLUMN, row->help);
	}
	print_options(out, verb);
	fputs(verb == UI_VERB_VIEW ? end : "", out);
	fclose(out);
	return text;
}
