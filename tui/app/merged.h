/*
 * All recorded processes of a folder as one log: what each did stands below a frame of its program, or of its own. Their
 * logs are read one after the other, into a text in memory that is read like any log.
 */
#ifndef UI_MERGED_H
#define UI_MERGED_H

#include "common/base/processes.h"
#include "common/base/status.h"

struct ui_options;
struct pv_profile;

struct ui_merged {
	char path[40]; /* to open for as long as `fd` is open */
	int fd;
	size_t logs;     /* that are in it */
	size_t unread;   /* logs that could not be read at all */
	size_t walls;    /* logs with samples of wall time, */
	size_t timeless; /* with samples of unknown distance */
};

/* The word of --process for it, PV_PROCESSES_TOGETHER or PV_PROCESSES_EACH; 0: it is another one. */
uint64_t ui_merged_of(const char *word);

/*
 * `each`: a frame for each process, else one for all of the same program. Any thread, and one call at a time; the list
 * and the texts of the options are borrowed. False: *reterr, nothing was made.
 */
bool ui_merged_make(struct ui_merged *ret, const struct ui_options *o, const char *folder,
	const struct pv_processes *list, bool each, struct pv_error *reterr);
/*
 * Instead of the text all figures by stack that exports have, allocations, waits and exceptions, too, into a profile that is
 * empty or has a filter. *ret has no text then.
 */
bool ui_merged_profile(struct pv_profile *p, struct ui_merged *ret, const struct ui_options *o,
	const char *folder, const struct pv_processes *list, bool each, struct pv_error *reterr);
void ui_merged_close(struct ui_merged *m); /* zeroed is fine */

/* One line about what is in it and what is not; `exported`: of ui_merged_profile(). */
void ui_merged_words(const struct ui_merged *m, const struct pv_processes *list, bool exported,
	char *to, size_t room);

#endif
