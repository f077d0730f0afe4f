/*
 * Files and sockets of another process, by the paths that the process sees. A path that another
 * process names, or that lies below its root folder, is opened in this room and nowhere else: by
 * descriptors that are checked once they are open, or in a child that has the rights of the
 * process's user and no others. Links, mounts and names that change meanwhile lead nowhere the user
 * could not go. Any thread; a child that hangs is given up after five seconds.
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
 * A process, its effective user as seen from here, and whether its root or its mounts are not ours.
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
 * Whether its paths are ours and its rights, too: then a path of it may be shown and opened as it
 * is.
 */
bool pv_foreign_is_ours(const struct pv_foreign *f);

/* The process's number in its own pid namespace; `pid` where that is not known. */
long pv_foreign_inner_pid(pid_t pid);

/* Its user's number in its own user namespace; as seen from here where that is not known. */
uid_t pv_foreign_inner_uid(const struct pv_foreign *f);

/*
 * A path of the process as it can be shown to a user: with /proc/PID/root before it where needed.
 */
void pv_foreign_show(const struct pv_foreign *f, const char *path, char *to, size_t room);

/* --- by descriptors */

/*
 * A folder (O_PATH), to stat what is in it, or to list it by openat("."); the caller closes it. -1
 * with errno.
 */
int pv_foreign_list(const struct pv_foreign *f, const char *path);

/*
 * Connects to a Unix socket whose file is the user's, root's or ours, and at whose other end the
 * process itself is. -1 with errno: EACCES when file or process are another's, EAGAIN when its
 * queue is full, else as connect() has it. The caller closes it; it does not block.
 */
int pv_foreign_dial(const struct pv_foreign *f, const char *path);

/*
 * The process that listens at a socket which a user named by a path of ours: its number is 0 where
 * it cannot be seen here, its user the file's. False: PV_EIO, nothing was sent.
 */
bool pv_foreign_at(struct pv_foreign *ret, const char *path, struct pv_error *reterr);

/* --- with the rights of its user; a relative path goes from the process's working folder */

/*
 * A regular file or a named pipe that the user may read, as a descriptor (O_PATH) from which
 * /proc/self/fd/N opens it; nothing was opened yet, so no writer notices. The caller closes it. -1
 * with errno.
 */
int pv_foreign_find(const struct pv_foreign *f, const char *path);

/* A new folder (0700) of the user's with a named pipe "log" (0600) in it. */
struct pv_foreign_folder {
	struct pv_foreign of;
	char path[PV_FOREIGN_PATH]; /* of the folder, as the process sees it; "": there is none */
	int base, fd;               /* the folder above it, and itself, locked while it is used */
	int log;                    /* the pipe, as of pv_foreign_find() */
};

/*
 * Makes one in the folder `base`, and first removes those that viewers of that user left there when
 * they were killed. False: PV_EIO; then there is nothing to remove.
 */
bool pv_foreign_make(struct pv_foreign_folder *ret, const struct pv_foreign *f, const char *base,
	struct pv_error *reterr);

/* Removes the pipe and the folder, if it still has its name, and closes all. Again: nothing. */
void pv_foreign_remove(struct pv_foreign_folder *d);

/*
 * Copies our file `from` into the folder base/name of the user's, which is made (0755) where
 * needed, must be writable by no other user, and stays. A file of that name and size that is there
 * is kept. False with errno.
 */
bool pv_foreign_keep(const struct pv_foreign *f, const char *base, const char *name,
	const char *from, const char *as);

#endif
