/*
 * The program that `profview run` starts: made ready before any thread runs, started once its log
 * is being read, watched while the screen is up. One of the files of tui/ that see common/target.
 */
#ifndef UI_GUEST_H
#define UI_GUEST_H

#include <stdbool.h>

#include "common/base/status.h"
#include "tui/app/options.h"
#include "tui/panes/output.h"

enum { UI_GUEST_WHY = 600 };

struct ui_guest;

/*
 * Finds out what the command is, makes the pipe, forks whoever will start it. `screen`: it gets a
 * terminal of its own. NULL: *ret_exit is what to exit with; `ret_why`, unless empty, is a word
 * that no probe of this program understands and what would be understood.
 */
struct ui_guest *ui_guest_create(const struct ui_options *o, bool screen, int *ret_exit,
	char ret_why[UI_GUEST_WHY], struct pv_error *reterr);
void ui_guest_close(struct ui_guest *g); /* the program goes on if it still runs; NULL is fine */

/* Options treated otherwise than asked, or "". */
const char *ui_guest_note(const struct ui_guest *g);
const char *ui_guest_pipe(const struct ui_guest *g); /* input that its log comes from */
bool ui_guest_go(struct ui_guest *g);

/* With a screen: readable when there is something for ui_guest_turn(). */
int ui_guest_fd(const struct ui_guest *g);
void ui_guest_turn(struct ui_guest *g);
struct ui_output *ui_guest_output(struct ui_guest *g);

struct ui_guest_status {
	bool runs, ended;
	long pid;
	int exit_code; /* once it ended: its own, 128 + signal, 126 or 127 */
	int not_run;   /* errno: why it could not be started */
	int status;    /* of waitpid(2), once it ended; -1: it is not known */
};
void ui_guest_status(const struct ui_guest *g, struct ui_guest_status *ret);

/* Why no log has come so far; one line. */
void ui_guest_silence(const struct ui_guest *g, char *to, size_t room);

/* Further processes under it that have a probe but are not followed; "" when there are none. */
void ui_guest_others(const struct ui_guest *g, long followed, char *to, size_t room);

/* Asks it to end (SIGTERM) and waits a little; what it printed meanwhile is taken. */
void ui_guest_end(struct ui_guest *g);
void ui_guest_signal(struct ui_guest *g, int sig);
void ui_guest_resize(struct ui_guest *g, int w, int h);

/* Without a screen: waits for its end. */
void ui_guest_wait(struct ui_guest *g);

/* A process that runs already and has a probe inside: see common/target/join.h. */
struct ui_joined;
struct ui_joined *ui_guest_join(
	const struct ui_options *o, char ret_why[UI_GUEST_WHY], struct pv_error *reterr);
/* Whether a probe will be put in that the runtime does not offer to take. */
bool ui_joined_injects(const struct ui_joined *j);
const char *ui_joined_note(const struct ui_joined *j); /* likewise */
const char *ui_joined_path(const struct ui_joined *j);
bool ui_joined_go(struct ui_joined *j, struct pv_error *reterr);
void ui_joined_leave(struct ui_joined *j);

/* Its log has no writer any more: who waits for one is told. */
void ui_guest_hang_up(const struct ui_guest *g);

#endif
