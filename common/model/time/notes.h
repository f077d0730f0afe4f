/* SPDX-License-Identifier: MIT */
/*
 * Facts of a log that are not figures: marks of the program, native symbols and binaries, sync
 * points, the source of samples. Part of the model: written by the ingest thread, read under the
 * lock. Times are ns on the log's clock.
 */
#ifndef PV_MODEL_NOTES_H
#define PV_MODEL_NOTES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"

enum {
	PV_MARKS_CAP = 1 << 16,
	PV_NATIVES_CAP = 1 << 16,
	PV_SYNC_TYPES = 4,
	PV_HIT_TYPES = 8,
	PV_UNREAD_CAP = 128
};

struct pv_mark {
	int64_t time_ns;
	uint64_t thread; /* native id */
	uint32_t text;   /* interned */
};

/* A symbol or binary from the log; names for samples are looked up elsewhere. */
struct pv_native {
	uint64_t address, size;
	uint64_t file_offset; /* of a binary */
	int64_t time_ns;
	uint32_t name; /* interned; of a binary: its path */
	bool binary;   /* else a symbol */
};

/* Events in the log that no view shows, by name. */
struct pv_unread {
	uint64_t events;
	uint32_t name; /* interned; beyond PV_UNREAD_CAP names "(other)" */
	bool known;    /* known to the reader, and left out */
};

struct pv_notes {
	PV_ARRAY(struct pv_mark) mark;     /* in file order */
	PV_ARRAY(struct pv_native) native; /* in file order */
	uint64_t marks, symbols, binaries; /* met, also beyond the limits */
	uint64_t sync[PV_SYNC_TYPES];      /* periodic, world stop, world start, others */
	uint64_t hits[PV_HIT_TYPES]; /* by the sample type of data versions 4 to 13; [7] others */
	PV_ARRAY(struct pv_unread) unread; /* in order of appearance */
};

#endif
