/* SPDX-License-Identifier: MIT */
/*
 * Commands to a running program. Stock Mono listens on the TCP port in the log's header, on every
 * interface, and knows a single line, "heapshot"; profview connects on loopback only. Any thread.
 */
#ifndef PV_TARGET_CONTROL_H
#define PV_TARGET_CONTROL_H

#include <stdbool.h>

#include "common/base/status.h"
#include "common/target/control/log_peer.h"

/*
 * Asks the stock log profiler on this machine for a heap shot, which has no answer but the shot in
 * the log. Nothing is sent unless one local process holds the log open for writing and listens on
 * the port. Returns at once when nothing listens, after at most half a second when the line is not
 * taken. PV_EUSAGE (port 0: the log names none) or PV_EIO with the reason. Thread-safe.
 */
bool pv_control_heapshot(const struct pv_log_peer *p, struct pv_error *reterr);

#endif
