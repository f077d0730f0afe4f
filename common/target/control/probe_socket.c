/* SPDX-License-Identifier: MIT */
/* Control sockets of our probes: where they are, and one exchange with a probe. */
#include "common/target/control/probe_socket.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/utf8.h"
#include "common/io/fd.h"
#include "common/target/process/patience.h"

enum { FOLDERS = 3, FOLDER = 80 };

/* Folders where the probes of a user may have their sockets, with that user's paths. */
static size_t folders_of(uid_t uid, bool elsewhere, char to[FOLDERS][FOLDER])
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	size_t n = 0;
	snprintf(to[n++], FOLDER, "/tmp/profview-%u", (unsigned)uid);
	snprintf(to[n++], FOLDER, "/run/user/%u/profview", (unsigned)uid);
	if (runtime && *runtime == '/' && uid == geteuid() && !elsewhere &&
		snprintf(to[n], FOLDER, "%s/profview", runtime) < FOLDER &&
		strcmp(to[n], to[n - 1]) != 0)
		n++;
	return n;
}

/* The folder, open; -1: not a folder, or others than the owner could have put entries there. */
static int open_private(const char *folder, uid_t uid)
{
	struct stat st;
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == uid && (st.st_mode & 077) == 0)
		return fd;
	pv_fd_close(&fd);
	return -1;
}

/* open_private() where the process sees the folder. */
static bool is_private(const struct pv_foreign *of, const char *folder)
{
	struct stat st;
	int fd = pv_foreign_list(of, folder);
	bool is = fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == of->uid && (st.st_mode & 077) == 0;
	pv_fd_close(&fd);
	return is;
}

/* Up to the newline. */
static size_t line_length(const uint8_t *answer, size_t got)
{
	const uint8_t *newline = memchr(answer, '\n', got);
	return newline ? (size_t)(newline - answer) + 1 : got + 1;
}

struct pv_question pv_probe_question(const char *path, const struct pv_foreign *of,
	const char *line, uint8_t answer[PV_PROBE_ANSWER])
{
	return (struct pv_question){ .path = path,
		.in = of,
		.pid = of->pid,
		.uid = of->uid,
		.bytes = line,
		.n = strlen(line),
		.answer = answer,
		.room = PV_PROBE_ANSWER,
		.length = line_length };
}

bool pv_probe_answered(
	const struct pv_question *q, char ret_answer[PV_PROBE_ANSWER], struct pv_error *reterr)
{
	char line[PV_PROBE_ANSWER] = "";
	if (q->why == ECONNREFUSED || q->why == ENOENT)
		return pv_fail(reterr, PV_EIO, 0, "nobody answers there any more");
	if (q->why == EACCES)
		return pv_fail(reterr, PV_EIO, 0,
			"another user's process, or another process than %ld, has that socket",
			(long)q->pid);
	if (q->why)
		return pv_fail(
			reterr, PV_EIO, 0, "the probe does not answer: %s", strerror(q->why));
	memcpy(line, q->answer, q->got - 1);
	bool ok = strncmp(line, "ok", 2) == 0 && (!line[2] || line[2] == ' ');
	if (!ok)
		return pv_fail(reterr, PV_EUSAGE, 0, "%s",
			PV_FIT(strncmp(line, "error ", 6) == 0 ? line + 6 : line, 190));
	snprintf(ret_answer, PV_PROBE_ANSWER, "%s", line[2] ? line + 3 : "");
	return true;
}

bool pv_probe_ask(const char *path, pid_t pid, const char *line, int ms,
	char ret_answer[PV_PROBE_ANSWER], struct pv_error *reterr)
{
	struct pv_foreign of;
	if (pid <= 0 || !pv_foreign_look(&of, pid))
		return pv_fail(reterr, PV_EIO, 0, "the probe's process has ended");
	return pv_probe_ask_in(&of, path, line, ms, ret_answer, reterr);
}

bool pv_probe_ask_in(const struct pv_foreign *of, const char *path, const char *line, int ms,
	char ret_answer[PV_PROBE_ANSWER], struct pv_error *reterr)
{
	char text[PV_PROBE_ANSWER];
	uint8_t answer[PV_PROBE_ANSWER];
	int n = snprintf(text, sizeof text, "%s\n", line);
	if (strchr(line, '\n') || (size_t)n >= sizeof text)
		return pv_fail(reterr, PV_EUSAGE, 0, "a probe takes one line");
	struct pv_question q = pv_probe_question(path, of, text, answer);
	pv_ask(&q, 1, pv_patience_now_ms() + ms);
	return pv_probe_answered(&q, ret_answer, reterr);
}

/*
 * The process of a socket's name: "123" and "123-2" to "123-9" are process 123's; 0: no such name.
 */
static pid_t pid_of(const char *name)
{
	char *end;
	long pid = strtol(name, &end, 10);
	if (*name < '1' || *name > '9' || pid <= 0 || pid >= INT32_MAX)
		return 0;
	bool numbered = end[0] == '-' && end[1] >= '2' && end[1] <= '9' && !end[2];
	return !*end || numbered ? (pid_t)pid : 0;
}

