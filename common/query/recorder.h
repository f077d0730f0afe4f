/* SPDX-License-Identifier: MIT */
/* The ways of recording: each can record other events, by other words. */
#ifndef PV_QUERY_RECORDER_H
#define PV_QUERY_RECORDER_H

#include <stddef.h>

struct pv_model;

enum pv_recorder {
	PV_RECORDER_MONO, /* the probe in Mono */
	PV_RECORDER_DOTNET,
	PV_RECORDER_NATIVE,
	PV_RECORDER_STOCK,  /* Mono's own profiler */
	PV_RECORDER_EVENTS, /* .NET's event stream */
	PV_RECORDER_TEXT,   /* a text of stacks, or another family */
	PV_RECORDERS
};

/* How the model's log was recorded. With the model's lock. */
enum pv_recorder pv_recorder_of(const struct pv_model *m);

/*
 * Of events, `words` to record them by each way; NULL: impossible that way. The first says which to
 * use, or what the second says: why it is impossible, and what records such a program otherwise.
 * Pure: any thread. Both return `to`, the caller's, cut to fit, never NULL.
 */
const char *pv_recorder_says(
	const char *const words[PV_RECORDERS], enum pv_recorder by, char *to, size_t room);
const char *pv_recorder_cannot(
	const char *const words[PV_RECORDERS], enum pv_recorder by, char *to, size_t room);

/* The words of .NET's probe for texts of strings in heap shots. */
#define PV_RECORDS_TEXTS "--probe heapshot,strings=64"

#endif
