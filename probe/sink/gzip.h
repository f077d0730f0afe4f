/* SPDX-License-Identifier: MIT */
/*
 * Gzip for the log (RFC 1951, 1952), by the system's zlib: loaded on demand, so that without `zip`
 * a profiled program gets no further library. zlib neither ends the program nor prints. Each piece
 * ends at a byte's boundary, so a reader has all of the piece at once. Memory is taken at creation
 * only; a single thread, the writer's.
 */
#ifndef PV_PROBE_GZIP_H
#define PV_PROBE_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PVP_GZIP_IN = 32 << 10,           /* most bytes in a call */
	PVP_GZIP_OUT = PVP_GZIP_IN + 128, /* room for their compressed form */
	PVP_GZIP_HEAD = 10,
	PVP_GZIP_TAIL = 10,
};

struct pvp_gzip;

/* An errno value; ELIBACC: there is no zlib here. */
int pvp_gzip_create(struct pvp_gzip **ret_gzip);
void pvp_gzip_destroy(struct pvp_gzip *z); /* NULL is fine */

/* Begins a member; returns the length of the header. */
size_t pvp_gzip_begin(struct pvp_gzip *z, uint8_t to[PVP_GZIP_HEAD]);

/* Compresses n <= PVP_GZIP_IN bytes. Returns the length. */
size_t pvp_gzip_put(struct pvp_gzip *z, const uint8_t *from, size_t n, uint8_t to[PVP_GZIP_OUT]);

/*
 * Whether the bytes put since the last call were written; if not, later bytes do not refer to them.
 */
void pvp_gzip_commit(struct pvp_gzip *z, bool written);

/* The first bytes before compression; 0: not compressed, or no zlib here. */
size_t pvp_gzip_head(const uint8_t *from, size_t n, uint8_t *to, size_t room);

/* The member's end. */
size_t pvp_gzip_end(struct pvp_gzip *z, uint8_t to[PVP_GZIP_TAIL]);

#endif
