#include "common/target/join_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/io/fd.h"

static const char prefix[] = "profview-join-";

bool pv_join_folder_make(
	const char *base, char *to, size_t room, int *ret_lock, struct pv_error *reterr)
{
	pv_join_folder_sweep(base);
	int n = snprintf(to, room, "%s/%s%ld-XXXXXX", base, prefix, (long)getpid());
	if (n < 0 || (size_t)n >= room)
		return pv_fail(reterr, PV_EIO, 0,
			"no folder for a pipe in %s: its path is too long", base);
	if (!mkdtemp(to))
		return pv_fail(
			reterr, PV_EIO, 0, "no folder for a pipe in %s: %s", base, strerror(errno));
	int fd = pv_fd_above_standard(open(to, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
		*ret_lock = fd;
		return true;
	}
	pv_fail(reterr, PV_EIO, 0, "no lock on a folder in %s: %s", base, strerror(errno));
	pv_fd_close(&fd);
	rmdir(to);
	return false;
}

/* The maker's process id; 0: the name is not one of ours. */
static pid_t maker_of(const char *name)
{
	char *end;
	if (strncmp(name, prefix, sizeof prefix - 1) != 0)
		return 0;
	name += sizeof prefix - 1;
	long pid = *name >= '1' && *name <= '9' ? strtol(name, &end, 10) : 0;
	bool whole = pid > 0 && pid == (pid_t)pid && *end == '-' && strlen(end + 1) == 6 &&
		     !strchr(end, '/');
	return whole ? (pid_t)pid : 0;
}

static bool is_gone(pid_t pid)
{
	return kill(pid, 0) < 0 && errno == ESRCH;
}

/* A process id says nothing across containers, but the lock does. */
static bool is_left(int fd)
{
	struct stat st;
	return fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & 077) &&
	       flock(fd, LOCK_EX | LOCK_NB) == 0;
}

static void remove_folder(int base, const char *name)
{
	struct stat st;
	int fd = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	if (is_left(fd)) {
		if (fstatat(fd, "log", &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISFIFO(st.st_mode))
			unlinkat(fd, "log", 0);
		unlinkat(base, name, AT_REMOVEDIR); /* an empty one */
	}
	close(fd);
}

void pv_join_folder_sweep(const char *base)
{
	DIR *dir = opendir(base);
	for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
		pid_t maker = maker_of(e->d_name);
		if (maker && is_gone(maker))
			remove_folder(dirfd(dir), e->d_name);
	}
	if (dir)
		closedir(dir);
}
