/* SPDX-License-Identifier: MIT */
/*
 * Short files named by a user or written by another process. Anything but a regular file is refused
 * before reading: a pipe would be waited for, a device never ends. Any thread.
 */
#ifndef PV_BASE_SMALL_FILE_H
#define PV_BASE_SMALL_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"

/*
 * All bytes of the file and a 0 after, to free(); *ret_len does not count the 0. NULL: PV_EIO, also
 * for files of `below` bytes (whole MiB) or more, or PV_ENOMEM.
 */
char *pv_small_file(const char *path, size_t below, size_t *ret_len, struct pv_error *reterr);
/* The same; *ret_changed_s: time of the last change, seconds since 1970. NULL likewise. */
char *pv_small_file_dated(const char *path, size_t below, size_t *ret_len, int64_t *ret_changed_s,
	struct pv_error *reterr);

#endif
