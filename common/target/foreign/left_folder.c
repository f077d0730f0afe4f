/* SPDX-License-Identifier: MIT */
/* Tells from a folder's name and lock whether its viewer has ended. */
#include "common/target/foreign/left_folder.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

bool pv_pid_is_gone(pid_t pid)
{
	return kill(pid, 0) < 0 && errno == ESRCH;
}

bool pv_folder_is_left(const char *name, const char *prefix)
{
	char *end;
	size_t n = strlen(prefix);
	if (strncmp(name, prefix, n) != 0 || name[n] < '1' || name[n] > '9')
		return false;
	long pid = strtol(name + n, &end, 10);
	bool ours = pid > 0 && pid == (pid_t)pid && *end == '-' && strlen(end + 1) == 6;
	return ours && !strchr(end, '/') && pv_pid_is_gone((pid_t)pid);
}
