/* SPDX-License-Identifier: MIT */
/*
 * The program that `profview run` starts: made ready before any thread runs, started once the log's
 * reading has begun, watched while the screen is up. One of the files of tui/ that see
 * common/target.
 */
#ifndef UI_CHILD_H
#define UI_CHILD_H

#include <stdbool.h>

#include "common/base/status.h"
#include "tui/app/options.h"
#include "tui/panes/output.h"

enum { UI_CHILD_WHY = 800 }; /* PV_WORDS_WHY of common/target */

struct ui_child;

/* Whether a whole tree of processes is to be recorded: --record names a folder. */
bool ui_child_is_tree(const struct ui_options *o);

/*
 * Finds out what the command is, makes the pipe, forks the process that will start the program.
 * `screen`: the program gets a terminal of its own. NULL: *ret_exit is the exit code; `ret_why`,
 * unless empty, names a word that no probe of this program understands, and the words that are
 * understood.
 */
struct ui_child *ui_child_create(const struct ui_options *o, bool screen, int *ret_exit,
	char ret_why[UI_CHILD_WHY], struct pv_error *reterr);
void ui_child_close(struct ui_child *g); /* a running program goes on; NULL is fine */

/* Options treated otherwise than asked, or ""; never NULL, as below: owned by `g`. */
const char *ui_child_note(const struct ui_child *g);
const char *ui_child_pipe(const struct ui_child *g); /* input with the program's log */

/* Whether all processes that the program starts may be recorded, into a log each. */
bool ui_child_in_tree(const struct ui_child *g);
const char *ui_child_records(const struct ui_child *g); /* folder of these logs, or "" */
struct ui_child_heaviest {
	size_t others; /* processes besides */
	uint64_t cpu_ns;
	long pid;         /* 0: nothing is recorded so far */
	const char *path; /* path of the log, borrowed from the child; "" */
	const char *name; /* name of the program, likewise, as given */
};
/*
 * In a tree: the recorded image that used most processor time so far; while the command runs, only
 * among living processes.
 */
void ui_child_heaviest(const struct ui_child *g, struct ui_child_heaviest *ret);
/*
 * The log of the command's own process, if the command is the program meant and not a shell or the
 * like that starts it; "": not so, or not recorded so far. Never NULL, borrowed, as above.
 */
const char *ui_child_meant(const struct ui_child *g);
/*
 * Waits until a process is worth being shown, for some seconds at most; signals of the terminal go
 * to the program meanwhile.
 */
void ui_child_await_heaviest(struct ui_child *g);
bool ui_child_go(struct ui_child *g); /* false: the relay is gone */

/* With a screen: readable when there is something for ui_child_turn(). */
int ui_child_fd(const struct ui_child *g);
void ui_child_turn(struct ui_child *g);
struct ui_output *ui_child_output(struct ui_child *g); /* owned by `g`, never NULL */

struct ui_child_status {
	bool runs, ended;
	long pid;
	int exit_code; /* once ended: the program's own, 128 + signal, 126 or 127 */
	int not_run;   /* errno: why the start failed */
	int cut;       /* errno: a log could not be written whole; 0: none is known */
	int status;    /* of waitpid(2), once ended; -1: not known */
};
/* A copy of the program's state. */
void ui_child_status(const struct ui_child *g, struct ui_child_status *ret);

/* Says in one line why no log has come so far. */
void ui_child_silence(struct ui_child *g, char *to, size_t room);

/*
 * Whether the program's event stream is read, without a probe; then ui_child_shot(), with the
 * ui_child, asks for a heap shot.
 */
bool ui_child_streams(const struct ui_child *g);
bool ui_child_shot(void *child, struct pv_error *reterr);

/* Names processes under the program that have a probe but are not followed; "": none. */
void ui_child_others(const struct ui_child *g, long followed, char *to, size_t room);

/* Asks the program to end (SIGTERM) and waits a little; output printed meanwhile is taken. */
void ui_child_end(struct ui_child *g);
void ui_child_signal(struct ui_child *g, int sig);
void ui_child_resize(struct ui_child *g, int w, int h);

/* Without a screen, or after the screen has gone: waits for the end of the program or the relay. */
void ui_child_wait(struct ui_child *g);

/*
 * Limits that leave little to this process, and so to all children; false: none, as
 * pv_limits_tight().
 */
bool ui_child_limits(char *to, size_t room);

/* A process that runs already and has a probe inside: see common/target/join/join.h. */
struct ui_joined;
/* NULL: PV_EUSAGE or PV_EIO; ui_joined_leave() frees it. */
struct ui_joined *ui_child_join(
	const struct ui_options *o, char ret_why[UI_CHILD_WHY], struct pv_error *reterr);
/*
 * The same for a .NET program that connects to the socket `listener` of pv_event_door_listen();
 * `listener` is closed in any case. PV_ECANCELLED: a signal handler set *stop first.
 */
struct ui_joined *ui_child_listen(const struct ui_options *o, int listener,
	const volatile int *stop, char ret_why[UI_CHILD_WHY], struct pv_error *reterr);
/* Whether a probe will be injected without an offer of the runtime. */
bool ui_joined_injects(const struct ui_joined *j);
const char *ui_joined_note(const struct ui_joined *j); /* likewise */
const char *ui_joined_path(const struct ui_joined *j);
/* The descriptor that the path refers to, borrowed; -1: none is needed. */
int ui_joined_fd(const struct ui_joined *j);
bool ui_joined_go(struct ui_joined *j, struct pv_error *reterr);
/* Whether .NET's event stream is read; then ui_joined_shot() can ask for a heap shot. */
bool ui_joined_streams(const struct ui_joined *j);
/* Whether the recording was begun for this viewer, and ends with the viewer. */
bool ui_joined_is_ours(const struct ui_joined *j);
bool ui_joined_shot(void *joined, struct pv_error *reterr);
/* Ends the stream; events under way still come. */
void ui_joined_end(void *joined);
void ui_joined_leave(struct ui_joined *j);

#endif
