/* SPDX-License-Identifier: MIT */
/*
 * Global figures over the whole recording: dense cells of a common width, which doubles when the
 * recording outgrows them. Events older than the origin count in cell 0. Part of the model: written
 * by the ingest thread, read under the lock.
 */
#ifndef PV_MODEL_TIMELINE_H
#define PV_MODEL_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

enum { PV_TIMELINE_CELLS = 4096 };
#define PV_TIMELINE_FIRST_WIDTH INT64_C(10000000) /* ns */

enum pv_track {
	PV_TRACK_HEAP, /* bytes, the cell's last resize; 0 = none: an earlier cell's holds */
	PV_TRACK_ALLOC_BYTES,
	PV_TRACK_EVENTS,
	PV_TRACK_CALLS,
	PV_TRACK_SAMPLES,
	PV_TRACK_THROWS,
	PV_TRACK_PAUSE_NS, /* split over the cells the stop covers */
	PV_TRACK_MINOR,    /* collections of generation 0 started */
	PV_TRACK_MAJOR,
	PV_TRACK_WAIT_NS, /* split likewise */
	PV_TRACK_CONTENTIONS,
	PV_TRACKS
};

struct pv_timeline {
	int64_t origin_ns; /* log clock; cell i covers origin + i * width, half-open */
	int64_t width_ns;
	size_t used; /* cells up to the newest event */
	/* private: the cell found last, [from, from + width); width 0: none */
	int64_t last_from_ns;
	uint64_t last_width_ns;
	size_t last;
	uint64_t cell[PV_TRACKS][PV_TIMELINE_CELLS];
};

#endif
