#include "common/ingest/index_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "common/base/map.h"
#include "common/io/cache.h"
#include "common/io/fd.h"

enum {
	BLOCK = 1 << 20,
	PRINTED = 64 << 10,
	ALONE = 2 << 20, /* bytes for which a second thread would not pay: a large page, too */
};
static const char magic[8] = { 'p', 'v', 'i', 'n', 'd', 'e', 'x', '\n' };

/* --- fingerprints */

static uint64_t hash_bytes(const uint8_t *p, size_t n)
{
	uint64_t h = n, word;
	for (; n >= 8; p += 8, n -= 8) {
		memcpy(&word, p, 8);
		h = pv_hash(h ^ word) + h;
	}
	word = 0;
	memcpy(&word, p, n);
	return pv_hash(h ^ word);
}

static bool is_set(const bool *stop)
{
	return stop && __atomic_load_n(stop, __ATOMIC_ACQUIRE);
}

static bool fill(int fd, const bool *stop, uint8_t *to, size_t n, uint64_t at)
{
	for (size_t got = 0; got < n;) {
		size_t want = n - got < BLOCK ? n - got : BLOCK;
		ssize_t some = is_set(stop) ? -1 : pv_fd_pread(fd, to + got, want, at + got);
		if (some <= 0)
			return false;
		got += (size_t)some;
	}
	return true;
}

static bool print_part(int fd, uint64_t at, size_t n, uint8_t *block, uint64_t *ret)
{
	if (!fill(fd, NULL, block, n, at))
		return false;
	*ret = hash_bytes(block, n);
	return true;
}

bool pv_index_print(const char *log, uint64_t covers, uint64_t ret_print[3])
{
	struct stat st;
	int fd = open(log, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	uint8_t *block = fd >= 0 ? malloc(PRINTED) : NULL;
	size_t n = covers < PRINTED ? (size_t)covers : PRINTED;
	bool ok = block && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		(uint64_t)st.st_size >= covers &&
		print_part(fd, 0, n, block, &ret_print[0]) &&
		print_part(fd, (covers - n) / 2, n, block, &ret_print[1]) &&
		print_part(fd, covers - n, n, block, &ret_print[2]);
	free(block);
	pv_fd_close(&fd);
	return ok;
}

/* --- names */

static char *printed(const char *format, const char *a, const char *b, uint64_t number)
{
	char *text;
	return asprintf(&text, format, a, b, number) < 0 ? NULL : text;
}

static char *beside(const char *log)
{
	return printed("%s%s", log, ".idx", 0);
}

/* Logs of one name in several folders have indexes of their own there. */
static char *in_cache(const char *log)
{
	char dir[PATH_MAX], full[PATH_MAX];
	pv_cache_folder(dir);
	if (!dir[0] || !realpath(log, full))
		return NULL;
	const char *name = strrchr(full, '/');
	return printed("%s%.200s-%016" PRIx64 ".idx", dir, name ? name : "/log",
		hash_bytes((const uint8_t *)full, strlen(full)));
}

/* --- writing */

static bool create_at(struct pv_index_out *out, char *path)
{
	if (!path)
		return false;
	out->path = path;
	out->temporary = printed("%s%s.%" PRIu64, path, ".part", (uint64_t)getpid());
	if (out->temporary) {
		unlink(out->temporary); /* of a process of our number that was killed */
		out->fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			0600);
		out->fd = pv_fd_above_standard(out->fd);
	}
	if (out->fd >= 0)
		return true;
	free(out->temporary);
	free(path);
	out->temporary = out->path = NULL;
	return false;
}

bool pv_index_create(struct pv_index_out *out, const char *log)
{
	*out = (struct pv_index_out){ .fd = -1, .crc = (uint32_t)crc32(0, NULL, 0) };
	out->block = malloc(BLOCK);
	if (!out->block || (!create_at(out, beside(log)) && !create_at(out, in_cache(log)))) {
		pv_index_abandon(out);
		return false;
	}
	return true;
}

static bool flush(struct pv_index_out *out)
{
	uint64_t at = sizeof(struct pv_index_head) + out->bytes - out->filled;
	out->crc = (uint32_t)crc32(out->crc, out->block, (uInt)out->filled);
	out->failed |= !pv_fd_pwrite(out->fd, out->block, out->filled, at);
	out->filled = 0;
	return !out->failed;
}

bool pv_index_write(void *ctx, const void *bytes, size_t n)
{
	struct pv_index_out *out = ctx;
	for (const uint8_t *p = bytes; n > 0 && !out->failed;) {
		size_t some = n < BLOCK - out->filled ? n : BLOCK - out->filled;
		memcpy(out->block + out->filled, p, some);
		out->filled += some;
		out->bytes += some;
		p += some;
		n -= some;
		if (out->filled == BLOCK)
			flush(out);
	}
	return !out->failed;
}

static uint32_t head_crc(const struct pv_index_head *h)
{
	return (uint32_t)crc32(0, (const Bytef *)h, offsetof(struct pv_index_head, head_crc));
}

bool pv_index_commit(struct pv_index_out *out, const struct pv_index_head *head, const char *log)
{
	struct pv_index_head h = { .layout = head->layout, .covers = head->covers };
	memcpy(h.magic, magic, sizeof magic);
	if (!flush(out) || !pv_index_print(log, h.covers, h.print))
		return false;
	h.bytes = out->bytes;
	h.crc = out->crc;
	h.head_crc = head_crc(&h);
	if (!pv_fd_pwrite(out->fd, &h, sizeof h, 0) || rename(out->temporary, out->path) < 0)
		return false;
	free(out->temporary);
	out->temporary = NULL;
	return true;
}

