/* SPDX-License-Identifier: MIT */
/* When heap shots are due. */
#include "tui/draw/schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS INT64_C(1000000000)
enum { MOST = 1000000 };

static const struct ui_schedule usual[] = { { 0 }, { .every_ns = 10 * SECOND_NS },
	{ .every_ns = 60 * SECOND_NS }, { .every_collections = 10 }, { .every_collections = 100 } };

bool ui_schedule_parse(const char *text, struct ui_schedule *ret)
{
	char *unit;
	if (strcmp(text, "off") == 0) {
		*ret = (struct ui_schedule){ 0 };
		return true;
	}
	unsigned long n = strtoul(text, &unit, 10);
	if (text[0] < '0' || text[0] > '9' || n < 1 || n > MOST)
		return false;
	bool minutes = strcmp(unit, "m") == 0;
	if (strcmp(unit, "gc") == 0)
		*ret = (struct ui_schedule){ .every_collections = n };
	else if (minutes || strcmp(unit, "s") == 0)
		*ret = (struct ui_schedule){ .every_ns =
						     (int64_t)n * SECOND_NS * (minutes ? 60 : 1) };
	else
		return false;
	return true;
}

void ui_schedule_next(struct ui_schedule *w)
{
	enum { N = sizeof usual / sizeof usual[0] };
	size_t i = 0;
	while (i < N && (usual[i].every_ns != w->every_ns ||
				usual[i].every_collections != w->every_collections))
		i++;
	*w = usual[i < N ? (i + 1) % N : 0];
}

void ui_schedule_begin(struct ui_schedule *w, int64_t now_ns, uint64_t collections)
{
	w->last_ns = now_ns;
	w->last_collections = collections;
}

const char *ui_schedule_text(const struct ui_schedule *w, char *buf, size_t size)
{
	if (w->every_collections)
		snprintf(buf, size, "every %" PRIu64 " collections", w->every_collections);
	else if (w->every_ns)
		snprintf(buf, size, "every %" PRId64 " s", w->every_ns / SECOND_NS);
	else
		snprintf(buf, size, "never");
	return buf;
}

bool ui_schedule_due(
	struct ui_schedule *w, int64_t now_ns, uint64_t collections, int64_t *ret_left_ns)
{
	*ret_left_ns = 0;
	if (collections < w->last_collections) /* another recording */
		w->last_collections = collections;
	bool timed = w->every_ns && now_ns - w->last_ns >= w->every_ns;
	bool counted =
		w->every_collections && collections - w->last_collections >= w->every_collections;
	if (timed || counted) {
		ui_schedule_begin(w, now_ns, collections);
		*ret_left_ns = w->every_ns;
		return true;
	}
	if (w->every_ns)
		*ret_left_ns = w->every_ns - (now_ns - w->last_ns);
	return false;
}
