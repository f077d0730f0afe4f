/* SPDX-License-Identifier: MIT */
/* One thread for all views: by name, id or a time in the timeline. */
#include "tui/screen/thread_choice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/units.h"
#include "common/base/utf8.h"
#include "tui/list/list_query.h"
#include "tui/panes/timeline_pane.h"
#include "tui/screen/strip.h"

struct pv_table *ui_threads_now(struct ui_screen *s)
{
	struct ui_shared all = s->shared;
	struct ui_list l;
	if (!all.whole)
		return NULL;
	all.model = all.whole;
	all.range.on = false;
	ui_list_init(&l, PV_VIEW_THREADS, false);
	struct pv_table *t = ui_list_whole(&l, &all);
	ui_list_finish(&l);
	return t;
}

static void thread_take(struct ui_screen *s, uint64_t id, const char *name, bool named)
{
	struct ui_range r = s->shared.range;
	struct ui_range with = { .threaded = true, .thread = id, .named = named };
	snprintf(with.thread_name, sizeof with.thread_name, "%s", name);
	if (r.window_s)
		r.on = false;
	ui_range_take_thread(&r, &with);
	ui_strip_set(s, &r);
}

void ui_thread_set(struct ui_screen *s, uint64_t id, const char *name)
{
	thread_take(s, id, name, false);
}

uint64_t *ui_threads_named(struct ui_screen *s, const char *name, size_t *ret_n)
{
	struct pv_table *t = ui_threads_now(s);
	const int id = t ? pv_table_column(t, "id") : -1, by = t ? pv_table_column(t, "name") : -1;
	uint64_t *ret = id >= 0 && by >= 0 ? calloc(t->rows + 1, sizeof *ret) : NULL;
	*ret_n = 0;
	for (size_t i = 0; ret && i < t->rows; i++) {
		char fit[sizeof s->shared.range.thread_name];
		const char *has = t->row[i].cell[by].s;
		snprintf(fit, sizeof fit, "%s", has ? has : "");
		if (strcmp(fit, name) == 0)
			ret[(*ret_n)++] = t->row[i].cell[id].u;
	}
	pv_table_destroy(t);
	if (*ret_n)
		return ret;
	free(ret);
	return NULL;
}

void ui_threads_set(struct ui_screen *s, const char *name)
{
	char fit[sizeof s->shared.range.thread_name];
	size_t n;
	snprintf(fit, sizeof fit, "%s", name);
	uint64_t *all = ui_threads_named(s, fit, &n);
	if (all)
		thread_take(s, all[0], fit, n > 1);
	free(all);
}

void ui_thread_clear(struct ui_screen *s)
{
	struct ui_range r = s->shared.range;
	if (!r.threaded) {
		ui_screen_say(s, false, "all threads are shown");
		return;
	}
	ui_range_take_thread(&r, &(struct ui_range){ .threaded = false });
	ui_strip_set(s, &r);
}

/* Number of rows with this name (or, `part`, with the text in the name), and the last such row. */
static size_t count_named(
	const struct pv_table *t, int name, const char *text, bool part, size_t *ret_row)
{
	size_t n = 0;
	for (size_t i = 0; i < t->rows; i++) {
		const struct pv_cell *c = &t->row[i].cell[name];
		const char *has = c->state == PV_CELL_VALUE && c->s ? c->s : "";
		if (part ? !strcasestr(has, text) : strcmp(has, text) != 0)
			continue;
		*ret_row = i;
		n++;
	}
	return n;
}

static bool find_id(const struct pv_table *t, int id, const char *text, size_t *ret_row)
{
	char *end;
	const bool hex = strncmp(text, "0x", 2) == 0;
	uint64_t wanted = strtoull(text, &end, hex ? 16 : 10);
	for (*ret_row = 0; (hex || (*text >= '0' && *text <= '9')) && !*end && *ret_row < t->rows;
		++*ret_row)
		if (t->row[*ret_row].cell[id].u == wanted)
			return true;
	return false;
}

void ui_thread_name(struct ui_screen *s, uint64_t id, char *to, size_t size)
{
	struct pv_table *t = ui_threads_now(s);
	const int number = t ? pv_table_column(t, "id") : -1,
		  name = t ? pv_table_column(t, "name") : -1;
	snprintf(to, size, "%" PRIu64, id);
	for (size_t i = 0; number >= 0 && name >= 0 && i < t->rows; i++)
		if (t->row[i].cell[number].u == id && t->row[i].cell[name].s)
			snprintf(to, size, "%s", t->row[i].cell[name].s);
	pv_table_destroy(t);
}

static void choose_named(struct ui_screen *s, const struct pv_table *t, const char *text)
{
	int id = pv_table_column(t, "id"), name = pv_table_column(t, "name");
	size_t row = 0, n = 0;
	char number[PV_UNIT_MAX];
	if (id < 0 || name < 0)
		return;
	if (find_id(t, id, text, &row)) {
		n = 1;
	} else if (count_named(t, name, text, false, &row) > 0) {
		ui_threads_set(s, text);
		return;
	} else {
		n = count_named(t, name, text, true, &row);
	}
	const char *said = n == 1 ? t->row[row].cell[name].s : NULL;
	if (n == 0)
		ui_screen_say(s, true, "no thread is called %s; Tab lists them", PV_FIT(text, 60));
	else if (n > 1)
		ui_screen_say(s, true,
			"%zu threads have this in their names; a whole name takes all of it, a number like %s one",
			n,
			pv_cell_text(&t->row[row].cell[id], PV_UNIT_THREAD, number, sizeof number));
	else
		ui_thread_set(s, t->row[row].cell[id].u, said ? said : text);
}

void ui_thread_typed(struct ui_screen *s, const char *text)
{
	if (strcmp(text, "all") == 0) {
		ui_thread_clear(s);
		return;
	}
	struct pv_table *t = ui_threads_now(s);
	if (t)
		choose_named(s, t, text);
	else
		ui_screen_say(s, true, "no threads are known yet");
	pv_table_destroy(t);
}

bool ui_thread_choose_time(struct ui_screen *s)
{
	struct ui_timeline *t = s->pane[s->current].timeline;
	const struct pv_lanes_row *row = t ? ui_timeline_row(t) : NULL;
	struct ui_range r = { .on = true, .threaded = row && row->id };
	if (!row)
		return false;
	ui_timeline_time(t, &r.from_ns, &r.to_ns);
	r.thread = row->native;
	snprintf(r.thread_name, sizeof r.thread_name, "%s", row->name);
	ui_range_take_requests(&r, s->shared.range.requests);
	t->zoomed = t->marked = t->placed = false;
	ui_strip_set(s, &r);
	return true;
}
