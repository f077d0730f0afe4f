/* SPDX-License-Identifier: MIT */
/*
 * Checksums of source files, as compilers write them, and the older algorithms MD5 (RFC 1321) and
 * SHA-1 (FIPS 180-4). Good for comparing files, not against forgers. Any thread; nothing fails.
 */
#ifndef PV_BASE_CHECKSUM_H
#define PV_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

enum pv_checksum { PV_CHECKSUM_NONE, PV_CHECKSUM_MD5, PV_CHECKSUM_SHA1, PV_CHECKSUM_SHA256 };
enum { PV_MD5_BYTES = 16, PV_SHA1_BYTES = 20, PV_CHECKSUM_MOST = 32 };

/* Length of a checksum of this kind; PV_CHECKSUM_NONE: 0. */
size_t pv_checksum_bytes(enum pv_checksum kind);

/* The MD5 of n bytes. */
void pv_md5(const void *bytes, size_t n, uint8_t ret[PV_MD5_BYTES]);
/* The SHA-1 of n bytes. */
void pv_sha1(const void *bytes, size_t n, uint8_t ret[PV_SHA1_BYTES]);

#endif
