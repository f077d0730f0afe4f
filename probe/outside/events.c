/* SPDX-License-Identifier: MIT */
/* Opens perf events for all threads of the process, and reads the fields of their records. */
#include "probe/outside/events.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "probe/outside/rings.h"

enum {
	SECOND = 1000000000,
	/* Registers in a sample, by their x86 numbers (asm/perf_regs.h). */
	REG_BP = 6,
	REG_SP = 7,
	REG_IP = 8,
	WORD = 8,
	ROUNDS = 16, /* over the threads, at most, since new threads may begin meanwhile */
};

static struct {
	PV_ARRAY(int) fds, faults;
	struct pv_map opened; /* tid -> 1 */
	bool only_threads;    /* children of fork do not inherit */
	unsigned stack;       /* bytes */
	bool switches;
	bool pages; /* samples of page faults, too */
	uint64_t closed_faults;
	bool from_exec; /* the events begin with the process's next exec */
} events = { .stack = PVO_STACK };

static struct perf_event_attr clock_of(unsigned hz)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE,
		.size = sizeof a,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = SECOND / hz,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = 1 << REG_BP | 1 << REG_SP | 1 << REG_IP,
		.sample_stack_user = events.stack,
		.clockid = CLOCK_MONOTONIC };
	a.exclude_kernel = a.exclude_hv = a.exclude_callchain_kernel = 1;
	a.sample_type |= events.pages ? PERF_SAMPLE_ADDR : 0; /* 0 in samples of the clock */
	a.sample_id_all = a.use_clockid = a.inherit = 1;
	a.inherit_thread = events.only_threads;
	a.context_switch = events.switches;
	a.disabled = a.enable_on_exec = events.from_exec;
	a.mmap = a.mmap2 = a.comm = a.comm_exec = a.task = 1;
	a.watermark = 1;
	a.wakeup_watermark = PVO_RING / 3;
	return a;
}

/* Laid out as samples of the clock. Other records come with those. */
static struct perf_event_attr faults_of(unsigned hz)
{
	struct perf_event_attr a = clock_of(hz);
	a.config = PERF_COUNT_SW_PAGE_FAULTS;
	a.sample_period = PVO_PAGES;
	a.context_switch = a.mmap = a.mmap2 = a.comm = a.comm_exec = a.task = 0;
	return a;
}

