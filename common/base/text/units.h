/* SPDX-License-Identifier: MIT */
/*
 * Numbers as short fixed-style text for people, and the few texts people type back. All pure: any
 * thread. Every formatter writes at most `size` bytes with the NUL and returns `buf`, the caller's;
 * none fails.
 */
#ifndef PV_BASE_UNITS_H
#define PV_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PV_UNIT_MAX = 32 };

/*
 * Steps of pv_units_bytes() from now on, for the whole program: binary at first. Words: "binary",
 * "decimal"; false for others.
 */
enum pv_byte_units { PV_BYTES_BINARY, PV_BYTES_DECIMAL };
void pv_units_use(enum pv_byte_units units);
enum pv_byte_units pv_units_used(void);
const char *pv_units_word(enum pv_byte_units units);
bool pv_units_of(const char *word, enum pv_byte_units *ret);

/*
 * Bytes with 4 significant figures at most: "17 B", "1.4 KiB", "312 MiB"; decimal "1.43 kB", "327 MB".
 */
const char *pv_units_bytes(char *buf, size_t size, uint64_t bytes);

/* A count: exact below 100 000 ("41 207"), then "412k", "41.2M". */
const char *pv_units_count(char *buf, size_t size, uint64_t n);

/* The same with grouping only, never rounded: "1 391 007". */
const char *pv_units_exact(char *buf, size_t size, uint64_t n);

/* An address, without leading zeros: "0x1a40". Tables have very many: no printf. */
const char *pv_units_hex(char buf[PV_UNIT_MAX], uint64_t v);

/* A duration of ns: "812 ns", "4.2 us", "88.0 ms", "1.71 s", "2 m 13 s". */
const char *pv_units_ns(char *buf, size_t size, int64_t ns);

/* A point in time from a recording's zero: "00:01:21.310". */
const char *pv_units_clock(char *buf, size_t size, int64_t ns);

/* The share of `part` in `whole`, "12.3" (percent, one decimal); "-" when whole is 0. */
const char *pv_units_percent(char *buf, size_t size, uint64_t part, uint64_t whole);

/*
 * A time as people type it: "1.5s", "200ms", "30us", "9ns", "2m", "00:01:12", "90" (seconds); a
 * leading '-' negates. False: no such form, or overflow.
 */
bool pv_units_parse_time(const char *text, size_t len, int64_t *ret_ns);

/* "64MiB", "1G", "512k", "4096": binary steps. False: no such form, or more than 64 bits. */
bool pv_units_parse_bytes(const char *text, uint64_t *ret_bytes);

/* Whether two lengths in ns differ by more than a twentieth; false if either is 0 (not known). */
bool pv_units_lasted_else(int64_t a, int64_t b);

#endif
