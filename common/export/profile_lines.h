/* SPDX-License-Identifier: MIT */
/*
 * Samples of a profile by the lines of their frames: compares the model's tree of places (places.h)
 * with the call tree, frame by frame. Under the model's lock; a single thread. False: out of
 * memory.
 */
#ifndef PV_EXPORT_PROFILE_LINES_H
#define PV_EXPORT_PROFILE_LINES_H

#include "common/export/profile.h"

struct pv_call_copy;

struct pv_profile_by_lines {
	struct pv_profile *p;
	struct pv_model *m;
	const struct pv_call_copy *copy;
	const uint32_t *frame; /* by node of the copy: the frame without a line */
	uint64_t *left;        /* by node of the copy: samples whose lines are not known yet */
	uint32_t *node_of; /* by node of the places: node of the profile, 0: not known; filled */
	/* Samples of a node of the profile. */
	bool (*count)(void *ctx, uint32_t node, uint64_t samples);
	void *ctx;
};

/* Counts the samples with known lines, and takes them off `left`. */
bool pv_profile_by_lines(const struct pv_profile_by_lines *b);

#endif
