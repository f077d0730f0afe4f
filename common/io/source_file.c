/* SPDX-License-Identifier: MIT */
/* A regular file as a source: finished, or followed while it grows, shrinks or is replaced. */
#include "common/io/source_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "common/io/fd.h"
#include "common/io/log_writer.h"
#include "common/io/source_wait.h"

enum {
	HEAD_BYTES = 256, /* when these change, the file was written anew */
	TAIL_BYTES = 64,  /* likewise: a copy over a file may not empty it before */
	TICK_S = 1,       /* network file systems and FUSE report no changes */
	LOOK_MOST_MS = 64000,
	PAUSE_MS = 2000, /* longest pause of a copy over an older log */
	LEAVE_MS = 2000, /* a process closes its files some time before its exit */
};

/* A hole is skipped after so many zeros, or more while the kind of file is unknown. */
enum { HOLE_LEAST = 4096, HOLE_FIRST = 2 << 20 };

struct pv_file {
	int fd; /* -1: no file yet */
	uint64_t at, size;
	uint64_t hole; /* bytes at `at` that are on no disk; 0: none known */
	bool follow;

	/* only with follow */
	const char *path; /* borrowed; NULL: cannot be replaced */
	int epoll_fd, inotify_fd, watch;
	int pipe_fd; /* a pipe found at path; -1 */
	dev_t device;
	ino_t inode;
	uint8_t head[HEAD_BYTES];
	size_t head_n;
	uint8_t tail[TAIL_BYTES]; /* the bytes before `at` */
	size_t tail_n;
	bool copied;              /* an older log is being overwritten */
	struct timespec modified; /* modification time of the file meanwhile */
	int64_t modified_ms;      /* and the time it was seen */
	int tick_fd;
	uint32_t target; /* pid in the log's header; 0: none */
	struct pv_log_writer writer;
	bool writes;                 /* the writer is known and not gone */
	bool over;                   /* END was given at the present size */
	int64_t held_ms;             /* when the writer was last seen to hold the file */
	int64_t grown_ms;            /* of the last growth, or the opening; CLOCK_MONOTONIC */
	int64_t look_ms, look_after; /* for an unknown writer: next search, interval after it */
};

static int64_t monotonic_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Watches the inode by the descriptor: the path may already be another file's. */
static void watch_file(struct pv_file *f)
{
	char path[32];
	if (f->watch >= 0)
		inotify_rm_watch(f->inotify_fd, f->watch);
	snprintf(path, sizeof path, "/proc/self/fd/%d", f->fd);
	uint32_t what = IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF;
	f->watch = inotify_add_watch(f->inotify_fd, path, what);
	if (f->watch < 0 && f->path)
		f->watch = inotify_add_watch(f->inotify_fd, f->path, what);
}

