/* SPDX-License-Identifier: MIT */
/* Sealed files: pieces with their checks, written in order and read ahead by a thread. */
#include "common/io/sealed.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "common/base/large.h"
#include "common/io/fd.h"

enum {
	SIGNED = PV_SEALED_HEAD - 32,
	AHEAD = 8 /* pieces */,
	WHOLE = PV_SEALED_PIECE + PV_SEALED_TAG
};

static const char magic[8] = { 'p', 'v', 's', 'e', 'a', 'l', 'e', 'd' };

/* --- seals */

static void seal_head(uint8_t head[PV_SEALED_HEAD], const uint8_t key[PV_PRIVATE_KEY])
{
	crypto_generichash(head + SIGNED, 32, head, SIGNED, key, PV_PRIVATE_KEY);
}

static void piece_key(const uint8_t key[PV_PRIVATE_KEY], const uint8_t nonce[PV_SEALED_NONCE],
	uint64_t number, uint8_t ret[32])
{
	uint8_t of[5 + PV_SEALED_NONCE + 8] = "piece";
	memcpy(of + 5, nonce, PV_SEALED_NONCE);
	memcpy(of + 5 + PV_SEALED_NONCE, &number, 8);
	crypto_generichash(ret, 32, of, sizeof of, key, PV_PRIVATE_KEY);
}

/* --- writing */

bool pv_sealed_create(struct pv_sealed_out *out, int fd, const uint8_t key[PV_PRIVATE_KEY])
{
	*out = (struct pv_sealed_out){ .fd = fd };
	memcpy(out->key, key, sizeof out->key);
	out->piece = sodium_init() < 0 ? NULL : malloc(WHOLE);
	out->failed =
		!out->piece || getrandom(out->nonce, sizeof out->nonce, 0) != sizeof out->nonce;
	return !out->failed;
}

static bool flush_sealed_piece(struct pv_sealed_out *out)
{
	uint8_t key[32];
	if (out->filled == 0)
		return !out->failed;
	piece_key(out->key, out->nonce, out->number, key);
	crypto_onetimeauth(out->piece + out->filled, out->piece, out->filled, key);
	out->failed |= !pv_fd_pwrite(out->fd, out->piece, out->filled + PV_SEALED_TAG,
		PV_SEALED_HEAD + out->number * WHOLE);
	if (out->filled == PV_SEALED_PIECE) {
		out->number++;
		out->filled = 0;
	}
	out->failed |= out->limit && out->number * WHOLE > out->limit;
	return !out->failed;
}

bool pv_sealed_write(struct pv_sealed_out *out, const void *bytes, size_t n)
{
	for (const uint8_t *p = bytes; n > 0 && !out->failed;) {
		size_t room = PV_SEALED_PIECE - out->filled, some = n < room ? n : room;
		memcpy(out->piece + out->filled, p, some);
		out->filled += some;
		p += some;
		n -= some;
		if (out->filled == PV_SEALED_PIECE)
			flush_sealed_piece(out);
	}
	return !out->failed;
}

bool pv_sealed_finish(struct pv_sealed_out *out, const uint8_t about[PV_SEALED_ABOUT])
{
	uint8_t head[PV_SEALED_HEAD], *at = head;
	uint64_t bytes = out->number * PV_SEALED_PIECE + out->filled;
	if (out->failed || !flush_sealed_piece(out))
		return false;
	memcpy(at, magic, sizeof magic);
	memcpy(at += sizeof magic, out->nonce, PV_SEALED_NONCE);
	memcpy(at += PV_SEALED_NONCE, &bytes, 8);
	memcpy(at + 8, about, PV_SEALED_ABOUT);
	seal_head(head, out->key);
	return pv_fd_pwrite(out->fd, head, sizeof head, 0);
}

void pv_sealed_drop(struct pv_sealed_out *out)
{
	free(out->piece);
	sodium_memzero(out->key, sizeof out->key);
	out->piece = NULL;
}

