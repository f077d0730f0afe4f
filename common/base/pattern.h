/*
 * Regular expressions, POSIX extended, without what makes their time depend on more than the length
 * of the text: no groups are remembered and no \1 is known. Every step of a search follows all ways
 * at once, so that it takes at most 2 * PV_PATTERN_STEPS steps for each byte of the text and 1 more,
 * whatever pattern and text are. `.` and [^...] take a character of UTF-8; [...] names ASCII only. A pattern
 * may be searched for from any thread once it is made.
 */
#ifndef PV_BASE_PATTERN_H
#define PV_BASE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PV_PATTERN_STEPS = 512, /* of the made pattern; a longer one is refused */
	PV_PATTERN_SETS = 32,   /* different [...] */
	PV_PATTERN_DEPTH = 32,  /* groups within groups */
};

struct pv_pattern_step {
	uint8_t what, byte; /* byte: or the set's place */
	uint16_t to, other; /* the steps that follow */
};

struct pv_pattern {
	struct pv_pattern_step step[PV_PATTERN_STEPS];
	unsigned steps;
	uint32_t set[PV_PATTERN_SETS][8]; /* of bytes */
	unsigned sets;
	bool any_case; /* of ASCII letters */
};

/* The mistake in a refused pattern, and at which byte it is. */
struct pv_pattern_error {
	size_t at;
	const char *what; /* a literal */
};

/* Makes a pattern of `len` bytes; false with *reterr: it is none, or a longer one than is made. */
bool pv_pattern_make(const char *text, size_t len, bool any_case, struct pv_pattern *ret,
	struct pv_pattern_error *reterr);

/* Whether it is found anywhere in the text of `len` bytes. */
bool pv_pattern_has(const struct pv_pattern *p, const char *text, size_t len);

/* The same; adds what it took to *steps, for tests. */
bool pv_pattern_has_counted(
	const struct pv_pattern *p, const char *text, size_t len, uint64_t *steps);

#endif
