/* SPDX-License-Identifier: MIT */
/*
 * The source of a log's bytes: chooses file or pipe, puts the inflater and the recent bytes in
 * front.
 */
#include "common/io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/utf8.h"
#include "common/io/fd.h"
#include "common/io/recent.h"
#include "common/io/source_file.h"
#include "common/io/source_gzip.h"
#include "common/io/source_pipe.h"
#include "common/io/source_wait.h"
#include "common/io/source_written.h"
#include "common/io/spool.h"

struct pv_source {
	char *path, *record;
	struct pv_source_options options;
	int epoll_fd; /* -1: nothing to wait for */
	struct pv_file *file, *file_before_pipe;
	struct pv_pipe *_Atomic pipe; /* a file awaited may turn out to be a pipe */
	struct pv_spool *spool;       /* borrowed: of the pipe being read again, */
	struct pv_spool_again *again; /* the second reading; mostly NULL */
	struct pv_gzip *gzip;
	struct pv_recent recent;
	bool recording;
	pthread_mutex_t lock; /* over `shown` and the texts of the pipe's errors */
	struct pv_source_info shown;
};

static enum pv_read stored(
	void *ctx, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr);

static void start_info(struct pv_source *s, enum pv_source_kind kind)
{
	pthread_mutex_lock(&s->lock);
	s->shown.kind = kind;
	s->shown.path = s->path;
	s->shown.waiting = s->file ? !pv_file_exists(s->file) : true;
	s->shown.file_bytes = s->file ? pv_file_size(s->file) : 0;
	pthread_mutex_unlock(&s->lock);
}

static bool take_file(struct pv_source *s, int fd, const char *path, struct pv_error *reterr)
{
	s->file = pv_file_open(fd, path, s->options.follow ? s->epoll_fd : -1, reterr);
	if (!s->file)
		return false;
	start_info(s, s->options.follow ? PV_SOURCE_GROWING : PV_SOURCE_FILE);
	return true;
}

static bool take_pipe(struct pv_source *s, int fd, bool at_open, struct pv_error *reterr)
{
	bool standard_input = strcmp(s->path, "-") == 0;
	struct pv_pipe *p = pv_pipe_open(&(struct pv_pipe_setup){ .fd = fd,
						 .epoll_fd = s->epoll_fd,
						 .standard_input = standard_input,
						 .record_must_begin = at_open,
						 .options = &s->options },
		reterr);
	if (!p)
		return false;
	s->file_before_pipe = s->file;
	s->file = NULL;
	atomic_store(&s->pipe, p);
	pv_gzip_set_many_writers(s->gzip, true);
	start_info(s, standard_input ? PV_SOURCE_STDIN : PV_SOURCE_PIPE);
	return true;
}

/* Leaves the former standard input to the drainer. */
static void leave_standard_input(void)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null > 0) {
		dup2(null, 0);
		close(null);
	}
}

static int open_input(struct pv_source *s, struct stat *ret_st)
{
	int fd;
	if (strcmp(s->path, "-") == 0) {
		bool pipe = fstat(0, ret_st) == 0 && S_ISFIFO(ret_st->st_mode);
		fd = pipe ? pv_fd_reopen(0) : -1;
		if (fd < 0)
			fd = fcntl(0, F_DUPFD_CLOEXEC, 3);
	} else {
		fd = open(s->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
		fd = pv_fd_above_standard(fd);
	}
	if (fd >= 0 && fstat(fd, ret_st) == 0)
		return fd;
	pv_fd_close(&fd);
	return -1;
}

/* A socket cannot be opened at all; errno's text would not say so. */
static const char *why_not_opened(const char *path)
{
	struct stat st;
	int why = errno;
	if (why == ENXIO && stat(path, &st) == 0 && S_ISSOCK(st.st_mode))
		return "it is a socket, not a log";
	return strerror(why);
}

static bool open_what_is_there(struct pv_source *s, struct pv_error *reterr)
{
	struct stat st;
	bool standard_input = strcmp(s->path, "-") == 0;
	int fd = open_input(s, &st);
	bool may_appear = fd < 0 && errno == ENOENT && s->options.follow && !standard_input;
	if (fd < 0 && !may_appear)
		return pv_fail(reterr, PV_EIO, 0, "%s", why_not_opened(s->path));
	if (may_appear)
		return take_file(s, -1, s->path, reterr);
	if (S_ISREG(st.st_mode) && !s->options.record)
		return take_file(s, fd, standard_input ? NULL : s->path, reterr);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && !isatty(fd)) {
		bool ok = take_pipe(s, fd, true, reterr);
		if (ok && standard_input)
			leave_standard_input();
		return ok;
	}
	if (S_ISREG(st.st_mode))
		pv_fail(reterr, PV_EUSAGE, 0, "a file cannot be recorded, only a pipe");
	else if (S_ISDIR(st.st_mode))
		pv_fail(reterr, PV_EIO, 0, "it is a directory");
	else
		pv_fail(reterr, PV_EUSAGE, 0, "it is a terminal, not a log");
	close(fd);
	return false;
}

