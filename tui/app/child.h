/*
 * The program that `profview run` starts: made ready before any thread runs, started once its log
 * is being read, watched while the screen is up. One of the files of tui/ that see common/target.
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
 * Finds out what the command is, makes the pipe, forks the process that will start it. `screen`: it
 * gets a terminal of its own. NULL: *ret_exit is what to exit with; `ret_why`, unless empty, is a
 * word that no probe of this program understands and what would be understood.
 */
struct ui_child *ui_child_create(const struct ui_options *o, bool screen, int *ret_exit,
	char ret_why[UI_CHILD_WHY], struct pv_error *reterr);
void ui_child_close(struct ui_child *g); /* the program goes on if it still runs; NULL is fine */

/* Options treated otherwise than asked, or ""; never NULL, as below: owned by `g`. */
const char *ui_child_note(const struct ui_child *g);
const char *ui_child_pipe(const struct ui_child *g); /* input that its log comes from */

/* Whether all processes that it starts may be recorded, into a log each. */
bool ui_child_in_tree(const struct ui_child *g);
const char *ui_child_records(const struct ui_child *g); /* the folder of those logs, or "" */
struct ui_child_heaviest {
	size_t others; /* processes besides */
	uint64_t cpu_ns;
	long pid;         /* 0: nothing is recorded so far */
	const char *path; /* its log, borrowed from the child; "" */
	const char *name; /* of its program, likewise, as it came */
};
/*
 * Of a tree: the recorded image that used most processor time so far; while the command runs, of
 * those that live.
 */
void ui_child_heaviest(const struct ui_child *g, struct ui_child_heaviest *ret);
/*
 * The log of the command's own process, where that is the program meant and no shell or the like that
 * starts it; "": not so, or not recorded so far. Never NULL, borrowed, as above.
 */
const char *ui_child_meant(const struct ui_child *g);
/*
 * Waits until one is worth being looked at, for some seconds at most; a signal of the terminal goes
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
	int exit_code; /* once it ended: its own, 128 + signal, 126 or 127 */
	int not_run;   /* errno: why it could not be started */
	int cut;       /* errno: a log could not be written whole; 0: none is known */
	int status;    /* of waitpid(2), once it ended; -1: it is not known */
};
/* A copy of its state. */
void ui_child_status(const struct ui_child *g, struct ui_child_status *ret);

/* Why no log has come so far; one line. */
void ui_child_silence(const struct ui_child *g, char *to, size_t room);

/* Further processes under it that have a probe but are not followed; "" when there are none. */
void ui_child_others(const struct ui_child *g, long followed, char *to, size_t room);

/* Asks it to end (SIGTERM) and waits a little; what it printed meanwhile is taken. */
void ui_child_end(struct ui_child *g);
void ui_child_signal(struct ui_child *g, int sig);
void ui_child_resize(struct ui_child *g, int w, int h);

/* Without a screen, or when there is none any more: waits for its end, or that of the relay. */
void ui_child_wait(struct ui_child *g);

/* Limits that leave little to this process, and so to all that it starts; false: none, as pv_limits_tight(). */
bool ui_child_limits(char *to, size_t room);

/* A process that runs already and has a probe inside: see common/target/join.h. */
struct ui_joined;
/* NULL: PV_EUSAGE or PV_EIO; ui_joined_leave() frees it. */
struct ui_joined *ui_child_join(
	const struct ui_options *o, char ret_why[UI_CHILD_WHY], struct pv_error *reterr);
/*
 * The same for a .NET program that calls at the socket `listener` of pv_event_door_listen(), which
 * is closed in any case. PV_ECANCELLED: a signal handler set *stop first.
 */
struct ui_joined *ui_child_listen(const struct ui_options *o, int listener,
	const volatile int *stop, char ret_why[UI_CHILD_WHY], struct pv_error *reterr);
/* Whether a probe will be put in that the runtime does not offer to take. */
bool ui_joined_injects(const struct ui_joined *j);
const char *ui_joined_note(const struct ui_joined *j); /* likewise */
const char *ui_joined_path(const struct ui_joined *j);
/* The descriptor that the path is of, borrowed; -1: it needs none. */
int ui_joined_fd(const struct ui_joined *j);
bool ui_joined_go(struct ui_joined *j, struct pv_error *reterr);
/* Whether .NET's event stream is read; then a heap shot can be asked for: `joined` is its ui_joined. */
bool ui_joined_streams(const struct ui_joined *j);
/* Whether the recording was begun for this viewer, and ends with it. */
bool ui_joined_is_ours(const struct ui_joined *j);
bool ui_joined_shot(void *joined, struct pv_error *reterr);
/* Ends the stream; what is left of it still comes. */
void ui_joined_end(void *joined);
void ui_joined_leave(struct ui_joined *j);

#endif
