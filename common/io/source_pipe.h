/* SPDX-License-Identifier: MIT */
/*
 * The stored bytes of a named pipe or standard input, through the drainer's spool. Private to
 * common/io, below source.h, whose rules on threads hold here too.
 */
#ifndef PV_IO_SOURCE_PIPE_H
#define PV_IO_SOURCE_PIPE_H

#include "common/io/source.h"

struct pv_pipe;
struct pv_spool;

/*
 * Takes over `fd`, also on failure. `standard_input`: a writer has been there. Forks.
 * `record_must_begin` false: a failure to make the record shows in the info only.
 */
struct pv_pipe_setup {
	int fd, epoll_fd;
	bool standard_input, record_must_begin;
	const struct pv_source_options *options; /* `record` is borrowed until the close */
};
/*
 * NULL: PV_EIO, PV_EBUSY, PV_EUSAGE or PV_ENOMEM, as pv_source_open(). pv_pipe_close() frees the
 * pipe.
 */
struct pv_pipe *pv_pipe_open(const struct pv_pipe_setup *setup, struct pv_error *reterr);
void pv_pipe_close(struct pv_pipe *p);

/* As pv_source_read(), and pv_source_record(). */
enum pv_read pv_pipe_read(
	struct pv_pipe *p, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr);
bool pv_pipe_record(
	struct pv_pipe *p, uint64_t from, const void *head, size_t n, struct pv_error *reterr);

/* The spool with the bytes; lives as long as `p`, and is never NULL. */
struct pv_spool *pv_pipe_spool(const struct pv_pipe *p);

/* As pv_source_wait_clear(), for the drainer's socket. */
void pv_pipe_wait_clear(struct pv_pipe *p, int epoll_fd, int socket);

/* Waits until the record has everything so far, or failed: pv_source_record_wait(). */
void pv_pipe_record_wait(struct pv_pipe *p);

/* Fills in the pipe's own fields. One thread at a time. */
void pv_pipe_info(struct pv_pipe *p, struct pv_source_info *ret);

#endif