/* Watches the directory; one that does not exist or cannot be watched is polled at each tick. */
static void watch_directory(struct pv_file *f)
{
	const char *slash = strrchr(f->path, '/');
	size_t n = slash ? (size_t)(slash - f->path) : 0;
	char *dir = !slash ? strdup(".") : n == 0 ? strdup("/") : strndup(f->path, n);
	if (dir)
		inotify_add_watch(f->inotify_fd, dir, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
	free(dir);
}

static bool start_ticks(struct pv_file *f)
{
	const struct itimerspec each = { { TICK_S, 0 }, { TICK_S, 0 } };
	f->tick_fd =
		pv_fd_above_standard(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
	return f->tick_fd >= 0 && timerfd_settime(f->tick_fd, 0, &each, NULL) == 0 &&
	       pv_wait_add(f->epoll_fd, f->tick_fd, PV_WAIT_TICK);
}

static void identify(struct pv_file *f)
{
	struct stat st;
	if (fstat(f->fd, &st) < 0)
		return;
	f->device = st.st_dev;
	f->inode = st.st_ino;
	f->size = (uint64_t)st.st_size;
}

static bool start_following(struct pv_file *f, struct pv_error *reterr)
{
	f->inotify_fd = pv_fd_above_standard(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
	if (f->inotify_fd >= 0 && !pv_wait_add(f->epoll_fd, f->inotify_fd, PV_WAIT_INOTIFY))
		pv_fd_close(&f->inotify_fd);
	if (!start_ticks(f))
		return pv_fail(reterr, PV_EIO, 0, "cannot follow: %s", strerror(errno));
	if (f->path)
		watch_directory(f);
	if (f->fd >= 0)
		watch_file(f);
	return true;
}

struct pv_file *pv_file_open(int fd, const char *path, int epoll_fd, struct pv_error *reterr)
{
	struct pv_file *f = malloc(sizeof *f);
	if (!f) {
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
		pv_fd_close(&fd);
		return NULL;
	}
	*f = (struct pv_file){ .fd = fd,
		.path = path,
		.follow = epoll_fd >= 0,
		.epoll_fd = epoll_fd,
		.inotify_fd = -1,
		.watch = -1,
		.pipe_fd = -1,
		.tick_fd = -1,
		.writer.pidfd = -1,
		.grown_ms = monotonic_ms() };
	if (fd >= 0) {
		off_t at = lseek(fd, 0, SEEK_CUR);
		f->at = at > 0 ? (uint64_t)at : 0;
		identify(f);
		posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	}
	if (f->follow && !start_following(f, reterr)) {
		pv_file_close(f);
		return NULL;
	}
	return f;
}

void pv_file_close(struct pv_file *f)
{
	if (!f)
		return;
	pv_fd_close(&f->writer.pidfd);
	pv_fd_close(&f->tick_fd);
	pv_fd_close(&f->inotify_fd);
	pv_fd_close(&f->pipe_fd);
	pv_fd_close(&f->fd);
	free(f);
}

static void forget_writer(struct pv_file *f)
{
	pv_fd_close(&f->writer.pidfd);
	f->writes = false;
}

static void forget_target(struct pv_file *f)
{
	f->target = 0;
	forget_writer(f);
}

/* Searches for the writer, less and less often while the file grows. */
static void look_for_writer(struct pv_file *f)
{
	struct stat st;
	int64_t now = monotonic_ms();
	if (f->target == 0 || f->target > INT32_MAX || f->writes || now < f->look_ms)
		return;
	f->look_ms = now + f->look_after;
	f->look_after = f->look_after < LOOK_MOST_MS ? 2 * f->look_after : LOOK_MOST_MS;
	if (f->fd < 0 || fstat(f->fd, &st) < 0 ||
		!pv_log_writer_find((pid_t)f->target, &st, true, &f->writer))
		return;
	f->writer.pidfd = pv_fd_above_standard(f->writer.pidfd);
	f->held_ms = now;
	f->writes =
		f->writer.pidfd >= 0 && pv_wait_add(f->epoll_fd, f->writer.pidfd, PV_WAIT_TARGET);
	if (!f->writes)
		forget_writer(f);
}

void pv_file_set_target(struct pv_file *f, uint32_t pid)
{
	if (!f->follow || f->target == pid)
		return;
	forget_writer(f);
	f->target = pid;
	f->look_ms = 0;
	f->look_after = 1000;
	look_for_writer(f);
}

long pv_file_writer(const struct pv_file *f)
{
	return f->writes ? f->writer.pid : 0;
}

static bool writer_has_exited(const struct pv_file *f)
{
	struct pollfd exited = { .fd = f->writer.pidfd, .events = POLLIN };
	return f->writes && poll(&exited, 1, 0) == 1;
}

/* A file emptied by others keeps its writer, who writes on without another header. */
static enum pv_read begin_again(struct pv_file *f)
{
	struct stat st;
	f->at = 0;
	f->head_n = f->tail_n = 0;
	f->over = false;
	f->grown_ms = monotonic_ms();
	bool same = f->writes && fstat(f->fd, &st) == 0 &&
		    (pv_log_writer_holds(&f->writer, &st) || writer_has_exited(f));
	if (!same)
		forget_target(f);
	return PV_READ_RESTART;
}

/* Descriptor of the file now at the path, or of a pipe if there was no file yet; else -1. */
static int open_path(struct pv_file *f, struct stat *ret_st)
{
	int fd = open(f->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd >= 0 && fstat(fd, ret_st) == 0 &&
		(S_ISREG(ret_st->st_mode) || (S_ISFIFO(ret_st->st_mode) && f->fd < 0)))
		return pv_fd_above_standard(fd);
	if (fd >= 0) {
		close(fd);
		errno = ENOENT;
	}
	return -1;
}

/* Checks whether the awaited file exists now. */
static enum pv_read appear(struct pv_file *f, struct pv_error *reterr)
{
	struct stat st;
	int fd = open_path(f, &st);
	if (fd < 0 && errno == ENOENT)
		return PV_READ_NOTHING;
	if (fd < 0) {
		pv_fail(reterr, PV_EIO, 0, "%s", strerror(errno));
		return PV_READ_ERROR;
	}
	if (S_ISFIFO(st.st_mode)) {
		pv_fd_close(&f->pipe_fd);
		f->pipe_fd = fd;
		return PV_READ_NOTHING;
	}
	f->fd = fd;
	f->grown_ms = monotonic_ms();
	identify(f);
	watch_file(f);
	return PV_READ_BYTES;
}

/* Whether the path has another file; opens the file then. */
static bool replaced(struct pv_file *f)
{
	struct stat st;
	if (!f->path || stat(f->path, &st) < 0 || !S_ISREG(st.st_mode) ||
		(st.st_dev == f->device && st.st_ino == f->inode))
		return false;
	int fd = open_path(f, &st);
	if (fd < 0)
		return false;
	pv_fd_close(&f->fd);
	f->fd = fd;
	identify(f);
	watch_file(f);
	return true;
}

/*
 * Whether the file still has the same head. No other sign shows a file that was emptied and written
 * past the old position between two reads.
 */
static bool same_head(struct pv_file *f)
{
	uint8_t now[HEAD_BYTES];
	ssize_t n = pv_fd_pread(f->fd, now, sizeof now, 0);
	if (n < (ssize_t)f->head_n || memcmp(now, f->head, f->head_n) != 0)
		return false;
	memcpy(f->head, now, (size_t)n);
	f->head_n = (size_t)n;
	return true;
}

/*
 * Whether the last bytes read are unchanged. A copy may overwrite an older log from the beginning
 * on: bytes read then are a mixture of both.
 */
static bool same_tail(const struct pv_file *f)
{
	uint8_t now[TAIL_BYTES];
	ssize_t n = pv_fd_pread(f->fd, now, f->tail_n, f->at - f->tail_n);
	return n == (ssize_t)f->tail_n && memcmp(now, f->tail, f->tail_n) == 0;
}

static void keep_tail(struct pv_file *f, const uint8_t *bytes, size_t n)
{
	size_t more = n < TAIL_BYTES ? n : TAIL_BYTES;
	size_t rest = f->tail_n < TAIL_BYTES - more ? f->tail_n : TAIL_BYTES - more;
	memmove(f->tail, f->tail + f->tail_n - rest, rest);
	memcpy(f->tail + rest, bytes + n - more, more);
	f->tail_n = rest + more;
}

static enum pv_read grown(struct pv_file *f, const uint8_t *bytes, uint64_t n, uint64_t *ret_n)
{
	keep_tail(f, bytes, n);
	if (f->at == 0 && f->head[0] != 0)
		forget_target(f); /* no zeros up to a writer's position: another has begun */
	f->at += n;
	f->grown_ms = monotonic_ms();
	if (f->over) /* another writes on: the END is not true */
		forget_writer(f);
	f->over = false;
	look_for_writer(f);
	*ret_n = n;
	return PV_READ_BYTES;
}

/* Whether the writer runs on without the file. */
static bool has_left(struct pv_file *f, const struct stat *st)
{
	int64_t now = monotonic_ms();
	if (pv_log_writer_holds(&f->writer, st))
		f->held_ms = now;
	int64_t last = f->held_ms > f->grown_ms ? f->held_ms : f->grown_ms;
	return now - last > LEAVE_MS && !writer_has_exited(f);
}

/* At the present end of the file. `gone`: the writer had exited before this read. */
static enum pv_read nothing_more(struct pv_file *f, const struct stat *st, bool gone)
{
	f->over |= gone;
	if (f->over)
		return PV_READ_END;
	if (f->writes && has_left(f, st))
		forget_writer(f);
	bool quiet = !f->writes && f->at > 0 && monotonic_ms() - f->grown_ms >= PV_SOURCE_QUIET_MS;
	return quiet ? PV_READ_QUIET : PV_READ_NOTHING;
}

/*
 * Whether a copy over an older log is still in progress: the file keeps the older size until all
 * old bytes are overwritten. Bytes read meanwhile would be a mixture of both.
 */
static bool still_copied(struct pv_file *f)
{
	struct stat st;
	int64_t now = monotonic_ms();
	if (!f->copied)
		return false;
	f->copied = fstat(f->fd, &st) == 0 && (uint64_t)st.st_size == f->size;
	if (st.st_mtim.tv_sec != f->modified.tv_sec || st.st_mtim.tv_nsec != f->modified.tv_nsec) {
		f->modified = st.st_mtim;
		f->modified_ms = now;
	}
	f->copied = f->copied && now - f->modified_ms < PAUSE_MS;
	return f->copied;
}

static enum pv_read read_followed(
	struct pv_file *f, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr)
{
	enum pv_read there = f->fd < 0 ? appear(f, reterr) : PV_READ_BYTES;
	if (there != PV_READ_BYTES)
		return there;
	if (still_copied(f))
		return PV_READ_NOTHING;
	/* Checked before the read, which then sees everything written before the exit. */
	bool gone = writer_has_exited(f);
	struct stat st;
	ssize_t n = pv_fd_pread(f->fd, to, size, f->at);
	if (n < 0 || fstat(f->fd, &st) < 0) {
		pv_fail(reterr, PV_EIO, f->at, "%s", strerror(errno));
		return PV_READ_ERROR;
	}
	bool same_size = (uint64_t)st.st_size == f->size;
	f->size = (uint64_t)st.st_size;
	/* Checked after the read: an unchanged head vouches for the bytes. */
	if (f->size < f->at || !same_head(f) || !same_tail(f)) {
		f->copied = same_size;
		f->modified = (struct timespec){ 0 };
		return begin_again(f);
	}
	if (n > 0)
		return grown(f, to, (uint64_t)n, ret_n);
	return replaced(f) ? begin_again(f) : nothing_more(f, &st, gone);
}

/* Length of a hole that begins here; checked after zeros only, as most files have no holes. */
static uint64_t hole_at(const struct pv_file *f, const char *bytes, size_t n)
{
	if (n < HOLE_LEAST || *bytes || memcmp(bytes, bytes + 1, n - 1) != 0)
		return 0;
	off_t to = lseek(f->fd, (off_t)f->at, SEEK_DATA);
	uint64_t next = to >= 0 ? (uint64_t)to : errno == ENXIO ? f->size : 0;
	return next > f->at ? next - f->at : 0;
}

enum pv_read pv_file_read(
	struct pv_file *f, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr)
{
	if (f->follow)
		return read_followed(f, to, size, ret_n, reterr);
	if (f->hole) {
		*ret_n = f->hole;
		f->at += f->hole;
		f->hole = 0;
		return PV_READ_GAP;
	}
	ssize_t n = pv_fd_pread(f->fd, to, size, f->at);
	if (n < 0) {
		pv_fail(reterr, PV_EIO, f->at, "%s", strerror(errno));
		return PV_READ_ERROR;
	}
	if (n == 0)
		return PV_READ_END;
	f->at += (uint64_t)n;
	f->hole = f->at >= HOLE_FIRST ? hole_at(f, to, (size_t)n) : 0;
	*ret_n = (uint64_t)n;
	return PV_READ_BYTES;
}

/* Bytes beyond the last read were written just now. */
bool pv_file_is_written(const struct pv_file *f, uint32_t pid)
{
	struct stat st;
	const bool known = pid <= INT32_MAX;
	return f->fd >= 0 && (pv_log_is_written(f->fd, known ? (pid_t)pid : 0) ||
				     (fstat(f->fd, &st) == 0 && (uint64_t)st.st_size > f->at));
}

int pv_file_fd(const struct pv_file *f)
{
	return f->fd;
}

void pv_file_seek(struct pv_file *f, uint64_t offset)
{
	f->at = offset;
	f->hole = 0;
	f->tail_n = 0;
}

bool pv_file_is_pipe(struct pv_file *f, int *ret_fd)
{
	if (f->pipe_fd < 0)
		return false;
	*ret_fd = f->pipe_fd;
	f->pipe_fd = -1;
	/* Closed at the end only: another thread may just be clearing it. */
	pv_wait_remove(f->epoll_fd, f->inotify_fd);
	pv_wait_remove(f->epoll_fd, f->tick_fd);
	return true;
}

uint64_t pv_file_size(const struct pv_file *f)
{
	return f->size;
}

bool pv_file_exists(const struct pv_file *f)
{
	return f->fd >= 0;
}

void pv_file_wait_clear(int inotify_fd)
{
	/* Events only cause a check of the file; its state shows the change. */
	char events[4096];
	for (int i = 0; i < 16 && pv_fd_read(inotify_fd, events, sizeof events) > 0; i++)
		;
}
