/*
 * Path of the control socket, and whether it is still ours. Used only by probe_control.c, on one
 * thread at a time.
 */
#ifndef PV_PROBE_CONTROL_SOCKET_H
#define PV_PROBE_CONTROL_SOCKET_H

#include <stdbool.h>
#include <sys/types.h>

#include "probe/control/probe_control.h"

/* A descriptor and what it must still be: programs close descriptors they do not know. */
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
/* Whether the number still names what was opened, and closing it if so. Any thread. */
bool pvp_fd_ours(const struct pvp_fd *f);
void pvp_fd_close(struct pvp_fd *f);

/* `want` as pvp_control_open() has it. False: there is no socket. */
bool pvp_listener_open(struct pvp_listener *l, const char *want);

/* remove: the name too, unless it is another's by now. */
void pvp_listener_close(struct pvp_listener *l, bool remove);

/* The next peer that may speak here; its fd is -1 when there is none. */
struct pvp_fd pvp_listener_accept(struct pvp_listener *l);

#endif
