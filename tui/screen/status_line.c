/* SPDX-License-Identifier: MIT */
/*
 * The status line: the source at the left, state, rates and problems at the right. There each entry
 * has a fixed width, so that a changing figure moves nothing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/system/processes.h"
#include "common/base/text/units.h"
#include "common/base/text/showable.h"
#include "tui/chart/chart.h"
#include "tui/draw/clock_text.h"
#include "tui/draw/entries.h"
#include "tui/draw/figure.h"
#include "tui/draw/shorten.h"
#include "tui/screen/frame.h"

enum { NAME_MAX = 40, NAME_NARROW = 14, NAME_BYTES = 400, APART = 2 };

static void add_state(struct ui_entries *l, const struct ui_shared *s)
{
	char at[PV_UNIT_MAX], ago[PV_UNIT_MAX];
	const struct ui_feed_status *f = &s->feed;
	if (s->paused) {
		const struct ui_figure for_ns = ui_figure_ns(s->paused_for_ns);
		ui_clock_text(at, sizeof at, s->paused_at_ns);
		ui_figure_text(&for_ns, UI_UNIT, ago, sizeof ago);
		ui_entries_add(l, UI_PAUSED, 0, " PAUSED at %.8s  %s%-*s ", at + (at[0] == '@'),
			s->paused_for_ns > 0 ? "lag " : "    ", UI_FIGURE,
			s->paused_for_ns > 0 ? ago : "");
		return;
	}
	switch (f->state) {
	case UI_FEED_LOADING:
		if (f->bytes_total > 0)
			ui_entries_add(l, UI_WAITING, 0, "○ LOADING %5s %%",
				pv_units_percent(at, sizeof at, f->bytes_read, f->bytes_total));
		else
			ui_entries_add(l, UI_WAITING, 0, "○ LOADING");
		break;
	case UI_FEED_LIVE:
		ui_entries_add(l, UI_LIVE, 0, "● LIVE");
		break;
	case UI_FEED_WAITING:
		ui_entries_add(l, UI_WAITING, 0, "○ WAITING for a writer");
		break;
	case UI_FEED_ENDED:
		if (s->summary.end == PV_LOG_CUT_OFF)
			ui_entries_add(l, UI_WARN, 0, "■ CUT OFF");
		else if (s->summary.written)
			ui_entries_add(l, UI_WARN, 0, "■ NOT ENDED");
		else
			ui_entries_add(l, UI_STRONG, 0,
				s->summary.end == PV_LOG_UNKNOWN ? "■ END ?" : "■ ENDED");
		break;
	case UI_FEED_FAILED:
		ui_entries_add(l, UI_BAD, 0, "■ FAILED");
		break;
	}
}

static void add_losses(struct ui_entries *l, const struct ui_shared *s)
{
	char n[PV_UNIT_MAX];
	const uint64_t damaged =
		s->feed.damaged > s->summary.damaged ? s->feed.damaged : s->summary.damaged;
	const uint64_t lost =
		s->feed.lost > s->summary.lost_events ? s->feed.lost : s->summary.lost_events;
	const struct ui_figure broken = ui_figure_count(damaged), gone = ui_figure_count(lost),
			       dropped = ui_figure_bytes(s->summary.dropped);
	if (damaged)
		ui_entries_add(l, UI_BAD, 1, "damaged %s", ui_figure_text(&broken, 1, n, sizeof n));
	if (s->summary.dropped)
		ui_entries_add(
			l, UI_BAD, 1, "dropped %s", ui_figure_text(&dropped, UI_UNIT, n, sizeof n));
	ui_entries_add(l, lost ? UI_BAD : UI_PLAIN, lost ? 1 : 5, "lost %s",
		ui_figure_text(&gone, 1, n, sizeof n));
}

/* In whole milliseconds: what comes after the point says nothing. */
static void add_lag(struct ui_entries *l, int64_t ns, bool slow)
{
	const int64_t ms = ns / 1000000;
	if (ns < 0)
		ui_entries_add(l, UI_PLAIN, 6, "lag    -   ");
	else if (ms < 10000)
		ui_entries_add(l, slow ? UI_WARN : UI_PLAIN, 6, "lag %4" PRId64 " ms", ms);
	else
		ui_entries_add(
			l, UI_WARN, 6, "lag %4" PRId64 " s ", ms < 9999000 ? ms / 1000 : 9999);
}

