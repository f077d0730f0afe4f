/* SPDX-License-Identifier: MIT */
/* The range of time: parsing, words, moving its ends, zoom. */
#include "tui/draw/clock_text.h"
#include "tui/draw/time_range.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base/status.h"
#include "common/base/saturate.h"
#include "common/base/text/units.h"

#define DAY_NS INT64_C(86400000000000)

/* "@14:05:30.5" is ns since midnight, "@2026-11-28T14:05" ns since the Unix epoch. */
static bool clock_of(const char *text, size_t len, int64_t *ret)
{
	char day[16];
	struct tm tm = { .tm_isdst = -1 };
	const char *t = memchr(text, 'T', len);
	const size_t before = t ? (size_t)(t + 1 - text) : 0;
	const char *colon = memchr(text + before, ':', len - before);
	if (!colon || text[before] == '-' || !pv_units_parse_time(text + before, len - before, ret))
		return false;
	if (!memchr(colon + 1, ':', len - (size_t)(colon + 1 - text)))
		*ret *= 60; /* hours and minutes */
	if (*ret >= DAY_NS)
		return false;
	if (!t)
		return true;
	if (before > sizeof day)
		return false;
	memcpy(day, text, before - 1);
	day[before - 1] = 0;
	const char *end = strptime(day, "%Y-%m-%d", &tm);
	tm.tm_hour = (int)(*ret / (DAY_NS / 24));
	tm.tm_min = (int)(*ret / (DAY_NS / 24 / 60) % 60);
	tm.tm_sec = (int)(*ret / 1000000000 % 60);
	const int64_t at = end && !*end ? mktime(&tm) : 0;
	if (at < 2 * 86400 || at > INT64_MAX / 1000000000 - 1)
		return false;
	*ret = at * 1000000000 + *ret % 1000000000;
	return true;
}

/* An empty end is open; a negative time counts from the latest event. */
static bool end_of(const char *text, size_t len, int64_t open, unsigned clock, struct ui_range *r,
	int64_t *ret)
{
	*ret = open;
	if (len > 0 && text[0] == '@') {
		r->relative |= clock;
		return clock_of(text + 1, len - 1, ret);
	}
	if (len > 0 && !pv_units_parse_time(text, len, ret))
		return false;
	if (*ret < 0 && len > 0)
		r->relative |= UI_RANGE_FROM_END;
	return true;
}

bool ui_range_parse(const char *text, struct ui_range *ret)
{
	const char *dots = strstr(text, "..");
	struct ui_range r = { .on = true };
	if (!dots ||
		!end_of(text, (size_t)(dots - text), INT64_MIN, UI_RANGE_FROM_CLOCK, &r,
			&r.from_ns) ||
		!end_of(dots + 2, strlen(dots + 2), INT64_MAX, UI_RANGE_TO_CLOCK, &r, &r.to_ns))
		return false;
	*ret = r;
	return true;
}

bool ui_time_parse(const char *text, const struct ui_log_time *log, int64_t *ret)
{
	struct ui_range r = { .on = true };
	struct pv_error ignored;
	if (!*text || !end_of(text, strlen(text), 0, UI_RANGE_FROM_CLOCK, &r, &r.from_ns))
		return false;
	r.to_ns = INT64_MAX;
	if (!ui_range_resolve(&r, log, &ignored))
		return false;
	*ret = r.from_ns;
	return true;
}

/* On the day of the log's start, or on the next day if only then the time lies in the recording. */
static int64_t clock_since_zero(int64_t clock, const struct ui_log_time *log)
{
	const int64_t start = (int64_t)log->start_ms * 1000000;
	const time_t at = (time_t)(log->start_ms / 1000);
	struct tm tm;
	if (clock >= DAY_NS || !localtime_r(&at, &tm))
		return clock - start;
	const int64_t s = clock / 1000000000;
	tm.tm_hour = (int)(s / 3600);
	tm.tm_min = (int)(s / 60 % 60);
	tm.tm_sec = (int)(s % 60);
	tm.tm_isdst = -1;
	struct tm next = tm;
	next.tm_mday++;
	const int64_t ns = clock % 1000000000 - start;
	const int64_t same = (int64_t)mktime(&tm) * 1000000000 + ns;
	const int64_t later = (int64_t)mktime(&next) * 1000000000 + ns;
	return same < 0 && later <= log->duration_ns ? later : same;
}

