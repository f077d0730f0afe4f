/* SPDX-License-Identifier: MIT */
/* Compares the profiler's options of two logs. */
#include "common/compare/options_differ.h"

#include <stdio.h>
#include <string.h>

#include "common/base/status.h"

/* Options that differ in any two runs. */
static bool is_private(const char *word, size_t len)
{
	static const char *const private[] = { "output", "control", "buffer", "port", "fd",
		"tell" };
	for (size_t i = 0; i < PV_COUNT_OF(private); i++) {
		size_t n = strlen(private[i]);
		if (len >= n && strncmp(word, private[i], n) == 0 && (len == n || word[n] == '='))
			return true;
	}
	return false;
}

static bool options_have(const char *args, const char *word, size_t len)
{
	for (const char *at = args; *at;) {
		size_t n = strcspn(at, ",");
		if (n == len && strncmp(at, word, n) == 0)
			return true;
		at += n + (at[n] == ',');
	}
	return false;
}

/* Lists options of one log missing in the other. */
void pv_options_only(const char *args, const char *other, char *to, size_t room)
{
	size_t n = 0;
	to[0] = 0;
	for (const char *at = args; *at;) {
		size_t len = strcspn(at, ",");
		if (len && !is_private(at, len) && !options_have(other, at, len) &&
			n + len + 2 < room)
			n += (size_t)snprintf(
				to + n, room - n, "%s%.*s", n ? "," : "", (int)len, at);
		at += len + (at[len] == ',');
	}
}

bool pv_options_differ(const char *a, const char *b)
{
	char text[64];
	pv_options_only(a, b, text, sizeof text);
	if (*text)
		return true;
	pv_options_only(b, a, text, sizeof text);
	return *text;
}
