/*
 * A recording that is a folder of logs, one for each process: which processes there are, and the
 * log that is read. The screen's thread makes all calls.
 */
#ifndef UI_FOLDER_H
#define UI_FOLDER_H

#include "common/base/processes.h"
#include "common/base/status.h"
#include "tui/app/merged.h"

struct ui_options;
struct ui_feed;

struct ui_folder {
	const char *path;          /* as the user named it; borrowed */
	struct pv_processes *list; /* owned; NULL: the input is no folder */
	uint64_t process; /* of the list, the one whose log is read; 0: none is; all: `merged` */
	struct ui_merged merged; /* of all together; `log` is its path */
	char *log;               /* its path, owned; NULL likewise */
	uint64_t mark;           /* of the list, see pv_process_list_mark() */
	/* NULL, or called with `ctx` for the log of another process that was opened */
	void (*opened)(void *ctx, struct ui_feed *feed, uint32_t pid);
	void *ctx;
};

/*
 * Reads the list and chooses: the one that `process` names, NULL: the one that used most. A list
 * of which none was recorded gives true, and no log. False: *reterr.
 */
bool ui_folder_open(
	struct ui_folder *f, const char *path, const char *process, struct pv_error *reterr);
void ui_folder_close(struct ui_folder *f); /* zeroed is fine */

/*
 * The same of a folder that is being recorded, where the path `log` in it is read already: waits until its list has
 * that one, for a moment at most. False: *reterr.
 */
bool ui_folder_join(
	struct ui_folder *f, const char *path, const char *log, struct pv_error *reterr);

/*
 * Whether there is another list than before: then it is read, and the caller owns *ret_old, the one
 * before. What cannot be read at this moment is no other list.
 */
bool ui_folder_renew(struct ui_folder *f, struct pv_processes **ret_old);

/*
 * Another one's log, the path of which is then `log`; *ret_old, the path before, is the caller's to
 * free. False: *reterr, and nothing has changed.
 */
bool ui_folder_choose(struct ui_folder *f, uint64_t id, char **ret_old, struct pv_error *reterr);

/*
 * All of them: *m, which the folder owns from now on, and the path before is the caller's to free. False: *reterr,
 * and nothing has changed.
 */
bool ui_folder_choose_all(struct ui_folder *f, uint64_t id, const struct ui_merged *m,
	char **ret_old, struct pv_error *reterr);

/* The one before is read on: its log could not be opened. `path` is what ui_folder_choose() gave. */
void ui_folder_stay(struct ui_folder *f, uint64_t id, char *path);

/*
 * If `o` names a folder: `o->path` becomes the log in it, `o->folder` is `f`, and which one was
 * taken is said. Returns 0, or the exit code when that was complained about.
 */
int ui_folder_enter(struct ui_options *o, struct ui_folder *f);

/* Says whose log of how many is read. */
void ui_folder_say(const struct ui_folder *f);

/* The report of a folder in which no process was recorded. Returns the exit code. */
int ui_folder_report(const struct ui_options *o);

#endif
