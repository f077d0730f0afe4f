/* SPDX-License-Identifier: MIT */
/*
 * Perf events (perf_event_open(2)) on the threads of another process: samples by processor time in
 * the program's own code, with registers and a copy of the stack, and switches. An event for each
 * thread and processor, inherited by new threads; a ring for each processor. Records of all rings
 * come in the order of their times. Used by a single thread.
 */
#ifndef PV_PROBE_OUTSIDE_EVENTS_H
#define PV_PROBE_OUTSIDE_EVENTS_H

#include <linux/perf_event.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	PVO_STACK = 16 << 10, /* bytes copied with a sample, at first */
	PVO_PAGES =
		17, /* page faults between two samples of them; prime: programs grow by powers of two,
			   and samples in step with those meet always the same function */
	PVO_STACK_MOST = 65528, /* and at most: perf_event_open(2) */
	PVO_RECORD_MOST = 1 << 16,
};

/* A sample's parts. Pointers lead into the record. */
struct pvo_sample {
	uint64_t time; /* ns of CLOCK_MONOTONIC */
	pid_t pid, tid;
	uint64_t fault;      /* address of the new page, the last of PVO_PAGES; 0: of the clock */
	uint64_t pc, sp, fp; /* sp 0: registers are not known */
	const uint8_t *stack;
	size_t stack_bytes;
};

/* The end of every record except samples. Time: ns of CLOCK_MONOTONIC. */
struct pvo_stamp {
	pid_t pid, tid;
	uint64_t time;
};

/*
 * Tries an event on the first thread of the process, in a child, since a filter of system calls may
 * kill the caller. 0, or an errno value; *ret_killed: the child was killed.
 */
int pvo_events_ask(pid_t pid, unsigned hz, bool *ret_killed);

/*
 * Opens events for all threads; `drain` takes the records that come meanwhile. `known`: the
 * thread's beginning was seen, so the thread inherits. 0, or an errno value, with everything
 * closed: ESRCH, the process has ended; EMFILE; EPERM, no ring of any size is granted.
 * *ret_threads: threads found.
 */
int pvo_events_open(
	pid_t pid, unsigned hz, bool (*known)(pid_t tid), void (*drain)(void), size_t *ret_threads);

/*
 * Opens events for a process of one thread, which begin with the next exec of the process. 0, or an
 * errno value as above.
 */
int pvo_events_open_from_exec(pid_t pid, unsigned hz);

/* Bytes of the stack copied with each sample, from the next opening on. */
void pvo_events_stack(unsigned bytes);

/* Whether page faults are sampled, which is settled before any opening; at first not. */
void pvo_events_pages(bool on);

/*
 * Page faults in the process's own code since the first opening, by the kernel's count: of events
 * open and closed; *ret_open: open ones. False: not known, since children of fork are counted, too.
 */
bool pvo_events_faults(uint64_t *ret, size_t *ret_open);

/* Whether switches are recorded (PERF_RECORD_SWITCH), from the next opening on; at first not. */
void pvo_events_switches(bool on);

/* Another rate for the open events. 0, or an errno value. */
int pvo_events_rate(unsigned hz);
void pvo_events_close(void);

/* Descriptors to wait for, at most `room`; returns how many. Rings that hung up are left out. */
size_t pvo_events_poll(struct pollfd *to, size_t room);
void pvo_events_hung_up(int fd);

/*
 * The next record not later than `until` (ns), copied to `to` (PVO_RECORD_MOST bytes, aligned to
 * 8). *ret_ring: the processor of the record's ring. False: none.
 */
bool pvo_events_next(void *to, uint64_t until, unsigned *ret_ring);

/* False: the record is too short. */
bool pvo_sample_read(const struct perf_event_header *h, struct pvo_sample *ret);
bool pvo_stamp_read(const struct perf_event_header *h, struct pvo_stamp *ret);

#endif
