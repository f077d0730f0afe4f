/* SPDX-License-Identifier: MIT */
/*
 * The launcher: answers the probes of all processes under one command, gives those worth recording
 * a file in the folder, keeps index.json there. Runs in the process that started the command,
 * called from the event loop; nothing here waits. One thread.
 */
#ifndef PV_TARGET_LAUNCH_SERVE_H
#define PV_TARGET_LAUNCH_SERVE_H

#include "common/base/status.h"
#include "common/target/launch/launch_tree.h"

/*
 * Opens the socket, and becomes the parent of orphans (subreaper). `command` ends with NULL and
 * stays borrowed. False: PV_EIO.
 */
bool pv_tree_open(struct pv_tree *t, const char *folder, const char *socket, char **command,
	struct pv_error *reterr);

/* The command runs as this process. */
void pv_tree_program(struct pv_tree *t, pid_t pid);

/* Readable when there is something for pv_tree_turn(), which is due after so many ms anyway. */
int pv_tree_fd(const struct pv_tree *t);
int pv_tree_due_ms(const struct pv_tree *t);
void pv_tree_turn(struct pv_tree *t);

/* The command was waited for, with this status of wait(2). */
void pv_tree_program_ended(struct pv_tree *t, int status);

/*
 * The recorded image with the most processor time, borrowed; NULL: none. `now`: only living ones,
 * if any is worth it. *ret_others: how many further processes there were.
 */
const struct pv_tree_row *pv_tree_heaviest(const struct pv_tree *t, bool now, size_t *ret_others);

/* The newest recorded image of the command's own process, borrowed; NULL: there is none. */
const struct pv_tree_row *pv_tree_typed(const struct pv_tree *t);

/* Whether any of the processes lives, or was not waited for. */
bool pv_tree_lives(const struct pv_tree *t);

/* Writes the index at once, closes all, removes the socket. */
void pv_tree_close(struct pv_tree *t);

/* --- between the launcher's files --- */

/* Finds processes whose probes never spoke. */
void pv_tree_scan(struct pv_tree *t);
/* Writes index.json, by rename. False with errno. */
bool pv_tree_write_index(struct pv_tree *t);
/* The same for the last time: the spare file goes. */
void pv_tree_finish_index(struct pv_tree *t);

#endif
