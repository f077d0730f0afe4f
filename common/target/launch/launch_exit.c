/* SPDX-License-Identifier: MIT */
/* Exit status of processes that are not our children. */
#include "common/target/launch/launch_exit.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/system/proc_file.h"

/* Of Linux 6.5 and 6.15, for systems whose headers are older. */
enum { PEER_PIDFD = 77, INFO_EXIT = 1 << 3 };

struct info {
	uint64_t mask, cgroup;
	uint32_t pid, tgid, ppid, ids[8];
	int32_t exit_code;
};
#define GET_INFO _IOWR(0xff, 11, struct info)

int pv_exit_watch(int socket, pid_t pid)
{
	int fd = -1;
	socklen_t size = sizeof fd;
	if (socket >= 0 && getsockopt(socket, SOL_SOCKET, PEER_PIDFD, &fd, &size) == 0)
		return fd;
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* While the process is a zombie. */
static bool status_of_zombie(pid_t pid, int *ret)
{
	char text[1024];
	pv_proc_read(pid, "stat", text, sizeof text);
	const char *state = pv_stat_find(text, PV_STAT_STATE);
	const char *code = pv_stat_find(text, PV_STAT_EXIT_CODE);
	if (!state || *state != 'Z' || !code)
		return false;
	*ret = (int)strtol(code, NULL, 10);
	return true;
}

bool pv_exit_status(int pidfd, pid_t pid, int *ret)
{
	struct info i = { .mask = INFO_EXIT };
	if (pidfd >= 0 && ioctl(pidfd, GET_INFO, &i) == 0 && i.mask & INFO_EXIT) {
		*ret = i.exit_code;
		return true;
	}
	return status_of_zombie(pid, ret);
}
