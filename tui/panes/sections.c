#include "tui/panes/sections.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/units.h"
#include "tui/draw/chart.h"
#include "tui/draw/shorten.h"

enum { LABEL = 10, VALUE = 13 };

static void say(
	struct ui_canvas *c, struct ui_rect r, int row, const char *label, const char *value)
{
	struct ui_rect at = ui_rows(r, row, 1);
	ui_put(c, ui_cols(at, 0, LABEL), UI_DIM, label);
	ui_put(c, ui_cols(at, LABEL, r.w), UI_PLAIN, value);
}

static void say_missing(struct ui_canvas *c, struct ui_rect r)
{
	ui_put(c, ui_rows(r, 0, 1), UI_DIM, "not recorded");
}

/* The activity rows that have facts, in the order of the overview's series. */
static void draw_activity(const struct ui_overview *o, const struct ui_shared *s,
	struct ui_canvas *c, struct ui_rect r)
{
	static const struct {
		const char *label, *per;
		unsigned group;
		enum ui_style style;
	} rows[UI_OVERVIEW_SERIES] = {
		{ "calls", "/s", PV_GROUP_CALLS, UI_BAR },
		{ "samples", "/s", PV_GROUP_SAMPLES, UI_BAR },
		{ "allocated", "/s", PV_GROUP_ALLOC, UI_HEAP },
		{ "stopped", "", PV_GROUP_GC, UI_MAJOR },
		{ "thrown", "/s", PV_GROUP_EXCEPTIONS, UI_WARN },
	};
	int y = 0;
	for (int i = 0; i < UI_OVERVIEW_SERIES && y < r.h; i++) {
		const struct pv_series *series = o->graphs.series[i];
		if (!series || !(s->summary.recorded & rows[i].group))
			continue;
		struct ui_rect at = ui_rows(r, y++, 1);
		char text[48];
		ui_put(c, ui_cols(at, 0, LABEL), UI_DIM, rows[i].label);
		ui_spark(c, ui_cols(at, LABEL, at.w - LABEL - VALUE - 1), rows[i].style,
			(struct ui_values){ series->value, series->n, series->max });
		ui_printf(c, ui_cols(at, at.w - VALUE, VALUE), UI_PLAIN, "%s%s",
			ui_value_text(series->max, series->unit, text, sizeof text), rows[i].per);
	}
	if (y == 0)
		ui_put(c, ui_rows(r, 0, 1), UI_DIM, "nothing yet");
}

static const struct {
	unsigned group;
	const char *name;
} groups[] = {
	{ PV_GROUP_CALLS, "calls" },
	{ PV_GROUP_SAMPLES, "samples" },
	{ PV_GROUP_ALLOC, "allocations" },
	{ PV_GROUP_GC, "collections" },
	{ PV_GROUP_SHOTS, "heap shots" },
	{ PV_GROUP_EXCEPTIONS, "exceptions" },
	{ PV_GROUP_LOCKS, "locks" },
	{ PV_GROUP_JIT, "jit" },
	{ PV_GROUP_COUNTERS, "counters" },
	{ PV_GROUP_MOVES, "moves" },
	{ PV_GROUP_HANDLES, "handles" },
	{ PV_GROUP_ROOTS, "roots" },
	{ PV_GROUP_FINALIZERS, "finalizers" },
};

static void group_names(unsigned bits, char *buf, size_t size)
{
	size_t n = 0;
	buf[0] = 0;
	for (size_t i = 0; i < sizeof groups / sizeof groups[0] && n + 1 < size; i++)
		if (bits & groups[i].group)
			n += (size_t)snprintf(
				buf + n, size - n, "%s%s", n ? ", " : "", groups[i].name);
	if (n == 0)
		snprintf(buf, size, "nothing");
}

/* The last rows: what it costs together, then the dearest kinds. */
static void draw_cost(const struct ui_cost *k, struct ui_canvas *c, struct ui_rect r)
{
	char text[200], events[PV_UNIT_MAX], bytes[PV_UNIT_MAX];
	snprintf(text, sizeof text, "%s~%.1f %% slower, %.1f %% beside it; lag %llu ms, lost %s",
		k->paused ? "paused; " : "", k->slower, k->beside, (unsigned long long)k->lag_ms,
		pv_units_count(events, sizeof events, k->lost));
	say(c, r, 0, "cost", text);
	for (size_t i = 0; i < k->n && (int)i + 1 < r.h; i++) {
		const struct ui_cost_row *row = &k->row[i];
		snprintf(text, sizeof text, "%.1f %%  %s/s  %s/s%s", row->slower,
			pv_units_count(events, sizeof events, row->events_per_s),
			pv_units_bytes(bytes, sizeof bytes, row->bytes_per_s),
			row->kind == ui_cost_dearest_now(k) ? "  T turns it off" : "");
		say(c, r, (int)i + 1, ui_cost_names[row->kind], text);
	}
}

