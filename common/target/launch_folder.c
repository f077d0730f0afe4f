#include "common/target/launch_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "123-0.mlpd" */
static bool is_log(const char *name)
{
	static const char digits[] = "0123456789";
	size_t n = strspn(name, digits);
	if (!n || name[n] != '-')
		return false;
	size_t m = strspn(name + n + 1, digits);
	return m && strcmp(name + n + 1 + m, ".mlpd") == 0;
}

static bool is_recordings(const char *name)
{
	return is_log(name) || strcmp(name, "index.json") == 0 ||
	       strcmp(name, ".index.json.new") == 0;
}

static bool is_entry(const char *name)
{
	return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* The first name that is no recording's; "" when there is none. */
static void stranger(DIR *d, char to[NAME_MAX + 1])
{
	*to = 0;
	for (struct dirent *e; !*to && (e = readdir(d));)
		if (is_entry(e->d_name) && !is_recordings(e->d_name))
			strcpy(to, e->d_name);
}

static void clear(DIR *d)
{
	rewinddir(d);
	for (struct dirent *e; (e = readdir(d));)
		if (is_recordings(e->d_name))
			unlinkat(dirfd(d), e->d_name, 0);
}

bool pv_launch_folder(const char *path, struct pv_error *reterr)
{
	char name[NAME_MAX + 1];
	if (mkdir(path, 0777) == 0)
		return true;
	DIR *d = errno == EEXIST ? opendir(path) : NULL;
	if (!d)
		return pv_fail(reterr, PV_EIO, 0, "no folder %.100s: %s", path, strerror(errno));
	stranger(d, name);
	if (!*name)
		clear(d);
	closedir(d);
	return !*name || pv_fail(reterr, PV_EIO, 0,
				 "%.80s has %.60s in it, which is no recording's: another folder "
				 "is needed",
				 path, name);
}
