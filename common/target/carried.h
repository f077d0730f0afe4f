/*
 * The probes that lie within this program, when it was built as one file: they are written into a folder
 * of the user's own (0700) that is named after their content, and stay there, since programs may load
 * them after this one has ended. Any thread.
 */
#ifndef PV_TARGET_CARRIED_H
#define PV_TARGET_CARRIED_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/status.h"
#include "common/target/program.h"

/* One of them, or a link; made by carry.py. The last one has no name. */
struct pv_carried_file {
	const char *name; /* with folders */
	const char *link; /* the path it leads to; NULL: a file */
	const unsigned char *bytes;
	size_t n;
};
extern const struct pv_carried_file pv_carried_files[];
extern const char pv_carried_hash[]; /* of all of them; "": this program carries none */

/* Whether it carries a file of that name. */
bool pv_carried_has(const char *name);

/*
 * Writes all of them where they are not yet, or other than they were made, and gives the path of the
 * one of that name, which this program carries. False: PV_EIO, no place takes them, or code may be
 * loaded from none.
 */
bool pv_carried_put(const char *name, char to[PV_PROGRAM_PATH], struct pv_error *reterr);

#endif
