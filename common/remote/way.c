/* SPDX-License-Identifier: MIT */
/*
 * Starts profview's relay through a shell on another machine, and sends the program there on
 * request.
 */
#include "common/remote/way.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/utf8.h"
#include "common/remote/relay_frames.h"

extern char **environ;

enum {
	WORDS = 64,
	LINE = 256,
	NOISE = 1 << 20, /* bytes that a shell may print before the relay answers */
	CLOSE_MS = 2000,
	CLOSE_STEP_MS = 20,
	PIECE = 64 << 10
};

#define MARK "profview-relay "

/*
 * A shell reads ahead, so each line is sent only after the answer to the line before. The relay
 * replaces the shell, and inherits its input.
 */
static const char start_line[] =
	"p=profview; command -v $p >/dev/null 2>&1 || p=$HOME/.local/bin/profview; "
	"command -v \"$p\" >/dev/null 2>&1 && exec \"$p\" relay; echo " MARK "none $(uname -m)\n";
static const char take_line[] =
	"umask 077; d=$(mktemp -d \"${TMPDIR:-/tmp}/profview.XXXXXX\") && "
	"trap 'rm -rf \"$d\"' EXIT && trap 'exit 1' HUP INT TERM && echo " MARK "ready && "
	"head -c %llu >\"$d/profview\" && chmod 700 \"$d/profview\" && echo " MARK "got\n";
static const char sent_line[] = "\"$d/profview\" relay --unlink \"$d\"; exit $?\n";

bool pv_way_is(const char *where)
{
	return *where && *where != '-' && where[strspn(where, " ")];
}

/* The command's words: WHERE's, or ssh's, and a shell. False: too many. */
static bool way_words(const struct pv_way_options *o, char *text, char *to[WORDS])
{
	static char ssh[] = "ssh", batch[] = "-oBatchMode=yes", soon[] = "-oConnectTimeout=10",
		    ends[] = "--", shell[] = "sh";
	size_t n = 0;
	if (!strchr(o->where, ' ')) {
		to[n++] = ssh;
		if (o->again) {
			to[n++] = batch;
			to[n++] = soon;
		}
		to[n++] = ends;
	}
	char *rest = text, *word;
	while ((word = strtok_r(rest, " ", &rest)))
		if (n < WORDS - 2)
			to[n++] = word;
		else
			return false;
	to[n++] = shell;
	to[n] = NULL;
	return true;
}

/* Three pipes, or none. */
static bool open_pipes(int pipes[3][2])
{
	for (int i = 0; i < 3; i++)
		if (pipe2(pipes[i], O_CLOEXEC) != 0) {
			while (i-- > 0)
				close(pipes[i][0]), close(pipes[i][1]);
			return false;
		}
	return true;
}

static bool spawn(struct pv_way *w, char *const words[])
{
	int pipes[3][2];
	if (!open_pipes(pipes))
		return false;
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t usual;
	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&how);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigdefault(&how, &usual);
	for (int i = 0; i < 3; i++)
		posix_spawn_file_actions_adddup2(&files, pipes[i][i > 0], i);
	int error = posix_spawnp(&w->pid, words[0], &files, &how, words, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&how);
	for (int i = 0; i < 3; i++)
		close(pipes[i][i > 0]);
	w->to = pipes[0][1];
	w->from = pipes[1][0];
	w->err = pipes[2][0];
	errno = error;
	return !error;
}

void pv_way_hear(struct pv_way *w)
{
	char piece[PV_WAY_SAID / 2];
	ssize_t n = read(w->err, piece, sizeof piece);
	if (n <= 0) {
		if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
			close(w->err);
			w->err = -1;
		}
		return;
	}
	if (w->said_n + (size_t)n >= sizeof w->said) {
		memmove(w->said, w->said + n, w->said_n - (size_t)n);
		w->said_n -= (size_t)n;
	}
	memcpy(w->said + w->said_n, piece, (size_t)n);
	w->said_n += (size_t)n;
	w->said[w->said_n] = '\0';
}

/* The next byte; false: the end. */
static bool next_byte(struct pv_way *w, char *c)
{
	for (;;) {
		struct pollfd p[2] = { { .fd = w->from, .events = POLLIN },
			{ .fd = w->err, .events = POLLIN } };
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return false;
		if (p[1].revents)
			pv_way_hear(w);
		if (!p[0].revents)
			continue;
		ssize_t k = read(w->from, c, 1);
		if (k > 0 || (k < 0 && errno != EINTR) || k == 0)
			return k > 0;
	}
}

/*
 * The next line with our mark, without the mark; read byte by byte, since frames follow. False: the
 * end.
 */
static bool next_mark(struct pv_way *w, char line[LINE])
{
	size_t n = 0;
	for (size_t noise = 0; noise < NOISE; noise++) {
		char c;
		if (!next_byte(w, &c))
			return false;
		if (c != '\n') {
			line[n] = c;
			n += n < LINE - 1;
			continue;
		}
		line[n] = '\0';
		const char *mark = strstr(line, MARK);
		if (mark) {
			memmove(line, mark + sizeof MARK - 1, strlen(mark + sizeof MARK - 1) + 1);
			return true;
		}
		n = 0;
	}
	return false;
}

static bool send_line(struct pv_way *w, const char *line)
{
	return pv_remote_write(w->to, line, strlen(line));
}

/* --- sending this program to a machine without profview */

