/* SPDX-License-Identifier: MIT */
/* Shared by the tests of the probe: reading its logs back, strictly; waiting with a deadline. */
#ifndef PV_TESTS_PROBE_KIT_H
#define PV_TESTS_PROBE_KIT_H

#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/format/mlpd/framer.h"

enum { PROBE_DEADLINE_MS = 30000, PROBE_PATH = 256 };

struct probe_method {
	uint64_t key, code, size;
	char name[128];
	uint64_t enters, leaves, exc_leaves;
	unsigned described;
};

struct probe_thread {
	uint64_t id, last_time;
	char name[64];
	uint64_t enters, leaves, allocs, marks, lost;
	int64_t tree_ns; /* self times of its call tree */
	unsigned starts, ends;
	uint64_t next_size;       /* of the next allocation, when their sizes count up */
	PV_ARRAY(uint64_t) stack; /* methods entered and not left; cut at a loss */
};

struct probe_counter {
	uint64_t index;
	char name[64];
	int64_t value;
	unsigned samples;
};

struct probe_log {
	struct mlpd_framer framer;
	struct pv_batch batch;
	struct mlpd_header header;
	char args[512];
	uint64_t n[PV_KIND_COUNT];
	uint64_t lost, bytes_allocated;
	uint64_t last_sync;
	struct pv_map method_index, class_index;
	PV_ARRAY(struct probe_method) methods;
	PV_ARRAY(struct probe_thread) threads;
	PV_ARRAY(struct probe_counter) counters;
	char last_mark[1100];

	/* A log of the probe must never hold these; probe_log_check() searches. */
	unsigned headers, damages, failures, unnamed, back_steps, before_sync, misplaced_losses;
	unsigned misnumbered; /* allocations of another size than that, losses counted in */
	uint64_t tree_places, tree_orphans; /* nodes of this buffer; without their parent */
	unsigned mismatches;                /* leaves that are not of the method entered last */
};

void probe_log_init(struct probe_log *log);
void probe_log_finish(struct probe_log *log);

/* Takes further bytes of a log. end: no more will come. */
void probe_log_feed(struct probe_log *log, const void *bytes, size_t len);
void probe_log_end(struct probe_log *log);

/* Init, the whole file, end; fails the test when it cannot be read. */
void probe_log_read(struct probe_log *log, const char *path);

/* One header, no damage, names before use, time never back, losses only at a buffer's start. */
void probe_log_check(const struct probe_log *log);

/* Never NULL; zeros when the log does not have it. */
const struct probe_method *probe_log_method(const struct probe_log *log, const char *name);
const struct probe_thread *probe_log_thread(const struct probe_log *log, const char *name);
const struct probe_counter *probe_log_counter(const struct probe_log *log, const char *name);

/* Enter, leave, allocation and mark events: what counts as lost when it is not there. */
uint64_t probe_log_events(const struct probe_log *log);

/* A folder of the test's own; setup and teardown of a test case. */
extern char probe_dir[PROBE_PATH / 2];
void probe_setup(void);
void probe_teardown(void);
const char *probe_path(char path[PROBE_PATH], const char *name);

/* Milliseconds of the monotonic clock, and a short sleep between two checks of a condition. */
int64_t probe_now_ms(void);
void probe_nap(void);

#define PROBE_WAIT(condition)                                                                      \
	do {                                                                                       \
		int64_t probe_until = probe_now_ms() + PROBE_DEADLINE_MS;                          \
		while (!(condition)) {                                                             \
			ck_assert_msg(probe_now_ms() < probe_until, "never: %s", #condition);      \
			probe_nap();                                                               \
		}                                                                                  \
	} while (0)

#endif
