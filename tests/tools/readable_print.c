/* SPDX-License-Identifier: MIT */
/* Readable names of methods: reads raw ones from standard input, one a line. */
#include <stdio.h>
#include <string.h>

#include "common/base/text/readable_name.h"

int main(void)
{
	char line[4096], text[4096];
	while (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = 0;
		if (!pv_readable_method(line, strlen(line), PV_NAME_READABLE, text, sizeof text))
			snprintf(text, sizeof text, "%s", line);
		puts(text);
	}
	return 0;
}
