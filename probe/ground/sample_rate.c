/* SPDX-License-Identifier: MIT */
/* Possible rates of samples, and the command that changes the rate. */
#include "probe/ground/sample_rate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probe/ground/perf_clock.h"

unsigned pvp_sample_by_ticks(unsigned hz)
{
	struct timespec tick;
	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) != 0 || tick.tv_sec || tick.tv_nsec <= 0)
		return hz;
	unsigned ticks = (unsigned)((1000000000 + tick.tv_nsec / 2) / tick.tv_nsec);
	return hz < ticks ? hz : ticks;
}

bool pvp_sample_by_perf(unsigned hz)
{
	return pvp_sample_by_ticks(hz) < hz && pvp_perf_allowed();
}

unsigned pvp_sample_possible(unsigned hz)
{
	return pvp_sample_by_perf(hz) ? hz : pvp_sample_by_ticks(hz);
}

const char *pvp_sample_timer(unsigned hz)
{
	return pvp_sample_by_perf(hz) ? "user" : "cpu";
}

void pvp_sample_say(unsigned hz, char *say, size_t room)
{
	unsigned possible = pvp_sample_possible(hz);
	if (possible < hz)
		snprintf(say, room, "sample=%u: the system's ticks are no more", possible);
}

enum pvp_reply pvp_sample_rate(const char *key, const char *value, unsigned began,
	struct pvp_sample_order *ret, char *say, size_t room)
{
	char *end;
	ret->real = strcmp(key, "sample-real") == 0;
	if (!ret->real && strcmp(key, "sample") != 0)
		return PVP_REPLY_UNKNOWN;
	if (strcmp(value, "on") == 0 || strcmp(value, "off") == 0) {
		ret->hz = value[1] == 'f' ? 0 : began ? began : PVP_SAMPLE_USUAL;
		return PVP_REPLY_OK;
	}
	unsigned long n = strtoul(value, &end, 10);
	if (*value >= '0' && *value <= '9' && !*end && n <= PVP_SAMPLE_MOST) {
		ret->hz = (unsigned)n;
		return PVP_REPLY_OK;
	}
	snprintf(say, room, "%s is on, off or samples a second, up to %d", key, PVP_SAMPLE_MOST);
	return PVP_REPLY_ERROR;
}
