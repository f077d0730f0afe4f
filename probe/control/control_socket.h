/* SPDX-License-Identifier: MIT */
/*
 * Path of the control socket, and checks that the socket was not replaced. Only for
 * probe_control.c, on a single thread at a time.
 */
#ifndef PV_PROBE_CONTROL_SOCKET_H
#define PV_PROBE_CONTROL_SOCKET_H

#include <stdbool.h>
#include <sys/types.h>

#include "probe/control/probe_control.h"

/* A descriptor with the identity of its file: programs close descriptors unknown to them. */
struct pvp_fd {
	int fd; /* -1: none */
	dev_t device;
	ino_t inode;
};

struct pvp_listener {
	struct pvp_fd socket;
	char path[PVP_CONTROL_PATH];
	dev_t device; /* of the name in the file system */
	ino_t inode;
};

/* Takes fd over, away from the low numbers. */
struct pvp_fd pvp_fd_own(int fd);
/* ours: whether the number still refers to the opened file; close: closes it if so. Any thread. */
bool pvp_fd_ours(const struct pvp_fd *f);
void pvp_fd_close(struct pvp_fd *f);

/* `want` as in pvp_control_open(). False: no socket. */
bool pvp_listener_open(struct pvp_listener *l, const char *want);

/* remove: the name too, unless replaced meanwhile. */
void pvp_listener_close(struct pvp_listener *l, bool remove);

/* The next peer allowed to connect; its fd is -1: none. */
struct pvp_fd pvp_listener_accept(struct pvp_listener *l);

#endif
