/* Finds the process that listens on a TCP port of this machine, by /proc. Any thread. */
#ifndef PV_TARGET_PORT_H
#define PV_TARGET_PORT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Whether process `pid` is in our network namespace and all sockets that listen on the port are its
 * own; false also when that is not known, as of another user's process.
 */
bool pv_port_is_held(pid_t pid, uint16_t port);

#endif
