/* SPDX-License-Identifier: MIT */
/* Reads and writes the frames between profview and its relay. */
#include "common/remote/relay_frames.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

bool pv_remote_write(int fd, const void *bytes, size_t n)
{
	const uint8_t *at = bytes;
	while (n > 0) {
		ssize_t k = write(fd, at, n);
		if (k < 0 && errno == EAGAIN) {
			struct pollfd p = { .fd = fd, .events = POLLOUT };
			poll(&p, 1, -1);
		} else if (k < 0 && errno != EINTR) {
			return false;
		}
		at += k > 0 ? k : 0;
		n -= k > 0 ? (size_t)k : 0;
	}
	return true;
}

void pv_frame_head(uint8_t to[PV_FRAME_HEAD], enum pv_frame_kind kind, uint64_t number, size_t n)
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(n >> 8 * i);
	to[4] = (uint8_t)kind;
	for (int i = 0; i < 8; i++)
		to[5 + i] = (uint8_t)(number >> 8 * i);
}

bool pv_frame_put(int fd, enum pv_frame_kind kind, uint64_t number, const void *bytes, size_t n)
{
	uint8_t head[PV_FRAME_HEAD];
	pv_frame_head(head, kind, number, n);
	return pv_remote_write(fd, head, sizeof head) && pv_remote_write(fd, bytes, n);
}

bool pv_frames_read(struct pv_frames *f, int fd)
{
	memmove(f->buf, f->buf + f->used, f->n - f->used);
	f->n -= f->used;
	f->used = 0;
	if (f->n == sizeof f->buf)
		return true; /* frames are there to be taken */
	errno = 0;
	ssize_t k = read(fd, f->buf + f->n, sizeof f->buf - f->n);
	f->n += k > 0 ? (size_t)k : 0;
	return k > 0 || (k < 0 && (errno == EINTR || errno == EAGAIN));
}

static uint64_t number_at(const uint8_t *p, int bytes)
{
	uint64_t n = 0;
	for (int i = 0; i < bytes; i++)
		n |= (uint64_t)p[i] << 8 * i;
	return n;
}

enum pv_frames_state pv_frames_next(struct pv_frames *f, struct pv_frame *ret)
{
	const uint8_t *at = f->buf + f->used;
	size_t there = f->n - f->used;
	if (there < PV_FRAME_HEAD)
		return PV_FRAMES_NONE;
	size_t n = number_at(at, 4);
	if (n > PV_FRAME_MOST || at[4] == 0 || at[4] >= PV_FRAME_KINDS)
		return PV_FRAMES_BAD;
	if (there - PV_FRAME_HEAD < n)
		return PV_FRAMES_NONE;
	*ret = (struct pv_frame){ .kind = (enum pv_frame_kind)at[4],
		.number = number_at(at + 5, 8),
		.bytes = at + PV_FRAME_HEAD,
		.n = n };
	f->used += PV_FRAME_HEAD + n;
	return PV_FRAMES_ONE;
}
