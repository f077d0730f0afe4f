#include "common/target/preload.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/status.h"

static bool comes_first(const char *at, size_t len)
{
	static const char *const names[] = { "libasan.", "libtsan.", "libubsan.", "liblsan.",
		"libclang_rt." };
	for (size_t i = 0; i < PV_COUNT_OF(names); i++)
		if (memmem(at, len, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Those of one kind, a colon between them, behind what `to` holds. */
static void append(char *to, const char *list, bool first)
{
	static const char between[] = ": ";
	for (const char *at = list; *at;) {
		size_t len = strcspn(at, between), n = strlen(to);
		if (len && comes_first(at, len) == first) {
			if (n)
				to[n++] = ':';
			memcpy(to + n, at, len);
			to[n + len] = 0;
		}
		at += len + strspn(at + len, between);
	}
}

char *pv_preload_with(const char *before, const char *library)
{
	before = before ? before : "";
	char *to = calloc(1, strlen(before) + strlen(library) + 3);
	if (!to)
		return NULL;
	append(to, before, true);
	if (*to)
		strcat(to, ":");
	strcat(to, library);
	append(to, before, false);
	return to;
}
