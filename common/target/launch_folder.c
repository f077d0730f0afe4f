#include "common/target/launch_folder.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static bool is_empty(DIR *d)
{
	for (struct dirent *e; (e = readdir(d));)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			return false;
	return true;
}

bool pv_launch_folder(const char *path, struct pv_error *reterr)
{
	if (mkdir(path, 0777) == 0)
		return true;
	DIR *d = errno == EEXIST ? opendir(path) : NULL;
	if (!d)
		return pv_fail(reterr, PV_EIO, 0, "no folder %.120s: %s", path, strerror(errno));
	bool empty = is_empty(d);
	closedir(d);
	return empty || pv_fail(reterr, PV_EIO, 0,
				"%.120s is not empty: a recording wants a folder of its own", path);
}
