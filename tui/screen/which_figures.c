/* SPDX-License-Identifier: MIT */
/* Which figures methods and call tree show: calls or samples, threshold, direction. */
#include "tui/screen/which_figures.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/status.h"
#include "common/base/utf8.h"
#include "tui/list/list_query.h"

static struct ui_list *call_tree(struct ui_screen *s)
{
	for (size_t i = 0; i < ui_pane_count; i++)
		if (ui_pane_defs[i].scope & UI_SCOPE_CALL_TREE)
			return &s->pane[i].list[0];
	return NULL;
}

/* The chosen order may be by a column now gone. */
static void sort_by_default(struct ui_screen *s)
{
	for (size_t i = 0; i < ui_pane_count; i++) {
		for (int k = 0; k < s->pane[i].def->parts; k++) {
			struct ui_list *l = &s->pane[i].list[k];
			l->chosen = l->chosen && !l->splits;
			l->invert = l->invert && !l->splits;
		}
	}
}

static bool has_both(const struct ui_screen *s)
{
	const unsigned both = PV_GROUP_CALLS | PV_GROUP_SAMPLES;
	return (s->shared.summary.recorded & both) == both && !s->shared.against;
}

/* The cursor keeps to its method, and the heaviest path is unfolded. */
static void restart_tree(struct ui_screen *s)
{
	struct ui_list *l = call_tree(s);
	const char *name = l ? ui_list_name(l, ui_list_row(l)) : NULL;
	char *want = name && l->pinned ? strdup(name) : NULL;
	if (l) {
		ui_list_restart(l);
		ui_list_want(l, want);
	}
	free(want);
}

void ui_counted_choose(struct ui_screen *s, bool samples)
{
	if (s->shared.by_samples != samples)
		restart_tree(s);
	s->shared.by_samples = samples;
	sort_by_default(s);
}

void ui_counted_seek(struct ui_screen *s)
{
	enum { KINDS = 2 };
	s->seeking = KINDS;
}

void ui_counted_find(struct ui_screen *s)
{
	struct ui_list *l = &s->pane[s->current].list[0];
	if (!l->lost)
		return;
	if (s->seeking > 0 && l->splits && has_both(s)) {
		ui_counted_choose(s, !s->shared.by_samples);
		ui_list_want(l, --s->seeking ? l->lost : NULL);
		l->stale = true;
	}
	free(l->lost);
	l->lost = NULL;
}

static void choose_counted(struct ui_screen *s, bool samples)
{
	if (s->shared.against) {
		ui_screen_say(s, true, "beside a base the figures are chosen by Ctrl-N");
		return;
	}
	if (!has_both(s)) {
		ui_screen_say(s, true, "the log has %s only",
			s->shared.summary.recorded & PV_GROUP_CALLS ? "calls"
			: s->shared.summary.recorded & PV_GROUP_SAMPLES
				? "samples"
				: "neither calls nor samples;");
		return;
	}
	ui_counted_choose(s, samples);
	ui_screen_say(s, false, "methods and tree by %s", samples ? "samples" : "calls");
}

void ui_counted_typed(struct ui_screen *s, const char *word)
{
	bool samples = strcmp(word, "samples") == 0;
	if (samples || strcmp(word, "calls") == 0)
		choose_counted(s, samples);
	else
		ui_screen_say(s, true, "count by calls or samples, not %s", PV_FIT(word, 40));
}

static void turn_tree(struct ui_screen *s)
{
	if (s->shared.against) {
		ui_screen_say(s, true, "beside a base the tree goes down only; flame has both");
		return;
	}
	s->shared.callers = !s->shared.callers;
	restart_tree(s);
	ui_screen_say(s, false,
		s->shared.callers ? "from what has the figures itself to its callers"
				  : "from the outermost callers down");
}

static void set_least(struct ui_screen *s, unsigned least)
{
	if (s->shared.against) {
		ui_screen_say(s, true, "beside a base all rows are shown");
		return;
	}
	s->shared.least = least;
	if (least)
		ui_screen_say(
			s, false, "only what has %g %% of all, or calls what has", least / 100.0);
	else
		ui_screen_say(s, false, "all rows, however small");
}

void ui_threshold_typed(struct ui_screen *s, const char *word)
{
	enum { PERCENT = 100 };
	char *end;
	double v = strtod(word, &end);
	end += strspn(end, " ");
	end += *end == '%';
	if (end == word || *end || !(v >= 0 && v < 100))
		ui_screen_say(
			s, true, "a threshold is a share like 0.5 %%, not %s", PV_FIT(word, 40));
	else
		set_least(s, (unsigned)(v * PERCENT + 0.5));
}

static unsigned next_least(unsigned now)
{
	static const unsigned steps[] = { 10, 50, 100, 200, 500 };
	for (size_t i = 0; i < PV_COUNT_OF(steps); i++)
		if (steps[i] > now)
			return steps[i];
	return 0;
}

unsigned ui_counted_command(struct ui_screen *s, enum ui_command cmd)
{
	if (s->help.open || s->output_open)
		return UI_IGNORED;
	switch (cmd) {
	case UI_CMD_COUNTED:
		choose_counted(s, !s->shared.by_samples);
		return UI_HANDLED;
	case UI_CMD_CALLERS:
		turn_tree(s);
		return UI_HANDLED;
	case UI_CMD_THRESHOLD:
		set_least(s, next_least(s->shared.least));
		return UI_HANDLED;
	default:
		return UI_IGNORED;
	}
}
