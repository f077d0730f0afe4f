/* SPDX-License-Identifier: MIT */
/*
 * The stored bytes of a regular file, finished or followed. Private to common/io, below source.h,
 * whose rules on threads hold here too.
 */
#ifndef PV_IO_SOURCE_FILE_H
#define PV_IO_SOURCE_FILE_H

#include "common/io/source.h"

struct pv_file;

/*
 * Takes over `fd`, also on failure; NULL: PV_ENOMEM. An `fd` of -1 means that `path` does not exist
 * yet (follow only). With `path` NULL (standard input) the file cannot be replaced. Reading starts
 * at the descriptor's own position.
 */
struct pv_file *pv_file_open(int fd, const char *path, int epoll_fd, struct pv_error *reterr);
void pv_file_close(struct pv_file *f);

/* As pv_source_read(); without follow never NOTHING or RESTART, and GAP for a hole. */
enum pv_read pv_file_read(
	struct pv_file *f, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr);

/*
 * Once true, a pipe has appeared where the file was awaited; *ret_fd is its open read end, and only
 * pv_file_close() may be called.
 */
bool pv_file_is_pipe(struct pv_file *f, int *ret_fd);

/* Reading goes on at `offset` of the stored bytes. */
void pv_file_seek(struct pv_file *f, uint64_t offset);

/* As pv_source_set_target(). */
void pv_file_set_target(struct pv_file *f, uint32_t pid);

/* As pv_source_is_written(). */
bool pv_file_is_written(const struct pv_file *f, uint32_t pid);

/* 0: unknown. */
long pv_file_writer(const struct pv_file *f);

uint64_t pv_file_size(const struct pv_file *f); /* bytes, as known at the last read */
int pv_file_fd(const struct pv_file *f);        /* borrowed; -1 when there is no file */
bool pv_file_exists(const struct pv_file *f);   /* false: still awaited */

/* As pv_source_wait_clear(), for an inotify descriptor. */
void pv_file_wait_clear(int inotify_fd);

#endif
