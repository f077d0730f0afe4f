/* SPDX-License-Identifier: MIT */
/* Reads the command lines of programs that only start others. */
#include "common/target/process/starter.h"

#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "common/target/process/program.h"

enum { DEEP = 8 };

/* `valued`: letters of options whose value is the next word; `operands`: words before the command.
 */
static const struct starter {
	const char *name, *valued;
	int operands;
} starters[] = {
	{ "env", "uCS", 0 },
	{ "nice", "n", 0 },
	{ "nohup", "", 0 },
	{ "setsid", "", 0 },
	{ "stdbuf", "ioe", 0 },
	{ "timeout", "ks", 1 },
	{ "taskset", "", 1 },
	{ "chrt", "TPD", 1 },
	{ "ionice", "cnp", 0 },
	{ "time", "fo", 0 },
	{ "tini", "pe", 0 },
	{ "dumb-init", "r", 0 },
	{ "catchsegv", "", 0 },
	{ "unbuffer", "", 0 },
};

static const char *const shells[] = { "sh", "bash", "dash", "ash", "zsh", "ksh", "busybox" };
static const char *const others[] = { "make", "gmake", "ninja", "npm", "npx", "yarn", "pnpm",
	"xargs", "parallel", "watch", "find", "sudo", "su", "doas", "runuser", "systemd-run",
	"script", "strace", "ltrace", "gdb", "perf", "valgrind" };

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool is_among(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, list[i]) == 0)
			return true;
	return false;
}

static bool is_assignment(const char *word)
{
	size_t n = strcspn(word, "=");
	return n && word[n] == '=' && !memchr(word, '/', n);
}

/* -i, -, -u of what leads a probe in. */
static bool cleans(const char *option, const char *value)
{
	bool all = strcmp(option, "-") == 0 || strcmp(option, "-i") == 0 ||
		   strcmp(option, "--ignore-environment") == 0;
	return all ||
	       (strcmp(option, "-u") == 0 && value &&
		       (strcmp(value, "LD_PRELOAD") == 0 || strncmp(value, "CORECLR_", 8) == 0 ||
			       strcmp(value, "MONO_ENV_OPTIONS") == 0));
}

/* After the starter's own options and operands. */
static char *const *words_after(const struct starter *s, char *const *words, bool *cleaned)
{
	bool is_env = strcmp(s->name, "env") == 0, ends = false;
	int operands = s->operands;
	for (words++; *words; words++) {
		const char *w = *words;
		if (!ends && *w == '-' && (w[1] || is_env)) {
			ends = strcmp(w, "--") == 0;
			*cleaned |= is_env && cleans(w, words[1]);
			bool apart = w[1] != '-' && w[1] && !w[2] && strchr(s->valued, w[1]);
			words += apart && words[1];
		} else if (is_env && is_assignment(w)) {
			continue;
		} else if (operands-- <= 0) {
			break;
		}
	}
	return words;
}

/* The text of -c; NULL: commands come from somewhere else. */
static const char *line_of(char *const *words)
{
	for (words++; *words && **words == '-' && (*words)[1]; words++) {
		if ((*words)[1] == '-' || !strchr(*words, 'c'))
			continue;
		return words[1];
	}
	return NULL;
}

static char *const *script_of(char *const *words)
{
	for (words++; *words && **words == '-'; words++)
		;
	return words;
}

static enum pv_starter at_shell(char *const *words, char command[PV_STARTER_WORD])
{
	const char *line = line_of(words);
	char *const *script = script_of(words);
	if (line && pv_program_of_line(line, command, PV_STARTER_WORD))
		return PV_STARTER_GUESSED;
	if (line || !*script)
		return PV_STARTER_UNKNOWN;
	snprintf(command, PV_STARTER_WORD, "%s", *script);
	return PV_STARTER_GUESSED;
}

enum pv_starter pv_starter_look(char *const *words, char command[PV_STARTER_WORD], bool *ret_cleans)
{
	enum pv_starter what = PV_STARTER_NONE;
	*ret_cleans = false;
	for (int depth = 0; depth < DEEP; depth++) {
		const char *name = base_of(words[0]);
		const struct starter *s = starters;
		while (s < starters + PV_COUNT_OF(starters) && strcmp(s->name, name) != 0)
			s++;
		if (is_among(name, shells, PV_COUNT_OF(shells)))
			return at_shell(words, command);
		if (is_among(name, others, PV_COUNT_OF(others)))
			return PV_STARTER_UNKNOWN;
		if (s == starters + PV_COUNT_OF(starters))
			break;
		char *const *next = words_after(s, words, ret_cleans);
		if (!*next)
			return what; /* prints something and starts nothing */
		words = next;
		what = PV_STARTER_FOUND;
		snprintf(command, PV_STARTER_WORD, "%s", words[0]);
	}
	return what;
}
