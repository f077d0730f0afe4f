/* SPDX-License-Identifier: MIT */
/* The user's private folders: owner, modes, their files and keys. */
#include "common/io/private_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/io/fd.h"

#define OPEN_FOLDER (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

static bool is_own_folder(int fd, struct stat *ret)
{
	return fstat(fd, ret) == 0 && ret->st_uid == geteuid();
}

/* --- folders */

/* Enters a folder below one of ours. The user's own links are followed if `follow`. */
static int enter_folder(int at, const char *name, bool follow)
{
	if (at < 0 || (mkdirat(at, name, 0700) < 0 && errno != EEXIST))
		return -1;
	struct stat st;
	int fd = openat(at, name, OPEN_FOLDER | (follow ? 0 : O_NOFOLLOW));
	if (fd >= 0 && !is_own_folder(fd, &st))
		pv_fd_close(&fd);
	return fd;
}

static int enter_and_leave(int *at, const char *name, bool follow)
{
	int fd = enter_folder(*at, name, follow);
	pv_fd_close(at);
	return fd;
}

/* Makes nothing in another user's home, as root with that user's HOME would. */
static int open_base(enum pv_private_place place)
{
	char path[PATH_MAX];
	struct stat st;
	size_t at, all;
	int fd = pv_private_nearest(place, path, &all, &at);
	if (fd >= 0 && !is_own_folder(fd, &st))
		pv_fd_close(&fd);
	for (; fd >= 0 && at < all; at += strlen(path + at))
		if (path[++at])
			fd = enter_and_leave(&fd, path + at, true);
	return fd;
}

/* Closes a folder to others. A key that others could have replaced is removed. */
static bool shut(int fd)
{
	struct stat st;
	if (!is_own_folder(fd, &st))
		return false;
	if ((st.st_mode & 07777) == 0700)
		return true;
	if (fchmod(fd, 0700) < 0)
		return false;
	return !(st.st_mode & 022) || unlinkat(fd, "key", 0) == 0 || errno == ENOENT;
}

int pv_private_top(enum pv_private_place place)
{
	int fd = open_base(place);
	fd = enter_and_leave(&fd, "profview", false);
	return pv_fd_above_standard(fd);
}

int pv_private_folder(enum pv_private_place place, const char *name)
{
	int fd = pv_private_top(place);
	fd = enter_and_leave(&fd, name, false);
	fd = pv_fd_above_standard(fd);
	if (fd >= 0 && !shut(fd))
		pv_fd_close(&fd);
	return fd;
}

/* --- files */

int pv_private_create(int folder, const char *prefix, char *ret_name, unsigned room)
{
	uint64_t number;
	if (getrandom(&number, sizeof number, 0) != sizeof number)
		return -1;
	int n = snprintf(ret_name, room, "%s%016" PRIx64, prefix, number);
	if (n < 0 || (unsigned)n >= room)
		return -1;
	return pv_fd_create(folder, ret_name, O_EXCL | O_RDWR);
}

int pv_private_open(int folder, const char *name)
{
	struct stat st;
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	fd = pv_fd_above_standard(fd);
	if (fd >= 0 &&
		(!is_own_folder(fd, &st) || !S_ISREG(st.st_mode) || (st.st_mode & 07777) != 0600))
		pv_fd_close(&fd);
	return fd;
}

/* --- the key */

static bool read_key(int folder, uint8_t ret_key[PV_PRIVATE_KEY])
{
	struct stat st;
	int fd = pv_private_open(folder, "key");
	bool ok = fd >= 0 && fstat(fd, &st) == 0 && st.st_size == PV_PRIVATE_KEY &&
		  pv_fd_pread(fd, ret_key, PV_PRIVATE_KEY, 0) == PV_PRIVATE_KEY;
	pv_fd_close(&fd);
	return ok;
}

/* Of two keys made at once the first one's stays. */
static bool make_key(int folder)
{
	uint8_t key[PV_PRIVATE_KEY];
	char name[8 + PV_PRIVATE_RANDOM];
	if (getrandom(key, sizeof key, 0) != sizeof key)
		return false;
	int fd = pv_private_create(folder, "part.", name, sizeof name);
	if (fd < 0)
		return false;
	bool ok = pv_fd_pwrite(fd, key, sizeof key, 0) &&
		  (linkat(folder, name, folder, "key", 0) == 0 || errno == EEXIST);
	unlinkat(folder, name, 0);
	pv_fd_close(&fd);
	return ok;
}

bool pv_private_key(int folder, uint8_t ret_key[PV_PRIVATE_KEY])
{
	if (read_key(folder, ret_key))
		return true;
	if (unlinkat(folder, "key", 0) < 0 && errno != ENOENT &&
		unlinkat(folder, "key", AT_REMOVEDIR) < 0)
		return false;
	return make_key(folder) && read_key(folder, ret_key);
}
