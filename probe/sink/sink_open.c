/* SPDX-License-Identifier: MIT */
/*
 * Opens and reopens the sink: files, pipes, descriptors and commands, locked against other writers.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/sink/command.h"
#include "probe/sink/gzip.h"
#include "probe/sink/sink.h"

enum { PIPE_BYTES = 1 << 20, HIGH_FD = 200 };

int pvp_sink_move_up(int fd)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FD);
	if (high < 0)
		return fd;
	close(fd);
	return high;
}

/*
 * Only one writer for each file and pipe: a child that runs another program with the same options
 * must not tear the stream. The lock follows the descriptor; flock() is left to a pipe's readers.
 */
static int claim(int fd)
{
	struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	bool taken = fcntl(fd, F_OFD_SETLK, &all) != 0 && (errno == EAGAIN || errno == EACCES);
	return taken ? EBUSY : 0; /* without support of locks this is unknown */
}

static void keep_identity(struct pvp_sink *s, const struct stat *st, int fd)
{
	s->device = st->st_dev;
	s->inode = st->st_ino;
	s->fd = fd;
}

/* Uses fd as the sink: a file is truncated. Returns an errno value. */
static int take_file(struct pvp_sink *s, int fd)
{
	struct stat st;
	if (fstat(fd, &st) != 0)
		return errno;
	s->pipe = S_ISFIFO(st.st_mode);
	int error = s->pipe || S_ISREG(st.st_mode) ? claim(fd) : 0;
	if (error)
		return error;
	if (s->pipe)
		fcntl(fd, F_SETPIPE_SZ, PIPE_BYTES);
	else if (S_ISREG(st.st_mode) && ftruncate(fd, 0) != 0)
		return errno;
	keep_identity(s, &st, fd);
	if (s->pipe)
		pvp_sink_watch(s);
	return 0;
}

/* ---- a path */

static const char *sink_place(const struct pvp_sink *s)
{
	return s->place[0] ? s->place : s->path;
}

static int open_path(struct pvp_sink *s)
{
	struct stat st;
	int fd = open(sink_place(s), O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0600);
	if (fd < 0) {
		int error = errno;
		s->pipe = error == ENXIO && stat(sink_place(s), &st) == 0 && S_ISFIFO(st.st_mode);
		return s->pipe ? 0 : error;
	}
	fd = pvp_sink_move_up(fd);
	int error = take_file(s, fd);
	if (error)
		close(fd);
	return error;
}

/* The path of a ring is the newest segment's; a different file there is somebody else's. */
static bool regain_file(struct pvp_sink *s)
{
	struct stat st;
	int fd = open(s->path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return false;
	fd = pvp_sink_move_up(fd);
	if (fstat(fd, &st) == 0 && st.st_dev == s->device && st.st_ino == s->inode &&
		claim(fd) == 0 && lseek(fd, 0, SEEK_END) >= 0) {
		s->fd = fd;
		return true;
	}
	close(fd);
	return false;
}

bool pvp_sink_regain(struct pvp_sink *s)
{
	struct stat st;
	if (*s->path == '|' || s->socket)
		return false;
	if (!s->pipe)
		return *s->path != '#' && regain_file(s);
	pvp_sink_unwatch(s);
	s->member = false;
	/* A given pipe is found by its number, unless the number is reused by now. */
	return !s->place[0] ||
	       (stat(s->place, &st) == 0 && st.st_dev == s->device && st.st_ino == s->inode);
}

/* ---- a descriptor */

static int descriptor_number(const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);
	return *text && !*end && n >= 0 && n < INT32_MAX ? (int)n : -1;
}

/*
 * A pipe is opened again, to be non-blocking for the probe only; readers may leave and come as with
 * a named pipe. Neither descriptor is for this process's children.
 */
static int open_given(struct pvp_sink *s, const char *number)
{
	struct stat st;
	int given = descriptor_number(number);
	if (given < 0)
		return EINVAL;
	if (fstat(given, &st) != 0)
		return errno;
	fcntl(given, F_SETFD, FD_CLOEXEC);
	if (S_ISFIFO(st.st_mode)) {
		snprintf(s->place, sizeof s->place, "/proc/self/fd/%d", given);
		return open_path(s);
	}
	int fd = fcntl(given, F_DUPFD_CLOEXEC, HIGH_FD);
	if (fd < 0)
		return errno;
	off_t end = S_ISREG(st.st_mode) ? lseek(fd, 0, SEEK_END) : 0;
	s->whole = end > 0 ? (uint64_t)end : 0;
	s->socket = S_ISSOCK(st.st_mode);
	keep_identity(s, &st, fd);
	return 0;
}

