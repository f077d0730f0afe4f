/* SPDX-License-Identifier: MIT */
/* Chooses requests for all views by a row or a time. */
#include "tui/screen/request_choice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/filter/filter_split.h"
#include "common/base/text/route_text.h"
#include "common/base/utf8.h"
#include "tui/screen/one_filter.h"

/* Replaces the terms about requests in the filter of all views, where there is room. */
static void choose(struct ui_screen *s, const char *requests)
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

/* --- of a row */

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

void ui_requests_of_row(struct ui_screen *s)
{
	char requests[UI_TEXT_MAX];
	if (name_of_row(s, requests))
		choose(s, strcmp(requests, s->shared.range.requests) == 0 ? "" : requests);
}

void ui_requests_began(struct ui_screen *s, int64_t start_ns, char ret[UI_REQUESTS_MAX])
{
	char requests[UI_TEXT_MAX];
	snprintf(requests, sizeof requests, "began=%" PRId64 "ns", start_ns);
	choose(s, requests);
	memcpy(ret, s->shared.range.requests, UI_REQUESTS_MAX);
}

/* --- by time */

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
		choose(s, all ? others : requests);
	else
		ui_screen_say(
			s, true, "slow wants a time, like 200ms, or all; not %s", PV_FIT(text, 40));
}

unsigned ui_requests_command(struct ui_screen *s, enum ui_command cmd)
{
	switch (cmd) {
	case UI_CMD_THIS_ROUTE:
		ui_requests_of_row(s);
		return UI_HANDLED;
	case UI_CMD_THREAD:
		ui_prompt_open(&s->prompt, UI_PROMPT_COMMAND, ":", "thread ");
		return UI_HANDLED;
	case UI_CMD_SLOW:
		ui_prompt_open(&s->prompt, UI_PROMPT_COMMAND, ":", "slow ");
		return UI_HANDLED;
	default:
		return UI_IGNORED;
	}
}
