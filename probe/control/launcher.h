/* SPDX-License-Identifier: MIT */
/*
 * The launcher that started this process, directly or not: asked for a place to record to. A
 * connection for each image, open to the end, so that the launcher sees the image's end. For a
 * single thread at a time. Without a launcher the answer is no, without further effects.
 */
#ifndef PV_PROBE_LAUNCHER_H
#define PV_PROBE_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/launch_wire.h"
#include "probe/ground/probe_args.h"

/*
 * Path of the launcher's socket, from options that begin with "launch=PATH": false if they do not.
 * *ret_rest is the text after the path.
 */
bool pvp_launcher_of(const char *options, char to[PV_ASK_PATH], const char **ret_rest);

/*
 * Reports the start of an image, or of a child of fork. To be recorded from the first instruction,
 * a process waits for the answer: if `always`, or if the launcher itself is the parent. Else
 * PV_ANSWER_LATER at once. With PV_ANSWER_YES *ret_sink is the descriptor, the caller's.
 */
enum pv_answer pvp_launcher_ask(
	const char *path, enum pv_ask_host host, enum pv_ask_kind kind, bool always, int *ret_sink);

/* Reads an answer not waited for: PV_ANSWER_LATER: none yet. */
enum pv_answer pvp_launcher_heard(void);

/*
 * Reports that the process is worth recording, and waits for a descriptor. -1: refused, the
 * launcher is gone, or `given_up`, called ten times a second, returned true.
 */
int pvp_launcher_wait(bool (*given_up)(void));

/*
 * The output option for the descriptor: the file's path, so that the file can be reopened if the
 * program closes the descriptor; if the path does not lead to the file, the descriptor.
 */
void pvp_launcher_output(int sink, char to[PVP_PATH_MAX]);

/* The process's farewell to the launcher. */
void pvp_launcher_ends(void);

/* In a child of fork: the connection is the parent's. */
void pvp_launcher_forget(void);

/* For the launcher the process ends here; a thread waiting for the launcher stops waiting. */
void pvp_launcher_leave(void);

#endif
