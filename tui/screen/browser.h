/* SPDX-License-Identifier: MIT */
/*
 * The object browser: the user's place in a heap shot (classes, objects of a class, objects kept by
 * an object, merged paths), the way there and back, and named sets of objects. Decides what the
 * lists of its pane ask for; snapshot_loader.c reads the shot. The screen's thread.
 */
#ifndef UI_BROWSER_H
#define UI_BROWSER_H

#include "common/heap/heap_set.h"
#include "common/query/heap/identity_choose.h"
#include "tui/list/list.h"
#include "tui/draw/menu.h"

struct ui_pane;
struct ui_screen;

enum ui_browse_mode {
	UI_BROWSE_CLASSES,
	UI_BROWSE_OBJECTS, /* of a class, of a set, or all */
	UI_BROWSE_KEPT,    /* a directory of the dominator tree */
	UI_BROWSE_MERGED,  /* merged paths of a class or of a set */
	UI_BROWSE_KEEPERS, /* objects kept by roots, by root */
	UI_BROWSE_TEXTS,   /* equal strings */
	UI_BROWSE_AWAITS,  /* waiting async methods */
};

struct ui_browse_place {
	enum ui_browse_mode mode;
	uint64_t klass;    /* row id of a class, 0 none */
	uint64_t dir;      /* row id of the directory's object, 0: the roots */
	size_t set;        /* index + 1, 0 none */
	uint64_t selected; /* row id */
	char filter[UI_TEXT_MAX];
};

struct ui_browse_set {
	char name[64];
	struct pv_heap_set *set; /* owned */
};

/* A forgotten set, kept while questions may be open. */
struct ui_dead_set {
	struct pv_heap_set *set; /* owned */
	uint64_t number;         /* of the last job that may read the set */
};

/* Objects whose merged paths are to be shown when their shot is there. */
struct ui_browse_wish {
	uint32_t shot;
	struct pv_address_list address; /* none: no wish */
	char name[64];                  /* of the set to be made of the objects */
};

enum { UI_BROWSE_SETS = UI_MENU_MAX, UI_BROWSE_STEPS = 200 };

struct ui_browser {
	bool visited;   /* a shot was chosen */
	bool asked;     /* another shot is wanted: snapshot_loader.c */
	bool cancelled; /* the shot being read is not wanted any more */
	uint64_t tried; /* number + 1 of Home's last shot; 0 none */
	bool going;     /* to `next` when the pane comes on screen, in the open shot */
	struct ui_browse_place at, next;
	PV_ARRAY(struct ui_browse_place) back, forward;
	struct ui_browse_wish wish;
	struct ui_browse_set set[UI_BROWSE_SETS];
	size_t sets;
	PV_ARRAY(struct ui_dead_set) dead;
	bool choosing; /* the menu is about sets, for: */
	enum ui_command choice;
};

/* Frees all sets and places. */
void ui_browser_finish(struct ui_browser *b);
/* Before the heap is destroyed, or is another shot's: sets and places are forgotten. */
void ui_browser_forget(struct ui_screen *s);
/* Frees forgotten sets that no job of the worker can read any more; NULL: all. */
void ui_browser_sweep(struct ui_browser *b, struct ui_query_worker *worker);

/* The pane comes on screen: the shot selected in the pane of shots, else the newest. */
void ui_browser_visit(struct ui_screen *s);
/*
 * After the figures have changed: opens the first shot, if the pane is on screen and waits for one.
 * On Home opens the newest shot to show what keeps memory, unless the shot is too large.
 */
void ui_browser_await(struct ui_screen *s);
/* Opens the shot selected in the pane of shots, without going to its objects. */
void ui_browser_retained(struct ui_screen *s);
/* The objects of a class (row id; 0: all classes) of a shot. */
void ui_browser_open(struct ui_screen *s, uint32_t shot, uint64_t klass);
/* The requested shot is there; NULL: could not be read, `why`. */
void ui_browser_use(struct ui_screen *s, const struct pv_heap *heap, const char *why);

/* The directory, in the open shot, that contains the row's object. */
struct ui_browse_place ui_browser_where(const struct ui_screen *s, uint64_t row);

/* Carries out the wish, once the wish's shot is open. */
void ui_browser_grant(struct ui_screen *s);

/* Tells the pane's lists what to ask for; before they are refreshed. */
void ui_browser_place(struct ui_screen *s, struct ui_pane *p);

/* Bits of enum ui_reply; UI_IGNORED: not a command of the browser. */
unsigned ui_browser_command(struct ui_screen *s, enum ui_command cmd);
/* Enter on the selected row of one of the pane's lists. */
void ui_browser_enter(struct ui_screen *s);

/* Takes the text typed at the browser's prompts. */
void ui_browser_find(struct ui_screen *s, const char *text);
void ui_browser_keep(struct ui_screen *s, const char *name);
/* Takes the menu's answer; false: the menu was not about sets. */
bool ui_browser_chose(struct ui_screen *s, enum ui_menu_answer answer);

/* Only for the browser's two files and the frame. Its pane, owned by the screen, never NULL. */
struct ui_pane *ui_browser_pane(struct ui_screen *s);
/* Goes there; the present place can be gone back to. */
void ui_browser_go(struct ui_screen *s, const struct ui_browse_place *to);
/* Commands about sets of objects and merged paths. */
unsigned ui_browser_set_command(struct ui_screen *s, enum ui_command cmd);

#endif
