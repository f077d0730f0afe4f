/* SPDX-License-Identifier: MIT */
/*
 * Short text files of Linux's /proc, and the fields of a process's stat file (proc(5)).
 *
 * Any thread, also the probe's: nothing is allocated, no lock is taken.
 */
#ifndef PV_BASE_PROC_FILE_H
#define PV_BASE_PROC_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * In a native program's options: two digits, the seccomp filters of the viewer, or the known ones.
 */
#define PV_FILTERS_WORD "filters="

enum pv_stat_field {
	PV_STAT_STATE = 3,
	PV_STAT_PARENT = 4,
	PV_STAT_USER = 14, /* clock ticks */
	PV_STAT_SYSTEM = 15,
	PV_STAT_CHILDREN_USER = 16, /* of those waited for */
	PV_STAT_CHILDREN_SYSTEM = 17,
	PV_STAT_THREADS = 20,
	PV_STAT_START = 22,    /* clock ticks since the system's boot */
	PV_STAT_VIRTUAL = 23,  /* bytes */
	PV_STAT_RESIDENT = 24, /* pages */
	PV_STAT_STACK = 28,    /* address */
	PV_STAT_EXIT_CODE = 52 /* in the form of wait(2) */
};

/*
 * Reads a whole file, cut to the room, with a 0 after; returns the length. -1: cannot be read; `to`
 * is "".
 */
ssize_t pv_text_read(const char *path, char *to, size_t room);

/* The same of /proc/PID/NAME; pid 0: of the calling process. */
ssize_t pv_proc_read(pid_t pid, const char *name, char *to, size_t room);

/*
 * A field of a stat file's text, by its number. The second field, a name, may hold blanks and
 * parentheses. NULL: not in the text.
 */
const char *pv_stat_find(const char *text, enum pv_stat_field field);

/* The same as a number; 0: not in the text. */
uint64_t pv_stat_number(const char *text, enum pv_stat_field field);

/*
 * From the text of a status file: the number of the process or thread in its own pid namespace, the
 * last number of NSpid. 0: not in the text.
 */
long pv_status_innermost(const char *text);

/*
 * The number of seccomp filters of "thread-self" or a process; 1 where the kernel reports filters
 * without a number. 0: none, or the process is gone.
 */
unsigned pv_seccomp_filters(const char *of);

/* ms since a process began, to a clock tick; pid 0: the calling process. -1: not known. */
int64_t pv_process_age_ms(pid_t pid);

#endif
