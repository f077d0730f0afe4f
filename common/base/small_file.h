/*
 * Short files that a user names or another process wrote. What is no regular file is refused before
 * it is read: a pipe would be waited for, a device never ends. Any thread.
 */
#ifndef PV_BASE_SMALL_FILE_H
#define PV_BASE_SMALL_FILE_H

#include <stddef.h>

#include "common/base/status.h"

/*
 * All bytes of the file and a 0 after them, to free(); *ret_len: without that 0. NULL: PV_EIO, also
 * for files of `below` bytes (whole MiB) or more, or PV_ENOMEM.
 */
char *pv_small_file(const char *path, size_t below, size_t *ret_len, struct pv_error *reterr);

#endif
