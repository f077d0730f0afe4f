/*
 * Speaking to a running program. Stock Mono listens on the TCP port that stands in its log's
 * header and knows one line, "heapshot"; it binds every interface, we speak to it on loopback.
 */
#ifndef PV_TARGET_CONTROL_H
#define PV_TARGET_CONTROL_H

#include <stdint.h>

#include "common/base/status.h"

/*
 * Asks the stock log profiler on this machine for a heap shot. It does not answer: the shot comes
 * in the log. Returns at once when nobody listens, after at most half a second when somebody does
 * not take the line. PV_EUSAGE (port 0: the log names none) or PV_EIO with the reason.
 * Thread-safe.
 */
bool pv_control_heapshot(uint16_t port, struct pv_error *reterr);

#endif