static void add_rates(struct ui_entries *l, const struct ui_shared *s, bool idle)
{
	enum { RATE = 13 }; /* "1.21 k read/s" */
	char n[PV_UNIT_MAX], bytes[PV_UNIT_MAX];
	const struct ui_feed_status *f = &s->feed;
	const bool moving = f->state == UI_FEED_LIVE || f->state == UI_FEED_LOADING;
	if (!moving) {
		ui_entries_add(l, UI_PLAIN, 4, "%s events",
			pv_units_count(n, sizeof n, s->summary.events));
		return;
	}
	const bool catching_up = f->state == UI_FEED_LIVE && f->lag_ns > 1000000000;
	const struct ui_figure rate = ui_figure_count(f->events_per_s),
			       flow = ui_figure_bytes(f->bytes_per_s);
	if (f->state == UI_FEED_LIVE)
		add_lag(l, f->lag_ns, catching_up);
	ui_entries_add(l, UI_PLAIN, 7, "%s/s%*s",
		ui_figure_text(&flow, (int)strlen(flow.unit), bytes, sizeof bytes),
		UI_UNIT - (int)strlen(flow.unit), "");
	if (idle) {
		ui_entries_add(l, UI_PLAIN, 4, "%*s", RATE, "idle since");
		return;
	}
	/* The reader's own speed then, not the program's. */
	ui_entries_add(l, UI_PLAIN, 4, "%s %s", ui_figure_text(&rate, 1, n, sizeof n),
		catching_up ? "read/s" : "ev/s  ");
}

/* The end of a path says more than its beginning. */
static const char *short_name(const char *path)
{
	static const char descriptor[] =
		"/proc/self/fd/"; /* of a log whose path is another user's */
	if (path && strncmp(path, descriptor, sizeof descriptor - 1) == 0)
		return "log";
	const char *slash = path ? strrchr(path, '/') : NULL;
	const char *name = slash && slash[1] ? slash + 1 : path ? path : "";
	return strcmp(name, "-") == 0 ? "standard input" : name;
}

/* The log; for a folder the process, and its place in the list. */
static void add_name(struct ui_entries *l, const struct ui_shared *s, int most)
{
	const struct pv_process *p =
		s->processes ? pv_processes_by_id(s->processes, s->process) : NULL;
	if (!p && s->processes && s->process)
		ui_entries_add(l, UI_STRONG, 2, "all %zu, by %s", s->processes->row.n,
			s->process == PV_PROCESSES_EACH ? "process" : "program");
	char small[NAME_BYTES], own[NAME_BYTES];
	const char *name =
		ui_shorten(short_name(s->title ? s->title : s->source), most, small, sizeof small);
	if (!p) {
		ui_entries_add(l, UI_PLAIN, 2, "%s", name);
		return;
	}
	size_t at = (size_t)(p - s->processes->row.v) + 1;
	ui_entries_add(l, UI_STRONG, 2, "%s %" PRIu32 ", %zu of %zu",
		ui_shorten(pv_process_name(p), most, own, sizeof own), p->pid, at,
		s->processes->row.n);
	ui_entries_add(l, UI_PLAIN, 7, "%s", name);
}

/* The present value while the program runs, afterwards the mean of the recording. */
static void add_running(struct ui_entries *l, const struct ui_shared *s)
{
	char of[24] = "", cores[16];
	bool live = s->feed.state == UI_FEED_LIVE;
	const struct pv_running *r = &s->all.running;
	double n = live ? r->now : r->mean;
	if (!r->known)
		return;
	if (r->usable)
		snprintf(of, sizeof of, "of %u ", r->usable);
	snprintf(cores, sizeof cores, "%.*f", n < 0.095 ? 2 : 1, n);
	ui_entries_add(l, UI_PLAIN, 6, "%s %4s %score%s", live ? "running" : "ran", cores, of,
		r->usable == 1 ? "" : "s");
}

/* The log or process, at the left. */
static void add_source(struct ui_entries *l, const struct ui_shared *s, int w)
{
	add_name(l, s, w < 60 ? NAME_NARROW : NAME_MAX);
	if (s->others)
		ui_entries_add(l, UI_PLAIN, 3, "and %zu more", s->others);
	if (s->summary.pid && s->feed.pid_here && s->feed.pid_here != (long)s->summary.pid)
		ui_entries_add(l, UI_DIM, 9, "pid %ld (%" PRIu32 " inside)", s->feed.pid_here,
			s->summary.pid);
	else if (s->summary.pid)
		ui_entries_add(l, UI_DIM, 9, "pid %" PRIu32, s->summary.pid);
	if (s->summary.format[0])
		ui_entries_add(l, UI_DIM, 10, "%s %s", s->summary.format, s->summary.runtime);
}

void ui_frame_status(struct ui_canvas *c, struct ui_rect r, const struct ui_shared *s)
{
	struct ui_entries l = { .n = 0 };
	char up[PV_UNIT_MAX];
	const bool idle = !s->paused && s->feed.state == UI_FEED_LIVE && s->summary.events > 0 &&
			  s->feed.events_per_s == 0;
	add_source(&l, s, r.w);
	l.at_right = true;
	add_running(&l, s);
	add_losses(&l, s);
	add_rates(&l, s, idle);
	if (s->range.on)
		ui_entries_add(&l, UI_WARN, 1, "%-8s",
			s->range.state == UI_RANGE_EXACT ? "range" : "range...");
	ui_entries_add(&l, UI_PLAIN, 3, "%.8s", pv_units_clock(up, sizeof up, s->duration_ns));
	add_state(&l, s);
	ui_clear(c, r, UI_PLAIN);
	ui_entries_fit(&l, APART, r.w - 2);
	ui_entries_draw(&l, c, ui_cols(r, 1, r.w - 2), APART);
}

