/* SPDX-License-Identifier: MIT */
/* Times of the recording or of the day, see clock_text.h. */
#include "tui/draw/clock_text.h"

#include <stdio.h>
#include <time.h>

#include "common/base/text/units.h"

static int64_t clock_start_ms;

void ui_clock_set(int64_t start_ms)
{
	clock_start_ms = start_ms;
}

bool ui_clock_on(void)
{
	return clock_start_ms != 0;
}

/* Since the start where the time is none of a calendar. */
static const char *clock_day(char *buf, size_t size, int64_t ns, int digits)
{
	const int64_t below = (ns % 1000000 + 1000000) % 1000000;
	const int64_t ms = clock_start_ms + (ns - below) / 1000000,
		      left = (ms % 1000 + 1000) % 1000;
	const time_t s = (time_t)((ms - left) / 1000);
	struct tm day;
	if (!localtime_r(&s, &day))
		return pv_units_clock(buf, size, ns);
	const int n = snprintf(buf, size, "@%02d:%02d:%02d", day.tm_hour, day.tm_min, day.tm_sec);
	if (n < 0 || (size_t)n >= size || digits == 0 || (digits < 0 && left == 0))
		return buf;
	if (digits > 3)
		snprintf(buf + n, size - (size_t)n, ".%03d%03d", (int)left, (int)(below / 1000));
	else
		snprintf(buf + n, size - (size_t)n, ".%03d", (int)left);
	return buf;
}

const char *ui_clock_text(char *buf, size_t size, int64_t ns)
{
	return clock_start_ms ? clock_day(buf, size, ns, 3) : pv_units_clock(buf, size, ns);
}

const char *ui_clock_us(char *buf, size_t size, int64_t ns)
{
	return clock_day(buf, size, ns, 6);
}

const char *ui_clock_short(char *buf, size_t size, int64_t ns)
{
	return clock_day(buf, size, ns, -1);
}
