/*
 * The launcher that this process was started under, directly or not: asked for a place to record
 * to. One connection for each image; it stays open, so that the launcher sees the image's end. One
 * thread at a time. When the launcher is gone the answer is no, and nothing else comes of it.
 */
#ifndef PV_PROBE_LAUNCHER_H
#define PV_PROBE_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/launch_wire.h"
#include "probe/core/probe_args.h"

/*
 * Path of the launcher's socket, from options that begin with "launch=PATH": false where they do
 * not. *ret_rest is what comes after it.
 */
bool pvp_launcher_of(const char *options, char to[PV_ASK_PATH], const char **ret_rest);

/*
 * Tells that an image has begun, or a child of fork. Who is recorded from its first instruction on
 * waits for the answer: `always`, or when the launcher itself is the parent. Others get
 * PV_ANSWER_LATER at once. With PV_ANSWER_YES *ret_sink is the descriptor, the caller's.
 */
enum pv_answer pvp_launcher_ask(
	const char *path, enum pv_ask_host host, enum pv_ask_kind kind, bool always, int *ret_sink);

/* An answer that was not waited for: PV_ANSWER_LATER while none has come. */
enum pv_answer pvp_launcher_heard(void);

/*
 * Waits until the process is worth it. -1: it never is, or the launcher is gone, or `given_up`, which
 * is asked ten times a second, says so.
 */
int pvp_launcher_wait(bool (*given_up)(void));

/*
 * The output option for what was given out: its path, by which it can be found again when the
 * program closes the descriptor; where the path does not lead there, the descriptor.
 */
void pvp_launcher_output(int sink, char to[PVP_PATH_MAX]);

/* The process's last words to it. */
void pvp_launcher_ends(void);

/* In a child of fork: the connection is its parent's. */
void pvp_launcher_forget(void);

/* The process ends as far as the launcher is concerned; a thread that waits for it ends its wait. */
void pvp_launcher_leave(void);

#endif
