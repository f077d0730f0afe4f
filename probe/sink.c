#include "probe/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIPE_BYTES = 1 << 20, HIGH_FD = 200 };

/* Away from the numbers that programs count on, such as the next one after 2. */
static int move_up(int fd)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FD);
	if (high < 0)
		return fd;
	close(fd);
	return high;
}

/*
 * One writer for each file and pipe: a child that runs another program with the same options must
 * not tear the stream. The lock goes with the descriptor; flock() is left to a pipe's readers.
 */
static int claim(int fd)
{
	struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	bool taken = fcntl(fd, F_OFD_SETLK, &all) != 0 && (errno == EAGAIN || errno == EACCES);
	return taken ? EBUSY : 0; /* where there are no locks, there is no knowing */
}

/* What fd is. Returns an errno value. */
static int settle(struct pvp_sink *s, int fd)
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
	s->device = st.st_dev;
	s->inode = st.st_ino;
	s->fd = fd;
	return 0;
}

int pvp_sink_open(struct pvp_sink *s, const char *path)
{
	struct stat st;
	*s = (struct pvp_sink){ .path = path, .fd = -1 };
	int fd = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0666);
	if (fd < 0) {
		int error = errno;
		s->pipe = error == ENXIO && stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
		return s->pipe ? 0 : error;
	}
	fd = move_up(fd);
	int error = settle(s, fd);
	if (error)
		close(fd);
	return error;
}

bool pvp_sink_reopen(struct pvp_sink *s)
{
	if (s->fd >= 0)
		return true;
	int fd = open(s->path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return false;
	fd = move_up(fd);
	int error = settle(s, fd);
	if (!error && s->pipe)
		return true;
	close(fd);
	s->fd = -1;
	s->dead = error != EBUSY; /* no longer the pipe it was */
	s->pipe = true;
	return false;
}

static bool still_ours(struct pvp_sink *s)
{
	struct stat st;
	s->dead |= s->fd >= 0 &&
		(fstat(s->fd, &st) != 0 || st.st_dev != s->device || st.st_ino != s->inode);
	return !s->dead;
}

static void take_back(struct pvp_sink *s)
{
	if (s->fd < 0 || s->pipe || s->dead)
		return;
	if (ftruncate(s->fd, (off_t)s->whole) == 0)
		lseek(s->fd, (off_t)s->whole, SEEK_SET);
}

static enum pvp_sent leave(struct pvp_sink *s)
{
	close(s->fd);
	s->fd = -1;
	return PVP_READER_GONE;
}

bool pvp_sink_alone(struct pvp_sink *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLOUT };
	if (s->pipe && s->fd >= 0 && still_ours(s) && poll(&p, 1, 0) == 1 &&
		p.revents & POLLERR)
		leave(s);
	return s->pipe && s->fd < 0;
}

/* Drops `n` written bytes from the front of the parts. */
static void advance(struct iovec *parts, int count, size_t n)
{
	for (int i = 0; i < count && n; i++) {
		size_t part = n < parts[i].iov_len ? n : parts[i].iov_len;
		parts[i].iov_base = (char *)parts[i].iov_base + part;
		parts[i].iov_len -= part;
		n -= part;
	}
}

/* Waits until a further try makes sense; false to give up. */
static bool wait_for_room(struct pvp_sink *s, int error, bool moved)
{
	int ms = s->patience(s->ctx, moved);
	if (ms < 0)
		return false;
	if (s->pipe && error == EAGAIN) {
		struct pollfd p = { .fd = s->fd, .events = POLLOUT };
		poll(&p, 1, ms);
	} else {
		s->rest(s->ctx, ms);
	}
	return true;
}

enum pvp_sent pvp_sink_send(struct pvp_sink *s, const struct iovec *parts, int n)
{
	struct iovec left[PVP_MAX_PARTS];
	size_t bytes = 0, all = 0;
	for (int i = 0; i < n; i++) {
		left[i] = parts[i];
		all += parts[i].iov_len;
	}
	for (bool moved = false; bytes < all;) {
		if (!still_ours(s))
			return PVP_GAVE_UP;
		if (s->fd < 0)
			return PVP_READER_GONE;
		ssize_t k = writev(s->fd, left, n);
		int error = k < 0 ? errno : 0;
		if (k > 0) {
			bytes += (size_t)k;
			advance(left, n, (size_t)k);
			moved = true;
		} else if (error == EPIPE && s->pipe) {
			return leave(s);
		} else if (error != EINTR) {
			if (!wait_for_room(s, error, moved)) {
				take_back(s);
				return s->leaving ? leave(s) : PVP_GAVE_UP;
			}
			moved = false;
		}
	}
	s->whole += all;
	s->written += all;
	return PVP_SENT;
}

void pvp_sink_close(struct pvp_sink *s)
{
	if (still_ours(s) && s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}
