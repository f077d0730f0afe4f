/* SPDX-License-Identifier: MIT */
/* Recordings of the fake host, by tests of the probe: started, filled and counted. */
#ifndef PV_TESTS_SESSION_KIT_H
#define PV_TESTS_SESSION_KIT_H

#include <stdint.h>

/* Starts a recording into that file; more: further options, each after a comma. Returns as pvp_session_start(). */
int session_start(const char *output, const char *more);

/* Pairs of enter and leave, of so many methods of the fake host by turns, numbered from the first. */
void session_emit(uint64_t pairs, unsigned first, unsigned methods);

/* Events of the log, as probe_log_events() counts them; the test fails when it cannot be read. */
uint64_t session_events(const char *path);

#endif