void pv_index_abandon(struct pv_index_out *out)
{
	if (out->temporary)
		unlink(out->temporary);
	pv_fd_close(&out->fd);
	free(out->temporary);
	free(out->path);
	free(out->block);
	*out = (struct pv_index_out){ .fd = -1 };
}

/* --- reading */

static bool refill(struct pv_index_in *in)
{
	size_t want = in->left < BLOCK ? (size_t)in->left : BLOCK;
	uint64_t at = sizeof in->head + in->head.bytes - in->left;
	ssize_t n = want ? pv_fd_pread(in->fd, in->block, want, at) : 0;
	in->at = 0;
	in->filled = n > 0 ? (size_t)n : 0;
	in->left -= in->filled;
	return n > 0;
}

/*
 * A stretch of the file that is read into memory or, block by block, for its sum alone. Large ones
 * are halved between two threads: an index is read before anything can be shown.
 */
struct stretch {
	int fd;
	const bool *stop;
	uint64_t at, n;
	uint8_t *to; /* NULL: for its sum */
	uint32_t crc;
	bool ok;
};

static bool sum(struct stretch *s)
{
	uint8_t *block = malloc(BLOCK);
	bool ok = block != NULL;
	s->crc = (uint32_t)crc32(0, NULL, 0);
	for (uint64_t done = 0; ok && done < s->n;) {
		size_t some = s->n - done < BLOCK ? (size_t)(s->n - done) : BLOCK;
		ok = fill(s->fd, s->stop, block, some, s->at + done);
		if (ok)
			s->crc = (uint32_t)crc32(s->crc, block, (uInt)some);
		done += some;
	}
	free(block);
	return ok;
}

static void *take(void *arg)
{
	struct stretch *s = arg;
	s->ok = s->to ? fill(s->fd, s->stop, s->to, (size_t)s->n, s->at) : sum(s);
	return NULL;
}

static bool take_all(struct stretch *s)
{
	struct stretch half = *s;
	pthread_t other;
	s->n = half.n / 2 / ALONE * ALONE;
	half.at += s->n;
	half.n -= s->n;
	if (half.to)
		half.to += s->n;
	bool helped = s->n > 0 && pthread_create(&other, NULL, take, &half) == 0;
	take(s);
	if (helped)
		pthread_join(other, NULL);
	else
		take(&half);
	s->crc = (uint32_t)crc32_combine(s->crc, half.crc, (z_off_t)half.n);
	return s->ok && half.ok;
}

/* All of it is looked at before any of it is believed. */
static bool sums_hold(struct pv_index_in *in)
{
	struct stretch all = { in->fd, in->stop, sizeof in->head, in->head.bytes, NULL, 0, false };
	in->left = in->head.bytes;
	in->at = in->filled = 0;
	return take_all(&all) && all.crc == in->head.crc;
}

/* Nobody else's index is believed: it would be taken for what the log says. */
static bool open_at(struct pv_index_in *in, char *path)
{
	struct stat st;
	in->fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
	in->fd = pv_fd_above_standard(in->fd);
	free(path);
	const struct pv_index_head *h = &in->head;
	if (in->fd >= 0 && fstat(in->fd, &st) == 0 && S_ISREG(st.st_mode) &&
		(st.st_uid == geteuid() || st.st_uid == 0) &&
		pv_fd_pread(in->fd, &in->head, sizeof *h, 0) == (ssize_t)sizeof *h &&
		memcmp(h->magic, magic, sizeof magic) == 0 && h->head_crc == head_crc(h) &&
		h->bytes == (uint64_t)st.st_size - sizeof *h)
		return true;
	pv_fd_close(&in->fd);
	return false;
}

static bool believed(struct pv_index_in *in, const char *log, uint64_t layout)
{
	uint64_t print[3];
	return in->head.layout == layout && pv_index_print(log, in->head.covers, print) &&
		memcmp(print, in->head.print, sizeof print) == 0 && sums_hold(in);
}

bool pv_index_open(struct pv_index_in *in, const char *log, uint64_t layout, const bool *stop)
{
	*in = (struct pv_index_in){ .fd = -1, .stop = stop };
	in->block = malloc(BLOCK);
	for (int cached = 0; in->block && cached < 2; cached++) {
		if (!open_at(in, cached ? in_cache(log) : beside(log)))
			continue;
		if (believed(in, log, layout))
			return true;
		pv_fd_close(&in->fd);
	}
	pv_index_close(in);
	return false;
}

/* What the block does not hold, of very many bytes. */
static bool read_past_block(struct pv_index_in *in, uint8_t *to, size_t n)
{
	uint64_t at = sizeof in->head + in->head.bytes - in->left;
	struct stretch all = { in->fd, in->stop, at, n, to, 0, false };
	if (n > in->left || !take_all(&all))
		return false;
	in->left -= n;
	return true;
}

bool pv_index_read(void *ctx, void *to, size_t n)
{
	struct pv_index_in *in = ctx;
	for (uint8_t *p = to; n > 0;) {
		if (in->at == in->filled && n >= BLOCK)
			return read_past_block(in, p, n);
		if (in->at == in->filled && !refill(in))
			return false;
		size_t some = n < in->filled - in->at ? n : in->filled - in->at;
		memcpy(p, in->block + in->at, some);
		in->at += some;
		p += some;
		n -= some;
	}
	return true;
}

void pv_index_close(struct pv_index_in *in)
{
	pv_fd_close(&in->fd);
	free(in->block);
	in->block = NULL;
}
