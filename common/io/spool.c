/* SPDX-License-Identifier: MIT */
/* The spool: a ring file between drainer and viewer, its marks, and the record. */
#include "common/io/spool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/io/fd.h"
#include "common/io/spool_parts.h"

enum {
	MARKS_FOR_ENDS = 48, /* further ends are not distinguished; gaps always are */
	MOST_CHUNK = 256 << 10,
};

static uint64_t get(const _Atomic uint64_t *v)
{
	return atomic_load_explicit(v, memory_order_acquire);
}

static void store_release(_Atomic uint64_t *v, uint64_t to)
{
	atomic_store_explicit(v, to, memory_order_release);
}

struct pv_spool *pv_spool_create(int ring_fd, uint64_t limit, int record_fd)
{
	struct pv_spool *s = calloc(1, sizeof *s);
	void *shared = mmap(NULL, sizeof(struct pv_spool_shared), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!s || shared == MAP_FAILED) {
		if (shared != MAP_FAILED)
			munmap(shared, sizeof(struct pv_spool_shared));
		free(s);
		pv_fd_close(&ring_fd);
		pv_fd_close(&record_fd);
		return NULL;
	}
	pthread_mutex_init(&s->lock, NULL);
	s->shared = shared;
	s->ring_fd = ring_fd;
	s->record_fd = record_fd;
	s->limit = limit < PV_SPOOL_LEAST ? PV_SPOOL_LEAST : limit;
	atomic_init(&s->shared->record_from, PV_SPOOL_NOWHERE);
	atomic_init(&s->shared->record_until, PV_SPOOL_NOWHERE);
	atomic_init(&s->shared->record, record_fd < 0 ? RECORD_NONE : RECORD_UNDECIDED);
	return s;
}

void pv_spool_destroy(struct pv_spool *s)
{
	if (!s)
		return;
	pthread_mutex_destroy(&s->lock);
	munmap(s->shared, sizeof *s->shared);
	pv_fd_close(&s->ring_fd);
	pv_fd_close(&s->record_fd);
	free(s);
}

void pv_spool_fds(const struct pv_spool *s, int ret_fds[2])
{
	ret_fds[0] = s->ring_fd;
	ret_fds[1] = s->record_fd;
}

/* ---- The drainer's side ---- */

size_t pv_spool_chunk(const struct pv_spool *s)
{
	return s->limit / 8 < MOST_CHUNK ? (size_t)(s->limit / 8) : MOST_CHUNK;
}

static bool just_asked(const struct pv_spool *s)
{
	return !s->catching_up && !s->direct && s->record_size == 0 && s->record_fd >= 0 &&
	       atomic_load_explicit(&s->shared->record, memory_order_acquire) == RECORD_ASKED &&
	       atomic_load_explicit(&s->shared->record_errno, memory_order_relaxed) == 0;
}

/* The first position whose byte the ring must still hold. */
static uint64_t ring_base(const struct pv_spool *s)
{
	/*
	 * In this order: viewers that release bytes needed by the record have asked for it before.
	 */
	uint64_t base = get(&s->shared->consumed);
	uint64_t needed = s->catching_up  ? s->record_next
			  : just_asked(s) ? s->shared->asked_from
					  : PV_SPOOL_NOWHERE;
	if (needed < base)
		return needed;
	uint64_t until = get(&s->shared->record_until);
	bool recorded = until != PV_SPOOL_NOWHERE && base >= get(&s->shared->record_from);
	return recorded && until > base ? until : base;
}

static uint32_t marks_open(const struct pv_spool *s)
{
	return atomic_load_explicit(&s->shared->marks_made, memory_order_relaxed) -
	       atomic_load_explicit(&s->shared->marks_taken, memory_order_acquire);
}

/* Marks a gap or an end between the bytes so far and the next ones. */
static void make_mark(struct pv_spool *s)
{
	struct pv_spool_shared *sh = s->shared;
	uint64_t dropped = get(&sh->dropped);
	bool gap = dropped != s->marked_dropped, end = get(&sh->ended) != 0;
	uint32_t most = gap && !s->dropping ? PV_SPOOL_MARKS : MARKS_FOR_ENDS;
	if ((!gap && !end) || marks_open(s) >= most)
		return;
	uint32_t made = atomic_load_explicit(&sh->marks_made, memory_order_relaxed);
	sh->mark[made % PV_SPOOL_MARKS] = (struct pv_spool_mark){ get(&sh->written), dropped, end };
	atomic_store_explicit(&sh->marks_made, made + 1, memory_order_release);
	s->marked_dropped = dropped;
}

