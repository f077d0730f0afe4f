/* SPDX-License-Identifier: MIT */
/* Named sets of objects: made from the rows at hand, or from these and another set. */
#include "tui/screen/browser.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/utf8.h"
#include "common/query/heap/heap_choose.h"
#include "tui/screen/screen.h"

/* --- rows of the main list as a set */

static bool of_filter(const struct pv_heap *h, const struct ui_browse_place *at,
	const struct ui_browser *b, const char *filter, struct pv_heap_set *ret)
{
	const struct pv_heap_set *in = at->set ? b->set[at->set - 1].set : NULL;
	const uint32_t none = 0;
	struct pv_choice choice = { .key = PV_BY_ADDRESS,
		.filter = filter,
		.way = PV_FILTER_CAPITALS,
		.klass = at->klass };
	struct pv_chosen chosen;
	if (in) {
		choice.of = in->node.n ? in->node.v : &none;
		choice.of_n = in->node.n;
	}
	if (!pv_choose_objects(h, &choice, &chosen))
		return false;
	bool ok = pv_heap_set_of(h, chosen.node, chosen.n, ret);
	pv_chosen_finish(&chosen);
	return ok;
}

static bool set_of_rows(struct ui_screen *s, struct pv_heap_set *ret)
{
	const struct pv_heap *h = s->shared.heap.heap;
	const struct ui_list *l = &ui_browser_pane(s)->list[0];
	struct ui_browse_place at = s->browser.at;
	const struct pv_row *row = ui_list_row(l);
	switch (at.mode) {
	case UI_BROWSE_CLASSES:
		at.klass = row ? row->id : 0;
		return of_filter(h, &at, &s->browser, NULL, ret);
	case UI_BROWSE_KEPT:
		if (at.dir)
			return pv_heap_set_kept(h, (uint32_t)(at.dir - 1), ret);
		return row ? pv_heap_set_kept(h, (uint32_t)(row->id - 1), ret)
			   : pv_heap_set_of(h, NULL, 0, ret);
	case UI_BROWSE_MERGED:
		return of_filter(h, &at, &s->browser, NULL, ret);
	default:
		return of_filter(h, &at, &s->browser, l->filter, ret);
	}
}

/* --- keeping sets */

/* Takes the set over. Returns its number, from 1; 0: too many sets. */
static size_t add_set(struct ui_screen *s, const struct pv_heap_set *set, const char *name)
{
	struct ui_browser *b = &s->browser;
	struct pv_heap_set *own = b->sets < UI_BROWSE_SETS ? malloc(sizeof *own) : NULL;
	if (!own) {
		struct pv_heap_set gone = *set;
		pv_heap_set_finish(&gone);
		ui_screen_say(s, true, "there are too many sets");
		return 0;
	}
	*own = *set;
	struct ui_browse_set *to = &b->set[b->sets++];
	to->set = own;
	if (name && name[0])
		snprintf(to->name, sizeof to->name, "%s", PV_FIT(name, 60));
	else
		snprintf(to->name, sizeof to->name, "N%zu", b->sets);
	return b->sets;
}

static void show_set(struct ui_screen *s, size_t number)
{
	const struct ui_browse_set *set = &s->browser.set[number - 1];
	ui_browser_go(s, &(struct ui_browse_place){ .mode = UI_BROWSE_OBJECTS, .set = number });
	size_t n = set->set->node.n;
	uint64_t bytes = set->set->bytes;
	ui_screen_say(s, false, "%s: %zu object%s, %" PRIu64 " byte%s", set->name, n,
		n == 1 ? "" : "s", bytes, bytes == 1 ? "" : "s");
}

void ui_browser_keep(struct ui_screen *s, const char *name)
{
	struct pv_heap_set set;
	if (!s->shared.heap.heap)
		return;
	if (!set_of_rows(s, &set)) {
		ui_screen_say(s, true, "out of memory");
		return;
	}
	size_t number = add_set(s, &set, name);
	if (number)
		show_set(s, number);
}

/* Addresses without an object in the graph are left out, as they were listed twice. */
static bool set_of_addresses(
	const struct pv_heap *h, const struct ui_browse_wish *w, struct pv_heap_set *ret)
{
	PV_ARRAY(uint32_t) node = { 0 };
	bool ok = pv_reserve(&node, w->address.n);
	const struct pv_graph *g = &h->graph;
	uint32_t at = 0;
	for (size_t i = 0; ok && i < w->address.n; i++) {
		uint64_t address = w->address.v[i];
		if (i && address < w->address.v[i - 1])
			at = pv_graph_from(g, address);
		while (at < g->nodes && g->address[at] < address)
			at++; /* addresses ascend, as nodes do */
		if (at < g->nodes && g->address[at] == address)
			node.v[node.n++] = at;
	}
	ok = ok && pv_heap_set_of(h, node.v, node.n, ret);
	pv_array_finish(&node);
	return ok;
}

