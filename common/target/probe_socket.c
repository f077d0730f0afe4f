#include "common/target/probe_socket.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/target/patience.h"

enum { FOLDERS = 3, FOLDER = 80 };

/* Where the probes of a user may have their sockets. */
static size_t folders_of(uid_t uid, char to[FOLDERS][FOLDER])
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	size_t n = 0;
	snprintf(to[n++], FOLDER, "/tmp/profview-%u", (unsigned)uid);
	snprintf(to[n++], FOLDER, "/run/user/%u/profview", (unsigned)uid);
	if (runtime && *runtime == '/' && uid == geteuid() &&
		snprintf(to[n], FOLDER, "%s/profview", runtime) < FOLDER &&
		strcmp(to[n], to[n - 1]) != 0)
		n++;
	return n;
}

/* Only what its owner alone can have put there is looked at. */
static bool is_private(const char *folder, uid_t uid)
{
	struct stat st;
	return lstat(folder, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == uid &&
	       (st.st_mode & 077) == 0;
}

static bool may_be(int fd, pid_t pid, struct pv_error *reterr)
{
	struct ucred who;
	socklen_t size = sizeof who;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) < 0)
		return pv_fail(
			reterr, PV_EIO, 0, "who answers cannot be told: %s", strerror(errno));
	if (who.uid != geteuid() && geteuid() != 0)
		return pv_fail(reterr, PV_EIO, 0, "the socket is another user's");
	if (pid && who.pid && who.pid != pid)
		return pv_fail(reterr, PV_EIO, 0, "process %ld answers in place of %ld",
			(long)who.pid, (long)pid);
	return true;
}

static int dial(const char *path, pid_t pid, struct pv_error *reterr)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof at.sun_path) {
		pv_fail(reterr, PV_EUSAGE, 0, "the socket's path is too long");
		return -1;
	}
	memcpy(at.sun_path, path, strlen(path));
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at) < 0)
		pv_fail(reterr, PV_EIO, 0,
			errno == ECONNREFUSED || errno == ENOENT
				? "nobody answers there any more"
				: "the probe cannot be spoken to: %s",
			strerror(errno));
	else if (may_be(fd, pid, reterr))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Up to the newline; false at the end of patience or of the line. */
static bool hear(int fd, int64_t end, char *to, size_t room)
{
	size_t n = 0;
	for (;;) {
		if (!pv_patience_wait(fd, POLLIN, end))
			return false;
		ssize_t k = recv(fd, to + n, room - 1 - n, MSG_DONTWAIT);
		if (k == 0)
			errno = ECONNRESET;
		if (k == 0 || (k < 0 && errno != EAGAIN && errno != EINTR))
			return false;
		n += k > 0 ? (size_t)k : 0;
		char *newline = memchr(to, '\n', n);
		if (newline) {
			*newline = 0;
			return true;
		}
		if (n + 1 >= room) {
			errno = EMSGSIZE;
			return false;
		}
	}
}

static bool take_answer(char *line, char *ret_answer, struct pv_error *reterr)
{
	for (char *c = line; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?'; /* it goes to a terminal */
	bool ok = strncmp(line, "ok", 2) == 0 && (!line[2] || line[2] == ' ');
	if (!ok)
		return pv_fail(reterr, PV_EUSAGE, 0, "%.190s",
			strncmp(line, "error ", 6) == 0 ? line + 6 : line);
	snprintf(ret_answer, PV_PROBE_ANSWER, "%s", line[2] ? line + 3 : "");
	return true;
}

bool pv_probe_ask(const char *path, pid_t pid, const char *line, int ms,
	char ret_answer[PV_PROBE_ANSWER], struct pv_error *reterr)
{
	char text[PV_PROBE_ANSWER], got[PV_PROBE_ANSWER];
	int n = snprintf(text, sizeof text, "%s\n", line);
	if (strchr(line, '\n') || (size_t)n >= sizeof text)
		return pv_fail(reterr, PV_EUSAGE, 0, "a probe takes one line");
	int fd = dial(path, pid, reterr);
	if (fd < 0)
		return false;
	bool ok = send(fd, text, (size_t)n, MSG_NOSIGNAL) == n &&
		  hear(fd, pv_patience_now_ms() + ms, got, sizeof got);
	int why = errno;
	close(fd);
	if (!ok)
		return pv_fail(reterr, PV_EIO, 0, "the probe does not answer: %s", strerror(why));
	return take_answer(got, ret_answer, reterr);
}

/* "123" and "123-2" are process 123's. */
static pid_t pid_of(const char *name)
{
	char *end;
	long pid = strtol(name, &end, 10);
	return pid > 0 && pid < INT32_MAX && *name >= '1' && (!*end || *end == '-') ? (pid_t)pid
										    : 0;
}

static bool each_in(
	const char *folder, bool (*each)(void *ctx, const char *path, pid_t pid), void *ctx)
{
	char path[PV_PROBE_PATH];
	DIR *dir = opendir(folder);
	bool more = true;
	struct dirent *d;
	while (dir && more && (d = readdir(dir))) {
		pid_t pid = pid_of(d->d_name);
		int n = snprintf(path, sizeof path, "%s/%.24s", folder, d->d_name);
		int fd = pid && (size_t)n < sizeof path ? dial(path, pid, NULL) : -1;
		if (fd < 0)
			continue;
		close(fd);
		more = each(ctx, path, pid);
	}
	if (dir)
		closedir(dir);
	return more;
}

static bool each_of(uid_t uid, bool (*each)(void *ctx, const char *path, pid_t pid), void *ctx)
{
	char folder[FOLDERS][FOLDER];
	size_t n = folders_of(uid, folder);
	bool more = true;
	for (size_t i = 0; more && i < n; i++)
		if (is_private(folder[i], uid))
			more = each_in(folder[i], each, ctx);
	return more;
}

void pv_probe_each(bool (*each)(void *ctx, const char *path, pid_t pid), void *ctx)
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

bool pv_probe_find(pid_t pid, char ret_path[PV_PROBE_PATH], struct pv_error *reterr)
{
	char folder[FOLDERS][FOLDER], path[PV_PROBE_PATH];
	struct stat st;
	snprintf(path, sizeof path, "/proc/%ld", (long)pid);
	if (stat(path, &st) < 0)
		return pv_fail(reterr, PV_EIO, 0, "there is no process %ld", (long)pid);
	size_t n = folders_of(st.st_uid, folder);
	for (size_t i = 0; i < n * 9; i++) {
		const char *dir = folder[i / 9];
		if (!is_private(dir, st.st_uid))
			continue;
		char number[8] = "";
		if (i % 9)
			snprintf(number, sizeof number, "-%u", (unsigned)(i % 9 + 1));
		if (snprintf(path, sizeof path, "%s/%ld%s", dir, (long)pid, number) >=
			(int)sizeof path)
			continue;
		int fd = dial(path, pid, NULL);
		if (fd < 0)
			continue;
		close(fd);
		memcpy(ret_path, path, strlen(path) + 1);
		return true;
	}
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
