/* SPDX-License-Identifier: MIT */
/*
 * System calls on descriptors with the handling common to all inputs. Async-signal-safe, so the
 * drainer may use them after a fork; any thread.
 */
#ifndef PV_IO_FD_H
#define PV_IO_FD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* pread(2) and read(2), repeated after a signal: bytes read, 0 at the end, -1 with errno. */
ssize_t pv_fd_pread(int fd, void *to, size_t n, uint64_t at);
ssize_t pv_fd_read(int fd, void *to, size_t n);

/* Writes all `n` bytes at `at`; false with errno set when some could not be written. */
bool pv_fd_pwrite(int fd, const void *from, size_t n, uint64_t at);

/*
 * Opens or makes `name` in `folder` (AT_FDCWD: a path) for a program's output: a new file has mode
 * 0600 whatever the umask, and no link is followed. `flags` are added to O_CREAT and the like. The
 * descriptor is above the standard ones; -1 with errno.
 */
int pv_fd_create(int folder, const char *name, int flags);

/*
 * A fresh open file description for the file of `fd`, non-blocking for a pipe; -1 if the system
 * cannot make one (a socket, no /proc). Close-on-exec, and never 0, 1 or 2.
 */
int pv_fd_reopen(int fd);

/* `fd`, or a copy above 2 in its place; -1 for -1. -1, and `fd` closed, when there is no copy. */
int pv_fd_above_standard(int fd);

void pv_fd_close(int *fd); /* -1 is fine; leaves -1 */

/* Closes every descriptor from 3 up but the `n` in `keep`, which is sorted. */
void pv_fd_close_all_but(int *keep, size_t n);

#endif
