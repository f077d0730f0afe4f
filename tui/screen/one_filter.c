/* SPDX-License-Identifier: MIT */
/* The filter of all views: set by typing or Enter, given to lists, with a thread as range and requests by row or time. */
#include "tui/screen/one_filter.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/filter/filter_names.h"
#include "common/base/filter/filter_split.h"
#include "common/base/text/route_text.h"
#include "common/base/text/units.h"
#include "common/base/utf8.h"
#include "common/query/filter_fits.h"
#include "common/query/groups/row_filter.h"
#include "tui/panes/pane_chart.h"
#include "tui/screen/strip.h"
#include "tui/screen/thread_choice.h"

/* The list of details with the keys; NULL: none. */
static struct ui_list *details(const struct ui_screen *s)
{
	struct ui_pane *p = &s->pane[s->current];
	return p->def->parts && p->focus > 0 ? &p->list[p->focus] : NULL;
}

void ui_filter_set_all(struct ui_screen *s, const char *text)
{
	snprintf(s->shared.filter, sizeof s->shared.filter, "%s", text);
	s->filter_entered = false;
	ui_filter_place(s, &s->pane[s->current]);
}

void ui_filter_set(struct ui_screen *s, const char *text)
{
	struct ui_list *l = details(s);
	if (l)
		ui_list_set_filter(l, text);
	else
		ui_filter_set_all(s, text);
}

/* --- rows and requests */

/* Both hold: | binds less than what stands side by side. False: they are too long together. */
static bool join_filters(const char *a, const char *b, char ret[UI_TEXT_MAX])
{
	bool both = a[0] && b[0];
	int n = both ? snprintf(ret, UI_TEXT_MAX, "(%s) (%s)", a, b)
		     : snprintf(ret, UI_TEXT_MAX, "%s%s", a, b);
	return n < UI_TEXT_MAX;
}

/* A text that is no filter goes to the rows, whose list shows the error. */
static void split(const char *text, struct pv_filter_split *ret)
{
	struct pv_filter_error wrong;
	if (pv_filter_split(text, PV_FILTER_CAPITALS, ret, &wrong))
		return;
	ret->requests[0] = 0;
	snprintf(ret->rows, sizeof ret->rows, "%s", text);
}

void ui_filter_rows(const struct ui_shared *s, char ret[UI_TEXT_MAX])
{
	struct pv_filter_split now;
	split(s->filter, &now);
	snprintf(ret, UI_TEXT_MAX, "%s", PV_FIT(now.rows, UI_TEXT_MAX - 1));
}

void ui_filter_set_rows(struct ui_screen *s, const char *rows)
{
	struct pv_filter_split now;
	char both[UI_TEXT_MAX];
	split(s->shared.filter, &now);
	ui_filter_set_all(s, join_filters(rows, now.requests, both) ? both : rows);
}

static void follow_requests(struct ui_screen *s)
{
	struct pv_filter_split now;
	split(s->shared.filter, &now);
	if (strcmp(now.requests, s->shared.range.requests) == 0)
		return;
	struct ui_range r = s->shared.range;
	if (r.window_s)
		r.on = false;
	ui_range_take_requests(&r, now.requests);
	ui_strip_set(s, &r);
}

/* --- of Enter */

void ui_filter_enter_class(struct ui_screen *s, enum pv_by by, const char *name)
{
	char quoted[UI_TEXT_MAX - 16], text[UI_TEXT_MAX];
	bool class = by == PV_BY_NAME || by == PV_BY_CLASS;
	if (!class || !name || !*name || *name == '(' || strlen(name) > sizeof quoted / 2 - 2)
		return; /* (other) is no class; half a name would find none */
	snprintf(text, sizeof text, "%s:=%s", pv_filter_field_name(PV_FILTER_CLASS),
		pv_filter_quote(name, quoted, sizeof quoted));
	ui_filter_set_rows(s, text);
	ui_filter_follow(s);
	s->filter_entered = true;
}

void ui_filter_leave_class(struct ui_screen *s)
{
	if (s->filter_entered)
		ui_filter_set_rows(s, "");
}

bool ui_filter_clear(struct ui_screen *s)
{
	struct ui_pane *p = &s->pane[s->current];
	bool own = ui_filter_now(s)[0], found = p->list[0].found[0];
	if (own)
		ui_filter_set(s, "");
	else
		ui_filter_set_all(s, "");
	p->list[0].found[0] = 0;
	ui_filter_place(s, p);
	ui_filter_follow(s);
	return own || found;
}

/* --- a thread */

/* The only thread let through by a filter with no other term; NULL: none, or several. */
static const struct pv_row *only_thread(
	const struct pv_table *t, const struct pv_filter_leaf *leaf, int id, int name)
{
	const struct pv_row *found = NULL;
	for (size_t i = 0; i < t->rows; i++) {
		const struct pv_cell *c = &t->row[i].cell[name];
		const char *text = c->state == PV_CELL_VALUE && c->s ? c->s : "";
		char hex[PV_UNIT_MAX];
		pv_units_hex(hex, t->row[i].cell[id].u);
		if (!pv_filter_text_has(leaf, text, strlen(text)) &&
			!pv_filter_text_has(leaf, hex, strlen(hex)))
			continue;
		if (found)
			return NULL;
		found = &t->row[i];
	}
	return found;
}

