/* SPDX-License-Identifier: MIT */
/* Asks for flame graphs: a job owns all its data, except the shared tree. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/list/list_query.h"
#include "tui/panes/flame_pane.h"

const unsigned ui_flame_least[UI_FLAME_LEASTS] = { 0, 1, 5, 10, 20, 50 };

struct job {
	struct ui_job job;
	struct pv_model *model;
	const struct ui_against *against; /* NULL: the flame is of the model only */
	struct pv_query query;
	enum pv_flame_measure measure;
	struct ui_flame_view view;
	char filter[UI_TEXT_MAX], find[UI_TEXT_MAX];
	bool fold, by_name;
	uint32_t parts;
	struct pv_flame_tree *tree; /* NULL: to be made */
	struct pv_flame *answer[UI_FLAME_HALVES];
};

static bool copy_path(struct pv_flame_path *to, const struct pv_flame_path *from)
{
	*to = (struct pv_flame_path){ .way = from->way, .focus = from->focus };
	if (!pv_reserve(&to->key, from->key.n))
		return false;
	if (from->key.n)
		memcpy(to->key.v, from->key.v, from->key.n * sizeof *to->key.v);
	to->key.n = from->key.n;
	return true;
}

void ui_flame_view_finish(struct ui_flame_view *v)
{
	pv_array_finish(&v->zoom.key);
	for (size_t i = 0; i < v->cut.n; i++)
		pv_array_finish(&v->cut.v[i].at.key);
	pv_array_finish(&v->cut);
	*v = (struct ui_flame_view){ 0 };
}

bool ui_flame_view_copy(struct ui_flame_view *to, const struct ui_flame_view *from)
{
	*to = (struct ui_flame_view){ 0 };
	bool ok = copy_path(&to->zoom, &from->zoom) && pv_reserve(&to->cut, from->cut.n);
	for (size_t i = 0; ok && i < from->cut.n; i++) {
		to->cut.v[i] = (struct pv_flame_cut){ .keep = from->cut.v[i].keep };
		to->cut.n = i + 1;
		ok = copy_path(&to->cut.v[i].at, &from->cut.v[i].at);
	}
	if (!ok)
		ui_flame_view_finish(to);
	return ok;
}

/* --- on the worker's thread */

static void run_flame(struct ui_job *j)
{
	struct job *q = (struct job *)j;
	if (!q->tree && q->against)
		q->tree = q->against->flame(q->against->of, q->model, q->measure, &q->query);
	else if (!q->tree)
		q->tree = pv_flame_tree_make(q->model, q->measure, &q->query);
	if (!q->tree)
		return;
	struct pv_flame_wish w = { .zoom = &q->view.zoom,
		.cut = q->view.cut.v,
		.cuts = q->view.cut.n,
		.filter = q->filter,
		.find = q->find,
		.fold = q->fold,
		.by_name = q->by_name,
		.parts = q->parts };
	q->answer[UI_FLAME_MAIN] = pv_flame_ask(q->tree, &w);
	if (!q->view.zoom.focus)
		return;
	struct pv_flame_path up = { .way = PV_FLAME_UP, .focus = q->view.zoom.focus };
	w.zoom = &up;
	q->answer[UI_FLAME_CALLERS] = pv_flame_ask(q->tree, &w);
}

static void drop_flame(struct ui_job *j)
{
	struct job *q = (struct job *)j;
	for (int i = 0; i < UI_FLAME_HALVES; i++)
		pv_flame_destroy(q->answer[i]);
	pv_flame_tree_drop(q->tree);
	ui_flame_view_finish(&q->view);
	free(q);
}

/* --- on the screen's */

static void drop_answers(struct ui_flame *f)
{
	for (int i = 0; i < UI_FLAME_HALVES; i++) {
		pv_flame_destroy(f->answer[i]);
		free(f->span[i]);
		f->answer[i] = NULL;
		f->span[i] = NULL;
	}
}

