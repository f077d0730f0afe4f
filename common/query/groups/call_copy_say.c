/* SPDX-License-Identifier: MIT */
/* States the time covered by a copy's figures: running, waits too, or wall clock. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/saturate.h"
#include "common/query/groups/call_copy.h"

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static void append_sentence(char *buf, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void append_sentence(char *buf, size_t size, const char *format, ...)
{
	size_t at = strlen(buf);
	va_list args;
	va_start(args, format);
	vsnprintf(buf + at, size - at, format, args);
	va_end(args);
}

static enum pv_time_of say_samples(const struct pv_call_copy *c, char *buf, size_t size)
{
	double waited = (double)c->sampled[PV_WAITED], unsure = (double)c->sampled[PV_RAN_UNSURE];
	double all = waited + unsure + (double)c->sampled[PV_RAN];
	if (pv_call_copy_is_wall(c))
		append_sentence(
			buf, size, "samples are WALL: of none it is known whether its thread ran");
	else if (c->waits && waited > 0)
		append_sentence(buf, size, "%.3g %% of samples waited, and count, too",
			percent(waited, all));
	else if (waited > 0)
		append_sentence(
			buf, size, "what ran: %.3g %% of samples waited", percent(waited, all));
	if (!pv_call_copy_is_wall(c) && unsure > 0)
		append_sentence(buf, size, "%s%.3g %% of samples ran or waited, which is not known",
			buf[0] ? ", " : "", percent(unsure, all));
	return c->waits && waited + unsure > 0 ? PV_TIME_WAITS_TOO
	       : pv_call_copy_is_wall(c)       ? PV_TIME_WALL
					       : PV_TIME_RAN;
}

/* Times of calls are of wall clocks: names and samples tell how much of them waited. */
static enum pv_time_of say_times(const struct pv_call_copy *c, char *buf, size_t size)
{
	enum { LITTLE = 1 }; /* percent */
	double all = (double)c->self_ns + (double)c->waited_ns, untold = (double)c->untold_ns;
	if (c->waits)
		return PV_TIME_WAITS_TOO;
	if (all > 0 && !c->waited_ns && percent(untold, all) > 100 - LITTLE) {
		append_sentence(buf, size,
			"%stimes of calls are WALL: nothing tells how long they waited",
			buf[0] ? "; " : "");
		return PV_TIME_WALL;
	}
	if (c->waited_ns)
		append_sentence(buf, size, "%sof times of calls %.3g %% waited", buf[0] ? "; " : "",
			percent((double)c->waited_ns, all));
	if (c->tells && percent(untold, all) >= LITTLE)
		append_sentence(buf, size, "%s%.3g %% of them is WALL: too few samples tell",
			c->waited_ns ? ", "
			: buf[0]     ? "; of times of calls "
				     : "of times of calls ",
			percent(untold, all));
	return PV_TIME_RAN;
}

bool pv_call_copy_time(const struct pv_call_copy *c, bool times, bool samples,
	enum pv_time_of *ret_time, char *buf, size_t size)
{
	buf[0] = 0;
	*ret_time = samples ? say_samples(c, buf, size) : PV_TIME_NONE;
	if (times)
		*ret_time = say_times(c, buf, size);
	return buf[0] != 0;
}

void pv_call_copy_say(const struct pv_call_copy *c, bool times, bool samples, struct pv_build *b)
{
	char text[PV_TIME_TEXT];
	const uint64_t *n = c->sampled;
	double all = (double)n[PV_RAN] + (double)n[PV_WAITED] + (double)n[PV_RAN_UNSURE];
	double of_samples = samples ? percent((double)n[PV_WAITED], all) : 0;
	double waited = (double)c->waited_ns, of_times = 0;
	if (times)
		of_times = percent(waited, waited + (double)c->self_ns);
	enum pv_time_of time_of;
	bool says = pv_call_copy_time(c, times, samples, &time_of, text, sizeof text);
	if (!b->table)
		return;
	b->table->time_of = time_of;
	if (!c->waits)
		b->table->waited = (of_times > of_samples ? of_times : of_samples) / 100;
	if (!says || b->query->inner)
		return;
	const char *line = pv_build_printf(b, "%s; %s", b->table ? b->table->coverage : "", text);
	if (b->table)
		b->table->coverage = line;
}
