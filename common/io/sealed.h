/*
 * Files under a seal: without the key none can be made that is read, and no part of one changed,
 * cut, joined or swapped. Every byte is verified in memory before it is given to the reader, and it
 * is the verified bytes that are given.
 *
 * Layout, in the machine's byte order:
 *   8 bytes  "pvsealed"
 *  16        nonce, random, another one for each file
 *   8        bytes of the content
 * 256        what the caller says about it, then zeros
 *  32        BLAKE2b of the above under the key
 * then the content in pieces of 1 MiB (the last may be shorter), each followed by 16 bytes: its
 * Poly1305 under a key of its own, which is BLAKE2b of ("piece", nonce, its number) under the key.
 */
#ifndef PV_IO_SEALED_H
#define PV_IO_SEALED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/io/private_folder.h"

enum {
	PV_SEALED_ABOUT = 256,
	PV_SEALED_PIECE = 1 << 20,
	PV_SEALED_NONCE = 16,
	PV_SEALED_HEAD = 8 + PV_SEALED_NONCE + 8 + PV_SEALED_ABOUT + 32,
	PV_SEALED_TAG = 16
};

/* A file being written, by one thread. A zeroed one may be dropped. */
struct pv_sealed_out {
	int fd; /* the caller's */
	uint8_t key[PV_PRIVATE_KEY], nonce[PV_SEALED_NONCE];
	uint8_t *piece;
	size_t filled;
	uint64_t number, limit; /* pieces written; bytes, 0 = as many as you like */
	bool failed;
};

/*
 * Each false: it cannot be written, is beyond the limit, or there is no memory; then it is
 * `failed`.
 */
bool pv_sealed_create(struct pv_sealed_out *out, int fd, const uint8_t key[PV_PRIVATE_KEY]);
bool pv_sealed_write(struct pv_sealed_out *out, const void *bytes, size_t n);
/* Writes the head, last: until then the file is not a sealed one. */
bool pv_sealed_finish(struct pv_sealed_out *out, const uint8_t about[PV_SEALED_ABOUT]);
/* Frees its memory and erases the key; the descriptor stays open. */
void pv_sealed_drop(struct pv_sealed_out *out);

struct pv_sealed_in;

/*
 * Whether there is such a file under this key, and what is said about it; `ret_bytes` may be NULL.
 */
bool pv_sealed_about(int fd, const uint8_t key[PV_PRIVATE_KEY], uint8_t ret_about[PV_SEALED_ABOUT],
	uint64_t *ret_bytes);

/*
 * Of a file whose head was verified; `fd` stays the caller's, and open until the close. Pieces are
 * fetched ahead by a thread of its own. Another thread may set *stop (atomically; may be NULL):
 * then reading fails soon. NULL when it is not sealed with the key, or out of memory.
 */
struct pv_sealed_in *pv_sealed_open(
	int fd, const uint8_t key[PV_PRIVATE_KEY], const bool *stop, uint64_t *ret_bytes);
/* False beyond the end, and where the seal is broken: from then on always. One thread. */
bool pv_sealed_read(struct pv_sealed_in *in, void *to, size_t n);
void pv_sealed_close(struct pv_sealed_in *in); /* NULL is fine */

#endif
