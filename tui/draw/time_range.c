#include "tui/draw/time_range.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/saturate.h"
#include "common/base/units.h"

/* An empty end is open; a negative time counts from the latest event. */
static bool end_of(const char *text, size_t len, int64_t open, int64_t *ret)
{
	if (len > 0)
		return pv_units_parse_time(text, len, ret);
	*ret = open;
	return true;
}

bool ui_range_parse(const char *text, struct ui_range *ret)
{
	const char *dots = strstr(text, "..");
	struct ui_range r = { .on = true };
	if (!dots || !end_of(text, (size_t)(dots - text), INT64_MIN, &r.from_ns) ||
		!end_of(dots + 2, strlen(dots + 2), INT64_MAX, &r.to_ns))
		return false;
	r.from_end = (r.from_ns < 0 && r.from_ns != INT64_MIN) || r.to_ns < 0;
	*ret = r;
	return true;
}

void ui_range_resolve(struct ui_range *r, int64_t duration_ns)
{
	if (!r->from_end)
		return;
	if (r->from_ns < 0 && r->from_ns != INT64_MIN)
		r->from_ns += duration_ns;
	if (r->to_ns < 0)
		r->to_ns += duration_ns;
	r->from_end = false;
}

/* The ends for people: "00:00:01.200 to 00:00:03.000". Returns `buf`, the caller's, never NULL. */
static const char *range_text(const struct ui_range *r, int64_t duration_ns, char *buf, size_t size)
{
	char from[PV_UNIT_MAX], to[PV_UNIT_MAX];
	int64_t a = r->from_ns == INT64_MIN ? 0 : r->from_ns;
	bool open = r->to_ns == INT64_MAX;
	snprintf(buf, size, "%s to %s", pv_units_clock(from, sizeof from, a),
		open ? "the end" : pv_units_clock(to, sizeof to, r->to_ns));
	(void)duration_ns;
	return buf;
}

/* Both in as few digits as tell them apart. */
static void put_seconds(char *buf, size_t size, int64_t from_ns, int64_t to_ns)
{
	const int64_t ms = 1000000;
	bool tenths = from_ns % (100 * ms) == 0 && (to_ns == INT64_MAX || to_ns % (100 * ms) == 0);
	int digits = tenths ? 1 : pv_sat_span(from_ns, to_ns) < 5 * ms ? 6 : 3;
	double from = (double)from_ns / 1e9, to = (double)to_ns / 1e9;
	if (to_ns == INT64_MAX)
		snprintf(buf, size, " %.*f s to the end", digits, from);
	else
		snprintf(buf, size, " %.*f-%.*f s", digits, from, digits, to);
}

const char *ui_range_said(const struct ui_range *r, int64_t duration_ns, char *buf, size_t size)
{
	char time[80] = "";
	if (!r->threaded)
		return range_text(r, duration_ns, buf, size);
	if (r->from_ns != INT64_MIN || r->to_ns != INT64_MAX)
		put_seconds(time, sizeof time, r->from_ns == INT64_MIN ? 0 : r->from_ns, r->to_ns);
	snprintf(buf, size, "thread \"%s\"%s", r->thread_name, time);
	return buf;
}

void ui_range_take_thread(struct ui_range *r, const struct ui_range *from)
{
	if (!r->on) {
		r->from_ns = INT64_MIN;
		r->to_ns = INT64_MAX;
	}
	r->threaded = from->threaded;
	r->thread = from->thread;
	memcpy(r->thread_name, from->thread_name, sizeof r->thread_name);
	r->on = r->threaded || r->from_ns != INT64_MIN || r->to_ns != INT64_MAX;
}

static void typed_end(char *to, size_t size, int64_t ns)
{
	to[0] = 0;
	if (ns != INT64_MIN && ns != INT64_MAX)
		snprintf(to, size, "%" PRId64 ".%06" PRId64 "ms", ns / 1000000,
			ns % 1000000 < 0 ? -(ns % 1000000) : ns % 1000000);
}

