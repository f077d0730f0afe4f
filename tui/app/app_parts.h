/* SPDX-License-Identifier: MIT */
/* Private to the files of the program around the screen. One thread. */
#ifndef UI_APP_PARTS_H
#define UI_APP_PARTS_H

#include <event2/event.h>

#include "tui/app/app.h"
#include "common/query/groups/groups_cache.h"
#include "tui/draw/query_worker.h"
#include "tui/draw/settings.h"
#include "tui/feed/feed_tell.h"
#include "tui/app/pace.h"
#include "tui/feed/loader.h"
#include "tui/screen/screen.h"
#include "tui/terminal/term.h"

enum { UI_APP_SIGNALS = 6 };
enum { UI_APP_AHEAD = 64 }; /* keys typed before there is anything for them to act on */

struct pv_processes;

struct old_list {
	struct pv_processes *list;
	uint64_t number; /* of the last job that may read the list */
};

struct app {
	struct ui_feed *feed, **place; /* `place` is where the caller keeps the feed */
	struct ui_feed
		*next; /* of another process of the folder, to be taken with the next frame */
	const struct ui_options *options;
	const struct ui_feed *complained; /* already reported to be no log */
	char *old_path;                   /* of the feed before `next` */
	PV_ARRAY(struct old_list) old_lists;
	struct ui_term *term;
	struct ui_child *child; /* the program started from here, or NULL */
	struct ui_screen screen;
	struct ui_settings settings; /* the screen has them */
	struct event_base *base;
	struct ui_query_worker *worker; /* NULL: the model is asked on this thread */
	struct pv_groups_cache *groups; /* of all questions; outlives the worker */
	struct ui_request decay, zero, costs;
	struct ui_request merging; /* of all processes of the folder */
	char others[220];          /* processes not followed, as last said */
	bool chosen;               /* the user chose another process than the first shown */
	long heavier;              /* pid last said to use more processor time; 0: none */
	unsigned polls;            /* for them */
	struct ui_stats stats;     /* the last answer */
	int64_t stats_ns;          /* when `stats` were asked for; 0: never */
	struct ui_loader loader[UI_LOADERS];
	struct event *keys, *words, *quiet, *look;
	struct ui_pace pace;
	struct event *signal[UI_APP_SIGNALS];
	struct pv_model *model;
	uint64_t models; /* as the status said when `model` was adopted */
	struct ui_feed_status status;
	bool unheard; /* the status was being changed when last asked for: another frame is
		       * needed */
	int ahead[UI_APP_AHEAD];
	size_t aheads;
	int64_t begun_ns;
	int exit_code;
};

/* A job for the worker's thread. */
struct order {
	struct ui_job job;
	struct ui_feed *feed;
	bool more; /* of the window's decay: the window is not empty yet */
	bool heard;
	struct ui_stats stats;
};
void ui_app_order(struct app *a, struct ui_request *slot, void (*run)(struct ui_job *));

int64_t ui_app_now(void); /* ns; pace.c */
/* For libevent. */
static inline struct timeval ui_app_timeval(int64_t ms)
{
	return (struct timeval){ .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };
}
void ui_app_draw(struct app *a); /* a frame of what there is now */
/* Makes the worker and the screen. False: PV_ENOMEM. */
bool ui_app_open_screen(struct app *a, const struct ui_options *o, struct pv_error *reterr);
/* Presses the keys given on the command line. False: a key left, or does not exist. */
bool ui_app_press(struct app *a, const char *keys, struct pv_error *reterr);

/*
 * editor.c: opens the file of the screen's wish in the user's editor; waits for the editor's end.
 */
void ui_app_edit(struct app *a);

/* app_settings.c: what the user has set. NULL: nothing. */
struct ui_conf;
struct ui_term_options ui_app_term_options(const struct ui_options *o);
void ui_app_take_settings(struct app *a, const struct ui_options *o);
void ui_app_save_settings(struct app *a); /* into profview.conf, if the user asked for that */

/* app_folder.c: a recording that is a folder. */
void ui_app_show_folder(struct app *a); /* the folder's list, to the screen */
/* Reads the folder's list anew now and then, while followed; false: out of memory. */
bool ui_app_watch_folder(struct app *a);
void ui_app_choose(struct app *a);      /* opens the log of the chosen process */
void ui_app_take_merged(struct app *a); /* if all processes have been read together by now */
bool ui_app_take_next(struct app *a);   /* false: questions about the log before are still open */
/* Whether there is nothing to show at all. For a log of a folder only the message says so. */
bool ui_app_has_no_log(struct app *a);
void ui_app_cancel_jobs(struct app *a);  /* cancels jobs that act on the feed */
void ui_app_close_folder(struct app *a); /* once there is no worker any more */

/* app_child.c: the program that writes the log. */
int ui_app_code(const struct app *a);       /* exit code: the program's, if started here */
void ui_app_leave(struct app *a, int code); /* ends the loop; code: to exit with */
void ui_app_end_program(struct app *a);
/*
 * The terminal is gone, and the screen with it: recording into a file still goes on until the
 * program ends.
 */
void ui_app_record_on(struct app *a);
void ui_app_make_cheaper(struct app *a);
void ui_app_make_whole(struct app *a);
void ui_app_watch_cost(struct app *a);  /* after a frame */
bool ui_app_watch_child(struct app *a); /* false: out of memory */

#endif
