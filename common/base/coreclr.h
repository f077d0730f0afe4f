/*
 * How the .NET runtime finds our profiler: what is set for a program that is started, and what the
 * profiler answers to. All of the runtime's own variables must be set; the path is absolute.
 */
#ifndef PV_BASE_CORECLR_H
#define PV_BASE_CORECLR_H

#define PV_CORECLR_ENABLE   "CORECLR_ENABLE_PROFILING" /* "1" */
#define PV_CORECLR_PROFILER "CORECLR_PROFILER"         /* PV_CORECLR_GUID */
#define PV_CORECLR_PATH     "CORECLR_PROFILER_PATH"
#define PV_CORECLR_LIBRARY  "libprofview-coreclr.so"

#define PV_CORECLR_GUID "{6D2B0F64-91C7-4E5A-8B3D-2F70726F6676}"

/* The same as it lies in memory and on the diagnostics socket. */
#define PV_CORECLR_GUID_BYTES                                                                      \
	{ 0x64, 0x0f, 0x2b, 0x6d, 0xc7, 0x91, 0x5a, 0x4e, 0x8b, 0x3d, 0x2f, 0x70, 0x72, 0x6f,      \
		0x66, 0x76 }

/* Events to record: "nodefaults,calls,output=app.mlpd", in the words that Mono takes. */
#define PV_CORECLR_OPTIONS "PROFVIEW_OPTIONS"

/*
 * The HRESULT by which the probe refuses to join: PV_CORECLR_FILTERED and the number of the system
 * call in asked_calls.def that a seccomp filter forbids, or of none that exists: clone3.
 */
#define PV_CORECLR_FILTERED      0xa0f30000u
#define PV_CORECLR_FILTERED_CALL 0x00000fffu

/*
 * The option by which the probe only asks the filter about what the runtime calls to write events: it
 * always refuses, with PV_CORECLR_FILTERED_CALL where nothing is forbidden.
 */
#define PV_CORECLR_ASK "ask"

#endif
