/* SPDX-License-Identifier: MIT */
/*
 * Parts of version 6 only: threads by number, of several processes; lists of labels; rows of
 * descriptions. Private to this folder. Functions that read a block return NULL, or a literal: the
 * fault of the rest. Out of memory is kept in nettrace.nomem. One thread at a time.
 */
#ifndef PV_FORMAT_NETTRACE_SIX_H
#define PV_FORMAT_NETTRACE_SIX_H

#include "common/format/nettrace/nettrace_state.h"

enum {
	NT_LABEL_BYTES = 4 << 20, /* of the current lists; further lists are not kept */
	NT_LABEL_TEXT = 256       /* bytes of a list's text */
};

/* --- nettrace_trace.c: the clock, the process, the size of a pointer */

/* Takes the Trace object. False: no clock, or another process than in the streams before. */
bool nt_trace(struct nettrace *d, const uint8_t *at);
bool nt_six_trace(struct nettrace *d, const uint8_t *bytes, size_t n);

/* --- nettrace_six.c */

/* A block of rows, one a thread: number, process, id, name. */
const char *nt_threads(struct nettrace *d, const uint8_t *bytes, size_t n);
/* A block of threads whose numbers are free again, with each one's last event number. */
const char *nt_threads_gone(struct nettrace *d, const uint8_t *bytes, size_t n);
/* A sequence point, from which stacks and labels are numbered anew. */
const char *nt_six_sequence(struct nettrace *d, const uint8_t *bytes, size_t n);
/* A block of lists of labels. */
const char *nt_labels(struct nettrace *d, const uint8_t *bytes, size_t n);
/* The thread with this number, of process *ret_pid; an unknown number stands for itself. */
uint64_t nt_thread_at(const struct nettrace *d, uint64_t index, uint32_t *ret_pid);
/* Counts the event `seq` of a writer with this number. */
void nt_count_at(struct nettrace *d, uint64_t index, uint32_t seq);
/* A list as " key=value key=value" into `room` bytes, cut if longer; returns the length. */
size_t nt_label_text(const struct nettrace *d, uint32_t list, char *to, size_t room);
/* The list's label of this name ("activity", "related"); without one `to` is unchanged. */
void nt_label_guid(
	const struct nettrace *d, uint32_t list, const char *name, uint8_t to[NT_GUID_BYTES]);
void nt_forget_threads(struct nettrace *d);
void nt_six_finish(struct nettrace *d);

/* --- nettrace_row.c */

/* Takes rows with descriptions of events. */
const char *nt_rows(struct nettrace *d, const uint8_t *bytes, size_t n);

/* A text of UTF-8 after its length, borrowed from the input; "" after a failure. */
struct pv_text nt_utf8(struct pv_cursor *c);

#endif
