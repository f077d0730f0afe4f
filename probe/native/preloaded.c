#include "probe/native/preloaded.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* The next name of the list, behind blanks and colons. */
static char *name_at(char *at, size_t *ret_n)
{
	at += strspn(at, " :");
	*ret_n = strcspn(at, " :");
	return at;
}

/* The loader's own marks in a path are not known here. */
static int is_missing(const char *name, size_t n)
{
	char path[4096];
	if (n >= sizeof path || memchr(name, '$', n))
		return n < sizeof path;
	memcpy(path, name, n);
	path[n] = 0;
	return access(path, R_OK) != 0;
}

void pvp_preloaded_look(void)
{
	static const char variable[] = "LD_PRELOAD=", library[] = "libprofview-native";
	int before = errno;
	char **at = environ;
	while (at && *at && strncmp(*at, variable, sizeof variable - 1) != 0)
		at++;
	size_t n = 0;
	for (char *name = at && *at ? *at + sizeof variable - 1 : NULL; name && *name;) {
		name = name_at(name, &n);
		if (n && memmem(name, n, library, sizeof library - 1) && is_missing(name, n)) {
			memmove(name, name + n, strlen(name + n) + 1);
			continue;
		}
		name += n;
	}
	errno = before;
}
