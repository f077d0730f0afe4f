/* SPDX-License-Identifier: MIT */
/*
 * Regular expressions, POSIX extended, without features whose time depends on more than the length
 * of the text: no remembered groups, no \1. A search follows all ways at once, and takes at most
 * 2 * PV_PATTERN_STEPS steps for each byte of the text and 1 more, for any pattern and text. `.`
 * and [^...] take a character of UTF-8; [...] names ASCII only. Once made, a pattern may be
 * searched for from any thread.
 */
#ifndef PV_BASE_PATTERN_H
#define PV_BASE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PV_PATTERN_STEPS = 512, /* of a made pattern; longer ones are refused */
	PV_PATTERN_SETS = 32,   /* different [...] */
	PV_PATTERN_DEPTH = 32,  /* groups within groups */
};

struct pv_pattern_step {
	uint8_t what, byte; /* byte: or the set's place */
	uint16_t to, other; /* the next steps */
};

struct pv_pattern {
	struct pv_pattern_step step[PV_PATTERN_STEPS];
	unsigned steps;
	uint32_t set[PV_PATTERN_SETS][8]; /* of bytes */
	unsigned sets;
	bool any_case; /* of ASCII letters */
};

/* The mistake in a refused pattern, with its byte. */
struct pv_pattern_error {
	size_t at;
	const char *what; /* a literal */
};

/* Makes a pattern of `len` bytes; false with *reterr: not a pattern, or too long. */
bool pv_pattern_make(const char *text, size_t len, bool any_case, struct pv_pattern *ret,
	struct pv_pattern_error *reterr);

/* Whether the pattern is found anywhere in a text of `len` bytes. */
bool pv_pattern_has(const struct pv_pattern *p, const char *text, size_t len);

/* The same; adds the steps taken to *steps, for tests. */
bool pv_pattern_has_counted(
	const struct pv_pattern *p, const char *text, size_t len, uint64_t *steps);

#endif
