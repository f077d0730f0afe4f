/* SPDX-License-Identifier: MIT */
/* The file of the spool's ring: without a name, on disk if possible. */
#include "common/io/spool_place.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/io/fd.h"
#include "common/io/private_folder.h"

#define MEMORY_LIMIT (UINT64_C(64) << 20)

/* An open file in `folder` without a name; -1 with errno. */
static int nameless(int folder)
{
	char name[8 + PV_PRIVATE_RANDOM];
	int fd = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
	if (fd >= 0)
		return pv_fd_above_standard(fd);
	fd = pv_private_create(folder, ".spool-", name, sizeof name);
	if (fd >= 0)
		unlinkat(folder, name, 0);
	return fd;
}

static int open_place(const char *path)
{
	return path ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC)
		    : pv_private_top(PV_PRIVATE_CACHE);
}

static bool in_memory(int fd)
{
	struct statfs fs;
	return fstatfs(fd, &fs) == 0 && (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
}

int pv_spool_place(uint64_t *limit, struct pv_error *reterr)
{
	static const char *const path[] = { NULL, "/var/tmp", "/tmp" }; /* NULL: the cache */
	int memory = -1, why = ENOENT;
	for (size_t i = 0; i < PV_COUNT_OF(path); i++) {
		int folder = open_place(path[i]), fd = folder < 0 ? -1 : nameless(folder);
		if (fd < 0)
			why = errno;
		pv_fd_close(&folder);
		if (fd < 0)
			continue;
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
