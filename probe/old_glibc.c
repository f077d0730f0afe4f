/* SPDX-License-Identifier: MIT */
/* Functions of glibc 2.30 (gettid) and 2.33 (the others), for probes that load on older systems. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

pid_t gettid(void)
{
	return (pid_t)syscall(SYS_gettid);
}

int stat64(const char *restrict path, struct stat64 *restrict ret)
{
	return (int)syscall(SYS_newfstatat, AT_FDCWD, path, ret, 0);
}

int lstat64(const char *restrict path, struct stat64 *restrict ret)
{
	return (int)syscall(SYS_newfstatat, AT_FDCWD, path, ret, AT_SYMLINK_NOFOLLOW);
}

int fstat64(int fd, struct stat64 *ret)
{
	return (int)syscall(SYS_fstat, fd, ret);
}
