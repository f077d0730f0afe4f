/* Private to the files of the program around the screen. One thread. */
#ifndef UI_APP_PARTS_H
#define UI_APP_PARTS_H

#include <event2/event.h>

#include "tui/app/app.h"
#include "common/query/groups_cache.h"
#include "tui/draw/query_worker.h"
#include "tui/draw/settings.h"
#include "tui/app/feed_tell.h"
#include "tui/app/snapshot_loader.h"
#include "tui/app/event_loader.h"
#include "tui/app/identity_loader.h"
#include "tui/app/range_loader.h"
#include "tui/screen/screen.h"
#include "tui/app/term.h"

/*
 * Frames for keys come at once, if keys do not come faster than this, whatever else was drawn;
 * frames for answers and for data come so much later than any other.
 */
enum { KEY_FRAME_MS = 4, ANSWER_FRAME_MS = 16, DATA_FRAME_MS = 100 };
enum { UI_APP_SIGNALS = 6 };
enum { UI_APP_AHEAD = 64 }; /* keys typed before there is anything for them to act on */

struct pv_processes;

struct old_list {
	struct pv_processes *list;
	uint64_t number; /* of the last job that may read it */
};

struct app {
	struct ui_feed *feed, **place; /* the caller's, where that is */
	struct ui_feed
		*next; /* of another process of the folder, to be taken with the next frame */
	const struct ui_options *options;
	const struct ui_feed *complained; /* that it is no log, was said */
	char *old_path;                   /* of the feed before `next` */
	PV_ARRAY(struct old_list) old_lists;
	struct ui_term *term;
	struct ui_child *child; /* the program started from here, or NULL */
	struct ui_screen screen;
	struct ui_settings settings; /* the screen has them */
	struct event_base *base;
	struct ui_query_worker *worker; /* NULL: the model is asked on this thread */
	struct pv_groups_cache *groups; /* of all that is asked; outlives the worker */
	struct ui_request decay, zero, costs;
	struct ui_request merging; /* of all processes of the folder */
	char others[220];          /* processes not followed, as last said */
	bool chosen;               /* another process than that which came up, by the user */
	long heavier;              /* the process that was last said to use more; 0: none was */
	unsigned polls;            /* for them */
	struct ui_stats stats;     /* the last that was heard */
	int64_t stats_ns;          /* when it was asked for; 0: never */
	struct ui_range_loader range_loader;
	struct ui_snapshot_loader snapshot_loader;
	struct ui_identity_loader identity_loader;
	struct ui_event_loader event_loader;
	struct event *keys, *data, *answers, *frame, *refresh, *words, *quiet, *look;
	struct event *signal[UI_APP_SIGNALS];
	struct pv_model *model;
	uint64_t models; /* as the status said when `model` was adopted */
	struct ui_feed_status status;
	bool unheard; /* it was being changed when the last frame was drawn */
	int ahead[UI_APP_AHEAD];
	size_t aheads;
	int64_t begun_ns;
	int64_t drawn_ns, cost_ns; /* when, and how long it took */
	int64_t keyed_ns;          /* when a frame was last drawn for keys */
	bool keyed;                /* the next one is */
	int exit_code;
};

/* Something that is done on the worker's thread. */
struct order {
	struct ui_job job;
	struct ui_feed *feed;
	bool more; /* of the window's decay: it is not empty yet */
	bool heard;
	struct ui_stats stats;
};
void ui_app_order(struct app *a, struct ui_request *slot, void (*run)(struct ui_job *));

int64_t ui_app_now(void); /* ns */
/* For libevent. */
static inline struct timeval ui_app_timeval(int64_t ms)
{
	return (struct timeval){ .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };
}
/* A frame is to be drawn, at least so many ms after the last one. */
void ui_app_want_frame(struct app *a, int64_t gap_ms);

void ui_app_draw(struct app *a); /* a frame, now */
/* Makes the worker and the screen. False: PV_ENOMEM. */
bool ui_app_open_screen(struct app *a, const struct ui_options *o, struct pv_error *reterr);
/* Keys given on the command line, as if typed. False: one of them does not exist. */
bool ui_app_press(struct app *a, const char *keys, struct pv_error *reterr);

void ui_app_drop_loaders(struct app *a); /* with what they have shown */

/* app_settings.c: what the user has set. NULL: nothing. */
struct ui_conf;
void ui_app_take_settings(struct app *a, const struct ui_conf *conf);
void ui_app_save_settings(struct app *a); /* into the file, if that was asked for */

/* app_folder.c: recordings that are folders. */
void ui_app_show_folder(struct app *a); /* its list, to the screen */
/* Reads its list anew now and then, while it is followed; false: out of memory. */
bool ui_app_watch_folder(struct app *a);
void ui_app_choose(struct app *a);      /* opens the log of the process that is wanted */
void ui_app_take_merged(struct app *a); /* if all processes have been read together by now */
bool ui_app_take_next(struct app *a);   /* false: questions about the log before are still open */
/* Whether there is nothing to show at all. Of one log of a folder that is none only the message says so. */
bool ui_app_has_no_log(struct app *a);
void ui_app_cancel_jobs(struct app *a);  /* nothing comes of jobs that do something to the feed */
void ui_app_close_folder(struct app *a); /* once there is no worker any more */

/* app_child.c: what is done with the program that writes the log. */
int ui_app_code(const struct app *a); /* to exit with: the program's, if it was started here */
void ui_app_leave(struct app *a, int code); /* ends the loop; code: to exit with */
void ui_app_end_program(struct app *a);
/* The terminal is gone, and with it the screen: a file is recorded until the program's end all the same. */
void ui_app_record_on(struct app *a);
void ui_app_make_cheaper(struct app *a);
void ui_app_make_whole(struct app *a);
void ui_app_watch_cost(struct app *a);  /* after a frame */
bool ui_app_watch_child(struct app *a); /* false: out of memory */

#endif