static bool record_is_free(const char *record, struct pv_error *reterr)
{
	struct stat st;
	if (!record || (lstat(record, &st) < 0 && errno == ENOENT))
		return true;
	return pv_fail(reterr, PV_EUSAGE, 0, "the file to record into exists already: %s",
		PV_FIT(record, 120));
}

static bool set_up(struct pv_source *s, const char *path, const struct pv_source_options *options)
{
	if (pthread_mutex_init(&s->lock, NULL) != 0)
		return false;
	s->options = *options;
	s->path = strdup(path);
	s->record = options->record ? strdup(options->record) : NULL;
	s->options.record = s->record;
	s->gzip = pv_gzip_create(stored, s, options->access_spacing);
	return s->path && s->gzip && (s->record || !options->record);
}

struct pv_source *pv_source_open(
	const char *path, const struct pv_source_options *options, struct pv_error *reterr)
{
	if (!record_is_free(options->record, reterr))
		return NULL;
	struct pv_source *s = calloc(1, sizeof *s);
	if (!s) {
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
		return NULL;
	}
	s->epoll_fd = pv_fd_above_standard(epoll_create1(EPOLL_CLOEXEC));
	int why = errno;
	bool ok = set_up(s, path, options) || pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	if (ok && s->epoll_fd < 0)
		ok = pv_fail(reterr, PV_EIO, 0, "epoll: %s", strerror(why));
	if (!ok || !open_what_is_there(s, reterr)) {
		pv_source_close(s);
		return NULL;
	}
	if (s->shown.kind == PV_SOURCE_FILE)
		pv_fd_close(&s->epoll_fd);
	return s;
}

static bool is_compressed(const struct pv_source *s)
{
	struct pv_source_info info;
	pv_source_info(s, &info);
	return info.compressed;
}

static struct pv_spool *spool_of(const struct pv_source *s)
{
	struct pv_pipe *pipe = atomic_load(&((struct pv_source *)s)->pipe);
	return pipe ? pv_pipe_spool(pipe) : s->spool;
}

uint64_t pv_source_floor(const struct pv_source *s)
{
	struct pv_spool *spool = spool_of(s);
	uint64_t floor = spool ? pv_spool_floor(spool) : 0;
	return floor && is_compressed(s) ? UINT64_MAX : floor;
}

static bool set_up_again(struct pv_source *s, const struct pv_source *of, struct pv_spool *spool)
{
	const struct pv_source_options none = { 0 };
	s->epoll_fd = -1;
	s->spool = spool;
	s->again = pv_spool_again_create(spool);
	if (!set_up(s, of->path, &none) || !s->again)
		return false;
	pv_gzip_set_many_writers(s->gzip, !pv_spool_again_one_stream(s->again));
	s->shown = (struct pv_source_info){
		.kind = PV_SOURCE_FILE, .path = s->path, .file_bytes = pv_spool_again_size(s->again)
	};
	return true;
}

static struct pv_source *pipe_again(
	const struct pv_source *of, struct pv_spool *spool, struct pv_error *reterr)
{
	if (pv_source_floor(of) == UINT64_MAX) {
		pv_fail(reterr, PV_EUSAGE, 0,
			"the beginning of what came compressed is no longer in the spool");
		return NULL;
	}
	struct pv_source *s = calloc(1, sizeof *s);
	if (s && set_up_again(s, of, spool))
		return s;
	pv_source_close(s);
	pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	return NULL;
}

struct pv_source *pv_source_again(const struct pv_source *s, struct pv_error *reterr)
{
	char path[32];
	struct pv_spool *spool = spool_of(s);
	if (spool)
		return pipe_again(s, spool, reterr);
	if (!s->file || !pv_file_exists(s->file)) {
		pv_fail(reterr, PV_EUSAGE, 0, "there is nothing yet to read again");
		return NULL;
	}
	snprintf(path, sizeof path, "/proc/self/fd/%d", pv_file_fd(s->file));
	return pv_source_open(path, &(struct pv_source_options){ 0 }, reterr);
}

