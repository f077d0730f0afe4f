/*
 * Lines of texts that have stacks of samples. Pure: any thread. Nothing is copied: texts
 * point into the line.
 *
 * perf script, as of its manual page (perf-script(1), fields comm, tid, time, event, ip, sym, dso):
 *
 *	COMM [PID/]TID [[CPU]] [SECONDS.FRACTION:] [PERIOD] EVENT: [TEXT] [IP SYMBOL (OBJECT)]
 *	<blank> IP SYMBOL[+0xOFFSET] (OBJECT)     a frame, the innermost first
 *	<blank> FILE:LINE                         where the frame before it is, with srcline
 *	<empty>                                   the sample ends
 *
 * Folded stacks, as Brendan Gregg's FlameGraph reads them: "outermost;...;innermost COUNT".
 * Those of several processes have lines of calls, too: common/base/merged_text.h.
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
	uint64_t period;      /* events that the sample stands for; 0: the line does not say */
	struct pv_text event; /* without the colon at its end */
	struct pv_text frame; /* of a sample without callers, on the same line; else empty */
	bool record;          /* no sample: another record of perf's, such as of a new thread */
	uint64_t lost;        /* events that a record says were lost */
};

/* A line without its line feed. False: it is no head of a sample. */
bool pv_stack_head(const char *line, size_t n, struct pv_stack_head *ret);

/*
 * A head that has no time; false: it is none. Messages may look like one: it is to be trusted only in
 * a text whose other heads have no time either.
 */
bool pv_stack_head_untimed(const char *line, size_t n, struct pv_stack_head *ret);

struct pv_stack_frame {
	struct pv_text name;   /* the function; the object's file where it is not known */
	struct pv_text object; /* path of the file; empty: none */
	bool known;            /* name is that of a function */
};

/* False: it is no frame. */
bool pv_stack_frame(const char *line, size_t n, struct pv_stack_frame *ret);

/* The frame at the end of a head's line, after any text of the event's. False: there is none. */
bool pv_stack_frame_last(struct pv_text text, struct pv_stack_frame *ret);

/* The file and line of a frame, which perf script writes below it: nothing is lost without. */
bool pv_stack_is_place(const char *line, size_t n);

struct pv_stack_folded {
	struct pv_text stack; /* frames with ';' between them, outermost first */
	struct pv_stack_number count;
};

/* False: it is no folded stack. */
bool pv_stack_folded(const char *line, size_t n, struct pv_stack_folded *ret);

/* Of a line that begins with PV_MERGED_CALL. False: it is none. */
struct pv_stack_call {
	struct pv_text stack; /* as of a folded one */
	uint64_t calls, self_ns;
};
bool pv_stack_call(const char *line, size_t n, struct pv_stack_call *ret);

#endif
