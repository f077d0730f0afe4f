/* SPDX-License-Identifier: MIT */
/* The table of rooms, and the panes of each. */
#include "tui/panes/rooms.h"

#include <stdio.h>

const struct ui_room ui_rooms[UI_ROOMS] = {
	{ UI_CMD_HOME, "Home" },
	{ UI_CMD_CPU, "CPU" },
	{ UI_CMD_ALLOC, "Alloc" },
	{ UI_CMD_HEAP, "Heap" },
	{ UI_CMD_GC, "GC" },
	{ UI_CMD_WAITS, "Waits" },
	{ UI_CMD_REQUESTS, "Requests" },
	{ UI_CMD_ERRORS, "Errors" },
	{ UI_CMD_RUNTIME, "Runtime" },
	{ UI_CMD_EVENTS, "Events" },
};

int ui_room_of_command(enum ui_command cmd)
{
	for (int i = 0; i < UI_ROOMS; i++)
		if (ui_rooms[i].command == cmd)
			return i;
	return UI_ROOM_NONE;
}

int ui_room_of_pane(size_t pane)
{
	return ui_room_of_command(ui_pane_defs[pane].room);
}

char ui_room_key(int room)
{
	return (char)('0' + (room + 1) % UI_ROOMS);
}

size_t ui_room_first(int room)
{
	size_t i = 0;
	while (i + 1 < ui_pane_count && ui_room_of_pane(i) != room)
		i++;
	return i;
}

size_t ui_room_views(int room)
{
	size_t first = ui_room_first(room), n = 0;
	while (first + n < ui_pane_count && ui_room_of_pane(first + n) == room)
		n++;
	return n;
}

bool ui_pane_can(const struct ui_pane_def *def, unsigned groups)
{
	return !def->needs || (def->needs & groups) != 0;
}

bool ui_room_can(int room, unsigned groups)
{
	size_t first = ui_room_first(room), n = ui_room_views(room);
	for (size_t i = first; i < first + n; i++)
		if (ui_pane_can(&ui_pane_defs[i], groups))
			return true;
	return false;
}

const char *ui_pane_recorded_by(
	const struct ui_pane_def *def, enum pv_recorder by, char *to, size_t room)
{
	const char *words = def->records[by];
	if (!words)
		return pv_recorder_cannot(def->records, by, to, room);
	/* In a stream maybe none happened. */
	snprintf(to, room, "%s%s%s %s it", by == PV_RECORDER_STOCK ? "" : "profview ",
		*words == '-' ? "run " : "", words,
		by == PV_RECORDER_EVENTS ? "asks for" : "records");
	return to;
}

const char *ui_room_records(int room, enum pv_recorder by, char *to, size_t size)
{
	const char *const *words = ui_pane_defs[ui_room_first(room)].records;
	if (!words[by])
		return pv_recorder_cannot(words, by, to, size);
	snprintf(to, size, "needs %s", words[by]);
	return to;
}