/* Raises the floor before overwriting: readers check the floor after a read. */
static void raise_floor(struct pv_spool *s, uint64_t end)
{
	if (end < s->limit || end - s->limit <= get(&s->shared->floor))
		return;
	store_release(&s->shared->floor, end - s->limit);
	atomic_thread_fence(memory_order_seq_cst);
}

static bool write_ring(struct pv_spool *s, const uint8_t *bytes, size_t n, uint64_t at)
{
	uint64_t offset = at % s->limit;
	size_t first = s->limit - offset < n ? (size_t)(s->limit - offset) : n;
	raise_floor(s, at + n);
	if (!pv_fd_pwrite(s->ring_fd, bytes, first, offset) ||
		(first < n && !pv_fd_pwrite(s->ring_fd, bytes + first, n - first, 0))) {
		atomic_store(&s->shared->ring_errno, errno);
		return false;
	}
	return true;
}

static bool keep_in_ring(struct pv_spool *s, const void *bytes, size_t n)
{
	uint64_t written = get(&s->shared->written), base = ring_base(s);
	/* After a drop, waits for some room: few gaps rather than one a chunk. */
	uint64_t wanted = s->dropping ? s->limit / 8 : n;
	if (written - base > s->limit - wanted || marks_open(s) >= PV_SPOOL_MARKS)
		return false;
	return write_ring(s, bytes, n, written);
}

bool pv_spool_has_room(const struct pv_spool *s)
{
	uint64_t used = get(&s->shared->written) - ring_base(s);
	return s->direct ||
	       (used <= s->limit - pv_spool_chunk(s) && marks_open(s) < PV_SPOOL_MARKS);
}

/*
 * The ring takes over after the last whole chunk. The written part of the next one stays in the
 * file: programs write whole buffers, and a record that ends with one would read as a complete log.
 */
static void stop_record(struct pv_spool *s, int why)
{
	if (s->direct)
		store_release(&s->shared->record_until, get(&s->shared->written));
	s->direct = s->catching_up = false;
	atomic_store(&s->shared->record_errno, why ? why : EIO);
}

static bool keep_in_record(struct pv_spool *s, const void *bytes, size_t n)
{
	if (!s->direct)
		return false;
	if (pv_fd_pwrite(s->record_fd, bytes, n, s->record_size)) {
		s->record_size += n;
		return true;
	}
	stop_record(s, errno);
	return false;
}

void pv_spool_put(struct pv_spool *s, const void *bytes, size_t n)
{
	struct pv_spool_shared *sh = s->shared;
	s->dropping = !keep_in_record(s, bytes, n) && !keep_in_ring(s, bytes, n);
	/*
	 * Marks a gap or an end before these bytes; dropped bytes are marked after the last of
	 * them.
	 */
	if (!s->dropping || get(&sh->ended))
		make_mark(s);
	store_release(&sh->ended, 0);
	if (s->dropping)
		store_release(&sh->dropped, get(&sh->dropped) + n);
	else
		store_release(&sh->written, get(&sh->written) + n);
}

void pv_spool_put_end(struct pv_spool *s)
{
	store_release(&s->shared->ended, get(&s->shared->written) + 1);
}

/* Copies from the ring into the record, little at a time, lest the pipe wait. */
static bool copy_some(struct pv_spool *s)
{
	static uint8_t slice[64 << 10];
	uint64_t left = get(&s->shared->written) - s->record_next;
	uint64_t offset = s->record_next % s->limit;
	size_t n = left < sizeof slice ? (size_t)left : sizeof slice;
	if (s->limit - offset < n)
		n = (size_t)(s->limit - offset);
	errno = 0;
	ssize_t got = pv_fd_pread(s->ring_fd, slice, n, offset);
	if (got <= 0 || !pv_fd_pwrite(s->record_fd, slice, (size_t)got, s->record_size))
		return false;
	s->record_size += (uint64_t)got;
	s->record_next += (uint64_t)got;
	return true;
}

