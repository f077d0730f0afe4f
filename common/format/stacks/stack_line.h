/* SPDX-License-Identifier: MIT */
/*
 * Lines of texts with stacks of samples. Pure: any thread. Nothing is copied: texts point into the
 * line.
 *
 * perf script, from its manual page (perf-script(1), fields comm, tid, time, event, ip, sym, dso):
 *
 *	COMM [PID/]TID [[CPU]] [SECONDS.FRACTION:] [PERIOD] EVENT: [TEXT] [IP SYMBOL (OBJECT)]
 *	<blank> IP SYMBOL[+0xOFFSET] (OBJECT)     a frame, the innermost first
 *	<blank> FILE:LINE                         source of the previous frame, with srcline
 *	<empty>                                   the sample ends
 *
 * Folded stacks, as for Brendan Gregg's FlameGraph: "outermost;...;innermost COUNT". Folded stacks
 * of several processes also have lines of calls: common/base/text/merged_text.h.
 */
#ifndef PV_FORMAT_STACK_LINE_H
#define PV_FORMAT_STACK_LINE_H

#include <stdbool.h>

#include "common/format/event.h"
#include "common/format/stacks/stack_number.h"

struct pv_stack_head {
	struct pv_text comm; /* the thread's name; may be empty */
	uint64_t tid;
	uint64_t time_ns;     /* on perf's clock */
	uint64_t period;      /* events that the sample stands for; 0: not in the line */
	struct pv_text event; /* without the colon at its end */
	struct pv_text frame; /* of a sample without callers, on the same line */
	bool record;          /* another record of perf's, such as of a new thread */
	uint64_t lost;        /* events lost, from a record */
};

/* Parses a line without its line feed. False: no head of a sample. */
bool pv_stack_head(const char *line, size_t n, struct pv_stack_head *ret);

/*
 * Parses a head without time; false: no head. Messages may look like a head: trust the result only
 * if the text's other heads have no time either.
 */
bool pv_stack_head_untimed(const char *line, size_t n, struct pv_stack_head *ret);

struct pv_stack_frame {
	struct pv_text name;   /* the function, or the object's file */
	struct pv_text object; /* path of the file; empty: none */
	bool known;            /* name is a function's */
};

/* Parses the line of a frame. False: no frame. */
bool pv_stack_frame(const char *line, size_t n, struct pv_stack_frame *ret);

/* The frame at the end of a head's line, after the event's text, if any. False: no frame. */
bool pv_stack_frame_last(struct pv_text text, struct pv_stack_frame *ret);

/*
 * Whether the line is the file and line of a frame, written below it by perf script, and may be
 * skipped.
 */
bool pv_stack_is_place(const char *line, size_t n);

struct pv_stack_folded {
	struct pv_text stack; /* frames separated by ';', outermost first */
	struct pv_stack_number count;
};

/* Parses the line of a folded stack. False: no folded stack. */
bool pv_stack_folded(const char *line, size_t n, struct pv_stack_folded *ret);

/* Parses a line that begins with PV_MERGED_CALL. False: no such line. */
struct pv_stack_call {
	struct pv_text stack; /* as in a folded stack */
	uint64_t calls, self_ns;
};
bool pv_stack_call(const char *line, size_t n, struct pv_stack_call *ret);

#endif
