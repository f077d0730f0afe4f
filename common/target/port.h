/* Finds the process that listens on a TCP port of this machine, by /proc. Any thread. */
#ifndef PV_TARGET_PORT_H
#define PV_TARGET_PORT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Whether all sockets that listen on the port in the network namespace of process `pid` are its own;
 * false also when that is not known, as of another user's process.
 */
bool pv_port_is_held(pid_t pid, uint16_t port);

/*
 * A TCP socket in that namespace, where the process `pid`, of that pidfd, is reached on loopback. It
 * does not block; the caller closes it. -1 with errno: EPERM, only root gets one in another
 * namespace than ours.
 */
int pv_port_socket(pid_t pid, int pidfd);

#endif