bool pv_spool_record_step(struct pv_spool *s)
{
	struct pv_spool_shared *sh = s->shared;
	if (just_asked(s)) {
		s->catching_up = true;
		s->record_next = sh->asked_from;
		if (!pv_fd_pwrite(s->record_fd, sh->head, sh->head_n, 0))
			stop_record(s, errno);
		else
			s->record_size = sh->head_n;
	}
	if (!s->catching_up)
		return false;
	uint64_t written = get(&sh->written);
	if (s->record_next < written && !copy_some(s))
		stop_record(s, errno);
	if (!s->catching_up || s->record_next < written)
		return s->catching_up;
	s->catching_up = false;
	s->direct = true;
	store_release(&sh->record_offset, s->record_size);
	store_release(&sh->record_from, written);
	return false;
}

bool pv_spool_wake(struct pv_spool *s)
{
	return atomic_exchange(&s->shared->woken, 1) == 0;
}

/* ---- The viewer's side ---- */

void pv_spool_wake_clear(struct pv_spool *s)
{
	atomic_exchange(&s->shared->woken, 0);
}

/* For second readings: notes a gap or an end before the byte at our position. */
static void note_marks(struct pv_spool *s, bool end)
{
	pthread_mutex_lock(&s->lock);
	if (s->reported_n == PV_SPOOL_REPORTED) {
		size_t half = PV_SPOOL_REPORTED / 2;
		memmove(s->reported, s->reported + half, half * sizeof *s->reported);
		s->reported_n = half;
		s->reported_floor = s->reported[0].at;
	}
	s->reported[s->reported_n++] = (struct pv_spool_mark){ s->at, s->reported_dropped, end };
	pthread_mutex_unlock(&s->lock);
}

static enum pv_read tell_gap(struct pv_spool *s, uint64_t dropped, uint64_t *ret_n)
{
	*ret_n = dropped - s->reported_dropped;
	s->reported_dropped = dropped;
	note_marks(s, false);
	return PV_READ_GAP;
}

/* Takes the mark before the byte at our position; NOTHING when only bytes follow. */
static enum pv_read take_mark(struct pv_spool *s, const struct pv_spool_mark *m, uint64_t *ret_n)
{
	if (m->dropped > s->reported_dropped)
		return tell_gap(s, m->dropped, ret_n);
	bool end = m->end && s->reported_end != m->at + 1;
	s->reported_end = end ? m->at + 1 : s->reported_end;
	if (end)
		note_marks(s, true);
	return end ? PV_READ_END : PV_READ_NOTHING;
}

uint64_t pv_spool_locate(const struct pv_spool *s, uint64_t at, int *ret_fd, uint64_t *ret_offset)
{
	uint64_t from = get(&s->shared->record_from), until = get(&s->shared->record_until);
	if (at >= from && at < until) {
		*ret_fd = s->record_fd;
		*ret_offset = get(&s->shared->record_offset) + (at - from);
		return until;
	}
	uint64_t offset = at % s->limit, wrap = at + (s->limit - offset);
	*ret_fd = s->ring_fd;
	*ret_offset = offset;
	return at < from && from < wrap ? from : wrap;
}

/*
 * Releases the bytes read. Until the record's beginning is known, the last quarter of the ring is
 * kept.
 */
static void release_read(struct pv_spool *s)
{
	bool undecided =
		atomic_load_explicit(&s->shared->record, memory_order_relaxed) == RECORD_UNDECIDED;
	uint64_t hold = undecided ? s->limit / 4 : 0;
	if (s->at > get(&s->shared->consumed) + hold)
		store_release(&s->shared->consumed, s->at - hold);
}

