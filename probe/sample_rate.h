/* The orders "set sample=1000", "set sample-real=50", "=on" and "=off", the same for every host. */
#ifndef PV_PROBE_SAMPLE_RATE_H
#define PV_PROBE_SAMPLE_RATE_H

#include "probe/host.h"

enum { PVP_SAMPLE_USUAL = 100, PVP_SAMPLE_MOST = 10000 }; /* a second */

/*
 * PVP_REPLY_UNKNOWN: the key is another. PVP_REPLY_OK: so many a second are wanted, 0 for none;
 * "on" means `began`, or PVP_SAMPLE_USUAL when that is 0. PVP_REPLY_ERROR: `say` tells why.
 */
enum pvp_reply pvp_sample_rate(const char *key, const char *value, unsigned began, unsigned *ret_hz,
	char *say, size_t room);

#endif
