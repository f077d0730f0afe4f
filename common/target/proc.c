#include "common/target/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/target/dotnet_ipc.h"

void pv_process_command(pid_t pid, char *to, size_t room)
{
	ssize_t n = pv_proc_read(pid, "cmdline", to, room);
	while (n > 0 && !to[n - 1])
		n--;
	for (ssize_t i = 0; i < n; i++)
		if (!to[i]) /* between its words */
			to[i] = ' ';
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
