/*
 * Processes on this machine that can be joined: with a probe of ours inside, Mono, .NET with its
 * diagnostics socket. Examines /proc and a few folders; opens nothing of a process but sockets that
 * its own user made. Texts are as they came: showable.h before a person sees them. Any thread.
 */
#ifndef PV_TARGET_JOINABLE_H
#define PV_TARGET_JOINABLE_H

#include <stddef.h>
#include <sys/types.h>

#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/target/join_ways.h"
#include "common/target/proc.h"

enum pv_join { PV_JOIN_PROBE, PV_JOIN_MONO, PV_JOIN_DOTNET };

enum pv_join_answer {
	PV_JOIN_UNASKED, /* Mono has nothing that could be asked */
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
 * All of them are asked at once; takes less than a second, whatever they do. False when out of
 * memory; what was found until then is there.
 */
bool pv_joinables_find(struct pv_joinables *ret, struct pv_error *reterr);
void pv_joinables_finish(struct pv_joinables *j);

#endif
