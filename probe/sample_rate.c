#include "probe/sample_rate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum pvp_reply pvp_sample_rate(const char *key, const char *value, unsigned began, unsigned *ret_hz,
	char *say, size_t room)
{
	char *end;
	if (strcmp(key, "sample") != 0 && strcmp(key, "sample-real") != 0)
		return PVP_REPLY_UNKNOWN;
	if (strcmp(value, "on") == 0 || strcmp(value, "off") == 0) {
		*ret_hz = value[1] == 'f' ? 0 : began ? began : PVP_SAMPLE_USUAL;
		return PVP_REPLY_OK;
	}
	unsigned long n = strtoul(value, &end, 10);
	if (*value >= '0' && *value <= '9' && !*end && n <= PVP_SAMPLE_MOST) {
		*ret_hz = (unsigned)n;
		return PVP_REPLY_OK;
	}
	snprintf(say, room, "%s is on, off or samples a second, up to %d", key, PVP_SAMPLE_MOST);
	return PVP_REPLY_ERROR;
}
