/* SPDX-License-Identifier: MIT */
/* Finds the process that holds a log open for writing. */
#include "common/io/log_writer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/system/proc_file.h"

/* fdinfo has the open flags, in octal: proc(5). */
static bool open_for_writing(pid_t pid, int fd)
{
	char name[32], text[512];
	snprintf(name, sizeof name, "fdinfo/%d", fd);
	if (pv_proc_read(pid, name, text, sizeof text) <= 0)
		return false;
	const char *flags = strstr(text, "flags:");
	return flags && (strtol(flags + 6, NULL, 8) & O_ACCMODE) != O_RDONLY;
}

static bool is_of_file(pid_t pid, int fd, const struct stat *file)
{
	char path[64];
	struct stat st;
	snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)pid, fd);
	return stat(path, &st) == 0 && st.st_dev == file->st_dev && st.st_ino == file->st_ino;
}

bool pv_log_writer_holds(const struct pv_log_writer *w, const struct stat *file)
{
	return is_of_file(w->pid, w->held, file) && open_for_writing(w->pid, w->held);
}

/* The descriptor by which the process writes the file; -1: none, or not visible. */
static int held_by(pid_t pid, const struct stat *file)
{
	char path[32];
	int found = -1;
	snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
	DIR *dir = opendir(path);
	if (!dir)
		return -1;
	for (struct dirent *e; found < 0 && (e = readdir(dir));) {
		int fd = (int)strtol(e->d_name, NULL, 10);
		bool number = e->d_name[0] >= '0' && e->d_name[0] <= '9';
		if (number && is_of_file(pid, fd, file) && open_for_writing(pid, fd))
			found = fd;
	}
	closedir(dir);
	return found;
}

/* Opens the pidfd first: then the descriptors seen are of this process, or it has exited. */
static bool is_writer(pid_t pid, const struct stat *file, struct pv_log_writer *ret)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	int held = pidfd >= 0 ? held_by(pid, file) : -1;
	if (held >= 0)
		*ret = (struct pv_log_writer){ .pid = pid, .pidfd = pidfd, .held = held };
	else if (pidfd >= 0)
		close(pidfd);
	return held >= 0;
}

static bool innermost_is(pid_t pid, pid_t inner)
{
	char text[4096];
	return pv_proc_read(pid, "status", text, sizeof text) > 0 &&
	       pv_status_innermost(text) == inner;
}

bool pv_log_writer_find(pid_t pid, const struct stat *file, bool deep, struct pv_log_writer *ret)
{
	if (pid <= 0)
		return false;
	if (is_writer(pid, file, ret))
		return true;
	DIR *dir = deep ? opendir("/proc") : NULL;
	bool found = false;
	for (struct dirent *e; dir && !found && (e = readdir(dir));) {
		pid_t other = (pid_t)strtol(e->d_name, NULL, 10);
		found = other > 0 && innermost_is(other, pid) && is_writer(other, file, ret);
	}
	if (dir)
		closedir(dir);
	return found;
}

/*
 * A lease for reading is refused while anybody writes, in any namespace. Held for no longer than
 * the two calls take; should a writer come just then, the signal that tells of that is one without
 * an effect. 1: a process writes, 0: none does, -1: not to be had for this file.
 */
static int ask_lease(int fd)
{
	if ((fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY || fcntl(fd, F_SETSIG, SIGURG) != 0)
		return -1;
	int ret = fcntl(fd, F_SETLEASE, F_RDLCK) == 0 ? 0 : errno == EAGAIN ? 1 : -1;
	if (ret == 0)
		fcntl(fd, F_SETLEASE, F_UNLCK);
	fcntl(fd, F_SETSIG, 0);
	return ret;
}

bool pv_log_is_written(int fd, pid_t pid)
{
	struct stat st;
	struct pv_log_writer w;
	const int said = ask_lease(fd);
	if (said >= 0)
		return said == 1;
	if (fstat(fd, &st) != 0 || !pv_log_writer_find(pid, &st, true, &w))
		return false;
	close(w.pidfd);
	return true;
}
