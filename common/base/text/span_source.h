/* SPDX-License-Identifier: MIT */
/*
 * Event sources of .NET whose events are spans of work: which event begins a span, which ends it,
 * and the span's name. Layouts: the libraries' own EventSources (HttpTelemetry, HostingEventSource,
 * SqlClientEventSource). Pure: any thread; nothing is allocated. Shared by the probe and the reader
 * of event streams.
 */
#ifndef PV_BASE_SPAN_SOURCE_H
#define PV_BASE_SPAN_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pv_span_step { PV_SPAN_BEGIN, PV_SPAN_END, PV_SPAN_FAIL, PV_SPAN_STEPS };

enum { PV_SPAN_SOURCES = 4, PV_SPAN_NAME = 300 /* bytes of a name, with its zero */ };

struct pv_span_source {
	const char *provider;
	const char *what; /* kind of the spans; NULL: no spans, but activities kept across waits */
	uint64_t keywords;
	uint32_t step[PV_SPAN_STEPS]; /* ids of the events; 0: none */
	uint8_t form;                 /* private */
	bool numbered; /* begin and end have a number, not an activity of their own */
};

/* The i-th; NULL past the last. Literals. */
const struct pv_span_source *pv_span_source(size_t i);
/* By the name of the provider; NULL: none. */
const struct pv_span_source *pv_span_source_of(const char *provider);
/*
 * Whether spans of this kind end with success or failure. False: of requests, which end without
 * their status, and fail only by an exception.
 */
bool pv_span_says_failure(const char *what);

/*
 * The name of a span from the payload of its begin: UTF-8 with a zero, cut to PV_SPAN_NAME. A URL
 * ends before its question mark, literals of SQL are "?". Returns the length. *ret_ok: the payload
 * was complete.
 */
size_t pv_span_name(const struct pv_span_source *s, const uint8_t *payload, size_t n,
	char to[PV_SPAN_NAME], bool *ret_ok);
/* The number of a numbered span; *ret_failed: whether an end reports a failure. */
uint32_t pv_span_number(const uint8_t *payload, size_t n, bool *ret_failed);

#endif
