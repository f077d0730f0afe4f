/* SPDX-License-Identifier: MIT */
/*
 * How the .NET runtime finds the profiler: variables set for a program to be started, and the
 * answers of the profiler. All of the runtime's own variables must be set; the path is absolute.
 */
#ifndef PV_BASE_CORECLR_H
#define PV_BASE_CORECLR_H

#define PV_CORECLR_ENABLE   "CORECLR_ENABLE_PROFILING" /* "1" */
#define PV_CORECLR_PROFILER "CORECLR_PROFILER"         /* PV_CORECLR_GUID */
#define PV_CORECLR_PATH     "CORECLR_PROFILER_PATH"
#define PV_CORECLR_LIBRARY  "libprofview-coreclr.so"

#define PV_CORECLR_GUID "{6D2B0F64-91C7-4E5A-8B3D-2F70726F6676}"

/* The GUID in memory and on the diagnostics socket. */
#define PV_CORECLR_GUID_BYTES                                                                      \
	{ 0x64, 0x0f, 0x2b, 0x6d, 0xc7, 0x91, 0x5a, 0x4e, 0x8b, 0x3d, 0x2f, 0x70, 0x72, 0x6f,      \
		0x66, 0x76 }

/* Events to record: "nodefaults,calls,output=app.mlpd", in the words for Mono. */
#define PV_CORECLR_OPTIONS "PROFVIEW_OPTIONS"

/*
 * The HRESULT of a probe that refuses to join: PV_CORECLR_FILTERED plus the index in
 * asked_calls.def of the system call that a seccomp filter forbids; an index past the table:
 * clone3.
 */
#define PV_CORECLR_FILTERED      0xa0f30000u
#define PV_CORECLR_FILTERED_CALL 0x00000fffu

/*
 * The option with which the probe only asks whether a filter forbids the runtime's calls for
 * writing events. The probe then always refuses, with PV_CORECLR_FILTERED_CALL if nothing is
 * forbidden.
 */
#define PV_CORECLR_ASK "ask"

#endif
