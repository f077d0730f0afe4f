/* SPDX-License-Identifier: MIT */
/* Lines on standard error, with all foreign text made showable. */
#include "tui/app/complain.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/text/showable.h"

void ui_complain(const char *about, const char *format, ...)
{
	char *words = NULL, *line = NULL;
	va_list args;
	va_start(args, format);
	if (vasprintf(&words, format, args) < 0)
		words = NULL;
	va_end(args);
	if (asprintf(&line, "profview: %s%s%s", about ? about : "", about ? ": " : "",
		    words ? words : "out of memory") < 0)
		line = NULL;
	char *shown = pv_showable_text(line ? line : "profview: out of memory");
	fprintf(stderr, "%s\n", shown ? shown : "profview: out of memory");
	free(words);
	free(line);
	free(shown);
}

bool ui_complain_on_terminal(void)
{
	return isatty(STDERR_FILENO);
}

void ui_complain_frame(const char *lines)
{
	fputs(lines, stderr);
}
