/* Text that --help prints. */
#include <stdio.h>
#include <stdlib.h>

#include "tui/app/options.h"

static void print_rows(FILE *out, const char *heading, unsigned verb)
{
	fprintf(out, "\n%s\n", heading);
	for (size_t i = 0; ui_option_row(i); i++) {
		const struct ui_option_row *row = ui_option_row(i);
		char left[48], letter[8] = "    ";
		if (row->letter)
			snprintf(letter, sizeof letter, "-%c, ", row->letter);
		bool apart = row->argument && *row->argument != '[';
		snprintf(left, sizeof left, "%s%s%s%s", letter, row->name, apart ? " " : "",
			row->argument ? row->argument : "");
		if (row->verbs & verb && (verb == UI_VERB_VIEW || !(row->verbs & UI_VERB_VIEW)))
			fprintf(out, "  %-24s %s\n", left, row->help);
	}
}

char *ui_options_help(void)
{
	static const char usage[] =
		"profview " PV_VERSION " - a profiler you can watch in a terminal\n"
		"\n"
		"  profview [OPTIONS] FILE         browse a log\n"
		"  profview --follow FILE          follow a growing file or a named pipe\n"
		"  profview -                      read standard input\n"
		"  profview report FILE [OPTIONS]  its figures as text, JSON, CSV or Markdown\n"
		"  profview diff BASE NEW          what changed between two logs, beyond noise\n"
		"  profview check LOG --rules FILE rules and budgets, for build servers\n"
		"  profview brief LOG              a summary for a ticket or a mail\n"
		"  profview dump [--follow] FILE   every event, one a line\n"
		"  profview convert FILE -o OUT    a log again: a part of it, or its data version changed\n"
		"  profview run [OPTIONS] -- COMMAND  start a program with a probe inside and follow it\n"
		"  profview attach PID|NAME|PATH... join running programs\n"
		"  profview listen PATH            wait for a .NET program that was told to call there\n"
		"  profview ps                     what can be joined\n"
		"  profview ctl PID|NAME|PATH LINE speak to a probe: stats, pause, resume, heapshot, ...\n";
	static const char end[] =
		"\n"
		"Exit codes: 0 ok, 1 a rule is broken, 2 usage, 3 input unreadable, 4 input damaged but shown,\n"
		"5 the log cannot answer a rule,\n"
		"125 profview's own failure, 128+n ended by signal n; run passes the program's\n"
		"code on. Keys are explained by F1, each command by a page like profview-run(1).\n";
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	fputs(usage, out);
	print_rows(out, "Options:", UI_VERB_VIEW);
	print_rows(out, "Options of report, besides --jobs and --no-index:", UI_VERB_REPORT);
	print_rows(out, "Options of diff:", UI_VERB_DIFF);
	print_rows(out, "Options of check:", UI_VERB_CHECK);
	print_rows(out, "Options of brief:", UI_VERB_BRIEF);
	print_rows(out, "Options of dump:", UI_VERB_DUMP);
	print_rows(out, "Options of convert:", UI_VERB_CONVERT);
	print_rows(out, "Options of run, besides those of the screen:", UI_VERB_RUN);
	print_rows(out, "Options of attach, likewise:", UI_VERB_ATTACH);
	fputs(end, out);
	fclose(out);
	return text;
}
