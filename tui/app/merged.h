/* SPDX-License-Identifier: MIT */
/*
 * All recorded processes of a folder as one log: stacks of a process stand below a frame for its
 * program, or for the process. The logs are read one after the other, into a text in memory that
 * opens like any log.
 */
#ifndef UI_MERGED_H
#define UI_MERGED_H

#include "common/base/system/processes.h"
#include "common/base/status.h"

struct ui_options;
struct pv_profile;

struct ui_merged {
	char path[40]; /* to open for as long as `fd` is open */
	int fd;
	size_t logs;     /* in the text */
	size_t unread;   /* logs that could not be read */
	size_t walls;    /* logs with samples of wall time, */
	size_t timeless; /* with samples of unknown distance */
};

/*
 * PV_PROCESSES_TOGETHER or PV_PROCESSES_EACH, if the word of --process means one of them; else 0.
 */
uint64_t ui_merged_of(const char *word);

/*
 * Makes the text. `each`: a frame for each process, else for each program. Any thread, one call at
 * a time; the list and the texts of the options are borrowed. False: *reterr, nothing was made.
 */
bool ui_merged_make(struct ui_merged *ret, const struct ui_options *o, const char *folder,
	const struct pv_processes *list, bool each, struct pv_error *reterr);
/*
 * Instead of a text: adds all figures by stack that exports have, allocations, waits and exceptions
 * included, to a profile (empty, or with a filter). *ret gets no text.
 */
bool ui_merged_profile(struct pv_profile *p, struct ui_merged *ret, const struct ui_options *o,
	const char *folder, const struct pv_processes *list, bool each, struct pv_error *reterr);
void ui_merged_close(struct ui_merged *m); /* zeroed is fine */

/*
 * Describes in one line the logs in the text and those left out; `exported`: of
 * ui_merged_profile().
 */
void ui_merged_words(const struct ui_merged *m, const struct pv_processes *list, bool exported,
	char *to, size_t room);

#endif
