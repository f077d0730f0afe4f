/* SPDX-License-Identifier: MIT */
/*
 * Messages between a probe and the launcher of its command, on a SOCK_SEQPACKET socket with one
 * connection for each image of each process (each program started by exec). A probe sends struct
 * pv_ask; the launcher answers with a byte, and sends with PV_ANSWER_YES the file for the log
 * (SCM_RIGHTS). The end of the connection is the end of the image.
 */
#ifndef PV_BASE_LAUNCH_WIRE_H
#define PV_BASE_LAUNCH_WIRE_H

#include <stddef.h>
#include <stdint.h>

enum {
	PV_ASK_MAGIC = 0x32415650,
	PV_ASK_PATH = 108,
	PV_ASK_EXE = 1024,
	PV_ASK_ARGS = 1024,
	PV_ANSWER_PATH = 1000,
};

enum pv_ask_kind {
	PV_ASK_BEGUN = 1,  /* an image has begun, by exec */
	PV_ASK_FORKED = 2, /* a child of fork; texts are the parent's */
	PV_ASK_READY = 3,  /* ready to record, once that is worth it */
	PV_ASK_ENDS = 4,   /* about to exit; cpu_ns is final */
};

enum pv_ask_host { PV_ASK_NATIVE, PV_ASK_MONO, PV_ASK_CORECLR };

struct pv_ask {
	uint32_t magic;
	uint8_t kind, host;
	uint8_t waits; /* for the answer, 1: PV_ANSWER_LATER will do; 2: only YES or NO */
	uint8_t unused;
	uint64_t cpu_ns;       /* used by the process so far */
	uint64_t memory_bytes; /* most held by the process; maybe by the image before */
	uint16_t exe_len, args_len;
	int32_t ppid;
	char text[PV_ASK_EXE + PV_ASK_ARGS]; /* the file; the arguments, with a 0 after each */
};

enum { PV_ASK_HEAD = offsetof(struct pv_ask, text) };

enum pv_answer {
	PV_ANSWER_NO = 'n',    /* this image is not recorded by this probe */
	PV_ANSWER_LATER = 'l', /* once the image has proved worth recording */
	PV_ANSWER_YES = 'y',   /* now: a descriptor comes along, the path after the byte */
};

#endif