const char *ui_range_typed(const struct ui_range *r, char *buf, size_t size)
{
	char from[40], to[40];
	typed_end(from, sizeof from, r->from_ns);
	typed_end(to, sizeof to, r->to_ns);
	snprintf(buf, size, "%s..%s", from, to);
	return buf;
}

static void anew(struct ui_range *r)
{
	if (!r->on) {
		r->from_ns = INT64_MIN;
		r->to_ns = INT64_MAX;
	}
	r->on = true;
	r->from_end = false;
}

void ui_range_begin(struct ui_range *r, int64_t at_ns)
{
	anew(r);
	r->from_ns = at_ns;
	if (r->to_ns <= at_ns)
		r->to_ns = INT64_MAX;
}

void ui_range_end(struct ui_range *r, int64_t at_ns)
{
	anew(r);
	r->to_ns = at_ns;
	if (r->from_ns >= at_ns)
		r->from_ns = INT64_MIN;
}

enum { ZOOM_LEAST = 1000000 }; /* ns: what is sampled comes no finer */

/* Of the lengths 1, 2, 5 times a power of ten the next one, shorter or longer. */
static int64_t next_length(int64_t length, int dir)
{
	static const int64_t round[] = { 1, 2, 5 };
	int64_t best = ZOOM_LEAST;
	for (int64_t ten = ZOOM_LEAST; ten < INT64_MAX / 100; ten *= 10) {
		for (size_t i = 0; i < sizeof round / sizeof round[0]; i++) {
			if (dir < 0 && round[i] * ten > length)
				return round[i] * ten;
			if (dir > 0 && round[i] * ten >= length)
				return best;
			best = round[i] * ten;
		}
	}
	return best;
}

/* A time stays in its place, to a tenth of the length; all lies in the recording. */
static int64_t begin_about(int64_t at, double place, int64_t length, int64_t duration_ns)
{
	const int64_t tenth = length / 10;
	int64_t from = at - (int64_t)(place * (double)length);
	from = from > duration_ns - length ? duration_ns - length + tenth - 1 : from;
	from = from < 0 ? 0 : from / tenth * tenth;
	return from + length <= at && at < duration_ns ? from + tenth : from;
}

bool ui_range_zoom(struct ui_range *r, int dir, int64_t duration_ns)
{
	int64_t from = r->on && r->from_ns > 0 ? r->from_ns : 0;
	int64_t to = r->on && r->to_ns < duration_ns ? r->to_ns : duration_ns;
	const bool all = from == 0 && to == duration_ns;
	int64_t length = to - from;
	if (length <= 0 || (dir > 0 && length <= ZOOM_LEAST) || (dir < 0 && all))
		return false;
	const bool at_cursor = r->cursor_on && r->cursor_ns >= from && r->cursor_ns <= to;
	const int64_t at = at_cursor ? r->cursor_ns : from + length / 2;
	const double place = (double)(at - from) / (double)length;
	length = next_length(length, dir);
	anew(r);
	if (length >= duration_ns) {
		r->from_ns = INT64_MIN;
		r->to_ns = INT64_MAX;
		r->on = r->threaded;
		return true;
	}
	r->from_ns = begin_about(at, place, length, duration_ns);
	r->to_ns = r->from_ns + length;
	return true;
}

void ui_range_step(struct ui_range *r, int times, int64_t duration_ns)
{
	int64_t from = r->from_ns == INT64_MIN ? 0 : r->from_ns;
	int64_t to = r->to_ns == INT64_MAX ? duration_ns : r->to_ns;
	int64_t length = to - from;
	if (!r->on) { /* the last tenth */
		length = duration_ns / 10 > 0 ? duration_ns / 10 : 1;
		from = duration_ns - length;
		times = times > 0 ? 0 : times + 1;
	}
	if (length <= 0)
		return;
	int64_t last = duration_ns - length / 2;
	from += times * length;
	from = from > last ? last : from;
	from = from < 0 ? 0 : from;
	anew(r);
	r->from_ns = from;
	r->to_ns = from + length;
}
