/* SPDX-License-Identifier: MIT */
/*
 * Rooms: panes for one kind of question share a digit. Pure functions of the table of panes: any
 * thread.
 */
#ifndef UI_ROOMS_H
#define UI_ROOMS_H

#include "tui/panes/pane.h"

enum { UI_ROOMS = 10, UI_ROOM_NONE = -1 };

struct ui_room {
	enum ui_command command;
	const char *name;
};

/* By the digits of the keyboard: 1 to 9, then 0. */
extern const struct ui_room ui_rooms[UI_ROOMS];

/* The room that a command opens, or UI_ROOM_NONE; the room of a pane. */
int ui_room_of_command(enum ui_command cmd);
int ui_room_of_pane(size_t pane);
char ui_room_key(int room);

/* The panes of a room: the first, and how many. */
size_t ui_room_first(int room);
size_t ui_room_views(int room);

/* Whether a log with these groups has something to show there. */
bool ui_pane_can(const struct ui_pane_def *def, unsigned groups);
bool ui_room_can(int room, unsigned groups);
/*
 * For a pane with needs: how such a program is recorded so that the pane has rows, or that nothing
 * records them: "profview run --alloc records it". Returns `to`, the caller's, cut, never NULL.
 */
const char *ui_pane_recorded_by(
	const struct ui_pane_def *def, enum pv_recorder by, char *to, size_t room);
/* Likewise for a room's first view, shorter: "needs --alloc". */
const char *ui_room_records(int room, enum pv_recorder by, char *to, size_t size);

/* Whether the command leads to a room or a view. */
static inline bool ui_opens_pane(enum ui_command cmd)
{
	return (cmd >= UI_CMD_HOME && cmd <= UI_CMD_EVENTS) ||
	       (cmd >= UI_CMD_OVERVIEW && cmd <= UI_CMD_KINDS);
}

/* The groups of events that the log has, or should have. */
static inline unsigned ui_groups(const struct ui_shared *s)
{
	return s->all.recorded | s->all.enabled;
}

/* Whether there is such a pane at all. */
static inline bool ui_pane_exists(const struct ui_pane_def *def, const struct ui_shared *s)
{
	return (!def->folder || s->processes) && (!def->rare || ui_pane_can(def, ui_groups(s)));
}

#endif
