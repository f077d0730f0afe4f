/*
 * Only streams of version 6 have these: threads by number, of several processes; lists of labels; rows
 * of descriptions. Private to the files of this folder. Functions that read a block return NULL, or a
 * literal: what is wrong with its rest. Out of memory is kept in nettrace.nomem. One thread
 * at a time.
 */
#ifndef PV_FORMAT_NETTRACE_SIX_H
#define PV_FORMAT_NETTRACE_SIX_H

#include "common/format/nettrace/nettrace_state.h"

enum {
	NT_LABEL_BYTES = 4 << 20, /* of lists that are alive; others are not kept */
	NT_LABEL_TEXT = 256       /* bytes of a list's text */
};

/* --- nettrace_trace.c: the clock, the process, the size of a pointer */

/* False: it says no clock, or is that of another process than the streams before. */
bool nt_trace(struct nettrace *d, const uint8_t *at);
bool nt_six_trace(struct nettrace *d, const uint8_t *bytes, size_t n);

/* --- nettrace_six.c */

/* A block of rows, each of a thread: its number, process, id, name. */
const char *nt_threads(struct nettrace *d, const uint8_t *bytes, size_t n);
/* A block of threads whose numbers are free again, with the number of the last event of each. */
const char *nt_threads_gone(struct nettrace *d, const uint8_t *bytes, size_t n);
/* A sequence point, from which stacks and labels are numbered anew. */
const char *nt_six_sequence(struct nettrace *d, const uint8_t *bytes, size_t n);
/* A block of lists of labels. */
const char *nt_labels(struct nettrace *d, const uint8_t *bytes, size_t n);
/* The thread of that number, of the process *ret_pid; a number that was never said is its own. */
uint64_t nt_thread_at(const struct nettrace *d, uint64_t index, uint32_t *ret_pid);
/* A writer of that number wrote its event `seq`. */
void nt_count_at(struct nettrace *d, uint64_t index, uint32_t seq);
/* A list as " key=value key=value" into `room` bytes, cut where it is longer; its length. */
size_t nt_label_text(const struct nettrace *d, uint32_t list, char *to, size_t room);
void nt_forget_threads(struct nettrace *d);
void nt_six_finish(struct nettrace *d);

/* --- nettrace_row.c */

/* Rows that describe events. */
const char *nt_rows(struct nettrace *d, const uint8_t *bytes, size_t n);

/* A text of UTF-8 with its length before it, borrowed from the input; "" after a failure. */
struct pv_text nt_utf8(struct pv_cursor *c);

#endif
