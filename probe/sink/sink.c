/* SPDX-License-Identifier: MIT */
/* Writes pieces of the log to the sink: whole, within bounds, and compressed on request. */
#include "probe/sink/sink.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/sink/gzip.h"

static bool still_ours(struct pvp_sink *s)
{
	struct stat st;
	bool lost = s->fd >= 0 &&
		    (fstat(s->fd, &st) != 0 || st.st_dev != s->device || st.st_ino != s->inode);
	if (lost && !s->dead) {
		s->fd = -1;
		s->dead = !pvp_sink_regain(s);
	}
	return !s->dead;
}

static void take_back(struct pvp_sink *s)
{
	if (s->zip)
		pvp_gzip_commit(s->zip, false);
	if (s->fd < 0 || s->pipe || s->dead)
		return;
	if (ftruncate(s->fd, (off_t)s->whole) == 0)
		lseek(s->fd, (off_t)s->whole, SEEK_SET);
}

static enum pvp_sent drop_reader(struct pvp_sink *s)
{
	if (s->fd >= 0 && !s->dead)
		close(s->fd);
	s->fd = -1;
	s->member = false;
	return PVP_READER_GONE;
}

/* No reader: another may come to a pipe, to nothing else. */
static enum pvp_sent leave_sink(struct pvp_sink *s)
{
	if (s->pipe)
		return drop_reader(s);
	s->dead = true;
	return PVP_GAVE_UP;
}

static void end_member(struct pvp_sink *s);

/* Whether the reader was replaced: the new reader has seen nothing. */
static bool begins_anew(struct pvp_sink *s)
{
	if (!s->pipe || s->fd < 0 || !still_ours(s) || !pvp_sink_replaced(s))
		return false;
	end_member(s);
	return true;
}

bool pvp_sink_is_unread(struct pvp_sink *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLOUT };
	if (s->pipe && s->fd >= 0 && still_ours(s) && poll(&p, 1, 0) == 1 && p.revents & POLLERR)
		leave_sink(s);
	return s->pipe && (s->fd < 0 || begins_anew(s));
}

void pvp_sink_head_ends(struct pvp_sink *s)
{
	s->head_end = s->whole;
}

/* ---- bytes */

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
	if (error == EAGAIN) {
		struct pollfd p = { .fd = s->fd, .events = POLLOUT };
		poll(&p, 1, ms);
	} else {
		s->rest(s->ctx, ms);
	}
	return true;
}

/* As writev(), if possible without a signal and without waiting. */
static ssize_t write_some(const struct pvp_sink *s, struct iovec *parts, int n)
{
	struct msghdr m = { .msg_iov = parts, .msg_iovlen = (size_t)n };
	return s->socket ? sendmsg(s->fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL)
			 : writev(s->fd, parts, n);
}

/* The parts are changed. */
static enum pvp_sent write_all(struct pvp_sink *s, struct iovec *parts, int n, size_t all)
{
	size_t bytes = 0;
	for (bool moved = false; bytes < all;) {
		if (!still_ours(s))
			return PVP_GAVE_UP;
		if (s->fd < 0)
			return PVP_READER_GONE;
		ssize_t k = write_some(s, parts, n);
		int error = k < 0 ? errno : 0;
		if (k > 0) {
			bytes += (size_t)k;
			advance(parts, n, (size_t)k);
			moved = true;
		} else if (error == EPIPE || error == ECONNRESET) {
			return leave_sink(s);
		} else if (error != EINTR) {
			if (!wait_for_room(s, error, moved))
				return PVP_GAVE_UP;
			moved = false;
		}
	}
	return PVP_SENT;
}

static enum pvp_sent write_block(struct pvp_sink *s, void *bytes, size_t n, uint64_t *total)
{
	struct iovec part = { bytes, n };
	*total += n;
	return write_all(s, &part, 1, n);
}

/* ---- compressed */

static size_t gather_parts(struct iovec *parts, int n, uint8_t *to)
{
	size_t got = 0;
	for (int i = 0; i < n; i++) {
		size_t room = PVP_GZIP_IN - got;
		size_t some = parts[i].iov_len < room ? parts[i].iov_len : room;
		memcpy(to + got, parts[i].iov_base, some);
		got += some;
	}
	advance(parts, n, got);
	return got;
}

/* Each piece can be decompressed as soon as written. */
static enum pvp_sent write_packed(struct pvp_sink *s, struct iovec *parts, int n, uint64_t *total)
{
	enum pvp_sent sent = PVP_SENT;
	if (!s->member)
		sent = write_block(s, s->packed, pvp_gzip_begin(s->zip, s->packed), total);
	for (size_t got; sent == PVP_SENT && (got = gather_parts(parts, n, s->unpacked)) > 0;)
		sent = write_block(
			s, s->packed, pvp_gzip_put(s->zip, s->unpacked, got, s->packed), total);
	return sent;
}

/* ---- pieces */

/* Whether the bytes fit under maxsize. Compressed bytes may be slightly more than plain. */
static bool fits_limit(const struct pvp_sink *s, uint64_t bytes)
{
	uint64_t need = bytes + (s->zip ? bytes / 64 + 128 : 0);
	uint64_t kept = s->last_words ? 0 : PVP_LAST_WORDS;
	return !s->most || (s->written < s->most && need + kept <= s->most - s->written);
}

static bool segment_full(const struct pvp_sink *s, uint64_t bytes)
{
	return s->segment && !s->amid && s->whole > s->head_end &&
	       s->whole - s->head_end + bytes > s->segment;
}

static void end_member(struct pvp_sink *s)
{
	uint64_t total = 0;
	if (!s->zip || !s->member || s->fd < 0 || s->dead)
		return;
	if (write_block(s, s->packed, pvp_gzip_end(s->zip, s->packed), &total) != PVP_SENT)
		take_back(s);
	s->member = false;
}

enum pvp_sent pvp_sink_send(struct pvp_sink *s, const struct iovec *parts, int n)
{
	struct iovec left[PVP_MAX_PARTS];
	uint64_t all = 0;
	for (int i = 0; i < n; i++) {
		left[i] = parts[i];
		all += parts[i].iov_len;
	}
	if (!fits_limit(s, all))
		return PVP_FULL;
	if (begins_anew(s))
		return PVP_READER_GONE;
	if (segment_full(s, all) && still_ours(s)) {
		end_member(s);
		pvp_sink_rotate(s);
		return PVP_READER_GONE;
	}
	uint64_t total = s->zip ? 0 : all;
	enum pvp_sent sent = s->zip ? write_packed(s, left, n, &total) : write_all(s, left, n, all);
	if (sent != PVP_SENT) {
		take_back(s);
		return sent == PVP_GAVE_UP && s->leaving ? drop_reader(s) : sent;
	}
	s->whole += total;
	s->written += total;
	if (s->zip)
		pvp_gzip_commit(s->zip, true);
	s->member = s->zip;
	return PVP_SENT;
}

void pvp_sink_close(struct pvp_sink *s, bool wait)
{
	end_member(s);
	still_ours(s);
	drop_reader(s);
	for (int ms = 0; wait && s->alive >= 0 && ms >= 0; ms = s->patience(s->ctx, false)) {
		struct pollfd p = { .fd = s->alive };
		if (poll(&p, 1, ms) == 1)
			break;
	}
	pvp_sink_forget(s);
}
