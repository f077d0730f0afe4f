/* SPDX-License-Identifier: MIT */
/*
 * The writer's end without a stop: for a call that wants a single thread in the process
 * (writer_rest.h), and after the program's last thread. By default on the writer's thread.
 */
#ifndef PV_PROBE_WRITER_PARK_H
#define PV_PROBE_WRITER_PARK_H

#include "probe/core/writer.h"

/* Whether the writer is to end now; under the core's lock: is to end soon. */
bool pvp_writer_parks(struct pvp_writer *w);
bool pvp_writer_parking(void);

/* True once the program's threads are gone: workers must end, and so does the session. */
bool pvp_writer_outlived(struct pvp_writer *w);

/* Under the core's lock, any thread: to end, or to go on. True: the end is promised already. */
bool pvp_writer_wish_park(bool wanted);

#endif
