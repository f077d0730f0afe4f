/* SPDX-License-Identifier: MIT */
/* The command that reads the log, from "output=|COMMAND". */
#ifndef PV_PROBE_COMMAND_H
#define PV_PROBE_COMMAND_H

/*
 * Runs the command by the shell, not as a child of this process: at the command's end the program
 * gets no signal, and wait() does not return the command. Returns an errno value. *ret_input: the
 * end to write to, non-blocking; *ret_alive: hangs up once the command is gone.
 */
int pvp_command_start(const char *command, int *ret_input, int *ret_alive);

#endif
