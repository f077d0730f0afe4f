/* SPDX-License-Identifier: MIT */
/* Reads files of /proc, and finds their fields. */
#include "common/base/system/proc_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

ssize_t pv_text_read(const char *path, char *to, size_t room)
{
	size_t n = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : 0;
	while (fd >= 0 && n + 1 < room) {
		got = read(fd, to + n, room - 1 - n);
		if (got == 0 || (got < 0 && errno != EINTR))
			break;
		n += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	to[n] = 0;
	return got < 0 && n == 0 ? -1 : (ssize_t)n;
}

ssize_t pv_proc_read(pid_t pid, const char *name, char *to, size_t room)
{
	char path[64];
	if (pid)
		snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
	else
		snprintf(path, sizeof path, "/proc/self/%s", name);
	return pv_text_read(path, to, room);
}

const char *pv_stat_find(const char *text, enum pv_stat_field field)
{
	const char *at = strrchr(text, ')');
	for (unsigned i = 2; at && i < (unsigned)field; i++)
		at = strchr(at + 1, ' ');
	return at ? at + 1 : NULL;
}

uint64_t pv_stat_number(const char *text, enum pv_stat_field field)
{
	const char *at = pv_stat_find(text, field);
	return at ? strtoull(at, NULL, 10) : 0;
}

long pv_status_innermost(const char *text)
{
	long last = 0, n;
	char *end;
	const char *at = strstr(text, "\nNSpid:");
	for (at = at ? at + 7 : ""; *at && *at != '\n'; at = end, last = n) {
		n = strtol(at, &end, 10);
		if (end == at)
			break;
	}
	return last;
}

int64_t pv_process_age_ms(pid_t pid)
{
	char text[1024];
	struct timespec now;
	long hz = sysconf(_SC_CLK_TCK);
	const char *at = NULL;
	if (pv_proc_read(pid, "stat", text, sizeof text) > 0)
		at = pv_stat_find(text, PV_STAT_START);
	if (!at || hz <= 0 || clock_gettime(CLOCK_BOOTTIME, &now) != 0)
		return -1;
	int64_t began = (int64_t)(strtoull(at, NULL, 10) * 1000 / (uint64_t)hz);
	int64_t age = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 - began;
	return age > 0 ? age : 0;
}

unsigned pv_seccomp_filters(const char *of)
{
	static const char mode[] = "\nSeccomp:", number[] = "\nSeccomp_filters:";
	char path[48], text[4096];
	snprintf(path, sizeof path, "/proc/%s/status", of);
	pv_text_read(path, text, sizeof text);
	const char *at = strstr(text, mode);
	if (!at || strtol(at + sizeof mode - 1, NULL, 10) == 0)
		return 0;
	at = strstr(text, number);
	unsigned long n = at ? strtoul(at + sizeof number - 1, NULL, 10) : 0;
	return n ? (unsigned)n : 1;
}
