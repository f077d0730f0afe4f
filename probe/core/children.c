/* SPDX-License-Identifier: MIT */
/* Counts the program's children: through a page shared with children of fork(), and from /proc. */
#include "probe/core/children.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/system/proc_file.h"
#include "common/base/status.h"
#include "probe/core/tell.h"
#include "probe/core/writer.h"

enum {
	FORKED = 500,
	LEAST_NS = 50000000, /* between two checks */
	SHARE = 500,         /* checks take at most this part of the time */
	TO_100NS = 10,       /* of microseconds: the unit of counters of time */
	LIST = 4096,
	STAT = 1024, /* bytes; /proc/PID/stat has at most 400 */
};

/* Shared with the children of fork(), each of which adds itself. */
struct forked {
	_Atomic uint64_t n, logs;
	_Atomic pid_t pid[FORKED]; /* the newest */
};

static struct forked *forked;  /* of this process's children; NULL: not recording, no memory */
static struct forked *parents; /* in a child of fork: the parent's page, counts child logs */

static void *shared_page(void)
{
	void *at = mmap(
		NULL, sizeof *forked, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

void pvp_children_begin(void)
{
	forked = shared_page();
}

void pvp_children_end(void)
{
	struct forked *f = forked;
	forked = NULL; /* before munmap(): a child forked now must not find a page that is gone */
	if (f)
		munmap(f, sizeof *f);
}

void pvp_children_forked(void)
{
	parents = forked;
	forked = NULL;
	if (!parents)
		return;
	uint64_t at = atomic_fetch_add(&parents->n, 1);
	atomic_store(&parents->pid[at % FORKED], getpid());
}

void pvp_children_records(void)
{
	if (!parents)
		return;
	atomic_fetch_add(&parents->logs, 1);
	munmap(parents, sizeof *parents);
	parents = NULL;
}

static uint64_t forks(void)
{
	return forked ? atomic_load(&forked->n) : 0;
}

static bool of_fork(pid_t pid)
{
	for (size_t i = 0; forked && i < FORKED; i++)
		if (atomic_load_explicit(&forked->pid[i], memory_order_relaxed) == pid)
			return true;
	return false;
}

/* ---- a look */

/* Whether such children exist, ended ones included. Changes nothing about the children. */
static bool have(idtype_t type, pid_t pid)
{
	return syscall(SYS_waitid, type, pid, NULL, WEXITED | WNOHANG | WNOWAIT | __WALL, NULL) ==
	       0;
}

static uint64_t us(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_usec;
}

/* Reads the processor time of children waited for. True: more of them than at the last call. */
static bool reaped(struct pvp_children *c)
{
	struct rusage r;
	if (getrusage(RUSAGE_CHILDREN, &r) != 0)
		return false;
	uint64_t before = c->usage;
	c->cpu = us(&r.ru_utime) + us(&r.ru_stime);
	c->usage = c->cpu + (uint64_t)(r.ru_minflt + r.ru_majflt + r.ru_nvcsw + r.ru_nivcsw);
	return c->usage != before;
}

static void meet_child(struct pvp_children *c, pid_t pid)
{
	uint32_t i = 0;
	while (i < c->n && c->known[i].pid != pid)
		i++;
	if (i == c->n && i == PVP_CHILDREN) {
		c->crowded = true;
		return;
	}
	if (i == c->n)
		c->known[c->n++] = (struct pvp_child){ .pid = pid, .fresh = true };
	c->known[i].there = true;
}

/* Decimal numbers with a blank after each. */
static void meet_listed(struct pvp_children *c, int fd)
{
	char text[LIST];
	pid_t pid = 0;
	for (ssize_t n; (n = read(fd, text, sizeof text)) > 0;) {
		for (ssize_t i = 0; i < n; i++) {
			bool digit = text[i] >= '0' && text[i] <= '9';
			if (!digit && pid)
				meet_child(c, pid);
			pid = digit ? pid * 10 + (text[i] - '0') : 0;
		}
	}
}

static int open_list(long tid)
{
	char path[64];
	/* Not "self": the pids must be in the pid namespace of getpid(). */
	snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)getpid(), tid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Each thread has a list of the children started by the thread. */
static void meet_all(struct pvp_children *c)
{
	DIR *d = opendir("/proc/self/task");
	if (!d)
		return;
	for (struct dirent *e; (e = readdir(d));) {
		int fd = *e->d_name == '.' ? -1 : open_list(strtol(e->d_name, NULL, 10));
		if (fd < 0)
			continue;
		meet_listed(c, fd);
		close(fd);
	}
	closedir(d);
}

/* Address of a process's stack. 0: none, or hidden by the system. */
static uint64_t stack_of(pid_t pid)
{
	char text[STAT];
	pv_proc_read(pid, "stat", text, sizeof text);
	return pv_stat_number(text, PV_STAT_STACK);
}

/*
 * Whether a child may not have returned from fork() yet: then the child has this process's memory,
 * or a copy. A program started by exec has a stack elsewhere.
 */
static bool may_enter(pid_t pid)
{
	uint64_t own = stack_of(getpid());
	return own && own == stack_of(pid);
}

/*
 * Counts a child not made by fork(): children of fork() add themselves, however slowly they start.
 * A child that has added itself is known, unless more than FORKED children have done so since.
 */
static void finish_child(struct pvp_children *c, struct pvp_child *k)
{
	if (k->fresh && !of_fork(k->pid) && forks() - c->forks_before <= FORKED)
		c->others++;
	k->fresh = false;
}

static void sweep(struct pvp_children *c, uint32_t old, bool last)
{
	uint32_t to = 0;
	for (uint32_t i = 0; i < c->n; i++) {
		struct pvp_child k = c->known[i];
		bool gone = !k.there && !have(P_PID, k.pid);
		if (gone || last || (i < old && k.fresh && (of_fork(k.pid) || !may_enter(k.pid))))
			finish_child(c, &k);
		k.there = false;
		if (!gone)
			c->known[to++] = k;
		c->gone |= gone;
	}
	c->n = to;
}

/* Whether there was any child, if the system lists none. */
static void look_blindly(struct pvp_children *c, bool more)
{
	if (!c->others && !forks() && (more || have(P_ALL, 0)))
		c->others = 1;
}

/*
 * Reads the usage of children waited for first, then the living children, then the count of fork():
 * so the cause of a change of usage is found in this look or in the look before.
 */
static void look_for_children(struct pvp_children *c, bool last)
{
	uint32_t old = c->n;
	bool more = reaped(c);
	if (c->blind) {
		look_blindly(c, more);
		return;
	}
	c->gone_before = c->gone;
	c->gone = false;
	if (have(P_ALL, 0))
		meet_all(c);
	sweep(c, old, last);
	uint64_t now = forks();
	bool explained = c->gone || c->gone_before || now != c->forks_before || c->crowded;
	if (more && !explained)
		c->others++;
	c->forks_before = c->forks;
	c->forks = now;
}

void pvp_children_look_first(struct pvp_children *c, const struct pvp_host *host)
{
	if (host->children) {
		host->children(&c->cpu);
		c->cpu_before = c->cpu;
		return;
	}
	int fd = open_list((long)syscall(SYS_gettid));
	c->blind = fd < 0;
	if (fd >= 0)
		close(fd);
	reaped(c);
	c->cpu_before = c->cpu;
}

/* ---- messages */

static const struct {
	const char *name;
	uint64_t index;
	bool time;
} counters[] = {
	{ "child processes", PVP_COUNTER_CHILDREN, false },
	{ "child processes with logs", PVP_COUNTER_CHILD_LOGS, false },
	{ "processor time of child processes", PVP_COUNTER_CHILD_TIME, true },
};

static bool describe_counts(struct pvp_writer *w, struct pvp_children *c)
{
	for (size_t i = 0; !c->described && i < PV_COUNT_OF(counters); i++) {
		/* Written, even if 0, where children may have logs of their own. */
		if (counters[i].index == PVP_COUNTER_CHILD_LOGS && !w->config.own_sinks)
			continue;
		if (!pvp_tell_new_counter(w, counters[i].index, counters[i].name, counters[i].time))
			return false;
	}
	c->described = true;
	return true;
}

static void say_counts(struct pvp_writer *w, struct pvp_children *c)
{
	uint64_t time = pvp_monotonic();
	/* Children made by fork() are ours: for another process the host has counted all. */
	uint64_t own = w->host->children ? 0 : forks();
	const uint64_t now[] = { own + c->others, forked ? atomic_load(&forked->logs) : 0,
		(c->cpu - c->cpu_before) * TO_100NS };
	if (!now[0] || !describe_counts(w, c))
		return;
	for (size_t i = 0; i < PV_COUNT_OF(counters); i++)
		if (now[i] != c->written[i] &&
			pvp_tell_step(w, time, counters[i].index, now[i] - c->written[i]))
			c->written[i] = now[i];
}

void pvp_children_tell(struct pvp_writer *w)
{
	struct pvp_children *c = &w->children;
	uint64_t began = pvp_monotonic();
	if (w->host->process && !w->host->children) /* ours are none of the program's */
		return;
	if (!w->last && began < c->next_ns)
		return;
	if (w->host->children)
		c->others = w->host->children(&c->cpu);
	else
		look_for_children(c, w->last);
	uint64_t pause = (pvp_monotonic() - began) * SHARE;
	c->next_ns = began + (pause > LEAST_NS ? pause : LEAST_NS);
	say_counts(w, c);
}

void pvp_children_again(struct pvp_children *c)
{
	c->described = false;
	for (size_t i = 0; i < PV_COUNT_OF(c->written); i++)
		c->written[i] = 0;
}
