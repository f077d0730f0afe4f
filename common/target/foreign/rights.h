/*
 * Work on the files of another process in a child with the rights of that process's user, or right
 * here where they are ours. Any thread; the child is single-threaded and holds no descriptor but
 * those it needs.
 */
#ifndef PV_TARGET_RIGHTS_H
#define PV_TARGET_RIGHTS_H

#include "common/target/foreign/foreign.h"

enum { PV_RIGHTS_FDS = 3 };

/* The tree that paths are looked up in. */
struct pv_tree_of {
	int root;    /* of the process (O_PATH); -1: it is ours */
	int working; /* its working folder (O_PATH); -1: unknown */
	int self;    /* /proc/self/fd of a child with other rights; -1: the rights are our own */
};

/*
 * Opens a path there, never by a link of /proc to a descriptor. The caller closes it. -1 with
 * errno.
 */
int pv_rights_open(const struct pv_tree_of *t, const char *path, int flags);

/*
 * Some work: `what` are `size` plain bytes (2,304 at most) which are copied there and back, `fds`
 * descriptors to work with (-1: none), in the place of which it leaves those that are handed back.
 * Gives 0 or an errno.
 */
typedef int pv_rights_work(const struct pv_tree_of *t, void *what, int fds[PV_RIGHTS_FDS]);

/*
 * Does it. The descriptors in `fds` stay the caller's; *ret_fds are the caller's to close, -1 where
 * there is none. False with errno: that of the work, ETIMEDOUT when the child hung, EPERM when the
 * process's user has changed. Without a process (pid 0) with the rights of the user, on the
 * descriptors in `fds`.
 */
bool pv_rights_do(const struct pv_foreign *f, pv_rights_work *work, void *what, size_t size,
	const int fds[PV_RIGHTS_FDS], int ret_fds[PV_RIGHTS_FDS]);

#endif
