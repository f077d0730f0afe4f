/* SPDX-License-Identifier: MIT */
/*
 * Processes on this machine that can be joined: with our probe, Mono, .NET with its diagnostics
 * socket, and native ones of this user, from outside. Reads /proc and a few folders; opens only
 * sockets of the process's own user. Texts are foreign: showable.h before a person sees
 * them. Any thread.
 */
#ifndef PV_TARGET_JOINABLE_H
#define PV_TARGET_JOINABLE_H

#include <stddef.h>
#include <sys/types.h>

#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/target/launch/join_ways.h"
#include "common/target/process/proc.h"

enum pv_join { PV_JOIN_PROBE, PV_JOIN_MONO, PV_JOIN_DOTNET, PV_JOIN_NATIVE };

enum pv_join_answer {
	PV_JOIN_UNASKED, /* Mono and native code have nothing that could be asked */
	PV_JOIN_ANSWERED,
	PV_JOIN_SILENT, /* no answer in time, or none that is understood */
};

struct pv_joinable {
	pid_t pid;
	enum pv_join how;
	enum pv_join_answer answer;
	char runtime[24]; /* "mono", "native", ".NET" */
	char version[24]; /* of .NET, or of the probe; "" when it does not say */
	char path[160];   /* of the socket; "" where there is none */
	char command[256];
	unsigned ways;     /* 1 << enum pv_join_way */
	char refused[200]; /* why the probe is none of them; "" */
};

struct pv_joinables {
	PV_ARRAY(struct pv_joinable) list; /* by pid, then how */
};

/*
 * All processes are asked at once, in less than a second, whatever they do. Native ones only while
 * running; with `idle` all. False when out of memory, with the processes found until then.
 */
bool pv_joinables_find(struct pv_joinables *ret, bool idle, struct pv_error *reterr);
void pv_joinables_finish(struct pv_joinables *j);

#endif
