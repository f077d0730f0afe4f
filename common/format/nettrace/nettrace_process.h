/* SPDX-License-Identifier: MIT */
/* Command line, system and processor of the process. Private to this folder. One thread. */
#ifndef PV_FORMAT_NETTRACE_PROCESS_H
#define PV_FORMAT_NETTRACE_PROCESS_H

#include "common/format/nettrace/nettrace_parts.h"

/* Takes the event with this information. */
void nt_process(struct pv_stream *s, struct pv_cursor *c);

#endif
