/* SPDX-License-Identifier: MIT */
/* The object browser: the open shot, the user's place, the way back, the lists' questions. */
#include "tui/screen/browser.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/utf8.h"
#include "common/query/heap/heap_find.h"
#include "tui/panes/sections.h"
#include "tui/screen/one_filter.h"
#include "tui/screen/screen.h"

struct ui_pane *ui_browser_pane(struct ui_screen *s)
{
	for (size_t i = 0; i < ui_pane_count; i++)
		if (ui_pane_defs[i].command == UI_CMD_OBJECTS)
			return &s->pane[i];
	return &s->pane[s->current];
}

static const struct pv_heap *heap_of(const struct ui_screen *s)
{
	return s->shared.heap.heap;
}

/* The object of a row id; NONE for other rows. */
static uint32_t node_of(const struct pv_heap *h, uint64_t row)
{
	return h && row > 0 && row <= h->graph.nodes ? (uint32_t)(row - 1) : PV_GRAPH_NONE;
}

/* --- life */

void ui_browser_sweep(struct ui_browser *b, struct ui_query_worker *worker)
{
	size_t left = 0;
	for (size_t i = 0; i < b->dead.n; i++) {
		struct ui_dead_set *dead = &b->dead.v[i];
		if (!ui_query_worker_past(worker, dead->number)) {
			b->dead.v[left++] = *dead;
			continue;
		}
		pv_heap_set_finish(dead->set);
		free(dead->set);
	}
	b->dead.n = left;
}

void ui_browser_finish(struct ui_browser *b)
{
	for (size_t i = 0; i < b->sets; i++) {
		pv_heap_set_finish(b->set[i].set);
		free(b->set[i].set);
	}
	ui_browser_sweep(b, NULL);
	pv_array_finish(&b->dead);
	pv_array_finish(&b->wish.address);
	pv_array_finish(&b->back);
	pv_array_finish(&b->forward);
	*b = (struct ui_browser){ 0 };
}

/* Calls `drop` for the lists whose rows come from the open shot. */
static void drop_lists(struct ui_screen *s, void (*drop)(struct ui_list *l))
{
	struct ui_pane *p = ui_browser_pane(s);
	for (int i = 0; i < p->def->parts; i++)
		drop(&p->list[i]);
	drop(&s->overview.list[UI_HOME_HELD]);
}

void ui_browser_forget(struct ui_screen *s)
{
	struct ui_browser *b = &s->browser;
	drop_lists(s, ui_list_forget);
	for (size_t i = 0; i < b->sets; i++)
		if (pv_reserve(&b->dead, 1))
			b->dead.v[b->dead.n++] = (struct ui_dead_set){ b->set[i].set,
				ui_query_worker_posted(s->shared.worker) };
	b->sets = 0;
	ui_browser_pane(s)->list[0].set = NULL;
	b->back.n = b->forward.n = 0;
	b->at = (struct ui_browse_place){ .mode = UI_BROWSE_CLASSES };
	ui_browser_pane(s)->list[0].found[0] = 0;
	s->shared.heap.heap = NULL;
}

/* --- the shot to open */

static void want(struct ui_screen *s, uint32_t shot, bool weak)
{
	struct ui_heap_shown *h = &s->shared.heap;
	s->browser.visited = true;
	if ((h->heap || h->reading) && h->shot == shot && h->weak == weak)
		return;
	h->shot = shot;
	h->weak = weak;
	h->reading = true;
	h->phase = "reading";
	h->step = h->steps = 0;
	h->error[0] = 0;
	s->browser.asked = true;
}

static bool selected_shot(struct ui_screen *s, uint32_t *ret)
{
	uint64_t shots = s->shared.all.shots;
	for (size_t i = 0; i < ui_pane_count; i++) {
		const struct pv_row *row = ui_list_row(&s->pane[i].list[0]);
		if (ui_pane_defs[i].command != UI_CMD_SHOTS || !row)
			continue;
		*ret = (uint32_t)(row->id - 1);
		return true;
	}
	if (shots == 0)
		return false;
	*ret = (uint32_t)shots - 1;
	return true;
}

