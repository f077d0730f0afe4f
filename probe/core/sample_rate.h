/*
 * How many samples a second there can be, and the commands "set sample=1000", "=on" and "=off", the
 * same for every host; "sample-real" likewise, which takes what waits, too.
 */
#ifndef PV_PROBE_SAMPLE_RATE_H
#define PV_PROBE_SAMPLE_RATE_H

#include "probe/core/host.h"

enum { PVP_SAMPLE_USUAL = 100, PVP_SAMPLE_MOST = 10000 }; /* a second */

/*
 * Rate of `hz` that a POSIX timer of processor time can give: the system checks those clocks at
 * its ticks only, which clock_getres(CLOCK_MONOTONIC_COARSE) tells. It counts the kernel's time,
 * too.
 */
unsigned pvp_sample_by_ticks(unsigned hz);
/* Whether perf events are taken for so many (perf_clock.h): above the ticks, where allowed. */
bool pvp_sample_by_perf(unsigned hz);
/* Rate that a thread's timer can give of `hz`, whichever of the two it is. */
unsigned pvp_sample_possible(unsigned hz);
/*
 * "user" or "cpu": the time that the timer counts, as the log's word sample-timer= has it:
 * literals, never NULL.
 */
const char *pvp_sample_timer(unsigned hz);
/* The answer to an order for so many: says when fewer come. */
void pvp_sample_say(unsigned hz, char *say, size_t room);

/*
 * PVP_REPLY_UNKNOWN: the key is another. PVP_REPLY_OK: so many a second are wanted, 0 for none;
 * "on" means `began`, or PVP_SAMPLE_USUAL when that is 0; `real`: of what waits, too.
 * PVP_REPLY_ERROR: `say` tells why.
 */
struct pvp_sample_order {
	unsigned hz;
	bool real;
};
enum pvp_reply pvp_sample_rate(const char *key, const char *value, unsigned began,
	struct pvp_sample_order *ret, char *say, size_t room);

#endif
