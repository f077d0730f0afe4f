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

/* The file that the loader took this library from. */
static bool is_there(void)
{
	Dl_info own;
	return dladdr((void *)(uintptr_t)pvp_preloaded_look, &own) && own.dli_fname &&
	       access(own.dli_fname, R_OK) == 0;
}

void pvp_preloaded_look(void)
{
	static const char variable[] = "LD_PRELOAD=", library[] = "libprofview-native";
	int before = errno;
	char **at = environ;
	if (is_there())
		at = NULL;
	while (at && *at && strncmp(*at, variable, sizeof variable - 1) != 0)
		at++;
	size_t n = 0;
	for (char *name = at && *at ? *at + sizeof variable - 1 : NULL; name && *name;) {
		name = name_at(name, &n);
		if (n && memmem(name, n, library, sizeof library - 1)) {
			memmove(name, name + n, strlen(name + n) + 1);
			continue;
		}
		name += n;
	}
	errno = before;
}