void pv_source_close(struct pv_source *s)
{
	if (!s)
		return;
	pv_pipe_close(atomic_load(&s->pipe));
	pv_file_close(s->file_before_pipe);
	pv_file_close(s->file);
	pv_spool_again_destroy(s->again);
	pv_gzip_destroy(s->gzip);
	pv_recent_finish(&s->recent);
	pv_fd_close(&s->epoll_fd);
	pthread_mutex_destroy(&s->lock);
	free(s->path);
	free(s->record);
	free(s);
}

static enum pv_read stored_now(
	struct pv_source *s, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr)
{
	struct pv_pipe *pipe = atomic_load_explicit(&s->pipe, memory_order_relaxed);
	if (pipe)
		return pv_pipe_read(pipe, to, size, ret_n, reterr);
	if (s->again)
		return pv_spool_again_read(s->again, to, size, ret_n, reterr);
	enum pv_read what = pv_file_read(s->file, to, size, ret_n, reterr);
	int fd;
	if (what != PV_READ_NOTHING || !pv_file_is_pipe(s->file, &fd))
		return what;
	if (!take_pipe(s, fd, false, reterr))
		return PV_READ_ERROR;
	return pv_pipe_read(atomic_load(&s->pipe), to, size, ret_n, reterr);
}

/* Reads stored bytes for the inflater, and counts them. */
static enum pv_read stored(
	void *ctx, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr)
{
	struct pv_source *s = ctx;
	enum pv_read what = stored_now(s, to, size, ret_n, reterr);
	pthread_mutex_lock(&s->lock);
	if (what == PV_READ_BYTES || (what == PV_READ_GAP && s->again))
		s->shown.input_read += *ret_n;
	if (what == PV_READ_RESTART)
		s->shown.input_read = 0;
	if (what == PV_READ_BYTES || what == PV_READ_END || what == PV_READ_GAP)
		s->shown.waiting = false;
	if (s->file) {
		s->shown.file_bytes = pv_file_size(s->file);
		s->shown.waiting = !pv_file_exists(s->file);
		s->shown.writer = pv_file_writer(s->file);
		if (s->record && !s->shown.waiting)
			s->shown.record_error = "it is a file, and only a pipe is recorded";
	}
	pthread_mutex_unlock(&s->lock);
	return what;
}

/* Bytes of a plain stream bypass the inflater. */
static enum pv_read log_bytes(
	struct pv_source *s, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr)
{
	const bool plain = pv_gzip_plain(s->gzip);
	enum pv_read what = plain ? stored(s, to, size, ret_n, reterr)
				  : pv_gzip_read(s->gzip, to, size, ret_n, reterr);
	if (plain && what == PV_READ_BYTES)
		return what;
	if (plain)
		what = pv_gzip_no_bytes(s->gzip, what);
	pthread_mutex_lock(&s->lock);
	pv_gzip_info(s->gzip, &s->shown);
	pthread_mutex_unlock(&s->lock);
	return what;
}

enum pv_read pv_source_read(
	struct pv_source *s, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr)
{
	if (size == 0) {
		pv_fail(reterr, PV_EUSAGE, 0, "nothing was asked for");
		return PV_READ_ERROR;
	}
	uint64_t n = pv_recent_take(&s->recent, to, size);
	if (n > 0) {
		*ret_n = n;
		return PV_READ_BYTES;
	}
	enum pv_read what;
	do /* on an end in the middle: bytes of another writer follow */
		what = log_bytes(s, to, size, &n, reterr);
	while (what == PV_READ_END && s->again && !pv_spool_again_at_end(s->again));
	if (what == PV_READ_BYTES)
		pv_recent_add(&s->recent, to, (size_t)n);
	if (what == PV_READ_BYTES || what == PV_READ_GAP)
		*ret_n = n;
	return what;
}

static bool seek_stored(void *ctx, uint64_t offset)
{
	struct pv_source *s = ctx;
	if (s->again && !pv_spool_again_seek(s->again, offset))
		return false;
	if (!s->again && !s->file)
		return false;
	if (s->file)
		pv_file_seek(s->file, offset);
	pthread_mutex_lock(&s->lock);
	s->shown.input_read = offset;
	pthread_mutex_unlock(&s->lock);
	return true;
}

bool pv_source_remember(struct pv_source *s, size_t bytes, uint64_t offset)
{
	pv_recent_finish(&s->recent);
	return pv_recent_init(&s->recent, bytes, offset);
}

