/*
 * Lines of texts that have stacks of samples. Pure: any thread. Nothing is copied: texts
 * point into the line.
 *
 * perf script, as of its manual page (perf-script(1), fields comm, tid, time, event, ip, sym, dso):
 *
 *	COMM [PID/]TID [[CPU]] SECONDS.FRACTION: [PERIOD] EVENT: [IP SYMBOL (OBJECT)]
 *	<blank> IP SYMBOL[+0xOFFSET] (OBJECT)     a frame, the innermost first
 *	<empty>                                   the sample ends
 *
 * Folded stacks, as Brendan Gregg's FlameGraph reads them: "outermost;...;innermost COUNT".
 * Those of several processes have lines of calls, too: common/base/merged_text.h.
 */
#ifndef PV_FORMAT_STACK_LINE_H
#define PV_FORMAT_STACK_LINE_H

#include <stdbool.h>

#include "common/format/event.h"

struct pv_stack_head {
	struct pv_text comm; /* the thread's name */
	uint64_t tid;
	uint64_t time_ns; /* on perf's clock */
	struct pv_text
		frame; /* a sample without callers has its frame on the same line; else empty */
};

/* A line without its line feed. False: it is no head of a sample. */
bool pv_stack_head(const char *line, size_t n, struct pv_stack_head *ret);

/* The function of a frame, or its object in brackets; false: it is no frame. */
bool pv_stack_frame(const char *line, size_t n, struct pv_text *ret);

struct pv_stack_folded {
	struct pv_text stack; /* frames with ';' between them, outermost first */
	uint64_t count;
};

/* False: it is no folded stack. A fraction of a count is rounded. */
bool pv_stack_folded(const char *line, size_t n, struct pv_stack_folded *ret);

/* Of a line that begins with PV_MERGED_CALL. False: it is none. */
struct pv_stack_call {
	struct pv_text stack; /* as of a folded one */
	uint64_t calls, self_ns;
};
bool pv_stack_call(const char *line, size_t n, struct pv_stack_call *ret);

#endif
