/* A command that reads the log, as "output=|COMMAND" asks for. */
#ifndef PV_PROBE_COMMAND_H
#define PV_PROBE_COMMAND_H

/*
 * Runs it by the shell. It is no child of this process: the program gets no signal when it ends,
 * and does not meet it in wait(). Returns an errno value. *ret_input: the end to write to,
 * non-blocking; *ret_alive: hangs up once the command is gone.
 */
int pvp_command_start(const char *command, int *ret_input, int *ret_alive);

#endif