static int open_event(struct perf_event_attr *a, pid_t tid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, a, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Before Linux 5.13 children of fork inherit, too; their records are left out by process number. */
static int open_first(unsigned hz, pid_t tid, int cpu)
{
	events.only_threads = true;
	struct perf_event_attr a = clock_of(hz);
	int fd = open_event(&a, tid, cpu);
	if (fd >= 0 || (errno != EINVAL && errno != E2BIG))
		return fd;
	events.only_threads = false;
	a = clock_of(hz);
	return open_event(&a, tid, cpu);
}

int pvo_events_ask(pid_t pid, unsigned hz, bool *ret_killed)
{
	int status = 0;
	*ret_killed = false;
	pid_t child = fork();
	if (child < 0)
		return errno;
	if (child == 0) {
		int error = 0;
		for (int cpu = 0; cpu < pvo_rings_processors(); cpu++) {
			error = open_first(hz, pid, cpu) >= 0 ? 0 : errno;
			if (error != ENODEV)
				break;
		}
		_exit(error > 255 ? EIO : error);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return errno;
	*ret_killed = WIFSIGNALED(status);
	return *ret_killed ? EPERM : WEXITSTATUS(status);
}

/* ---- all threads */

static int add_faults(unsigned hz, pid_t tid, int cpu)
{
	struct perf_event_attr a = faults_of(hz);
	int fd = open_event(&a, tid, cpu);
	if (fd < 0)
		return errno;
	if (!pv_reserve(&events.faults, 1)) {
		close(fd);
		return ENOMEM;
	}
	events.faults.v[events.faults.n++] = fd;
	return pvo_rings_join(fd, cpu);
}

static int add_event(unsigned hz, pid_t tid, int cpu)
{
	struct perf_event_attr a = clock_of(hz);
	int fd = events.fds.n ? open_event(&a, tid, cpu) : open_first(hz, tid, cpu);
	if (fd < 0)
		return errno == ENODEV ? 0 : errno;
	if (!pv_reserve(&events.fds, 1)) {
		close(fd);
		return ENOMEM;
	}
	events.fds.v[events.fds.n++] = fd;
	int error = pvo_rings_join(fd, cpu);
	return error || !events.pages ? error : add_faults(hz, tid, cpu);
}

static int open_thread(unsigned hz, pid_t tid)
{
	int error = 0;
	for (int cpu = 0; cpu < pvo_rings_processors() && !error; cpu++)
		error = add_event(hz, tid, cpu);
	if (!error && !pv_map_set(&events.opened, (uint64_t)tid, 1))
		error = ENOMEM;
	return error == ESRCH ? 0 : error; /* ended meanwhile */
}

/* Opens events for threads without any; *ret_new: some were opened. */
static int open_round(
	pid_t pid, unsigned hz, bool (*known)(pid_t tid), size_t *ret_threads, bool *ret_new)
{
	char path[32];
	int error = 0;
	snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
	DIR *d = opendir(path);
	if (!d)
		return ESRCH;
	*ret_threads = 0;
	for (struct dirent *e; !error && (e = readdir(d));) {
		pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);
		if (tid <= 0)
			continue;
		++*ret_threads;
		if (pv_map_get(&events.opened, (uint64_t)tid) != PV_MAP_NONE || known(tid))
			continue;
		error = open_thread(hz, tid);
		*ret_new = true;
	}
	closedir(d);
	return error;
}

int pvo_events_open(
	pid_t pid, unsigned hz, bool (*known)(pid_t tid), void (*drain)(void), size_t *ret_threads)
{
	int error = 0;
	bool more = true;
	for (int round = 0; round < ROUNDS && more && !error; round++) {
		more = false;
		error = open_round(pid, hz, known, ret_threads, &more);
		drain(); /* threads that began meanwhile inherit, and are known by the next round */
	}
	if (!error && !pvo_rings_any())
		error = ESRCH;
	if (error)
		pvo_events_close();
	return error;
}

int pvo_events_open_from_exec(pid_t pid, unsigned hz)
{
	events.from_exec = true;
	int error = open_thread(hz, pid);
	events.from_exec = false;
	if (!error && !pvo_rings_any())
		error = ESRCH;
	if (error)
		pvo_events_close();
	return error;
}

void pvo_events_stack(unsigned bytes)
{
	events.stack = bytes;
}

void pvo_events_pages(bool on)
{
	events.pages = on;
	if (on)
		pvo_rings_deepen();
}

void pvo_events_switches(bool on)
{
	events.switches = on;
}

int pvo_events_rate(unsigned hz)
{
	uint64_t period = SECOND / hz;
	for (size_t i = 0; i < events.fds.n; i++)
		if (ioctl(events.fds.v[i], PERF_EVENT_IOC_PERIOD, &period) != 0)
			return errno;
	return 0;
}

static uint64_t faults_of_open(void)
{
	uint64_t all = 0, one;
	for (size_t i = 0; i < events.faults.n; i++)
		if (read(events.faults.v[i], &one, sizeof one) == (ssize_t)sizeof one)
			all += one;
	return all;
}

bool pvo_events_faults(uint64_t *ret, size_t *ret_open)
{
	*ret_open = events.faults.n;
	*ret = events.closed_faults + faults_of_open();
	return events.only_threads;
}

void pvo_events_close(void)
{
	events.closed_faults += faults_of_open();
	pvo_rings_close();
	for (size_t i = 0; i < events.fds.n; i++)
		close(events.fds.v[i]);
	for (size_t i = 0; i < events.faults.n; i++)
		close(events.faults.v[i]);
	pv_array_finish(&events.faults);
	pv_array_finish(&events.fds);
	pv_map_finish(&events.opened);
}

/* ---- records */

struct fields {
	const uint8_t *at, *end;
	bool short_of;
};

static uint64_t take(struct fields *f)
{
	uint64_t value = 0;
	if ((size_t)(f->end - f->at) < WORD) {
		f->short_of = true;
		return 0;
	}
	memcpy(&value, f->at, WORD);
	f->at += WORD;
	return value;
}

static struct fields fields_of(const struct perf_event_header *h)
{
	const uint8_t *at = (const uint8_t *)h;
	return (struct fields){ .at = at + sizeof *h, .end = at + h->size };
}

/* Fields come in the order of the bits of sample_type. */
bool pvo_sample_read(const struct perf_event_header *h, struct pvo_sample *ret)
{
	struct fields f = fields_of(h);
	struct pvo_sample s = { .pc = take(&f) };
	uint64_t of = take(&f);
	s.pid = (pid_t)(uint32_t)of;
	s.tid = (pid_t)(of >> 32);
	s.time = take(&f);
	s.fault = events.pages ? take(&f) : 0;
	if (take(&f)) { /* the registers' kind; 0: a thread of the kernel */
		s.fp = take(&f);
		s.sp = take(&f);
		s.pc = take(&f);
	}
	uint64_t size = take(&f), left = (uint64_t)(f.end - f.at);
	if (size && left >= WORD && size <= left - WORD) {
		struct fields n = { .at = f.at + size, .end = f.end };
		uint64_t got = take(&n);
		s.stack = f.at;
		s.stack_bytes = got <= size ? (size_t)got / WORD * WORD : 0;
	}
	*ret = s;
	return !f.short_of;
}

/* By sample_id_all each record ends with {pid, tid} and the time. */
bool pvo_stamp_read(const struct perf_event_header *h, struct pvo_stamp *ret)
{
	enum { STAMP = 2 * WORD };
	struct fields f = fields_of(h);
	if ((size_t)(f.end - f.at) < STAMP)
		return false;
	f.at = f.end - STAMP;
	uint64_t of = take(&f);
	*ret = (struct pvo_stamp){ (pid_t)(uint32_t)of, (pid_t)(of >> 32), take(&f) };
	return true;
}
