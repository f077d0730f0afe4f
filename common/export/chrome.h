/* SPDX-License-Identifier: MIT */
/* A timeline as Chrome's trace events, for Perfetto, speedscope and Firefox. One thread. */
#ifndef PV_EXPORT_CHROME_H
#define PV_EXPORT_CHROME_H

#include "common/export/export.h"
#include "common/model/timed.h"

struct pv_chrome {
	struct pv_timed_list *timed; /* sorted in place */
	struct pv_model *model; /* of the range: threads, collections, pauses; locked meanwhile */
	const struct pv_export_about *about;
};

/*
 * Writes the timeline; bytes depend on the log only. PV_EUSAGE for more events than a viewer can
 * take, with a range that would fit, or for none; PV_ENOMEM; PV_EOUTPUT. `out` is flushed.
 */
bool pv_chrome_write(const struct pv_chrome *c, FILE *out, struct pv_error *reterr);
/* Into a new file, as pv_export_file(). */
bool pv_chrome_file(const struct pv_chrome *c, const char *path, struct pv_error *reterr);

/* One sentence on events not exported, in `text`. */
void pv_chrome_lacks(const struct pv_chrome *c, char *text, size_t size);

#endif
