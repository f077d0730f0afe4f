/*
 * Pages that a heap shot of a managed runtime is encoded into while the world stands still: mapped
 * as needed, since the allocator's locks may be held by threads that were stopped, and given to the
 * writer when all of the shot is in. A shot that outgrows its bounds is discarded whole.
 *
 * The collecting thread fills them, the writer's sends them; the caller hands them over.
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
	PVP_SHOT_REFERENCES = 512 /* in one event; longer lists go on in further ones */
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
	uint64_t time;      /* ns, the probe's clock: of the events that are added */
	bool failed;        /* something did not fit */
};

/* An empty one; what it held is the caller's to release. */
void pvp_shot_pages_begin(struct pvp_shot_pages *s, uint64_t thread, size_t most);

/*
 * Sets the event's time and adds it; `object` is near its addresses. False: something failed, now or
 * before.
 */
bool pvp_shot_put(struct pvp_shot_pages *s, struct pv_event *ev, const struct pv_batch *pools,
	uint64_t object);

/* One of no fields; false as before. */
bool pvp_shot_put_kind(struct pvp_shot_pages *s, uint8_t kind);

/* Sends all pages to one reader. False: it did not get all of them. */
bool pvp_shot_send(struct pvp_writer *w, struct pvp_shot_page *all);

/* Unmaps them and returns their bytes; NULL is none. */
size_t pvp_shot_release(struct pvp_shot_page *all);

#endif
