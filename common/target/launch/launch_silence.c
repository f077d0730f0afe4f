/* SPDX-License-Identifier: MIT */
/* Why nothing comes of a started program, and which of its processes could be joined. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/coreclr.h"
#include "common/base/utf8.h"
#include "common/target/launch/launch.h"
#include "common/target/process/process_limits.h"
#include "common/target/process/proc.h"

/* Whether the process has one of this launch's libraries in its memory. */
static bool has_library(pid_t pid, const struct pv_launch *l)
{
	char path[64], line[PV_PROGRAM_PATH + 256];
	const char *slash = strrchr(l->library, '/'), *name = slash ? slash + 1 : l->library;
	bool any = l->program.kind == PV_PROGRAM_SCRIPT, found = false;
	snprintf(path, sizeof path, "/proc/%ld/maps", (long)pid);
	FILE *f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof line, f))
		found = strstr(line, name) || (any && strstr(line, PV_CORECLR_LIBRARY));
	if (f)
		fclose(f);
	return found;
}

/* The first line is for a running script, the second for an ended one. */
static void silence_of_script(pid_t pid, char *to, size_t room)
{
	if (pid)
		snprintf(to, room,
			"nothing that this script runs is Mono or .NET so far, or it cleans its"
			" environment");
	else
		snprintf(to, room,
			"nothing that this script ran is Mono or .NET or used 20 ms, or it cleaned its"
			" environment; --record FOLDER/ lists all with the reasons");
}

void pv_launch_silence(const struct pv_launch *l, pid_t pid, char *to, size_t room)
{
	const char *name = strrchr(l->library, '/');
	char limits[160];
	name = name ? name + 1 : l->library;
	if (l->cleaned)
		snprintf(to, room,
			"env starts it without the environment that leads a probe in: leave out -i, -u");
	else if (access(l->library, R_OK) != 0)
		snprintf(to, room, "the probe's library is gone: %s", PV_FIT(l->library, 120));
	else if (pid && has_library(pid, l))
		snprintf(to, room, "%s is loaded, but has written nothing yet", name);
	else if (l->program.kind == PV_PROGRAM_SCRIPT)
		silence_of_script(pid, to, room);
	else if (pid)
		snprintf(to, room,
			"process %ld has not loaded %s: not started yet, or an option is refused"
			" (see its output), or it cleans its environment",
			(long)pid, name);
	else if (pv_limits_tight(limits, sizeof limits))
		snprintf(to, room,
			"the program ended without a word from %s, for which there may be too little: %s",
			name, limits);
	else
		snprintf(to, room,
			"the program ended without a word from %s: an option it refuses (see its"
			" output), or its environment was cleaned",
			name);
}

/* Whether the pipe of this launch stands in the process's environment. */
static bool is_its(const struct pv_launch *l, pid_t pid)
{
	char path[64];
	static char text[256 << 10];
	snprintf(path, sizeof path, "/proc/%ld/environ", (long)pid);
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(text, 1, sizeof text, f) : 0;
	if (f)
		fclose(f);
	return memmem(text, n, l->folder, strlen(l->folder)) != NULL;
}

void pv_launch_others(const struct pv_launch *l, pid_t followed, char *to, size_t room)
{
	char command[80];
	DIR *proc = opendir("/proc");
	struct dirent *d;
	size_t n = 0;
	*to = 0;
	while (proc && (d = readdir(proc))) {
		pid_t pid = (pid_t)strtol(d->d_name, NULL, 10);
		if (pid <= 0 || pid == followed || !is_its(l, pid) || !has_library(pid, l))
			continue;
		pv_process_command(pid, command, sizeof command);
		int k = snprintf(to + n, room - n, "%s%ld %s", n ? ", " : "", (long)pid, command);
		n = k > 0 && (size_t)k < room - n ? n + (size_t)k : n;
		to[n] = 0;
	}
	if (proc)
		closedir(proc);
}
