/* SPDX-License-Identifier: MIT */
/* Makes, finds and removes the private folder of a recording, and the socket in it. */
#include "common/remote/kept.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/remote/jobs.h"
#include "common/remote/relay_frames.h"

enum { END_MS = 3000, STEP_MS = 20, OPEN_AT_ONCE = 8, SECRET = PV_KEPT_SOCKET / 2 };

static const char log_name[] = "remote.mlpd", folder_name[] = "logs/";

/* The path of the folder with these letters; false: too long. */
static bool folder_of(char to[PATH_MAX], const char *letters)
{
	const char *at = getenv("TMPDIR");
	size_t room = PATH_MAX - sizeof log_name - NAME_MAX;
	int n = snprintf(
		to, room, "%s/profview.%.*s", at && *at ? at : "/tmp", PV_KEPT_FOLDER, letters);
	return n >= 0 && (size_t)n < room;
}

/*
 * The socket's address through the open folder, since a path may be longer than an address. The
 * folder is the user's own and closed to others; -1: not so.
 */
static int open_folder(const char *folder, const char *name, struct sockaddr_un *ret)
{
	struct stat st;
	int fd = open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &st) != 0 || st.st_uid != geteuid() || st.st_mode & 077)) {
		close(fd);
		return -1;
	}
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(ret->sun_path, sizeof ret->sun_path, "/proc/self/fd/%d/%.*s", fd, PV_KEPT_SOCKET,
		name);
	return fd;
}

/* --- the folder's end */

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	remove(path);
	return 0;
}

static void remove_folder(const char *folder)
{
	nftw(folder, remove_entry, OPEN_AT_ONCE, FTW_DEPTH | FTW_PHYS);
}

static bool start_janitor(struct pv_kept *k, int line)
{
	int ends[2];
	pid_t group = 0, last;
	ssize_t n;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	pid_t pid = fork();
	if (pid == 0) {
		close(ends[1]);
		close(line);
		prctl(PR_SET_NAME, "profview-tidy");
		signal(SIGINT, SIG_IGN), signal(SIGHUP, SIG_IGN), signal(SIGTERM, SIG_IGN);
		while ((n = read(ends[0], &last, sizeof last)) > 0 || (n < 0 && errno == EINTR))
			group = n == (ssize_t)sizeof last ? last : group;
		if (group > 0)
			pv_jobs_end_group(group);
		for (int ms = 0; ms < END_MS && access(k->folder, F_OK) == 0; ms += STEP_MS) {
			remove_folder(k->folder);
			nanosleep(&(struct timespec){ .tv_nsec = STEP_MS * 1000000 }, NULL);
		}
		_exit(0);
	}
	close(ends[0]);
	k->janitor = ends[1];
	return pid > 0;
}

void pv_kept_ward(const struct pv_kept *k, pid_t group)
{
	pv_remote_write(k->janitor, &group, sizeof group);
}

void pv_kept_remove(struct pv_kept *k)
{
	if (k->folder[0])
		remove_folder(k->folder);
	if (k->socket >= 0)
		close(k->socket);
	if (k->janitor >= 0)
		close(k->janitor);
	k->folder[0] = '\0';
	k->socket = k->janitor = -1;
}

/* --- the folder's start */

static bool draw_id(struct pv_kept *k)
{
	uint8_t secret[SECRET];
	if (getrandom(secret, sizeof secret, 0) != (ssize_t)sizeof secret)
		return false;
	memcpy(k->id, k->folder + strlen(k->folder) - PV_KEPT_FOLDER, PV_KEPT_FOLDER);
	for (int i = 0; i < SECRET; i++)
		snprintf(k->id + PV_KEPT_FOLDER + 2 * i, 3, "%02x", secret[i]);
	return true;
}

static bool open_socket(struct pv_kept *k)
{
	struct sockaddr_un at;
	k->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int fd = open_folder(k->folder, k->id + PV_KEPT_FOLDER, &at);
	bool ok = fd >= 0 && k->socket >= 0 &&
		  bind(k->socket, (const struct sockaddr *)&at, sizeof at) == 0 &&
		  listen(k->socket, 4) == 0;
	if (fd >= 0)
		close(fd);
	return ok;
}

bool pv_kept_make(struct pv_kept *ret, bool into_folder, int line)
{
	*ret = (struct pv_kept){ .into_folder = into_folder, .janitor = -1, .socket = -1 };
	if (!folder_of(ret->folder, "XXXXXX") || !mkdtemp(ret->folder)) {
		ret->folder[0] = '\0';
		return false;
	}
	int n = snprintf(ret->log, sizeof ret->log, "%s/%s", ret->folder,
		into_folder ? folder_name : log_name);
	if ((size_t)n < sizeof ret->log && start_janitor(ret, line) && draw_id(ret) &&
		open_socket(ret))
		return true;
	pv_kept_remove(ret);
	return false;
}

/* --- the recording's log */

bool pv_kept_found(struct pv_kept *k)
{
	static const char end[] = ".mlpd";
	size_t used = strlen(k->log);
	DIR *in = k->into_folder ? opendir(k->log) : NULL;
	for (struct dirent *e; k->into_folder && in && (e = readdir(in));) {
		size_t n = strlen(e->d_name);
		if (n > sizeof end && used + n < sizeof k->log &&
			strcmp(e->d_name + n - (sizeof end - 1), end) == 0) {
			memcpy(k->log + used, e->d_name, n + 1);
			k->into_folder = false;
		}
	}
	if (in)
		closedir(in);
	return !k->into_folder;
}

static uint64_t sum; /* nftw() hands nothing to the function that is called */

static int add_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)path, (void)at;
	sum += kind == FTW_F ? (uint64_t)st->st_size : 0;
	return 0;
}

uint64_t pv_kept_bytes(const struct pv_kept *k)
{
	sum = 0;
	nftw(k->folder, add_entry, OPEN_AT_ONCE, FTW_PHYS);
	return sum;
}

/* --- a relay that asks */

int pv_kept_join(const char *id, size_t n)
{
	char folder[PATH_MAX];
	struct sockaddr_un at;
	bool sound = n == PV_KEPT_ID;
	for (size_t i = 0; sound && i < n; i++)
		sound = isascii((unsigned char)id[i]) && isalnum((unsigned char)id[i]);
	if (!sound || !folder_of(folder, id))
		return -1;
	int dir = open_folder(folder, id + PV_KEPT_FOLDER, &at);
	int fd = dir < 0 ? -1 : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&at, sizeof at) != 0) {
		close(fd);
		fd = -1;
	}
	if (dir >= 0)
		close(dir);
	return fd;
}
