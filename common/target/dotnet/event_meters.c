/* SPDX-License-Identifier: MIT */
/* Arguments of the session of meters: MetricsEventSource.cs of dotnet/runtime. */
#include "common/target/dotnet/event_meters.h"

#include <stdio.h>
#include <unistd.h>

/*
 * Meters of the runtime and its libraries, from .NET 8 and 9 on, without those of the thread pool
 * and of timers, which System.Runtime's counters have, too: the first look at the pool makes an
 * event source, the source waits for an ending session, and the session for the thread of meters; a
 * program that ended in that moment hung for ever (.NET 10).
 */
#define RUNTIMES(name) "System.Runtime\\dotnet." name ","
#define METERS                                                                                     \
	RUNTIMES("gc.collections")                                                                 \
	RUNTIMES("gc.heap.total_allocated")                                                        \
	RUNTIMES("gc.last_collection.memory.committed_size")                                       \
	RUNTIMES("gc.last_collection.heap.size")                                                   \
	RUNTIMES("gc.last_collection.heap.fragmentation.size")                                     \
	RUNTIMES("gc.pause.time")                                                                  \
	RUNTIMES("jit.compiled_il.size")                                                           \
	RUNTIMES("jit.compiled_methods")                                                           \
	RUNTIMES("jit.compilation.time")                                                           \
	RUNTIMES("monitor.lock_contentions")                                                       \
	RUNTIMES("assembly.count")                                                                 \
	RUNTIMES("exceptions")                                                                     \
	RUNTIMES("process.cpu.count")                                                              \
	RUNTIMES("process.cpu.time")                                                               \
	RUNTIMES("process.memory.working_set")                                                     \
	"Microsoft.AspNetCore.Hosting,Microsoft.AspNetCore.Server.Kestrel,System.Net.Http"
enum { SERIES = 1000, HISTOGRAMS = 100 };
_Static_assert(sizeof METERS + 200 <= PV_EVENT_METER_ARGS, "they have room");

/*
 * Since .NET 8 tools share one session of meters, if they want the same limits. The client's name
 * is a new one each time: the end of a session with the old name may still be on its way.
 */
void pv_event_meter_args(char *to, size_t room, const char *more)
{
	static unsigned sessions;
	snprintf(to, room,
		"SessionId=SHARED;Metrics=" METERS "%s%s;RefreshInterval=1;MaxTimeSeries=%d;"
		"MaxHistograms=%d;ClientId=profview-%ld-%u",
		*more ? "," : "", more, SERIES, HISTOGRAMS, (long)getpid(), ++sessions);
}