static void choose_thread(struct ui_screen *s, const struct pv_filter *f)
{
	struct pv_table *t = ui_threads_now(s);
	int id = t ? pv_table_column(t, "id") : -1, name = t ? pv_table_column(t, "name") : -1;
	const struct pv_row *row =
		id >= 0 && name >= 0 ? only_thread(t, pv_filter_leaf(f, 0), id, name) : NULL;
	if (row) {
		const char *said = row->cell[name].s;
		ui_thread_set(s, row->cell[id].u, said ? said : "");
		s->filters_thread = true;
	}
	pv_table_destroy(t);
}

void ui_filter_follow(struct ui_screen *s)
{
	static const char prefix[] = "thread:";
	const char *text = s->shared.filter + strspn(s->shared.filter, " ");
	struct pv_filter_error wrong;
	if (s->filters_thread && s->shared.range.threaded)
		ui_thread_clear(s);
	s->filters_thread = false;
	follow_requests(s);
	if (strncmp(text, prefix, sizeof prefix - 1) != 0)
		return;
	struct pv_filter *f = pv_filter_make(text, PV_FILTER_CAPITALS, NULL, 0, &wrong);
	if (f && pv_filter_leaves(f) == 1)
		choose_thread(s, f);
	pv_filter_free(f);
}

/* --- typing */

/* The view whose columns a filter may compare; without a list the columns of methods. */
static enum pv_view view_of(const struct ui_screen *s)
{
	const struct ui_pane *p = &s->pane[s->current];
	return p->def->parts ? p->list[p->focus].view : PV_VIEW_METHODS;
}

static bool is_filter(enum pv_view view, const char *text, struct pv_filter_error *wrong)
{
	const struct pv_query q = { .filter = text, .filter_way = PV_FILTER_CAPITALS };
	struct pv_row_filter f;
	size_t n;
	const struct pv_column *column = pv_view_columns(view, &n);
	bool ok = pv_row_filter_make(&f, &q, "", column, n, NULL, wrong);
	pv_row_filter_finish(&f);
	return ok;
}

/* A list of details filters its own rows, but not requests: these are of all views. */
static bool splits(const struct ui_screen *s, const char *text, struct pv_filter_error *wrong)
{
	struct pv_filter_split now;
	const struct ui_pane *p = &s->pane[s->current];
	if (!pv_filter_split(text, PV_FILTER_CAPITALS, &now, wrong))
		return false;
	if (!now.requests[0] || p->def->parts == 0 || p->focus == 0)
		return true;
	snprintf(wrong->what, sizeof wrong->what, "requests are chosen in the upper list: Tab");
	return false;
}

bool ui_filter_read(const struct ui_screen *s, const char *text, char ret[UI_TEXT_MAX],
	struct pv_filter_error *wrong)
{
	enum pv_view view = view_of(s);
	return is_filter(view, text, wrong) &&
	       pv_filter_expand(s->shared.named, text, ret, UI_TEXT_MAX, wrong) &&
	       is_filter(view, ret, wrong) && splits(s, ret, wrong);
}

/* --- in a view */

void ui_filter_place(const struct ui_screen *s, struct ui_pane *p)
{
	char both[UI_TEXT_MAX];
	struct ui_list *l = &p->list[0];
	struct pv_filter_split now;
	p->unfit[0] = 0;
	if (p->def->parts == 0)
		return;
	split(s->shared.filter, &now);
	const char *text = now.rows;
	if (p->timeline) {
		if (text[0] && !s->filters_thread)
			snprintf(p->unfit, sizeof p->unfit, "lanes are of all threads");
		return;
	}
	enum pv_view view = p->flame ? PV_VIEW_FLAME : l->view;
	bool fits = !text[0] || pv_filter_fits(view, text, p->unfit, sizeof p->unfit);
	if (!fits && s->filters_thread && s->shared.range.threaded)
		p->unfit[0] = 0; /* the range restricts to the thread already */
	if (!join_filters(fits ? text : "", l->found, both)) {
		snprintf(p->unfit, sizeof p->unfit, "too long beside what was found");
		snprintf(both, sizeof both, "%s", l->found);
	}
	ui_list_set_filter(l, both);
}

/* --- requests are chosen by terms of the filter */

/* Replaces the terms about requests in the filter of all views, where there is room. */
static void choose_requests(struct ui_screen *s, const char *requests)
{
	char rows[UI_TEXT_MAX], both[2 * UI_TEXT_MAX];
	ui_filter_rows(&s->shared, rows);
	const char *form = rows[0] && requests[0] ? "(%s) %s" : "%s%s";
	if (snprintf(both, sizeof both, form, rows, requests) >= UI_TEXT_MAX) {
		ui_screen_say(
			s, true, "that is too long beside the filter there is; Del takes it off");
		return;
	}
	ui_filter_set_all(s, both);
	ui_filter_follow(s);
}

