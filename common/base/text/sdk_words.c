/* SPDX-License-Identifier: MIT */
/* Recognises a command line of .NET's SDK that starts another program. */
#include "common/base/text/sdk_words.h"

#include <string.h>

static bool ends_in(const char *word, const char *ending)
{
	size_t n = strlen(word), m = strlen(ending);
	return n > m && strcmp(word + n - m, ending) == 0;
}

bool pv_words_are_sdks(const char *words, size_t n)
{
	const char *slash = strrchr(words, '/');
	if (strcmp(slash ? slash + 1 : words, "dotnet") != 0)
		return strstr(words, "/sdk/") != NULL;
	bool exec = false;
	for (const char *at = words + strlen(words) + 1; at < words + n; at += strlen(at) + 1) {
		if (ends_in(at, ".dll") || ends_in(at, ".exe"))
			return strstr(at, "/sdk/") != NULL;
		if (strcmp(at, "exec") == 0)
			exec = true;
		else if (*at != '-' && !exec)
			return true; /* a command */
	}
	return false;
}