static enum pv_read read_bytes(struct pv_spool *s, uint64_t end, void *to, size_t size,
	uint64_t *ret_n, struct pv_error *reterr)
{
	int fd;
	uint64_t offset, stop = pv_spool_locate(s, s->at, &fd, &offset);
	if (stop < end)
		end = stop;
	ssize_t n = pv_fd_pread(fd, to, end - s->at < size ? (size_t)(end - s->at) : size, offset);
	if (n <= 0) {
		pv_fail(reterr, PV_EIO, s->at, "reading back what came from the pipe: %s",
			n < 0 ? strerror(errno) : "it is gone");
		return PV_READ_ERROR;
	}
	s->at += (uint64_t)n;
	*ret_n = (uint64_t)n;
	release_read(s);
	return PV_READ_BYTES;
}

/* All kept bytes were read. `dropped` and `ended` were loaded before this was known. */
static enum pv_read at_front(struct pv_spool *s, uint64_t dropped, uint64_t ended, uint64_t *ret_n)
{
	if (dropped > s->reported_dropped)
		return tell_gap(s, dropped, ret_n);
	if (ended != s->at + 1)
		return PV_READ_NOTHING;
	if (s->reported_end != ended)
		note_marks(s, true);
	s->reported_end = ended;
	return PV_READ_END;
}

enum pv_read pv_spool_read(
	struct pv_spool *s, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr)
{
	struct pv_spool_shared *sh = s->shared;
	for (;;) {
		/* In this order: if no bytes are left then, these two are about this position. */
		uint64_t ended = get(&sh->ended), dropped = get(&sh->dropped);
		uint64_t end = get(&sh->written);
		uint32_t taken = atomic_load_explicit(&sh->marks_taken, memory_order_relaxed);
		const struct pv_spool_mark *m = NULL;
		if (atomic_load_explicit(&sh->marks_made, memory_order_acquire) != taken)
			m = &sh->mark[taken % PV_SPOOL_MARKS];
		if (m && m->at == s->at) {
			enum pv_read what = take_mark(s, m, ret_n);
			if (what != PV_READ_GAP)
				atomic_store_explicit(
					&sh->marks_taken, taken + 1, memory_order_release);
			if (what != PV_READ_NOTHING)
				return what;
			continue;
		}
		if (m && m->at < end)
			end = m->at;
		if (s->at < end)
			return read_bytes(s, end, to, size, ret_n, reterr);
		return at_front(s, dropped, ended, ret_n);
	}
}

bool pv_spool_has_more(const struct pv_spool *s)
{
	return get(&s->shared->written) > s->at || get(&s->shared->dropped) > s->reported_dropped;
}

uint64_t pv_spool_dropped(const struct pv_spool *s)
{
	return get(&s->shared->dropped);
}

uint64_t pv_spool_kept(const struct pv_spool *s)
{
	return get(&s->shared->written);
}

int pv_spool_record_errno(const struct pv_spool *s)
{
	return atomic_load(&s->shared->record_errno);
}

bool pv_spool_record_settled(const struct pv_spool *s)
{
	const struct pv_spool_shared *sh = s->shared;
	return atomic_load(&sh->record) != RECORD_ASKED || atomic_load(&sh->record_errno) ||
	       get(&sh->record_from) != PV_SPOOL_NOWHERE;
}

bool pv_spool_record_removed(const struct pv_spool *s)
{
	struct stat st;
	return s->record_fd >= 0 && fstat(s->record_fd, &st) == 0 && st.st_nlink == 0;
}

int pv_spool_errno(const struct pv_spool *s)
{
	return atomic_load(&s->shared->ring_errno);
}

bool pv_spool_record(
	struct pv_spool *s, uint64_t from, const void *head, size_t n, struct pv_error *reterr)
{
	struct pv_spool_shared *sh = s->shared;
	if (atomic_load(&sh->record) != RECORD_UNDECIDED)
		return pv_fail(reterr, PV_EUSAGE, from, "no record is waiting to begin");
	if (from > s->at || n > sizeof sh->head)
		return pv_fail(reterr, PV_EUSAGE, from, "a record cannot begin there");
	if (from < get(&sh->consumed))
		return pv_fail(reterr, PV_EIO, from, "too late to record from there");
	if (n > 0)
		memcpy(sh->head, head, n);
	sh->head_n = n;
	sh->asked_from = from;
	atomic_store_explicit(&sh->record, RECORD_ASKED, memory_order_release);
	release_read(s);
	return true;
}