void ui_browser_visit(struct ui_screen *s)
{
	struct ui_heap_shown *h = &s->shared.heap;
	uint32_t shot;
	if (s->browser.going && h->heap) {
		const struct ui_browse_place to = s->browser.next;
		s->browser.visited = true;
		s->browser.going = false;
		ui_browser_go(s, &to);
		return;
	}
	if (!selected_shot(s, &shot)) {
		snprintf(h->error, sizeof h->error, "the log has no heap shot so far");
		return;
	}
	if (!s->browser.visited || (h->shot != shot && !h->reading) || h->error[0])
		ui_browser_open(s, shot, 0);
}

/* Home opens a shot once only. */
static void open_for_home(struct ui_screen *s)
{
	enum { MOST_OBJECTS = 1000000, MOST_LIVE = 100000 };
	const struct pv_summary *all = &s->shared.all;
	const struct ui_heap_shown *h = &s->shared.heap;
	const uint64_t most = ui_has_ended(&s->shared) ? MOST_OBJECTS : MOST_LIVE;
	const uint64_t wanted = all->shot + UINT64_C(1);
	if (s->browser.visited || h->reading || s->browser.tried == wanted ||
		all->shot_objects == 0 || all->shot_objects > most)
		return;
	s->browser.tried = wanted;
	want(s, all->shot, h->weak);
	s->browser.visited = false;
}

void ui_browser_await(struct ui_screen *s)
{
	if (ui_pane_defs[s->current].command == UI_CMD_OVERVIEW)
		open_for_home(s);
	bool here = ui_browser_pane(s) == &s->pane[s->current];
	if (here && !s->browser.visited && s->shared.all.shots > 0)
		ui_browser_visit(s);
}

void ui_browser_retained(struct ui_screen *s)
{
	const struct ui_heap_shown *h = &s->shared.heap;
	uint32_t shot;
	if (!selected_shot(s, &shot)) {
		ui_screen_say(s, true, "the log has no heap shot so far");
		return;
	}
	if (!s->browser.visited || h->shot != shot)
		ui_browser_forget(s);
	want(s, shot, h->weak);
	ui_screen_say(s, false,
		h->reading ? "what classes of shot %u retain is worked out"
			   : "what classes of shot %u retain is known",
		shot);
}

void ui_browser_open(struct ui_screen *s, uint32_t shot, uint64_t klass)
{
	const struct ui_heap_shown *h = &s->shared.heap;
	bool other = h->shot != shot || (!s->browser.visited && !h->heap && !h->reading);
	if (other)
		ui_browser_forget(s);
	want(s, shot, s->shared.heap.weak);
	if (klass)
		ui_browser_go(
			s, &(struct ui_browse_place){ .mode = UI_BROWSE_OBJECTS, .klass = klass });
	else if (!other)
		ui_browser_go(s, &(struct ui_browse_place){ .mode = UI_BROWSE_CLASSES });
}

void ui_browser_use(struct ui_screen *s, const struct pv_heap *heap, const char *why)
{
	struct ui_heap_shown *h = &s->shared.heap;
	h->reading = false;
	h->heap = heap;
	snprintf(h->error, sizeof h->error, "%s",
		PV_FIT(why && s->browser.visited ? why : "", 100)); /* Home can do without */
	drop_lists(s, ui_list_drop);
	ui_browser_grant(s);
}

/* --- from place to place */

static void keep_place(struct ui_screen *s)
{
	struct ui_browse_place *at = &s->browser.at;
	const struct ui_list *l = &ui_browser_pane(s)->list[0];
	at->selected = l->selected;
	snprintf(at->filter, sizeof at->filter, "%s", l->found);
}

static void arrive(struct ui_screen *s, const struct ui_browse_place *to)
{
	struct ui_pane *p = ui_browser_pane(s);
	struct ui_list *l = &p->list[0];
	s->browser.at = *to;
	ui_pane_focus(p, 0);
	ui_browser_place(s, p);
	snprintf(l->found, sizeof l->found, "%s", to->filter);
	ui_filter_place(s, p);
	ui_list_want(l, NULL);
	l->selected = to->selected;
	l->pinned = to->selected != 0;
	l->stale = true;
}

void ui_browser_go(struct ui_screen *s, const struct ui_browse_place *to)
{
	struct ui_browser *b = &s->browser;
	keep_place(s);
	if (b->back.n >= UI_BROWSE_STEPS) {
		memmove(b->back.v, b->back.v + 1, (b->back.n - 1) * sizeof *b->back.v);
		b->back.n--;
	}
	if (pv_reserve(&b->back, 1))
		b->back.v[b->back.n++] = b->at;
	b->forward.n = 0;
	arrive(s, to);
}