void ui_flame_forget(struct ui_flame *f)
{
	ui_slot_cancel(&f->slot);
	ui_heat_forget(&f->heat);
	drop_answers(f);
	pv_flame_tree_drop(f->tree);
	f->tree = NULL;
	f->stale = true;
}

/* Follows the cursor's path in the answer as deep as possible. */
static void find_cursor(struct ui_flame *f)
{
	if (!f->answer[f->half])
		f->half = UI_FLAME_MAIN;
	const struct pv_flame *a = f->answer[f->half];
	f->at = 0;
	for (size_t i = 0; a && i < f->path.n; i++) {
		const struct pv_flame_cell *up = &a->cell[f->at];
		uint32_t n = 0;
		while (n < up->children && a->cell[up->child + n].key != f->path.v[i])
			n++;
		if (n == up->children)
			return;
		f->at = up->child + n;
	}
}

/* The keys from the root of the answer to the cursor. */
void ui_flame_note_path(struct ui_flame *f)
{
	const struct pv_flame *a = f->answer[f->half];
	const struct pv_flame_cell *c = a && f->at < a->cells ? &a->cell[f->at] : NULL;
	f->path.n = 0;
	if (!c || !pv_reserve(&f->path, c->depth + 1u))
		return;
	f->path.n = c->depth;
	for (size_t i = c->depth; i-- > 0; c = &a->cell[c->parent])
		f->path.v[i] = c->key;
}

void ui_flame_want(struct ui_flame *f, const char *name)
{
	char *copy = name ? strdup(name) : NULL;
	free(f->want);
	f->want = copy;
}

/* A wanted frame too narrow for a cell is searched for, so that its share is shown. */
static void find_wanted(struct ui_flame *f, struct ui_list *l)
{
	const struct pv_flame *a = f->answer[UI_FLAME_MAIN];
	size_t at = 0, best = 0;
	if (!f->want || !a || f->stale)
		return;
	const size_t len = strlen(f->want);
	for (at = 1; at < a->cells; at++)
		if (strncmp(a->cell[at].name, f->want, len) == 0 &&
			(!a->cell[at].name[len] || strncmp(a->cell[at].name + len, " [", 2) == 0) &&
			(!best || a->cell[at].weight > a->cell[best].weight))
			best = at;
	if (best) {
		f->half = UI_FLAME_MAIN;
		f->at = (uint32_t)best;
		ui_flame_note_path(f);
	} else {
		snprintf(l->search, sizeof l->search, "%s", f->want);
	}
	ui_flame_want(f, NULL);
}

static void take_flame(struct ui_flame *f, struct ui_list *l, struct ui_job *answer)
{
	struct job *q = (struct job *)answer;
	if (!q)
		return;
	if (q->answer[UI_FLAME_MAIN]) {
		drop_answers(f);
		for (int i = 0; i < UI_FLAME_HALVES; i++) {
			f->answer[i] = q->answer[i];
			q->answer[i] = NULL;
		}
		pv_flame_tree_drop(f->tree);
		f->tree = pv_flame_tree_take(q->tree);
		find_cursor(f);
		if (l->look == UI_LOOK_ASKED)
			l->look = f->answer[UI_FLAME_MAIN]->hits ? UI_LOOK_FOUND : UI_LOOK_MISSED;
	}
	drop_flame(&q->job);
}

/* The model to ask; objects followed to a shot have a model of their own. NULL: none yet. */
static struct pv_model *model_of(const struct ui_flame *f, const struct ui_shared *s)
{
	return f->measure == PV_FLAME_LIVE ? s->identity.model : s->model;
}

static struct pv_query query_of(const struct ui_flame *f, const struct ui_shared *s)
{
	return (struct pv_query){ .groups = s->groups,
		.window_ns = s->range.on ? 0 : s->window_ns,
		.net = s->net,
		.waits = s->waits,
		.readable = !s->raw_names,
		.my_code = s->my_code,
		.physical = s->physical,
		.identity = f->measure == PV_FLAME_LIVE ? s->identity.identity : NULL };
}

