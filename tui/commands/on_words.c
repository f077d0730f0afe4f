/* SPDX-License-Identifier: MIT */
/* Splits a command line with --on: options for this machine, words for the other. */
#include "tui/commands/on_words.h"

#include <stdio.h>
#include <string.h>

void ui_on_first(int argc, char *argv[])
{
	int words = argc > 1 && strncmp(argv[1], "--on=", 5) == 0 ? 1
		    : argc > 2 && strcmp(argv[1], "--on") == 0    ? 2
								  : 0;
	words += words && argc > words + 1 && strcmp(argv[words + 1], "--send") == 0;
	if (!words || argc <= words + 1 || argv[words + 1][0] == '-')
		return;
	char *verb = argv[words + 1];
	memmove(argv + 2, argv + 1, (size_t)words * sizeof *argv);
	argv[1] = verb;
}

/* Number of words that an option uses up: itself, and the next word if the option's argument. */
static int taken(const struct ui_option_row *row, const char *arg)
{
	return 1 + (row && row->argument && *row->argument != '[' && !strchr(arg, '='));
}

static bool is_there(const struct ui_option_row *row, bool screen)
{
	if (!row || strcmp(row->name, "--on") == 0 || strcmp(row->name, "--send") == 0)
		return false;
	return !screen || !(row->verbs & UI_VERB_VIEW);
}

char *ui_on_words(
	int argc, char *const argv[], const struct ui_options *o, bool screen, size_t *ret_n)
{
	char *text = NULL;
	bool only_files = false;
	FILE *out = open_memstream(&text, ret_n);
	for (int i = 1; out && i < argc;) {
		const char *arg = argv[i];
		bool rest = o->words && argv + i >= o->words;
		bool option = !rest && !only_files && i > 1 && arg[0] == '-' && arg[1];
		bool ends = option && strcmp(arg, "--") == 0;
		const struct ui_option_row *row =
			option && !ends ? ui_option_find(o->verb, arg, strcspn(arg, "=")) : NULL;
		int n = option && !ends ? taken(row, arg) : 1;
		only_files |= ends;
		for (int k = 0; k < n && i + k < argc; k++)
			if (!option || ends || is_there(row, screen))
				fwrite(argv[i + k], strlen(argv[i + k]) + 1, 1, out);
		i += n;
	}
	if (!out || fclose(out) != 0)
		return NULL;
	return text;
}
