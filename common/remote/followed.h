/* SPDX-License-Identifier: MIT */
/*
 * A log read from a given byte on, and further as it grows; a missing file is waited for. Only
 * regular files and pipes. One thread.
 */
#ifndef PV_REMOTE_FOLLOWED_H
#define PV_REMOTE_FOLLOWED_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pv_followed {
	char path[PATH_MAX]; /* "": none */
	int fd;              /* -1: not open yet */
	uint64_t at;         /* the next byte */
	bool goes_on, pipe, ended;
	uint64_t device, file;
};

/* The path need not be terminated. False: too long. */
bool pv_followed_begin(
	struct pv_followed *f, const char *path, size_t len, uint64_t at, bool goes_on);

/*
 * The next bytes; 0: none now; f->ended: none will come (the end of a pipe, or of a file that was
 * not to grow), with *ret_why (a literal) after a failure.
 */
size_t pv_followed_read(struct pv_followed *f, uint8_t *to, size_t room, const char **ret_why);

/* Nothing is followed any more. */
void pv_followed_close(struct pv_followed *f);

#endif