static void draw_source(const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c,
	struct ui_rect r)
{
	(void)o;
	const struct pv_summary *m = &s->summary;
	char text[400], count[PV_UNIT_MAX], bytes[PV_UNIT_MAX];
	snprintf(text, sizeof text, "%s%s%s", m->format, m->runtime[0] ? ", " : "", m->runtime);
	say(c, r, 0, "log", text);
	snprintf(text, sizeof text, "%s events, %s read",
		pv_units_count(count, sizeof count, m->events),
		pv_units_bytes(bytes, sizeof bytes, s->feed.bytes_read));
	say(c, r, 1, "size", text);
	if (s->cost.known) {
		draw_cost(&s->cost, c, ui_rows(r, r.h > 3 ? 2 : 1, r.h));
		return;
	}
	group_names(m->recorded, text, sizeof text);
	say(c, r, 2, "recorded", text);
	group_names(~m->recorded, text, sizeof text);
	say(c, r, 3, "missing", text);
	say(c, r, 4, "options", m->args[0] ? m->args : "-");
}

/* The first share that the log can say: of the time where calls were traced, else of the samples. */
static int share_column(const struct pv_table *t)
{
	for (size_t i = 0; t && t->rows && i < t->columns; i++)
		if (t->column[i].unit == PV_UNIT_PERCENT &&
			t->row[0].cell[i].state == PV_CELL_VALUE)
			return (int)i;
	return -1;
}

/* Rows of a table as "share bar name". */
static void draw_shares(
	const struct ui_list *l, struct ui_canvas *c, struct ui_rect r, const char *figure)
{
	enum { SHARE = 6, BAR = 10, FIGURE = 11 };
	const struct pv_table *t = l->table;
	int share = share_column(t);
	int more = t && figure ? pv_table_column(t, figure) : -1;
	for (int y = 0; t && y < r.h && (size_t)y < t->rows; y++) {
		const struct pv_row *row = &t->row[y];
		struct ui_rect at = ui_rows(r, y, 1);
		char text[48];
		if (share >= 0 && row->cell[share].state == PV_CELL_VALUE) {
			ui_put_right(c, ui_cols(at, 0, SHARE - 1), UI_PLAIN,
				pv_cell_text(
					&row->cell[share], PV_UNIT_PERCENT, text, sizeof text));
			ui_bar(c, ui_cols(at, SHARE, BAR), UI_BAR, row->cell[share].d / 100);
		}
		int x = share >= 0 ? SHARE + BAR + 1 : 0;
		if (more >= 0 && at.w >= x + FIGURE + 12) {
			ui_put_right(c, ui_cols(at, x, FIGURE - 1), UI_PLAIN,
				pv_cell_text(
					&row->cell[more], t->column[more].unit, text, sizeof text));
			x += FIGURE;
		}
		const char *name = ui_list_shown_name(l, row);
		char small[400];
		ui_put(c, ui_cols(at, x, at.w), UI_PLAIN,
			name ? ui_shorten(name, at.w - x, small, sizeof small) : "-");
	}
}

static void draw_methods(const struct ui_overview *o, const struct ui_shared *s,
	struct ui_canvas *c, struct ui_rect r)
{
	if (s->summary.recorded & (PV_GROUP_CALLS | PV_GROUP_SAMPLES))
		draw_shares(&o->list[UI_TOP_METHODS], c, r, NULL);
	else
		say_missing(c, r);
}

static void draw_classes(const struct ui_overview *o, const struct ui_shared *s,
	struct ui_canvas *c, struct ui_rect r)
{
	if (s->summary.recorded & PV_GROUP_ALLOC)
		draw_shares(&o->list[UI_TOP_CLASSES], c, r, "allocated_bytes");
	else
		say_missing(c, r);
}

static const char *cell(
	const struct pv_table *t, size_t row, const char *id, char *buf, size_t size)
{
	int column = pv_table_column(t, id);
	return column < 0
		       ? "-"
		       : pv_cell_text(&t->row[row].cell[column], t->column[column].unit, buf, size);
}

static void draw_gc(const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c,
	struct ui_rect r)
{
	const struct pv_table *t = o->list[UI_GENERATIONS].table;
	const struct pv_summary *m = &s->summary;
	if (!(m->recorded & PV_GROUP_GC)) {
		say_missing(c, r);
		return;
	}
	char a[64], b[64], d[64], share[PV_UNIT_MAX];
	int y = 0;
	if (!m->pauses_told)
		ui_put(c, ui_rows(r, y++, 1), UI_DIM, "stops not recorded");
	else
		ui_printf(c, ui_rows(r, y++, 1), UI_PLAIN, "stopped %s (%s %%), max %s",
			pv_units_ns(a, sizeof a, (int64_t)m->pause_ns),
			pv_units_percent(
				share, sizeof share, m->pause_ns, (uint64_t)m->duration_ns),
			pv_units_ns(d, sizeof d, (int64_t)m->pause_max_ns));
	for (size_t i = 0; t && i < t->rows && y < r.h; i++)
		ui_printf(c, ui_rows(r, y++, 1), UI_PLAIN, "gen %s  %s× lasted %s max %s",
			cell(t, i, "generation", share, sizeof share),
			cell(t, i, "count", a, sizeof a), cell(t, i, "total_ns", b, sizeof b),
			cell(t, i, "max_ns", d, sizeof d));
}