/* Goes back (-1) or forward (1) along the way; false at the end. */
static bool step_along(struct ui_screen *s, int dir)
{
	struct ui_browser *b = &s->browser;
	bool back = dir < 0;
	if ((back ? b->back.n : b->forward.n) == 0)
		return false;
	keep_place(s);
	if (!(back ? pv_reserve(&b->forward, 1) : pv_reserve(&b->back, 1)))
		return false;
	struct ui_browse_place to;
	if (back) {
		to = b->back.v[--b->back.n];
		b->forward.v[b->forward.n++] = b->at;
	} else {
		to = b->forward.v[--b->forward.n];
		b->back.v[b->back.n++] = b->at;
	}
	arrive(s, &to);
	return true;
}

struct ui_browse_place ui_browser_where(const struct ui_screen *s, uint64_t row)
{
	const struct pv_heap *h = heap_of(s);
	const uint32_t node = node_of(h, row);
	const uint32_t by = node == PV_GRAPH_NONE ? PV_HEAP_ROOTS : h->idom[node];
	return (struct ui_browse_place){ .mode = UI_BROWSE_KEPT,
		.dir = by < PV_HEAP_ROOTS ? (uint64_t)by + 1 : 0,
		.selected = row };
}

/* Shows the directory that contains an object, with the cursor on the object. */
static void reveal(struct ui_screen *s, uint32_t node)
{
	const struct pv_heap *h = heap_of(s);
	if (h->idom[node] == PV_GRAPH_NONE) { /* kept by no root, so in no directory */
		struct ui_browse_place all = { .mode = UI_BROWSE_OBJECTS };
		snprintf(all.filter, sizeof all.filter, "0x%" PRIx64, h->graph.address[node]);
		ui_browser_go(s, &all);
		ui_screen_say(s, false, "no root reaches this object");
		return;
	}
	const struct ui_browse_place to = ui_browser_where(s, (uint64_t)node + 1);
	ui_browser_go(s, &to);
}

/* Leaves the directory for the row of its object; false in the outermost directory. */
static bool go_out(struct ui_screen *s)
{
	const struct pv_heap *h = heap_of(s);
	const struct ui_browse_place *at = &s->browser.at;
	uint32_t dir = at->mode == UI_BROWSE_KEPT ? node_of(h, at->dir) : PV_GRAPH_NONE;
	if (dir == PV_GRAPH_NONE)
		return false;
	reveal(s, dir);
	return true;
}

/* The object of a row of references, referrers or a path, by the row's address. */
static uint32_t object_of_row(const struct pv_heap *h, const struct ui_list *l)
{
	const struct pv_row *row = ui_list_row(l);
	int column = l->table ? pv_table_column(l->table, "address") : -1;
	if (!row || column < 0 || row->cell[column].state != PV_CELL_VALUE)
		return PV_GRAPH_NONE;
	return pv_graph_find(&h->graph, row->cell[column].u);
}

static void enter_main(struct ui_screen *s, struct ui_list *l)
{
	const struct pv_row *row = ui_list_row(l);
	struct ui_browse_place to = { .mode = UI_BROWSE_OBJECTS };
	switch (s->browser.at.mode) {
	case UI_BROWSE_CLASSES:
		to.klass = row->id;
		ui_browser_go(s, &to);
		break;
	case UI_BROWSE_KEEPERS:
	case UI_BROWSE_TEXTS:
		if (node_of(heap_of(s), row->id) != PV_GRAPH_NONE)
			reveal(s, node_of(heap_of(s), row->id));
		break;
	case UI_BROWSE_MERGED:
	case UI_BROWSE_AWAITS:
		ui_list_command(
			l, &s->shared, row->flags & PV_ROW_OPEN ? UI_CMD_FOLD : UI_CMD_UNFOLD);
		break;
	default:
		to.mode = UI_BROWSE_KEPT;
		to.dir = row->id;
		if (node_of(heap_of(s), row->id) != PV_GRAPH_NONE)
			ui_browser_go(s, &to);
		break;
	}
}