/* Whether everything that the tree depends on is unchanged, except time. */
static bool same_tree(const struct ui_flame *f, const struct ui_shared *s)
{
	const struct pv_query now = query_of(f, s);
	return f->of == model_of(f, s) && f->of_measure == f->measure &&
	       ui_same_figures(&f->asked, &now);
}

static bool is_fresh(const struct ui_flame *f, const struct ui_shared *s)
{
	return s->paused || f->measure == PV_FLAME_LIVE ||
	       (f->tree && pv_flame_tree_generation(f->tree) >= s->generation);
}

static void post(struct ui_flame *f, const struct ui_shared *s, bool changed)
{
	enum { COLUMNS_MAX = 1000, MILLE = 1000 };
	struct job *q = calloc(1, sizeof *q);
	if (!q)
		return;
	q->job = (struct ui_job){ .run = run_flame, .drop = drop_flame, .urgent = changed };
	if (!ui_flame_view_copy(&q->view, &f->view)) {
		free(q);
		return;
	}
	q->model = model_of(f, s);
	q->against = f->measure == PV_FLAME_LIVE ? NULL : s->against;
	q->query = query_of(f, s);
	q->measure = f->measure;
	memcpy(q->filter, f->filter, sizeof q->filter);
	memcpy(q->find, f->find, sizeof q->find);
	q->fold = f->fold;
	q->by_name = f->by_name;
	q->parts = ui_flame_least[f->least] ? MILLE / ui_flame_least[f->least] : COLUMNS_MAX;
	if (f->tree && same_tree(f, s) && is_fresh(f, s))
		q->tree = pv_flame_tree_take(f->tree);
	f->of = q->model;
	f->asked = q->query;
	f->of_measure = f->measure;
	f->stale = false;
	ui_query_worker_post(s->worker, &f->slot, &q->job);
}

/* Takes the first recorded measure, until the user chooses one. */
static void choose_measure(struct ui_flame *f, const struct ui_shared *s)
{
	if (f->chosen || pv_flame_recorded(s->summary.recorded, f->measure))
		return;
	for (unsigned i = 0; i < PV_FLAME_MEASURES; i++) {
		if (!pv_flame_recorded(s->summary.recorded, (enum pv_flame_measure)i))
			continue;
		f->measure = (enum pv_flame_measure)i;
		return;
	}
}

static bool take_texts(struct ui_flame *f, const struct ui_list *l)
{
	if (strcmp(f->filter, l->filter) == 0 && strcmp(f->find, l->search) == 0)
		return false;
	memcpy(f->filter, l->filter, sizeof f->filter);
	memcpy(f->find, l->search, sizeof f->find);
	return true;
}

void ui_flame_refresh(struct ui_flame *f, const struct ui_shared *s, struct ui_list *l)
{
	if (!s->model)
		return;
	if (s->range.on && s->model == s->whole &&
		f->measure != PV_FLAME_LIVE) { /* still being read */
		if (f->of == s->whole)
			ui_flame_forget(f);
		return;
	}
	choose_measure(f, s);
	if (!model_of(f, s)) { /* objects are still being followed, or cannot be */
		if (f->of)
			ui_flame_forget(f);
		f->of = NULL;
		return;
	}
	bool texts = take_texts(f, l);
	bool changed = f->stale || texts || !same_tree(f, s);
	take_flame(f, l, ui_slot_take(&f->slot));
	bool pending = ui_slot_pending(&f->slot);
	changed = changed || (!pending && !f->answer[UI_FLAME_MAIN]);
	if (changed || (!is_fresh(f, s) && !pending)) {
		post(f, s, changed);
		f->asking = changed;
		take_flame(f, l, changed ? ui_slot_await(&f->slot) : ui_slot_take(&f->slot));
	}
	find_wanted(f, l);
}
