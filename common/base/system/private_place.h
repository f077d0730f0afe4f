/* SPDX-License-Identifier: MIT */
/*
 * Folders for the user's own caches, states and settings, from the environment. A folder of another
 * user, as root may find there, does not count. Any thread.
 */
#ifndef PV_BASE_PRIVATE_PLACE_H
#define PV_BASE_PRIVATE_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum pv_private_place {
	PV_PRIVATE_CACHE,  /* $XDG_CACHE_HOME, else ~/.cache */
	PV_PRIVATE_STATE,  /* $XDG_STATE_HOME, else ~/.local/state */
	PV_PRIVATE_CONFIG, /* $XDG_CONFIG_HOME, else ~/.config */
};

/*
 * A descriptor of the nearest existing folder of the place, even another user's; the caller closes
 * the descriptor. -1: the environment names none, or the folder cannot be opened. The path
 * (*ret_all characters) is cut at *ret_at, and before each further missing folder.
 */
int pv_private_nearest(
	enum pv_private_place place, char ret_path[PATH_MAX], size_t *ret_all, size_t *ret_at);

/* Whether the nearest folder is another user's. */
bool pv_private_is_foreign(enum pv_private_place place);

#endif
