/* SPDX-License-Identifier: MIT */
/* Reads from /proc whether a thread waits, and for what. */
#include "probe/code/wait_state.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/base/system/proc_file.h"
#include "common/base/status.h"
#include "probe/unwind/target.h"

struct call {
	long number;
	enum pv_wait_state state;
};

/* clang-format off */
/* Calls in which threads wait; any other call is input or output. */
static const struct call calls[] = {
	{ SYS_futex, PV_WAIT_LOCK }, { SYS_flock, PV_WAIT_LOCK }, { SYS_semtimedop, PV_WAIT_LOCK },
	{ SYS_semop, PV_WAIT_LOCK }, { SYS_rt_sigtimedwait, PV_WAIT_LOCK },
	{ SYS_rt_sigsuspend, PV_WAIT_LOCK }, { SYS_nanosleep, PV_WAIT_SLEEP },
	{ SYS_clock_nanosleep, PV_WAIT_SLEEP }, { SYS_ppoll, PV_WAIT_POLL },
	{ SYS_pselect6, PV_WAIT_POLL }, { SYS_epoll_pwait, PV_WAIT_POLL },
#ifdef SYS_futex_waitv
	{ SYS_futex_waitv, PV_WAIT_LOCK },
#endif
#ifdef SYS_epoll_pwait2
	{ SYS_epoll_pwait2, PV_WAIT_POLL },
#endif
#ifdef SYS_poll
	{ SYS_poll, PV_WAIT_POLL }, { SYS_select, PV_WAIT_POLL }, { SYS_epoll_wait, PV_WAIT_POLL },
	{ SYS_pause, PV_WAIT_SLEEP },
#endif
};
/* clang-format on */

/* A poll of nothing is a sleep. */
static bool polls_nothing(long number, const uintptr_t argument[2])
{
#ifdef SYS_poll
	if (number == SYS_poll)
		return argument[1] == 0;
	if (number == SYS_select)
		return argument[0] == 0;
#endif
	return (number == SYS_ppoll && argument[1] == 0) ||
	       (number == SYS_pselect6 && argument[0] == 0);
}

static bool locks_file(long number, const uintptr_t argument[2])
{
	return number == SYS_fcntl && (argument[1] == F_SETLKW || argument[1] == F_OFD_SETLKW);
}

/* The state in a system call, by number and first arguments. */
static enum pv_wait_state state_of_call(long number, const uintptr_t argument[2])
{
	if (polls_nothing(number, argument))
		return PV_WAIT_SLEEP;
	if (locks_file(number, argument))
		return PV_WAIT_LOCK;
	for (size_t i = 0; i < PV_COUNT_OF(calls); i++)
		if (calls[i].number == number)
			return calls[i].state;
	return PV_WAIT_IO;
}

/* "NR ARG1 ... ARG6 SP PC", "-1 SP PC" (a fault: memory is read from a file) or "running". */
struct pvp_waiting pvp_waiting_of_line(const char *line)
{
	enum { ARGUMENTS = 6, WORDS = 1 + ARGUMENTS + 2 };
	uintptr_t word[WORDS];
	unsigned n = 0;
	struct pvp_waiting w = { .waits = strncmp(line, "running", 7) != 0 && *line };
	for (const char *at = line; w.waits && n < WORDS; n++) {
		char *end;
		word[n] = (uintptr_t)strtoull(at, &end, 0);
		if (end == at)
			break;
		at = end;
	}
	if (!w.waits || n < 3)
		return w;
	long number = (long)word[0];
	w.state = n == WORDS     ? state_of_call(number, word + 1)
		  : number == -1 ? PV_WAIT_IO
				 : PV_WAIT_UNKNOWN;
	w.in_futex = n == WORDS && number == SYS_futex;
	if (w.in_futex) {
		w.futex.address = word[1];
		w.futex.operation = (uint32_t)word[2];
		w.futex.value = (uint32_t)word[3];
	}
	w.in_handler = n == WORDS && number == SYS_rt_sigsuspend;
	w.sp = word[n - 2];
	w.pc = word[n - 1];
	return w;
}

void pvp_thread_file(pid_t tid, const char *name, char *to, size_t room)
{
	char path[64];
	if (pvp_target)
		snprintf(path, sizeof path, "/proc/%ld/task/%ld/%s", (long)pvp_target->pid,
			(long)tid, name);
	else
		snprintf(path, sizeof path, "/proc/self/task/%ld/%s", (long)tid, name);
	pv_text_read(path, to, room);
}

/* The thread's state letter. 0: the thread is gone. */
static char letter_of(pid_t tid)
{
	char text[1024];
	pvp_thread_file(tid, "stat", text, sizeof text);
	const char *state = pv_stat_find(text, PV_STAT_STATE);
	return state ? *state : 0;
}

struct pvp_waiting pvp_waiting_look(pid_t tid)
{
	char line[256];
	pvp_thread_file(tid, "syscall", line, sizeof line);
	struct pvp_waiting w = pvp_waiting_of_line(line);
	if (*line && (!w.waits || w.state != PV_WAIT_UNKNOWN))
		return w;
	char letter = letter_of(tid);
	if (!*line)
		w.waits = letter && letter != 'R' && letter != 'Z' && letter != 'X';
	if (letter == 'T' || letter == 't')
		w.state = PV_WAIT_STOPPED;
	else if (letter == 'D')
		w.state = PV_WAIT_IO;
	return w;
}

bool pvp_thread_time(pid_t tid, uint64_t *ret_ns)
{
	/* The clock of another thread's processor time, by the kernel's own numbering. */
	enum { THREAD = 4, SCHEDULER = 2 };
	struct timespec t;
	if (clock_gettime((clockid_t)(~(unsigned)tid << 3 | THREAD | SCHEDULER), &t) != 0)
		return false;
	*ret_ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	return true;
}

bool pvp_thread_schedule(pid_t tid, uint64_t *ret_ran, uint64_t *ret_queued)
{
	char line[96], *at = line, *end;
	pvp_thread_file(tid, "schedstat", line, sizeof line);
	*ret_ran = strtoull(at, &end, 10);
	if (end == at)
		return false;
	at = end;
	*ret_queued = strtoull(at, &end, 10);
	return end != at && *ret_ran;
}
