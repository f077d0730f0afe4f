/*
 * .NET's own event stream, .nettrace versions 4 and 5 (what runtimes write, .NET Core 3 to 10) and 6
 * (other writers, with threads of several processes), as neutral events. It comes through the seam of the logs of 2007 (block07.h): a reader of those reads this.
 * Format: PerfView's NetTraceFormat_v5.md and NetTraceFormat.md; layouts of the runtime's events: dotnet/runtime, ClrEtwAll.man.
 *
 * Several streams of one process may follow each other, each whole: first the names, say, then what
 * was recorded, then a heap shot.
 *
 * Samples are of threads at safe points, in wall time, of managed frames only, and have at most
 * 100 frames of which the outermost ones are cut. Names mostly come last: a frame is keyed by its
 * address until the method there is known, and that key is named when it is.
 *
 * Times are ns on the writer's clock. Objects have no addresses in common with other events: classes
 * are keyed by name. Bounded: a block to PV_NETTRACE_BLOCK bytes, tables as their enums say; what
 * is beyond them is damage or has no name, and is counted.
 */
#ifndef PV_FORMAT_NETTRACE_H
#define PV_FORMAT_NETTRACE_H

#include "common/format/block07/block07.h"

enum { PV_NETTRACE_BLOCK = 64 << 20, PV_NETTRACE_SNIFF = 12 };

/* By the first PV_NETTRACE_SNIFF bytes. */
enum b07_sniffed pv_nettrace_sniff(const uint8_t *bytes, size_t n);

/* The stream reads such a file from now on; instead of b07_init(). False: out of memory. */
bool pv_nettrace_init(struct b07_stream *s);

#endif
