/* SPDX-License-Identifier: MIT */
/* Commands to a recording from outside, a line each. For the control socket's thread. */
#ifndef PV_PROBE_CONTROL_COMMANDS_H
#define PV_PROBE_CONTROL_COMMANDS_H

#include "probe/ground/host.h"

enum { PVP_SAY = 2048 };

/*
 * Does what `line` says; `say` (room PVP_SAY) takes what stands after "ok " or "error ".
 * Waits at most for the linger time of the options. Called with the guard held.
 */
enum pvp_reply pvp_control_command(
	const struct pvp_host *host, const char *line, char *say, size_t room);

#endif