void ui_browser_enter(struct ui_screen *s)
{
	struct ui_pane *p = ui_browser_pane(s);
	struct ui_list *l = &p->list[p->focus];
	const struct pv_heap *h = heap_of(s);
	if (!h)
		ui_screen_say(s, false,
			s->shared.heap.reading ? "the shot is still being read"
					       : "no heap shot is open");
	if (!h || !ui_list_row(l))
		return;
	if (p->focus == 0) {
		enter_main(s, l);
		return;
	}
	uint32_t node = object_of_row(h, l);
	if (node == PV_GRAPH_NONE)
		ui_screen_say(s, false, "this row is a root, not an object");
	else
		reveal(s, node);
}

void ui_browser_find(struct ui_screen *s, const char *text)
{
	const struct pv_heap *h = heap_of(s);
	struct pv_find find;
	struct ui_browse_place to = { .mode = UI_BROWSE_OBJECTS };
	if (!h || !text[0])
		return;
	if (pv_find_parse(text, &find) && find.what == PV_FIND_ADDRESS) {
		uint32_t node = pv_graph_from(&h->graph, find.number);
		if (node == h->graph.nodes || h->graph.address[node] > find.number)
			node = node ? node - 1 : PV_GRAPH_NONE; /* within the one before */
		if (node == PV_GRAPH_NONE || !pv_find_is(&find, h, node))
			ui_screen_say(s, true, "no object of the shot is at %s", text);
		else
			reveal(s, node);
		return;
	}
	snprintf(to.filter, sizeof to.filter, "%s", text);
	ui_browser_go(s, &to);
}

/* --- queries of the lists */

static enum pv_view view_of(enum ui_browse_mode mode)
{
	switch (mode) {
	case UI_BROWSE_CLASSES:
		return PV_VIEW_HEAP_CLASSES;
	case UI_BROWSE_OBJECTS:
		return PV_VIEW_HEAP_OBJECTS;
	case UI_BROWSE_KEPT:
		return PV_VIEW_HEAP_KEPT;
	case UI_BROWSE_KEEPERS:
		return PV_VIEW_HEAP_KEEPERS;
	case UI_BROWSE_TEXTS:
		return PV_VIEW_HEAP_DUPLICATES;
	case UI_BROWSE_AWAITS:
		return PV_VIEW_HEAP_AWAITS;
	case UI_BROWSE_MERGED:
		break;
	}
	return PV_VIEW_HEAP_MERGED;
}

static const char *class_name(const struct pv_heap *h, uint64_t id)
{
	uint32_t klass = h ? pv_graph_class_of_id(&h->graph, id) : PV_GRAPH_NONE;
	return klass == PV_GRAPH_NONE ? "a class" : h->graph.klass.v[klass].name;
}

/* The directory's path, innermost objects first as long as there is room. */
static void dir_text(const struct pv_heap *h, uint64_t dir, char *to, size_t size)
{
	enum { DEEPEST = 3 };
	const char *name[DEEPEST];
	size_t n = 0, at = 0;
	uint32_t node = node_of(h, dir);
	while (node != PV_GRAPH_NONE && node != PV_HEAP_ROOTS && n < DEEPEST) {
		name[n++] = h->graph.klass.v[h->graph.class_of[node]].name;
		node = h->idom[node];
	}
	at += (size_t)snprintf(to, size, "kept by %s",
		n == DEEPEST && node != PV_HEAP_ROOTS ? "..." : "the roots");
	while (n > 0 && at < size)
		at += (size_t)snprintf(to + at, size - at, " / %s", PV_FIT(name[--n], 40));
}

static void tell_trail(struct ui_screen *s)
{
	const struct ui_browse_place *at = &s->browser.at;
	struct ui_heap_shown *h = &s->shared.heap;
	char what[160] = "classes";
	if (at->mode == UI_BROWSE_KEPT)
		dir_text(h->heap, at->dir, what, sizeof what);
	else if (at->mode == UI_BROWSE_TEXTS)
		snprintf(what, sizeof what, "strings that say the same");
	else if (at->mode == UI_BROWSE_AWAITS)
		snprintf(what, sizeof what, "waits of async methods, not callers");
	else if (at->mode == UI_BROWSE_KEEPERS)
		snprintf(what, sizeof what, "what roots keep");
	else if (at->mode != UI_BROWSE_CLASSES)
		snprintf(what, sizeof what, "%s %s",
			at->mode == UI_BROWSE_MERGED ? "paths to" : "objects:",
			at->set     ? s->browser.set[at->set - 1].name
			: at->klass ? class_name(h->heap, at->klass)
				    : "all");
	snprintf(h->trail, sizeof h->trail, "shot %" PRIu32 "%s ▸ %s", h->shot,
		h->weak ? ", weak references count" : "", what);
}

