/* SPDX-License-Identifier: MIT */
/* Finds the probes' libraries and the recorder: installed, built, or carried in the one file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/target/launch/launch.h"
#include "common/target/process/carried.h"

static bool library_below(const char *folder, const char *name, char to[PV_PROGRAM_PATH])
{
	static const char *const places[] = { "probe", "../lib/profview",
		"../lib/x86_64-linux-gnu/profview", "../lib/aarch64-linux-gnu/profview",
		"../lib64/profview" };
	char path[PV_PROGRAM_PATH];
	for (size_t i = 0; i < PV_COUNT_OF(places); i++) {
		int n = snprintf(path, sizeof path, "%s/%s/%s", folder, places[i], name);
		if (n >= (int)sizeof path || access(path, R_OK) != 0)
			continue;
		char *real = realpath(path, NULL);
		snprintf(to, PV_PROGRAM_PATH, "%s", real ? real : path);
		free(real);
		return true;
	}
	return false;
}

static bool is_a_file(const char *name, char to[PV_PROGRAM_PATH])
{
	char self[PV_PROGRAM_PATH];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	if (n <= 0)
		return false;
	self[n] = 0;
	char *slash = strrchr(self, '/');
	if (slash)
		*slash = 0;
	return library_below(self, name, to);
}

bool pv_launch_has_library(const char *name)
{
	char path[PV_PROGRAM_PATH];
	return is_a_file(name, path) || pv_carried_has(name);
}

bool pv_launch_library(const char *name, char to[PV_PROGRAM_PATH], struct pv_error *reterr)
{
	if (is_a_file(name, to))
		return true;
	*to = 0;
	return pv_carried_has(name)
		       ? pv_carried_put(name, to, reterr)
		       : pv_fail(reterr, PV_EUSAGE, 0, "%s is neither installed nor built", name);
}
