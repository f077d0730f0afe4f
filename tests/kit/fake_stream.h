/* SPDX-License-Identifier: MIT */
/* A page of events made by hand, and the rows of the fake view that are it. Included once. */
#ifndef PV_TESTS_FAKE_STREAM_H
#define PV_TESTS_FAKE_STREAM_H

#include "common/format/event.h"
#include "common/model/event_page.h"
#include "tests/kit/fake_screen.h"

enum { FAKE_EVENTS = 20, FAKE_EVENT_MS = 100 };

static struct pv_event_row fake_event[FAKE_EVENTS];
static struct pv_event_page fake_page;

/* Events 1 to 20 at 100, 200 ... ms: allocations, every fifth a throw by another thread. */
static inline void fake_stream(bool more_before, bool more_after)
{
	fake_page = (struct pv_event_page){ .row = fake_event,
		.rows = FAKE_EVENTS,
		.more_before = more_before,
		.more_after = more_after };
	size_t rows = world->rows;
	while (rows > 0 && world->row[rows - 1].view == PV_VIEW_STREAM)
		rows--;
	world->rows = rows;
	for (uint64_t i = 0; i < FAKE_EVENTS; i++) {
		bool thrown = i % 5 == 4;
		fake_event[i] = (struct pv_event_row){ .time_ns = (int64_t)(i + 1) * FAKE_EVENT_MS *
								  1000000,
			.id = i + 1,
			.kind = thrown ? PV_KIND_EXCEPTION_THROW : PV_KIND_ALLOC,
			.thread = thrown ? "pool worker" : "main",
			.line = thrown ? "object 0x10" : "App.Tile" };
		fake_add(world, (struct fake_row){ PV_VIEW_STREAM, i + 1, 0, fake_event[i].line,
					100 - i, 0, 0, NULL });
	}
	world->generation++;
	ui_stream_use(&screen, &fake_page, NULL);
	screen.stream.asked = false;
	screen.stream.read_ns = now_ns;
	show();
}

#endif
