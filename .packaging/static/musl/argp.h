/* SPDX-License-Identifier: MIT */
/* The part of glibc's <argp.h> that elfutils names. profview parses no options with it: nothing here does anything. */
#pragma once
#include <errno.h>
#include <stdio.h>

typedef int error_t;
struct argp_state;
struct argp_option {
	const char *name;
	int key;
	const char *arg;
	int flags;
	const char *doc;
	int group;
};
struct argp {
	const struct argp_option *options;
	error_t (*parser)(int key, char *arg, struct argp_state *state);
	const char *args_doc, *doc;
	const void *children, *help_filter;
	const char *argp_domain;
};
struct argp_child {
	const struct argp *argp;
	int flags;
	const char *header;
	int group;
};
struct argp_state {
	const struct argp *root_argp;
	int argc, next;
	char **argv;
	unsigned flags, arg_num;
	int quoted;
	void *input, **child_inputs, *hook;
	char *name;
	FILE *err_stream, *out_stream;
	void *pstate;
};

enum { ARGP_KEY_INIT = 0x1000003, ARGP_KEY_SUCCESS, ARGP_KEY_ERROR, ARGP_KEY_END = 0x1000001 };
enum { OPTION_ARG_OPTIONAL = 1, OPTION_HIDDEN = 2, OPTION_DOC = 8 };
enum { ARGP_HELP_STD_USAGE = 2, ARGP_HELP_SEE = 8, ARGP_HELP_EXIT_ERR = 0x100 };
#define ARGP_ERR_UNKNOWN E2BIG

static inline void argp_help(const struct argp *a, FILE *to, unsigned flags, char *name)
{
}
static inline void argp_error(const struct argp_state *s, const char *format, ...)
{
}
static inline void argp_state_help(const struct argp_state *s, FILE *to, unsigned flags)
{
}
static inline void argp_failure(const struct argp_state *s, int status, int error, const char *format, ...)
{
}
static inline error_t argp_parse(const struct argp *a, int argc, char **argv, unsigned flags, int *next, void *input)
{
	return 0;
}
