/* SPDX-License-Identifier: MIT */
/*
 * The names in exports: the one place that chooses how a name of the log is written: as a
 * programmer does, or with pv_profile.raw_names unchanged. One thread uses a profile.
 */
#ifndef PV_EXPORT_FRAME_NAME_H
#define PV_EXPORT_FRAME_NAME_H

#include "common/export/profile.h"

/*
 * The frame of a method or symbol, and the class of objects, by the log's own name. False: out of
 * memory.
 */
bool pv_export_frame(struct pv_profile *p, const char *raw, uint32_t *ret);
bool pv_export_class(struct pv_profile *p, const char *raw, uint32_t *ret);

#endif
