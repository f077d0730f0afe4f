#include "tui/screen/one_filter.h"

#include <stdio.h>
#include <string.h>

#include "common/base/filter_names.h"
#include "common/query/filter_fits.h"
#include "common/query/row_filter.h"

/* The list of details that has the keys; NULL: none has. */
static struct ui_list *details(const struct ui_screen *s)
{
	struct ui_pane *p = &s->pane[s->current];
	return p->def->parts && p->focus > 0 ? &p->list[p->focus] : NULL;
}

void ui_filter_set_all(struct ui_screen *s, const char *text)
{
	snprintf(s->shared.filter, sizeof s->shared.filter, "%s", text);
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

const char *ui_filter_now(const struct ui_screen *s)
{
	const struct ui_list *l = details(s);
	return l ? l->filter : s->shared.filter;
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
	return own || found;
}

/* --- typing */

/* The view whose columns a comparison is about; where there is none, those of methods. */
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

bool ui_filter_read(const struct ui_screen *s, const char *text, char ret[UI_TEXT_MAX],
	struct pv_filter_error *wrong)
{
	enum pv_view view = view_of(s);
	return is_filter(view, text, wrong) &&
	       pv_filter_expand(s->shared.named, text, ret, UI_TEXT_MAX, wrong) &&
	       is_filter(view, ret, wrong);
}

/* --- in a view */

/* Both hold: | binds less than what stands side by side. False: they are too long together. */
static bool join(const char *a, const char *b, char ret[UI_TEXT_MAX])
{
	bool both = a[0] && b[0];
	int n = both ? snprintf(ret, UI_TEXT_MAX, "(%s) (%s)", a, b)
		     : snprintf(ret, UI_TEXT_MAX, "%s%s", a, b);
	return n < UI_TEXT_MAX;
}

void ui_filter_place(const struct ui_screen *s, struct ui_pane *p)
{
	char both[UI_TEXT_MAX];
	struct ui_list *l = &p->list[0];
	const char *text = s->shared.filter;
	p->unfit[0] = 0;
	if (p->def->parts == 0)
		return;
	if (p->timeline) {
		snprintf(p->unfit, sizeof p->unfit, "lanes are of all threads");
		return;
	}
	enum pv_view view = p->flame ? PV_VIEW_FLAME : l->view;
	bool fits = !text[0] || pv_filter_fits(view, text, p->unfit, sizeof p->unfit);
	if (!join(fits ? text : "", l->found, both)) {
		snprintf(p->unfit, sizeof p->unfit, "too long beside what was found");
		snprintf(both, sizeof both, "%s", l->found);
	}
	ui_list_set_filter(l, both);
}