void ui_browser_grant(struct ui_screen *s)
{
	struct ui_browse_wish *w = &s->browser.wish;
	const struct pv_heap *h = s->shared.heap.heap;
	struct pv_heap_set set;
	if (!h || w->address.n == 0 || h->graph.shot != w->shot)
		return;
	size_t number = set_of_addresses(h, w, &set) ? add_set(s, &set, w->name) : 0;
	w->address.n = 0;
	if (number)
		ui_browser_go(
			s, &(struct ui_browse_place){ .mode = UI_BROWSE_MERGED, .set = number });
}

/* --- choosing a set */

static void open_menu(struct ui_screen *s, enum ui_command cmd, const char *title)
{
	struct ui_browser *b = &s->browser;
	if (b->sets == 0) {
		ui_screen_say(s, false, "there is no set yet; a makes one of the rows");
		return;
	}
	s->menu = (struct ui_menu){ .open = true, .title = title, .n = b->sets };
	for (size_t i = 0; i < b->sets; i++) {
		s->menu.item[i] = b->set[i].name;
		s->menu.value[i] = i + 1;
	}
	b->choosing = true;
	b->choice = cmd;
}

static void combine(struct ui_screen *s, enum ui_command cmd, size_t with)
{
	static const char *const sign[] = { "+", "&", "-" };
	const struct pv_heap *h = s->shared.heap.heap;
	enum pv_heap_set_op op = cmd == UI_CMD_SET_UNION    ? PV_SET_UNION
				 : cmd == UI_CMD_SET_COMMON ? PV_SET_INTERSECTION
							    : PV_SET_DIFFERENCE;
	const struct ui_browse_set *b = &s->browser.set[with - 1];
	size_t of = s->browser.at.set;
	struct pv_heap_set rows = { 0 }, both;
	char name[160];
	if (!h || !set_of_rows(s, &rows))
		return;
	snprintf(name, sizeof name, "%s %s %s",
		PV_FIT(of ? s->browser.set[of - 1].name : "rows", 28), sign[op],
		PV_FIT(b->name, 28));
	bool ok = pv_heap_set_combine(h, op, &rows, b->set, &both);
	pv_heap_set_finish(&rows);
	size_t number = ok ? add_set(s, &both, name) : 0;
	if (number)
		show_set(s, number);
}

bool ui_browser_chose(struct ui_screen *s, enum ui_menu_answer answer)
{
	struct ui_browser *b = &s->browser;
	if (!b->choosing)
		return false;
	b->choosing = answer == UI_MENU_OPEN;
	if (answer != UI_MENU_CHOSEN)
		return true;
	size_t number = s->menu.value[s->menu.at];
	if (b->choice == UI_CMD_SETS)
		show_set(s, number);
	else
		combine(s, b->choice, number);
	return true;
}

/* --- commands */

static void go_to_paths(struct ui_screen *s)
{
	const struct ui_browse_place *at = &s->browser.at;
	struct ui_list *l = &ui_browser_pane(s)->list[0];
	struct ui_browse_place to = {
		.mode = UI_BROWSE_MERGED, .set = at->set, .klass = at->klass
	};
	struct pv_heap_set set;
	if (at->mode == UI_BROWSE_MERGED)
		return;
	if (at->mode == UI_BROWSE_CLASSES)
		to.klass = ui_list_row(l) ? ui_list_row(l)->id : 0;
	if (at->mode == UI_BROWSE_KEPT || l->filter[0] || (!to.klass && !to.set)) {
		if (!set_of_rows(s, &set))
			return;
		to.klass = 0;
		to.set = add_set(s, &set, NULL);
		if (!to.set)
			return;
	}
	ui_browser_go(s, &to);
}

static void go_to_unreachable(struct ui_screen *s)
{
	struct pv_heap_set set;
	if (!pv_heap_set_unreachable(s->shared.heap.heap, &set))
		return;
	size_t number = add_set(s, &set, "unreachable");
	if (number)
		show_set(s, number);
}

unsigned ui_browser_set_command(struct ui_screen *s, enum ui_command cmd)
{
	bool ours = cmd == UI_CMD_PATHS || cmd == UI_CMD_UNREACHABLE || cmd == UI_CMD_SET_KEEP ||
		    (cmd >= UI_CMD_SETS && cmd <= UI_CMD_SET_WITHOUT);
	if (!ours)
		return UI_IGNORED;
	if (!s->shared.heap.heap) {
		ui_screen_say(s, false, "no heap shot is open yet");
		return UI_HANDLED;
	}
	switch (cmd) {
	case UI_CMD_PATHS:
		go_to_paths(s);
		break;
	case UI_CMD_UNREACHABLE:
		go_to_unreachable(s);
		break;
	case UI_CMD_SET_KEEP:
		ui_screen_ask(s, UI_PROMPT_SET);
		break;
	case UI_CMD_SETS:
		open_menu(s, cmd, "Show the set");
		break;
	case UI_CMD_SET_UNION:
		open_menu(s, cmd, "The rows and the set");
		break;
	case UI_CMD_SET_COMMON:
		open_menu(s, cmd, "Only rows of the set");
		break;
	default:
		open_menu(s, cmd, "The rows without the set");
		break;
	}
	return UI_HANDLED;
}
