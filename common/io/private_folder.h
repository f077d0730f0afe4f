/* SPDX-License-Identifier: MIT */
/*
 * Folders of the user's own, for data kept between runs: no other user can write there, and nothing
 * in them is reached by a symbolic link. Any thread.
 */
#ifndef PV_IO_PRIVATE_FOLDER_H
#define PV_IO_PRIVATE_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/system/private_place.h"

enum { PV_PRIVATE_KEY = 32 /* bytes */, PV_PRIVATE_RANDOM = 17 /* a random name, with its NUL */ };

/*
 * A descriptor of the folder `profview` in the place, made (0700) if need be. -1: the environment
 * names no place, or its nearest existing folder is another user's. The caller closes the
 * descriptor.
 */
int pv_private_top(enum pv_private_place place);

/*
 * A descriptor of the folder `name` below the former, made (0700) if need be; -1 likewise, and when
 * it is another user's. Permissions of others are taken away. The caller closes the descriptor.
 */
int pv_private_folder(enum pv_private_place place, const char *name);

/*
 * The random key of a folder, in its file `key` (0600), made at first use. A key of a wrong size,
 * owner or mode is replaced. False when there can be none.
 */
bool pv_private_key(int folder, uint8_t ret_key[PV_PRIVATE_KEY]);

/*
 * A new file (0600) with a random name that begins with `prefix`, for writing and reading; -1 with
 * errno. The name goes to `ret_name` (`room` bytes).
 */
int pv_private_create(int folder, const char *prefix, char *ret_name, unsigned room);

/* Opens an existing file for reading: regular, the user's own, of mode 0600. -1 otherwise. */
int pv_private_open(int folder, const char *name);

#endif
