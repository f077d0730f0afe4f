#include "common/io/cache.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void pv_cache_folder(char ret_dir[PATH_MAX])
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	bool own = cache && cache[0] == '/';
	const char *base = own ? cache : home && home[0] == '/' ? home : NULL;
	ret_dir[0] = 0;
	if (!base || strlen(base) > PATH_MAX - 64)
		return;
	snprintf(ret_dir, PATH_MAX, "%s%s", base, own ? "" : "/.cache");
	mkdir(ret_dir, 0700);
	strcat(ret_dir, "/profview");
	mkdir(ret_dir, 0700);
}