/* --- reading */

struct head {
	uint8_t nonce[PV_SEALED_NONCE];
	uint64_t bytes;
	uint8_t about[PV_SEALED_ABOUT];
};

static uint64_t stored(uint64_t bytes)
{
	uint64_t pieces = bytes / PV_SEALED_PIECE + (bytes % PV_SEALED_PIECE != 0);
	return PV_SEALED_HEAD + bytes + pieces * PV_SEALED_TAG;
}

static bool read_head(int fd, const uint8_t key[PV_PRIVATE_KEY], struct head *ret)
{
	uint8_t head[PV_SEALED_HEAD], seal[32];
	struct stat st;
	if (sodium_init() < 0 || pv_fd_pread(fd, head, sizeof head, 0) != PV_SEALED_HEAD)
		return false;
	memcpy(seal, head + SIGNED, sizeof seal);
	seal_head(head, key);
	if (sodium_memcmp(seal, head + SIGNED, sizeof seal) != 0 ||
		memcmp(head, magic, sizeof magic) != 0)
		return false;
	memcpy(ret->nonce, head + 8, PV_SEALED_NONCE);
	memcpy(&ret->bytes, head + 8 + PV_SEALED_NONCE, 8);
	memcpy(ret->about, head + 16 + PV_SEALED_NONCE, PV_SEALED_ABOUT);
	return fstat(fd, &st) == 0 && st.st_size > 0 && ret->bytes < (uint64_t)st.st_size &&
	       stored(ret->bytes) == (uint64_t)st.st_size;
}

bool pv_sealed_about(int fd, const uint8_t key[PV_PRIVATE_KEY], uint8_t ret_about[PV_SEALED_ABOUT],
	uint64_t *ret_bytes)
{
	struct head head;
	if (!read_head(fd, key, &head))
		return false;
	memcpy(ret_about, head.about, PV_SEALED_ABOUT);
	if (ret_bytes)
		*ret_bytes = head.bytes;
	return true;
}

enum piece_state { EMPTY, FETCHING, READY, BROKEN };

struct piece {
	enum piece_state state;
	uint8_t *bytes; /* WHOLE */
};

/*
 * Piece i uses slot i % AHEAD. The helper fetches pieces ahead of the reader; the reader itself
 * fetches the piece it needs if the helper has not begun on it.
 */
struct pv_sealed_in {
	int fd;
	const bool *stop;
	uint8_t key[PV_PRIVATE_KEY];
	struct head head;
	uint64_t pieces;
	uint8_t *room;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct piece slot[AHEAD];
	uint64_t next;  /* to be fetched next */
	uint64_t front; /* the reader's piece */
	bool ends, helped;
	pthread_t helper;

	/* the reader's own */
	const uint8_t *at;
	size_t left; /* of the front piece */
	bool begun, failed;
};

static size_t size_of(const struct pv_sealed_in *in, uint64_t number)
{
	uint64_t left = in->head.bytes - number * PV_SEALED_PIECE;
	return left < PV_SEALED_PIECE ? (size_t)left : PV_SEALED_PIECE;
}

static bool stopped(const struct pv_sealed_in *in)
{
	return in->stop && __atomic_load_n(in->stop, __ATOMIC_ACQUIRE);
}

static bool fetch(const struct pv_sealed_in *in, uint64_t number, uint8_t *to)
{
	uint8_t key[32];
	size_t n = size_of(in, number) + PV_SEALED_TAG;
	uint64_t at = PV_SEALED_HEAD + number * WHOLE;
	if (stopped(in) || pv_fd_pread(in->fd, to, n, at) != (ssize_t)n)
		return false;
	piece_key(in->key, in->head.nonce, number, key);
	return crypto_onetimeauth_verify(to + n - PV_SEALED_TAG, to, n - PV_SEALED_TAG, key) == 0;
}