bool ui_range_resolve(struct ui_range *r, const struct ui_log_time *log, struct pv_error *reterr)
{
	const unsigned clock = r->relative & (UI_RANGE_FROM_CLOCK | UI_RANGE_TO_CLOCK);
	if (clock && (!log->start_ms || log->start_ms > INT64_MAX / 1000000))
		return pv_fail(reterr, PV_EUSAGE, 0,
			"the log does not say at what time of the day it began");
	if (r->relative & UI_RANGE_FROM_CLOCK)
		r->from_ns = clock_since_zero(r->from_ns, log);
	else if (r->relative && r->from_ns < 0 && r->from_ns != INT64_MIN)
		r->from_ns += log->duration_ns;
	if (r->relative & UI_RANGE_TO_CLOCK)
		r->to_ns = clock_since_zero(r->to_ns, log);
	else if (r->relative && r->to_ns < 0)
		r->to_ns += log->duration_ns;
	r->relative = 0;
	return true;
}

bool ui_range_check(const struct ui_range *r, int64_t duration_ns, struct pv_error *reterr)
{
	char end[PV_UNIT_MAX];
	if (r->relative)
		return true;
	if (r->from_ns >= r->to_ns)
		return pv_fail(reterr, PV_EUSAGE, 0, "the range ends before it begins");
	if (r->from_ns > duration_ns || r->to_ns <= 0)
		return pv_fail(reterr, PV_EUSAGE, 0,
			"the range lies outside the log, which goes from 0 to %s",
			ui_clock_text(end, sizeof end, duration_ns));
	return true;
}

/* The ends for people: "00:00:01.200 to 00:00:03.000". Returns `buf`, the caller's, never NULL. */
static const char *range_text(const struct ui_range *r, int64_t duration_ns, char *buf, size_t size)
{
	char from[PV_UNIT_MAX], to[PV_UNIT_MAX];
	int64_t a = r->from_ns == INT64_MIN ? 0 : r->from_ns;
	bool open = r->to_ns == INT64_MAX;
	snprintf(buf, size, "%s to %s", ui_clock_text(from, sizeof from, a),
		open ? "the end" : ui_clock_text(to, sizeof to, r->to_ns));
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

/* Whether the filter is the one that Enter on a request makes: no term that anyone typed. */
static bool is_one_request(const char *requests)
{
	static const char began[] = "began=";
	if (strncmp(requests, began, sizeof began - 1) != 0)
		return false;
	const char *at = requests + sizeof began - 1;
	return strcmp(at + strspn(at, "-0123456789"), "ns") == 0;
}

const char *ui_range_said(const struct ui_range *r, int64_t duration_ns, char *buf, size_t size)
{
	char time[80] = "", thread[100] = "", requests[UI_REQUESTS_MAX + 20] = "";
	if (!r->threaded && !r->requests[0])
		return range_text(r, duration_ns, buf, size);
	if (r->from_ns != INT64_MIN || r->to_ns != INT64_MAX)
		put_seconds(time, sizeof time, r->from_ns == INT64_MIN ? 0 : r->from_ns, r->to_ns);
	if (r->threaded)
		snprintf(thread, sizeof thread, "thread%s \"%s\"", r->named ? "s" : "",
			r->thread_name);
	const bool one = is_one_request(r->requests);
	if (r->requests[0])
		snprintf(requests, sizeof requests, "%s%s%s", r->threaded ? ", " : "",
			one ? "one request" : "requests ", one ? "" : r->requests);
	snprintf(buf, size, "%s%s%s", thread, requests, time);
	return buf;
}

static void is_there(struct ui_range *r)
{
	r->on = r->threaded || r->requests[0] || r->from_ns != INT64_MIN || r->to_ns != INT64_MAX;
}

static void open_ends(struct ui_range *r)
{
	if (r->on)
		return;
	r->from_ns = INT64_MIN;
	r->to_ns = INT64_MAX;
}

void ui_range_take_requests(struct ui_range *r, const char *requests)
{
	open_ends(r);
	snprintf(r->requests, sizeof r->requests, "%s", requests);
	is_there(r);
}

void ui_range_take_all(struct ui_range *r, const struct ui_range *from)
{
	ui_range_take_thread(r, from);
	ui_range_take_requests(r, from->requests);
}

void ui_range_take_thread(struct ui_range *r, const struct ui_range *from)
{
	open_ends(r);
	r->threaded = from->threaded;
	r->thread = from->thread;
	r->named = from->named;
	memcpy(r->thread_name, from->thread_name, sizeof r->thread_name);
	is_there(r);
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
	open_ends(r);
	r->on = true;
	r->relative = 0;
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

/* The next shorter or longer of the lengths 1, 2, 5 times a power of ten. */
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

/*
 * The beginning of a range in which `at` keeps its place, to a tenth of the length; within the
 * recording.
 */
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
		is_there(r);
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
