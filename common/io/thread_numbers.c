/* SPDX-License-Identifier: MIT */
/* Numbers of threads in another pid namespace, from /proc. */
#include "common/io/thread_numbers.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/system/proc_file.h"

enum {
	MOST_KNOWN = 4096, /* threads kept */
	STATUS = 4096,     /* bytes of a status file */
	FIRST_MS = 50,     /* after the first reading; then twice as long */
	MOST_MS = 1000,
};

static uint32_t innermost(pid_t pid, const char *name)
{
	char text[STATUS];
	return pv_proc_read(pid, name, text, sizeof text) > 0 ? (uint32_t)pv_status_innermost(text)
							      : 0;
}

static void begin_numbers(struct pv_thread_numbers *n, pid_t pid)
{
	pv_map_clear(&n->known);
	n->list.n = 0;
	n->pid = pid;
	n->next_ms = 0;
	n->gap_ms = FIRST_MS;
	uint32_t inner = innermost(pid, "status");
	n->same = inner == 0 || inner == (uint32_t)pid;
}

static void add_task_number(struct pv_thread_numbers *n, const char *task)
{
	char name[300];
	const uint32_t ours = (uint32_t)strtoul(task, NULL, 10);
	if (!ours)
		return;
	uint32_t theirs = pv_map_get(&n->known, ours);
	if (theirs == PV_MAP_NONE) {
		snprintf(name, sizeof name, "task/%s/status", task);
		theirs = innermost(n->pid, name);
		(void)pv_map_set(&n->known, ours, theirs);
	}
	if (theirs && pv_reserve(&n->list, 1))
		n->list.v[n->list.n++] = (struct pv_thread_number){ ours, theirs };
}

bool pv_thread_numbers_read(struct pv_thread_numbers *n, pid_t pid, int64_t now_ms)
{
	char path[48];
	if (pid != n->pid)
		begin_numbers(n, pid);
	if (n->same || now_ms < n->next_ms)
		return false;
	n->next_ms = now_ms + n->gap_ms;
	n->gap_ms = n->gap_ms * 2 < MOST_MS ? n->gap_ms * 2 : MOST_MS;
	if (n->known.n >= MOST_KNOWN) /* most threads have ended */
		pv_map_clear(&n->known);
	n->list.n = 0;
	snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
	DIR *dir = opendir(path);
	for (struct dirent *e; dir && n->list.n < MOST_KNOWN && (e = readdir(dir));)
		add_task_number(n, e->d_name);
	if (dir)
		closedir(dir);
	return n->list.n > 0;
}

void pv_thread_numbers_finish(struct pv_thread_numbers *n)
{
	pv_map_finish(&n->known);
	pv_array_finish(&n->list);
}
