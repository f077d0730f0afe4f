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

/* In a native program's options: two digits, the filters of the viewer, or that are known to us. */
#define PV_FILTERS_WORD "filters="

enum pv_stat_field {
	PV_STAT_STATE = 3,
	PV_STAT_PARENT = 4,
	PV_STAT_USER = 14, /* clock ticks */
	PV_STAT_SYSTEM = 15,
	PV_STAT_THREADS = 20,
	PV_STAT_START = 22,    /* clock ticks since the system's boot */
	PV_STAT_VIRTUAL = 23,  /* bytes */
	PV_STAT_RESIDENT = 24, /* pages */
	PV_STAT_STACK = 28,    /* address */
	PV_STAT_EXIT_CODE = 52 /* as wait(2) has it */
};

/* A whole file, cut to the room, with a 0 after it: its length. -1: it cannot be read; to is "". */
ssize_t pv_text_read(const char *path, char *to, size_t room);

/* The same of /proc/PID/NAME; pid 0: of the calling process. */
ssize_t pv_proc_read(pid_t pid, const char *name, char *to, size_t room);

/*
 * A field of a stat file's text, by its number there. The second, a name, may hold blanks and
 * parentheses. NULL: the text does not have it.
 */
const char *pv_stat_find(const char *text, enum pv_stat_field field);

/* The same as a number; 0: the text does not have it. */
uint64_t pv_stat_number(const char *text, enum pv_stat_field field);

/*
 * The seccomp filters of "thread-self" or a process's number; 1 where the kernel says that there are
 * some, but no number. 0: none, or it is gone.
 */
unsigned pv_seccomp_filters(const char *of);

/* ms since a process began, right to a clock tick; pid 0: the calling one. -1: not known. */
int64_t pv_process_age_ms(pid_t pid);

#endif
