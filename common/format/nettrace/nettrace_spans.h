/* SPDX-License-Identifier: MIT */
/* Open spans of work in a stream. Private to this folder; one thread. */
#ifndef PV_FORMAT_NETTRACE_SPANS_H
#define PV_FORMAT_NETTRACE_SPANS_H

#include "common/base/mem.h"
#include "common/base/text/span_source.h"

enum { NT_SPANS_OPEN = 8192, NT_GUID_BYTES = 16 };

enum nt_span_state {
	NT_SPAN_OPEN,
	NT_SPAN_ENDED, /* the end came first: begin and name are not known yet */
	NT_SPAN_DUE    /* complete, given out with the next event of the thread `thread` */
};

struct nt_open_span {
	const struct pv_span_source *source;
	uint64_t id, parent; /* as in events */
	uint64_t key;        /* the activity, or the source's number */
	uint64_t since, end; /* ns; end: unless open */
	uint64_t thread;     /* on which it ended */
	uint32_t name;       /* interned */
	uint8_t state;       /* enum nt_span_state */
	bool failed;
	PV_ARRAY(uint64_t) stack; /* keys, outermost first */
};

struct pv_stream;
struct nettrace;
struct nt_blob;

/* Takes an event of a source of spans. */
void nt_span(struct pv_stream *s, const struct nt_blob *b);
/* Called before an event: adds the span of the event's activity, if any. */
void nt_span_goes_on(struct pv_stream *s, const struct nt_blob *b);
/* Called before an event: gives out finished spans of its thread. */
void nt_spans_due(struct pv_stream *s, const struct nt_blob *b);
/* Gives out the spans left at the end of the stream, one at a time; false: no more. */
bool nt_flush_span(struct pv_stream *s, uint64_t *ret_thread);
void nt_forget_spans(struct nettrace *d); /* frees all spans */

#endif