/* --- requests of a row */

static const char *text_of(const struct pv_table *t, const struct pv_row *row, const char *id)
{
	const int at = pv_table_column(t, id);
	return at >= 0 && row->cell[at].state == PV_CELL_VALUE ? row->cell[at].s : NULL;
}

/* A term for the whole name, or for the beginning of a name too long. */
static void name_in(const char *field, const char *name, char to[UI_TEXT_MAX])
{
	char quoted[2 * PV_ROUTE_TEXT + 3];
	pv_filter_quote(name, quoted, sizeof quoted);
	if (snprintf(to, UI_TEXT_MAX, "%s:=%s", field, quoted) < UI_TEXT_MAX)
		return;
	for (size_t most = UI_TEXT_MAX / 2; most; most /= 2) {
		pv_filter_quote(pv_utf8_fit((char[UI_TEXT_MAX]){ 0 }, most, name, SIZE_MAX), quoted,
			sizeof quoted);
		if (snprintf(to, UI_TEXT_MAX, "%s:%s", field, quoted) < UI_TEXT_MAX)
			return;
	}
}

/* A term for the row's name, of a query, span or route. False, with a message: no such row. */
static bool name_of_row(struct ui_screen *s, char to[UI_TEXT_MAX])
{
	const struct ui_list *l = ui_screen_list(s);
	const struct pv_table *t = l ? l->table : NULL;
	const struct pv_row *row = l ? ui_list_row(l) : NULL;
	const char *name = t && row ? text_of(t, row, "name") : NULL;
	const char *what = name ? text_of(t, row, "what") : NULL;
	char route[PV_ROUTE_TEXT];
	if (!name) {
		ui_screen_say(s, true, "no row here names requests");
		return false;
	}
	if (what && strcmp(what, "meter") == 0) {
		ui_screen_say(
			s, true, "the server's meter only counts: no single request is known");
		return false;
	}
	pv_route_text(name, route, sizeof route);
	const bool query = !what || strcmp(what, "SQL") == 0;
	name_in(pv_filter_field_name(query ? PV_FILTER_QUERY : PV_FILTER_ROUTE), route, to);
	return true;
}

/* Only requests of the row's route or with the row's query; if already so, all again. */
static void choose_of_row(struct ui_screen *s)
{
	char requests[UI_TEXT_MAX];
	if (name_of_row(s, requests))
		choose_requests(s, strcmp(requests, s->shared.range.requests) == 0 ? "" : requests);
}

void ui_requests_began(struct ui_screen *s, int64_t start_ns, char ret[UI_REQUESTS_MAX])
{
	char requests[UI_TEXT_MAX];
	snprintf(requests, sizeof requests, "began=%" PRId64 "ns", start_ns);
	choose_requests(s, requests);
	memcpy(ret, s->shared.range.requests, UI_REQUESTS_MAX);
}

/* --- requests by time */

void ui_requests_slow(struct ui_screen *s, const char *text)
{
	char others[UI_TEXT_MAX], requests[2 * UI_TEXT_MAX];
	struct pv_filter_error wrong;
	const bool all = strcmp(text, "all") == 0;
	pv_filter_without_slow(s->shared.range.requests, others, sizeof others);
	snprintf(requests, sizeof requests, "%s%sslow>%s", others, others[0] ? " " : "", text);
	struct pv_filter *f = pv_filter_requests(all ? others : requests, &wrong);
	const size_t n = f ? pv_filter_leaves(f) : 0;
	const bool time = n && pv_filter_leaf(f, n - 1)->what == PV_FILTER_COMPARES;
	pv_filter_free(f);
	if (all || time)
		choose_requests(s, all ? others : requests);
	else
		ui_screen_say(
			s, true, "slow wants a time, like 200ms, or all; not %s", PV_FIT(text, 40));
}

static void turn_chart(struct ui_screen *s)
{
	const char *name = ui_chart_turn(&s->pane[s->current]);
	if (name)
		ui_screen_say(
			s, false, "the chart shows %s of the requests begun in each column", name);
	else
		ui_screen_say(s, true, "percentiles over time are a chart of Routes");
}

unsigned ui_requests_command(struct ui_screen *s, enum ui_command cmd)
{
	switch (cmd) {
	case UI_CMD_THIS_ROUTE:
		choose_of_row(s);
		return UI_HANDLED;
	case UI_CMD_THREAD:
		ui_prompt_open(&s->prompt, UI_PROMPT_COMMAND, ":", "thread ");
		return UI_HANDLED;
	case UI_CMD_PERCENTILE:
		turn_chart(s);
		return UI_HANDLED;
	case UI_CMD_SLOW:
		ui_prompt_open(&s->prompt, UI_PROMPT_COMMAND, ":", "slow ");
		return UI_HANDLED;
	default:
		return UI_IGNORED;
	}
}
