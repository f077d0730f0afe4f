/*
 * The beginning of a text, looked at as a whole, so that no single line decides what it is. Pure:
 * any thread; what is returned points into the bytes or at literals.
 */
#ifndef PV_FORMAT_STACKS_LOOK_H
#define PV_FORMAT_STACKS_LOOK_H

#include "common/format/block07/block07.h"

enum pv_stack_text_kind { PV_STACK_NONE, PV_STACK_PERF, PV_STACK_UNTIMED, PV_STACK_FOLDED };

struct pv_stack_look {
	enum pv_stack_text_kind kind; /* UNTIMED: perf script without times */
	const char *refusal;          /* a literal: stacks, but none that can be read; or NULL */
	struct pv_text merged;        /* options after PV_MERGED_HEAD; .at NULL: no such line */
	uint64_t first_ns;            /* the least time of a sample, perf's clock */
	struct pv_text event;         /* of the first sample; empty: none */
	uint64_t period, most_period; /* of its samples: the first, the largest; 0: not said */
	bool periods_differ;
	unsigned decimals; /* of counts: times 10^decimals they are whole */
};

/*
 * Lines that begin within PV_STACK_TEXT_SNIFF bytes; comments before and among them, to
 * PV_STACK_TEXT_COMMENTS bytes, do not count. `ended`: no more bytes will come. UNSURE: more bytes
 * are needed. YES with ->refusal: one has to say why.
 */
enum b07_sniffed pv_stack_look(
	const uint8_t *bytes, size_t n, bool ended, struct pv_stack_look *ret);

/* Bytes of a byte order mark in front of the text, 0: there is none. */
size_t pv_stack_text_mark(const uint8_t *bytes, size_t n);

/* Whether figures of the two events may be added: one event, whatever its modifiers, or tracepoints. */
bool pv_stack_same_event(struct pv_text a, struct pv_text b);
/* "block:block_rq_issue": each sample is one occurrence. */
bool pv_stack_is_tracepoint(struct pv_text event);

#endif
