/* SPDX-License-Identifier: MIT */
/*
 * Judges a text by its beginning as a whole, so that no single line decides. Pure: any thread;
 * results point into the bytes or at literals.
 */
#ifndef PV_FORMAT_STACKS_LOOK_H
#define PV_FORMAT_STACKS_LOOK_H

#include "common/format/reader.h"

enum pv_stack_text_kind { PV_STACK_NONE, PV_STACK_PERF, PV_STACK_UNTIMED, PV_STACK_FOLDED };

struct pv_stack_look {
	enum pv_stack_text_kind kind; /* UNTIMED: perf script without times */
	const char *refusal;          /* a literal: why these stacks cannot be read; or NULL */
	struct pv_text merged;        /* options after PV_MERGED_HEAD; .at NULL: no such line */
	uint64_t first_ns;            /* the least time of a sample, perf's clock */
	struct pv_text event;         /* of the first sample; empty: none */
	uint64_t period, most_period; /* of the event's samples: first, largest; 0: not given */
	bool periods_differ;
	unsigned decimals; /* of counts: times 10^decimals they are whole */
};

/*
 * Reads lines that begin within PV_STACK_TEXT_SNIFF bytes; comments before and among them, to
 * PV_STACK_TEXT_COMMENTS bytes, do not count. `ended`: no more bytes will come. UNSURE: more bytes
 * are needed. YES with ->refusal: report the refusal.
 */
enum pv_sniffed pv_stack_look(
	const uint8_t *bytes, size_t n, bool ended, struct pv_stack_look *ret);

/* Bytes of a byte order mark in front of the text, 0: none. */
size_t pv_stack_text_mark(const uint8_t *bytes, size_t n);

/* Whether figures of two events may be added: the same event but for modifiers, or tracepoints. */
bool pv_stack_same_event(struct pv_text a, struct pv_text b);
/* "block:block_rq_issue": each sample is one occurrence. */
bool pv_stack_is_tracepoint(struct pv_text event);

#endif
