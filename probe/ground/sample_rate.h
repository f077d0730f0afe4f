/* SPDX-License-Identifier: MIT */
/*
 * The possible rate of samples, and the commands "set sample=1000", "=on" and "=off", the same for
 * every host; "sample-real" likewise, with samples of waiting threads, too.
 */
#ifndef PV_PROBE_SAMPLE_RATE_H
#define PV_PROBE_SAMPLE_RATE_H

#include "common/base/word_limits.h"
#include "probe/ground/host.h"

enum { PVP_SAMPLE_USUAL = PV_USUAL_SAMPLE, PVP_SAMPLE_MOST = PV_MOST_SAMPLE }; /* a second */

/*
 * The part of `hz` that a POSIX timer of processor time can give: the system checks such timers
 * only at its ticks, found by clock_getres(CLOCK_MONOTONIC_COARSE). Counts the kernel's time, too.
 */
unsigned pvp_sample_by_ticks(unsigned hz);
/* Whether perf events are used for this rate (perf_clock.h): above the ticks, where allowed. */
bool pvp_sample_by_perf(unsigned hz);
/* The part of `hz` that a thread's timer can give, with either kind of timer. */
unsigned pvp_sample_possible(unsigned hz);
/*
 * "user" or "cpu": the time counted by the timer, the value of sample-timer= in the log. A literal,
 * never NULL.
 */
const char *pvp_sample_timer(unsigned hz);
/* The answer to the command: says when fewer samples come than asked for. */
void pvp_sample_say(unsigned hz, char *say, size_t room);

/*
 * PVP_REPLY_UNKNOWN: another key. PVP_REPLY_OK: so many a second are wanted, 0: none; "on" means
 * `began`, or PVP_SAMPLE_USUAL when `began` is 0; `real`: of waiting threads, too. PVP_REPLY_ERROR:
 * `say` has the reason.
 */
struct pvp_sample_order {
	unsigned hz;
	bool real;
};
enum pvp_reply pvp_sample_rate(const char *key, const char *value, unsigned began,
	struct pvp_sample_order *ret, char *say, size_t room);

#endif
