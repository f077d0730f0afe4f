/*
 * Two heap shots compared, object by object, and the growth ladder: which shots, what makes an
 * object the same, and what the lists of the two panes ask for. identity_loader.c matches the
 * objects. The screen's thread. Times are ns.
 */
#ifndef UI_COMPARE_H
#define UI_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "tui/draw/commands.h"
#include "tui/draw/list.h"

#define UI_NO_SHOT UINT32_MAX

struct ui_pane;
struct ui_screen;

struct ui_compare {
	bool asked;          /* other shots are wanted than are known: identity_loader.c */
	bool cancelled;      /* the result is not wanted any more */
	uint32_t base, shot; /* wanted; UI_NO_SHOT: the first, the last */
	bool by_address;
	bool single;    /* wanted by a flame: only who is alive at the shot matters */
	bool held;      /* reading was cancelled: only the user begins it again */
	bool due;       /* it is to begin again by itself, a little later */
	uint64_t shots; /* whole ones there were when it was asked */
	int64_t asked_ns, took_ns, ended_ns; /* by the clock of ui_screen_update() */
	enum ui_compare_rows { UI_ROWS_CLASSES, UI_ROWS_STACKS, UI_ROWS_THREADS, UI_ROWS } rows;
};

/* Whether the pane is one of the two. */
bool ui_compare_has(const struct ui_pane *p);
/* Whether it is a flame of what is alive at a shot. */
bool ui_compare_flames(const struct ui_pane *p);
/* Whether that, or the pane of survival: what is followed to one shot serves it. */
bool ui_compare_to_one(const struct ui_pane *p);

/*
 * One of them comes on screen: the marked base and the selected shot, else the first and the last.
 */
void ui_compare_visit(struct ui_screen *s);
/* The comparison asked for; NULL: there is none, `why` says the reason. */
void ui_compare_use(struct ui_screen *s, const struct pv_identity *identity, struct pv_model *model,
	const char *why);
/* All answers that came from it go. */
void ui_compare_forget(struct ui_screen *s);

/*
 * Tells the pane's lists what to ask for, or has objects followed to the shot that a flame is of;
 * before they are refreshed.
 */
void ui_compare_place(struct ui_screen *s, struct ui_pane *p);

/* Bits of enum ui_reply; UI_IGNORED: not one of its commands. */
unsigned ui_compare_command(struct ui_screen *s, enum ui_command cmd);

#endif