static bool is_static(int fd)
{
	Elf64_Ehdr head;
	Elf64_Phdr part;
	if (pread(fd, &head, sizeof head, 0) != (ssize_t)sizeof head ||
		head.e_phentsize != sizeof part)
		return false;
	for (unsigned i = 0; i < head.e_phnum; i++) {
		off_t at = (off_t)(head.e_phoff + i * sizeof part);
		if (pread(fd, &part, sizeof part, at) != (ssize_t)sizeof part ||
			part.p_type == PT_INTERP)
			return false;
	}
	return true;
}

static bool send_file(struct pv_way *w, int fd)
{
	static uint8_t piece[PIECE];
	ssize_t n;
	while ((n = read(fd, piece, sizeof piece)) > 0)
		if (!pv_remote_write(w->to, piece, (size_t)n))
			return false;
	return n == 0;
}

static bool send_program(struct pv_way *w, char line[LINE], struct pv_error *reterr)
{
	char take[sizeof take_line + 32];
	struct stat st;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0)
		return pv_fail(reterr, PV_EIO, 0, "this program cannot be read to be sent");
	if (!is_static(fd)) {
		close(fd);
		return pv_fail(reterr, PV_EUSAGE, 0,
			"--send: this profview needs libraries that are not there; the one file "
			"can be sent (./bootstrap.sh static)");
	}
	snprintf(take, sizeof take, take_line, (unsigned long long)st.st_size);
	bool ok = send_line(w, take) && next_mark(w, line) && strcmp(line, "ready") == 0 &&
		  send_file(w, fd) && next_mark(w, line) && strcmp(line, "got") == 0 &&
		  send_line(w, sent_line) && next_mark(w, line);
	close(fd);
	return ok ||
	       pv_fail(reterr, PV_EIO, 0, "profview could not be put there, or does not run there");
}

/* --- the way */

/* Of what was said on standard error the last line. */
static const char *last_line(struct pv_way *w)
{
	struct pollfd p = { .fd = w->err, .events = POLLIN };
	while (w->err >= 0 && poll(&p, 1, 0) > 0)
		pv_way_hear(w);
	while (w->said_n > 0 && (w->said[w->said_n - 1] == '\n' || w->said[w->said_n - 1] == '\r'))
		w->said[--w->said_n] = '\0';
	const char *line = memrchr(w->said, '\n', w->said_n);
	return line ? line + 1 : w->said;
}

static bool ended(struct pv_way *w, const char *where, struct pv_error *reterr)
{
	int status = 0;
	close(w->to);
	w->to = -1;
	waitpid(w->pid, &status, 0);
	w->pid = 0;
	const char *said = last_line(w);
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return pv_fail(reterr, PV_EIO, 0, "no way to \"%s\" (exit code %d)%s%s", PV_FIT(where, 40),
		code, *said ? ": " : "", PV_FIT(said, 100));
}

static bool greet(struct pv_way *w, const struct pv_way_options *o, struct pv_error *reterr)
{
	char line[LINE];
	int protocol = 0;
	if (!send_line(w, start_line) || !next_mark(w, line))
		return ended(w, o->where, reterr);
	if (strncmp(line, "none", 4) == 0 && !o->send)
		return pv_fail(reterr, PV_EIO, 0,
			"there is no profview at \"%s\" (%s); --send puts this one there for as "
			"long as it is needed",
			PV_FIT(o->where, 60), PV_FIT(line[4] ? line + 5 : "", 20));
	if (strncmp(line, "none", 4) == 0 && !send_program(w, line, reterr))
		return false;
	if (sscanf(line, "ok %d %63s", &protocol, w->version) != 2 || protocol != PV_WAY_PROTOCOL)
		return pv_fail(reterr, PV_EIO, 0,
			"the profview at \"%s\" speaks another version (%s)", PV_FIT(o->where, 60),
			PV_FIT(line, 40));
	return true;
}

bool pv_way_open(struct pv_way *ret, const struct pv_way_options *o, struct pv_error *reterr)
{
	char *words[WORDS];
	*ret = (struct pv_way){ .to = -1, .from = -1, .err = -1 };
	char *text = strdup(o->where);
	if (!text)
		return pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	bool ok = pv_way_is(o->where) && way_words(o, text, words);
	if (!ok)
		pv_fail(reterr, PV_EUSAGE, 0, "--on: \"%s\" is no way to a machine",
			PV_FIT(o->where, 60));
	else if (!spawn(ret, words))
		ok = pv_fail(reterr, PV_EIO, 0, "%s: %s", PV_FIT(words[0], 60), strerror(errno));
	free(text);
	if (!ok)
		return false;
	ok = greet(ret, o, reterr);
	if (!ok)
		pv_way_close(ret);
	return ok;
}

void pv_way_close(struct pv_way *w)
{
	const struct timespec step = { .tv_nsec = CLOSE_STEP_MS * 1000000 };
	if (w->to >= 0)
		close(w->to);
	if (w->from >= 0)
		close(w->from);
	if (w->err >= 0)
		close(w->err);
	w->to = w->from = w->err = -1;
	for (int ms = 0; w->pid && waitpid(w->pid, NULL, WNOHANG) == 0; ms += CLOSE_STEP_MS) {
		if (ms >= CLOSE_MS) {
			kill(w->pid, SIGKILL);
			waitpid(w->pid, NULL, 0);
			break;
		}
		nanosleep(&step, NULL);
	}
	w->pid = 0;
}
