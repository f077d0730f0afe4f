/* SPDX-License-Identifier: MIT */
/*
 * Events after which a call may mean something else: a run of buffers (call_summary.h) ends with
 * them. Questions about one event; any thread.
 */
#ifndef PV_FORMAT_RUN_END_H
#define PV_FORMAT_RUN_END_H

#include "common/format/event.h"

/* Whether keys may mean something else after the event, which removes their objects. */
static inline bool pv_is_unload(const struct pv_event *e)
{
	return e->kind == PV_KIND_METHOD_FREE || e->kind == PV_KIND_CLASS_UNLOAD ||
	       e->kind == PV_KIND_IMAGE_UNLOAD || e->kind == PV_KIND_ASSEMBLY_UNLOAD ||
	       e->kind == PV_KIND_DOMAIN_UNLOAD;
}

/* Whether a run ends with the event's buffer, whatever else the buffer contains. */
static inline bool pv_ends_run(const struct pv_event *e)
{
	return pv_is_unload(e) || e->kind == PV_KIND_SYNC_POINT ||
	       e->kind == PV_KIND_THREAD_START || e->kind == PV_KIND_THREAD_END;
}

#endif
