/*
 * Gzip for the log (RFC 1951, 1952), by the system's zlib: loaded when asked for, so that a program
 * that is watched without `zip` gets no library that it has not. zlib neither ends the program nor
 * says anything. Each piece ends at a byte's boundary, so a reader has all of it at once. Memory is
 * taken at creation only; one thread, the writer.
 */
#ifndef PV_PROBE_GZIP_H
#define PV_PROBE_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PVP_GZIP_IN = 32 << 10,           /* most bytes in one call */
	PVP_GZIP_OUT = PVP_GZIP_IN + 128, /* room that they may need */
	PVP_GZIP_HEAD = 10,
	PVP_GZIP_TAIL = 10,
};

struct pvp_gzip;

/* An errno value; ELIBACC: there is no zlib here. */
int pvp_gzip_create(struct pvp_gzip **ret_gzip);
void pvp_gzip_destroy(struct pvp_gzip *z); /* NULL is fine */

/* A new member; returns the length of its header. */
size_t pvp_gzip_begin(struct pvp_gzip *z, uint8_t to[PVP_GZIP_HEAD]);

/* Compresses n <= PVP_GZIP_IN bytes. Returns the length. */
size_t pvp_gzip_put(struct pvp_gzip *z, const uint8_t *from, size_t n, uint8_t to[PVP_GZIP_OUT]);

/*
 * Whether the bytes put since the last call were written; if not, later ones do not refer to them.
 */
void pvp_gzip_commit(struct pvp_gzip *z, bool written);

/* The first bytes of what was packed so; 0: it was not, or there is no zlib here. */
size_t pvp_gzip_head(const uint8_t *from, size_t n, uint8_t *to, size_t room);

/* The member's end. */
size_t pvp_gzip_end(struct pvp_gzip *z, uint8_t to[PVP_GZIP_TAIL]);

#endif