static bool each_in(const char *folder, uid_t owner,
	bool (*each)(void *ctx, const char *path, pid_t pid, uid_t uid), void *ctx)
{
	char path[PV_PROBE_PATH];
	int fd = open_private(folder, owner);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	bool more = true;
	struct dirent *d;
	uid_t uid;
	while (dir && more && (d = readdir(dir))) {
		pid_t pid = pid_of(d->d_name);
		int n = snprintf(path, sizeof path, "%s/%.24s", folder, d->d_name);
		if (pid && (size_t)n < sizeof path && pv_process_user(pid, &uid) &&
			pv_local_may(uid))
			more = each(ctx, path, pid, uid);
	}
	if (dir)
		closedir(dir);
	return more;
}

static bool each_of(
	uid_t owner, bool (*each)(void *ctx, const char *path, pid_t pid, uid_t uid), void *ctx)
{
	char folder[FOLDERS][FOLDER];
	size_t n = folders_of(owner, false, folder);
	bool more = true;
	for (size_t i = 0; more && i < n; i++)
		more = each_in(folder[i], owner, each, ctx);
	return more;
}

void pv_probe_each(bool (*each)(void *ctx, const char *path, pid_t pid, uid_t uid), void *ctx)
{
	unsigned uid;
	if (geteuid() != 0) {
		each_of(geteuid(), each, ctx);
		return;
	}
	DIR *dir = opendir("/tmp");
	struct dirent *d;
	bool more = each_of(0, each, ctx);
	while (dir && more && (d = readdir(dir)))
		if (sscanf(d->d_name, "profview-%u", &uid) == 1 && uid != 0)
			more = each_of(uid, each, ctx);
	if (dir)
		closedir(dir);
}

/*
 * The sockets in the process's folders, by its number and user in its own namespaces. True: `each`
 * wanted no more.
 */
static bool each_own(const struct pv_foreign *of,
	bool (*each)(void *ctx, const char *path, const struct pv_foreign *of), void *ctx)
{
	char folder[FOLDERS][FOLDER], path[PV_PROBE_PATH];
	long number = pv_foreign_inner_pid(of->pid);
	size_t n = folders_of(pv_foreign_inner_uid(of), of->elsewhere, folder);
	for (size_t i = 0; i < n * 9; i++) {
		const char *dir = folder[i / 9];
		char again[8] = "";
		if (i % 9 == 0 && !is_private(of, dir)) {
			i += 8;
			continue;
		}
		if (i % 9)
			snprintf(again, sizeof again, "-%u", (unsigned)(i % 9 + 1));
		if (snprintf(path, sizeof path, "%s/%ld%s", dir, number, again) <
				(int)sizeof path &&
			!each(ctx, path, of))
			return true;
	}
	return false;
}

struct elsewhere {
	bool (*each)(void *ctx, const char *path, pid_t pid, uid_t uid);
	void *ctx;
};

static bool if_there(void *ctx, const char *path, const struct pv_foreign *of)
{
	const struct elsewhere *e = ctx;
	int fd = pv_foreign_dial(of, path);
	bool there = fd >= 0 || errno == EAGAIN;
	pv_fd_close(&fd);
	return !there || e->each(e->ctx, path, of->pid, of->uid);
}

void pv_probe_each_elsewhere(
	pid_t pid, bool (*each)(void *ctx, const char *path, pid_t pid, uid_t uid), void *ctx)
{
	struct elsewhere e = { each, ctx };
	struct pv_foreign of;
	if (pv_foreign_look(&of, pid) && (of.elsewhere || pv_foreign_inner_pid(pid) != pid))
		each_own(&of, if_there, &e);
}

static bool answers(void *ret_path, const char *path, const struct pv_foreign *of)
{
	int fd = pv_foreign_dial(of, path);
	if (fd < 0)
		return true;
	close(fd);
	memcpy(ret_path, path, strlen(path) + 1);
	return false;
}

bool pv_probe_find(pid_t pid, char ret_path[PV_PROBE_PATH], struct pv_error *reterr)
{
	struct pv_foreign of;
	if (!pv_foreign_look(&of, pid))
		return pv_fail(reterr, PV_EIO, 0, "there is no process %ld", (long)pid);
	if (each_own(&of, answers, ret_path))
		return true;
	return pv_fail(reterr, PV_EIO, 0,
		"process %ld has no probe of profview's that answers; profview ps lists those that "
		"do",
		(long)pid);
}

bool pv_probe_word(const char *answer, const char *key, char *ret, size_t room)
{
	size_t len = strlen(key);
	for (const char *at = answer; *at;) {
		size_t n = strcspn(at, " ");
		if (n > len && at[len] == '=' && memcmp(at, key, len) == 0) {
			if (n - len > room)
				return false;
			memcpy(ret, at + len + 1, n - len - 1);
			ret[n - len - 1] = 0;
			return true;
		}
		at += n + (at[n] == ' ');
	}
	return false;
}
