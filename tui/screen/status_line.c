/* The status line: what is read, how it goes, and what is wrong. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/processes.h"
#include "common/base/units.h"
#include "common/base/showable.h"
#include "tui/draw/clock_text.h"
#include "tui/draw/chart.h"
#include "tui/screen/frame.h"

enum { PIECES = 12, PIECE_MAX = 160, NAME_MAX = 40, NAME_NARROW = 14 };

/* Pieces stand in this order; where they do not all fit, those of the highest `drop` go first. */
struct piece {
	enum ui_style style;
	int drop;
	char text[PIECE_MAX];
};

struct line {
	struct piece piece[PIECES];
	int n;
};

static void add(struct line *l, enum ui_style style, int drop, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static void add(struct line *l, enum ui_style style, int drop, const char *format, ...)
{
	if (l->n == PIECES)
		return;
	struct piece *p = &l->piece[l->n++];
	p->style = style;
	p->drop = drop;
	va_list args;
	va_start(args, format);
	vsnprintf(p->text, sizeof p->text, format, args);
	va_end(args);
}

static void add_state(struct line *l, const struct ui_shared *s)
{
	char at[PV_UNIT_MAX], ago[PV_UNIT_MAX];
	const struct ui_feed_status *f = &s->feed;
	if (s->paused) {
		ui_clock_text(at, sizeof at, s->paused_at_ns);
		if (s->paused_for_ns == 0)
			add(l, UI_PAUSED, 0, " PAUSED at %.8s ", at + (at[0] == '@'));
		else
			add(l, UI_PAUSED, 0, " PAUSED at %.8s, %s behind ", at,
				pv_units_ns(ago, sizeof ago, s->paused_for_ns));
		return;
	}
	switch (f->state) {
	case UI_FEED_LOADING:
		if (f->bytes_total > 0)
			add(l, UI_WAITING, 0, "○ LOADING %s %%",
				pv_units_percent(at, sizeof at, f->bytes_read, f->bytes_total));
		else
			add(l, UI_WAITING, 0, "○ LOADING");
		break;
	case UI_FEED_LIVE:
		add(l, UI_LIVE, 0, "● LIVE");
		break;
	case UI_FEED_WAITING:
		add(l, UI_WAITING, 0, "○ WAITING for a writer");
		break;
	case UI_FEED_ENDED:
		if (s->summary.end == PV_LOG_CUT_OFF)
			add(l, UI_WARN, 0, "■ CUT OFF");
		else
			add(l, UI_STRONG, 0,
				s->summary.end == PV_LOG_UNKNOWN ? "■ END ?" : "■ ENDED");
		break;
	case UI_FEED_FAILED:
		add(l, UI_BAD, 0, "■ FAILED");
		break;
	}
}

static void add_losses(struct line *l, const struct ui_shared *s)
{
	char n[PV_UNIT_MAX];
	uint64_t damaged =
		s->feed.damaged > s->summary.damaged ? s->feed.damaged : s->summary.damaged;
	uint64_t lost =
		s->feed.lost > s->summary.lost_events ? s->feed.lost : s->summary.lost_events;
	if (damaged)
		add(l, UI_BAD, 1, "damaged %s", pv_units_count(n, sizeof n, damaged));
	if (s->summary.dropped)
		add(l, UI_BAD, 1, "dropped %s", pv_units_bytes(n, sizeof n, s->summary.dropped));
	add(l, lost ? UI_BAD : UI_PLAIN, lost ? 1 : 5, "lost %s",
		pv_units_count(n, sizeof n, lost));
}

static void add_rates(struct line *l, const struct ui_shared *s)
{
	char n[PV_UNIT_MAX];
	const struct ui_feed_status *f = &s->feed;
	bool moving = f->state == UI_FEED_LIVE || f->state == UI_FEED_LOADING;
	if (!moving) {
		add(l, UI_PLAIN, 4, "%s events", pv_units_count(n, sizeof n, s->summary.events));
		return;
	}
	bool catching_up = f->state == UI_FEED_LIVE && f->lag_ns > 1000000000;
	if (f->state == UI_FEED_LIVE && f->lag_ns >= 0)
		add(l, catching_up ? UI_WARN : UI_PLAIN, 6, "behind %s",
			pv_units_ns(n, sizeof n, f->lag_ns));
	/* The reader's own speed then, not the program's. */
	add(l, UI_PLAIN, 4, "%s%s ev/s", catching_up ? "reading " : "",
		pv_units_count(n, sizeof n, f->events_per_s));
	add(l, UI_PLAIN, 7, "%s/s", pv_units_bytes(n, sizeof n, f->bytes_per_s));
}

static void drop_until_it_fits(struct line *l, int w)
{
	for (;;) {
		int sum = 0, worst = -1;
		for (int i = 0; i < l->n; i++) {
			sum += pv_showable_cells(l->piece[i].text) + 2;
			if (worst < 0 || l->piece[i].drop >= l->piece[worst].drop)
				worst = i;
		}
		if (sum - 1 <= w || worst < 0 || l->piece[worst].drop == 0)
			return;
		memmove(&l->piece[worst], &l->piece[worst + 1],
			(size_t)(l->n - worst - 1) * sizeof l->piece[0]);
		l->n--;
	}
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

/* The log, or of a folder the process and its place in the list. */
static void add_name(struct line *l, const struct ui_shared *s, int most)
{
	const struct pv_process *p =
		s->processes ? pv_processes_by_id(s->processes, s->process) : NULL;
	if (!p && s->processes && s->process)
		add(l, UI_STRONG, 2, "all %zu, by %s", s->processes->row.n,
			s->process == PV_PROCESSES_EACH ? "process" : "program");
	if (!p) {
		add(l, UI_PLAIN, 2, "%.*s", most, short_name(s->source));
		return;
	}
	size_t at = (size_t)(p - s->processes->row.v) + 1;
	add(l, UI_STRONG, 2, "%.*s %" PRIu32 ", %zu of %zu", most, pv_process_name(p), p->pid, at,
		s->processes->row.n);
	add(l, UI_PLAIN, 7, "%.*s", most, short_name(s->source));
}

/* As of now while it runs, in the mean of all afterwards. */
static void add_running(struct line *l, const struct ui_shared *s)
{
	char of[24] = "";
	bool live = s->feed.state == UI_FEED_LIVE;
	const struct pv_running *r = &s->all.running;
	double n = live ? r->now : r->mean;
	if (!r->known)
		return;
	if (r->usable)
		snprintf(of, sizeof of, "of %u ", r->usable);
	add(l, UI_PLAIN, 6, "%s %.*f %score%s", live ? "running" : "ran", n < 0.095 ? 2 : 1, n, of,
		r->usable == 1 ? "" : "s");
}

void ui_frame_status(struct ui_canvas *c, struct ui_rect r, const struct ui_shared *s)
{
	struct line l = { .n = 0 };
	char up[PV_UNIT_MAX];
	add(&l, UI_STRONG, 8, "profview");
	add_name(&l, s, r.w < 60 ? NAME_NARROW : NAME_MAX);
	if (s->others)
		add(&l, UI_PLAIN, 3, "and %zu more", s->others);
	add_state(&l, s);
	bool idle = !s->paused && s->feed.state == UI_FEED_LIVE && s->summary.events > 0 &&
		    s->feed.events_per_s == 0;
	add(&l, UI_PLAIN, 3, "%s%.8s", idle ? "idle since " : "",
		pv_units_clock(up, sizeof up, s->duration_ns));
	if (s->range.on)
		add(&l, UI_WARN, 1, "%s", s->range.state == UI_RANGE_EXACT ? "range" : "range...");
	add_rates(&l, s);
	add_losses(&l, s);
	add_running(&l, s);
	if (s->summary.pid && s->feed.pid_here && s->feed.pid_here != (long)s->summary.pid)
		add(&l, UI_PLAIN, 9, "pid %ld (%" PRIu32 " inside)", s->feed.pid_here,
			s->summary.pid);
	else if (s->summary.pid)
		add(&l, UI_PLAIN, 9, "pid %" PRIu32, s->summary.pid);
	if (s->summary.format[0])
		add(&l, UI_DIM, 10, "%s %s", s->summary.format, s->summary.runtime);
	ui_clear(c, r, UI_PLAIN);
	drop_until_it_fits(&l, r.w - 1);
	int x = 1;
	for (int i = 0; i < l.n; i++)
		x += ui_put(c, ui_cols(r, x, r.w), l.piece[i].style, l.piece[i].text) + 2;
}

/* How far reading a heap shot is, or why there is none. */
static bool heap_progress(struct ui_canvas *c, struct ui_rect r, const struct ui_heap_shown *h)
{
	char text[160];
	int n;
	if (!h->reading && !h->error[0])
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
