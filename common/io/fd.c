/* SPDX-License-Identifier: MIT */
/* Descriptors: whole reads and writes, reopening, closing, also in the drainer after a fork. */
#include "common/io/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PRIVATE_MODE = 0600 };

ssize_t pv_fd_pread(int fd, void *to, size_t n, uint64_t at)
{
	ssize_t got;
	do
		got = pread(fd, to, n, (off_t)at);
	while (got < 0 && errno == EINTR);
	return got;
}

ssize_t pv_fd_read(int fd, void *to, size_t n)
{
	ssize_t got;
	do
		got = read(fd, to, n);
	while (got < 0 && errno == EINTR);
	return got;
}

bool pv_fd_pwrite(int fd, const void *from, size_t n, uint64_t at)
{
	const char *p = from;
	while (n > 0) {
		ssize_t put = pwrite(fd, p, n, (off_t)at);
		if (put < 0 && errno == EINTR)
			continue;
		if (put == 0)
			errno = ENOSPC;
		if (put <= 0)
			return false;
		p += put;
		n -= (size_t)put;
		at += (uint64_t)put;
	}
	return true;
}

/* Writes "/proc/self/fd/N" without stdio, which must not be used after a fork. */
static void proc_path(char path[32], int fd)
{
	char digit[12];
	size_t n = 0, at = 0;
	for (unsigned v = (unsigned)fd; n == 0 || v; v /= 10)
		digit[n++] = (char)('0' + v % 10);
	for (const char *p = "/proc/self/fd/"; *p; p++)
		path[at++] = *p;
	while (n > 0)
		path[at++] = digit[--n];
	path[at] = 0;
}

int pv_fd_create(int folder, const char *name, int flags)
{
	int fd = openat(
		folder, name, flags | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, PRIVATE_MODE);
	if (fd >= 0)
		fchmod(fd, PRIVATE_MODE); /* against the umask; some file systems have no modes */
	return pv_fd_above_standard(fd);
}

int pv_fd_reopen(int fd)
{
	char path[32];
	proc_path(path, fd);
	return pv_fd_above_standard(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
}

int pv_fd_above_standard(int fd)
{
	if (fd < 0 || fd > 2)
		return fd;
	int high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	close(fd);
	return high;
}

void pv_fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* close_range(2) as a system call: only glibc has the function, since 2.34. */
static void close_from_to(unsigned first, unsigned last)
{
	if (first > last || syscall(SYS_close_range, first, last, 0) == 0)
		return;
	struct rlimit most = { .rlim_cur = 1024 };
	getrlimit(RLIMIT_NOFILE, &most);
	for (unsigned fd = first; fd <= last && fd < most.rlim_cur; fd++)
		close((int)fd);
}

void pv_fd_close_all_but(int *keep, size_t n)
{
	for (size_t i = 1; i < n; i++)
		for (size_t j = i; j > 0 && keep[j - 1] > keep[j]; j--) {
			int swap = keep[j];
			keep[j] = keep[j - 1];
			keep[j - 1] = swap;
		}
	unsigned first = 3;
	for (size_t i = 0; i < n; i++) {
		if (keep[i] < 3)
			continue;
		close_from_to(first, (unsigned)keep[i] - 1);
		first = (unsigned)keep[i] + 1;
	}
	close_from_to(first, INT_MAX);
}
