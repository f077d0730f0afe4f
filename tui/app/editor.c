/* SPDX-License-Identifier: MIT */
/* Opens the user's editor at a line of a source file, without a shell, in this terminal. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/status.h"
#include "common/base/utf8.h"
#include "tui/app/app_parts.h"

extern char **environ;

enum { WORDS = 16, WORD_BYTES = 512 };

struct editor {
	char words[WORD_BYTES], line[16], path[1032];
	char *argv[WORDS + 3];
};

/* $VISUAL, else $EDITOR, else vi, cut at blanks. A path that may begin with a dash begins with "./". */
static bool editor_words(struct editor *e, const struct ui_source *o)
{
	const char *visual = getenv("VISUAL"),
		   *named = visual && *visual ? visual : getenv("EDITOR");
	size_t n = 0;
	snprintf(e->line, sizeof e->line, "+%u", o->edit_line);
	snprintf(e->path, sizeof e->path, "%s%s", o->edit[0] == '/' ? "" : "./", o->edit);
	const int len = snprintf(e->words, sizeof e->words, "%s", named && *named ? named : "vi");
	if (len < 0 || (size_t)len >= sizeof e->words)
		return false;
	char *rest, *word = strtok_r(e->words, " \t", &rest);
	for (; word && n < WORDS; word = strtok_r(NULL, " \t", &rest))
		e->argv[n++] = word;
	e->argv[n] = e->line;
	e->argv[n + 1] = e->path;
	return n > 0 && !word;
}

/* The signals of this program are not the editor's. Returns errno. */
static int editor_start(const struct editor *e, pid_t *ret_pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t all, none;
	sigfillset(&all);
	sigemptyset(&none);
	int error = posix_spawn_file_actions_init(&files);
	if (error)
		return error;
	error = posix_spawnattr_init(&how);
	if (!error) {
		posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
		posix_spawnattr_setsigdefault(&how, &all);
		posix_spawnattr_setsigmask(&how, &none);
		if (!isatty(STDIN_FILENO))
			error = posix_spawn_file_actions_addopen(
				&files, STDIN_FILENO, "/dev/tty", O_RDWR, 0);
		error = error ? error
			      : posix_spawnp(ret_pid, e->argv[0], &files, &how, e->argv, environ);
		posix_spawnattr_destroy(&how);
	}
	posix_spawn_file_actions_destroy(&files);
	return error;
}

/* The editor's exit status. Ctrl-C is meant for the editor meanwhile. */
static int editor_wait(pid_t pid)
{
	int status = 0;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return status;
}

void ui_app_edit(struct app *a)
{
	struct ui_source *o = &a->screen.source;
	struct editor e = { .argv = { NULL } };
	struct sigaction was, ignored = { .sa_handler = SIG_IGN };
	pid_t pid = 0;
	const bool sound = editor_words(&e, o);
	o->edit[0] = 0;
	if (!a->term || !sound) {
		ui_screen_say(&a->screen, true,
			a->term ? "VISUAL or EDITOR has no command of at most 16 words"
				: "there is no terminal for an editor");
		return;
	}
	ui_term_suspend(a->term);
	sigemptyset(&ignored.sa_mask);
	sigaction(SIGINT, &ignored, &was);
	const int error = editor_start(&e, &pid);
	const int status = error ? 0 : editor_wait(pid);
	sigaction(SIGINT, &was, NULL);
	ui_term_resume(a->term);
	if (error)
		ui_screen_say(&a->screen, true, "%s: %s", PV_FIT(e.argv[0], 100), strerror(error));
	else if (status)
		ui_screen_say(&a->screen, true, "%s ended with %s %d", PV_FIT(e.argv[0], 100),
			WIFSIGNALED(status) ? "signal" : "exit code",
			WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}
