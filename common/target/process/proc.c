/* SPDX-License-Identifier: MIT */
/* Facts of a process from /proc. */
#include "common/target/process/proc.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/system/proc_file.h"

void pv_process_command(pid_t pid, char *to, size_t room)
{
	ssize_t n = pv_proc_read(pid, "cmdline", to, room);
	while (n > 0 && !to[n - 1])
		n--;
	for (ssize_t i = 0; i < n; i++)
		if (!to[i]) /* between the words */
			to[i] = ' ';
}

bool pv_process_is_younger(pid_t pid, int ms)
{
	int64_t age = pv_process_age_ms(pid);
	return age >= 0 && age < ms;
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
