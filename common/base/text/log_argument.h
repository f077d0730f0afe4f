/* SPDX-License-Identifier: MIT */
/* A log's path in a command that is printed. Any thread. */
#ifndef PV_BASE_LOG_ARGUMENT_H
#define PV_BASE_LOG_ARGUMENT_H

#include <stdio.h>

/*
 * The path as an argument, quoted for a shell where need be. What came from a pipe ("-") can be
 * read no more: FILE. Errors stay in the stream, see ferror().
 */
void pv_put_log_argument(FILE *out, const char *path);

#endif