/* Called with the lock held; releases the lock meanwhile. */
static void take_next_piece(struct pv_sealed_in *in)
{
	uint64_t number = in->next++;
	struct piece *p = &in->slot[number % AHEAD];
	p->state = FETCHING;
	pthread_mutex_unlock(&in->lock);
	bool ok = fetch(in, number, p->bytes);
	pthread_mutex_lock(&in->lock);
	p->state = ok ? READY : BROKEN;
	pthread_cond_broadcast(&in->changed);
}

static void *help(void *arg)
{
	struct pv_sealed_in *in = arg;
	pthread_mutex_lock(&in->lock);
	while (!in->ends && in->next < in->pieces) {
		if (in->next - in->front < AHEAD)
			take_next_piece(in);
		else
			pthread_cond_wait(&in->changed, &in->lock);
	}
	pthread_mutex_unlock(&in->lock);
	return NULL;
}

struct pv_sealed_in *pv_sealed_open(
	int fd, const uint8_t key[PV_PRIVATE_KEY], const bool *stop, uint64_t *ret_bytes)
{
	struct pv_sealed_in *in = calloc(1, sizeof *in);
	if (!in)
		return NULL;
	*in = (struct pv_sealed_in){ .fd = fd, .stop = stop };
	memcpy(in->key, key, sizeof in->key);
	bool ok = read_head(fd, key, &in->head);
	in->pieces = in->head.bytes / PV_SEALED_PIECE + (in->head.bytes % PV_SEALED_PIECE != 0);
	size_t slots = in->pieces < AHEAD ? (size_t)in->pieces : AHEAD;
	in->room = ok ? pv_large_alloc(slots * WHOLE + 1) : NULL;
	if (!in->room) {
		free(in);
		return NULL;
	}
	for (size_t i = 0; i < slots; i++)
		in->slot[i].bytes = in->room + i * WHOLE;
	pthread_mutex_init(&in->lock, NULL);
	pthread_cond_init(&in->changed, NULL);
	in->helped = in->pieces > 2 && pthread_create(&in->helper, NULL, help, in) == 0;
	*ret_bytes = in->head.bytes;
	return in;
}

/* Moves the next piece to the front. */
static bool advance(struct pv_sealed_in *in)
{
	pthread_mutex_lock(&in->lock);
	if (in->begun) {
		in->slot[in->front % AHEAD].state = EMPTY;
		in->front++;
		pthread_cond_broadcast(&in->changed);
	}
	in->begun = true;
	struct piece *p = &in->slot[in->front % AHEAD];
	bool there = in->front < in->pieces;
	while (there && p->state != READY && p->state != BROKEN) {
		if (in->next == in->front)
			take_next_piece(in);
		else
			pthread_cond_wait(&in->changed, &in->lock);
	}
	bool ok = there && p->state == READY;
	pthread_mutex_unlock(&in->lock);
	in->at = p->bytes;
	in->left = ok ? size_of(in, in->front) : 0;
	return ok && !stopped(in);
}

bool pv_sealed_read(struct pv_sealed_in *in, void *to, size_t n)
{
	for (uint8_t *p = to; n > 0 && !in->failed;) {
		if (in->left == 0 && !advance(in)) {
			in->failed = true;
			break;
		}
		size_t some = n < in->left ? n : in->left;
		memcpy(p, in->at, some);
		in->at += some;
		in->left -= some;
		p += some;
		n -= some;
	}
	return !in->failed;
}

void pv_sealed_close(struct pv_sealed_in *in)
{
	if (!in)
		return;
	pthread_mutex_lock(&in->lock);
	in->ends = true;
	pthread_cond_broadcast(&in->changed);
	pthread_mutex_unlock(&in->lock);
	if (in->helped)
		pthread_join(in->helper, NULL);
	pthread_cond_destroy(&in->changed);
	pthread_mutex_destroy(&in->lock);
	sodium_memzero(in->key, sizeof in->key);
	free(in->room);
	free(in);
}
