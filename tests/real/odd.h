/* SPDX-License-Identifier: MIT */
/* The parts of odd: what its programs share. */
#ifndef PV_TESTS_REAL_ODD_H
#define PV_TESTS_REAL_ODD_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum {
	BRIEF_MS = 80
}; /* of processor time: samples are due, and a launcher finds it worth a recording */

struct odd_row {
	const char *name;
	int (*run)(void);
};

/* The last has no name. */
extern const struct odd_row odd_signal_rows[], odd_filter_rows[];

/* A line; without the C library's buffers, which some ends do not write out. */
void odd_say(const char *line);
void odd_said(const char *what, long value);

uint64_t odd_cpu_ms(void);
void odd_burn(uint64_t ms);

/* And gives it back; the compiler does not know. */
void odd_allocate(size_t bytes);

/* Waits for the child: its exit code, or 100 and the number of the signal that ended it. */
int odd_code_of(pid_t child);

#endif
