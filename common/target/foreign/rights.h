/* SPDX-License-Identifier: MIT */
/*
 * Work on the files of another process in a child with the rights of the process's user, or right
 * here where the rights are ours. Any thread; the child is single-threaded and holds only the
 * descriptors it needs.
 */
#ifndef PV_TARGET_RIGHTS_H
#define PV_TARGET_RIGHTS_H

#include "common/target/foreign/foreign.h"

enum { PV_RIGHTS_FDS = 3 };

/* The tree for looking up paths. */
struct pv_tree_of {
	int root;    /* of the process (O_PATH); -1: our root */
	int working; /* the process's working folder (O_PATH); -1: unknown */
	int self;    /* /proc/self/fd of a child with other rights; -1: the rights are our own */
};

/*
 * Opens a path in the tree, never by a link of /proc to a descriptor. The caller closes it. -1 with
 * errno.
 */
int pv_rights_open(const struct pv_tree_of *t, const char *path, int flags);

/*
 * Some work: `what` are `size` plain bytes (2,304 at most) copied there and back, `fds` descriptors
 * to work with (-1: none), replaced by those handed back. Returns 0 or an errno.
 */
typedef int pv_rights_work(const struct pv_tree_of *t, void *what, int fds[PV_RIGHTS_FDS]);

/*
 * Runs the work. The descriptors in `fds` stay the caller's; *ret_fds are the caller's to close, -1
 * where there is none. False with errno: the work's, ETIMEDOUT when the child hung, EPERM when the
 * process's user has changed. Without a process (pid 0) with the rights of the user, on the
 * descriptors in `fds`.
 */
bool pv_rights_do(const struct pv_foreign *f, pv_rights_work *work, void *what, size_t size,
	const int fds[PV_RIGHTS_FDS], int ret_fds[PV_RIGHTS_FDS]);

#endif
