/* SPDX-License-Identifier: MIT */
/* Sampled code of .NET, and the IL places of the code. Nothing without the word `lines`. */
#ifndef PV_PROBE_CLR_LINES_H
#define PV_PROBE_CLR_LINES_H

#include <stdbool.h>
#include <stdint.h>

struct pvp_writer;

/* A sample met this method's code: any thread. False: too many bodies wait; try again later. */
bool pvp_clr_lines_note(uint64_t ip, uint64_t method);
/* The same for the writer, with a memory of addresses. */
void pvp_clr_lines_met(uint64_t ip, uint64_t method);

/*
 * The writer's: the key of a caller at the address in a method's code, written before use, with the
 * given time in ns; the method's own key if there is no room. again: a new reader has no keys yet.
 */
uint64_t pvp_clr_lines_place(
	struct pvp_writer *w, uint64_t address, uint64_t method, uint64_t time);
void pvp_clr_lines_again(void);

/* The key of a frame of an event's stack, called from the address. Threads of the program. */
uint64_t pvp_clr_lines_called(uint64_t address, uint64_t method);

/* Whether some are noted; the agent's: asks the runtime for them, and has them written. */
bool pvp_clr_lines_waiting(void);
void pvp_clr_lines_resolve(void);

void pvp_clr_lines_forget(void); /* all of them */

#endif