static void draw_shots(const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c,
	struct ui_rect r)
{
	const struct pv_table *t = o->list[UI_SHOT_LIST].table;
	if (!t || t->rows == 0) {
		ui_put(c, ui_rows(r, 0, 1), UI_DIM,
			s->summary.shot_open     ? "the first is being read"
			: s->summary.logging2007 ? "none"
						 : "none yet; S takes one");
		return;
	}
	size_t first = t->rows > (size_t)r.h ? t->rows - (size_t)r.h : 0;
	for (size_t i = first; i < t->rows; i++) {
		char time[64], objects[64], bytes[64], change[64];
		ui_printf(c, ui_rows(r, (int)(i - first), 1), UI_PLAIN,
			"%3" PRIu64 "  %.8s  %8s obj  %9s  %s", t->row[i].id - 1,
			cell(t, i, "time_ns", time, sizeof time),
			cell(t, i, "objects", objects, sizeof objects),
			cell(t, i, "bytes", bytes, sizeof bytes),
			cell(t, i, "bytes_change", change, sizeof change));
	}
}

static void draw_threads(const struct ui_overview *o, const struct ui_shared *s,
	struct ui_canvas *c, struct ui_rect r)
{
	(void)o;
	char text[96];
	int n = snprintf(text, sizeof text, "%" PRIu64, s->summary.threads);
	if (s->summary.threads_profiler)
		snprintf(text + n, sizeof text - (size_t)n, " (profiler: %" PRIu64 ")",
			s->summary.threads_profiler);
	say(c, r, 0, "seen", text);
	snprintf(text, sizeof text, "%" PRIu64, s->summary.threads_ended);
	say(c, r, 1, "ended", text);
}

static void draw_locks(const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c,
	struct ui_rect r)
{
	(void)o;
	const struct pv_summary *m = &s->summary;
	if (!((m->recorded | m->enabled) & PV_GROUP_LOCKS)) {
		say_missing(c, r);
		return;
	}
	char text[PV_UNIT_MAX];
	say(c, r, 0, "contended", pv_units_count(text, sizeof text, m->contentions));
	say(c, r, 1, "waited", pv_units_ns(text, sizeof text, (int64_t)m->wait_ns));
}

static void draw_exceptions(const struct ui_overview *o, const struct ui_shared *s,
	struct ui_canvas *c, struct ui_rect r)
{
	(void)o;
	const struct pv_summary *m = &s->summary;
	if (!((m->recorded | m->enabled) & PV_GROUP_EXCEPTIONS)) {
		say_missing(c, r);
		return;
	}
	char text[PV_UNIT_MAX], rate[64];
	say(c, r, 0, "thrown", pv_units_count(text, sizeof text, m->thrown));
	double seconds = (double)m->duration_ns / 1e9;
	snprintf(rate, sizeof rate, "%.1f/s", seconds > 0 ? (double)m->thrown / seconds : 0.0);
	say(c, r, 1, "average", rate);
}

static void draw_jit(const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c,
	struct ui_rect r)
{
	(void)o;
	const struct pv_summary *m = &s->summary;
	if (!((m->recorded | m->enabled) & PV_GROUP_JIT)) {
		say_missing(c, r);
		return;
	}
	char text[PV_UNIT_MAX];
	say(c, r, 0, "methods", pv_units_count(text, sizeof text, m->methods_jitted));
	say(c, r, 1, "code", pv_units_bytes(text, sizeof text, m->code_bytes));
}

const struct ui_section ui_sections[UI_SECTIONS] = {
	{ "Activity, peak", NULL, UI_CMD_COUNTERS, 3, 5, false, draw_activity },
	{ "Recording", "Recording and its cost", UI_CMD_INFO, 3, 5, false, draw_source },
	{ "Hottest methods, self", NULL, UI_CMD_CPU, 4, 4, true, draw_methods },
	{ "Allocation by class", NULL, UI_CMD_ALLOC, 4, 4, true, draw_classes },
	{ "Collections", NULL, UI_CMD_GC, 3, 3, true, draw_gc },
	{ "Heap shots", NULL, UI_CMD_HEAP, 3, 3, true, draw_shots },
	{ "Threads", NULL, UI_CMD_THREADS, 2, 2, false, draw_threads },
	{ "Locks", NULL, UI_CMD_LOCKS, 2, 2, false, draw_locks },
	{ "Exceptions", NULL, UI_CMD_ERRORS, 2, 2, false, draw_exceptions },
	{ "Compiled code", NULL, UI_CMD_JIT, 2, 2, false, draw_jit },
};
