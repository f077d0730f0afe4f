/* SPDX-License-Identifier: MIT */
/* Statistics of a recording, for the command "stats": copied under the core's lock. */
#ifndef PV_PROBE_WRITER_STATS_H
#define PV_PROBE_WRITER_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/ground/probe_args.h"
#include "probe/core/scan.h"

/* Costs of recording. */
struct pvp_stats {
	struct pvp_tally tally;
	uint64_t lost;
	uint64_t start_ns, round_ns; /* ns: start of the session; the last round that was written */
	uint64_t cpu_ns;             /* of the writer's thread */
	uint64_t process_cpu_ns;     /* ns: of the whole process, writer included */
	uint64_t written;            /* bytes into the sink */
	char output[PVP_PATH_MAX];   /* name of the sink */
	char id[17];                 /* of the session, as in the log's header */
	char control[108];           /* path of the control socket, or the value asked for */
	bool plain, pipe, reader;    /* output is a name; is a pipe; has a reader, or is a file */
	uint64_t streams;            /* begun: 1, and 1 more for each hello and new reader */
	uint32_t call_ns;            /* an enter or a leave, as measured at the start */
	size_t chunks, chunks_free;
};

#endif
