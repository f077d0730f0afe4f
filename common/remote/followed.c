/* SPDX-License-Identifier: MIT */
/* Reads a growing log from a given byte on. */
#include "common/remote/followed.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool pv_followed_begin(
	struct pv_followed *f, const char *path, size_t len, uint64_t at, bool goes_on)
{
	if (len == 0 || len >= sizeof f->path)
		return false;
	*f = (struct pv_followed){ .fd = -1, .at = at, .goes_on = goes_on };
	memcpy(f->path, path, len);
	return true;
}

void pv_followed_close(struct pv_followed *f)
{
	if (f->path[0] && f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	f->path[0] = '\0';
}

/* False: not there, or *ret_why. */
static bool is_open(struct pv_followed *f, const char **ret_why)
{
	struct stat st;
	if (f->fd >= 0)
		return true;
	int fd = open(f->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 && !(f->goes_on && errno == ENOENT))
		*ret_why = errno == ENOENT ? "there is no such file" : "it cannot be opened";
	if (fd < 0)
		return false;
	bool known = fstat(fd, &st) == 0;
	f->pipe = known && S_ISFIFO(st.st_mode);
	if (!known || !(S_ISREG(st.st_mode) || f->pipe))
		*ret_why = "it is neither a file nor a pipe";
	else if (f->pipe && f->at > 0)
		*ret_why = "what was read from a pipe cannot be read again";
	if (*ret_why) {
		close(fd);
		return false;
	}
	f->fd = fd;
	f->device = st.st_dev;
	f->file = st.st_ino;
	return true;
}

/* At the end of what there is. */
static void look_at_end(struct pv_followed *f, const char **ret_why)
{
	struct stat st;
	if (f->pipe)
		f->ended = f->at > 0;
	else if (fstat(f->fd, &st) != 0 || (uint64_t)st.st_size < f->at)
		*ret_why = "it became shorter while it was read";
	else if (!f->goes_on)
		f->ended = true;
	else if (stat(f->path, &st) == 0 && (st.st_ino != f->file || st.st_dev != f->device))
		*ret_why = "another file has taken its place";
}

size_t pv_followed_read(struct pv_followed *f, uint8_t *to, size_t room, const char **ret_why)
{
	if (!is_open(f, ret_why))
		return 0;
	ssize_t n = f->pipe ? read(f->fd, to, room) : pread(f->fd, to, room, (off_t)f->at);
	if (n > 0) {
		f->at += (uint64_t)n;
		return (size_t)n;
	}
	if (n < 0 && errno != EINTR && errno != EAGAIN)
		*ret_why = "it cannot be read";
	else if (n == 0)
		look_at_end(f, ret_why);
	return 0;
}
