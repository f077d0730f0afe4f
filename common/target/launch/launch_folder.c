/* SPDX-License-Identifier: MIT */
/* The folder for the logs of a tree of processes. */
#include "common/target/launch/launch_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/target/launch/join_folder.h"

static bool is_empty_folder(DIR *d)
{
	for (struct dirent *e; (e = readdir(d));)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			return false;
	return true;
}

bool pv_launch_folder(const char *path, struct pv_error *reterr)
{
	if (mkdir(path, 0700) == 0)
		return true;
	DIR *d = errno == EEXIST ? opendir(path) : NULL;
	if (!d)
		return pv_fail(reterr, PV_EIO, 0, "no folder %.120s: %s", path, strerror(errno));
	bool empty = is_empty_folder(d);
	closedir(d);
	return empty || pv_fail(reterr, PV_EIO, 0,
				"%.120s is not empty: a recording wants a folder of its own", path);
}

bool pv_launch_folder_temporary(
	char *to, size_t room, const char *next_to, int *ret_lock, struct pv_error *reterr)
{
	static const char *const places[] = { "/var/tmp", "/tmp" };
	*ret_lock = -1;
	if (next_to) {
		const char *slash = strrchr(next_to, '/');
		int folder = slash ? (int)(slash - next_to) + 1 : 0;
		int n = snprintf(to, room, "%.*s.profview-XXXXXX", folder, next_to);
		if (n > 0 && (size_t)n < room && mkdtemp(to))
			return true;
	}
	for (size_t i = 0; !next_to && i < PV_COUNT_OF(places); i++)
		if (pv_run_folder_make(places[i], to, room, ret_lock, NULL))
			return true;
	*to = 0;
	return pv_fail(reterr, PV_EIO, 0, "no folder for the logs: %s", strerror(errno));
}

void pv_launch_folder_remove(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	pv_run_folder_empty(fd);
	close(fd);
	rmdir(path);
}
