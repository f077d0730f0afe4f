/*
 * How many samples a second there can be, and the orders "set sample=1000", "=on" and "=off", the
 * same for every host.
 */
#ifndef PV_PROBE_SAMPLE_RATE_H
#define PV_PROBE_SAMPLE_RATE_H

#include "probe/core/host.h"

enum { PVP_SAMPLE_USUAL = 100, PVP_SAMPLE_MOST = 10000 }; /* a second */

/* A timer that runs while a thread waits cuts the wait short: SA_RESTART does not help poll(). */
#define PVP_SAMPLE_REAL_REFUSED                                                                    \
	"sample-real would interrupt every wait of the program (poll, epoll_wait, nanosleep): use" \
	" sample"

/*
 * What a thread's own timer gives of `hz`: the system looks at processor clocks at its ticks only,
 * which clock_getres(CLOCK_MONOTONIC_COARSE) tells.
 */
unsigned pvp_sample_possible(unsigned hz);
/* The answer to an order for so many: says when fewer come. */
void pvp_sample_say(unsigned hz, char *say, size_t room);

/*
 * PVP_REPLY_UNKNOWN: the key is another. PVP_REPLY_OK: so many a second are wanted, 0 for none;
 * "on" means `began`, or PVP_SAMPLE_USUAL when that is 0. PVP_REPLY_ERROR: `say` tells why.
 */
enum pvp_reply pvp_sample_rate(const char *key, const char *value, unsigned began, unsigned *ret_hz,
	char *say, size_t room);

#endif
