/* SPDX-License-Identifier: MIT */
/* The lock of a pipe: one viewer at a time, with the pid of the present holder. */
#include "common/io/pipe_lock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

/* "2: FLOCK  ADVISORY  WRITE 4711 00:0e:5102 0 EOF" */
static bool names_inode(const char *line, const struct stat *st, bool exactly, long *ret_pid)
{
	long pid;
	unsigned dev_major, dev_minor;
	unsigned long inode;
	if (sscanf(line, "%*s FLOCK %*s %*s %ld %x:%x:%lu", &pid, &dev_major, &dev_minor, &inode) !=
			4 ||
		inode != st->st_ino || pid <= 0)
		return false;
	if (exactly && (dev_major != major(st->st_dev) || dev_minor != minor(st->st_dev)))
		return false;
	*ret_pid = pid;
	return true;
}

/*
 * The holder's pid. Some file systems show another device in stat(2) than in /proc/locks: then the
 * inode decides.
 */
static long holder(int fd)
{
	struct stat st;
	long exact = 0, alike = 0;
	char line[256];
	FILE *locks = fopen("/proc/locks", "re");
	while (locks && fstat(fd, &st) == 0 && exact == 0 && fgets(line, sizeof line, locks)) {
		names_inode(line, &st, true, &exact);
		names_inode(line, &st, false, &alike);
	}
	if (locks)
		fclose(locks);
	return exact ? exact : alike;
}

/*
 * Whether the locking process has ended, or is not shown: its child ends soon and has the lock
 * until then.
 */
static bool is_left(long pid)
{
	return pid <= 0 || (kill((pid_t)pid, 0) != 0 && errno == ESRCH);
}

bool pv_pipe_lock(int fd, struct pv_error *reterr)
{
	enum { ROUNDS = 100 };
	const struct timespec round = { 0, 10 * 1000 * 1000 };
	long pid = 0;
	for (int i = 0; i < ROUNDS && is_left(pid); i++) {
		if (i > 0)
			nanosleep(&round, NULL);
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return true;
		if (errno != EWOULDBLOCK)
			return pv_fail(
				reterr, PV_EIO, 0, "cannot lock the pipe: %s", strerror(errno));
		pid = holder(fd);
	}
	if (pid > 0)
		return pv_fail(reterr, PV_EBUSY, 0,
			"another viewer, process %ld, is reading this pipe", pid);
	return pv_fail(reterr, PV_EBUSY, 0, "another viewer is reading this pipe");
}
