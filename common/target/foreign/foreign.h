/* SPDX-License-Identifier: MIT */
/*
 * Files and sockets of another process, by the paths that the process sees. Paths named by another
 * process, or below its root folder, are opened in this room and nowhere else: by descriptors that
 * are checked after opening, or in a child with exactly the rights of the process's user. Links,
 * mounts and names that change meanwhile lead nowhere the user could not go. Any thread; a hanging
 * child is given up after five seconds.
 */
#ifndef PV_TARGET_FOREIGN_H
#define PV_TARGET_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "common/base/status.h"

enum { PV_FOREIGN_PATH = 160, PV_FOREIGN_LONG = 4096 };

/*
 * A process, its effective user as seen from here, and whether its root or its mounts differ from
 * ours.
 */
struct pv_foreign {
	pid_t pid;
	uid_t uid;
	gid_t gid;
	bool elsewhere;
};

/* False: there is no such process. */
bool pv_foreign_look(struct pv_foreign *ret, pid_t pid);

/* The calling process, for what is made for no other. */
struct pv_foreign pv_foreign_self(void);

/*
 * Whether the process has our paths and our rights: then its paths may be shown and opened as they
 * are.
 */
bool pv_foreign_is_ours(const struct pv_foreign *f);

/* The process's number in its own pid namespace; `pid` where not known. */
long pv_foreign_inner_pid(pid_t pid);

/* The user's number in the process's user namespace; as seen from here where not known. */
uid_t pv_foreign_inner_uid(const struct pv_foreign *f);

/* A path of the process to be shown to a user: with /proc/PID/root in front where needed. */
void pv_foreign_show(const struct pv_foreign *f, const char *path, char *to, size_t room);

/* --- by descriptors */

/*
 * A folder (O_PATH), for stat of its entries, or to list by openat("."); the caller closes it. -1
 * with errno.
 */
int pv_foreign_list(const struct pv_foreign *f, const char *path);

/*
 * Connects to a Unix socket if the file is the user's, root's or ours, and the process itself is at
 * the other end. Nonblocking; the caller closes it. -1 with errno: EACCES when file or process are
 * another's, EAGAIN when the queue is full, else as connect().
 */
int pv_foreign_dial(const struct pv_foreign *f, const char *path);

/*
 * The process that listens at a socket, by a path of ours from a user: its number is 0 where not
 * visible here, its user the file's. False: PV_EIO, nothing was sent.
 */
bool pv_foreign_at(struct pv_foreign *ret, const char *path, struct pv_error *reterr);

/*
 * --- with the rights of the process's user; a relative path starts at the process's working folder
 */

/*
 * A regular file or a named pipe that the user may read, as a descriptor (O_PATH), to be opened by
 * /proc/self/fd/N; nothing was opened yet, so no writer notices. The caller closes it. -1 with
 * errno.
 */
int pv_foreign_find(const struct pv_foreign *f, const char *path);

/* A new folder (0700) of the user's with a named pipe "log" (0600). */
struct pv_foreign_folder {
	struct pv_foreign of;
	char path[PV_FOREIGN_PATH]; /* the folder, as the process sees it; "": none */
	int base, fd; /* the parent folder and this folder, which is locked while used */
	int log;      /* the pipe, as of pv_foreign_find() */
};

/*
 * Makes a folder in the folder `base`, and first removes folders there left by killed viewers of
 * this user. False: PV_EIO; then there is nothing to remove.
 */
bool pv_foreign_make(struct pv_foreign_folder *ret, const struct pv_foreign *f, const char *base,
	struct pv_error *reterr);

/*
 * Removes the pipe and the folder, if it still has its name, and closes all. A second call does
 * nothing.
 */
void pv_foreign_remove(struct pv_foreign_folder *d);

/* A copy of our own file in a folder of the user. */
struct pv_foreign_copy {
	struct pv_foreign of;
	char as[128]; /* its name; "": none */
	int folder;
};

/*
 * Copies our file `from` into the user's folder base/name, which is made (0755) where needed, must
 * be writable by no other user, and stays. An existing file with the same name and size is kept.
 * False with errno; then there is nothing to remove.
 */
bool pv_foreign_keep(struct pv_foreign_copy *ret, const struct pv_foreign *f, const char *base,
	const char *name, const char *from, const char *as);

/* Removes the copy; a process keeps the file loaded before. A second call does nothing. */
void pv_foreign_unkeep(struct pv_foreign_copy *c);

#endif
