/* SPDX-License-Identifier: MIT */
/*
 * A recording that is a folder of logs, one for each process: the list of processes, and the log
 * that is read. The screen's thread makes all calls.
 */
#ifndef UI_FOLDER_H
#define UI_FOLDER_H

#include "common/base/system/processes.h"
#include "common/base/status.h"
#include "tui/app/merged.h"

struct ui_options;
struct ui_feed;

struct ui_folder {
	const char *path;          /* as the user named the folder; borrowed */
	struct pv_processes *list; /* owned; NULL: the input is no folder */
	uint64_t process; /* id in the list of the process being read; 0: none; all: `merged` */
	struct ui_merged merged; /* log of all processes together; `log` is its path */
	char *log;               /* path of the log being read, owned; NULL: no folder */
	uint64_t mark;           /* of the list, see pv_process_list_mark() */
	/* NULL, or called with `ctx` when the log of another process was opened */
	void (*opened)(void *ctx, struct ui_feed *feed, uint32_t pid);
	void *ctx;
};

/*
 * Reads the list and chooses the process named `process`, or (NULL) the process that used most.
 * True without a log: no process of the list was recorded. False: *reterr.
 */
bool ui_folder_open(
	struct ui_folder *f, const char *path, const char *process, struct pv_error *reterr);
void ui_folder_close(struct ui_folder *f); /* zeroed is fine */

/*
 * Opens a folder that is being recorded, and whose log `log` is read already: waits a moment at
 * most until the list has this log. False: *reterr.
 */
bool ui_folder_join(
	struct ui_folder *f, const char *path, const char *log, struct pv_error *reterr);

/*
 * True: the list has changed and was read; the caller owns the old list, *ret_old. A list that
 * cannot be read at this moment counts as unchanged.
 */
bool ui_folder_renew(struct ui_folder *f, struct pv_processes **ret_old);

/*
 * Chooses another process; `log` is then the path of its log, and the caller frees the old path,
 * *ret_old. False: *reterr, and nothing has changed.
 */
bool ui_folder_choose(struct ui_folder *f, uint64_t id, char **ret_old, struct pv_error *reterr);

/*
 * Chooses all processes: the folder takes over *m, and the caller frees the old path, *ret_old.
 * False: *reterr, and nothing has changed.
 */
bool ui_folder_choose_all(struct ui_folder *f, uint64_t id, const struct ui_merged *m,
	char **ret_old, struct pv_error *reterr);

/*
 * Goes back to the process before, because the new log could not be opened; `path` is
 * ui_folder_choose()'s *ret_old.
 */
void ui_folder_stay(struct ui_folder *f, uint64_t id, char *path);

/*
 * If `o` names a folder: `o->path` becomes the log of a process, `o->folder` becomes `f`, and the
 * choice is printed. Returns 0, or the exit code after a complaint.
 */
int ui_folder_enter(struct ui_options *o, struct ui_folder *f);

/* Says whose log of how many is read. */
void ui_folder_say(const struct ui_folder *f);

/* The report for a folder in which no process was recorded. Returns the exit code. */
int ui_folder_report(const struct ui_options *o);

#endif