void ui_browser_place(struct ui_screen *s, struct ui_pane *p)
{
	const struct ui_browse_place *at = &s->browser.at;
	struct ui_list *l = &p->list[0];
	enum pv_view view = view_of(at->mode);
	const struct pv_heap_set *set = at->set ? s->browser.set[at->set - 1].set : NULL;
	bool objects = at->mode == UI_BROWSE_OBJECTS || at->mode == UI_BROWSE_MERGED;
	if (l->view != view) {
		ui_list_forget(l);
		l->view = view;
		l->tree = at->mode == UI_BROWSE_MERGED || at->mode == UI_BROWSE_AWAITS;
		l->unfold = l->tree ? UI_UNFOLD_HOT : UI_UNFOLD_NOTHING;
		l->sort = NULL;
		l->chosen = l->invert = false;
		l->skip = 0;
	}
	ui_list_set_select(l, objects ? at->klass : at->mode == UI_BROWSE_KEPT ? at->dir : 0, 0);
	if (l->set != set) {
		ui_list_forget(l);
		l->select = objects ? at->klass : at->dir;
		l->set = set;
	}
	p->no_details = at->mode == UI_BROWSE_CLASSES || l->tree;
	tell_trail(s);
}

/* --- commands */

static void go_to_mode(struct ui_screen *s, enum ui_browse_mode mode)
{
	ui_browser_go(s, &(struct ui_browse_place){ .mode = mode });
}

static unsigned cancel(struct ui_screen *s)
{
	s->browser.cancelled = true;
	ui_screen_say(s, false, "reading the heap shot stops");
	return UI_HANDLED;
}

static unsigned moving(struct ui_screen *s, enum ui_command cmd)
{
	switch (cmd) {
	case UI_CMD_BACK:
		return go_out(s) || step_along(s, -1) ? UI_HANDLED : UI_IGNORED;
	case UI_CMD_HEAP_BACK:
	case UI_CMD_HEAP_FORWARD:
		if (!step_along(s, cmd == UI_CMD_HEAP_BACK ? -1 : 1))
			ui_screen_say(s, false, "the way ends here");
		return UI_HANDLED;
	case UI_CMD_HEAP_CLASSES:
		go_to_mode(s, UI_BROWSE_CLASSES);
		return UI_HANDLED;
	case UI_CMD_BIGGEST:
		go_to_mode(s, UI_BROWSE_OBJECTS);
		return UI_HANDLED;
	case UI_CMD_DOMINATORS:
		go_to_mode(s, UI_BROWSE_KEPT);
		return UI_HANDLED;
	case UI_CMD_DUPLICATES:
		go_to_mode(s, UI_BROWSE_TEXTS);
		return UI_HANDLED;
	case UI_CMD_AWAITS:
		go_to_mode(s, UI_BROWSE_AWAITS);
		return UI_HANDLED;
	case UI_CMD_KEEPERS:
		go_to_mode(s, UI_BROWSE_KEEPERS);
		return UI_HANDLED;
	default:
		return UI_IGNORED;
	}
}

unsigned ui_browser_command(struct ui_screen *s, enum ui_command cmd)
{
	const struct ui_heap_shown *h = &s->shared.heap;
	if (h->reading && (cmd == UI_CMD_CANCEL || cmd == UI_CMD_STOP))
		return cancel(s);
	if (ui_browser_pane(s) != &s->pane[s->current] || s->help.open)
		return UI_IGNORED;
	if (cmd == UI_CMD_WEAK) {
		if (s->browser.visited) {
			want(s, h->shot, !h->weak);
			ui_screen_say(
				s, false, "weak references %scount", h->weak ? "" : "do not ");
		}
		return UI_HANDLED;
	}
	if (cmd == UI_CMD_FIND_OBJECT) {
		ui_screen_ask(s, UI_PROMPT_OBJECT);
		return UI_HANDLED;
	}
	unsigned reply = moving(s, cmd);
	return reply != UI_IGNORED ? reply : ui_browser_set_command(s, cmd);
}
