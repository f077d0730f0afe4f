/* SPDX-License-Identifier: MIT */
/* Words for the sources of GC roots. */
#include "common/query/root_text.h"

static const char *const source_text[PV_ROOT_SOURCES] = { [PV_ROOT_EXTERNAL] = "external",
	[PV_ROOT_STACK] = "stack",
	[PV_ROOT_FINALIZER] = "finalizer queue",
	[PV_ROOT_STATIC] = "static field",
	[PV_ROOT_THREAD_STATIC] = "thread static",
	[PV_ROOT_CONTEXT_STATIC] = "context static",
	[PV_ROOT_HANDLE] = "gc handle",
	[PV_ROOT_JIT] = "jit",
	[PV_ROOT_THREADING] = "threading",
	[PV_ROOT_DOMAIN] = "domain",
	[PV_ROOT_REFLECTION] = "reflection",
	[PV_ROOT_MARSHAL] = "marshalling",
	[PV_ROOT_THREAD_POOL] = "thread pool",
	[PV_ROOT_DEBUGGER] = "debugger",
	[PV_ROOT_HANDLE_STACK] = "handle stack",
	[PV_ROOT_EPHEMERON] = "ephemeron",
	[PV_ROOT_TOGGLEREF] = "toggle ref",
	[PV_ROOT_OTHER] = "other",
	[PV_ROOT_MISC] = "misc",
	[PV_ROOT_UNKNOWN] = "(in no area told)" };

const char *pv_root_source_text(enum pv_root_source source)
{
	return source_text[source < PV_ROOT_SOURCES ? source : PV_ROOT_UNKNOWN];
}
