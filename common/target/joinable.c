#include "common/target/joinable.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/io/fd.h"
#include "common/target/probe_socket.h"

enum { ASK_MS = 500 };

struct search {
	struct pv_joinables *to;
	bool failed;
};

static ssize_t read_proc(pid_t pid, const char *what, char *to, size_t room)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, what);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 0, k = fd < 0 ? -1 : 1;
	while (k > 0 && (size_t)n < room - 1) {
		k = pv_fd_read(fd, to + n, room - 1 - (size_t)n);
		n += k > 0 ? k : 0;
	}
	if (fd >= 0)
		close(fd);
	to[n] = 0;
	return n;
}

void pv_process_command(pid_t pid, char *to, size_t room)
{
	ssize_t n = read_proc(pid, "cmdline", to, room);
	while (n > 0 && !to[n - 1])
		n--;
	for (ssize_t i = 0; i < n; i++)
		if ((unsigned char)to[i] < ' ' || to[i] == 127)
			to[i] = ' ';
}

static bool add(struct search *s, struct pv_joinable *j)
{
	struct pv_joinables *to = s->to;
	pv_process_command(j->pid, j->command, sizeof j->command);
	s->failed = !pv_reserve(&to->list, 1);
	if (!s->failed)
		to->list.v[to->list.n++] = *j;
	return !s->failed;
}

static bool has(const struct pv_joinables *all, pid_t pid)
{
	for (size_t i = 0; i < all->list.n; i++)
		if (all->list.v[i].pid == pid)
			return true;
	return false;
}

static bool add_probe(void *ctx, const char *path, pid_t pid)
{
	char answer[PV_PROBE_ANSWER];
	struct pv_joinable j = { .pid = pid, .how = PV_JOIN_PROBE };
	if (!pv_probe_ask(path, pid, "stats", ASK_MS, answer, NULL))
		return true;
	pv_probe_word(answer, "host", j.runtime, sizeof j.runtime);
	pv_probe_word(answer, "version", j.version, sizeof j.version);
	snprintf(j.path, sizeof j.path, "%s", path);
	return add(ctx, &j);
}

/* "dotnet-diagnostic-PID-START-socket" */
static bool find_dotnet(struct search *s, pid_t pid, const char *folder)
{
	char want[64];
	struct stat st;
	struct pv_joinable j = { .pid = pid, .how = PV_JOIN_DOTNET, .runtime = ".NET" };
	int n = snprintf(want, sizeof want, "dotnet-diagnostic-%ld-", (long)pid);
	DIR *dir = opendir(folder);
	struct dirent *d;
	bool found = false;
	while (dir && !found && (d = readdir(dir))) {
		if (strncmp(d->d_name, want, (size_t)n) != 0)
			continue;
		found = snprintf(j.path, sizeof j.path, "%s/%s", folder, d->d_name) <
				(int)sizeof j.path &&
			lstat(j.path, &st) == 0 && S_ISSOCK(st.st_mode);
	}
	if (dir)
		closedir(dir);
	return !found || add(s, &j);
}

/* Where the process has its temporary files, as it was told when it began. */
static void temporary_folder(pid_t pid, char *to, size_t room)
{
	static char environment[128 << 10];
	ssize_t n = read_proc(pid, "environ", environment, sizeof environment);
	snprintf(to, room, "/tmp");
	for (const char *at = environment; at < environment + n; at += strlen(at) + 1)
		if (strncmp(at, "TMPDIR=/", 8) == 0 && strlen(at + 7) < room)
			snprintf(to, room, "%s", at + 7);
}

static bool is_mono(pid_t pid)
{
	char link[64], exe[256];
	snprintf(link, sizeof link, "/proc/%ld/exe", (long)pid);
	ssize_t n = readlink(link, exe, sizeof exe - 1);
	if (n <= 0)
		return false;
	exe[n] = 0;
	const char *base = strrchr(exe, '/');
	base = base ? base + 1 : exe;
	return strcmp(base, "mono") == 0 || strncmp(base, "mono-sgen", 9) == 0 ||
	       strncmp(base, "mono-boehm", 10) == 0;
}

static bool look_at(struct search *s, pid_t pid, uid_t owner)
{
	char folder[128];
	struct pv_joinable mono = { .pid = pid, .how = PV_JOIN_MONO, .runtime = "mono" };
	if ((owner != geteuid() && geteuid() != 0) || has(s->to, pid))
		return true;
	if (is_mono(pid))
		return add(s, &mono);
	temporary_folder(pid, folder, sizeof folder);
	return find_dotnet(s, pid, folder);
}

static int by_pid(const void *a, const void *b)
{
	const struct pv_joinable *x = a, *y = b;
	return x->pid != y->pid ? (x->pid < y->pid ? -1 : 1) : (int)x->how - (int)y->how;
}

bool pv_joinables_find(struct pv_joinables *ret, struct pv_error *reterr)
{
	struct search s = { .to = ret };
	*ret = (struct pv_joinables){ 0 };
	pv_probe_each(add_probe, &s);
	DIR *proc = opendir("/proc");
	struct dirent *d;
	struct stat st;
	while (proc && !s.failed && (d = readdir(proc))) {
		long pid = strtol(d->d_name, NULL, 10);
		if (pid > 0 && pid != getpid() && fstatat(dirfd(proc), d->d_name, &st, 0) == 0)
			look_at(&s, (pid_t)pid, st.st_uid);
	}
	if (proc)
		closedir(proc);
	if (ret->list.n)
		qsort(ret->list.v, ret->list.n, sizeof *ret->list.v, by_pid);
	return !s.failed || pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
}

void pv_joinables_finish(struct pv_joinables *j)
{
	pv_array_finish(&j->list);
}
