/* SPDX-License-Identifier: MIT */
/* Quotes a log's path for a shell, so that a printed command runs nothing else. */
#include "common/base/text/log_argument.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/showable.h"

void pv_put_log_argument(FILE *out, const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./-+,:@";
	const char *text = strcmp(path, "-") == 0 ? "FILE" : path;
	const bool quoted = !*text || strspn(text, plain) != strlen(text);
	char *shown = pv_showable_text(text);
	if (quoted)
		putc('\'', out);
	for (const char *at = shown ? shown : ""; *at; at++)
		if (*at == '\'')
			fputs("'\\''", out);
		else
			putc(*at, out);
	if (quoted)
		putc('\'', out);
	free(shown);
}
