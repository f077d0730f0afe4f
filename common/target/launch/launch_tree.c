/* SPDX-License-Identifier: MIT */
/* The launcher's table of processes and images. */
#include "common/target/launch/launch_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "common/base/text/sdk_words.h"
#include "common/io/fd.h"
#include "common/target/launch/launch_serve.h"

static uint64_t tree_clock(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t pv_tree_now(void)
{
	return tree_clock(CLOCK_MONOTONIC);
}

uint64_t pv_tree_worked(void)
{
	return tree_clock(CLOCK_THREAD_CPUTIME_ID);
}

struct pv_tree_process *pv_tree_find(struct pv_tree *t, pid_t pid)
{
	uint32_t at = pv_map_get(&t->living, (uint64_t)pid);
	return at == PV_MAP_NONE ? NULL : &t->processes.v[at];
}

struct pv_tree_row *pv_tree_row_of(struct pv_tree *t, const struct pv_tree_process *p)
{
	return &t->rows.v[p->row];
}

/* ---- rows */

static void free_row(struct pv_tree_row *r)
{
	free(r->exe);
	free(r->args);
}

static bool may_go(const struct pv_tree_row *r)
{
	return r->ended && !*r->log && r->cpu_ns < PV_TREE_WORTH_NS;
}

/* Drops the rows that matter least; pointers to others follow them. */
static void drop_lightest_rows(struct pv_tree *t)
{
	uint32_t *moved = calloc(t->rows.n, sizeof *moved);
	uint32_t to = 0;
	if (!moved)
		return;
	for (size_t i = 0; i < t->processes.n; i++)
		if (t->processes.v[i].pid && !t->processes.v[i].ended)
			moved[t->processes.v[i].row] = PV_TREE_NONE; /* between two images, too */
	for (size_t i = 0; i < t->rows.n; i++) {
		bool stays = moved[i] || !may_go(&t->rows.v[i]);
		moved[i] = to;
		if (!stays) {
			free_row(&t->rows.v[i]);
			moved[i] = PV_TREE_NONE;
			t->left_out++;
		} else {
			t->rows.v[to++] = t->rows.v[i];
		}
	}
	t->rows.n = to;
	for (size_t i = 0; i < t->processes.n; i++) {
		struct pv_tree_process *p = &t->processes.v[i];
		if (!p->pid)
			continue;
		uint32_t row = moved[p->row];
		if (row == PV_TREE_NONE)
			pv_tree_drop(t, p);
		else
			p->row = row;
	}
	free(moved);
}

static struct pv_tree_row *new_row(struct pv_tree *t, uint32_t *ret)
{
	if (t->rows.n >= PV_TREE_ROWS)
		drop_lightest_rows(t);
	if (t->rows.n >= 2 * PV_TREE_ROWS || !pv_reserve(&t->rows, 1))
		return NULL;
	*ret = (uint32_t)t->rows.n++;
	struct pv_tree_row *r = &t->rows.v[*ret];
	*r = (struct pv_tree_row){ .host = -1, .start_ns = pv_tree_now() };
	t->changed = true;
	return r;
}

static char *copy_words(const char *from, size_t n)
{
	char *to = malloc(n + 1);
	if (to) {
		memcpy(to, from, n);
		to[n] = 0;
	}
	return to;
}

void pv_tree_name(
	struct pv_tree_row *r, const char *exe, size_t exe_len, const char *args, size_t args_len)
{
	free_row(r);
	r->exe = copy_words(exe, exe_len);
	r->args = copy_words(args, args_len);
	r->args_len = r->args ? args_len : 0;
}

/* ---- processes */

bool pv_tree_watch(struct pv_tree *t, int fd, uint64_t token)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = token };
	return epoll_ctl(t->epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

static uint32_t free_slot(struct pv_tree *t)
{
	for (size_t i = 0; i < t->processes.n; i++)
		if (!t->processes.v[i].pid)
			return (uint32_t)i;
	if (!pv_reserve(&t->processes, 1))
		return PV_TREE_NONE;
	t->processes.v[t->processes.n] = (struct pv_tree_process){ .pidfd = -1 };
	return (uint32_t)t->processes.n++;
}

struct pv_tree_process *pv_tree_add(struct pv_tree *t, pid_t pid, pid_t ppid, int pidfd)
{
	uint32_t row = 0;
	struct pv_tree_row *r = new_row(t, &row);
	uint32_t slot = r ? free_slot(t) : PV_TREE_NONE;
	if (slot == PV_TREE_NONE || !pv_map_set(&t->living, (uint64_t)pid, slot)) {
		t->rows.n -= r != NULL;
		pv_fd_close(&pidfd);
		return NULL;
	}
	r->pid = pid;
	r->ppid = ppid;
	t->processes.v[slot] = (struct pv_tree_process){ .pid = pid, .pidfd = pidfd, .row = row };
	if (pidfd >= 0)
		pv_tree_watch(t, pidfd, PV_TREE_TOKEN(PV_TREE_PROCESS, slot));
	return &t->processes.v[slot];
}

/* ---- logs that were cut short: their writers do not report errors */

void pv_tree_cut(struct pv_tree *t, struct pv_tree_row *r, int why)
{
	if (!why || !*r->log || r->cut)
		return;
	r->cut = why;
	t->cut = t->cut ? t->cut : why;
	t->changed = true;
}

int pv_tree_disk(const struct pv_tree *t)
{
	struct statvfs fs;
	if (statvfs(t->folder, &fs) != 0 || fs.f_blocks == 0)
		return 0;
	return (geteuid() == 0 ? fs.f_bfree : fs.f_bavail) == 0 ? ENOSPC : 0;
}

int pv_tree_refused(const struct pv_tree *t, const struct pv_tree_row *r, int disk)
{
	char path[1100];
	struct stat st;
	struct rlimit most;
	snprintf(path, sizeof path, "%s/%s", t->folder, r->log);
	if (disk || !*r->log || prlimit(r->pid, RLIMIT_FSIZE, NULL, &most) != 0 ||
		most.rlim_cur == RLIM_INFINITY || stat(path, &st) != 0)
		return *r->log ? disk : 0;
	return (rlim_t)st.st_size >= most.rlim_cur ? EFBIG : 0;
}

static void end_row(struct pv_tree *t, struct pv_tree_row *r)
{
	char path[1100];
	struct stat st;
	if (r->ended)
		return;
	pv_tree_cut(t, r, pv_tree_refused(t, r, pv_tree_disk(t)));
	r->ended = true;
	r->end_ns = pv_tree_now();
	t->changed = true;
	snprintf(path, sizeof path, "%s/%s", t->folder, r->log);
	t->recording -= *r->log != 0;
	bool there = *r->log && stat(path, &st) == 0;
	if (there)
		t->kept_bytes += (uint64_t)st.st_size;
	if (there && st.st_size == 0 && unlink(path) == 0) {
		*r->log = 0;
		r->cut = 0;
		r->reason = "ended before it could be recorded";
	}
	if (!*r->log && !r->reason && t->no_sdk && r->args &&
		pv_words_are_sdks(r->args, r->args_len))
		r->reason = "of .NET's SDK, which builds or starts the program";
	if (!*r->log && !r->reason)
		r->reason = r->cpu_ns < PV_TREE_WORTH_NS ? "used less than 20 ms"
							 : "ended before it could be recorded";
}

struct pv_tree_row *pv_tree_exec(struct pv_tree *t, struct pv_tree_process *p, uint64_t cpu_ns)
{
	uint32_t row = 0, before = p->row;
	p->hung_up = false;
	pv_tree_used(t, p, cpu_ns);
	end_row(t, &t->rows.v[before]);
	size_t slot = (size_t)(p - t->processes.v);
	struct pv_tree_row old = t->rows.v[before];
	struct pv_tree_row *r = new_row(t, &row);
	if (!r)
		return NULL;
	r->pid = old.pid;
	r->ppid = old.ppid;
	r->image = old.image + 1;
	r->from_ns = cpu_ns;
	t->processes.v[slot].row = row;
	return r;
}

/* ---- processor time */

void pv_tree_used(struct pv_tree *t, struct pv_tree_process *p, uint64_t cpu_ns)
{
	struct pv_tree_row *r = &t->rows.v[p->row];
	uint64_t used = cpu_ns > r->from_ns ? cpu_ns - r->from_ns : 0;
	if (r->ended || p->hung_up || used <= r->cpu_ns)
		return;
	r->cpu_ns = used;
	t->changed = true;
}

/* The clock of another process, as clock_getcpuclockid() gives it, also of a zombie. */
static bool read_clock(pid_t pid, uint64_t *ret)
{
	struct timespec t;
	clockid_t clock;
	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
		return false;
	*ret = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	return true;
}

/* Peak memory of the image, from the system; 0: not known. */
static uint64_t read_memory(pid_t pid)
{
	char path[64], text[2048];
	snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	const char *at = strstr(text, "\nVmHWM:");
	return at ? strtoull(at + sizeof "\nVmHWM:" - 1, NULL, 10) << 10 : 0;
}

void pv_tree_clock(struct pv_tree *t, struct pv_tree_process *p)
{
	uint64_t ns;
	if (p->ended || !read_clock(p->pid, &ns))
		return;
	const struct pv_tree_row *r = &t->rows.v[p->row];
	bool worked = ns > r->from_ns + r->cpu_ns;
	pv_tree_used(t, p, ns);
	if (worked)
		pv_tree_held(t, p, read_memory(p->pid), true);
}

void pv_tree_held(struct pv_tree *t, struct pv_tree_process *p, uint64_t bytes, bool image)
{
	struct pv_tree_row *r = &t->rows.v[p->row];
	if (r->ended || p->hung_up || bytes <= r->memory_bytes ||
		(!image && bytes <= r->from_bytes))
		return;
	r->memory_bytes = bytes;
	t->changed = true;
}

/* ---- ends */

void pv_tree_ended(struct pv_tree *t, struct pv_tree_process *p)
{
	if (p->ended)
		return;
	p->hung_up = false;
	pv_tree_clock(t, p);
	p->ended = true;
	end_row(t, &t->rows.v[p->row]);
	if (pv_tree_find(t, p->pid) == p)
		pv_map_remove(&t->living, (uint64_t)p->pid);
}

void pv_tree_status(struct pv_tree *t, struct pv_tree_process *p, int status)
{
	struct pv_tree_row *r = &t->rows.v[p->row];
	t->changed |= !r->waited;
	r->waited = true;
	r->status = status;
}

void pv_tree_drop(struct pv_tree *t, struct pv_tree_process *p)
{
	pv_tree_ended(t, p);
	pv_fd_close(&p->pidfd);
	p->pid = 0;
}

static bool is_heavier(const struct pv_tree_row *r, const struct pv_tree_row *than, bool now)
{
	if (!than)
		return true;
	bool lives = now && !r->ended && r->cpu_ns >= PV_TREE_WORTH_NS;
	bool other = now && !than->ended && than->cpu_ns >= PV_TREE_WORTH_NS;
	return lives == other ? r->cpu_ns > than->cpu_ns : lives;
}

const struct pv_tree_row *pv_tree_heaviest(const struct pv_tree *t, bool now, size_t *ret_others)
{
	const struct pv_tree_row *most = NULL;
	size_t processes = 0;
	for (size_t i = 0; i < t->rows.n; i++) {
		const struct pv_tree_row *r = &t->rows.v[i];
		processes += r->image == 0;
		if (*r->log && is_heavier(r, most, now))
			most = r;
	}
	processes += (size_t)t->left_out;
	*ret_others = processes ? processes - 1 : 0;
	return most;
}

const struct pv_tree_row *pv_tree_typed(const struct pv_tree *t)
{
	for (size_t i = t->rows.n; i > 0; i--) {
		const struct pv_tree_row *r = &t->rows.v[i - 1];
		if (r->pid == t->program && *r->log)
			return r;
	}
	return NULL;
}

void pv_tree_finish(struct pv_tree *t)
{
	for (size_t i = 0; i < t->rows.n; i++)
		free_row(&t->rows.v[i]);
	for (size_t i = 0; i < t->processes.n; i++)
		pv_fd_close(&t->processes.v[i].pidfd);
	for (size_t i = 0; i < t->lines.n; i++)
		pv_fd_close(&t->lines.v[i].fd);
	pv_array_finish(&t->rows);
	pv_array_finish(&t->processes);
	pv_array_finish(&t->lines);
	pv_map_finish(&t->living);
	pv_fd_close(&t->epoll);
	pv_fd_close(&t->listener);
}
