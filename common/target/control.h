/*
 * Speaking to a running program. Stock Mono listens on the TCP port that stands in its log's
 * header and knows one line, "heapshot"; it binds every interface, we speak to it on loopback. Any
 * thread.
 */
#ifndef PV_TARGET_CONTROL_H
#define PV_TARGET_CONTROL_H

#include <stdbool.h>

#include "common/base/status.h"
#include "common/target/log_peer.h"

/*
 * Asks the stock log profiler on this machine for a heap shot. It does not answer: the shot comes
 * in the log. Nothing is sent unless a process here holds the log open for writing and is the one
 * that listens on the port. Returns at once when nothing listens, after at most half a second when
 * the line is not taken. PV_EUSAGE (port 0: the log names none) or PV_EIO with the reason.
 * Thread-safe.
 */
bool pv_control_heapshot(const struct pv_log_peer *p, struct pv_error *reterr);

#endif
