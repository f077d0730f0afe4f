/* SPDX-License-Identifier: MIT */
/* Edits this process's LD_PRELOAD in place. */
#include "probe/native/preloaded.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* The next name of the list, after blanks and colons. */
static char *name_at(char *at, size_t *ret_n)
{
	at += strspn(at, " :");
	*ret_n = strcspn(at, " :");
	return at;
}

/* Whether the library's file can be read by the loader's path. */
static bool is_there(void)
{
	Dl_info own;
	return dladdr((void *)(uintptr_t)pvp_preloaded_look, &own) && own.dli_fname &&
	       access(own.dli_fname, R_OK) == 0;
}

/* This process's LD_PRELOAD, NULL: not set. */
static char *preload_names(void)
{
	static const char variable[] = "LD_PRELOAD=";
	for (char **at = environ; at && *at; at++)
		if (strncmp(*at, variable, sizeof variable - 1) == 0)
			return *at + sizeof variable - 1;
	return NULL;
}

void pvp_preloaded_plain(void)
{
	static const char variable[] = "/platforms/$PLATFORM/libprofview-native";
	static const size_t expanded = sizeof "/platforms/$PLATFORM" - 1;
	char *list = preload_names(), *at = list ? strstr(list, variable) : NULL;
	if (at)
		memmove(at, at + expanded, strlen(at + expanded) + 1);
}

void pvp_preloaded_look(void)
{
	static const char library[] = "libprofview-native";
	int before = errno;
	size_t n = 0;
	for (char *name = is_there() ? NULL : preload_names(); name && *name;) {
		name = name_at(name, &n);
		if (n && memmem(name, n, library, sizeof library - 1)) {
			memmove(name, name + n, strlen(name + n) + 1);
			continue;
		}
		name += n;
	}
	errno = before;
}
