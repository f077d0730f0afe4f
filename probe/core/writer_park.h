/*
 * The ends of the writer without a stop: a call that wants the process to have one thread (writer_rest.h), and
 * the end of the program's last thread. For the writer's thread, but where another is named.
 */
#ifndef PV_PROBE_WRITER_PARK_H
#define PV_PROBE_WRITER_PARK_H

#include "probe/core/writer.h"

/* Whether it shall end now; under the core's lock, whether it shall soon. */
bool pvp_writer_parks(struct pvp_writer *w);
bool pvp_writer_parking(void);

/* True once the program's threads are gone: a worker must not keep the process, and the session ends. */
bool pvp_writer_outlived(struct pvp_writer *w);

/* Under the core's lock, any thread's: it shall end, or go on; true: it has promised to end. */
bool pvp_writer_wish_park(bool wanted);

#endif
