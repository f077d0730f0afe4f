#include "common/target/joinable.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/target/dotnet_ipc.h"
#include "common/target/probe_socket.h"

enum { ASK_MS = 500 };

struct search {
	struct pv_joinables *to;
	bool failed;
};

void pv_process_command(pid_t pid, char *to, size_t room)
{
	ssize_t n = pv_proc_read(pid, "cmdline", to, room);
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

/* Its version is asked for, which one that is stopped does not tell. */
static void ask_dotnet(struct pv_joinable *j, struct pv_dotnet *d)
{
	pv_dotnet_ask(d, ASK_MS, NULL);
	snprintf(j->runtime, sizeof j->runtime, ".NET");
	snprintf(j->version, sizeof j->version, "%.*s", (int)strcspn(d->version, "+"), d->version);
}

static bool add_probe(void *ctx, const char *path, pid_t pid)
{
	char answer[PV_PROBE_ANSWER];
	struct pv_joinable j = { .pid = pid, .how = PV_JOIN_PROBE };
	struct pv_dotnet d;
	if (!pv_probe_ask(path, pid, "stats", ASK_MS, answer, NULL))
		return true;
	pv_probe_word(answer, "host", j.runtime, sizeof j.runtime);
	pv_probe_word(answer, "version", j.version, sizeof j.version);
	if (strcmp(j.runtime, "coreclr") == 0 && pv_dotnet_find(&d, pid, NULL))
		ask_dotnet(&j, &d);
	snprintf(j.path, sizeof j.path, "%s", path);
	return add(ctx, &j);
}

static bool find_dotnet(struct search *s, pid_t pid)
{
	struct pv_joinable j = { .pid = pid, .how = PV_JOIN_DOTNET };
	struct pv_dotnet d;
	if (!pv_dotnet_find(&d, pid, NULL))
		return true;
	ask_dotnet(&j, &d);
	snprintf(j.path, sizeof j.path, "%s", d.socket);
	return add(s, &j);
}

bool pv_process_is_younger(pid_t pid, int ms)
{
	char stat[1024];
	struct timespec now;
	const char *at = NULL;
	unsigned long long start = 0;
	if (pv_proc_read(pid, "stat", stat, sizeof stat) > 0)
		at = strrchr(stat, ')'); /* field 2; the start, in ticks since boot, is 22 */
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (!at || sscanf(at, " %llu", &start) != 1 || clock_gettime(CLOCK_BOOTTIME, &now) != 0)
		return false;
	long long began = (long long)start * 1000 / sysconf(_SC_CLK_TCK);
	return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000 - began < ms;
}

bool pv_process_is_mono(pid_t pid)
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
	struct pv_joinable mono = { .pid = pid, .how = PV_JOIN_MONO, .runtime = "mono" };
	if ((owner != geteuid() && geteuid() != 0) || has(s->to, pid))
		return true;
	if (pv_process_is_mono(pid))
		return add(s, &mono);
	return find_dotnet(s, pid);
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
