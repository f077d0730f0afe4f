/* SPDX-License-Identifier: MIT */
/* Unix sockets of other processes, with their owners checked. */
#include "common/target/control/local_socket.h"

#include <unistd.h>

#include "common/target/foreign/foreign.h"

bool pv_process_user(pid_t pid, uid_t *ret)
{
	struct pv_foreign f;
	if (!pv_foreign_look(&f, pid))
		return false;
	*ret = f.uid;
	return true;
}

bool pv_local_may(uid_t uid)
{
	return uid == geteuid() || geteuid() == 0;
}

int pv_local_dial(const char *path, pid_t pid, uid_t uid)
{
	const struct pv_foreign f = { .pid = pid, .uid = uid };
	return pv_foreign_dial(&f, path);
}