/* ---- a command */

static int open_command(struct pvp_sink *s, const char *command)
{
	struct stat st;
	int input, alive, error = pvp_command_start(command, &input, &alive);
	if (error)
		return error;
	input = pvp_sink_move_up(input);
	fcntl(input, F_SETPIPE_SZ, PIPE_BYTES);
	if (fstat(input, &st) != 0) {
		error = errno;
		close(input);
		close(alive);
		return error;
	}
	keep_identity(s, &st, input);
	s->alive = pvp_sink_move_up(alive);
	return 0;
}

/* ---- */

static void drop_zip(struct pvp_sink *s)
{
	pvp_gzip_destroy(s->zip);
	free(s->packed);
	free(s->unpacked);
	s->zip = NULL;
	s->packed = s->unpacked = NULL;
}

static int make_zip(struct pvp_sink *s)
{
	int error = pvp_gzip_create(&s->zip);
	s->packed = malloc(PVP_GZIP_OUT);
	s->unpacked = malloc(PVP_GZIP_IN);
	if (!error && (!s->packed || !s->unpacked))
		error = ENOMEM;
	if (error)
		drop_zip(s);
	return error;
}

static int open_output(struct pvp_sink *s)
{
	switch (*s->path) {
	case '#':
		return open_given(s, s->path + 1);
	case '|':
		return open_command(s, s->path + 1);
	default:
		return open_path(s);
	}
}

int pvp_sink_open(struct pvp_sink *s, const char *output, const struct pvp_config *options)
{
	struct stat st;
	*s = (struct pvp_sink){ .path = output,
		.fd = -1,
		.alive = -1,
		.watch = -1,
		.most = options->maxsize,
		.segment = options->ring / 2 };
	/* Only a named file can be renamed. */
	if (s->segment && (*output == '#' || *output == '|' ||
				  (stat(output, &st) == 0 && !S_ISREG(st.st_mode))))
		return EINVAL;
	int error = options->zip ? make_zip(s) : 0;
	if (error)
		return error;
	error = open_output(s);
	if (error)
		drop_zip(s);
	return error;
}

/* The next segment of a ring; a different file at the path is kept. */
static bool next_segment(struct pvp_sink *s)
{
	int fd = open(s->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);
	s->dead = fd < 0 && errno == EEXIST;
	if (fd < 0)
		return false;
	fd = pvp_sink_move_up(fd);
	if (take_file(s, fd) == 0)
		return true;
	close(fd);
	s->fd = -1;
	s->dead = true;
	return false;
}

bool pvp_sink_reopen(struct pvp_sink *s)
{
	if (s->fd >= 0)
		return true;
	if (s->dead || !s->pipe)
		return !s->dead && s->segment && next_segment(s);
	int fd = open(sink_place(s), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return false;
	fd = pvp_sink_move_up(fd);
	int error = take_file(s, fd);
	if (!error && s->pipe)
		return true;
	close(fd);
	s->fd = -1;
	s->dead = error != EBUSY; /* no longer the same pipe */
	s->pipe = true;
	return false;
}

void pvp_sink_rotate(struct pvp_sink *s)
{
	char older[PVP_PATH_MAX + 4];
	snprintf(older, sizeof older, "%s.1", s->path);
	s->whole = s->head_end = 0;
	s->member = false;
	if (rename(s->path, older) == 0) {
		close(s->fd);
		s->fd = -1;
	} else if (ftruncate(s->fd, 0) == 0) {
		lseek(s->fd, 0, SEEK_SET);
	}
}

void pvp_sink_forget(struct pvp_sink *s)
{
	struct stat st;
	if (s->fd >= 0 && fstat(s->fd, &st) == 0 && st.st_dev == s->device && st.st_ino == s->inode)
		close(s->fd);
	if (s->alive >= 0)
		close(s->alive);
	pvp_sink_unwatch(s);
	s->fd = s->alive = -1;
	drop_zip(s);
}
