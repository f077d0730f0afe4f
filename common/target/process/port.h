/* SPDX-License-Identifier: MIT */
/* Finds the process that listens on a TCP port of this machine, by /proc. Any thread. */
#ifndef PV_TARGET_PORT_H
#define PV_TARGET_PORT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Whether process `pid` owns all sockets listening on the port in its network namespace; false also
 * when not known, as of another user's process.
 */
bool pv_port_is_held(pid_t pid, uint16_t port);

/*
 * A TCP socket in the network namespace of process `pid` (pidfd given), to reach the process on
 * loopback. Nonblocking; the caller closes it. -1 with errno: EPERM, only root can enter another
 * namespace.
 */
int pv_port_socket(pid_t pid, int pidfd);

#endif
