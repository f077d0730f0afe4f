/* SPDX-License-Identifier: MIT */
/*
 * The probes inside a profview that was built as one file. They are written into a folder of the
 * user's own (0700), named after their content, and stay there: programs may load them after
 * profview has ended. Any thread.
 */
#ifndef PV_TARGET_CARRIED_H
#define PV_TARGET_CARRIED_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/status.h"
#include "common/target/process/program.h"

/* A carried file or a link; made by carry.py. The last entry has no name. */
struct pv_carried_file {
	const char *name; /* with folders */
	const char *link; /* target of a link; NULL: a file */
	const unsigned char *bytes;
	size_t n;
};
extern const struct pv_carried_file pv_carried_files[];
extern const char pv_carried_hash[]; /* of all of them; "": this program carries none */

/* Whether a file of this name is carried. */
bool pv_carried_has(const char *name);

/*
 * Writes all files that are missing or changed, and gives the path of the carried file `name`.
 * False: PV_EIO, no place takes them, or code may be loaded from none.
 */
bool pv_carried_put(const char *name, char to[PV_PROGRAM_PATH], struct pv_error *reterr);

#endif
