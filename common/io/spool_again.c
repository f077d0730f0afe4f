/* SPDX-License-Identifier: MIT */
/* Second readings of the spool's bytes, while the viewer reads on. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/io/fd.h"
#include "common/io/spool_parts.h"

struct pv_spool_again {
	struct pv_spool *spool;
	struct pv_spool_mark mark[PV_SPOOL_REPORTED]; /* marks by position, up to the end */
	size_t marks, next;
	uint64_t first;       /* earlier positions are not known any more, */
	uint64_t before;      /* with so many bytes dropped in their part of the stream */
	uint64_t at, dropped; /* position, and bytes dropped before */
	uint64_t end;
};

static uint64_t get(const _Atomic uint64_t *v)
{
	return atomic_load_explicit(v, memory_order_acquire);
}

/* The oldest position from where all bytes are kept. */
static uint64_t floor_of(const struct pv_spool *s)
{
	uint64_t ring = get(&s->shared->floor), from = get(&s->shared->record_from);
	if (from == PV_SPOOL_NOWHERE || ring > get(&s->shared->record_until))
		return ring;
	return s->shared->asked_from < ring ? s->shared->asked_from : ring;
}

struct pv_spool_again *pv_spool_again_create(struct pv_spool *s)
{
	struct pv_spool_again *a = calloc(1, sizeof *a);
	if (!a)
		return NULL;
	pthread_mutex_lock(&s->lock);
	a->end = atomic_load(&s->at);
	a->first = s->reported_floor;
	a->marks = s->reported_n;
	memcpy(a->mark, s->reported, s->reported_n * sizeof *s->reported);
	pthread_mutex_unlock(&s->lock);
	/* A gap after the end may be marked already; its bytes are not part of this reading. */
	while (a->marks && a->mark[a->marks - 1].at >= a->end)
		a->marks--;
	a->before = a->first && a->marks ? a->mark[0].dropped : 0;
	a->spool = s;
	return a;
}

void pv_spool_again_destroy(struct pv_spool_again *a)
{
	free(a);
}

bool pv_spool_again_at_end(const struct pv_spool_again *a)
{
	return a->at >= a->end;
}

bool pv_spool_again_one_stream(const struct pv_spool_again *a)
{
	bool one = true;
	for (size_t i = 0; i < a->marks; i++)
		one &= !a->mark[i].end;
	return one;
}

uint64_t pv_spool_again_size(const struct pv_spool_again *a)
{
	return a->end + (a->marks ? a->mark[a->marks - 1].dropped : a->before);
}

/* Skips lost bytes, and some more, since the ring is being written. */
static uint64_t jump(struct pv_spool_again *a, uint64_t floor)
{
	uint64_t ring = get(&a->spool->shared->floor);
	uint64_t to = floor == ring ? floor + a->spool->limit / 16 : floor;
	uint64_t from = a->at + a->dropped;
	to = to < a->first ? a->first : to;
	a->at = to < a->end ? to : a->end;
	a->dropped = a->at >= a->first ? a->before : a->dropped;
	for (; a->next < a->marks && a->mark[a->next].at < a->at; a->next++)
		;
	if (a->next)
		a->dropped = a->mark[a->next - 1].dropped;
	return a->at + a->dropped - from;
}

static enum pv_read take_mark(struct pv_spool_again *a, uint64_t *ret_n)
{
	const struct pv_spool_mark *m = &a->mark[a->next++];
	if (m->dropped > a->dropped) {
		*ret_n = m->dropped - a->dropped;
		a->dropped = m->dropped;
		return PV_READ_GAP;
	}
	return m->end ? PV_READ_END : PV_READ_NOTHING;
}

static uint64_t locate(const struct pv_spool *s, uint64_t at, int *ret_fd, uint64_t *ret_offset)
{
	uint64_t from = get(&s->shared->record_from);
	if (from == PV_SPOOL_NOWHERE || at >= from || at < s->shared->asked_from)
		return pv_spool_locate(s, at, ret_fd, ret_offset);
	*ret_fd = s->record_fd; /* was copied from the ring */
	*ret_offset = get(&s->shared->record_offset) - (from - at);
	return from;
}

static enum pv_read read_bytes(struct pv_spool_again *a, uint64_t stop, void *to, size_t size,
	uint64_t *ret_n, struct pv_error *reterr)
{
	int fd;
	uint64_t offset, end = locate(a->spool, a->at, &fd, &offset);
	end = end < stop ? end : stop;
	ssize_t n = pv_fd_pread(fd, to, end - a->at < size ? (size_t)(end - a->at) : size, offset);
	atomic_thread_fence(memory_order_seq_cst);
	if (a->at < floor_of(a->spool))
		return PV_READ_NOTHING; /* may have been overwritten meanwhile */
	if (n <= 0) {
		pv_fail(reterr, PV_EIO, a->at, "reading back what came from the pipe: %s",
			n < 0 ? strerror(errno) : "it is gone");
		return PV_READ_ERROR;
	}
	a->at += (uint64_t)n;
	*ret_n = (uint64_t)n;
	return PV_READ_BYTES;
}

enum pv_read pv_spool_again_read(
	struct pv_spool_again *a, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr)
{
	for (;;) {
		enum pv_read what = PV_READ_NOTHING;
		uint64_t stop = a->end, floor = floor_of(a->spool);
		floor = floor < a->first ? a->first : floor;
		if (a->at >= a->end)
			return PV_READ_END;
		if (a->at < floor) {
			*ret_n = jump(a, floor);
			return PV_READ_GAP;
		}
		if (a->next < a->marks && a->mark[a->next].at == a->at) {
			what = take_mark(a, ret_n);
		} else {
			if (a->next < a->marks)
				stop = a->mark[a->next].at;
			what = read_bytes(a, stop, to, size, ret_n, reterr);
		}
		if (what != PV_READ_NOTHING)
			return what;
	}
}

bool pv_spool_again_seek(struct pv_spool_again *a, uint64_t offset)
{
	uint64_t dropped = a->before;
	size_t i = 0;
	for (; i < a->marks && offset >= a->mark[i].at + dropped; i++) {
		if (offset < a->mark[i].at + a->mark[i].dropped)
			return false; /* in a gap */
		dropped = a->mark[i].dropped;
	}
	uint64_t at = offset - dropped;
	if (offset < dropped || at < a->first || at < floor_of(a->spool) || at > a->end)
		return false;
	a->at = at;
	a->dropped = dropped;
	a->next = i;
	return true;
}

uint64_t pv_spool_floor(struct pv_spool *s)
{
	uint64_t at = floor_of(s), dropped = 0;
	pthread_mutex_lock(&s->lock);
	at = at < s->reported_floor ? s->reported_floor : at;
	for (size_t i = 0; i < s->reported_n && s->reported[i].at <= at; i++)
		dropped = s->reported[i].dropped;
	pthread_mutex_unlock(&s->lock);
	return at + dropped;
}
