#include "common/target/local_socket.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/proc_file.h"
#include "common/target/dotnet_ipc.h"

bool pv_process_user(pid_t pid, uid_t *ret)
{
	char status[4096];
	unsigned long real, effective;
	const char *at = NULL;
	if (pv_proc_read(pid, "status", status, sizeof status) > 0)
		at = strstr(status, "\nUid:");
	if (!at || sscanf(at, "\nUid: %lu %lu", &real, &effective) != 2)
		return false;
	*ret = (uid_t)effective;
	return true;
}

bool pv_local_may(uid_t uid)
{
	return uid == geteuid() || geteuid() == 0;
}

/* A process that changed its user still owns the socket it made before, as root or as us. */
static bool is_trusted(uid_t owner, uid_t uid)
{
	return owner == uid || owner == 0 || owner == geteuid();
}

static bool is_file_of(const char *path, uid_t uid)
{
	struct stat st;
	if (lstat(path, &st) < 0)
		return false;
	if (S_ISSOCK(st.st_mode) && is_trusted(st.st_uid, uid) && pv_local_may(uid))
		return true;
	errno = EACCES;
	return false;
}

/* A process that we cannot see, as from inside a container, has no number here. */
static bool is_end_of(int fd, pid_t pid, uid_t uid)
{
	struct ucred who;
	socklen_t size = sizeof who;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) < 0)
		return false;
	if (is_trusted(who.uid, uid) && (!who.pid || who.pid == pid))
		return true;
	errno = EACCES;
	return false;
}

int pv_local_dial(const char *path, pid_t pid, uid_t uid)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof at.sun_path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(at.sun_path, path, strlen(path));
	if (!is_file_of(path, uid))
		return -1;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	if (connect(fd, (struct sockaddr *)&at, sizeof at) == 0 && is_end_of(fd, pid, uid))
		return fd;
	int why = errno;
	close(fd);
	errno = why;
	return -1;
}
