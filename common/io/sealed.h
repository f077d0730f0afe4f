/* SPDX-License-Identifier: MIT */
/*
 * Files under a seal: without the key no file can be made that is accepted, and no part of a file
 * changed, cut, joined or swapped. Every byte is verified in memory before the reader gets it, and
 * the verified bytes are those given.
 *
 * Layout, in the machine's byte order:
 *   8 bytes  "pvsealed"
 *  16        nonce, random, another one for each file
 *   8        bytes of the content
 * 256        the caller's description, then zeros
 *  32        BLAKE2b of the above under the key
 * then the content in pieces of 1 MiB (the last may be shorter), each followed by 16 bytes: its
 * Poly1305 under a key of its own, the BLAKE2b of ("piece", nonce, its number) under the key.
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

/* A file being written, by one thread. A zeroed structure may be dropped. */
struct pv_sealed_out {
	int fd; /* the caller's */
	uint8_t key[PV_PRIVATE_KEY], nonce[PV_SEALED_NONCE];
	uint8_t *piece;
	size_t filled;
	uint64_t number, limit; /* pieces written; bytes, 0 = unlimited */
	bool failed;
};

/*
 * Each is false when the file cannot be written, is beyond the limit, or out of memory; then
 * `failed` is set.
 */
bool pv_sealed_create(struct pv_sealed_out *out, int fd, const uint8_t key[PV_PRIVATE_KEY]);
bool pv_sealed_write(struct pv_sealed_out *out, const void *bytes, size_t n);
/* Writes the head, at last: until then the file is not sealed. */
bool pv_sealed_finish(struct pv_sealed_out *out, const uint8_t about[PV_SEALED_ABOUT]);
/* Frees the memory and erases the key; the descriptor stays open. */
void pv_sealed_drop(struct pv_sealed_out *out);

struct pv_sealed_in;

/* Whether the file is sealed under this key, and its description; `ret_bytes` may be NULL. */
bool pv_sealed_about(int fd, const uint8_t key[PV_PRIVATE_KEY], uint8_t ret_about[PV_SEALED_ABOUT],
	uint64_t *ret_bytes);

/*
 * Opens a file with a verified head; `fd` stays the caller's, and open until the close. A separate
 * thread fetches pieces ahead. Another thread may set *stop (atomically; may be NULL): then reading
 * fails soon. NULL when not sealed with the key, or out of memory.
 */
struct pv_sealed_in *pv_sealed_open(
	int fd, const uint8_t key[PV_PRIVATE_KEY], const bool *stop, uint64_t *ret_bytes);
/* False beyond the end, and after a broken seal for good. One thread. */
bool pv_sealed_read(struct pv_sealed_in *in, void *to, size_t n);
void pv_sealed_close(struct pv_sealed_in *in); /* NULL is fine */

#endif
