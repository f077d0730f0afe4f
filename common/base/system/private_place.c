/* SPDX-License-Identifier: MIT */
/* The user's folders for caches, states and settings, by the environment. */
#include "common/base/system/private_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The place's path; false where the environment names none. Of a user without a home "/" is no home. */
static bool base_path(enum pv_private_place place, char to[PATH_MAX])
{
	static const struct {
		const char *name, *below;
	} of[] = { { "XDG_CACHE_HOME", "/.cache" }, { "XDG_STATE_HOME", "/.local/state" },
		{ "XDG_CONFIG_HOME", "/.config" } };
	const char *base = getenv(of[place].name), *below = "";
	if (!base || base[0] != '/') {
		base = getenv("HOME");
		below = of[place].below;
		if (!base || base[0] != '/' || base[strspn(base, "/")] == 0)
			return false;
	}
	return snprintf(to, PATH_MAX, "%s%s", base, below) < PATH_MAX;
}

int pv_private_nearest(
	enum pv_private_place place, char ret_path[PATH_MAX], size_t *ret_all, size_t *ret_at)
{
	int fd;
	if (!base_path(place, ret_path))
		return -1;
	size_t at = *ret_all = strlen(ret_path);
	while ((fd = open(at ? ret_path : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0 &&
		errno == ENOENT && at > 0) {
		while (at > 0 && ret_path[--at] != '/')
			;
		ret_path[at] = 0;
	}
	*ret_at = at;
	return fd;
}

bool pv_private_is_foreign(enum pv_private_place place)
{
	char path[PATH_MAX];
	struct stat st;
	size_t all, at;
	int fd = pv_private_nearest(place, path, &all, &at);
	bool foreign = fd >= 0 && (fstat(fd, &st) != 0 || st.st_uid != geteuid());
	if (fd >= 0)
		close(fd);
	return foreign;
}
