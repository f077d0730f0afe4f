/* SPDX-License-Identifier: MIT */
/* Processes whose probe never asked the launcher: found by looking, a few times a second. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/system/proc_file.h"
#include "common/target/launch/launch_exit.h"
#include "common/target/launch/launch_serve.h"
#include "common/target/process/program.h"

enum { LIST = 4096, MOST = 4096 /* processes in one look */, ENVIRONMENT = 256 << 10 };

struct found {
	pid_t pid[MOST], parent[MOST];
	uint32_t n;
};

static void add_found(struct found *f, pid_t pid, pid_t parent)
{
	if (f->n == MOST)
		return;
	f->pid[f->n] = pid;
	f->parent[f->n++] = parent;
}

/* Numbers with blanks between them. */
static void add_listed(struct found *f, int fd, pid_t parent)
{
	char text[LIST];
	pid_t pid = 0;
	for (ssize_t n; (n = read(fd, text, sizeof text)) > 0;) {
		for (ssize_t i = 0; i < n; i++) {
			bool digit = text[i] >= '0' && text[i] <= '9';
			if (!digit && pid)
				add_found(f, pid, parent);
			pid = digit ? pid * 10 + (text[i] - '0') : 0;
		}
	}
}

/* Each thread has a list of its children. */
static void add_children(struct found *f, pid_t of)
{
	char path[300];
	snprintf(path, sizeof path, "/proc/%ld/task", (long)of);
	DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d));) {
		if (*e->d_name == '.')
			continue;
		snprintf(path, sizeof path, "/proc/%ld/task/%.200s/children", (long)of, e->d_name);
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		add_listed(f, fd, of);
		close(fd);
	}
	if (d)
		closedir(d);
}

/* ---- a silent process */

static bool is_others(const struct pv_tree *t, pid_t pid)
{
	char path[64];
	struct stat st;
	snprintf(path, sizeof path, "/proc/%ld", (long)pid);
	return stat(path, &st) == 0 && st.st_uid != t->uid && st.st_uid != 0;
}

/* A variable that is missing for a probe to load and ask; NULL: none. */
static const char *lacks_environment(const struct pv_tree *t, pid_t pid)
{
	static const char library[] = "libprofview-native.so";
	char *text = malloc(ENVIRONMENT);
	ssize_t n = text ? pv_proc_read(pid, "environ", text, ENVIRONMENT) : -1;
	const char *lacks = NULL;
	if (text && n >= 0 && !memmem(text, (size_t)n, t->socket, strlen(t->socket)))
		lacks = "environment cleaned";
	else if (text && n >= 0 && !memmem(text, (size_t)n, library, sizeof library - 1))
		lacks = "LD_PRELOAD was replaced";
	free(text);
	return lacks;
}

/* Why no probe spoke, in a word. NULL: cannot be seen. */
static const char *why_silent(const struct pv_tree *t, pid_t pid, const char *exe, bool hidden)
{
	static struct pv_program program;
	bool missing;
	program.refused = NULL;
	if (*exe)
		pv_program_look(exe, &program, &missing, NULL);
	if (program.refused)
		return program.refused;
	if (is_others(t, pid))
		return "other user";
	if (hidden)
		return "set-id";
	return *exe ? lacks_environment(t, pid) : NULL;
}

static void describe_process(struct pv_tree *t, struct pv_tree_process *p)
{
	char path[64], exe[PV_ASK_EXE], args[PV_ASK_ARGS];
	struct pv_tree_row *r = pv_tree_row_of(t, p);
	snprintf(path, sizeof path, "/proc/%ld/exe", (long)p->pid);
	ssize_t n = readlink(path, exe, sizeof exe - 1);
	bool hidden = n < 0 && errno == EACCES;
	exe[n > 0 ? n : 0] = 0;
	ssize_t len = pv_proc_read(p->pid, "cmdline", args, sizeof args);
	if (n > 0 || !r->exe) /* the process may have ended by now */
		pv_tree_name(r, exe, strlen(exe), args, len > 0 ? (size_t)len : 0);
	if (!*r->log)
		r->reason = why_silent(t, p->pid, exe, hidden);
	t->changed = true;
}

static bool has_ended(pid_t pid)
{
	char text[1024];
	pv_proc_read(pid, "stat", text, sizeof text);
	const char *state = pv_stat_find(text, PV_STAT_STATE);
	return !state || *state == 'Z' || *state == 'X';
}

/*
 * A process may be met between fork and exec, and while its libraries are loaded: then once more.
 */
static void look_at_pid(struct pv_tree *t, pid_t pid, pid_t parent)
{
	enum { SIGHTINGS = 3 };
	struct pv_tree_process *p = pv_tree_find(t, pid);
	if (!p && has_ended(pid))
		return; /* known before, or too short */
	if (!p) {
		p = pv_tree_add(t, pid, parent, pv_exit_watch(-1, pid));
		if (!p)
			return;
		p->silent = true;
	}
	if (p->silent && p->seen < SIGHTINGS) {
		p->seen++;
		describe_process(t, p);
	}
}

/* Whether the process runs another file than the row says, with no word from that image's probe. */
static void look_for_exec(struct pv_tree *t, pid_t pid)
{
	char path[64], exe[PV_ASK_EXE];
	struct pv_tree_process *p = pv_tree_find(t, pid);
	struct pv_tree_row *r = p && !p->silent && p->hung_up ? pv_tree_row_of(t, p) : NULL;
	if (!r || !r->exe || !*r->exe || p->seen++ == 0)
		return; /* at first the probe may be about to speak */
	snprintf(path, sizeof path, "/proc/%ld/exe", (long)pid);
	ssize_t n = readlink(path, exe, sizeof exe - 1);
	exe[n > 0 ? n : 0] = 0;
	if (n <= 0 || strcmp(exe, r->exe) == 0) {
		p->hung_up = n <= 0; /* the program has closed the connection, no more */
		return;
	}
	size_t slot = (size_t)(p - t->processes.v);
	uint64_t used = r->from_ns + r->cpu_ns;
	if ((r->forked && !*r->log) || pv_tree_exec(t, p, used)) {
		p = &t->processes.v[slot];
		p->seen = 0;
		p->hung_up = false;
		pv_tree_row_of(t, p)->forked = false;
		pv_tree_row_of(t, p)->host = -1;
		p->silent = true;
		describe_process(t, p);
	}
}

void pv_tree_scan(struct pv_tree *t)
{
	struct found *f = malloc(sizeof *f);
	if (!f)
		return;
	f->n = 0;
	add_children(f, getpid());
	for (uint32_t i = 0; i < f->n; i++)
		add_children(f, f->pid[i]);
	for (uint32_t i = 0; i < f->n; i++) {
		look_at_pid(t, f->pid[i], f->parent[i]);
		look_for_exec(t, f->pid[i]);
	}
	free(f);
}
