/*
 * Gzip for the log (RFC 1951, 1952), written here because a guest must not bring libraries along
 * that can end the program. Each piece ends at a byte's boundary with an empty stored block, so
 * a reader has all of it at once. Fixed memory; one owner.
 */
#ifndef PV_PROBE_DEFLATE_H
#define PV_PROBE_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PVP_GZIP_IN = 32 << 10,          /* most bytes in one call */
	PVP_GZIP_OUT = PVP_GZIP_IN + 64, /* room that they may need */
	PVP_GZIP_HEAD = 10,
	PVP_GZIP_TAIL = 10,
};

struct pvp_gzip;

/* NULL: out of memory. */
struct pvp_gzip *pvp_gzip_create(void);
void pvp_gzip_destroy(struct pvp_gzip *z);

/* A new member; returns the length of its header. */
size_t pvp_gzip_begin(struct pvp_gzip *z, uint8_t to[PVP_GZIP_HEAD]);

/* Compresses n <= PVP_GZIP_IN bytes. Returns the length. */
size_t pvp_gzip_put(struct pvp_gzip *z, const uint8_t *from, size_t n, uint8_t to[PVP_GZIP_OUT]);

/* What was put since the last call was written; or was not, and later bytes do not refer to it. */
void pvp_gzip_settle(struct pvp_gzip *z, bool written);

/* The member's end. */
size_t pvp_gzip_end(struct pvp_gzip *z, uint8_t to[PVP_GZIP_TAIL]);

#endif
