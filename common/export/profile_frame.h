/* SPDX-License-Identifier: MIT */
/*
 * Frames of a profile: a function's name, and the line in the stack, where known. Part of a
 * profile: used by a single thread. False: out of memory only.
 */
#ifndef PV_EXPORT_PROFILE_FRAME_H
#define PV_EXPORT_PROFILE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/mem.h"

/* The lines in a profile, as far as the format has room. */
enum pv_profile_lines {
	PV_LINES_NONE,
	PV_LINES_OF_FUNCTIONS, /* lines where functions begin: the same stacks as without */
	PV_LINES_OF_FRAMES     /* also the line of each frame: a stack for each line */
};

struct pv_profile_frame {
	uint32_t text;   /* name, interned in the profile's text */
	uint32_t file;   /* likewise; 0: not known */
	uint32_t line;   /* from 1; 0: not known */
	uint32_t start;  /* line in `file` where the function begins; 0: not known */
	uint32_t before; /* private: an earlier frame of this name and line, 0: none */
};

struct pv_profile_frames {
	PV_ARRAY(struct pv_profile_frame) v; /* [0] unused */
	struct pv_map of;                    /* text << 32 | line -> newest */
};

struct pv_profile;

/* The frame of a function; | PV_FRAME_CLASS: of a class. */
bool pv_profile_frame(struct pv_profile *p, const char *name, uint32_t *ret);
/* The same function at a line of a file, as far as the profile has lines. */
bool pv_profile_frame_at(struct pv_profile *p, uint32_t frame, const char *file, uint32_t line,
	uint32_t start, uint32_t *ret);

/* A frame, a class, or for PV_FRAME_CUT a frame without a file. Good until a frame is made. */
const struct pv_profile_frame *pv_profile_frame_of(const struct pv_profile *p, uint32_t frame);
/* The name, fit to be shown, to free(); NULL: out of memory. */
char *pv_profile_text(const struct pv_profile *p, uint32_t frame);
/* The file, fit to be shown, to free(); "": not known; NULL: out of memory. */
char *pv_profile_file(const struct pv_profile *p, uint32_t frame);
/* In the order of names, files and lines; as strcmp() returns. */
int pv_profile_frame_order(const struct pv_profile *p, uint32_t a, uint32_t b);

/* Frees all. */
void pv_profile_frames_finish(struct pv_profile_frames *f);

#endif
