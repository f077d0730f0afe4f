#include "common/io/spool_place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/io/cache.h"
#include "common/io/fd.h"

#define MEMORY_LIMIT (UINT64_C(64) << 20)

/* An open file that no name leads to; -1 with errno. */
static int nameless(const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
	if (fd >= 0)
		return pv_fd_above_standard(fd);
	char path[PATH_MAX];
	int n = snprintf(path, sizeof path, "%s/spool-XXXXXX", dir);
	if (n < 0 || (size_t)n >= sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return pv_fd_above_standard(fd);
}

static bool in_memory(int fd)
{
	struct statfs fs;
	return fstatfs(fd, &fs) == 0 && (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
}

int pv_spool_place(uint64_t *limit, struct pv_error *reterr)
{
	char cache[PATH_MAX];
	pv_cache_folder(cache);
	const char *const dir[] = { cache, "/var/tmp", "/tmp" };
	int memory = -1, why = ENOENT;
	for (size_t i = 0; i < PV_COUNT_OF(dir); i++) {
		int fd = dir[i][0] ? nameless(dir[i]) : -1;
		if (fd < 0) {
			why = errno;
			continue;
		}
		if (!in_memory(fd)) {
			pv_fd_close(&memory);
			return fd;
		}
		if (memory < 0)
			memory = fd;
		else
			close(fd);
	}
	if (memory < 0)
		pv_fail(reterr, PV_EIO, 0,
			"no place for the spool, neither in the cache folder "
			"nor in /var/tmp: %s",
			strerror(why));
	else if (*limit > MEMORY_LIMIT)
		*limit = MEMORY_LIMIT;
	return memory;
}