/* Reads up to a near offset, so that the bytes before are kept. */
static bool go_on_to(struct pv_source *s, uint64_t offset)
{
	uint8_t bytes[1 << 14];
	struct pv_error e;
	uint64_t n = 0, end = s->recent.end;
	if (!s->recent.ring || offset < end || offset - end > s->recent.size / 2)
		return false;
	for (s->recent.at = end; end < offset; end += n) {
		size_t want = offset - end < sizeof bytes ? (size_t)(offset - end) : sizeof bytes;
		if (pv_source_read(s, bytes, want, &n, &e) != PV_READ_BYTES)
			return false;
	}
	return true;
}

bool pv_source_seek(struct pv_source *s, uint64_t offset, struct pv_error *reterr)
{
	if (!s->file && !s->again)
		return pv_fail(reterr, PV_EUSAGE, offset, "a pipe cannot be read anew");
	if (pv_recent_seek(&s->recent, offset) || go_on_to(s, offset))
		return true;
	bool ok = pv_gzip_seek(s->gzip, seek_stored, offset, reterr);
	if (ok)
		pv_recent_jump(&s->recent, offset);
	pthread_mutex_lock(&s->lock);
	s->shown.compressed = pv_gzip_compressed(s->gzip);
	pthread_mutex_unlock(&s->lock);
	return ok;
}

size_t pv_source_points(const struct pv_source *s, const struct pv_source_point **ret)
{
	return pv_gzip_points(s->gzip, ret);
}

bool pv_source_set_points(struct pv_source *s, const struct pv_source_point *points, size_t n)
{
	return pv_gzip_set_points(s->gzip, points, n);
}

int pv_source_wait_fd(const struct pv_source *s)
{
	return s->epoll_fd;
}

void pv_source_wait_clear(struct pv_source *s)
{
	int fd;
	enum pv_wait what;
	/* A few rounds: anything still readable will call again. */
	for (int i = 0; s->epoll_fd >= 0 && i < 4 && pv_wait_next(s->epoll_fd, &fd, &what); i++) {
		if (what == PV_WAIT_INOTIFY)
			pv_file_wait_clear(fd);
		else if (what == PV_WAIT_MORE || what == PV_WAIT_TICK) /* both eight bytes */
			eventfd_read(fd, &(eventfd_t){ 0 });
		else if (what == PV_WAIT_DRAINER && atomic_load(&s->pipe))
			pv_pipe_wait_clear(atomic_load(&s->pipe), s->epoll_fd, fd);
	}
}

void pv_source_set_target(struct pv_source *s, uint32_t pid)
{
	if (s->file)
		pv_file_set_target(s->file, pid);
}

bool pv_source_is_written(const struct pv_source *s, uint32_t pid)
{
	return s->file && !s->options.follow && pv_file_is_written(s->file, pid);
}

static bool begin_record(
	struct pv_source *s, uint64_t from, const void *head, size_t n, struct pv_error *reterr)
{
	struct pv_pipe *pipe = atomic_load(&s->pipe);
	if (!pipe || !s->record)
		return pv_fail(reterr, PV_EUSAGE, from, "no record was asked for");
	if (from > 0 && pv_gzip_compressed(s->gzip))
		return pv_fail(reterr, PV_EUSAGE, from, "a gzip stream is recorded whole");
	return pv_pipe_record(pipe, from, head, n, reterr);
}

bool pv_source_record(
	struct pv_source *s, uint64_t from, const void *head, size_t n, struct pv_error *reterr)
{
	bool begun = begin_record(s, from, head, n, reterr);
	s->recording |= begun;
	pthread_mutex_lock(&s->lock);
	if (s->record && !s->recording)
		s->shown.record_error = "recording could not begin";
	else if (begun)
		s->shown.record_error = NULL;
	pthread_mutex_unlock(&s->lock);
	return begun;
}

void pv_source_record_wait(struct pv_source *s)
{
	struct pv_pipe *pipe = atomic_load(&s->pipe);
	if (pipe && s->record)
		pv_pipe_record_wait(pipe);
}

void pv_source_info(const struct pv_source *s, struct pv_source_info *ret)
{
	struct pv_source *writable = (struct pv_source *)s; /* the lock is not part of the value */
	struct pv_pipe *pipe = atomic_load(&writable->pipe);
	pthread_mutex_lock(&writable->lock);
	*ret = s->shown;
	if (pipe)
		pv_pipe_info(pipe, ret);
	pthread_mutex_unlock(&writable->lock);
}

bool pv_source_damage(const struct pv_source_info *info, char *to, size_t size)
{
	if (info->compressed_damage)
		snprintf(to, size, "%s, stored byte %" PRIu64, info->compressed_damage,
			info->damaged_at);
	return info->compressed_damage != NULL;
}
