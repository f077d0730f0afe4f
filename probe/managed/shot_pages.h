/* SPDX-License-Identifier: MIT */
/*
 * Pages for a heap shot of a managed runtime, filled while the world stands still: mapped as
 * needed, since stopped threads may hold the allocator's locks, and given to the writer when
 * complete. A shot that outgrows its bounds is discarded as a whole.
 *
 * The collecting thread fills the pages, the writer's sends them; the caller hands them over.
 */
#ifndef PV_PROBE_SHOT_PAGES_H
#define PV_PROBE_SHOT_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/format/mlpd/mlpd.h"
#include "probe/core/writer.h"

enum {
	PVP_SHOT_PAGE = 1 << 20,
	PVP_SHOT_REFERENCES = 512 /* in an event; longer lists are split */
};

struct pvp_shot_page {
	struct pvp_shot_page *next;
	struct mlpd_buffer_header header;
	size_t n;
	uint8_t bytes[PVP_SHOT_PAGE - 128];
};

struct pvp_shot_pages {
	struct pvp_shot_page *first, **end, *last;
	struct mlpd_bases bases;
	size_t bytes, most; /* mapped, and at most */
	uint64_t thread;    /* of the events */
	uint64_t time;      /* ns, the probe's clock: of added events */
	bool failed;        /* something did not fit */
};

/* Empties the structure without freeing: earlier pages are the caller's to release. */
void pvp_shot_pages_begin(struct pvp_shot_pages *s, uint64_t thread, size_t most);

/*
 * Sets the event's time and adds the event; `object` is near its addresses. False: something
 * failed, now or before.
 */
bool pvp_shot_put(struct pvp_shot_pages *s, struct pv_event *ev, const struct pv_batch *pools,
	uint64_t object);

/* An event without fields; false as before. */
bool pvp_shot_put_kind(struct pvp_shot_pages *s, uint8_t kind);

/* Sends all pages to the same reader. False: the reader did not get all pages. */
bool pvp_shot_send(struct pvp_writer *w, struct pvp_shot_page *all);

/* Unmaps them and returns their bytes; NULL is none. */
size_t pvp_shot_release(struct pvp_shot_page *all);

#endif