/* How far reading a heap shot is, or why there is none. */
static bool heap_progress(struct ui_canvas *c, struct ui_rect r, const struct ui_heap_shown *h)
{
	char text[160];
	int n;
	if (!h->reading && (!h->error[0] || !h->on_screen))
		return false;
	if (!h->reading)
		n = snprintf(text, sizeof text, " heap shot: %s", h->error);
	else if (h->steps)
		n = snprintf(text, sizeof text,
			" heap shot %" PRIu32 ": %s %.0f %%  (Esc or z stops)", h->shot, h->phase,
			100 * (double)h->step / (double)h->steps);
	else
		n = snprintf(text, sizeof text, " heap shot %" PRIu32 ": %s  (Esc or z stops)",
			h->shot, h->phase);
	ui_clear(c, r, UI_PLAIN);
	ui_put(c, r, h->reading ? UI_WAITING : UI_BAD, text);
	return n > 0;
}

/* How far following objects is, or why there is nothing to compare. */
static bool identity_progress(
	struct ui_canvas *c, struct ui_rect r, const struct ui_identity_shown *l)
{
	char text[160];
	if (!l->on_screen || (!l->reading && !l->error[0]))
		return false;
	if (!l->reading)
		snprintf(text, sizeof text, " %s", l->error);
	else if (l->steps)
		snprintf(text, sizeof text, " %s: %.0f %%  (Esc or z stops)", l->phase,
			100 * (double)l->step / (double)l->steps);
	else
		snprintf(text, sizeof text, " %s  (Esc or z stops)", l->phase);
	ui_clear(c, r, UI_PLAIN);
	ui_put(c, r, l->reading ? UI_WAITING : UI_BAD, text);
	return true;
}

/* How far reading events is, or why there are none. */
static bool events_progress(struct ui_canvas *c, struct ui_rect r, const struct ui_events_shown *e)
{
	char text[160], read[PV_UNIT_MAX];
	if (!e->reading && !e->error[0])
		return false;
	if (e->reading)
		snprintf(text, sizeof text, " reading events ... %s%s",
			e->read ? pv_units_bytes(read, sizeof read, e->read) : "",
			e->read ? "  (Esc or z stops)" : "");
	else
		snprintf(text, sizeof text, " events: %s", e->error);
	ui_clear(c, r, UI_PLAIN);
	ui_put(c, r, e->reading ? UI_WAITING : UI_BAD, text);
	return true;
}

bool ui_frame_progress(struct ui_canvas *c, struct ui_rect r, const struct ui_shared *s)
{
	enum { BAR_LEAST = 6 };
	const struct ui_feed_status *f = &s->feed;
	char read[PV_UNIT_MAX], all[PV_UNIT_MAX], rate[PV_UNIT_MAX], time[PV_UNIT_MAX], text[160];
	if (f->state != UI_FEED_LOADING || f->bytes_total == 0 || f->bytes_read > f->bytes_total)
		return identity_progress(c, r, &s->identity) || heap_progress(c, r, &s->heap) ||
		       events_progress(c, r, &s->events);
	uint64_t left = f->bytes_total - f->bytes_read;
	uint64_t seconds = f->bytes_per_s ? left / f->bytes_per_s + 1 : 0;
	int64_t left_ns = seconds < 100000 ? (int64_t)seconds * 1000000000 : 0;
	int n = snprintf(text, sizeof text, " %s of %s  %s/s",
		pv_units_bytes(read, sizeof read, f->bytes_read),
		pv_units_bytes(all, sizeof all, f->bytes_total),
		pv_units_bytes(rate, sizeof rate, f->bytes_per_s));
	if (left_ns)
		n += snprintf(text + n, sizeof text - (size_t)n, "  %.8s left",
			pv_units_clock(time, sizeof time, left_ns));
	if (r.w >= n + 30)
		n += snprintf(text + n, sizeof text - (size_t)n, "  (z stops)");
	ui_clear(c, r, UI_PLAIN);
	int bar = r.w - n - 1;
	if (bar >= BAR_LEAST) {
		struct ui_rect at = ui_cols(r, 1, bar);
		ui_put_code(c, r.x, r.y, UI_DIM, '[');
		ui_bar(c, at, UI_BAR, (double)f->bytes_read / (double)f->bytes_total);
		ui_put_code(c, r.x + bar, r.y, UI_DIM, ']');
	}
	ui_put(c, ui_cols(r, bar >= BAR_LEAST ? bar + 1 : 0, r.w), UI_WAITING, text);
	return true;
}
